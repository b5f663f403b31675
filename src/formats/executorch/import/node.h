// One node being imported: what its handler reads and writes. Private.
#pragma once

#include "src/formats/executorch/import/delegate.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::executorch {

class NodeCall {
 public:
  NodeCall(Delegate& delegate, const xnn::Node& node)
      : b(delegate.import().builder), delegate_(delegate), node_(node) {}

  MLGraphBuilder& b;

  /// The node's table, whose type follows from its kind.
  template <class Table> const Table& table() const {
    return *static_cast<const Table*>(node_.node());
  }
  xnn::NodeUnion kind() const { return node_.node_type(); }
  const ValueInfo& info(std::uint32_t id) const { return delegate_.info(id); }
  bool has(std::uint32_t id) const { return id != no_value; }

  /// The elements as stored, and as numbers: dequantized, if the value is quantized.
  MLOperand stored(std::uint32_t id) const { return delegate_.value(id).elements; }
  MLOperand numbers(std::uint32_t id) const;
  /// The scale of each row of a value that was quantized in this run; nothing for another one.
  std::optional<MLOperand> row_scale(std::uint32_t id) const {
    return delegate_.value(id).row_scale;
  }
  /// Sets a value from its elements, and from numbers: quantized or converted to its type.
  void put_stored(std::uint32_t id, MLOperand y) const;
  void put(std::uint32_t id, MLOperand y) const;

  /// Whether both have one quantization, so that elements can be moved as they are.
  bool same_scales(std::uint32_t from, std::uint32_t to) const;
  /// f(elements) on the elements where they can be moved as they are, else on numbers.
  template <class F> void move(std::uint32_t from, std::uint32_t to, F&& f) const {
    if (same_scales(from, to)) put_stored(to, f(stored(from)));
    else put(to, f(numbers(from)));
  }

  /// With the node's output_min_max.
  MLOperand clamped(MLOperand y) const;
  bool has_limits() const;

  /// Raises for flags beyond these.
  void check_flags(std::uint32_t flags, std::uint32_t allowed = 0) const;
  void require_rank(const MLOperand& x, std::uint32_t rank) const;
  /// In the float type of `like`.
  MLOperand converted(const MLOperand& x, const MLOperand& like) const {
    return x.dataType() == like.dataType() ? x : b.cast(x, like.dataType());
  }
  MLOperand reshaped(const MLOperand& x, Dims shape) const {
    return x.shape() == shape ? x : b.reshape(x, std::move(shape));
  }
  /// A label for the operator of WebNN that does the work: the name of its result.
  std::string label(std::uint32_t output) const;

  /// Before memory for constants is allocated.
  void spend(std::uint64_t bytes) const;
  Import& import() const { return delegate_.import(); }
  [[noreturn]] void refuse(const Failure&) const;       ///< the file is wrong
  [[noreturn]] void unsupported(const Failure&) const;  ///< WebNN has no counterpart

 private:
  std::pair<MLOperand, MLOperand> scale_and_zero(const ValueInfo& v, const MLOperand& like,
                                                 MLOperandDataType type) const;

  Delegate& delegate_;
  const xnn::Node& node_;
};

using Handler = void (*)(NodeCall&);
/// Null for a kind that WebNN has no counterpart for.
Handler handler_of(xnn::NodeUnion kind);

// By family, in nodes/; null for a kind of another one.
Handler elementwise_handler(xnn::NodeUnion kind);
Handler convolution_handler(xnn::NodeUnion kind);
Handler pooling_handler(xnn::NodeUnion kind);
Handler product_handler(xnn::NodeUnion kind);
Handler movement_handler(xnn::NodeUnion kind);

}  // namespace webnn::inline v0_1::executorch
