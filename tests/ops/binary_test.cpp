#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const Build add_of = [](MLGraphBuilder& b, Build::Operands x) { return b.add(x[0], x[1]); };
const Build sub_of = [](MLGraphBuilder& b, Build::Operands x) { return b.sub(x[0], x[1]); };
const Build mul_of = [](MLGraphBuilder& b, Build::Operands x) { return b.mul(x[0], x[1]); };
const Build div_of = [](MLGraphBuilder& b, Build::Operands x) { return b.div(x[0], x[1]); };
const Build max_of = [](MLGraphBuilder& b, Build::Operands x) { return b.max(x[0], x[1]); };
const Build min_of = [](MLGraphBuilder& b, Build::Operands x) { return b.min(x[0], x[1]); };
const Build pow_of = [](MLGraphBuilder& b, Build::Operands x) { return b.pow(x[0], x[1]); };

constexpr DataTypes integral{int32, uint32, int64, uint64, int8, uint8};
constexpr DataTypes signed_integers{int32, int64, int8};

struct Row {
  double a, b, y;
};
/// y = f(a, b), for rows of the three.
void check_rows(const Build& build, DataTypes types, std::string_view op,
                const std::vector<Row>& rows) {
  std::vector<double> a, b, y;
  for (const Row& r : rows) {
    a.push_back(r.a);
    b.push_back(r.b);
    y.push_back(r.y);
  }
  const Dims shape{static_cast<std::uint32_t>(rows.size())};
  for_each_type(types, [&](MLOperandDataType type) {
    check({build,
           {tensor(type, shape, a), tensor(type, shape, b)},
           {tensor(type, shape, y)},
           tolerance_of(op, type)});
  });
}

}  // namespace

TEST_CASE("add, sub and mul: every type, broadcast", "[binary]") {
  const auto plus = [](double a, double b) { return a + b; };
  const auto minus = [](double a, double b) { return a - b; };
  const auto times = [](double a, double b) { return a * b; };
  check_binary(add_of, types::any, "add", plus, -60, 60);
  check_binary(sub_of, {float32, float16, int32, int64, int8}, "sub", minus, -60, 60);
  check_binary(mul_of, types::any, "mul", times, -11, 11);
}

TEST_CASE("add, sub and mul: integers wrap", "[binary]") {
  check_rows(add_of, {int8}, "add", {{127, 1, -128}, {-128, -1, 127}});
  check_rows(add_of, {uint8}, "add", {{255, 1, 0}});
  check_rows(sub_of, {uint8}, "sub", {{0, 1, 255}});
  check_rows(mul_of, {int8}, "mul", {{127, 127, 1}, {-128, -128, 0}, {-128, -1, -128}});
  check_rows(add_of, {int32}, "add", {{2147483647, 1, -2147483648.0}});
  check_rows(sub_of, {uint32}, "sub", {{0, 1, 4294967295.0}});
  check_rows(mul_of, {int32}, "mul", {{65536, 65536, 0}, {46341, 46341, -2147479015.0}});
  check_rows(mul_of, {uint32}, "mul", {{65537, 65537, 131073}});
  const auto two = [](MLOperandDataType t, std::int64_t a, std::int64_t b) {
    return std::vector{integers(t, {1}, {a}), integers(t, {1}, {b})};
  };
  check({add_of, two(int64, INT64_MAX, 1), {integers(int64, {1}, {INT64_MIN})}});
  check(
      {mul_of, two(int64, 3037000500, 3037000500), {integers(int64, {1}, {-9223372036709301616})}});
  check({mul_of, two(uint64, -1, -1), {integers(uint64, {1}, {1})}});
  check({sub_of, two(uint64, 0, 1), {integers(uint64, {1}, {-1})}});
}

TEST_CASE("div: truncates toward zero, and traps for nothing", "[binary]") {
  check_binary(
      div_of, types::floats, "div", [](double a, double b) { return a / b; }, 0.5, 9);
  check_binary(
      div_of, integral, "div", [](double a, double b) { return std::trunc(a / b); }, 1, 100);
  check_rows(div_of, signed_integers, "div", {{-7, 2, -3}, {7, -2, -3}, {-7, -2, 3}});
  check_rows(div_of, integral, "div", {{5, 0, 0}, {0, 0, 0}, {7, 7, 1}});
  check_rows(div_of, {int8}, "div", {{-128, -1, -128}});
  check_rows(div_of, {int32}, "div", {{lowest_of(int32), -1, lowest_of(int32)}});
  check({div_of,
         {integers(int64, {2}, {INT64_MIN, INT64_MIN}), integers(int64, {2}, {-1, 0})},
         {integers(int64, {2}, {INT64_MIN, 0})}});
  check_rows(div_of, types::floats, "div",
             {{1, 0, INFINITY},
              {-1, 0, -INFINITY},
              {0, 0, NAN},
              {1, -0.0, -INFINITY},
              {INFINITY, INFINITY, NAN},
              {1, INFINITY, 0}});
}

TEST_CASE("max and min: every type; NaN propagates, +0 is larger than -0", "[binary]") {
  check_binary(
      max_of, types::any, "max", [](double a, double b) { return std::max(a, b); }, -100, 100);
  check_binary(
      min_of, types::any, "min", [](double a, double b) { return std::min(a, b); }, -100, 100);
  for (const Build* build : {&max_of, &min_of})
    check_rows(*build, types::floats, "max", {{NAN, 1, NAN}, {1, NAN, NAN}, {NAN, NAN, NAN}});
  check_rows(max_of, types::floats, "max", {{-INFINITY, -1, -1}, {INFINITY, 1, INFINITY}});
  const auto zeros = std::vector{tensor(float32, {2}, {0, -0.0}), tensor(float32, {2}, {-0.0, 0})};
  for (std::size_t i : {0, 1}) {
    CHECK_FALSE(std::signbit(run(max_of, zeros)[0][i]));
    CHECK(std::signbit(run(min_of, zeros)[0][i]));
  }
  const auto large = std::vector{integers(int64, {1}, {9007199254740993}),
                                 integers(int64, {1}, {9007199254740992})};
  check({max_of, large, {large[0]}});
  check({min_of, large, {large[1]}});
  check({max_of,
         {integers(uint64, {1}, {-1}), integers(uint64, {1}, {1})},
         {integers(uint64, {1}, {-1})}});
}

TEST_CASE("pow: floats, and integers by repeated products", "[binary]") {
  check_binary(
      pow_of, types::floats, "pow", [](double a, double b) { return std::pow(a, b); }, 0.25, 4);
  check_rows(pow_of, types::floats, "pow",
             {{-2, 3, -8},
              {-2, 0.5, NAN},
              {4, 0.5, 2},
              {-3, 2, 9},
              {0, 0, 1},
              {2, -1, 0.5},
              {NAN, 0, 1},
              {INFINITY, -1, 0}});
  check_rows(pow_of, integral, "pow", {{2, 6, 64}, {3, 4, 81}, {0, 0, 1}, {5, 1, 5}, {1, 100, 1}});
  check_rows(pow_of, signed_integers, "pow",
             {{-2, 3, -8}, {2, -1, 0}, {-1, -3, -1}, {-1, -2, 1}, {1, -5, 1}});
  check_rows(pow_of, {uint8}, "pow", {{2, 8, 0}, {3, 6, 217}});
  check_rows(pow_of, {int32}, "pow", {{2, 31, -2147483648.0}});
}

TEST_CASE("binary: one element in many dimensions, and a row against a column", "[binary]") {
  check_rows(add_of, {float32}, "add", {{0.2, 0.8, 1}});
  const Tensor row = tensor(float32, {1, 3}, {1, 2, 3}), column = tensor(float32, {2, 1}, {10, 20});
  check({add_of, {row, column}, {tensor(float32, {2, 3}, {11, 12, 13, 21, 22, 23})}});
  check({sub_of, {column, row}, {tensor(float32, {2, 3}, {9, 8, 7, 19, 18, 17})}});
}
