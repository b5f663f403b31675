// What a build without open dimensions (WEBNN_OPEN_DIMENSIONS=OFF) has in place of the files that
// cmake/parts_left_out.cmake lists: open_dimensions_left_out() refuses the inputs, and no graph has
// come as far as the other functions. A file may hold an open graph.
#include "src/builder/open_dimensions.h"
#include "src/builder/trials.h"
#include "src/graph/failure.h"
#include "src/runtime/graph_state.h"
#include "src/runtime/growing_kernels.h"
#include "src/runtime/length_values.h"

namespace webnn::inline v0_1 {
namespace {

[[noreturn]] void refuse(std::string_view method = "build") {
  raise(*open_dimensions_left_out(), method);
}

}  // namespace

std::optional<Failure> open_dimensions_left_out() {
  return Failure{"open dimensions were left out of this build (WEBNN_OPEN_DIMENSIONS)",
                 ErrorName::NotSupportedError};
}

Trials::Trials(const GraphData& open, Evaluate evaluate) : open_(open), evaluate_(evaluate) {
  refuse("input");
}
void Trials::add_input(const MLOperand&) { refuse(); }
Result<std::vector<Trials::Shape>> Trials::add(const Op&) { refuse(); }
void Trials::set_results(const std::vector<MLOperand>&) { refuse(); }
DimensionSizes Trials::sizes() const { refuse(); }
void Trials::restart() { refuse(); }
void Trials::keep_within_bounds() { refuse(); }

std::optional<DimensionSizes> SizeSearch::find(const Op*, const std::vector<DimensionSizes>&,
                                               const std::vector<DimensionSizes>&, std::size_t) {
  refuse();
}
std::uint32_t bounded(std::uint64_t, const MLDynamicDimension&) { refuse(); }
std::optional<std::size_t> place_of(const GraphData&, const MLDimension&) { refuse(); }
shape::Check SizedGraph::add_all() { refuse(); }
MLOperand SizedGraph::at(const MLOperand&) { refuse(); }

DimensionSizes sizes_of(const Graph&, std::span<const GivenShape>, std::string_view method) {
  refuse(method);
}
void check_shape(const Graph&, const GivenShape&, std::string_view method) { refuse(method); }

std::shared_ptr<GraphState> Specializations::at(ContextState&, const DimensionSizes&,
                                                std::string_view method, const BuildOptions*) {
  refuse(method);
}
std::shared_ptr<GraphState> Specializations::growing(ContextState&, const DimensionSizes&,
                                                     std::uint32_t) {
  refuse();
}
Graph Specializations::graph_at(const DimensionSizes&, std::string_view method) const {
  refuse(method);
}
std::shared_ptr<GraphState> Specializations::last() const { return nullptr; }
std::vector<std::shared_ptr<GraphState>> Specializations::all() const { return {}; }
std::vector<DimensionSizes> Specializations::sizes() const { return {}; }
StoredWeights Specializations::weights() const { return {}; }
void Specializations::clear() {}

std::optional<std::size_t> growing_dimension(const Graph&, const std::vector<NamedUpdate>&) {
  refuse();
}
bool GrowingKernels::replace(std::vector<Choice>&) { refuse(); }
void GrowingKernels::finish(Plan&) const { refuse(); }
Graph Interpolation::source_at(std::int64_t) const { refuse(); }
std::optional<std::vector<Constant>> compute(const LengthValues&, const GraphData&,
                                             const DimensionSizes&, const StateLengths&,
                                             std::span<const Constant>,
                                             std::unique_ptr<SizedGraph>&) {
  refuse();
}

}  // namespace webnn::inline v0_1
