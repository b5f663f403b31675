// Quantizations of inputs and outputs, as the formats have them.
#pragma once

#include "tools/webnn/formats/format.h"

namespace webnn::inline v0_1::tool {

template <class Q>
std::vector<std::optional<Quantization>> converted(const std::vector<std::optional<Q>>& from) {
  std::vector<std::optional<Quantization>> all;
  for (const auto& q : from)
    all.push_back(q ? std::optional(Quantization{q->scale, q->zero_point}) : std::nullopt);
  return all;
}

}  // namespace webnn::inline v0_1::tool
