#include "src/lm/weights/weights.h"

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::lm {

void Weights::add(std::string name, Tensor tensor) {
  const std::string stored = tensor.stored_name;
  if (!tensors_.emplace(std::move(name), Entry{std::move(tensor)}).second)
    raise({"tensor " + in_quotes(stored) + " occurs twice", ErrorName::DataError}, "lm", label_);
}

const Tensor* Weights::find(const std::string& name) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) return nullptr;
  found->second.taken = true;
  return &found->second.tensor;
}

const Tensor& Weights::take(const std::string& name) {
  if (const Tensor* t = find(name)) return *t;
  raise({"there is no tensor " + in_quotes(name), ErrorName::DataError}, "lm", label_);
}

void Weights::check_all_taken(const std::string& architecture) const {
  std::vector<std::string> left;
  for (const auto& [name, entry] : tensors_)
    if (!entry.taken) left.push_back(in_quotes(entry.tensor.stored_name));
  if (left.empty()) return;
  const std::size_t count = left.size();
  if (count > 5) left.resize(5);
  raise({"the architecture " + architecture + " does not use the tensor" +
             (count > 1 ? "s " : " ") + joined(left) + (count > 5 ? ", ..." : ""),
         ErrorName::NotSupportedError},
        "lm", label_);
}

std::uint64_t Weights::parameters() const {
  std::uint64_t all = 0;
  for (const auto& [name, entry] : tensors_) {
    std::uint64_t n = 1;
    for (const std::uint64_t d : entry.tensor.shape) n *= d;
    all += n;
  }
  return all;
}

std::uint64_t Weights::fingerprint() const {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const auto& [name, entry] : tensors_) {
    const auto bytes = entry.tensor.bytes;
    for (const std::byte b : bytes.first(std::min<std::size_t>(bytes.size(), 256)))
      hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001b3;
  }
  return hash;
}

Weights weights_of(const gguf::File& file, const std::string& label,
                   std::shared_ptr<const void> owner) {
  Weights weights(label);
  if (!owner) owner = std::make_shared<const gguf::File>(file);
  for (const gguf::TensorInfo& t : file.tensors()) {
    std::string name(t.name);
    Tensor tensor{name, t.type, t.shape, file.bytes(t.name), owner};
    if (t.type == gguf::TensorType::F32 || t.type == gguf::TensorType::F16 ||
        t.type == gguf::TensorType::BF16)
      tensor.constant = [file, name] { return file.constant(name); };
    weights.add(name, std::move(tensor));
  }
  return weights;
}

std::vector<float> floats_of(const Tensor& t, std::string_view label) {
  if (!gguf::can_dequantize(t.type))
    raise({"tensor " + in_quotes(t.stored_name) + ": type " + std::string(name_of(t.type)) +
               " is not supported",
           ErrorName::NotSupportedError},
          "lm", label);
  const gguf::BlockLayout layout = gguf::block_layout(t.type);
  std::vector<float> values(t.bytes.size() / layout.bytes * layout.elements);
  gguf::dequantize(t.type, t.bytes, values);
  return values;
}

}  // namespace webnn::inline v0_1::lm
