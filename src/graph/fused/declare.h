// Fused operators: internal ones, each of which stands for several operators of WebNN. A fused
// operator is a struct that is declared as those of webnn/ops are, and that names the operators
// of its composition:
//   using Composition      the operators, for builds that leave some of them out;
//   compose(op, composer)  adds them to a graph and returns their result.
// What no backend runs, what programs see of a graph, and files are the composition.
#pragma once

#include "webnn/ops/sections.h"

namespace webnn::inline v0_1::fused {

class Composer;

}  // namespace webnn::inline v0_1::fused
