#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const Build abs_of = [](MLGraphBuilder& b, Build::Operands x) { return b.abs(x[0]); };
const Build neg_of = [](MLGraphBuilder& b, Build::Operands x) { return b.neg(x[0]); };
const Build sign_of = [](MLGraphBuilder& b, Build::Operands x) { return b.sign(x[0]); };
const Build ceil_of = [](MLGraphBuilder& b, Build::Operands x) { return b.ceil(x[0]); };
const Build floor_of = [](MLGraphBuilder& b, Build::Operands x) { return b.floor(x[0]); };
const Build round_of = [](MLGraphBuilder& b, Build::Operands x) { return b.roundEven(x[0]); };
const Build identity_of = [](MLGraphBuilder& b, Build::Operands x) { return b.identity(x[0]); };
const Build cos_of = [](MLGraphBuilder& b, Build::Operands x) { return b.cos(x[0]); };
const Build sin_of = [](MLGraphBuilder& b, Build::Operands x) { return b.sin(x[0]); };
const Build tan_of = [](MLGraphBuilder& b, Build::Operands x) { return b.tan(x[0]); };
const Build erf_of = [](MLGraphBuilder& b, Build::Operands x) { return b.erf(x[0]); };
const Build exp_of = [](MLGraphBuilder& b, Build::Operands x) { return b.exp(x[0]); };
const Build log_of = [](MLGraphBuilder& b, Build::Operands x) { return b.log(x[0]); };
const Build sqrt_of = [](MLGraphBuilder& b, Build::Operands x) { return b.sqrt(x[0]); };
const Build reciprocal_of = [](MLGraphBuilder& b, Build::Operands x) { return b.reciprocal(x[0]); };

/// To the nearest, ties to even, by remainders.
double round_even(double v) { return v - std::remainder(v, 1.0); }

/// Whether the result of float32 `x` has a sign bit, on the reference kernels.
bool negative(const Build& build, double x) {
  return std::signbit(run(build, std::vector{tensor(float32, {}, {x})})[0][0]);
}

}  // namespace

TEST_CASE("abs, neg and sign: every signed type", "[unary]") {
  const auto types = types::signed_numbers;
  check_elementwise(
      abs_of, types, "abs", [](double v) { return std::abs(v); }, -120, 120);
  check_elementwise(
      neg_of, types, "neg", [](double v) { return -v; }, -120, 120);
  check_elementwise(
      sign_of, types, "sign", [](double v) { return (v > 0) - (v < 0); }, -3, 3);
}

TEST_CASE("abs and neg: integers wrap", "[unary]") {
  for (auto type : {int8, int32, int64}) {
    const double low = lowest_of(type);
    check({abs_of, {tensor(type, {1}, {low})}, {tensor(type, {1}, {low})}});
    check({neg_of, {tensor(type, {1}, {low})}, {tensor(type, {1}, {low})}});
  }
  check({abs_of, {integers(int64, {1}, {INT64_MIN + 1})}, {integers(int64, {1}, {INT64_MAX})}});
}

TEST_CASE("abs, neg and sign: zeros, infinities and NaN", "[unary]") {
  check_values(abs_of, types::floats, "abs",
               {{-0.0, 0}, {-INFINITY, INFINITY}, {NAN, NAN}, {-65504, 65504}});
  check_values(neg_of, types::floats, "neg", {{INFINITY, -INFINITY}, {NAN, NAN}});
  check_values(sign_of, types::floats, "sign",
               {{NAN, 0}, {-0.0, 0}, {INFINITY, 1}, {-INFINITY, -1}, {-0x1p-24, -1}});
  CHECK_FALSE(negative(abs_of, -0.0));
  CHECK(negative(neg_of, 0.0));
  CHECK_FALSE(negative(neg_of, -0.0));
}

TEST_CASE("ceil, floor and roundEven", "[unary]") {
  check_elementwise(
      ceil_of, types::floats, "ceil", [](double v) { return std::ceil(v); }, -50, 50);
  check_elementwise(
      floor_of, types::floats, "floor", [](double v) { return std::floor(v); }, -50, 50);
  check_elementwise(round_of, types::floats, "roundEven", round_even, -50, 50);
  check_values(round_of, types::floats, "roundEven",
               {{-3.5, -4},
                {-2.5, -2},
                {-1.5, -2},
                {1.5, 2},
                {2.5, 2},
                {3.5, 4},
                {0.9, 1},
                {0.5, 0},
                {INFINITY, INFINITY},
                {NAN, NAN}});
  check_values(round_of, {float32}, "roundEven", {{8388609, 8388609}, {4194304.5, 4194304}});
  check_values(ceil_of, types::floats, "ceil", {{-INFINITY, -INFINITY}, {NAN, NAN}, {0.001, 1}});
  for (const double v : {-0.25, -0.5, -0.75}) CHECK(negative(ceil_of, v));
  CHECK(negative(round_of, -0.5));
}

TEST_CASE("identity: every type, bit for bit", "[unary]") {
  Random random(3);
  for_each_type(types::any, [&](MLOperandDataType type) {
    Tensor x = random.tensor(type, {3, 5000});
    for (auto& byte : x.bytes) byte = static_cast<std::byte>(random.next());
    const bool same = run(identity_of, std::vector{x})[0].bytes == x.bytes;
    CHECK(same);
  });
}

TEST_CASE("cos, sin, tan, erf, exp, log, sqrt and reciprocal", "[unary]") {
  const auto types = types::floats;
  check_elementwise(
      cos_of, types, "cos", [](double v) { return std::cos(v); }, -30, 30);
  check_elementwise(
      sin_of, types, "sin", [](double v) { return std::sin(v); }, -30, 30);
  check_elementwise(
      tan_of, types, "tan", [](double v) { return std::tan(v); }, -1.5, 1.5);
  check_elementwise(erf_of, types, "erf", [](double v) { return std::erf(v); });
  check_elementwise(
      exp_of, types, "exp", [](double v) { return std::exp(v); }, -9, 9);
  check_elementwise(
      log_of, types, "log", [](double v) { return std::log(v); }, 0.001, 60);
  check_elementwise(
      sqrt_of, types, "sqrt", [](double v) { return std::sqrt(v); }, 0, 1000);
  check_elementwise(
      reciprocal_of, types, "reciprocal", [](double v) { return 1 / v; }, 0.01, 60);
}

TEST_CASE("functions at the edges of their domains", "[unary]") {
  const auto types = types::floats;
  check_values(cos_of, types, "cos", {{INFINITY, NAN}, {-INFINITY, NAN}, {0, 1}, {NAN, NAN}});
  check_values(sin_of, types, "sin", {{INFINITY, NAN}, {0, 0}, {NAN, NAN}});
  check_values(erf_of, types, "erf", {{INFINITY, 1}, {-INFINITY, -1}, {NAN, NAN}});
  check_values(exp_of, types, "exp",
               {{INFINITY, INFINITY}, {-INFINITY, 0}, {0, 1}, {1000, INFINITY}, {NAN, NAN}});
  check_values(log_of, types, "log", {{0, -INFINITY}, {-1, NAN}, {1, 0}, {INFINITY, INFINITY}});
  check_values(sqrt_of, types, "sqrt", {{-1, NAN}, {0, 0}, {4, 2}, {INFINITY, INFINITY}});
  check_values(reciprocal_of, types, "reciprocal",
               {{0, INFINITY}, {-0.0, -INFINITY}, {INFINITY, 0}, {4, 0.25}, {NAN, NAN}});
  CHECK(negative(sqrt_of, -0.0));
}

TEST_CASE("sign: as composed of other operators", "[unary]") {
  const auto composed = [](MLGraphBuilder& b, Build::Operands x) {
    const auto c = [&](int v) { return b.constant(x[0].dataType(), v); };
    return b.where(b.greater(x[0], c(0)), c(1), b.where(b.lesser(x[0], c(0)), c(-1), c(0)));
  };
  Random random(4);
  for_each_type(types::signed_numbers, [&](MLOperandDataType type) {
    check_same(sign_of, composed, {random.tensor(type, {6, 11}, -2, 2)}, {});
  });
}
