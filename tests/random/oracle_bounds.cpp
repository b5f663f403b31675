// How far a result may be from what an oracle computes, as its runs show it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "src/graph/graph_data.h"
#include "src/graph/narrow_floats.h"
#include "src/kernels/reference/kernels.h"
#include "tests/random/disturbance.h"
#include "tests/random/oracle_step.h"

namespace webnn::inline v0_1::test {
namespace {

constexpr double margin = 2;  // how far a result may be, in the same units

double rounded(double v, MLOperandDataType type) { return MLNumber(v).to(type).as_double(); }

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
/// Integers of 64 bits are not all doubles.
bool same(const Tensor& a, const Tensor& b, std::size_t i) {
  if (bits_of(a.type) < 64) return same(a[i], b[i]);
  return a.as<std::uint64_t>()[i] == b.as<std::uint64_t>()[i];
}

template <class T> Op with_sequence(T op) {
  op.options.returnSequence = true;
  return Op::of(std::move(op));
}

}  // namespace

/// Whether a feedback has amplified rounding until it is as large as the results: then the runs do
/// not show how far apart results may be.
bool Oracle::is_chaotic(const Step& step) const {
  if (!step.noise.feeds_back) return false;
  for (const MLOperand& y : step.outputs) {
    const Value& value = values_[y.record().id];
    double largest = 0, apart = 0;
    for (const Tensor& t : value.by_run) {
      largest = std::max(largest, largest_finite(t));
      for (std::size_t i = 0; i < t.size(); ++i)
        apart = std::max(apart, std::abs(t[i] - value[0][i]));
    }
    if (apart > largest / 8) return true;
  }
  return false;
}

/// Whether a state on the way, which the reference kernel has in double, is infinite as float32:
/// then zero times the state is NaN in other kernels.
bool Oracle::overflows(const Step& step) const {
  if (!step.noise.feeds_back) return false;
  const auto* gru = step.node.as<ops::gru>();
  const Op op = gru ? with_sequence(*gru) : with_sequence(*step.node.as<ops::lstm>());
  const MLOperand last = step.node.outputs()[0];
  Dims shape = last.shape();
  shape.insert(shape.begin(), step.inputs[0].shape()[0]);
  std::vector<MLOperand> results(step.node.outputs().begin(),
                                 step.node.outputs().begin() + (gru ? 1 : 2));
  results.push_back(lone_operand(last.dataType(), shape));
  Step all{.node = Node(op.kind(), op.get(), results), .op = std::nullopt};
  all.kernel = reference::make_kernel(all.node);
  std::vector<Tensor> read;
  for (std::size_t k = 0; k < step.inputs.size(); ++k) read.push_back(operand(step, k, 0));
  const Tensor states = all.compute(read).back();
  return !is_finite(states);
}

/// Where an operand may be so near to a pole that the result can be any number: there the runs do
/// not show it either.
void Oracle::forget_poles(const Step& step) {
  if (!step.noise.has_poles) return;
  auto& all = values_[step.outputs[0].record().id].by_run;
  for (std::size_t i = 0; i < all[0].size(); ++i) {
    double apart = 0;
    for (const Tensor& t : all) apart = std::max(apart, std::abs(t[i] - all[0][i]));
    if (apart > std::max(1.0, std::abs(all[0][i])) / 4)
      all[1].set(i, std::numeric_limits<double>::quiet_NaN());
  }
}

/// What cancels can be 0: the logarithm of that, or its product with an infinity, is far away.
void Oracle::add_zeros(const Step& step) {
  for (const MLOperand& y : step.outputs) {
    auto& all = values_[y.record().id].by_run;
    if (step.noise.moves || !is_float(y.dataType())) continue;
    for (std::size_t i = 0; i < all[0].size(); ++i) {
      double apart = 0;
      for (const Tensor& t : all)
        if (std::isfinite(t[i])) apart = std::max(apart, std::abs(t[i] - all[0][i]));
      if (std::abs(all[0][i]) <= margin * apart && std::isfinite(all[runs][i])) all[runs].set(i, 0);
    }
  }
}

void Oracle::disturb() {
  if (disturbed_) return;
  disturbed_ = true;
  for (const auto& step : steps_) {
    bool differs = tiny_ || step->identity || step->rounds_quotients || step->noise.result > 0 ||
                   step->noise.operands > 0;
    if (step->node.as<ops::quantizeLinear>() && !is_float(step->node.output().dataType()))
      differs |= !without_integer(operand(*step, 0, 0), operand(*step, 1, 0)).empty();
    bool floats = false;
    for (const MLOperand& x : step->inputs) differs |= values_[x.record().id].by_run.size() > 1;
    for (const MLOperand& y : step->outputs) floats |= is_float(y.dataType());
    // The sign of a zero is no part of any result, but 1/0 sees it.
    if (!differs && (step->noise.moves || !floats)) continue;
    for (std::size_t run = 1; run <= runs; ++run) this->run(*step, run);
    add_zeros(*step);
    forget_poles(*step);
    const bool unknown = is_chaotic(*step) || overflows(*step);
    for (const MLOperand& y : step->outputs) {
      auto& all = values_[y.record().id].by_run;
      if (unknown)
        all[1] = filled(all[0].type, y.shape(), std::numeric_limits<double>::quiet_NaN());
      bool alike = true;
      for (const Tensor& t : all) alike &= same_bits(t, all[0]);
      if (alike) all.resize(1);
    }
  }
}

std::string Oracle::difference(std::size_t i, const Tensor& result) {
  const Tensor expected = output(i);
  if (expected.type != result.type || expected.shape != result.shape)
    return " has another data type or shape";
  if (same_bits(expected, result)) {
    counts_.equal += result.size();
    return {};
  }
  disturb();
  const Value& value = values_[outputs_[i].record().id];
  if (value.unspecified) {
    counts_.unknown += result.size();
    return {};
  }
  std::ostringstream s;
  s.precision(9);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < result.size(); ++k) {
    const double exact = value[0][k], actual = result[k];
    double apart = 0;
    bool known = true;
    for (std::size_t run = 1; run < value.by_run.size(); ++run) {
      if (same(value[0], value[run], k)) continue;
      const double other = value[run][k];
      known &= std::isfinite(exact) && std::isfinite(other);
      apart = std::max(apart, std::abs(other - exact));
    }
    if (!known) {
      ++counts_.unknown;
      continue;
    }
    ++(apart > 0 ? counts_.bounded : counts_.equal);
    if (same(expected, result, k)) continue;
    if (is_float(result.type)) apart *= margin;
    double low = exact - apart, high = exact + apart;
    if (is_narrow_float(result.type)) {
      low = rounded(low, result.type);
      high = rounded(high, result.type);
    } else if (result.type == float32) {
      if (low < lowest_of(float32)) low = -infinity;
      if (high > highest_of(float32)) high = infinity;
    }
    if (apart > 0 && low <= actual && actual <= high) continue;
    if (wrong++ < 4)
      s << "\n  element " << k << " is " << actual << ", expected " << expected[k] << ", from "
        << low << " to " << high;
  }
  if (wrong == 0) return {};
  s << "\n  " << wrong << " of " << result.size() << " elements of " << name_of(result.type)
    << " differ";
  return s.str();
}

}  // namespace webnn::inline v0_1::test
