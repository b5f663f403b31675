// Custom operators in .tflite files.
#include <array>

#include "tests/formats/tflite/exported.h"
#include "tests/support/custom_operators.h"
#include "webnn/custom.h"

using namespace webnn;
using namespace webnn::test;

namespace {

/// It keeps the bytes of its options.
CustomPointer raw() {
  static const CustomPointer one =
      custom_operator({.name = "TFLite_Raw",
                       .attributes = {{"custom_options", ""}},
                       .infer = [](const CustomCall& c) { return std::vector{c.inputs.at(0)}; },
                       .compute =
                           [](const CustomRun& run) {
                             const auto n = run.attribute<std::string>("custom_options").size();
                             std::ranges::fill(run.out<float>(), static_cast<float>(n));
                           }});
  return one;
}
const MLContext& context() {
  static const MLContext one(
      {.threads = 1, .keepConstants = true, .operators = {top_k(), scaled_sum(), raw()}});
  return one;
}
MLGraph imported(const MLContext& context, std::span<const std::byte> bytes) {
  MLGraphBuilder b(context);
  const auto model = tflite::import_model(b, bytes);
  return b.build(model.outputs);
}

}  // namespace

TEST_CASE("tflite: custom operators are written and read, with their options") {
  MLGraphBuilder b(context());
  const MLOperand x = b.input("x", {float32, {2, 5}});
  const MLOperand z = b.custom(scaled_sum(), {x},
                               {.attributes = {{"scale", 0.1},
                                               {"offsets", {0.25, 3.0}},
                                               {"mode", std::string("m\0n", 3)},
                                               {"names", {"a", "b"}},
                                               {"flag", true}}})[0];
  const auto y = b.custom(top_k(), {z}, {.attributes = {{"k", 2}}});
  const MLOperand r =
      b.custom(raw(), {y[0]}, {.attributes = {{"custom_options", "\x01\x02\x03"}}})[0];
  const MLGraph graph = b.build({{"values", y[0]}, {"places", y[1]}, {"raw", r}});
  const std::vector<std::byte> bytes = tflite::export_model(graph);
  const MLGraph again = imported(context(), bytes);
  REQUIRE(again.graph().size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const Node node = graph.graph().node(i), read = again.graph().node(i);
    CHECK(read.name() == node.name());
    CHECK(read.attributes() == node.attributes());
  }
  MLContext c = context();
  const std::array<float, 10> in = {1, 4, 2, 3, 0, -9, 8, 7, 1, 5};
  std::array<float, 4> values{}, raws{};
  std::array<std::int32_t, 4> places{};
  c.compute(again, {{"x", in}}, {{"values", values}, {"places", places}, {"raw", raws}});
  CHECK(places == std::array<std::int32_t, 4>{1, 3, 1, 2});
  CHECK(raws[0] == 3);
  CHECK_THAT(thrown([&] { imported(MLContext({.threads = 1}), bytes); }),
             ContainsSubstring("(CUSTOM \"test.ScaledSum\") has no WebNN counterpart"));
}

TEST_CASE("tflite: options that are no map are refused") {
  CustomOperator same_name = *top_k();
  same_name.name = "TFLite_Raw";
  const MLContext other({.threads = 1, .operators = {custom_operator(same_name)}});
  for (const char* options : {"\x01", "\x01\x02\x03\x04", "\x05\x04\x01"}) {
    MLGraphBuilder one(context());
    const MLOperand z = one.custom(raw(), {one.input("x", {float32, {2, 5}})},
                                   {.attributes = {{"custom_options", options}}})[0];
    const auto bytes = tflite::export_model(one.build({{"y", z}}));
    CHECK_THAT(thrown([&] { imported(other, bytes); }),
               ContainsSubstring("its options are not a map in FlexBuffers"));
  }
}

TEST_CASE("tflite: a quantized operand of a custom operator is dequantized") {
  MLGraphBuilder b(context());
  const MLOperand x = b.input("x", {float32, {2, 5}});
  const MLOperand scale = b.constant({float32, {1, 1}}, {0.5f}),
                  zero = b.constant({int8, {1, 1}}, {std::int8_t{3}});
  const MLOperand q = b.dequantizeLinear(b.quantizeLinear(x, scale, zero), scale, zero);
  const MLGraph graph =
      b.build({{"y", b.custom(scaled_sum(), {q}, {.attributes = {{"scale", 2}}})[0]}});
  const MLGraph again = imported(context(), tflite::export_model(graph));
  MLContext c = context();
  const std::array<float, 10> in = {1, 4.2f, 2, 3, 0, -9, 8, 7, 1, 5};
  std::array<float, 10> out{}, expected{};
  c.compute(graph, {{"x", in}}, {{"y", expected}});
  c.compute(again, {{"x", in}}, {{"y", out}});
  CHECK(out == expected);
  CHECK(out[1] == 8);
}
