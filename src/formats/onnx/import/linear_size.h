// Sizes that are sums of open dimensions, so that two of them can be compared. Private.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::onnx {

/// A number plus dimensions, each so many times.
struct LinearSize {
  std::int64_t number = 0;
  std::map<std::string, std::int64_t> dimensions{};  // none of them 0 times

  LinearSize& add(const LinearSize& other, std::int64_t times = 1);
  bool operator==(const LinearSize&) const = default;
};

LinearSize linear_size(const MLDimension& d);
/// Element i, in row-major order, of an operand of integers; nothing where it is not known to be
/// one.
std::optional<LinearSize> linear_size(const MLOperand& x, std::uint64_t i = 0);

}  // namespace webnn::inline v0_1::onnx
