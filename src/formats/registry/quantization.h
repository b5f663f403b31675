// Quantizations of inputs and outputs, as the formats have them. Private.
#pragma once

#include "src/formats/registry/format.h"

namespace webnn::inline v0_1::registry {

template <class Q> Quantizations converted(const std::vector<std::optional<Q>>& from) {
  Quantizations all;
  for (const auto& q : from)
    all.push_back(q ? std::optional(ImportedModel::Quantization{q->scale, q->zero_point})
                    : std::nullopt);
  return all;
}

/// What a format without quantizations of inputs and outputs has imported.
template <class Model> ImportedModel plain(Model&& m, std::string description) {
  return {.inputs = std::move(m.inputs),
          .outputs = std::move(m.outputs),
          .description = std::move(description)};
}

}  // namespace webnn::inline v0_1::registry
