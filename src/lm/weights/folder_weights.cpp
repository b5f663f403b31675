// The weights of a folder of Hugging Face: all of its .safetensors files.
#include <algorithm>
#include <filesystem>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/lm/weights/weights.h"
#include "webnn/safetensors.h"

namespace webnn::inline v0_1::lm {
namespace {

namespace fs = std::filesystem;

std::optional<gguf::TensorType> type_of(std::string_view dtype) {
  if (dtype == "F32") return gguf::TensorType::F32;
  if (dtype == "F16") return gguf::TensorType::F16;
  if (dtype == "BF16") return gguf::TensorType::BF16;
  return std::nullopt;
}

/// The names of model.safetensors.index.json are those of the files, so that it is not read.
std::vector<fs::path> files_of(const std::string& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  std::ranges::sort(files);
  const auto whole = fs::path(folder) / "model.safetensors";
  if (std::ranges::find(files, whole) != files.end()) return {whole};
  return files;
}

}  // namespace

Weights weights_of_folder(const std::string& folder, const std::string& architecture) {
  Weights weights(folder);
  const std::vector<fs::path> files = files_of(folder);
  if (files.empty())
    raise({"the folder has no .safetensors file", ErrorName::DataError}, "lm", folder);
  for (const fs::path& path : files) {
    const auto file = safetensors::File::open(path.string());
    const auto owner = std::make_shared<const safetensors::File>(file);
    for (const safetensors::TensorInfo& t : file.tensors()) {
      const auto name = gguf_name(t.name, architecture);
      const auto type = type_of(t.dtype);
      if (name && name->empty()) continue;
      if (!type)
        raise(
            {"tensor " + in_quotes(t.name) + ": type " + std::string(t.dtype) + " is not supported",
             ErrorName::NotSupportedError},
            "lm", path.string());
      Tensor tensor{t.name, *type, t.shape, file.bytes(t.name), owner};
      if (t.dataType) tensor.constant = [file, own = t.name] { return file.constant(own); };
      // GPT-2 has its matrices as [terms, results].
      tensor.transposed =
          architecture == "gpt2" && t.shape.size() == 2 && name && name->starts_with("blk.");
      weights.add(name ? *name : "unknown " + t.name, std::move(tensor));
    }
  }
  return weights;
}

}  // namespace webnn::inline v0_1::lm
