// Small graphs, and what is left of them after passes.
#pragma once

#include <cstring>

#include "src/builder/builder_state.h"
#include "src/builder/validate.h"
#include "src/graph/fused/expand.h"
#include "src/passes/passes.h"
#include "tests/support/catch.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {

using Names = std::vector<std::string>;

struct Net {
  MLContext context{{.threads = 1, .backends = {"reference"}}};
  MLGraphBuilder b{context};

  MLOperand weights(Dims shape, float value = 0.5f) {
    const std::vector<float> v(element_count(shape), value);
    return b.constant({float32, std::move(shape)}, v);
  }
  MLOperand conv(const MLOperand& x, std::uint32_t out, std::uint32_t kernel = 1,
                 std::uint32_t groups = 1, std::uint32_t stride = 1) {
    const std::uint32_t p = kernel / 2;
    return b.conv2d(x, weights({out, x.shape()[1] / groups, kernel, kernel}),
                    {.padding = {p, p, p, p}, .strides = {stride, stride}, .groups = groups});
  }
  MLOperand relu6(const MLOperand& x) { return b.clamp(x, {.minValue = 0, .maxValue = 6}); }
};

inline Graph graph_of(const NamedOperands& outputs) {
  return graph_of(copy(*owner_of(outputs.front().operand), outputs));
}
inline Names names(const Graph& g) {
  Names all;
  for (std::size_t i = 0; i < g.size(); ++i) all.emplace_back(g.node(i).name());
  return all;
}
inline std::size_t count(const Graph& g, std::string_view name) {
  const Names all = names(g);
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), name));
}
/// Behind all passes, with fused operators.
inline Graph behind_passes(const NamedOperands& outputs) {
  std::vector<PassReport> report;
  return optimize(graph_of(outputs), chosen_passes(), report);
}
/// As MLGraph::optimized() shows it.
inline Graph optimized(const NamedOperands& outputs) {
  return expand(behind_passes(outputs)).graph;
}
inline float first(const MLOperand& constant) {
  float v = 0;
  std::memcpy(&v, constant.constant()->bytes().data(), 4);
  return v;
}

/// Integers and their scale.
struct Quantized : Net {
  MLOperand scale(std::size_t rank, float s = 0.5f) {
    return b.constant({float32, Dims(rank, 1)}, std::vector<float>{s});
  }
  MLOperand zero(std::size_t rank, std::int8_t z = 3) {
    return b.constant({int8, Dims(rank, 1)}, std::vector<std::int8_t>{z});
  }
  MLOperand input(Dims shape) {
    return b.input("x" + std::to_string(inputs++), {int8, std::move(shape)});
  }
  int inputs = 0;
  MLOperand real(const MLOperand& x) {
    return b.dequantizeLinear(x, scale(x.rank()), zero(x.rank()));
  }
  MLOperand integers(const MLOperand& x, float s = 0.5f) {
    return b.quantizeLinear(x, scale(x.rank(), s), zero(x.rank()));
  }
};

}  // namespace webnn::inline v0_1::test
