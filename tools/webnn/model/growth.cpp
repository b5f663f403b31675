#include "tools/webnn/model/growth.h"

#include <algorithm>
#include <random>

#include "src/graph/graph_data.h"
#include "tools/webnn/data/ulp.h"
#include "tools/webnn/model/compiled.h"
#include "tools/webnn/model/execute.h"
#include "webnn/passes.h"

namespace webnn::inline v0_1::tool {
namespace {

struct Noisy {
  Graph graph;
  std::vector<NamedDescriptor> noise{};  ///< inputs in units, int8
};

/// The graph with round(x / scale + noise) in place of each round(x / scale).
class NoiseAdder {
 public:
  explicit NoiseAdder(const Graph& graph) : graph_(graph), now_(graph.operand_count()) {
    for (const auto& [name, x] : graph.inputs()) {
      now_[x.record().id] = data_->add(x.record());
      while (name.starts_with(prefix_)) prefix_ += '_';
    }
  }

  Noisy run(const std::vector<MLOperand>& results) {
    for (const NodeData& node : data_of(graph_).nodes) {
      Op op = node.op.clone();
      for (MLOperand* x : op.operands()) *x = copied(*x);
      if (const auto* q = op.as<ops::quantizeLinear>())
        op = Op::of(ops::quantizeLinear{noisy(*q), q->scale, q->zeroPoint, q->options});
      std::vector<MLOperandDescriptor> made;
      for (const MLOperand& y : node.outputs) made.push_back(y.descriptor());
      const std::vector<MLOperand> outputs = data_->add(std::move(op), made);
      for (std::size_t i = 0; i < outputs.size(); ++i)
        now_[node.outputs[i].record().id] = outputs[i];
    }
    NamedOperands outputs;
    for (const MLOperand& y : results)
      outputs.push_back({std::to_string(outputs.size()), now_[y.record().id]});
    return {graph_of(copy(*data_, outputs)), std::move(noise_)};
  }

 private:
  MLOperand copied(const MLOperand& old) {
    MLOperand& x = now_[old.record().id];
    if (!x) x = data_->add(old.record());
    return x;
  }
  /// The operand of a quantizeLinear plus noise * scale, by blocks as the scale is.
  MLOperand noisy(const ops::quantizeLinear& q) {
    const MLOperandDescriptor real = q.input.descriptor();
    noise_.push_back({prefix_ + std::to_string(noise_.size()), {int8, real.shape}});
    const MLOperand noise = data_->add({.descriptor = noise_.back().descriptor,
                                        .kind = OperandKind::input,
                                        .name = noise_.back().name});
    const MLOperandDescriptor zeros{int8, q.scale.shape()};
    const std::vector<std::byte> bytes(byte_length(zeros));
    const MLOperand zero = data_->add(
        {.descriptor = zeros, .kind = OperandKind::constant, .constant = Constant::copy_of(bytes)});
    const MLOperand step =
        data_->add(Op::of(ops::dequantizeLinear{noise, q.scale, zero, {}}), {real}).front();
    return data_->add(Op::of(ops::add{q.input, step, {}}), {real}).front();
  }

  const Graph& graph_;
  std::shared_ptr<GraphData> data_ = std::make_shared<GraphData>();
  std::vector<MLOperand> now_;  // by operand of the graph
  std::vector<NamedDescriptor> noise_{};
  std::string prefix_ = "noise";
};

/// Units by which results are moved.
enum class Units { none, up, down, random };

void fill(Feeds& noise, Units units, std::minstd_rand& random) {
  for (Feed& feed : noise)
    for (std::byte& b : feed.bytes) {
      const int v = units == Units::none   ? 0
                    : units == Units::up   ? 1
                    : units == Units::down ? -1
                    : random() >> 16 & 1   ? 1
                                           : -1;
      b = static_cast<std::byte>(v);
    }
}

}  // namespace

bool has_quantized_results(const Graph& g) {
  for (std::size_t i = 0; i < g.size(); ++i)
    if (g.node(i).as<ops::quantizeLinear>()) return true;
  return false;
}

std::vector<double> growth_of(const MLContext& context, const Graph& graph,
                              const std::vector<MLOperand>& results, const Feeds& feeds) {
  std::vector<double> growth(results.size());
  if (results.empty() || !has_quantized_results(graph)) return growth;
  const Noisy noisy = NoiseAdder(graph).run(results);
  const MLGraph compiled = build_graph(context, noisy.graph);
  Feeds noise;
  for (const auto& [name, d] : noisy.noise)
    noise.push_back({name, d, std::vector<std::byte>(byte_length(d)), ""});
  std::minstd_rand random;
  Results clean;
  for (const Units units : {Units::none, Units::up, Units::down, Units::random, Units::random}) {
    fill(noise, units, random);
    Feeds all = feeds;
    all.insert(all.end(), noise.begin(), noise.end());
    Results now = execute(context, compiled, all);
    if (units == Units::none) clean = std::move(now);
    else
      for (std::size_t i = 0; i < results.size(); ++i)
        growth[i] =
            std::max(growth[i], distances(results[i].descriptor(), clean[i], now[i]).largest);
  }
  return growth;
}

std::vector<double> growth_of_outputs(const ModelOptions& model, const InputOptions& inputs,
                                      const Feeds& feeds, int threads) {
  if (is_compiled(model)) return {};
  const MLContext reference({.threads = 1, .backends = {"reference"}, .keepConstants = true});
  const Model m = load(model, reference, given_by(inputs));
  std::vector<MLOperand> outputs;
  for (const auto& [name, y] : m.graph().outputs()) outputs.push_back(y);
  return growth_of(MLContext({.threads = threads}), m.graph(), outputs, feeds);
}

}  // namespace webnn::inline v0_1::tool
