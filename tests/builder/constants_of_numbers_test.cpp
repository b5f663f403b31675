// constant() of numbers in double precision: each is converted to the data type.
#include <limits>

#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/webnn.h"

using namespace webnn;
using test::thrown;

namespace {

MLContext alone() { return MLContext({.threads = 1, .backends = {"reference"}}); }

/// The elements of a constant, as a graph has them.
template <class T> std::vector<T> elements(MLContext& context, MLGraphBuilder& b, MLOperand c) {
  std::vector<T> y(element_count(c.shape()));
  const MLGraph graph = b.build({{"y", b.identity(b.reshape(c, {element_count(c.shape())}))}});
  context.compute(graph, {}, {{"y", y}});
  return y;
}

TEST_CASE("a constant of doubles, in braces, in a vector and as a span") {
  MLContext context = alone();
  const std::vector<double> values{1.0, 2.5};
  for (int how = 0; how < 3; ++how) {
    MLGraphBuilder b(context);
    const MLOperand c = how == 0   ? b.constant({float32, {2}}, {1.0, 2.5})
                        : how == 1 ? b.constant({float32, {2}}, values)
                                   : b.constant({float32, {2}}, std::span<const double>(values));
    CHECK(c.dataType() == float32);
    CHECK(elements<float>(context, b, c) == std::vector{1.f, 2.5f});
  }
}

TEST_CASE("integers and truths in braces are numbers for any data type") {
  MLContext context = alone();
  const auto as = [&]<class T>(MLOperandDataType type, T) {
    MLGraphBuilder b(context);
    return elements<T>(context, b, b.constant({type, {3}}, {1, 0, 100}));
  };
  CHECK(as(float32, 0.f) == std::vector{1.f, 0.f, 100.f});
  CHECK(as(int32, std::int32_t{}) == std::vector{1, 0, 100});
  CHECK(as(int64, std::int64_t{}) == std::vector<std::int64_t>{1, 0, 100});
  CHECK(as(uint8, std::uint8_t{}) == std::vector<std::uint8_t>{1, 0, 100});
  MLGraphBuilder b(context);
  const MLOperand truths = b.constant({uint8, {2}}, {true, false});
  CHECK(elements<std::uint8_t>(context, b, truths) == std::vector<std::uint8_t>{1, 0});
  const std::string reason = "the number of values (3) is not that of the elements of [2] (2).";
  CHECK(thrown([&] {
          MLGraphBuilder(context).constant({float32, {2}}, {1, 2, 3});
        }).find(reason) != std::string::npos);
}

TEST_CASE("doubles are rounded to nearest and saturate") {
  MLContext context = alone();
  const auto as = [&]<class T>(MLOperandDataType type, T) {
    MLGraphBuilder b(context);
    return elements<T>(context, b, b.constant({type, {4}}, {0.1, -2.5, 300.7, 1e30}));
  };
  CHECK(as(float32, 0.f) == std::vector{0.1f, -2.5f, 300.7f, 1e30f});
  CHECK(as(int32, std::int32_t{}) ==
        std::vector{0, -2, 301, std::numeric_limits<std::int32_t>::max()});
  CHECK(as(uint8, std::uint8_t{}) == std::vector<std::uint8_t>{0, 0, 255, 255});
  CHECK(as(bfloat16, std::uint16_t{}) ==
        std::vector<std::uint16_t>{0x3dcd, 0xc020, 0x4396, 0x714a});
  CHECK(as(float8e4m3, std::uint8_t{}) == std::vector<std::uint8_t>{0x1d, 0xc2, 0x79, 0x7e});
}

TEST_CASE("there is a number for each element") {
  MLContext context = alone();
  MLGraphBuilder b(context);
  const std::string error = thrown([&] { b.constant({float32, {2}}, {1.0, 2.0, 3.0}); });
  INFO(error);
  CHECK(error.starts_with("TypeError "));
  CHECK(error.find('3') != std::string::npos);
  CHECK(b.constant({float32, {}}, {1.0}).shape().empty());
}

}  // namespace
