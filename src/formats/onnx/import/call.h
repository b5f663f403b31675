// One node being imported: what its handler reads and writes. Private.
#pragma once

#include "src/formats/common/open_dimensions.h"
#include "src/formats/onnx/import/importer.h"
#include "webnn/custom.h"

namespace webnn::inline v0_1::onnx {

using formats::give_a_size;
using formats::keep_sources;
using formats::open_dimensions;
using formats::Shape;
using formats::Size;
using formats::SizeList;
using formats::sources_of;
using Ints = std::vector<std::int64_t>;

class Call {
 public:
  Call(Scope& scope, const Node& node, std::int64_t version)
      : b(scope.import().builder),
        scope_(scope),
        node_(node),
        version_(version),
        read_(node.attributes.size()) {}

  MLGraphBuilder& b;

  const Node& node() const { return node_; }
  Scope& scope() const { return scope_; }
  std::int64_t version() const { return version_; }  ///< that of the operator set

  // Operands.

  std::size_t inputs() const { return node_.inputs.size(); }
  std::size_t outputs() const { return node_.outputs.size(); }
  bool has(std::size_t i) const;
  /// Whether something reads it.
  bool has_output(std::size_t i) const {
    return i < outputs() && !node_.outputs[i].empty() && scope_.needs(node_.outputs[i]);
  }
  /// Whether only nodes that cast it to FLOAT read it.
  bool output_is_cast_to_float(std::size_t i = 0) const {
    return i < outputs() && scope_.is_cast_to_float(node_.outputs[i]);
  }
  const Value& in(std::size_t i) const;
  /// Its operand. Raises when the input is missing or has no elements.
  MLOperand x(std::size_t i = 0) const;
  std::optional<MLOperand> optional(std::size_t i) const;
  /// The sizes of the dimensions of an input, also of one without elements.
  SizeList sizes(std::size_t i) const;
  /// The same, which have to be known.
  ops::Sizes shape(std::size_t i) const;
  MLOperandDataType type(std::size_t i) const;
  bool empty(std::size_t i) const { return in(i).empty.has_value(); }

  /// Sets a result.
  void put(MLOperand y, std::size_t i = 0) const { set(i, {.x = std::move(y)}); }
  void put_boolean(MLOperand y, std::size_t i = 0) const {
    set(i, {.x = std::move(y), .boolean = true});
  }
  /// Whose elements are those of input k, if that is BOOL.
  void put_like(std::size_t k, MLOperand y, std::size_t i = 0) const {
    set(i, {.x = std::move(y), .boolean = in(k).boolean});
  }
  void put_empty(ops::Sizes shape, MLOperandDataType type, std::size_t i = 0) const {
    set(i, {.empty = std::move(shape), .type = type});
  }
  void set(std::size_t i, Value v) const;

  // Values that have to be known, or to follow from shapes.

  /// Integers of an input with a rank of 0 or 1.
  SizeList list(std::size_t i) const;
  /// The only one of them.
  Size size(std::size_t i) const;
  /// Whether an input follows from constants and from open sizes, but is not known.
  bool follows_from_sizes(std::size_t i) const;
  /// Integers, in row-major order.
  Ints ints(std::size_t i) const;
  std::int64_t integer(std::size_t i) const;
  std::vector<double> reals(std::size_t i) const;
  double real(std::size_t i) const;
  bool is_known(std::size_t i) const;
  /// Whether an input is known, or follows from inputs whose values are given.
  bool can_be_known(std::size_t i) const;
  bool can_be_known(const MLOperand& x) const;
  /// Raises when elements of input i, which are places in dimensions of these sizes, are known and
  /// lie outside: element k in that of sizes[k % sizes.size()]. WebNN would move them inside.
  void check_places(std::size_t i, const SizeList& sizes) const;
  /// The elements of an operand; `what` is its name in messages.
  Constant known(const MLOperand& x, std::string_view what) const;

  // Attributes. What no handler asks for is an error.

  bool has_attribute(std::string_view name) const { return attribute(name) != nullptr; }
  std::int64_t integer(std::string_view name, std::int64_t fallback) const;
  double real(std::string_view name, double fallback) const;
  std::string_view text(std::string_view name, std::string_view fallback) const;
  std::optional<Ints> ints(std::string_view name) const;
  std::optional<std::vector<float>> reals(std::string_view name) const;
  std::vector<std::string_view> texts(std::string_view name) const;
  std::optional<Tensor> tensor(std::string_view name) const;
  std::optional<GraphProto> graph(std::string_view name) const;
  /// All attributes, for a custom operator.
  CustomAttributes custom_attributes() const;
  ElementType element_type(std::string_view name, ElementType fallback) const;
  /// It has no effect on results.
  void ignore(std::string_view name) const { attribute(name); }
  void check_all_read() const;

  // Checks.

  /// From the end when it is negative.
  std::uint32_t axis(std::int64_t axis, std::size_t rank) const;
  /// The same, or the rank, the place behind the last axis.
  std::uint32_t axis_or_end(std::int64_t axis, std::size_t rank) const;
  Dims axes(const Ints&, std::size_t rank) const;
  std::uint32_t dimension(std::int64_t size, std::string_view what = "a dimension") const;
  Dims dims(const Ints&, std::string_view what = "a dimension") const;
  /// Raises when a size is known that WebNN does not have.
  void check_dimensions(const SizeList&, std::string_view what = "a dimension") const;
  /// Whether sizes are known and differ.
  static bool differ(const Size& a, const Size& b) {
    return a.is_known() && b.is_known() && a.number() != b.number();
  }
  /// The shape in a message: `[2, "height"]`.
  static std::string shape_text(const MLOperand& x);
  static std::string sizes_text(const SizeList&);
  /// Whether x can have the shape in a run.
  static bool may_have_shape(const MLOperand& x, const Shape& shape);
  void require_rank(const MLOperand& x, std::uint32_t min, std::uint32_t max) const;
  void require_floats(const MLOperand& x) const;
  /// Where ONNX broadcasts one way: `name` may have fewer dimensions, and ones, but no more of
  /// either than `shape`.
  void require_broadcast(const MLOperand& x, const Shape& shape, std::string_view name) const;
  void require_broadcast(const MLOperand& x, const MLOperand& to, std::string_view name) const {
    require_broadcast(x, formats::sizes_of(to), name);
  }
  void require_shape(const MLOperand& x, const Shape& shape, std::string_view name) const;
  void require_shape(const MLOperand& x, const MLOperand& as, std::string_view name) const {
    require_shape(x, formats::sizes_of(as), name);
  }
  MLOperandDataType data_type(ElementType) const;
  void no_output(std::size_t i, std::string_view name) const;

  // Operators and constants that several handlers compose.

  MLOperand scalar(MLOperandDataType type, MLNumber v) const { return b.constant(type, v); }
  MLOperand scalar_like(const MLOperand& x, MLNumber v) const { return scalar(x.dataType(), v); }
  MLOperand int64s(Dims shape, const Ints& values) const;
  /// A constant of float32 or float16.
  MLOperand floats(MLOperandDataType type, Dims shape, const std::vector<float>& values) const;
  MLOperand integers(MLOperandDataType type, Dims shape, const Ints& values) const;
  /// x, if it has the shape.
  MLOperand reshaped(const MLOperand& x, const Shape& shape) const;
  MLOperand reshape(const MLOperand& x, const Shape& shape, std::string label = {}) const;
  MLOperand expand(const MLOperand& x, const Shape& shape, std::string label = {}) const;
  /// The numbers from `first` on, one for each place of a dimension, in a shape of as many
  /// elements.
  MLOperand numbers(MLOperandDataType type, const Shape& shape, const Size& n,
                    const Size& first = 0) const;
  /// x with a dimension of 1 before the axis, or without that of the axis.
  MLOperand with_one(const MLOperand& x, std::uint32_t axis) const;
  MLOperand without_one(const MLOperand& x, std::uint32_t axis) const;
  MLOperand permuted(const MLOperand& x, Dims permutation) const;
  MLOperand cast(const MLOperand& x, MLOperandDataType type) const;
  /// x, which is float32, or int32 for integers, with the values of a narrower type.
  MLOperand narrowed(const MLOperand& x, ElementType type, bool saturates = true,
                     std::string_view mode = "up") const;
  /// The second operand of an operator with two. Before operator set 7 its dimensions begin at the
  /// attribute `axis` of the first.
  MLOperand second_operand(const MLOperand& first) const;
  MLOperand sliced(const MLOperand& x, std::uint32_t axis, const Size& start, const Size& size,
                   std::uint32_t stride = 1) const;

  /// A label for the operator of WebNN that does the work: the name of the node, or of its result.
  std::string label() const;

  /// Before memory for constants is allocated.
  void spend(std::uint64_t bytes) const;
  [[noreturn]] void refuse(const Failure&) const;       ///< the file is wrong
  [[noreturn]] void unsupported(const Failure&) const;  ///< WebNN has no counterpart
  [[noreturn]] void unsupported(std::string_view reason) const {
    unsupported(Failure{std::string(reason)});
  }

 private:
  const Attribute* attribute(std::string_view name) const;
  const Attribute* attribute(std::string_view name, AttributeType type) const;
  std::optional<MLOperand> known_operand(const MLOperand& x) const;
  void require_integers(std::size_t i) const;

  Scope& scope_;
  const Node& node_;
  std::int64_t version_;
  mutable std::vector<bool> read_;
};

/// The custom operator of the context for a node: that of the highest version which is not above
/// that of the operator set. Its name is that of the operator behind the domain and a point, where
/// ONNX itself is the domain "ai.onnx". Null if there is none.
std::shared_ptr<const CustomOperator> custom_operator_of(const Import&, const Node&,
                                                         std::int64_t version);
void import_custom(Call& call, std::shared_ptr<const CustomOperator> definition);
/// Imports a node of which an input has no elements, where its results then have none, or are
/// known; false for every other node.
bool import_without_elements(Call& call);

/// How an operator is imported.
struct Handler {
  std::string_view name;
  void (*import)(Call&);
  std::int64_t since;  ///< the first operator set that has it
  std::uint32_t min_inputs, max_inputs;
  std::uint32_t max_outputs = 1;
  std::string_view limits =
      "";  ///< for docs/formats/onnx.md: what is refused, or how it is composed
  std::string_view domain = "";
};
inline constexpr std::uint32_t many = 0xffffffff;

/// The table of a family of operators, at the end of its file in operators/.
std::span<const Handler> activation_handlers();
std::span<const Handler> attention_handlers();
std::span<const Handler> binary_handlers();
std::span<const Handler> bitwise_handlers();
std::span<const Handler> blockwise_handlers();
std::span<const Handler> col2im_handlers();
std::span<const Handler> concat_handlers();
std::span<const Handler> control_handlers();
std::span<const Handler> conv_handlers();
std::span<const Handler> cumulative_sum_handlers();
std::span<const Handler> deform_conv_handlers();
std::span<const Handler> determinant_handlers();
std::span<const Handler> einsum_handlers();
std::span<const Handler> fourier_handlers();
std::span<const Handler> gather_handlers();
std::span<const Handler> generator_handlers();
std::span<const Handler> grid_sample_handlers();
std::span<const Handler> integer_handlers();
std::span<const Handler> inverse_handlers();
std::span<const Handler> linear_attention_handlers();
std::span<const Handler> logical_handlers();
std::span<const Handler> loss_handlers();
std::span<const Handler> matmul_handlers();
std::span<const Handler> ml_handlers();
std::span<const Handler> normalization_handlers();
std::span<const Handler> pad_handlers();
std::span<const Handler> pool_handlers();
std::span<const Handler> quantization_handlers();
std::span<const Handler> random_handlers();
std::span<const Handler> recurrent_handlers();
std::span<const Handler> reduce_handlers();
std::span<const Handler> region_handlers();
std::span<const Handler> resize_handlers();
std::span<const Handler> reverse_sequence_handlers();
std::span<const Handler> scatter_handlers();
std::span<const Handler> selection_handlers();
std::span<const Handler> sequence_handlers();
std::span<const Handler> shape_handlers();
std::span<const Handler> slice_handlers();
std::span<const Handler> softmax_handlers();
std::span<const Handler> space_to_depth_handlers();
std::span<const Handler> top_k_handlers();
std::span<const Handler> triangular_handlers();
std::span<const Handler> unary_handlers();

/// All of them, in the order of their names.
std::span<const Handler> all_handlers();
/// Null for an operator that WebNN has no counterpart for.
const Handler* handler_of(std::string_view domain, std::string_view name);

}  // namespace webnn::inline v0_1::onnx
