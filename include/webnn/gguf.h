// Language models in .gguf files: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "webnn/operand.h"
#include "webnn/path.h"

namespace webnn::inline v0_1::gguf {

/// How the elements of a tensor are stored; the values are those of the format.
enum class TensorType : std::uint32_t {
  F32 = 0,
  F16 = 1,
  Q4_0 = 2,
  Q4_1 = 3,
  Q5_0 = 6,
  Q5_1 = 7,
  Q8_0 = 8,
  Q8_1 = 9,
  Q2_K = 10,
  Q3_K = 11,
  Q4_K = 12,
  Q5_K = 13,
  Q6_K = 14,
  Q8_K = 15,
  IQ2_XXS = 16,
  IQ2_XS = 17,
  IQ3_XXS = 18,
  IQ1_S = 19,
  IQ4_NL = 20,
  IQ3_S = 21,
  IQ2_S = 22,
  IQ4_XS = 23,
  I8 = 24,
  I16 = 25,
  I32 = 26,
  I64 = 27,
  F64 = 28,
  IQ1_M = 29,
  BF16 = 30,
  TQ1_0 = 34,
  TQ2_0 = 35,
  MXFP4 = 39
};

/// Elements are stored in blocks: 256 of Q4_K are 144 bytes, one of F32 is 4.
struct BlockLayout {
  std::uint32_t elements = 0, bytes = 0;
};
/// Throws TypeError for a number that is not one of TensorType.
BlockLayout block_layout(TensorType type);
/// "Q4_K". Throws as block_layout() does.
std::string_view name_of(TensorType type);

/// Whether dequantize() has the type: F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K,
/// Q6_K.
bool can_dequantize(TensorType type);
/// The elements of whole blocks as float32: each is the exact product of the stored numbers, or
/// that product minus or plus the exact minimum, rounded once. Throws TypeError if the values are
/// not as many as the blocks have elements, and NotSupportedError for a type that it does not have.
void dequantize(TensorType type, std::span<const std::byte> blocks, std::span<float> values);

struct Array;
/// A value of the metadata; the index of the alternative is the number of its type in the file.
/// Texts are views of the file's bytes.
using Value = std::variant<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                           std::int32_t, float, bool, std::string_view,
                           std::shared_ptr<const Array>, std::uint64_t, std::int64_t, double>;
/// Values of one type. Bools are 0 or 1.
struct Array {
  std::variant<std::vector<std::uint8_t>, std::vector<std::int8_t>, std::vector<std::uint16_t>,
               std::vector<std::int16_t>, std::vector<std::uint32_t>, std::vector<std::int32_t>,
               std::vector<float>, std::vector<std::uint8_t>, std::vector<std::string_view>,
               std::vector<std::shared_ptr<const Array>>, std::vector<std::uint64_t>,
               std::vector<std::int64_t>, std::vector<double>>
      values{};

  std::size_t size() const;
};

struct MetadataEntry {
  std::string_view key{};  ///< "general.architecture"
  Value value{};
};

/// One tensor as the file describes it.
struct TensorInfo {
  std::string_view name{};  ///< "blk.0.attn_q.weight"
  TensorType type = TensorType::F32;
  /// Row-major, as WebNN has it: the last dimension, whose elements are contiguous, is the first
  /// one in the file. At most 4; may have zeros; empty for a scalar.
  std::vector<std::uint64_t> shape{};
  std::uint64_t begin = 0;  ///< where its bytes are in the data that follows the header ...
  std::uint64_t end = 0;    ///< ... and where they end
};

/// A file whose header has been read and checked. A handle: copies share the bytes. Immutable, so
/// it may be used by several threads at once.
///
/// Versions 2 and 3, little-endian. Everything else throws DataError, and so do: counts and lengths
/// beyond the file; types that the format does not have; arrays in arrays more than four deep;
/// bools that are not 0 or 1; keys and names of tensors that are empty, too long (65,535 and 64
/// bytes) or repeated; an alignment that is not a power of two; rows that are not whole blocks;
/// tensors that are not aligned, overlap, or are beyond the end:
/// `gguf [net.gguf]: tensor "output.weight": bytes 0 to 400 exceed the 256 bytes of data.`
class File {
 public:
  /// Maps the file, read only. It must not be shortened as long as anything made from it lives.
  static File open(const Path& path);
  /// Reads bytes that `owner` keeps alive. `label` takes the place of the path in messages.
  static File from_bytes(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                         std::string_view label = {});
  static File from_bytes(std::vector<std::byte> bytes, std::string_view label = {});

  std::uint32_t version() const;
  std::uint64_t alignment() const;                  ///< of the tensors, in bytes
  std::span<const MetadataEntry> metadata() const;  ///< in the order of the file
  std::span<const TensorInfo> tensors() const;      ///< in the order of the file

  /// The value of a key; null where there is none.
  const Value* find(std::string_view key) const;
  // Nothing if the key is absent; a DataError if its value is of another kind or, for integer(),
  // negative. Views are valid as long as the file.

  std::optional<std::uint64_t> integer(std::string_view key) const;  ///< of any integer type
  std::optional<double> number(std::string_view key) const;          ///< an integer or a float
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<std::string_view> text(std::string_view key) const;
  std::optional<std::span<const std::string_view>> texts(std::string_view key) const;
  std::optional<std::span<const float>> floats(std::string_view key) const;
  std::optional<std::span<const std::int32_t>> integers(std::string_view key) const;  ///< int32

  bool contains(std::string_view name) const;  ///< a tensor
  // Throw DataError when the file has no tensor of that name.

  const TensorInfo& info(std::string_view name) const;
  /// The blocks as they are in the file, aligned as alignment() says if the file's bytes are.
  std::span<const std::byte> bytes(std::string_view name) const;
  /// For MLGraphBuilder::constant(). Throws DataError also for types other than F32, F16, BF16, I8,
  /// I32 and I64, and for a shape that a WebNN operand cannot have, such as one with a zero.
  MLOperandDescriptor descriptor(std::string_view name) const;
  /// The bytes, shared with the file and not copied unless they are not aligned to an element.
  /// Throws as descriptor() does.
  Constant constant(std::string_view name) const;
  /// The elements as float32. Throws NotSupportedError for a type that dequantize() does not have.
  std::vector<float> dequantized(std::string_view name) const;

 private:
  struct Contents;
  explicit File(std::shared_ptr<const Contents> contents) : contents_(std::move(contents)) {}

  std::shared_ptr<const Contents> contents_;
};

}  // namespace webnn::inline v0_1::gguf
