// A graph with custom operators, which the contexts of the fuzzers know.
#pragma once

#include "tests/support/custom_operators.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::fuzz {

inline std::vector<test::CustomPointer> custom_operators() {
  return {test::top_k(), test::scaled_sum(), test::counted()};
}

/// The outputs of a graph with attributes of every type, and one of the library's operators. An
/// .onnx file has one version for the operators of a domain.
inline NamedOperands custom_example(const MLGraphBuilder& builder, bool open,
                                    bool one_version = false) {
  MLGraphBuilder b = builder;
  const MLOperand x = b.input("x", {float32, {open ? MLDimension("rows") : MLDimension(2), 4}});
  const MLOperand z = b.custom(test::scaled_sum(), {x},
                               {.attributes = {{"scale", 2},
                                               {"offsets", {0.5, 1.25}},
                                               {"mode", "\xff \""},
                                               {"names", {"a", ""}},
                                               {"flag", true}},
                                .label = "sum"})[0];
  const auto least = b.custom("webnn.TopK", {x}, {.attributes = {{"k", 1}, {"largest", false}}});
  if (one_version) return {{"sum", z}, {"least", least[1]}};
  const auto best = b.custom(test::top_k(), {b.relu(z)}, {.attributes = {{"k", 2}}});
  const MLOperand numbers = b.custom(test::counted(), {b.constant(uint32, 3)})[0];
  return {{"values", best[0]}, {"places", best[1]}, {"least", least[1]}, {"numbers", numbers}};
}

}  // namespace webnn::inline v0_1::fuzz
