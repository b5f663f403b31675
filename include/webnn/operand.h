// MLOperand, and what stands behind it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "webnn/dimension.h"

namespace webnn::inline v0_1 {

/// Data type and dimensions of an input, which may have names in place of sizes.
struct MLInputOperandDescriptor {
  MLOperandDataType dataType = MLOperandDataType::float32;  ///< the type of the elements
  MLDimensions shape{};                                     ///< empty for a scalar
  bool operator==(const MLInputOperandDescriptor&) const = default;
};

/// Data type and shape of a value. https://www.w3.org/TR/webnn/#dictdef-mloperanddescriptor
/// Dimensions are 1 to 2^31-1, and so is the number of elements; `{}` is a scalar.
struct MLOperandDescriptor {
  MLOperandDataType dataType = MLOperandDataType::float32;  ///< the type of the elements
  Dims shape{};  ///< the sizes of the dimensions; empty for a scalar
  bool operator==(const MLOperandDescriptor&) const = default;
  operator MLInputOperandDescriptor() const { return {dataType, shape}; }
};
/// The limits of this library: MLOpSupportLimits reports them.
inline constexpr std::uint32_t max_rank = 8;
inline constexpr std::uint64_t max_tensor_byte_length = 0x7fffffff;

/// The product of the dimensions; 1 for a scalar.
std::uint64_t element_count(const Dims& shape);
/// Bytes of a tensor: row-major, no padding; two int4 or uint4 elements share a byte.
std::uint64_t byte_length(const MLOperandDescriptor&);

struct ConstantFacts;  // private: src/graph/constant_facts.h

/// The bytes of a constant, owned by a copy or by a shared owner such as a mapped file. Graphs,
/// passes and plans share this handle; the bytes themselves are never copied again.
class Constant {
 public:
  static Constant copy_of(std::span<const std::byte> bytes);
  /// Bytes that the caller keeps, or shares: a graph never drops its handle to them.
  Constant(std::shared_ptr<const void> owner, std::span<const std::byte> bytes)
      : data_(std::move(owner), bytes.data()), size_(bytes.size()), facts_(new_facts()) {}
  /// Bytes that nobody else needs, like those of copy_of(): build() drops them when kernels have
  /// packed them.
  static Constant transferred(std::shared_ptr<const void> owner, std::span<const std::byte> bytes) {
    Constant c(std::move(owner), bytes);
    c.is_copy_ = true;
    return c;
  }

  /// Valid as long as a handle to them lives. Throws InvalidStateError when they are released.
  std::span<const std::byte> bytes() const {
    if (!data_) raise_released();
    return {data_.get(), size_};
  }
  /// Whether the library made the copy.
  bool is_copy() const { return is_copy_; }
  /// Whether build() has dropped the bytes, because kernels hold them packed
  /// (MLContextOptions::keepConstants).
  bool released() const { return data_ == nullptr; }

 private:
  friend struct detail::Access;
  [[noreturn]] static void raise_released();
  static std::shared_ptr<ConstantFacts> new_facts();
  std::shared_ptr<const std::byte> data_;
  std::size_t size_;
  std::shared_ptr<ConstantFacts> facts_;  // of all copies of this handle
  bool is_copy_ = false;
};

enum class OperandKind : std::uint8_t { input, constant, result };

struct GraphData;  // private: src/graph/graph_data.h

/// The shape of a value of which sizes are known when a graph runs.
struct OpenShape {
  MLDimensions dimensions{};  ///< names that no input has are of dimensions that follow from others
  bool ranked = true;         ///< else even the number of dimensions is open
  bool operator==(const OpenShape&) const = default;
};

/// One value of a graph. Its address never changes.
struct OperandRecord {
  MLOperandDescriptor descriptor{};  ///< with 0 for dimensions that are open
  OperandKind kind = OperandKind::result;
  std::uint32_t id = 0;                ///< its index among the operands of its builder or graph
  std::uint32_t producer = 0;          ///< for a result, the index of its operator ...
  std::uint32_t output = 0;            ///< ... and which of the operator's results it is
  std::string name{};                  ///< that of an input
  std::optional<Constant> constant{};  ///< the elements of a constant
  std::shared_ptr<const OpenShape> open{};  ///< null when all sizes are known
};

/// A value of a graph under construction, or of a built graph.
/// https://www.w3.org/TR/webnn/#mloperand A handle, cheap to copy. One that came from a builder
/// keeps what it names alive, so it stays valid when the builder is gone, and so does one that a
/// Graph or a Node returns by value; one of a list that they return by reference is valid as long
/// as the graph.
class MLOperand {
 public:
  // Out of line: inline they are half of the code of every call that makes an operator.
  MLOperand();
  MLOperand(const MLOperand&);
  MLOperand(MLOperand&&) noexcept;
  MLOperand& operator=(const MLOperand&);
  MLOperand& operator=(MLOperand&&) noexcept;
  ~MLOperand();

  MLOperandDataType dataType() const { return record().descriptor.dataType; }
  /// shape() and descriptor() throw InvalidStateError when a dimension is open.
  const Dims& shape() const { return descriptor().shape; }
  const MLOperandDescriptor& descriptor() const {
    const OperandRecord& r = record();
    if (r.open) raise_open();
    return r.descriptor;
  }
  /// The number of dimensions. Throws InvalidStateError when it is open.
  std::uint32_t rank() const {
    const OperandRecord& r = record();
    if (r.open && !r.open->ranked) raise_open();
    return static_cast<std::uint32_t>(r.descriptor.shape.size());
  }
  /// Whether sizes are known only when the graph runs: a dimension has a name, or even the rank is
  /// open.
  bool is_open() const { return record().open != nullptr; }
  /// The sizes and names of the dimensions; nothing when even their number is open.
  std::optional<MLDimensions> dimensions() const;

  explicit operator bool() const { return state_ != nullptr; }
  /// Whether both name the same value. (`==` is left to webnn/fluent.h, where it is an operator.)
  bool is(const MLOperand& other) const { return state_.get() == other.state_.get(); }
  /// The bytes, if it is a constant; else nothing.
  const Constant* constant() const { return record().constant ? &*record().constant : nullptr; }

  /// For backends, passes and formats. Throws InvalidStateError for an empty operand.
  const OperandRecord& record() const {
    if (!state_) raise_empty();
    return *state_;
  }

 private:
  friend struct detail::Access;
  explicit MLOperand(std::shared_ptr<const OperandRecord> record) : state_(std::move(record)) {}
  [[noreturn]] static void raise_empty();
  [[noreturn]] void raise_open() const;
  std::shared_ptr<const OperandRecord> state_;
};

}  // namespace webnn::inline v0_1
