// The reference kernels: every operator, every data type it allows. One line for each section; the
// static_assert below finds a missing one.
#pragma once

#include "src/kernels/common/dispatch_type.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/common/slot.h"
#include "webnn/backend.h"

namespace webnn::inline v0_1::reference {

using Run = decltype(Candidate::run);
using Make = Candidate (*)(const void* op, const Node& node);
template <class Section> using Table = std::array<Make, Section::Operators::size>;

Candidate make(const ops::batchNormalization&, const Node&);
Candidate make(const ops::cast&, const Node&);
Candidate make(const ops::clamp&, const Node&);
Candidate make(const ops::concat&, const Node&);
Candidate make(const ops::conv2d&, const Node&);
Candidate make(const ops::convTranspose2d&, const Node&);
Candidate make(const ops::cumulativeSum&, const Node&);
Candidate make(const ops::dequantizeLinear&, const Node&);
Candidate make(const ops::elu&, const Node&);
Candidate make(const ops::expand&, const Node&);
Candidate make(const ops::gather&, const Node&);
Candidate make(const ops::gatherElements&, const Node&);
Candidate make(const ops::gatherND&, const Node&);
Candidate make(const ops::gelu&, const Node&);
Candidate make(const ops::gemm&, const Node&);
Candidate make(const ops::gru&, const Node&);
Candidate make(const ops::gruCell&, const Node&);
Candidate make(const ops::hardSigmoid&, const Node&);
Candidate make(const ops::hardSwish&, const Node&);
Candidate make(const ops::instanceNormalization&, const Node&);
Candidate make(const ops::layerNormalization&, const Node&);
Candidate make(const ops::leakyRelu&, const Node&);
Candidate make(const ops::linear&, const Node&);
Candidate make(const ops::lstm&, const Node&);
Candidate make(const ops::lstmCell&, const Node&);
Candidate make(const ops::matmul&, const Node&);
Candidate make(const ops::pad&, const Node&);
Candidate make(const ops::prelu&, const Node&);
Candidate make(const ops::quantizeLinear&, const Node&);
Candidate make(const ops::relu&, const Node&);
Candidate make(const ops::resample2d&, const Node&);
Candidate make(const ops::reshape&, const Node&);
Candidate make(const ops::reverse&, const Node&);
Candidate make(const ops::scatterElements&, const Node&);
Candidate make(const ops::scatterND&, const Node&);
Candidate make(const ops::sigmoid&, const Node&);
Candidate make(const ops::slice&, const Node&);
Candidate make(const ops::softmax&, const Node&);
Candidate make(const ops::softplus&, const Node&);
Candidate make(const ops::softsign&, const Node&);
Candidate make(const ops::split&, const Node&);
Candidate make(const ops::tanh&, const Node&);
Candidate make(const ops::tile&, const Node&);
Candidate make(const ops::transpose&, const Node&);
Candidate make(const ops::triangular&, const Node&);
Candidate make(const ops::where&, const Node&);

// Families: the file has a template make(), and makes its table() here.
Table<ops::ArgMinMaxSection> kernels(ops::ArgMinMaxSection);
Table<ops::BinarySection> kernels(ops::BinarySection);
Table<ops::LogicalSection> kernels(ops::LogicalSection);
Table<ops::ModulusSection> kernels(ops::ModulusSection);
Table<ops::Pool2dSection> kernels(ops::Pool2dSection);
Table<ops::ReduceSection> kernels(ops::ReduceSection);
Table<ops::UnarySection> kernels(ops::UnarySection);

/// The table of a section, given a function for each of its operators.
template <class Section, class F> Table<Section> table(Section, F) {
  return []<class... T>(ops::OpList<T...>) {
    return Table<Section>{
        [](const void* op, const Node& node) { return F{}(*static_cast<const T*>(op), node); }...};
  }(typename Section::Operators{});
}

template <class Op>
concept HasMake = requires(const Op& op, const Node& node) {
  { make(op, node) } -> std::same_as<Candidate>;
};
template <class... Op> struct AllHaveMake : std::bool_constant<(HasMake<Op> && ...)> {};
template <class Section>
requires(Section::Operators::template apply<AllHaveMake>::value) Table<Section> kernels(Section s) {
  return table(s, [](const auto& op, const Node& node) { return make(op, node); });
}

template <class... S> constexpr bool complete(std::type_identity<ops::SectionList<S...>>) {
  static_assert((requires { kernels(S{}); } && ...), "a section has no reference kernels");
  return true;
}
static_assert(complete(std::type_identity<ops::Sections>{}));

/// Whether this build has a kernel for the node: WEBNN_OPERATORS, WEBNN_DATA_TYPES.
bool has_kernel(const Node& node);
/// The kernel of any node. The kernel refers to the node's operator. Throws NotSupportedError when
/// there is none in this build.
Candidate make_kernel(const Node& node);

}  // namespace webnn::inline v0_1::reference
