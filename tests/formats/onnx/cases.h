// Small models with the outputs that they have: for the tests, and as seeds of the fuzzer.
#pragma once

#include "tests/formats/onnx/run.h"

namespace webnn::inline v0_1::onnx::test {

struct Case {
  std::string name{};
  Writer writer{};
  std::map<std::string, Tensor> inputs{};
  std::vector<Tensor> outputs{};  // computed by hand
};

std::vector<Case> all_cases();
/// Those whose inputs have names in place of sizes, which are among them.
void add_open(std::vector<Case>&);

}  // namespace webnn::inline v0_1::onnx::test
