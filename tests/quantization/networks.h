// Float networks to be quantized, and samples for them.
#pragma once

#include <cmath>
#include <map>

#include "tests/passes/small_graphs.h"
#include "webnn/passes.h"
#include "webnn/quantize.h"

namespace webnn::inline v0_1::test {

inline std::vector<float> wave(std::size_t count, float step = 0.7f, float shift = 0) {
  std::vector<float> v(count);
  for (std::size_t i = 0; i < count; ++i)
    v[i] = std::sin(step * static_cast<float>(i) + shift) * (1 + static_cast<float>(i % 5) / 4);
  return v;
}

struct FloatNet : Net {
  MLContext fast{{.threads = 1}};

  MLOperand wavy(Dims shape, float step = 0.7f) {
    return b.constant({float32, shape}, wave(element_count(shape), step));
  }
  MLOperand image() { return b.input("x", {float32, {1, 4, 8, 8}}); }
  MLOperand conv(const MLOperand& x, std::uint32_t in, std::uint32_t out, std::string label = {}) {
    return b.conv2d(
        x, wavy({out, in, 3, 3}),
        {.padding = {1, 1, 1, 1}, .bias = wavy({out}, 0.3f), .label = std::move(label)});
  }
  Graph graph(const NamedOperands& outputs) { return test::graph_of(outputs); }
};

/// Samples of one float input "x".
struct Samples {
  std::vector<std::vector<float>> values{};
  std::vector<CalibrationSample> all{};

  explicit Samples(std::size_t elements, std::size_t count = 3) {
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(wave(elements, 0.9f + 0.1f * static_cast<float>(i)));
    for (const auto& v : values) all.push_back({{"x", v}});
  }
};

inline float scale_in(const MLOperand& scale) { return first(scale); }
inline int zero_in(const MLOperand& zero) {
  const auto byte = static_cast<std::uint8_t>(zero.constant()->bytes()[0]);
  return zero.dataType() == int8 ? static_cast<std::int8_t>(byte) : byte;
}

inline const QuantizedOperator& row(const QuantizedGraph& q, const std::string& name) {
  for (const QuantizedOperator& r : q.operators)
    if (r.name == name) return r;
  throw std::runtime_error("there is no row " + name);
}

inline std::vector<float> output_of(const MLContext& context, const Graph& graph,
                                    const std::vector<float>& x) {
  const MLGraph g = build_graph(context, with_outputs(graph, graph.outputs()));
  std::vector<float> y(element_count(g.outputs()[0].descriptor.shape));
  MLContext c = context;
  c.compute(g, {{"x", x}}, {{g.outputs()[0].name, y}});
  return y;
}

}  // namespace webnn::inline v0_1::test
