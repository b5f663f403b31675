// The tensors of a model by the names that .gguf files have. Private.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "webnn/gguf.h"

namespace webnn::inline v0_1::lm {

struct Tensor {
  std::string stored_name{};  ///< in the file
  gguf::TensorType type{};
  std::vector<std::uint64_t> shape{};  ///< row-major; a matrix is [results, terms]
  std::span<const std::byte> bytes{};
  std::shared_ptr<const void> owner{};  ///< keeps the bytes
  /// The bytes as a constant that shares the file, if its reader has the type.
  std::function<Constant()> constant{};
  bool transposed = false;  ///< the matrix is stored as [terms, results]
};

/// Each tensor is taken by an architecture; what is left over is something that it does not have.
class Weights {
 public:
  explicit Weights(std::string label) : label_(std::move(label)) {}

  void add(std::string name, Tensor tensor);

  bool contains(const std::string& name) const { return tensors_.contains(name); }
  /// Null where there is none.
  const Tensor* find(const std::string& name);
  /// Throws DataError where there is none.
  const Tensor& take(const std::string& name);
  /// Throws NotSupportedError, which names the tensors that nothing has taken.
  void check_all_taken(const std::string& architecture) const;
  const std::string& label() const { return label_; }
  std::uint64_t parameters() const;
  /// A hash of the first bytes of each tensor.
  std::uint64_t fingerprint() const;

 private:
  struct Entry {
    Tensor tensor{};
    bool taken = false;
  };
  std::string label_;
  std::map<std::string, Entry> tensors_{};
};

/// `owner`: what keeps the bytes of the file, if it is not the file.
Weights weights_of(const gguf::File& file, const std::string& label,
                   std::shared_ptr<const void> owner = {});
/// Those of all .safetensors files of a folder of Hugging Face, by the names of .gguf files.
Weights weights_of_folder(const std::string& folder, const std::string& architecture);

/// The name in .gguf files of a tensor of Hugging Face. Empty: it is computed from other data and
/// not needed. Nothing: it is not known.
std::optional<std::string> gguf_name(std::string_view name, std::string_view architecture);

/// The tensor as float32; throws NotSupportedError for a type that gguf::dequantize() does not
/// have.
std::vector<float> floats_of(const Tensor& tensor, std::string_view label);

}  // namespace webnn::inline v0_1::lm
