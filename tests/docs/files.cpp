#include "tests/docs/files.h"

#include "tests/lm/model/random_model.h"
#include "tests/support/source_dir.h"
#include "tests/tools/models.h"
#include "webnn/text.h"
#include "webnn/tflite.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {
namespace {

/// The language model of the examples, and one for embeddings with random weights.
void write_language_models(const Folder& folder) {
  namespace fs = std::filesystem;
  const fs::path trained = fs::path("examples") / "trained";
  fs::create_directories(folder.path(trained.string()));
  fs::copy_file(source_dir() / trained / "stories.gguf",
                folder.path((trained / "stories.gguf").string()));
  const lm::ModelForm form{
      .architecture = "bert", .width = 64, .heads = 2, .keyHeads = 2, .headSize = 32, .inner = 96};
  const gguf::Bytes bytes = lm::RandomModel(form).bytes();
  folder.write("embeddings.gguf", std::span<const std::byte>(bytes));
}

}  // namespace

void write_guide_files(const Folder& folder) {
  colors_model(folder, "net.tflite");
  other_colors_model(folder);
  std::filesystem::rename(quantized_colors_model(folder), folder.path("int8.tflite"));
  bmp(folder, "cat.bmp", 20, 10, 200, 60, 30);
  folder.write("labels.txt", std::string("red\ngreen\nblue\n"));
  MLGraphBuilder b(MLContext({.threads = 1, .backends = {"reference"}}));
  const auto model = tflite::import_model(b, folder.path("net.tflite"));
  text::export_model(b.build(model.outputs), folder.path("net.webnn"));
  write_language_models(folder);
  folder.write("sentences.webnn", std::string(R"(webnn_graph "sentences" v2 {
  inputs { tokens: i32[dyn("batch", 64), dyn("length", 512)]; }
  consts { table: f32[8, 4] @scalar(0.5); }
  nodes {
    e = gather(table, tokens);
    t = transpose(e, permutation=[0, 2, 1]);
    scores = matmul(e, t);
    looks = softmax(scores, axis=2);
    mixed = matmul(looks, e);
    meaning = reduceMean(mixed, axes=[1]);
  }
  outputs { meaning; }
}
)"));
  folder.write("detector.webnn", std::string(R"(webnn_graph "detector" v2 {
  inputs { pixels: f32["batch", 3, "height", "width"]; }
  nodes {
    fine = averagePool2d(pixels, windowDimensions=[2, 2], strides=[2, 2]);
    coarse = averagePool2d(fine, windowDimensions=[16, 16], strides=[16, 16]);
    large = resample2d(coarse, scales=[16.0, 16.0]);
    features = concat(fine, large, axis=1, label="neck.3");
  }
  outputs { features; }
}
)"));
}

}  // namespace webnn::inline v0_1::test
