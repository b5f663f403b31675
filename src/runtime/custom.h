// The custom operators of a context. Private.
#pragma once

#include <memory>
#include <vector>

namespace webnn::inline v0_1 {

struct CustomOperator;

/// Throws TypeError when one is null or none, or there twice.
void check_operators(const std::vector<std::shared_ptr<const CustomOperator>>& operators);

}  // namespace webnn::inline v0_1
