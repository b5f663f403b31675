#include "tests/docs/files.h"

#include "tests/tools/models.h"
#include "webnn/text.h"
#include "webnn/tflite.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {

void write_guide_files(const Folder& folder) {
  colors_model(folder, "net.tflite");
  other_colors_model(folder);
  std::filesystem::rename(quantized_colors_model(folder), folder.path("int8.tflite"));
  bmp(folder, "cat.bmp", 20, 10, 200, 60, 30);
  folder.write("labels.txt", std::string("red\ngreen\nblue\n"));
  MLGraphBuilder b(MLContext({.threads = 1, .backends = {"reference"}}));
  const auto model = tflite::import_model(b, folder.path("net.tflite"));
  text::export_model(b.build(model.outputs), folder.path("net.webnn"));
}

}  // namespace webnn::inline v0_1::test
