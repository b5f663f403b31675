// The 2023 draft's way to say something, beside the same thing said with the current operators.
#pragma once

#include "tests/support/builder.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/draft2023.h"

namespace webnn::inline v0_1::test {

using Operands = std::vector<MLOperand>;
using Values = std::vector<std::vector<float>>;

/// Values between -2 and 2, the same in every run.
inline std::vector<float> values(std::size_t count, std::uint32_t seed) {
  std::vector<float> all(count);
  for (float& v : all) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<float>(seed >> 8) / static_cast<float>(1 << 22) - 2;
  }
  return all;
}

/// All outputs of a graph on float32 inputs that are named "0", "1" and so on.
inline Values run(const MLGraph& graph, const Values& in) {
  std::vector<NamedInput> inputs;
  for (const auto& [name, d] : graph.inputs())
    inputs.push_back({name, in[static_cast<std::size_t>(std::stoi(name))]});
  Values out;
  for (const auto& [name, d] : graph.outputs()) out.emplace_back(element_count(d.shape));
  std::vector<NamedOutput> outputs;
  for (std::size_t i = 0; i < out.size(); ++i) outputs.push_back({graph.outputs()[i].name, out[i]});
  plain_context().compute(graph, inputs, outputs);
  return out;
}

inline NamedOperands named(const Operands& all) {
  NamedOperands outputs;
  for (const MLOperand& x : all) outputs.push_back({"y" + std::to_string(outputs.size()), x});
  return outputs;
}

/// Both functions get float32 inputs of those shapes and return their results, which are alike.
template <class Draft, class Current>
void check_same(const std::vector<Dims>& shapes, Draft&& draft, Current&& current,
                double tolerance = 0) {
  draft2023::MLGraphBuilder d(plain_context());
  MLGraphBuilder c(plain_context());
  Operands of_d, of_c;
  Values in;
  for (const Dims& shape : shapes) {
    const std::string name = std::to_string(in.size());
    of_d.push_back(shape.empty() ? d.input(name, {.type = float32})
                                 : d.input(name, {.type = float32, .dimensions = shape}));
    of_c.push_back(c.input(name, {float32, shape}));
    in.push_back(values(element_count(shape), static_cast<std::uint32_t>(in.size())));
  }
  const Operands y = draft(d, of_d), z = current(c, of_c);
  REQUIRE(text(y) == text(z));
  const Values a = run(d.build(named(y)), in), b = run(c.build(named(z)), in);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < a[i].size(); ++k) {
      INFO("result " << i << " element " << k);
      const double distance = std::abs(double{a[i][k]} - double{b[i][k]});
      const bool alike = distance <= tolerance * std::max(1.0, std::abs(double{b[i][k]}));
      if (!alike) FAIL_CHECK(a[i][k] << " is not " << b[i][k]);
    }
  CHECK(a.size() == b.size());
}

}  // namespace webnn::inline v0_1::test
