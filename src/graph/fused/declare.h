// Fused operators: internal ones, each of which stands for several operators of WebNN. A fused
// operator is a struct that is declared as those of webnn/ops are. Its compose() adds these
// operators, the composition, to a graph and returns their result; infer() follows from it. The
// composition has the bits of what was recognized: where an operator is written in several ways,
// its attributes say in which. It is what runs when no backend has a kernel for the fused operator,
// what programs see of a compiled graph, and what files have, except compiled ones.
#pragma once

#include "webnn/ops/sections.h"

namespace webnn::inline v0_1::fused {

class Composer;

}  // namespace webnn::inline v0_1::fused
