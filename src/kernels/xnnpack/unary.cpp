// Functions of one operand.
#include <algorithm>
#include <array>
#include <cmath>

#include "src/kernels/xnnpack/backend.h"
#include "src/kernels/xnnpack/tile.h"

namespace webnn::inline v0_1::xnnpack {
namespace {

/// `cost`: operations of an element. `plain`: the function where not all elements are finite.
Lowering lower(Unary function, const LoweringRequest& request, double cost, float p = 0,
               float q = 0, std::function<float(float)> plain = {}) {
  const std::size_t count = element_count(request.result.shape());
  const std::size_t wanted = tiles_for(static_cast<double>(count) * cost, 16384);
  const std::size_t each = ((count + wanted - 1) / wanted + 63) / 64 * 64;
  Tiles tiles;
  for (std::size_t at = 0; at < count; at += each) {
    Tile t;
    const std::size_t size = std::min(each, count - at);
    t.op = unary(function, size, p, q);
    t.a = {size, size % 4 != 0};
    t.output.columns = t.output.step = size;
    t.calls = {{at, 0, at}};
    if (plain)
      t.plain = [size, plain](const float* x, const float*, float* y) {
        std::transform(x, x + size, y, plain);
      };
    tiles.push_back(std::move(t));
  }
  return kernel_of(std::move(tiles), "unary", {0});
}

/// With a plain loop for NaN, which not every processor's minimum and maximum propagate.
Lowering lower_clamp(const LoweringRequest& request, float lo, float hi) {
  return lower(Unary::clamp, request, 1, lo, hi, [lo, hi](float v) {
    v = v < lo ? lo : v;
    return v > hi ? hi : v;
  });
}

/// Whether this version's function is within the tolerance everywhere: some lose digits where the
/// result is a small difference, flush subnormal results to zero on some processors, or fail for
/// large operands or infinities.
bool is_within(Unary function, double ulps, double (*exact)(double), bool positive = false) {
  alignas(64) std::array<float, 1024> x{}, y{};
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < 512; ++i) {
    const float step = static_cast<float>(i + 1) / 512;
    x[2 * i] = i % 4 == 0   ? std::ldexp(step, static_cast<int>(i % 128) - 20)
               : i % 8 == 1 ? 104 * step  // exponentials that are subnormal
                            : 12 * step;
    x[2 * i + 1] = positive ? 1 / x[2 * i] : -x[2 * i];
  }
  x[0] = infinity, x[1] = positive ? 1 : -infinity;
  Operator op = unary(function, x.size(), 1);
  if (!op || !op.run(x.data(), nullptr, y.data(), nullptr)) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double e = exact(static_cast<double>(x[i])), got = static_cast<double>(y[i]);
    const bool beyond = std::abs(e) > static_cast<double>(std::numeric_limits<float>::max());
    if (beyond ? got != (e > 0 ? 1 : -1) * static_cast<double>(infinity)
               : !(std::abs(got - e) <= ulps * std::max(0x1p-23 * std::abs(e), 0x1p-149)))
      return false;
  }
  return true;
}

Lowering lower_if(bool exact, Unary function, const LoweringRequest& request, double cost,
                  float p = 0) {
  if (!exact) return Refusal{"this version of XNNPACK lacks it or is not exact enough"};
  return lower(function, request, cost, p);
}

}  // namespace

Lowering lower(const ops::abs&, const LoweringRequest& o) { return lower(Unary::abs, o, 1); }
Lowering lower(const ops::ceil&, const LoweringRequest& o) { return lower(Unary::ceil, o, 1); }
Lowering lower(const ops::floor&, const LoweringRequest& o) { return lower(Unary::floor, o, 1); }
Lowering lower(const ops::neg&, const LoweringRequest& o) { return lower(Unary::neg, o, 1); }
Lowering lower(const ops::roundEven&, const LoweringRequest& o) {
  return lower(Unary::round_even, o, 1);
}
Lowering lower(const ops::sqrt&, const LoweringRequest& o) {
  static const bool exact = is_within(
      Unary::sqrt, 0.5, [](double x) { return std::sqrt(x); }, true);
  return lower_if(exact, Unary::sqrt, o, 4);
}

Lowering lower(const ops::exp&, const LoweringRequest& o) {
  static const bool exact = is_within(Unary::exp, 32, [](double x) { return std::exp(x); });
  return lower_if(exact, Unary::exp, o, 8);
}
Lowering lower(const ops::log&, const LoweringRequest& o) {
  static const bool exact = is_within(
      Unary::log, 8, [](double x) { return std::log(x); }, true);
  return lower_if(exact, Unary::log, o, 8);
}
Lowering lower(const ops::hardSwish&, const LoweringRequest& o) {
  static const bool exact = is_within(
      Unary::hard_swish, 4, [](double x) { return x <= -3 ? 0 : x * std::min(6.0, x + 3) / 6; });
  return lower_if(exact, Unary::hard_swish, o, 2);
}
Lowering lower(const ops::sigmoid&, const LoweringRequest& o) {
  static const bool exact =
      is_within(Unary::sigmoid, 34, [](double x) { return 1 / (1 + std::exp(-x)); });
  return lower_if(exact, Unary::sigmoid, o, 8);
}
Lowering lower(const ops::tanh&, const LoweringRequest& o) {
  static const bool exact = is_within(Unary::tanh, 16, [](double x) { return std::tanh(x); });
  return lower_if(exact, Unary::tanh, o, 8);
}
Lowering lower(const ops::gelu&, const LoweringRequest& o) {
  static const bool exact = is_within(Unary::gelu, 18, [](double x) {
    return std::isinf(x) && x < 0 ? 0 : 0.5 * x * std::erfc(-x / std::sqrt(2.0));
  });
  return lower_if(exact, Unary::gelu, o, 8);
}
Lowering lower(const ops::elu& op, const LoweringRequest& o) {
  static const bool exact =
      is_within(Unary::elu, 18, [](double x) { return x < 0 ? std::expm1(x) : x; });
  return lower_if(exact, Unary::elu, o, 8, static_cast<float>(op.options.alpha));
}
Lowering lower(const ops::leakyRelu& op, const LoweringRequest& o) {
  return lower(Unary::leaky_relu, o, 1, static_cast<float>(op.options.alpha));
}
Lowering lower(const ops::relu&, const LoweringRequest& o) {
  return lower_clamp(o, 0, std::numeric_limits<float>::infinity());
}
Lowering lower(const ops::clamp& op, const LoweringRequest& o) {
  const auto bound = [](const std::optional<MLNumber>& value, float none) {
    const float v = value ? static_cast<float>(value->to(float32).as_double()) : none;
    return v != v ? none : v;
  };
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float lo = bound(op.options.minValue, -infinity), hi = bound(op.options.maxValue, infinity);
  if (!(lo < hi)) return Refusal{"the bounds are equal"};
  return lower_clamp(o, lo, hi);
}

}  // namespace webnn::inline v0_1::xnnpack
