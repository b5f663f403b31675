// What the tensors of a model hold in one run, for a page.
#pragma once

#include <map>

#include "tools/webnn/data/inputs.h"

namespace webnn::inline v0_1::tool {

/// The most elements that a page has in full, the most bytes of pixels that it has of one tensor,
/// and of all of them together.
inline constexpr std::size_t max_elements = 64, max_image_bytes = 32768, max_images_bytes = 1 << 20;

struct Tensors {
  Json list = Json::array();  ///< statistics of each, and elements or an image
  /// Places in the list: of inputs and outputs by name, of results by operand.
  std::map<std::string, std::size_t> inputs{}, outputs{};
  std::map<std::uint32_t, std::size_t> built{}, optimized{};
};

/// Runs the model. Results that kernels never have, within a step on integers, are left out, and
/// of a compiled graph all but its outputs.
Tensors record_tensors(const Model& model, const InputOptions& options);

}  // namespace webnn::inline v0_1::tool
