// Quantized tensors: types, blocks that do not divide an axis, and operators on them.
#include <cmath>

#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::onnx::test;
using webnn::test::tensor;
using enum webnn::onnx::ElementType;

namespace {

Message uint8s(std::string_view name, const Ints& dims, const std::vector<std::uint8_t>& values) {
  return onnx::test::tensor(name, UINT8, dims, values);
}
Message int8s(std::string_view name, const Ints& dims, const std::vector<std::int8_t>& values) {
  return onnx::test::tensor(name, INT8, dims, values);
}
Message float16s(std::string_view name, const Ints& dims, const std::vector<double>& values) {
  return raw_tensor(name, FLOAT16, dims,
                    tensor(float16, {static_cast<std::uint32_t>(values.size())}, values).bytes);
}

/// One node with x, constants and the result y.
Writer node(std::string_view op, const Names& inputs, const std::vector<std::string>& dims,
            onnx::ElementType type, const std::vector<Message>& attributes = {},
            std::int64_t opset = 23) {
  Writer w;
  w.opset = opset;
  w.input("x", dims, type).output("y").node(op, inputs, {"y"}, attributes);
  return w;
}
/// A model of an operator of com.microsoft.
Writer contrib(std::string_view op, const Names& inputs, const std::vector<std::string>& dims,
               onnx::ElementType type, const std::vector<Message>& attributes = {}) {
  Writer w;
  w.domains.push_back({"com.microsoft", 1});
  w.input("x", dims, type).output("y").node(op, inputs, {"y"}, attributes, "com.microsoft");
  return w;
}

}  // namespace

TEST_CASE("onnx: blocks have the size of block_size, and the last ones may be smaller") {
  const Tensor x = tensor(int8, {1, 6}, {1, 2, 3, 4, 5, 6});
  Writer w = node("DequantizeLinear", {"x", "scale", "zero"}, {"1", "6"}, INT8,
                  {attribute("axis", 1), attribute("block_size", 4)});
  w.initializer(floats("scale", {1, 2}, {1, 10})).initializer(int8s("zero", {1, 2}, {0, 1}));
  CHECK(elements(run(w.file(), {{"x", x}}).at(0)) == Doubles{1, 2, 3, 4, 40, 50});

  Writer q = node("QuantizeLinear", {"x", "scale"}, {"1", "5"}, FLOAT,
                  {attribute("axis", 1), attribute("block_size", 3), attribute("output_dtype", 3)});
  q.initializer(floats("scale", {1, 2}, {1, 10}));
  const Tensor f = tensor(float32, {1, 5}, {1, -2, 3, 40, -50});
  CHECK(elements(run(q.file(), {{"x", f}}).at(0)) == Doubles{1, -2, 3, 4, -5});

  Writer wrong = node("DequantizeLinear", {"x", "scale"}, {"1", "6"}, INT8,
                      {attribute("axis", 1), attribute("block_size", 2)});
  wrong.initializer(floats("scale", {1, 2}, {1, 10}));
  CHECK(refusal(wrong) ==
        "DataError onnx: node 0 (DequantizeLinear-23): blocks of 2 elements of dimension 1 (6) are "
        "not 2.");
}

TEST_CASE("onnx: GatherBlockQuantized has blocks of block_size") {
  Writer w;
  w.domains.push_back({"com.microsoft", 1});
  w.input("at", {"1"}, INT64).output("y");
  std::vector<std::uint8_t> data(24, 130);
  w.initializer(uint8s("data", {1, 24}, data)).initializer(floats("scale", {1, 2}, {1, 10}));
  w.node("GatherBlockQuantized", {"data", "at", "scale"}, {"y"},
         {attribute("bits", 8), attribute("block_size", 16)}, "com.microsoft");
  Doubles expected(16, 2);
  expected.resize(24, 20);
  CHECK(elements(run(w.file(), {{"at", tensor(int64, {1}, {0})}}).at(0)) == expected);
}

TEST_CASE("onnx: QuantizeLinear divides as the wider type") {
  Writer w = node("QuantizeLinear", {"x", "scale", "zero"}, {"4"}, FLOAT);
  w.initializer(float16s("scale", {}, {0.1})).initializer(int8s("zero", {}, {1}));
  // The float16 of 12.547 is 12.546875, whose quotient is below 125.5.
  const Tensor x = tensor(float32, {4}, {12.5445, 12.547, -1, 0});
  CHECK(elements(run(w.file(), {{"x", x}}).at(0)) == Doubles{126, 127, -9, 1});

  Writer i = node("QuantizeLinear", {"x", "scale", "zero"}, {"3"}, INT32);
  i.initializer(float16s("scale", {}, {1000})).initializer(int8s("zero", {}, {0}));
  const Tensor large = tensor(int32, {3}, {70000, -90000, 0});  // beyond float16
  CHECK(elements(run(i.file(), {{"x", large}}).at(0)) == Doubles{70, -90, 0});
}

TEST_CASE("onnx: DequantizeLinear computes in the type of output_dtype") {
  Writer w = node("DequantizeLinear", {"x", "scale"}, {"2"}, INT32, {attribute("output_dtype", 1)});
  w.initializer(float16s("scale", {}, {1.5}));
  const Tensor x = tensor(int32, {2}, {200000, 3});  // beyond float16
  const Tensor y = run(w.file(), {{"x", x}}).at(0);
  CHECK(y.type == float32);
  CHECK(elements(y) == Doubles{300000, 4.5});
}

TEST_CASE("onnx: DynamicQuantizeLinear of zeros has the scale 1") {
  Writer w;
  w.input("x", {"3"}).output("y").output("scale").output("zero");
  w.node("DynamicQuantizeLinear", {"x"}, {"y", "scale", "zero"});
  const auto results = run(w.file(), {{"x", tensor(float32, {3}, {0, 0, 0})}});
  CHECK(elements(results.at(0)) == Doubles{0, 0, 0});
  CHECK(elements(results.at(1)) == Doubles{1});
  CHECK(elements(results.at(2)) == Doubles{0});
}

TEST_CASE("onnx: QLinearConcat, QLinearAveragePool and QGemm of com.microsoft") {
  const std::vector<Message> half{floats("half", {}, {0.5}), floats("one", {}, {1}),
                                  uint8s("zero", {}, {10}), uint8s("none", {}, {0})};
  const auto with = [](Writer w, const std::vector<Message>& tensors) {
    for (const Message& t : tensors) w.initializer(t);
    return w.file();
  };
  const Tensor x = tensor(uint8, {1, 2}, {12, 20});  // 1 and 5
  auto w = with(contrib("QLinearConcat", {"one", "none", "x", "half", "zero", "k", "one", "none"},
                        {"1", "2"}, UINT8, {attribute("axis", 1)}),
                half);
  CHECK(refusal(w).find("\"k\"") != std::string::npos);
  std::vector<Message> more = half;
  more.push_back(uint8s("k", {1, 1}, {7}));
  w = with(contrib("QLinearConcat", {"one", "none", "x", "half", "zero", "k", "one", "none"},
                   {"1", "2"}, UINT8, {attribute("axis", 1)}),
           more);
  CHECK(elements(run(w, {{"x", x}}).at(0)) == Doubles{1, 5, 7});

  w = with(contrib("QLinearAveragePool", {"x", "half", "zero", "one", "none"}, {"1", "1", "2", "1"},
                   UINT8, {attribute("kernel_shape", Ints{1, 2}), attribute("channels_last", 1)}),
           half);
  CHECK(elements(run(w, {{"x", tensor(uint8, {1, 1, 2, 1}, {12, 20})}}).at(0)) == Doubles{3});

  more = half;
  more.push_back(uint8s("b", {1, 2}, {2, 3}));
  more.push_back(onnx::test::tensor("c", INT32, {1}, std::vector<std::int32_t>{4}));
  w = with(contrib("QGemm", {"x", "half", "zero", "b", "one", "none", "c"}, {"1", "2"}, UINT8,
                   {attribute("transB", 1), attribute("alpha", 2.0f)}),
           more);
  CHECK(elements(run(w, {{"x", x}}).at(0)) == Doubles{2 * (2 + 15 + 0.5 * 4)});
}

TEST_CASE("onnx: QLinearSoftmax and QLinearWhere of com.microsoft, INT8 and UINT8") {
  // log 3 and 0, of two elements and of all four.
  const Message half = floats("s", {}, {std::log(3.f)}), fine = floats("t", {}, {1.f / 240});
  for (const bool is_signed : {false, true})
    for (const int opset : {13, 12}) {
      CAPTURE(is_signed, opset);
      const auto type = is_signed ? INT8 : UINT8;
      const int shift = is_signed ? -128 : 0;
      Writer w = contrib("QLinearSoftmax", {"x", "s", "z", "t", "zero"}, {"1", "2", "2"}, type,
                         {attribute("axis", 1), attribute("opset", opset)});
      w.initializer(half).initializer(fine);
      for (const char* name : {"z", "zero"})
        w.initializer(is_signed ? int8s(name, {}, {-128}) : uint8s(name, {}, {0}));
      const Tensor x = tensor(is_signed ? int8 : uint8, {1, 2, 2},
                              {shift + 1.0, shift + 1.0, shift + 0.0, shift + 1.0});
      const Doubles expected = opset == 13 ? Doubles{180, 120, 60, 120} : Doubles{72, 72, 24, 72};
      const Doubles y = elements(run(w.file(), {{"x", x}}).at(0));
      for (std::size_t i = 0; i < 4; ++i) CHECK(y[i] == expected[i] + shift);
    }

  for (const bool is_signed : {false, true}) {
    Writer w = contrib("QLinearWhere", {"c", "x", "half", "a", "k", "two", "b", "one", "d"}, {"3"},
                       is_signed ? INT8 : UINT8);
    w.initializer(floats("half", {}, {0.5})).initializer(floats("two", {}, {2}));
    w.initializer(floats("one", {}, {1}));
    w.initializer(onnx::test::tensor("c", BOOL, {3}, std::vector<std::uint8_t>{1, 0, 1}));
    const auto zero = [&](const char* name, int v) {
      return is_signed ? int8s(name, {}, {static_cast<std::int8_t>(v)})
                       : uint8s(name, {}, {static_cast<std::uint8_t>(v)});
    };
    w.initializer(zero("a", 4)).initializer(zero("b", 3)).initializer(zero("d", 10));
    w.initializer(is_signed ? int8s("k", {1}, {5}) : uint8s("k", {1}, {5}));
    const Tensor x = tensor(is_signed ? int8 : uint8, {3}, {10, 10, 7});  // 3, 3 and 1.5
    CHECK(elements(run(w.file(), {{"x", x}}).at(0)) == Doubles{13, 14, 12});
  }
}

TEST_CASE("onnx: INT16 and UINT16 are quantized as int32 with their bounds") {
  for (const bool is_signed : {false, true}) {
    CAPTURE(is_signed);
    const auto type = is_signed ? INT16 : UINT16;
    const double low = is_signed ? -32768 : 0, high = low + 65535;
    const auto zero = [&](const char* name, int v) {
      return is_signed
                 ? onnx::test::tensor(name, type, {},
                                      std::vector<std::int16_t>{static_cast<std::int16_t>(v)})
                 : onnx::test::tensor(name, type, {},
                                      std::vector<std::uint16_t>{static_cast<std::uint16_t>(v)});
    };
    const int z = is_signed ? -7 : 40000;
    // By the zero point, through an operator that moves elements; the integers are an output too.
    Writer w;
    w.opset = 21;
    w.input("x", {"5"}).output("r").output("q");
    w.initializer(floats("s", {}, {0.5})).initializer(zero("z", z));
    w.initializer(int64s("shape", {2}, {5, 1}));
    w.node("QuantizeLinear", {"x", "s", "z"}, {"q"});
    w.node("Reshape", {"q", "shape"}, {"v"});
    w.node("DequantizeLinear", {"v", "s", "z"}, {"r"});
    const Tensor x = tensor(float32, {5}, {1.2, -3, 1e9, -1e9, 0.25});
    const auto results = run(w.file(), {{"x", x}});
    CHECK(results.at(1).type == int32);
    CHECK(elements(results.at(1)) == Doubles{2.0 + z, -6.0 + z, high, low, 0.0 + z});
    CHECK(elements(results.at(0)) == Doubles{1, -3, 0.5 * (high - z), 0.5 * (low - z), 0});
    // By the attribute.
    Writer a = node("QuantizeLinear", {"x", "s"}, {"2"}, FLOAT,
                    {attribute("output_dtype", is_signed ? 5 : 4)});
    a.initializer(floats("s", {}, {1}));
    CHECK(elements(run(a.file(), {{"x", tensor(float32, {2}, {-1e6, 1e6})}}).at(0)) ==
          Doubles{low, high});
    // Constants of a file, along an axis; as int32_data too.
    Writer c;
    c.opset = 21;
    c.input("x", {"2", "1"}).output("y");
    c.initializer(floats("s", {2}, {0.5, 2}));
    const std::vector<std::uint16_t> bits{0xfffe, 3, 0x8000, 1};
    c.initializer(onnx::test::tensor("w", type, {2, 2}, bits));
    c.node("DequantizeLinear", {"w", "s"}, {"f"}, {attribute("axis", 1)});
    c.node("Mul", {"x", "f"}, {"y"});
    CHECK(elements(run(c.file(), {{"x", tensor(float32, {2, 1}, {1, 1})}}).at(0)) ==
          (is_signed ? Doubles{-1, 6, -16384, 2} : Doubles{32767, 6, 16384, 2}));
  }
  // A product of what is quantized is not one of the operators on 16 bits.
  Writer w;
  w.opset = 21;
  w.input("x", {"2"}).output("y");
  w.initializer(floats("s", {}, {0.5}));
  w.initializer(onnx::test::tensor("z", INT16, {}, std::vector<std::int16_t>{0}));
  w.node("QuantizeLinear", {"x", "s", "z"}, {"q"}).node("Identity", {"q"}, {"i"});
  w.node("CumSum", {"i", "axis"}, {"y"}).initializer(int64s("axis", {}, {0}));
  CHECK(refusal(w) == "NotSupportedError onnx: node 2 (CumSum-21): WebNN has no type for INT16.");
}
