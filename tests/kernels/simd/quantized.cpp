#include "tests/kernels/simd/quantized.h"

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "src/builder/builder_state.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/vector/instruction_set.h"
#include "src/kernels/simd/vector/int8/dot_product.h"
#include "tests/support/catch.h"
#include "tests/support/coordinates.h"

namespace webnn::inline v0_1::test {
namespace {

MLOperand constant_of(MLGraphBuilder& b, const Tensor& t) {
  return b.constant(t.descriptor(), InputView(t.bytes));
}

/// The graph's results and the text of explain().
std::pair<Tensor, std::string> run(std::span<const QuantizedCase::Operand> operands,
                                   const BuildReal& build, const QuantizedResult& result,
                                   Requantization requantization,
                                   std::vector<BackendChoice> backends, int threads) {
  MLContext context({.threads = threads, .backends = std::move(backends)});
  MLGraphBuilder b(context);
  detail::state_of(b)->data.requantization = requantization;
  std::vector<MLOperand> real;
  std::vector<std::string> names;
  std::vector<NamedInput> inputs;
  names.reserve(operands.size());
  for (const auto& x : operands) {
    MLOperand integers;
    if (x.constant) {
      integers = constant_of(b, x.integers);
    } else {
      names.push_back("x" + std::to_string(names.size()));
      integers = b.input(names.back(), x.integers.descriptor());
      inputs.push_back({names.back(), InputView(x.integers.bytes)});
    }
    real.push_back(b.dequantizeLinear(integers, constant_of(b, x.scales.scale),
                                      constant_of(b, x.scales.zero)));
  }
  const MLOperand v = build(b, real);
  const Dims ones(v.rank(), 1);
  const MLOperand y = b.quantizeLinear(v, constant_of(b, filled(float32, ones, result.scale)),
                                       constant_of(b, filled(result.type, ones, result.zero)));
  Tensor out{result.type, y.shape(), std::vector<std::byte>(element_count(y.shape()))};
  const MLGraph graph = b.build({{"y", y}});
  context.compute(graph, inputs, {{"y", out.bytes}});
  return {std::move(out), graph.explain()};
}

}  // namespace

double QuantizedCase::Operand::at(const Dims& place) const {
  Dims block = place;
  const Dims& shape = scales.scale.shape;
  for (std::size_t d = 0; d < shape.size(); ++d)
    block[d] = place[d] / (integers.shape[d] / shape[d]);
  return (integers.at(place) - scales.zero.at(block)) * scales.scale.at(block);
}

QuantizedCase::Operand QuantizedCase::operand(MLOperandDataType type, Dims shape, double scale,
                                              double zero, bool constant,
                                              std::optional<std::pair<double, double>> range) {
  const Dims ones(shape.size(), 1);
  return operand(type, std::move(shape), {filled(float32, ones, scale), filled(type, ones, zero)},
                 constant, range);
}
QuantizedCase::Operand QuantizedCase::operand(MLOperandDataType type, Dims shape, Scales scales,
                                              bool constant,
                                              std::optional<std::pair<double, double>> range) {
  const auto [low, high] = range.value_or(std::pair(lowest_of(type), highest_of(type)));
  return {random.tensor(type, std::move(shape), low, high), std::move(scales), constant};
}

void for_int8_targets(const std::function<void(const std::shared_ptr<const Backend>&)>& f) {
  hwy::SetSupportedTargetsForTest(0);
  const auto all = hwy::SupportedTargets();
  int last = 0;
  for (auto rest = all; rest; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest);  // a lower bit is a better target
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    if (!simd::has_target()) continue;
    last = simd::int8_lanes();
    if (last < 4) continue;
    for (const bool instruction : {true, false}) {
      INFO("targets " << std::hex << rest << (instruction ? "" : ", dot products emulated"));
      f(simd::make_backend({.int8_dot_product = instruction}));
    }
    if (!simd::can_emulate_int8_tiles()) continue;
    INFO("targets " << std::hex << rest << ", tiles emulated");
    f(simd::make_backend({.int8_tiles = simd::Int8Tiles::emulated}));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

double second_rounding(double factor) {
  int exponent = 0;
  std::frexp(factor, &exponent);
  return exponent < 0 ? std::ldexp(0.5, exponent) : 0;
}

namespace {

struct Check {
  std::span<const QuantizedCase::Operand> operands;
  const BuildReal& build;
  const QuantizedResult& result;
  const std::function<double(const Dims&)>& real;
  const std::string& kernel;

  void run_all(Requantization requantization, double slack) const {
    const double low = lowest_of(result.type), high = highest_of(result.type);
    std::optional<Tensor> first;
    for_int8_targets([&](const std::shared_ptr<const Backend>& simd) {
      first.reset();  // instruction sets may round ties of floats in their own ways
      for (int threads : {1, 2, 8}) {
        const auto got = run(operands, build, result, requantization, {simd, "reference"}, threads);
        const Tensor& y = got.first;
        const std::string& explained = got.second;
        INFO(explained);
        REQUIRE(explained.find(kernel) != std::string::npos);
        if (first) {
          REQUIRE((y.bytes == first->bytes));
          continue;
        }
        first = y;
        double worst = 0;
        for_each_place(y.shape, [&](const Dims& at) {
          const double exact = real(at) / result.scale + result.zero;
          const double distance = std::abs(y.at(at) - std::min(std::max(exact, low), high));
          worst = std::max(worst, distance);
        });
        CHECK(worst <= 0.5 + slack);
      }
    });
    // Without these kernels the composition itself runs.
    const auto [y, explained] = run(operands, build, result, requantization, {"reference"}, 1);
    CHECK(explained.find(kernel) == std::string::npos);
    double worst = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
      worst = std::max(worst, std::abs(y[i] - (*first)[i]));
    CHECK(worst <= 1);
  }
};

}  // namespace

void check_quantized(std::span<const QuantizedCase::Operand> operands, const BuildReal& build,
                     const QuantizedResult& result, const std::function<double(const Dims&)>& real,
                     const std::string& kernel, double slack) {
  const Check check{operands, build, result, real, kernel};
  check.run_all(Requantization::floats, slack);
  if (result.fixed_slack >= 0)
    check.run_all(Requantization::fixedPoint, std::max(slack, result.fixed_slack));
}

}  // namespace webnn::inline v0_1::test
