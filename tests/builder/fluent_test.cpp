// Operators on operands: what they add to the graph, and numbers that a data type does not have.
#include "webnn/fluent.h"

#include <limits>

#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/draft2023.h"
#include "webnn/webnn.h"

using namespace webnn;
using webnn::test::thrown;

namespace {

MLContext reference() { return MLContext({.threads = 1, .backends = {"reference"}}); }

template <class T> T value_of(const MLContext& context, MLGraphBuilder& b, const MLOperand& y) {
  MLContext c = context;
  const MLGraph graph = b.build({{"y", y}});
  std::vector<T> in(1, T(6)), out(1);
  c.compute(graph, {{"x", in}}, {{"y", out}});
  return out[0];
}

TEST_CASE("fluent: numbers have the data type of the operand") {
  const MLContext context = reference();
  const auto with = [&]<class T>(MLOperandDataType type, T, auto&& f) {
    MLGraphBuilder b(context);
    return value_of<T>(context, b, f(b.input("x", {type, {1}})));
  };
  CHECK(with(int32, std::int32_t{}, [](auto x) { return x * 3 - 1; }) == 17);
  CHECK(with(int32, std::int32_t{}, [](auto x) { return x * 2.0; }) == 12);  // 2.0 is an integer
  CHECK(with(uint8, std::uint8_t{}, [](auto x) { return x + 249; }) == 255);
  CHECK(with(float32, float{}, [](auto x) { return 1 / (x * 0.1); }) == 1 / (6 * 0.1f));
  CHECK(with(int64, std::int64_t{}, [](auto x) {
          return x - std::numeric_limits<std::int64_t>::max();
        }) == 6 - std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("fluent: functions of an operand and a number") {
  const MLContext context = reference();
  const auto with = [&](auto&& f) {  // f(6)
    MLGraphBuilder b(context);
    return value_of<float>(context, b, f(b.input("x", {float32, {1}})));
  };
  CHECK(with([](auto x) { return fluent::add(x, 2); }) == 8);
  CHECK(with([](auto x) { return fluent::sub(2, x); }) == -4);
  CHECK(with([](auto x) { return fluent::mul(x, x); }) == 36);
  CHECK(with([](auto x) { return fluent::div(x, 4); }) == 1.5f);
  CHECK(with([](auto x) { return fluent::max(x, 7); }) == 7);
  CHECK(with([](auto x) { return fluent::min(7, x); }) == 6);
  CHECK(with([](auto x) { return fluent::pow(x, 2); }) == 36);
  CHECK(with([](auto x) { return fluent::modulusFloor(x, -4); }) == -2);
  CHECK(with([](auto x) { return fluent::modulusTruncate(-8, x); }) == -2);
  draft2023::MLGraphBuilder older(context);
  const MLOperand x = older.input("x", {float32, {1}});
  float y = 0;
  draft2023::computeSync(context, older.build({{"y", fluent::add(x, 2)}}),
                         {{"x", std::vector<float>{6}}}, {{"y", std::span(&y, 1)}});
  CHECK(y == 8);
}

TEST_CASE("fluent: a number that the data type does not have is refused") {
  MLGraphBuilder b(reference());
  const MLOperand i = b.input("i", {int32, {1}}), u = b.input("u", {uint8, {1}}),
                  h = b.input("h", {float16, {1}}), f = b.input("f", {float32, {1}});
  CHECK(thrown([&] { i * 0.5; }) ==
        "TypeError mul: the number (0.5) is not one of int32, the data type of the other operand.");
  CHECK(thrown([&] { u + 300; }) ==
        "TypeError add: the number (300) is not one of uint8, the data type of the other operand.");
  CHECK(thrown([&] { -1 - u; }) ==
        "TypeError sub: the number (-1) is not one of uint8, the data type of the other operand.");
  CHECK(thrown([&] { i < 2147483648u; }).find("TypeError lesser: ") == 0);
  CHECK(thrown([&] { i == std::nan(""); }).find("TypeError equal: ") == 0);
  CHECK(thrown([&] { h * 70000; }).find("TypeError mul: the number (70000)") == 0);
  CHECK(thrown([&] { f * 1e39; }).find("TypeError mul: ") == 0);
  CHECK((f * std::numeric_limits<float>::infinity()).dataType() == float32);
  CHECK((h * 65504).dataType() == float16);
}

TEST_CASE("fluent: shapes from integers of any type") {
  const int rows = 2;
  const std::size_t columns = 3;
  CHECK(fluent::dims(rows, columns, 4u) == Dims{2, 3, 4});
  CHECK(fluent::dims() == Dims{});
  CHECK(fluent::dims(std::vector<int>{1, 5}) == Dims{1, 5});
  CHECK(fluent::dims(std::array<std::int64_t, 1>{7}) == Dims{7});
  CHECK(thrown([] { fluent::dims(1, -2); }) ==
        "TypeError dims: size 1 (-2) is not between 0 and 4294967295.");
  CHECK(thrown([] { fluent::dims(std::vector<std::size_t>{std::size_t{1} << 32}); }) ==
        "TypeError dims: size 0 (4294967296) is not between 0 and 4294967295.");
}

TEST_CASE("fluent: operators on shapes") {
  MLGraphBuilder b(reference());
  const fluent::Operand x = b.input("x", {float32, {"batch", 3, 4}});
  CHECK(x.rank() == 3);
  fluent::Operand rows = x, flat = x;
  CHECK(fluent::Operand(rows.dimension(0) * 3u).rank() == 0);
  const fluent::Operand y = flat.reshapeTo2d({.axis = 2});
  CHECK(y.rank() == 2);
  fluent::Operand taller = fluent::Operand(b.unsqueeze(y, {0}));
  CHECK(taller.squeeze({.axes = Dims{0}}).rank() == 2);
  const MLGraph graph = b.build({{"y", y}});
  CHECK(graph.computeShapes({{"x", {5, 3, 4}}})[0].descriptor.shape == Dims{15, 4});
}

TEST_CASE("fluent: results of an operator by name") {
  MLGraphBuilder b(reference());
  const MLOperand x = b.input("x", {float32, {4}});
  const auto [first, second] = fluent::results<2>(b.split(x, 2));
  CHECK(first.shape() == Dims{2});
  CHECK_FALSE(first.is(second));
  fluent::Operand y = x;
  const auto [only] = fluent::results<1>(y.split(1));
  CHECK(only.shape() == Dims{4});
  CHECK(thrown([&] { fluent::results<3>(b.split(x, 2)); }) ==
        "TypeError results: there are 2 results, not 3.");
}

}  // namespace
