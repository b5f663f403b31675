// Models of one node, and what they compute.
#pragma once

#include <cmath>

#include "tests/support/builder.h"
#include "webnn/nnrt.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::nnrt::test {

using Floats = std::vector<float>;

/// A model of one node; inputs first, then constants, then the result.
struct Maker {
  Model m{.name = "test"};
  nnrt::Node node{.name = "the node"};

  std::uint32_t tensor(std::vector<std::int32_t> dims, nnrt::DataType type) {
    m.allTensors.push_back({.name = "t" + std::to_string(m.allTensors.size()),
                            .dataType = type,
                            .dims = std::move(dims)});
    return static_cast<std::uint32_t>(m.allTensors.size() - 1);
  }
  Maker& input(std::vector<std::int32_t> dims,
               nnrt::DataType type = nnrt::DataType::DATA_TYPE_FLOAT32) {
    m.inputIndex.push_back(tensor(std::move(dims), type));
    node.inputIndex.push_back(m.inputIndex.back());
    return *this;
  }
  template <class T>
  Maker& constant(std::vector<std::int32_t> dims, std::vector<T> values, nnrt::DataType type) {
    node.inputIndex.push_back(tensor(std::move(dims), type));
    m.allTensors.back().data = Constant::copy_of(std::as_bytes(std::span(values)));
    return *this;
  }
  Maker& floats(std::vector<std::int32_t> dims, Floats values) {
    return constant(std::move(dims), std::move(values), nnrt::DataType::DATA_TYPE_FLOAT32);
  }
  Maker& ints(std::vector<std::int32_t> values) {
    const auto n = static_cast<std::int32_t>(values.size());
    return constant({n}, std::move(values), nnrt::DataType::DATA_TYPE_INT32);
  }
  Model result(Attributes a, std::vector<std::int32_t> dims = {},
               nnrt::DataType type = nnrt::DataType::DATA_TYPE_FLOAT32) {
    node.attributes = std::move(a);
    node.outputIndex.push_back(tensor(std::move(dims), type));
    m.outputIndex = node.outputIndex;
    m.nodes.push_back(node);
    m.subGraph.push_back({"main", m.inputIndex, m.outputIndex, {0}});
    return m;
  }
};

/// The result; x is for the first input, if the graph has one.
template <class T = float, class In = float>
std::vector<T> run(const Model& m, std::vector<In> x = {}) {
  MLContext context = webnn::test::plain_context();
  MLGraphBuilder b(context);
  const auto file = write_model(m);
  const Imported got = import_model(b, read_model(nullptr, file));
  const MLGraph graph = b.build(got.outputs);
  const auto& d = graph.outputs()[0].descriptor;
  std::vector<T> y(byte_length(d) / sizeof(T));
  std::vector<NamedInput> in;
  if (!graph.inputs().empty()) in.push_back({graph.inputs()[0].name, std::as_bytes(std::span(x))});
  const NamedOutput out[] = {{got.outputs[0].name, std::as_writable_bytes(std::span(y))}};
  context.compute(graph, std::span<const NamedInput>(in), std::span<const NamedOutput>(out));
  return y;
}
inline bool near(const Floats& got, const Floats& expected) {
  if (got.size() != expected.size()) return false;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!(std::abs(got[i] - expected[i]) <= 1e-6f * std::max(1.0f, std::abs(expected[i]))))
      return false;
  return true;
}

}  // namespace webnn::inline v0_1::nnrt::test
