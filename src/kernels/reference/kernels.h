// The reference kernels: every operator, every data type it allows. One line for each section; the
// static_assert below finds a missing one. A kernel's file defines make(op, node) for the operators
// of its section, in families as a template, and its kernels().
#pragma once

#include "src/kernels/common/cut.h"
#include "src/kernels/common/dispatch_type.h"
#include "src/kernels/common/slot.h"
#include "webnn/backend.h"

namespace webnn::reference {

using Make = Kernel (*)(const void* op, const Node& node);
template <class Section> using Table = std::array<Make, Section::Operators::size>;

Table<ops::ArgMinMaxSection> kernels(ops::ArgMinMaxSection);
Table<ops::BatchNormalizationSection> kernels(ops::BatchNormalizationSection);
Table<ops::BinarySection> kernels(ops::BinarySection);
Table<ops::CastSection> kernels(ops::CastSection);
Table<ops::ClampSection> kernels(ops::ClampSection);
Table<ops::ConcatSection> kernels(ops::ConcatSection);
Table<ops::Conv2dSection> kernels(ops::Conv2dSection);
Table<ops::DequantizeLinearSection> kernels(ops::DequantizeLinearSection);
Table<ops::GatherSection> kernels(ops::GatherSection);
Table<ops::GemmSection> kernels(ops::GemmSection);
Table<ops::LstmSection> kernels(ops::LstmSection);
Table<ops::MatmulSection> kernels(ops::MatmulSection);
Table<ops::Pool2dSection> kernels(ops::Pool2dSection);
Table<ops::QuantizeLinearSection> kernels(ops::QuantizeLinearSection);
Table<ops::ReduceSection> kernels(ops::ReduceSection);
Table<ops::ReluSection> kernels(ops::ReluSection);
Table<ops::Resample2dSection> kernels(ops::Resample2dSection);
Table<ops::SliceSection> kernels(ops::SliceSection);
Table<ops::SoftmaxSection> kernels(ops::SoftmaxSection);
Table<ops::SplitSection> kernels(ops::SplitSection);
Table<ops::UnarySection> kernels(ops::UnarySection);
Table<ops::WhereSection> kernels(ops::WhereSection);

template <class Section>
concept HasKernels = requires {
  { kernels(Section{}) } -> std::same_as<Table<Section>>;
};
template <class... S> constexpr bool complete(std::type_identity<ops::SectionList<S...>>) {
  static_assert((HasKernels<S> && ...), "a section has no reference kernels");
  return true;
}
static_assert(complete(std::type_identity<ops::Sections>{}));

/// The table of a section, in its file: each operator must have a make().
template <class Section, class F> Table<Section> table(F) {
  return []<class... T>(ops::OpList<T...>) {
    return Table<Section>{[](const void* op, const Node& node) {
      return F{}(*static_cast<const T*>(op), node);
    }...};
  }(typename Section::Operators{});
}

/// The kernel of any node. The kernel refers to the node's operator.
Kernel make_kernel(const Node& node);

}  // namespace webnn::reference
