// The sizes of a model's open dimensions: those that are given, those that are guessed, and which a
// model accepts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/webnn/common/exit.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1::tool {

struct OpenDimension {
  std::string name{}, input{};  ///< the first input that has it ...
  std::uint32_t axis = 0;       ///< ... and where
  std::uint32_t min = 1, max = 0x7fffffff;
  bool leads = false;  ///< it is the first dimension of inputs of several, and no other
};
/// The open dimensions of the inputs, each name once.
std::vector<OpenDimension> open_dimensions(const Graph& graph);
/// Whether it is a batch by its name, in any case: batch and batch_size, or, as a first dimension,
/// b, n, and names that programs make for a dimension without one (x_axis0, unk__7).
bool is_batch(const OpenDimension& d);

using SizesByName = std::map<std::string, std::uint32_t>;
using ShapesByName = std::map<std::string, Dims>;

/// Dimensions have no size, and it cannot be guessed.
struct MissingSizes : Usage {
  using Usage::Usage;
};
struct ChosenSizes {
  SizesByName sizes{};
  std::vector<std::string> guessed{};  ///< names of batches, which are 1
};
/// The size of every open dimension: of `sizes` by its name, of `shapes` by that of an input, of
/// the data in `files` where that has the rank of the input, 1 for a batch. Throws Usage for names
/// that the graph does not have, for two sizes of one dimension, and for dimensions without a size,
/// all of which the message names.
ChosenSizes choose_sizes(const Graph& graph, const SizesByName& sizes, const ShapesByName& shapes,
                         const ShapesByName& files = {});

/// The shapes of the inputs at these sizes.
ShapesByName shapes_at(const Graph& graph, const SizesByName& sizes);
/// "height must be a multiple of 32", found by trying; empty when no size that was tried is
/// accepted.
std::string accepted_sizes(const MLGraph& graph, const SizesByName& refused);
/// Throws CommandError: why the sizes are refused, and those that the graph accepts.
[[noreturn]] void refuse_sizes(const MLGraph& graph, const SizesByName& refused,
                               const std::string& why);
/// Says on the standard error which dimensions are 1.
void say_guesses(const ChosenSizes& chosen);
/// The graph at these sizes. Throws CommandError with the sizes that it accepts.
MLGraph sized(const MLGraph& graph, const SizesByName& sizes);

}  // namespace webnn::inline v0_1::tool
