// Constants that are given as numbers, in every data type.
#include <cmath>
#include <cstring>

#include "tests/support/builder.h"
#include "tests/support/catch.h"
#include "tests/support/tensor.h"
#include "tests/support/thrown.h"
#include "webnn/webnn.h"

using namespace webnn;
using namespace webnn::test;

namespace {

Tensor elements_of(const MLOperand& x) {
  const auto bytes = x.constant()->bytes();
  return {x.dataType(), x.shape(), {bytes.begin(), bytes.end()}};
}

}  // namespace

TEST_CASE("a constant of numbers has their nearest in each data type") {
  test::Builder b;
  const std::vector<double> values{0, 1.5, 2.5, 3, 7, 100};
  for_each_type(types::any, [&](MLOperandDataType type) {
    CAPTURE(type);
    const MLOperand x = b.constant({type, {2, 3}}, values);
    CHECK(x.dataType() == type);
    CHECK(x.shape() == Dims{2, 3});
    const Tensor t = elements_of(x);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double even = std::nearbyint(values[i]);
      const double expected = is_float(type) ? MLNumber(values[i]).to(type).as_double() : even;
      CHECK(t[i] == expected);
    }
  });
  const Tensor four = elements_of(b.constant({int4, {3}}, {-9.0, 7.6, -1.5}));
  CHECK(four.bytes.size() == 2);
  CHECK((four[0] == -8 && four[1] == 7 && four[2] == -2));
}

TEST_CASE("a constant of numbers: what is beyond the range, NaN, and signs of zero") {
  test::Builder b;
  const auto bits = [&](MLOperandDataType type, std::initializer_list<double> values) {
    const MLOperand x = b.constant({type, {static_cast<std::uint32_t>(values.size())}}, values);
    const auto bytes = x.constant()->bytes();
    std::vector<std::uint32_t> all;
    const std::size_t width = bytes.size() / values.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint32_t v = 0;
      std::memcpy(&v, &bytes[i * width], width);
      all.push_back(v);
    }
    return all;
  };
  using Bits = std::vector<std::uint32_t>;
  CHECK(bits(bfloat16, {1.0, -2.0, 1e39, -1e39, 3.4e38, -0.0}) ==
        Bits{0x3f80, 0xc000, 0x7f80, 0xff80, 0x7f80, 0x8000});
  CHECK(bits(float8e4m3, {1.0, -2.0, 449.0, -1e9, 0x1p-9, -0.0}) ==
        Bits{0x38, 0xc0, 0x7e, 0xfe, 0x01, 0x80});
  CHECK((bits(float8e4m3, {NAN})[0] & 0x7f) == 0x7f);
  CHECK(bits(uint8, {NAN, 300.0, -1.0}) == Bits{0, 255, 0});
  const MLOperand scalar = b.constant(float8e4m3, 20.0);
  CHECK(scalar.shape().empty());
  CHECK(scalar.constant()->bytes()[0] == std::byte{0x5a});
}

TEST_CASE("a constant of numbers has one for each element") {
  test::Builder b;
  CHECK(thrown([&] {
          b.constant({bfloat16, {2, 2}}, {1.0, 2.0, 3.0});
        }).find("the number of values (3) is not that of the elements of") != std::string::npos);
  CHECK(thrown([&] {
          b.constant({float32, {0}}, std::span<const double>());
        }).find("dimension 0") != std::string::npos);
}

TEST_CASE("tensors of bfloat16 and float8e4m3 take views of their elements, and of bits") {
  MLContext context = plain_context();
  for (const MLOperandDataType type : {bfloat16, float8e4m3}) {
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {type, {4}});
    const MLGraph graph = b.build({{"y", b.neg(b.cast(x, float32))}});
    float y[4];
    if (type == bfloat16) {
      const BFloat16 v[] = {BFloat16(1), BFloat16(-2.5f), BFloat16(0.5f), BFloat16(448)};
      context.compute(graph, {{"x", v}}, {{"y", y}});
      const std::uint16_t bits[] = {v[0].bits, v[1].bits, v[2].bits, v[3].bits};
      CHECK((y[0] == -1 && y[1] == 2.5f && y[2] == -0.5f && y[3] == -448));
      context.compute(graph, {{"x", bits}}, {{"y", y}});
      const Float8E4M3 other[4];
      CHECK(thrown([&] { context.compute(graph, {{"x", other}}, {{"y", y}}); }) != "nothing");
    } else {
      const Float8E4M3 v[] = {Float8E4M3(1), Float8E4M3(-2.5f), Float8E4M3(0.5f), Float8E4M3(448)};
      context.compute(graph, {{"x", v}}, {{"y", y}});
    }
    CHECK((y[0] == -1 && y[1] == 2.5f && y[2] == -0.5f && y[3] == -448));
  }
}

TEST_CASE("graphs with bfloat16 and float8e4m3 are printed with the names of the types") {
  test::Builder b;
  const MLOperand x = b.input("x", {bfloat16, {2}});
  const MLGraph graph = b.build({{"y", b.cast(b.mul(x, b.constant(bfloat16, 0.5)), float8e4m3)}});
  const std::string text = to_text(graph.graph());
  CHECK(text.find("bfloat16") != std::string::npos);
  CHECK(text.find("float8e4m3") != std::string::npos);
}
