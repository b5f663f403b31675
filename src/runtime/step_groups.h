// Steps that follow one another and do not depend on each other: threads wait for all of them at
// once.
#pragma once

#include "src/runtime/plan.h"

namespace webnn::inline v0_1 {

/// The order of the choices, in which products that read the same operand follow one another, as
/// far as their results are small: those of queries, keys and values.
std::vector<Choice> with_products_together(const Graph& graph, std::vector<Choice> choices);

/// Sets Step::joins, Step::shared_at and Plan::shared of a plan whose steps are final.
void set_groups(Plan& plan);

}  // namespace webnn::inline v0_1
