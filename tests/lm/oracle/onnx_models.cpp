// Small models with random weights as folders of ONNX Runtime GenAI, for onnx_models.mjs.
//   lm_onnx_models FOLDER   prints the names of the folders in it
//   lm_onnx_models FOLDER LAYERS WIDTH HEADS KEY_HEADS HEAD_SIZE INNER VOCABULARY CONTEXT
//     writes a llama of these sizes with weights of 4 bits into it, as model.gguf and as an .onnx
//     file with its configuration, to compare their speed
#include <cstdio>
#include <cstdlib>

#include "tests/lm/imported/onnx_folder.h"

using namespace webnn;
using gguf::TensorType;
using Attention = lm::OnnxForm::Attention;

namespace {

struct Named {
  const char* name;
  TensorType type = TensorType::F32;
  lm::OnnxForm form{};
  std::uint32_t heads = 4, key_heads = 2, head_size = 64;
};

const Named models[] = {
    {"grouped"},
    {"packed", TensorType::F32, {.attention = Attention::packed}},
    {"plain", TensorType::F32, {.attention = Attention::plain}},
    {"shared", TensorType::F32, {.shared = 256}},
    {"window", TensorType::F32, {.window = 16}},
    {"one-window", TensorType::F32, {.window = 16, .first_only = true}},
    {"interleaved", TensorType::F32, {.interleaved = true}},
    {"softcap", TensorType::F32, {.softcap = 5}},
    {"one-key-head", TensorType::F32, {}, 3, 1, 48},
    {"all-key-heads", TensorType::F32, {}, 5, 5, 16},
    {"odd-groups", TensorType::F32, {.attention = Attention::packed}, 9, 3, 32},
    {"float16", TensorType::F32, {.half = true}},
    {"float16-plain", TensorType::F32, {.attention = Attention::plain, .half = true}},
    {"4-bits", TensorType::Q4_0, {.accuracy = 1}},
    {"8-bits", TensorType::Q8_0, {.accuracy = 1}},
};

int write_sized(const std::filesystem::path& folder, char** sizes) {
  const auto size = [&](int i) { return static_cast<std::uint32_t>(std::atoi(sizes[i])); };
  const lm::RandomModel model({.type = TensorType::Q4_0,
                               .layers = size(0),
                               .width = size(1),
                               .heads = size(2),
                               .keyHeads = size(3),
                               .headSize = size(4),
                               .inner = size(5),
                               .vocabulary = size(6),
                               .context = size(7)});
  lm::write_folder(folder, model, {});
  const gguf::Bytes bytes = model.bytes();
  std::ofstream(folder / "model.gguf", std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 10) return write_sized(argv[1], argv + 2);
  if (argc != 2) return 2;
  for (const Named& n : models) {
    const lm::RandomModel model(
        {.type = n.type, .heads = n.heads, .keyHeads = n.key_heads, .headSize = n.head_size});
    lm::write_folder(std::filesystem::path(argv[1]) / n.name, model, n.form);
    std::printf("%s\n", n.name);
  }
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
