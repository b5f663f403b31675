// Weights in .safetensors files: https://github.com/huggingface/safetensors#format
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "webnn/operand.h"
#include "webnn/path.h"
#include "webnn/views.h"

namespace webnn::inline v0_1::safetensors {

using Metadata = std::map<std::string, std::string, std::less<>>;

/// One tensor as the header describes it.
struct TensorInfo {
  std::string name{};        ///< a key of the header
  std::string_view dtype{};  ///< the format's name: "F32", "BF16", ...
  /// WebNN's type of the same elements. BOOL is uint8. Nothing for F64, I16 and the others that
  /// WebNN does not have.
  std::optional<MLOperandDataType> dataType{};
  std::vector<std::uint64_t> shape{};  ///< may have zeros; empty for a scalar
  std::uint64_t begin = 0;  ///< where its bytes are in the data that follows the header ...
  std::uint64_t end = 0;    ///< ... and where they end
};

/// A file whose header has been read and checked. A handle: copies share the bytes. Immutable, so
/// it may be used by several threads at once.
///
/// Exactly what the format's reference accepts is accepted: a header of at most 100,000,000 bytes
/// that is one JSON object without repeated keys; each entry with exactly dtype, shape and
/// data_offsets, at most 64 dimensions, and as many bytes as its shape needs; tensors that together
/// cover the data without overlap and without holes; at most 65,536 texts of metadata. Everything
/// else throws DataError: `safetensors [net.safetensors]: tensor "conv1.w": data_offsets [0, 400]
/// hold 400 bytes, ...`.
class File {
 public:
  /// Maps the file, read only. It must not be shortened as long as anything made from it lives.
  static File open(const Path& path);
  /// Reads bytes that `owner` keeps alive. `label` takes the place of the path in messages.
  static File from_bytes(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                         std::string_view label = {});
  static File from_bytes(std::vector<std::byte> bytes, std::string_view label = {});

  std::span<const TensorInfo> tensors() const;  ///< in the order of their bytes
  std::vector<std::string> names() const;       ///< in the same order
  bool contains(std::string_view name) const;
  const Metadata& metadata() const;  ///< the texts under "__metadata__"

  // Throw DataError when the file has no tensor of that name.

  const TensorInfo& info(std::string_view name) const;
  /// The elements as they are in the file: little-endian, row-major, of any dtype, not aligned.
  std::span<const std::byte> bytes(std::string_view name) const;
  /// For MLGraphBuilder::constant(). Throws DataError also for a dtype or a shape that a WebNN
  /// operand cannot have, such as F64 or a dimension of zero.
  MLOperandDescriptor descriptor(std::string_view name) const;
  /// The bytes, shared with the file and not copied, unless they are not aligned to an element:
  /// then the constant has a copy that is. Throws as descriptor() does.
  Constant constant(std::string_view name) const;

 private:
  struct Contents;
  explicit File(std::shared_ptr<const Contents> contents) : contents_(std::move(contents)) {}

  std::shared_ptr<const Contents> contents_;
};

/// A tensor to write.
struct NamedValues {
  std::string name;                ///< any but "__metadata__"
  MLOperandDescriptor descriptor;  ///< data type and shape of the values
  InputView values;                ///< viewed, not owned; byte_length(descriptor) bytes
};

/// The bytes of a file. Tensors with wide elements come first, else in the order given, and the
/// data begins at a multiple of 64, so that every tensor is aligned to its elements. Throws
/// TypeError for a name that is repeated, "__metadata__" or not UTF-8, for metadata that is not
/// UTF-8, for int4 and uint4, which the format does not have, for values of the wrong type or size,
/// and for a header of more than 100,000,000 bytes.
std::vector<std::byte> write(ListView<NamedValues> tensors, const Metadata& metadata = {});
/// Writes a file, which is replaced when all bytes have been written: a process that has
/// mapped the old file keeps its contents. Throws OperationError when the system refuses.
void write(const Path& path, ListView<NamedValues> tensors, const Metadata& metadata = {});

}  // namespace webnn::inline v0_1::safetensors
