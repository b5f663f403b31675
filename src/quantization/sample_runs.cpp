#include "src/quantization/sample_runs.h"

#include <cstring>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "webnn/error.h"
#include "webnn/passes.h"

namespace webnn::inline v0_1 {
namespace {

/// The descriptors of the outputs in a run of the sample.
NamedDescriptors outputs_of(const MLGraph& compiled, const CalibrationSample& sample) {
  if (!compiled.is_open()) return compiled.outputs();
  std::vector<NamedShape> shapes;
  for (const auto& [name, data] : sample)
    if (!data.shape().empty())
      shapes.push_back({name, Dims(data.shape().begin(), data.shape().end())});
  return compiled.computeShapes(shapes);
}

}  // namespace

void SampleRuns::begin(std::string_view stage, std::size_t passes) {
  stage_ = stage;
  passes_ = passes;
  done_ = 0;
}

void SampleRuns::run(const Graph& graph, const MLGraph& compiled, const CalibrationSample& sample,
                     const Take& take, const Take& inputs) {
  const NamedDescriptors outputs = outputs_of(compiled, sample);
  std::vector<std::vector<float>> results;
  for (const auto& [name, d] : outputs) results.emplace_back(element_count(d.shape));
  std::vector<NamedOutput> out;
  for (std::size_t i = 0; i < outputs.size(); ++i) out.push_back({outputs[i].name, results[i]});
  context_.compute(compiled, sample, out, options_.stop);
  for (std::size_t i = 0; inputs && i < graph.inputs().size(); ++i) {
    const auto& [name, x] = graph.inputs()[i];
    if (x.dataType() != float32) continue;
    for (const auto& [given, data] : sample) {
      if (given != name) continue;
      std::vector<float> values(data.size() / sizeof(float));
      std::memcpy(values.data(), data.data(), values.size() * sizeof(float));
      inputs(i, values);
    }
  }
  for (std::size_t i = 0; i < results.size(); ++i) take(i, results[i]);
}

void SampleRuns::pass(const Graph& graph, const NamedOperands& outputs, const Take& take,
                      const Take& inputs) {
  const MLGraph compiled = build_graph(context_, with_outputs(graph, outputs));
  std::size_t i = 0;
  for (; const auto sample = samples_ ? samples_(i) : std::nullopt; ++i) {
    if (options_.stop.stop_requested())
      raise({"it was canceled", ErrorName::AbortError}, "quantize");
    try {
      run(graph, compiled, *sample, take, inputs);
    } catch (const TypeError& e) {
      raise(fail("sample {}: {}{}", i, e.label().empty() ? "" : '[' + escaped(e.label()) + "] ",
                 e.reason()),
            "quantize");
    }
    ++done_;
    if (options_.progress) options_.progress({stage_, done_, passes_ * count_});
  }
  if (count_ == 0) count_ = i;
  if (i != count_)
    raise(fail("there are {} samples, and there were {} before", i, count_), "quantize");
}

}  // namespace webnn::inline v0_1
