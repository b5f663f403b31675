// What a page says of operators, operands and steps.
#pragma once

#include "tools/webnn/page/view.h"

namespace webnn::inline v0_1::tool {

Json operator_json(const Node& node);
/// `weights` is the constant that it is, or is computed from; or is empty.
Json operand_json(const std::string& name, const MLOperand& x, const MLOperand& weights,
                  Constants& constants);
Json result_json(const MLOperand& y, const Sources& from);
/// The shape of the first result, and how many more there are.
std::string shape_text(std::span<const MLOperand> results);

/// The number of the step and its kernel; its time if there is one for it, with its share of all.
void add_step(Json& box, const GraphReport& report, std::size_t step,
              std::span<const double> microseconds);

}  // namespace webnn::inline v0_1::tool
