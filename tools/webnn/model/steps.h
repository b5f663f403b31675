// The steps of a plan, as tables and pages show them.
#pragma once

#include "src/graph/cost.h"
#include "tools/webnn/common/output.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1::tool {

std::string operators_text(const StepReport& step);  ///< "conv2d+clamp"
std::string label_of(const StepReport& step);        ///< that of its first operator that has one
Json json_of(const StepReport& step, std::optional<double> microseconds);

}  // namespace webnn::inline v0_1::tool
