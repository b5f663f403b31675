// Networks with open dimensions, and sizes for them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::bench {

/// What dimensions are called, and their sizes.
using Sizes = std::map<std::string, std::uint32_t, std::less<>>;

struct OpenNetwork {
  std::string_view name;
  NamedOperands (*build)(MLGraphBuilder&);
  Sizes (*sizes)(std::uint32_t i);  ///< those of the i-th combination
};

/// Pictures of any size through MobileNetV2, ResNet-50 and a U-Net; sentences of any length through
/// an encoder of the size of MiniLM (https://arxiv.org/abs/2002.10957); a prompt of any length, and
/// a step behind a cache of any length, through a decoder of 135 million parameters.
std::span<const OpenNetwork> open_networks();

}  // namespace webnn::inline v0_1::bench
