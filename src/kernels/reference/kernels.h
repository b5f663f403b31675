// The reference kernels: every operator, every data type it allows. One line for each section; the
// static_assert below finds a missing one.
#pragma once

#include "src/kernels/common/dispatch_type.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/common/slot.h"
#include "webnn/backend.h"

namespace webnn::inline v0_1::reference {

using Run = decltype(Kernel::run);
using Make = Kernel (*)(const void* op, const Node& node);
template <class Section> using Table = std::array<Make, Section::Operators::size>;

Kernel make(const ops::batchNormalization&, const Node&);
Kernel make(const ops::cast&, const Node&);
Kernel make(const ops::clamp&, const Node&);
Kernel make(const ops::concat&, const Node&);
Kernel make(const ops::conv2d&, const Node&);
Kernel make(const ops::convTranspose2d&, const Node&);
Kernel make(const ops::cumulativeSum&, const Node&);
Kernel make(const ops::dequantizeLinear&, const Node&);
Kernel make(const ops::elu&, const Node&);
Kernel make(const ops::expand&, const Node&);
Kernel make(const ops::gather&, const Node&);
Kernel make(const ops::gatherElements&, const Node&);
Kernel make(const ops::gatherND&, const Node&);
Kernel make(const ops::gelu&, const Node&);
Kernel make(const ops::gemm&, const Node&);
Kernel make(const ops::gru&, const Node&);
Kernel make(const ops::gruCell&, const Node&);
Kernel make(const ops::hardSigmoid&, const Node&);
Kernel make(const ops::hardSwish&, const Node&);
Kernel make(const ops::instanceNormalization&, const Node&);
Kernel make(const ops::layerNormalization&, const Node&);
Kernel make(const ops::leakyRelu&, const Node&);
Kernel make(const ops::linear&, const Node&);
Kernel make(const ops::lstm&, const Node&);
Kernel make(const ops::lstmCell&, const Node&);
Kernel make(const ops::matmul&, const Node&);
Kernel make(const ops::pad&, const Node&);
Kernel make(const ops::prelu&, const Node&);
Kernel make(const ops::quantizeLinear&, const Node&);
Kernel make(const ops::relu&, const Node&);
Kernel make(const ops::resample2d&, const Node&);
Kernel make(const ops::reshape&, const Node&);
Kernel make(const ops::reverse&, const Node&);
Kernel make(const ops::scatterElements&, const Node&);
Kernel make(const ops::scatterND&, const Node&);
Kernel make(const ops::sigmoid&, const Node&);
Kernel make(const ops::slice&, const Node&);
Kernel make(const ops::softmax&, const Node&);
Kernel make(const ops::softplus&, const Node&);
Kernel make(const ops::softsign&, const Node&);
Kernel make(const ops::split&, const Node&);
Kernel make(const ops::tanh&, const Node&);
Kernel make(const ops::tile&, const Node&);
Kernel make(const ops::transpose&, const Node&);
Kernel make(const ops::triangular&, const Node&);
Kernel make(const ops::where&, const Node&);

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
  { make(op, node) } -> std::same_as<Kernel>;
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

/// Whether this build has a kernel for the node: WEBNN_OPERATORS.
bool has_kernel(const Node& node);
/// The kernel of any node. The kernel refers to the node's operator. Throws NotSupportedError when
/// there is none in this build.
Kernel make_kernel(const Node& node);

}  // namespace webnn::inline v0_1::reference
