// Runs an operator of the library, as a kernel of tiles, by compute() and folded.
#pragma once

#include "src/operators/operators.h"
#include "tests/support/catch.h"
#include "tests/support/tensor.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {

/// The results for these operands, which are the same in each way it runs.
std::vector<Tensor> run_operator(const operators::Definition& definition,
                                 const std::vector<Tensor>& operands,
                                 const CustomAttributes& attributes);

}  // namespace webnn::inline v0_1::test
