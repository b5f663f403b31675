// The reference kernels: every operator, every data type it allows. One line for each section; the
// static_assert below finds a missing one. A kernel's file defines make(op, node) for the operators
// of its section, in families as a template, and its kernels().
#pragma once

#include "src/kernels/common/dispatch_type.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/common/slot.h"
#include "webnn/backend.h"

namespace webnn::reference {

using Run = decltype(Kernel::run);
using Make = Kernel (*)(const void* op, const Node& node);
template <class Section> using Table = std::array<Make, Section::Operators::size>;

Table<ops::ArgMinMaxSection> kernels(ops::ArgMinMaxSection);
Table<ops::BatchNormalizationSection> kernels(ops::BatchNormalizationSection);
Table<ops::CastSection> kernels(ops::CastSection);
Table<ops::ClampSection> kernels(ops::ClampSection);
Table<ops::ConcatSection> kernels(ops::ConcatSection);
Table<ops::Conv2dSection> kernels(ops::Conv2dSection);
Table<ops::ConvTranspose2dSection> kernels(ops::ConvTranspose2dSection);
Table<ops::CumulativeSumSection> kernels(ops::CumulativeSumSection);
Table<ops::BinarySection> kernels(ops::BinarySection);
Table<ops::LogicalSection> kernels(ops::LogicalSection);
Table<ops::UnarySection> kernels(ops::UnarySection);
Table<ops::DequantizeLinearSection> kernels(ops::DequantizeLinearSection);
Table<ops::QuantizeLinearSection> kernels(ops::QuantizeLinearSection);
Table<ops::EluSection> kernels(ops::EluSection);
Table<ops::ExpandSection> kernels(ops::ExpandSection);
Table<ops::GatherSection> kernels(ops::GatherSection);
Table<ops::GatherElementsSection> kernels(ops::GatherElementsSection);
Table<ops::GatherNdSection> kernels(ops::GatherNdSection);
Table<ops::GeluSection> kernels(ops::GeluSection);
Table<ops::GemmSection> kernels(ops::GemmSection);
Table<ops::GruSection> kernels(ops::GruSection);
Table<ops::GruCellSection> kernels(ops::GruCellSection);
Table<ops::HardSigmoidSection> kernels(ops::HardSigmoidSection);
Table<ops::HardSwishSection> kernels(ops::HardSwishSection);
Table<ops::InstanceNormalizationSection> kernels(ops::InstanceNormalizationSection);
Table<ops::LayerNormalizationSection> kernels(ops::LayerNormalizationSection);
Table<ops::LeakyReluSection> kernels(ops::LeakyReluSection);
Table<ops::LinearSection> kernels(ops::LinearSection);
Table<ops::LstmSection> kernels(ops::LstmSection);
Table<ops::LstmCellSection> kernels(ops::LstmCellSection);
Table<ops::MatmulSection> kernels(ops::MatmulSection);
Table<ops::PadSection> kernels(ops::PadSection);
Table<ops::Pool2dSection> kernels(ops::Pool2dSection);
Table<ops::PreluSection> kernels(ops::PreluSection);
Table<ops::ReduceSection> kernels(ops::ReduceSection);
Table<ops::ReluSection> kernels(ops::ReluSection);
Table<ops::Resample2dSection> kernels(ops::Resample2dSection);
Table<ops::ReshapeSection> kernels(ops::ReshapeSection);
Table<ops::ReverseSection> kernels(ops::ReverseSection);
Table<ops::ScatterElementsSection> kernels(ops::ScatterElementsSection);
Table<ops::ScatterNdSection> kernels(ops::ScatterNdSection);
Table<ops::SigmoidSection> kernels(ops::SigmoidSection);
Table<ops::SliceSection> kernels(ops::SliceSection);
Table<ops::SoftmaxSection> kernels(ops::SoftmaxSection);
Table<ops::SoftplusSection> kernels(ops::SoftplusSection);
Table<ops::SoftsignSection> kernels(ops::SoftsignSection);
Table<ops::SplitSection> kernels(ops::SplitSection);
Table<ops::TanhSection> kernels(ops::TanhSection);
Table<ops::TileSection> kernels(ops::TileSection);
Table<ops::TransposeSection> kernels(ops::TransposeSection);
Table<ops::TriangularSection> kernels(ops::TriangularSection);
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
template <class Section, class F> Table<Section> table(Section, F) {
  return []<class... T>(ops::OpList<T...>) {
    return Table<Section>{
        [](const void* op, const Node& node) { return F{}(*static_cast<const T*>(op), node); }...};
  }(typename Section::Operators{});
}

/// Whether this build has a kernel for the node: WEBNN_OPERATORS.
bool has_kernel(const Node& node);
/// The kernel of any node. The kernel refers to the node's operator. Throws NotSupportedError when
/// there is none in this build.
Kernel make_kernel(const Node& node);

}  // namespace webnn::reference
