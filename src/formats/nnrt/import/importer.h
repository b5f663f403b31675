// The import of one model: its values, and the memory that it may use. Private.
#pragma once

#include "src/formats/common/budget.h"
#include "src/formats/nnrt/json.h"
#include "src/formats/nnrt/names.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::nnrt {

struct Import {
  MLGraphBuilder builder;
  const Model& model;
  const Offsets& offsets;
  const ImportOptions& options;
  std::string label{};
  formats::Budget budget;
  std::vector<MLOperand> values{};  // by tensor, as stored

  [[noreturn]] void refuse(const Failure&) const;       ///< the model is wrong
  [[noreturn]] void unsupported(const Failure&) const;  ///< WebNN has no counterpart
  /// Before memory is allocated. `what` ends the sentence "memory for ...".
  void spend(std::uint64_t bytes, std::string_view what);
  const Tensor& tensor(std::uint32_t index) const;
  /// `tensor 7 ("conv1/w", byte 1234)`.
  std::string text(std::uint32_t index) const;
  /// The elements as stored; constants enter the builder when they are first asked for.
  MLOperand value(std::uint32_t index);
};

/// The data type of WebNN that holds the elements: booleans as uint8.
std::optional<MLOperandDataType> held_as(DataType type);

/// One node being imported.
class Call {
 public:
  Call(Import& import, const Node& node) : b(import.builder), import_(import), node_(node) {}

  MLGraphBuilder& b;

  std::size_t inputs() const { return node_.inputIndex.size(); }
  std::size_t outputs() const { return node_.outputIndex.size(); }
  bool has(std::size_t i) const { return i < inputs(); }
  const Tensor& in(std::size_t i) const { return import_.tensor(node_.inputIndex[i]); }
  const Tensor& out(std::size_t i = 0) const { return import_.tensor(node_.outputIndex[i]); }

  /// An input with its elements as stored, and as numbers: dequantized, if it is quantized.
  MLOperand stored(std::size_t i) const;
  MLOperand value(std::size_t i) const;
  /// A result from elements as stored, and from numbers: quantized, if its tensor is.
  void put_stored(MLOperand y, std::size_t i = 0) const;
  void put(MLOperand y, std::size_t i = 0) const;
  /// f on the elements where input 0 and result 0 have one quantization, else on numbers.
  template <class F> void move(F&& f) const {
    if (in(0).quantParams == out(0).quantParams && in(0).dataType == out(0).dataType)
      put_stored(f(stored(0)));
    else put(f(value(0)));
  }
  /// The bias of a convolution or product: of int32 in units of the product of both scales.
  std::optional<MLOperand> bias(std::size_t i, std::size_t x, std::size_t filter,
                                std::uint32_t channels) const;

  /// The value of an input that has to be constant: integers.
  std::vector<std::int64_t> ints(std::size_t i) const;
  std::uint32_t axis(std::int64_t axis, std::size_t rank) const;
  std::uint32_t dimension(std::int64_t size, std::string_view what) const;
  Dims dimensions(const List& list, std::size_t count, std::string_view what) const;
  void require_rank(const MLOperand& x, std::uint32_t rank) const;

  MLOperand activated(MLOperand y, ActivationType type, const Activation& a = {}) const;
  MLOperand reshaped(const MLOperand& x, Dims shape) const {
    return x.shape() == shape ? x : b.reshape(x, std::move(shape));
  }
  /// The name of the node, or of its result.
  std::string label() const;
  void spend(std::uint64_t bytes, std::string_view what) const { import_.spend(bytes, what); }
  [[noreturn]] void refuse(const Failure& f) const { import_.refuse(f); }
  [[noreturn]] void unsupported(const Failure& f) const { import_.unsupported(f); }

 private:
  std::pair<MLOperand, MLOperand> scale_and_zero(const Tensor& t, const MLOperand& like,
                                                 MLOperandDataType type) const;

  Import& import_;
  const Node& node_;
};

using Handler = void (*)(Call&, const Attributes&);
struct Rule {
  NodeType type;
  Handler import;
  std::size_t min_inputs, max_inputs;
  bool one_output = true;
};
inline constexpr std::size_t many = 0xffffffff;

/// A handler of attributes A.
template <class A, void (*F)(Call&, const A&)> void handle(Call& c, const Attributes& attributes) {
  F(c, std::get<A>(attributes));
}

// The table of a family of operators, at the end of its file in operators/.
std::span<const Rule> elementwise_rules();
std::span<const Rule> layer_rules();
std::span<const Rule> resize_rules();
std::span<const Rule> recurrent_rules();
std::span<const Rule> movement_rules();
std::span<const Rule> block_rules();
std::span<const Rule> generator_rules();
std::span<const Rule> reduction_rules();
/// Null for a node that WebNN has no counterpart for.
const Rule* rule_of(NodeType type);

}  // namespace webnn::inline v0_1::nnrt
