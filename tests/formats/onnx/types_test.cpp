// Types that WebNN does not have: their values are held in wider ones.
#include <cmath>
#include <limits>

#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace webnn;
using namespace webnn::onnx;
using namespace webnn::onnx::test;
using webnn::test::tensor;
using enum ElementType;

namespace {

/// y = op(a, b) of two inputs of a type.
Writer binary(std::string_view op, ElementType type, const std::vector<Message>& attributes = {}) {
  Writer w;
  w.opset = 21;
  w.input("a", {"3"}, type).input("b", {"3"}, type).output("y");
  w.node(op, {"a", "b"}, {"y"}, attributes);
  return w;
}
Doubles results(const Writer& w, const Doubles& a, const Doubles& b) {
  return elements(run(w.file(), {{"a", tensor(int32, {3}, a)}, {"b", tensor(int32, {3}, b)}})[0]);
}

/// The casts of x, of these values, to a type.
Tensor cast(const Doubles& values, ElementType to, std::vector<Message> attributes = {},
            ElementType from = FLOAT) {
  Writer w;
  w.opset = 25;
  const auto n = static_cast<std::uint32_t>(values.size());
  w.input("x", {std::to_string(n)}, from).output("y");
  attributes.push_back(attribute("to", static_cast<int>(to)));
  w.node("Cast", {"x"}, {"y"}, attributes);
  const MLOperandDataType held =
      from == FLOAT || from == DOUBLE
          ? float32
          : *(wider_type_of(from) ? wider_type_of(from) : data_type_of(from));
  return run(w.file(), {{"x", tensor(held, {n}, values)}}, {.narrow_double = true})[0];
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

bool same(const Tensor& y, const Doubles& expected) {
  if (y.size() != expected.size()) return false;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (y[i] != expected[i] && !(std::isnan(y[i]) && std::isnan(expected[i]))) return false;
  return true;
}

}  // namespace

TEST_CASE("onnx: integers of 16 bits wrap as those of the file do") {
  CHECK(results(binary("Add", INT16), {32767, -32768, 5}, {1, -1, -7}) ==
        Doubles{-32768, 32767, -2});
  CHECK(results(binary("Add", UINT16), {65535, 40000, 5}, {1, 40000, 7}) == Doubles{0, 14464, 12});
  CHECK(results(binary("Sub", UINT16), {0, 3, 9}, {1, 3, 4}) == Doubles{65535, 0, 5});
  CHECK(results(binary("Mul", UINT16), {65535, 256, 3}, {65535, 256, 5}) == Doubles{1, 0, 15});
  CHECK(results(binary("Mul", INT16), {-32768, 300, -3}, {-1, 300, 5}) ==
        Doubles{-32768, 24464, -15});
  CHECK(results(binary("Div", INT16), {-32768, -7, 9}, {-1, 2, 4}) == Doubles{-32768, -3, 2});
  CHECK(results(binary("Max", INT16), {-5, 7, 0}, {3, -32768, 0}) == Doubles{3, 7, 0});
  CHECK(results(binary("BitwiseAnd", INT16), {-1, 12, -32768}, {255, 10, -1}) ==
        Doubles{255, 8, -32768});
  CHECK(results(binary("BitShift", UINT16, {attribute("direction", "LEFT")}), {1, 32768, 3},
                {15, 1, 2}) == Doubles{32768, 0, 12});
  CHECK(results(binary("Less", INT16), {-5, 7, 0}, {3, -32768, 0}) == Doubles{1, 0, 0});
  // A sum of sums wraps twice.
  Writer w = binary("Add", INT16);
  w.node("Add", {"y", "a"}, {"z"}).node("Cast", {"z"}, {"f"}, {attribute("to", 1)}).output("f");
  const auto y = run(w.file(), {{"a", tensor(int32, {3}, {32767, 20000, 1})},
                                {"b", tensor(int32, {3}, {32767, 20000, 1})}});
  CHECK(elements(y[1]) == Doubles{32765, -5536, 3});
  CHECK(y[1].type == float32);
}

TEST_CASE("onnx: BFLOAT16 and FLOAT8E4M3FN are types of WebNN") {
  Writer w;
  w.opset = 21;
  w.input("h", {"3"}, BFLOAT16).input("q", {"3"}, FLOAT8E4M3FN);
  w.output("sum").output("moved").output("real").output("near").output("like");
  w.initializer(
      onnx::test::tensor("c", BFLOAT16, {3}, std::vector<std::uint16_t>{0x3f80, 0xc000, 0x4000}));
  w.initializer(floats("s", {}, {0.5}));
  w.node("Add", {"h", "c"}, {"sum"}).node("Identity", {"q"}, {"moved"});
  w.node("DequantizeLinear", {"q", "s"}, {"real"});
  w.node("QuantizeLinear", {"real", "s"}, {"near"},
         {attribute("output_dtype", static_cast<int>(FLOAT8E4M3FN))});
  w.node("CastLike", {"real", "h"}, {"like"});
  webnn::test::Builder b;
  const Model m = import_model(b, w.file());
  const MLGraph graph = b.build(m.outputs);
  for (std::size_t i = 0; i < graph.graph().size(); ++i)
    CHECK_FALSE(graph.graph().node(i).as<ops::custom>());
  const auto y = run(w.file(), {{"h", tensor(bfloat16, {3}, {1, 2, 256})},
                                {"q", tensor(float8e4m3, {3}, {448, -0.875, not_a_number})}});
  CHECK(y[0].type == bfloat16);
  CHECK(same(y[0], {2, 0, 258}));
  CHECK(y[1].type == float8e4m3);
  CHECK(same(y[1], {448, -0.875, not_a_number}));
  CHECK(same(y[2], {224, -0.4375, not_a_number}));
  CHECK(y[3].type == float8e4m3);
  CHECK(same(y[3], {448, -0.875, not_a_number}));
  CHECK(y[4].type == bfloat16);
  CHECK(same(y[4], {224, -0.4375, not_a_number}));
}

TEST_CASE("onnx: where operator set 21 has no BFLOAT16 or FLOAT8E4M3FN, float32 is written") {
  struct Row {
    const char* op;
    std::function<MLOperand(MLGraphBuilder&, const MLOperand&)> build;
    MLOperandDataType type;
    bool casts;
  };
  const Row rows[] = {
      {"Conv", [](auto& b, auto& x) { return b.conv2d(x, x); }, bfloat16, true},
      {"MaxPool",
       [](auto& b, auto& x) {
         return b.maxPool2d(x, {.windowDimensions = Dims{2, 2}});
       },
       bfloat16, true},
      {"Elu", [](auto& b, auto& x) { return b.elu(x); }, bfloat16, true},
      {"Add", [](auto& b, auto& x) { return b.add(x, x); }, bfloat16, false},
      {"Softmax", [](auto& b, auto& x) { return b.softmax(x, 1); }, bfloat16, false},
      {"Concat",
       [](auto& b, auto& x) {
         return b.concat(std::vector{x, x}, 1);
       },
       float8e4m3, true},
      {"Split", [](auto& b, auto& x) { return b.split(x, 2, {.axis = 2})[1]; }, float8e4m3, true},
      {"Transpose", [](auto& b, auto& x) { return b.transpose(x); }, float8e4m3, false},
      {"Add", [](auto& b, auto& x) { return b.add(x, x); }, float8e4m3, true},
  };
  webnn::test::Random random(3);
  for (const Row& r : rows) {
    CAPTURE(r.op, r.type);
    webnn::test::Builder b;
    const MLOperand x = b.input("x", {r.type, {2, 2, 2, 2}});
    const MLGraph graph = b.build({{"y", r.build(b, x)}});
    const std::vector<std::byte> file = export_model(graph);
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    CHECK(text.find(r.op) != std::string_view::npos);
    CHECK((text.find("Cast") != std::string_view::npos) == r.casts);
    const Tensor values = random.tensor(r.type, {2, 2, 2, 2});
    const Tensor expected = run(webnn::test::plain_context(), graph, {{"x", values}})[0];
    CHECK(run(file, {{"x", values}})[0].bytes == expected.bytes);
  }
}

TEST_CASE("onnx: casts to types that WebNN does not have") {
  CHECK(cast({1}, FLOAT8E4M3FN).type == float8e4m3);
  CHECK(cast({1}, FLOAT8E4M3FN, {attribute("saturate", 0)}).type == float8e4m3);
  CHECK(cast({1}, BFLOAT16).type == bfloat16);
  CHECK(cast({1}, FLOAT8E5M2).type == float32);
  CHECK(same(cast({1.0625, -1e9, not_a_number, infinity, 0.001}, FLOAT8E4M3FN),
             {1, -448, not_a_number, 448, 0.001953125}));
  CHECK(same(cast({1e9, -infinity}, FLOAT8E4M3FN, {attribute("saturate", 0)}),
             {not_a_number, not_a_number}));
  CHECK(same(cast({1e9, -infinity, 57345, 61440}, FLOAT8E5M2, {attribute("saturate", 0)}),
             {infinity, -infinity, 57344, infinity}));
  CHECK(same(cast({300, 0.3, not_a_number}, FLOAT8E4M3FNUZ), {240, 0.3125, not_a_number}));
  CHECK(same(cast({-1e6, 1.125}, FLOAT8E5M2FNUZ), {-57344, 1}));
  CHECK(same(cast({0.25, 0.75, 2.5, 5, 7, -3.4}, FLOAT4E2M1), {0, 1, 2, 4, 6, -3}));
  CHECK(same(cast({1.00390625, 1.01171875, 1e39}, BFLOAT16), {1, 1.015625, infinity}));
  CHECK(same(cast({3, 4, 5}, FLOAT8E8M0), {4, 4, 8}));
  CHECK(same(cast({3, 4, 5}, FLOAT8E8M0, {attribute("round_mode", "down")}), {2, 4, 4}));
  CHECK(same(cast({-9, -8.7, 7.9, 8, 17}, INT4), {7, -8, 7, -8, 1}));
  CHECK(cast({1, 2}, INT4).type == int4);
  CHECK(same(cast({-1, 3.9, 4, 5}, UINT2), {3, 3, 0, 1}));
  CHECK(same(cast({-3, 1.5, 2}, INT2), {1, 1, -2}));
  CHECK(same(cast({70000, -1}, UINT16), {4464, 65535}));
  CHECK(same(cast({70000, -1}, INT16, {}, DOUBLE), {4464, -1}));
  CHECK(same(cast({-7, 3, 0}, FLOAT, {}, INT4), {-7, 3, 0}));
  CHECK(same(cast({-7, 3, 0}, INT8, {}, INT4), {-7, 3, 0}));
  CHECK(same(cast({-32768, 3}, FLOAT, {}, INT16), {-32768, 3}));
}

TEST_CASE("onnx: constants of narrow types, and what is quantized to them") {
  Writer w;
  w.opset = 25;
  w.input("x", {"5"}).output("f").output("r").output("t");
  const std::vector<std::uint8_t> bits{0x38, 0xb8, 0x7e, 0x01, 0xff};  // 1, -1, 448, 2^-9, NaN
  w.initializer(onnx::test::tensor("c", FLOAT8E4M3FN, {5}, bits));
  w.initializer(onnx::test::tensor("z", FLOAT8E4M3FN, {}, std::vector<std::uint8_t>{0}));
  w.initializer(onnx::test::tensor("u", INT2, {5}, std::vector<std::uint8_t>{0xe4, 0x02}));
  w.initializer(floats("s", {}, {0.5}));
  w.node("DequantizeLinear", {"c", "s"}, {"f"});
  w.node("QuantizeLinear", {"x", "s", "z"}, {"q"}).node("DequantizeLinear", {"q", "s"}, {"r"});
  w.node("DequantizeLinear", {"u", "s"}, {"t"});
  const auto y = run(w.file(), {{"x", tensor(float32, {5}, {0.55, -3, 1e6, 0, not_a_number})}});
  CHECK(same(y[0], {0.5, -0.5, 224, 0x1p-10, not_a_number}));
  CHECK(same(y[1], {0.5625, -3, 224, 0, not_a_number}));
  CHECK(same(y[2], {0, 0.5, -1, -0.5, -1}));
}

TEST_CASE("onnx: reductions of no elements, and functions of them") {
  Writer w;
  w.opset = 20;
  w.output("sum").output("most").output("all");
  w.initializer(floats("none", {2, 0, 3}, {})).initializer(int64s("axes", {1}, {1}));
  w.node("Exp", {"none"}, {"e"}).node("Mul", {"e", "none"}, {"p"});
  w.node("ReduceSum", {"p", "axes"}, {"sum"}, {attribute("keepdims", 0)});
  w.node("ReduceMax", {"none", "axes"}, {"most"});
  w.node("ReduceProd", {"none"}, {"all"}, {attribute("keepdims", 0)});
  const auto y = run(w.file(), {});
  CHECK(y[0].shape == Dims{2, 3});
  CHECK(same(y[0], Doubles(6, 0)));
  CHECK(y[1].shape == Dims{2, 1, 3});
  CHECK(same(y[1], Doubles(6, -infinity)));
  CHECK(y[2].shape.empty());
  CHECK(y[2][0] == 1);
}

TEST_CASE("onnx: texts are refused by name") {
  Writer w;
  w.input("x", {"2"}, STRING).output("y").node("Identity", {"x"}, {"y"});
  CHECK_THAT(refusal(w), ContainsSubstring("input \"x\": WebNN has no type for STRING"));
  Writer c;
  c.input("x", {"2"}).output("y").node("CumSum", {"x", "axis"}, {"y"});
  c.initializer(onnx::test::tensor("axis", FLOAT8E5M2, {}, std::vector<std::uint8_t>{0}));
  CHECK_THAT(refusal(c), ContainsSubstring("WebNN has no type for FLOAT8E5M2"));
}
