#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const Build floor_of = [](MLGraphBuilder& b, Build::Operands x) {
  return b.modulusFloor(x[0], x[1]);
};
const Build truncate_of = [](MLGraphBuilder& b, Build::Operands x) {
  return b.modulusTruncate(x[0], x[1]);
};

constexpr DataTypes integral{int32, uint32, int64, uint64, int8, uint8};
constexpr DataTypes signed_integers{int32, int64, int8};

/// Python's % of floats: doubles with values of floats, so that the sum is exact or rounds to the
/// same float.
double floored(double a, double b) {
  const double rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(rest, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

struct Row {
  double a, b, truncated, floored;
};
void check_rows(DataTypes types, const std::vector<Row>& rows) {
  const auto column = [&](MLOperandDataType type, double Row::*member) {
    std::vector<double> values;
    for (const Row& r : rows) values.push_back(r.*member);
    return tensor(type, {static_cast<std::uint32_t>(rows.size())}, values);
  };
  for_each_type(types, [&](MLOperandDataType type) {
    const std::vector operands{column(type, &Row::a), column(type, &Row::b)};
    check({truncate_of, operands, {column(type, &Row::truncated)}});
    check({floor_of, operands, {column(type, &Row::floored)}});
  });
}

Tensor floats(const std::vector<float>& values) {
  Tensor t{float32, {static_cast<std::uint32_t>(values.size())}, {}};
  const auto bytes = std::as_bytes(std::span(values));
  t.bytes.assign(bytes.begin(), bytes.end());
  return t;
}
/// All bits but those of a NaN, of which its sign.
bool same(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) && !std::signbit(a);
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}
/// The operators on these pairs have the bits of the C library.
void check_pairs(const std::vector<float>& a, const std::vector<float>& b) {
  const std::vector operands{floats(a), floats(b)};
  for (const auto& order : backend_orders()) {
    const Tensor truncated = run(truncate_of, operands, order)[0],
                 down = run(floor_of, operands, order)[0];
    std::size_t wrong = 0, at = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const bool right = same(truncated.as<float>()[i], std::fmod(a[i], b[i])) &&
                         same(down.as<float>()[i], static_cast<float>(floored(a[i], b[i])));
      if (!right && wrong++ == 0) at = i;
    }
    INFO(a[at] << " and " << b[at] << ": " << truncated[at] << " and " << down[at]);
    CHECK(wrong == 0);
  }
}

/// Numbers around powers of two, the ends of the range, what is not finite, and both signs.
std::vector<float> notable() {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> v{0,
                       1e-45f,
                       3e-45f,
                       1.17549421e-38f,
                       1.17549435e-38f,
                       0.1f,
                       0.3f,
                       1.0f / 3,
                       2.5f,
                       3,
                       5,
                       7,
                       10,
                       16777215,
                       16777216,
                       33e6f,
                       1e9f,
                       1e10f,
                       123456792.0f,
                       3.4e38f,
                       infinity,
                       NAN,
                       0.09999999f,
                       6.28318548f,
                       268435440.f,  // the largest below 2^28
                       268435456.f,
                       1e-30f,
                       1e30f};
  for (int exponent = -149; exponent < 128; exponent += 9) {
    const float power = std::ldexp(1.f, exponent);
    for (const float x : {power, std::nextafter(power, 0.f), std::nextafter(power, infinity)})
      v.push_back(x);
  }
  for (std::size_t i = 0, n = v.size(); i < n; ++i) v.push_back(-v[i]);
  return v;
}

/// Pairs of floats of any bits; every other pair has a quotient that is within a few units of an
/// integer, or is one.
void random_pairs(std::uint32_t seed, std::size_t count, std::vector<float>& a,
                  std::vector<float>& b) {
  std::mt19937 random(seed);
  const auto any = [&] { return std::bit_cast<float>(static_cast<std::uint32_t>(random())); };
  a.resize(count), b.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = any(), b[i] = any();
    if (i % 2 == 0) continue;
    const auto times = static_cast<float>(random() >> random() % 32);
    a[i] = b[i] * times;
    for (std::uint32_t steps = random() % 3; steps > 0; --steps) a[i] = std::nextafter(a[i], b[i]);
    if (random() % 2) a[i] = -a[i];
  }
}

}  // namespace

TEST_CASE("modulus: every type, broadcast", "[modulus]") {
  const auto truncated = [](double a, double b) { return std::fmod(a, b); };
  check_binary(truncate_of, {float32, int32, int64}, "modulusTruncate", truncated, -100, -1);
  check_binary(floor_of, {float32, int32, int64}, "modulusFloor", floored, 1, 100);
  check_binary(truncate_of, types::any, "modulusTruncate", truncated, 1, 120);
  check_binary(floor_of, types::any, "modulusFloor", floored, 1, 120);
}

TEST_CASE("modulus: the sign is that of the dividend or of the divisor", "[modulus]") {
  check_rows({float32, float16, int32, int64, int8}, {{7, 3, 1, 1},
                                                      {-7, 3, -1, 2},
                                                      {7, -3, 1, -2},
                                                      {-7, -3, -1, -1},
                                                      {6, 3, 0, 0},
                                                      {-6, 3, 0, 0},
                                                      {2, 5, 2, 2},
                                                      {-2, 5, -2, 3},
                                                      {2, -5, 2, -3}});
  check_rows({float32}, {{-1e-20, 1, -1e-20, 1}, {1e-20, -1, 1e-20, -1}});
}

TEST_CASE("modulus: integers are divided by 0 and by -1", "[modulus]") {
  check_rows(integral, {{5, 0, 0, 0}, {0, 0, 0, 0}, {0, 7, 0, 0}, {7, 1, 0, 0}});
  check_rows(signed_integers,
             {{5, -1, 0, 0}, {-5, 0, 0, 0}, {-128, -1, 0, 0}, {127, -128, 127, -1}});
  check_rows({int32}, {{lowest_of(int32), -1, 0, 0},
                       {lowest_of(int32), 0, 0, 0},
                       {lowest_of(int32), highest_of(int32), -1, highest_of(int32) - 1},
                       {highest_of(int32), lowest_of(int32), highest_of(int32), -1}});
  check_rows({uint32}, {{4294967295.0, 4294967294.0, 1, 1}, {4294967295.0, 10, 5, 5}});
  const auto two = [](MLOperandDataType t, const std::vector<std::int64_t>& a,
                      const std::vector<std::int64_t>& b) {
    const Dims shape{static_cast<std::uint32_t>(a.size())};
    return std::vector{integers(t, shape, a), integers(t, shape, b)};
  };
  const auto extremes = two(int64, {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MAX, 9007199254740993},
                            {-1, 0, INT64_MAX, INT64_MIN, 2});
  check({truncate_of, extremes, {integers(int64, {5}, {0, 0, -1, INT64_MAX, 1})}});
  check({floor_of, extremes, {integers(int64, {5}, {0, 0, INT64_MAX - 1, -1, 1})}});
  const auto large = two(uint64, {-1, -1, 5}, {10, -2, -1});
  for (const Build* build : {&truncate_of, &floor_of})
    check({*build, large, {integers(uint64, {3}, {5, 1, 5})}});
}

TEST_CASE("modulus: floats of any quotient, exactly", "[modulus]") {
  check_rows({float32}, {{1e9, 3, 1, 1},
                         {1.0f, 0.1f, 0.09999999f, 0.09999999f},
                         {33e6, 7, 5, 5},
                         {-33e6, 7, -5, 2},
                         {3e38, 1e-38, std::fmod(3e38f, 1e-38f), std::fmod(3e38f, 1e-38f)}});
  const std::vector<float> values = notable();
  std::vector<float> a, b;
  for (const float x : values)
    for (const float y : values) a.push_back(x), b.push_back(y);
  check_pairs(a, b);
  random_pairs(38, 200'000, a, b);
  check_pairs(a, b);
}

TEST_CASE("modulus: ten million pairs of floats", "[.][modulus]") {
  std::vector<float> a, b;
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    random_pairs(seed, 1'000'000, a, b);
    check_pairs(a, b);
  }
}

TEST_CASE("modulus: what is not finite, and zeros", "[modulus]") {
  check_rows(types::floats, {{1, 0, NAN, NAN},
                             {0, 0, NAN, NAN},
                             {INFINITY, 2, NAN, NAN},
                             {-INFINITY, INFINITY, NAN, NAN},
                             {2, NAN, NAN, NAN},
                             {NAN, 2, NAN, NAN},
                             {5, INFINITY, 5, 5},
                             {-5, INFINITY, -5, INFINITY},
                             {5, -INFINITY, 5, -INFINITY},
                             {0, -INFINITY, 0, -0.0}});
  for_each_type(types::floats, [](MLOperandDataType type) {
    const std::vector operands{tensor(type, {6}, {0, -0.0, 0, -0.0, 6, -6}),
                               tensor(type, {6}, {3, 3, -3, -3, -3, 3})};
    for (const auto& order : backend_orders()) {
      const Tensor truncated = run(truncate_of, operands, order)[0],
                   down = run(floor_of, operands, order)[0];
      for (std::size_t i = 0; i < 6; ++i) {
        CHECK(truncated[i] == 0);
        CHECK(std::signbit(truncated[i]) == std::signbit(operands[0][i]));
        CHECK(down[i] == 0);
        CHECK(std::signbit(down[i]) == std::signbit(operands[1][i]));
      }
    }
  });
}

TEST_CASE("modulus: float16, each against some", "[modulus]") {
  std::vector<double> a, b, truncated, down;
  for (const double divisor : {0.1, 3.0, 7.0, 1000.0, 65504.0, 6e-8, 6.2e-5, -0.3, -5.0})
    for (std::uint32_t bits = 0; bits < 65536; bits += 7) {
      const double x = float16_value(static_cast<std::uint16_t>(bits));
      const double y = float16_value(float16_bits(static_cast<float>(divisor)));
      a.push_back(x), b.push_back(y);
      truncated.push_back(std::fmod(x, y)), down.push_back(floored(x, y));
    }
  const Dims shape{static_cast<std::uint32_t>(a.size())};
  const std::vector operands{tensor(float16, shape, a), tensor(float16, shape, b)};
  check({truncate_of, operands, {tensor(float16, shape, truncated)}});
  check({floor_of, operands, {tensor(float16, shape, down)}});
}

TEST_CASE("modulus: of float16 that was computed before, as rounded to float16", "[modulus]") {
  // 3 * 0.3333 is 1 in float16, and 0.99976 in float32.
  const Build product = [](MLGraphBuilder& b, Build::Operands x) {
    const MLOperand third = b.mul(x[0], x[1]), one = b.constant(float16, 1);
    return std::vector{b.modulusTruncate(third, one), b.modulusFloor(third, one)};
  };
  const double third = float16_value(float16_bits(1.0f / 3));
  REQUIRE(third * 3 < 1);
  const Tensor zero = tensor(float16, {1}, {0});
  check({product, {tensor(float16, {1}, {3}), tensor(float16, {1}, {third})}, {zero, zero}});
}
