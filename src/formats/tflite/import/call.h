// One operator being imported: what its handler reads and writes. Private.
#pragma once

#include "src/formats/common/size.h"
#include "src/formats/tflite/import/importer.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "webnn/custom.h"

namespace webnn::inline v0_1::tflite {

using formats::Shape;
using formats::Size;
using formats::SizeList;

class Call {
 public:
  Call(Scope& scope, const schema::Operator& op)
      : b(scope.import().builder), scope_(scope), op_(op) {}

  MLGraphBuilder& b;

  /// The operator's options; null when they are absent.
  template <class Table> const Table* options_table() const {
    if (op_.builtin_options_type() == schema::BuiltinOptions::NONE || !op_.builtin_options())
      return nullptr;
    if (op_.builtin_options_type() != schema::BuiltinOptionsTraits<Table>::enum_value)
      refuse(fail("its options are those of another operator"));
    return static_cast<const Table*>(op_.builtin_options());
  }
  /// The options in the form of the object API; the format's defaults when absent.
  template <class T> T options() const {
    T out;
    if (const auto* table = options_table<typename T::TableType>()) table->UnPackTo(&out);
    return out;
  }

  /// The options of an operator whose code is CUSTOM.
  std::span<const std::uint8_t> custom_options() const { return elements_of(op_.custom_options()); }

  std::size_t inputs() const { return size_of(op_.inputs()); }
  std::size_t outputs() const { return size_of(op_.outputs()); }
  bool has(std::size_t i) const { return i < inputs() && op_.inputs()->Get(index(i)) != -1; }
  const TensorInfo& in(std::size_t i) const;
  const TensorInfo& out(std::size_t i = 0) const;

  /// An input with its elements as stored, and as numbers: dequantized, if its tensor is quantized.
  MLOperand stored(std::size_t i) const {
    return scope_.value(static_cast<std::int32_t>(in(i).index));
  }
  MLOperand value(std::size_t i) const { return numbers(i, stored(i)); }
  /// The numbers with another shape of the same elements. With scales along an axis the shape must
  /// have that axis.
  MLOperand numbers(std::size_t i, const MLOperand& stored) const;
  /// Sets a result from elements as stored, and from numbers: quantized, if its tensor is
  /// quantized.
  void put_stored(MLOperand y, std::size_t i = 0) const;
  void put(MLOperand y, std::size_t i = 0) const;

  /// Whether input i has the scales of output k, or one of them has none, so that elements can be
  /// moved as they are.
  bool same_scales(std::size_t i, std::size_t k = 0) const;
  bool quantized(std::size_t i) const { return in(i).scales.has_value(); }

  /// The sizes of the dimensions of an input.
  SizeList sizes(std::size_t i) const { return formats::sizes_of(stored(i)); }
  /// Integers of an input that is known or follows from shapes, in row-major order.
  SizeList list(std::size_t i) const;
  /// The only one of them.
  Size size(std::size_t i) const;
  /// Whether an input follows from constants and from open sizes, but is not known.
  bool follows_from_sizes(std::size_t i) const;

  /// The value of an input that has to be known: integers, in row-major order.
  std::vector<std::int64_t> ints(std::size_t i) const;
  std::int64_t integer(std::size_t i) const;
  /// The only element, as stored, of an input that has to be known.
  MLNumber number(std::size_t i) const;
  /// Raises unless it is known, and has that type.
  Constant known(std::size_t i) const;
  bool is_known(std::size_t i) const;

  /// An axis, from the end when it is negative.
  std::uint32_t axis(std::int64_t axis, std::size_t rank) const;
  /// Checks a computed size: throws when it is not a dimension.
  std::uint32_t dimension(std::int64_t size, std::string_view what) const;
  /// The same for a size that is checked in each run when it is open.
  Size dimension(const Size& size, std::string_view what) const;
  void require_rank(const MLOperand& x, std::uint32_t min, std::uint32_t max) const;

  // Operators and constants that several handlers compose.

  MLOperand activated(MLOperand y, schema::ActivationFunctionType) const;
  MLOperand scalar(MLOperandDataType type, MLNumber value) const { return b.constant(type, value); }
  MLOperand scalar_like(const MLOperand& x, MLNumber v) const { return scalar(x.dataType(), v); }
  MLOperand int32s(Dims shape, const std::vector<std::int32_t>& values) const;
  MLOperand floats(Dims shape, const std::vector<float>& values) const;
  /// x, if it has the shape.
  MLOperand reshaped(const MLOperand& x, const Shape& shape) const;
  MLOperand permuted(const MLOperand& x, Dims permutation) const;

  /// A label for the operator of WebNN that does the work: the name of the result.
  std::string label() const { return std::string(truncated(out().name, 256)); }

  /// Before memory for constants is allocated.
  void spend(std::uint64_t bytes) const;
  [[noreturn]] void refuse(const Failure&) const;       ///< the file is wrong
  [[noreturn]] void unsupported(const Failure&) const;  ///< WebNN has no counterpart
  [[noreturn]] void unsupported(std::string_view reason) const {
    unsupported(Failure{std::string(reason)});
  }
  Scope& scope() const { return scope_; }

 private:
  std::optional<MLOperand> known_operand(std::size_t i) const;
  void require_integers(std::size_t i) const;
  static fb::uoffset_t index(std::size_t i) { return static_cast<fb::uoffset_t>(i); }
  std::pair<MLOperand, MLOperand> scale_and_zero(const TensorInfo& t, MLOperandDataType type,
                                                 std::uint32_t rank) const;

  Scope& scope_;
  const schema::Operator& op_;
};

/// How an operator is imported.
struct Handler {
  schema::BuiltinOperator code;
  void (*import)(Call&);
  std::uint32_t min_inputs, max_inputs;
  std::uint32_t min_outputs = 1, max_outputs = 1;
  std::string_view custom = "";  ///< the name of one whose code is CUSTOM
};
inline constexpr std::uint32_t many = 0xffffffff;

/// The table of a family of operators, at the end of its file in operators/.
std::span<const Handler> conv2d_handlers();
std::span<const Handler> matmul_handlers();
std::span<const Handler> pool2d_handlers();
std::span<const Handler> binary_handlers();
std::span<const Handler> unary_handlers();
std::span<const Handler> activation_handlers();
std::span<const Handler> softmax_handlers();
std::span<const Handler> logical_handlers();
std::span<const Handler> reduce_handlers();
std::span<const Handler> normalization_handlers();
std::span<const Handler> quantization_handlers();
std::span<const Handler> cast_handlers();
std::span<const Handler> shape_handlers();
std::span<const Handler> concat_handlers();
std::span<const Handler> slice_handlers();
std::span<const Handler> pad_handlers();
std::span<const Handler> gather_handlers();
std::span<const Handler> scatter_handlers();
std::span<const Handler> space_to_depth_handlers();
std::span<const Handler> resample2d_handlers();
std::span<const Handler> generator_handlers();
std::span<const Handler> recurrent_handlers();
std::span<const Handler> subgraph_call_handlers();
std::span<const Handler> variable_handlers();
std::span<const Handler> detection_handlers();
std::span<const Handler> landmark_handlers();

/// The custom operator of the context with the name of a CUSTOM operator, of the highest version
/// that is not above that of the file; null if there is none.
std::shared_ptr<const CustomOperator> custom_operator_of(const Import&, const schema::Operator&);
/// Its operands and results are numbers: what is quantized in the file is dequantized for it.
void import_custom(Call& call, const schema::Operator& op,
                   std::shared_ptr<const CustomOperator> definition);

/// Null for an operator that WebNN has no counterpart for.
const Handler* handler_of(const File&, const schema::Operator&);

}  // namespace webnn::inline v0_1::tflite
