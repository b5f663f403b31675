#include "tests/random/oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/graph/graph_data.h"
#include "src/graph/narrow_floats.h"
#include "src/graph/traits.h"
#include "src/kernels/common/dispatch_type.h"
#include "src/kernels/reference/kernels.h"
#include "tests/random/disturbance.h"
#include "tests/random/oracle_step.h"

namespace webnn::inline v0_1::test {
namespace {

constexpr double amplified = 4;  // what is decided by, in units of how far the runs are apart

/// Between floats.
Tensor converted(const Tensor& x, MLOperandDataType type) {
  if (x.type == type) return x;
  constexpr DataTypes floats{float32, float16, bfloat16, float8e4m3};
  Tensor y = filled(type, x.shape, 0);
  dispatch_every_type<floats>(x.type, [&]<class From>() {
    dispatch_every_type<floats>(type, [&]<class To>() {
      for (std::size_t i = 0; i < y.size(); ++i)
        y.as<To>()[i] = static_cast<To>(static_cast<float>(x.as<From>()[i]));
    });
  });
  return y;
}

/// The narrow float among the operands and results.
std::optional<MLOperandDataType> narrow_type(const Node& node) {
  const DataTypes narrow = narrow_floats(node.kind());
  for (const MLOperand& y : node.outputs())
    if (narrow.contains(y.dataType())) return y.dataType();
  for (const MLOperand& x : node.inputs())
    if (narrow.contains(x.dataType())) return x.dataType();
  return std::nullopt;
}

/// Whether a format may have other operators for it. With one scale that is constant, to fewer than
/// 32 bits, all have one operator.
bool is_composed_quantization(const Node& node) {
  const auto* op = node.as<ops::quantizeLinear>();
  return op &&
         (!op->scale.constant() || !op->zeroPoint.constant() ||
          element_count(op->scale.shape()) > 1 || bits_of(node.output().dataType()) == 32) &&
         !is_float(node.output().dataType());
}

}  // namespace

MLOperand lone_operand(MLOperandDataType type, Dims shape) {
  OwnedRecord record;
  record.descriptor = {type, std::move(shape)};
  record.kind = OperandKind::input;
  return detail::make<MLOperand>(
      std::shared_ptr<const OperandRecord>(std::make_shared<OwnedRecord>(std::move(record))));
}

std::vector<Tensor> Oracle::Step::compute(const std::vector<Tensor>& read) const {
  std::vector<const std::byte*> from;
  for (const Tensor& t : read) from.push_back(t.bytes.data());
  std::vector<std::byte*> to;
  std::vector<Tensor> made;
  for (const MLOperand& y : node.outputs())
    made.push_back({y.dataType(), y.shape(),
                    std::vector<std::byte>(static_cast<std::size_t>(byte_length(y.descriptor())))});
  for (Tensor& t : made) to.push_back(t.bytes.data());
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> scratch(kernel.scratch / 64 + 1), shared(kernel.shared / 64 + 1);
  for (int round = 0; round < kernel.rounds; ++round)
    kernel.run({0, kernel.tiles, round}, {from, to, shared.data()->bytes}, scratch.data()->bytes);
  return made;
}

Oracle::Oracle(const Graph& graph, const Inputs& inputs, Rounding rounding, Form form,
               const OperandRoundings& roundings)
    : graph_(graph),
      rounding_(rounding),
      form_(form),
      roundings_(roundings),
      values_(graph.operand_count()) {
  load(inputs);
  for (const auto& [name, y] : graph.outputs()) outputs_.push_back(y);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    steps_.push_back(std::make_shared<Step>(prepare(i)));
    Step& step = *steps_.back();
    if (step.op) step.node = Node(step.op->kind(), step.op->get(), step.results);
    step.kernel = reference::make_kernel(step.node);
    run(step, 0);
  }
}

bool Oracle::is_wide(const MLOperand& x) const {
  return rounding_ == Rounding::documented && is_narrow_float(x.dataType());
}

void Oracle::load(const Inputs& inputs) {
  for (std::size_t i = 0; i < graph_.operand_count(); ++i) {
    const MLOperand x = graph_.operand(static_cast<std::uint32_t>(i));
    Tensor t;
    if (const Constant* c = x.constant())
      t = {x.dataType(), x.shape(), {c->bytes().begin(), c->bytes().end()}};
    else if (x.record().kind == OperandKind::input) t = inputs.at(x.record().name);
    else continue;
    if (is_float(t.type))
      for (std::size_t k = 0; k < t.size(); ++k)
        tiny_ |= t[k] != 0 && std::abs(t[k]) < (t.type == float16 ? 0x1p-14 : 0x1p-40);
    values_[i].by_run.push_back(is_wide(x) ? converted(t, float32) : std::move(t));
  }
}

/// An operator that ends a chain from dequantizeLinear, which integers may compute: within one
/// unit.
bool Oracle::ends_quantized_chain(const Node& node) const {
  if (!node.as<ops::quantizeLinear>() || is_float(node.output().dataType())) return false;
  std::vector<Node> before{node};
  for (int depth = 0; depth < 8 && !before.empty(); ++depth) {
    std::vector<Node> next;
    for (const Node& n : before)
      for (const MLOperand& x : n.inputs()) {
        if (x.record().kind != OperandKind::result) continue;
        const Node producer = graph_.producer_of(x);
        if (producer.as<ops::dequantizeLinear>()) return true;
        if (!producer.as<ops::quantizeLinear>()) next.push_back(producer);
      }
    before = std::move(next);
  }
  return false;
}

/// Whether the first operand is one that pad made, which a convolution may take over.
bool Oracle::reads_padding(Node node) const {
  for (int depth = 0; depth < 8; ++depth) {
    const MLOperand x = node.input(0);
    if (x.record().kind != OperandKind::result) return false;
    node = graph_.producer_of(x);
    if (node.as<ops::pad>()) return true;
    if (!traits_of(node).rearranges && !node.as<ops::cast>()) return false;
  }
  return false;
}

Oracle::Step Oracle::prepare(std::size_t i) const {
  const Node node = graph_.node(i);
  Step step{.node = node, .op = std::nullopt, .inputs = node.inputs(), .place = i * 8 + 1};
  step.outputs.assign(node.outputs().begin(), node.outputs().end());
  bool widens =
      !node.as<ops::cast>() && !node.as<ops::modulusFloor>() && !node.as<ops::modulusTruncate>();
  const DataTypes narrow = narrow_floats(node.kind());
  for (const MLOperand& y : step.outputs) widens &= is_wide(y) && narrow.contains(y.dataType());
  const auto type = narrow_type(node);
  step.noise = noise_of(node, type && rounding_ == Rounding::everywhere ? *type : float32);
  step.rounds_quotients = form_ == Form::exported && is_composed_quantization(node);
  if (ends_quantized_chain(node)) step.noise.result = 1;
  step.noise.pads |= step.noise.sums && reads_padding(node);
  step.identity = node.as<ops::cast>() && is_wide(node.output()) &&
                  node.output().dataType() == node.input(0).dataType();
  step.rounded.resize(step.inputs.size());
  for (std::size_t k = 0; k < step.inputs.size(); ++k)
    step.rounded[k] =
        is_wide(step.inputs[k]) && !(widens && narrow.contains(step.inputs[k].dataType()));
  step.by_level.resize(step.inputs.size());
  for (std::size_t k = 0; k < step.inputs.size(); ++k)
    if (const auto found = roundings_.find({i, k}); found != roundings_.end())
      step.by_level[k] = found->second;
  if (const auto* gemm = node.as<ops::gemm>(); gemm && step.by_level[1].rounds()) {
    ops::gemm multiplied = *gemm;  // by alpha, before
    multiplied.options.alpha = 1;
    step.op = Op::of(std::move(multiplied));
    step.results = step.outputs;
  }
  if (!widens) return step;

  const auto in_float32 = [&](const MLOperand& x) {
    return lone_operand(narrow.contains(x.dataType()) ? float32 : x.dataType(), x.shape());
  };
  step.op =
      Op(node.kind(), std::shared_ptr<void>(std::shared_ptr<void>(), const_cast<void*>(node.op())))
          .clone();
  step.op->round_numbers(step.outputs.front().dataType());
  for (MLOperand* x : step.op->operands()) *x = in_float32(*x);
  for (const MLOperand& y : step.outputs) step.results.push_back(in_float32(y));
  return step;
}

Tensor Oracle::operand(const Step& step, std::size_t input, std::size_t run) const {
  const Value& value = values_[step.inputs[input].record().id];
  const OperandRounding& level = step.by_level[input];
  Tensor x = value[run];
  if (run > 0 && is_float(x.type)) {
    if ((step.noise.decides || level.rounds()) && value.by_run.size() > 1) {
      const Tensor& exact = value[0];
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double from = exact[i], to = x[i];
        if (std::isfinite(from) && std::isfinite(to)) x.set(i, from + amplified * (to - from));
      }
    }
    if (tiny_ && run % 2 == 0) flush(x);
  }
  if (level.rounds()) x = level(x);
  if (run > 0 && is_float(x.type)) {
    // Powers of numbers below zero exist for integers only.
    const bool exponent = step.node.as<ops::pow>() && input == 1;
    if (step.noise.operands > 0 && !exponent)
      change(x, step.noise.operands, false, false, level.rounds() ? level(value[0]) : value[0],
             Signs(run, step.place + 1 + input));
  }
  return step.rounded[input] ? converted(x, step.inputs[input].dataType()) : x;
}

void Oracle::run(const Step& step, std::size_t run) {
  for (const MLOperand& y : step.outputs)
    for (const MLOperand& x : step.inputs) {
      const Value& from = values_[x.record().id];
      Value& to = values_[y.record().id];
      to.overflows |= from.overflows;
      to.unspecified |= from.unspecified || (from.overflows && step.noise.decides);
    }
  if (step.identity && run % 2 == 0) {
    store(step.outputs[0], run, values_[step.inputs[0].record().id][run]);
    return;
  }
  std::vector<Tensor> read;
  for (std::size_t k = 0; k < step.inputs.size(); ++k) {
    const Value& value = values_[step.inputs[k].record().id];
    if (run > 0 || step.rounded[k] || step.by_level[k].rounds())
      read.push_back(operand(step, k, run));
    else read.push_back(value[0]);
  }
  // What a weight that is not finite does to padding is not specified.
  if (step.noise.pads && !is_finite(read[1]))
    values_[step.outputs[0].record().id].unspecified = true;
  std::vector<Tensor> made = step.compute(read);
  if (run % 2 && step.rounds_quotients) {
    // A quotient may be rounded to half a unit where all operands are exact, too.
    const bool exact = run % 8 > 4;
    const auto of = [&](std::size_t k) {
      return exact ? values_[step.inputs[k].record().id][0] : read[k];
    };
    quantize_by_rounded_quotients(of(0), of(1), of(2), run % 4 == 1 ? read[0].type : float32,
                                  made[0]);
  }
  if (run > 0 && step.node.as<ops::quantizeLinear>() && !is_float(made[0].type))
    for (const std::size_t i : without_integer(read[0], read[1]))
      made[0].set(i, run % 2 ? lowest_of(made[0].type) : highest_of(made[0].type));
  std::optional<std::vector<Tensor>> of_numbers;  // where an infinity is an overflow
  std::optional<std::vector<Tensor>> magnitudes;
  for (std::size_t k = 0; k < made.size(); ++k) {
    Tensor& t = made[k];
    const MLOperand& y = step.outputs[k];
    if (run > 0 && is_float(t.type) && !step.noise.moves)
      change(t, step.noise.result, tiny_ && step.noise.result > 0, step.noise.underflows,
             values_[y.record().id][0], Signs(run, step.place));
    else if (run > 0 && step.noise.result > 0)
      change_units(t, step.noise.result, values_[y.record().id][0], Signs(run, step.place));
    double largest = std::max(1.0, largest_finite(t));
    if (step.noise.unbounded) largest = std::max(largest, largest_gate(read, largest));
    double unit = step.noise.absolute * largest;
    if (form_ == Form::exported && step.noise.composed > 0) {
      for (const Tensor& x : read) largest = std::max(largest, largest_finite(x));
      unit = std::max(unit, step.noise.composed * largest);
    }
    if (run > 0 && unit > 0)
      change_absolutely(t, unit, values_[y.record().id][0], Signs(run, step.place + 1));
    // Nor does a factor that is folded into the weights of a sum keep its parts from overflowing.
    if ((run == 3 || run == 4) && step.noise.regroups && may_overflow(read)) {
      const double min_lost = step.noise.sums ? infinity : 0x1p100;
      // Terms of a sum that cancel may be infinite before.
      const bool loses = step.noise.sums && !step.noise.feeds_back;
      if (loses && !magnitudes) magnitudes = step.compute(with_magnitudes(read));
      for (std::size_t i = 0; i < t.size(); ++i)
        if (std::abs(t[i]) >= min_lost || (loses && !std::isfinite((*magnitudes)[k][i]))) {
          t.set(i, std::numeric_limits<double>::quiet_NaN());
          values_[y.record().id].overflows = true;
        }
    }
    if (run == 1 && step.noise.squares && largest_finite(read[0]) > 0x1p60)
      for (std::size_t i = 0; i < t.size(); ++i)
        if (t[i] > 0x1p60) t.set(i, infinity);
    if (run == 2 && step.noise.squares && form_ == Form::exported)
      for (std::size_t i = 0; i < t.size(); ++i)
        if (t[i] < 0x1p-60) t.set(i, 0);
    if ((run == 1 || run == 2) && step.noise.regroups) {
      if (!of_numbers) {
        std::vector<Tensor> undisturbed;
        for (const MLOperand& x : step.inputs) undisturbed.push_back(values_[x.record().id][run]);
        of_numbers = step.compute(with_nan_for_infinity(std::move(undisturbed)));
      }
      const double large = t.type == float16 ? 0x1p14 : t.type == float8e4m3 ? 0x1p8 : 0x1p100;
      for (std::size_t i = 0; i < t.size(); ++i) {
        const double v = (*of_numbers)[k][i];
        if (std::isinf(v)) t.set(i, std::copysign(large, t[i]));
        else if (std::isfinite(v) && !std::isfinite(t[i])) t.set(i, v);
      }
    }
    store(y, run, is_wide(y) ? converted(t, float32) : std::move(t));
  }
}

void Oracle::store(const MLOperand& y, std::size_t run, Tensor t) {
  auto& all = values_[y.record().id].by_run;
  all.resize(std::max(all.size(), run + 1));
  all[run] = std::move(t);
}

Tensor Oracle::value(const MLOperand& x) const {
  return converted(values_[x.record().id][0], x.dataType());
}
bool Oracle::has_extremes() const {
  return std::any_of(values_.begin(), values_.end(), [](const Value& v) {
    if (v.by_run.empty()) return false;
    const Tensor& t = v[0];
    for (std::size_t i = 0; i < t.size(); ++i)
      if (!(std::abs(t[i]) < 0x1p30)) return true;
    return false;
  });
}
Tensor Oracle::output(std::size_t i) const { return value(outputs_[i]); }

}  // namespace webnn::inline v0_1::test
