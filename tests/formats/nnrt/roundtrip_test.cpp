// Every operator that WebNN declares, with random operands and options: what is written and read
// again computes the same, or is refused as a whole.
#include <limits>

#include "tests/random/compare.h"
#include "tests/random/print_code.h"
#include "tests/support/builder.h"
#include "tests/support/catch.h"
#include "tests/support/quantize.h"
#include "webnn/nnrt.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const MLContext& context() {
  static const MLContext one = plain_context();
  return one;
}

enum class Outcome { same, refused, extreme };

Outcome check(const MLGraph& graph, const Inputs& inputs) {
  std::vector<std::byte> file;
  try {
    file = nnrt::export_model(graph);
  } catch (const NotSupportedError& e) {
    CHECK(std::string(e.what()).find("cannot be expressed: ") != std::string::npos);
    return Outcome::refused;
  }
  MLGraphBuilder b(context());
  const nnrt::Imported model = nnrt::import_model(b, file);
  const MLGraph again = b.build(model.outputs);
  for (const auto& [name, d] : graph.inputs()) {
    const MLOperand& x = model.input(name);
    CHECK(x.dataType() == d.dataType);
    CHECK(x.shape() == d.shape);
  }
  CHECK(again.outputs() == graph.outputs());
  // What was imported can be written again, and then nothing is lost.
  MLGraphBuilder c(context());
  const MLGraph third = c.build(nnrt::import_model(c, nnrt::export_model(again)).outputs);
  CHECK(third.outputs() == graph.outputs());

  Oracle oracle(graph.graph(), inputs, Rounding::documented);
  // Compositions overflow where one operator does not.
  if (oracle.has_extremes()) return Outcome::extreme;
  for (const MLGraph* g : {&again, &third}) {
    const std::vector<Tensor> results = computed(context(), *g, inputs);
    for (std::size_t i = 0; i < results.size(); ++i) CHECK(oracle.difference(i, results[i]) == "");
  }
  return Outcome::same;
}

}  // namespace

TEST_CASE("round trip: every operator") {
  std::string refused;
  for (std::size_t kind = 0; kind < ops::AllOps::size; ++kind) {
    int same = 0;
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
      CAPTURE(ops::AllOps::names[kind], seed);
      MLGraphBuilder b(context());
      const RandomGraph random = random_operator(b, kind, seed);
      same += check(b.build(random.outputs), random.inputs) == Outcome::same;
    }
    if (same == 0) refused += (refused.empty() ? "" : " ") + std::string(ops::AllOps::names[kind]);
  }
  CHECK(refused == "cumulativeSum gru gruCell");
}

TEST_CASE("round trip: an average of quantized elements has another scale than they") {
  MLGraphBuilder b(context());
  Random random(1);
  const MLOperand x = b.input("x", {int8, {1, 3, 4, 4}});
  const MLOperand y =
      b.averagePool2d(dequantized(b, x, {0.4f, -128}), {.windowDimensions = {2, 2}});
  CHECK(check(b.build({{"y", quantized(b, y, {0.9f, -100}, int8)}}),
              {{"x", random.tensor(int8, x.shape(), -128, 127)}}) == Outcome::same);
}

TEST_CASE("round trip: elements that are read with two quantizations") {
  MLGraphBuilder b(context());
  Random random(2);
  const MLOperand x = b.input("x", {int8, {2, 3}}), z = b.input("z", {float32, {6}});
  const MLOperand moved = b.reshape(x, {3, 2});
  // One tensor, one that is moved, and a result are read as something else.
  const MLOperand q = quantized(b, z, {0.5f, 3}, int8);
  CHECK(check(b.build({{"two", b.add(dequantized(b, x, {0.5f, 1}), dequantized(b, x, {2, 4}))},
                       {"moved", quantized(b, dequantized(b, moved, {0.25f, 2}), {1, -7}, int8)},
                       {"other", dequantized(b, b.reshape(q, {2, 3}), {0.125f, -9})},
                       {"same", q}}),
              {{"x", random.tensor(int8, x.shape(), -128, 127)},
               {"z", random.tensor(float32, z.shape(), -20, 20)}}) == Outcome::same);
}

TEST_CASE("round trip: a copy of an element that is dequantized elsewhere") {
  MLGraphBuilder b(context());
  const MLOperand x = b.input("x", {uint8, {}});
  CHECK(check(b.build({{"y", b.identity(x)}, {"z", dequantized(b, x, {0.5f, 1})}}),
              {{"x", tensor_of(uint8, {}, std::vector<std::uint8_t>{7})}}) == Outcome::same);
}

TEST_CASE("round trip: NaN is quantized to the zero point, with scales that no tensor can have") {
  MLGraphBuilder b(context());
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                  inf = std::numeric_limits<float>::infinity();
  const std::vector<float> values{nan, inf, -inf, 3, -300, 0};
  const MLOperand x = b.input("x", {float32, {6}}), scale = b.input("scale", {float32, {6}});
  const MLOperand zero = b.constant({int8, {6}}, std::vector<std::int8_t>{5, 5, 5, 5, 5, 5});
  const MLGraph graph = b.build({{"y", b.quantizeLinear(x, scale, zero)}});
  MLGraphBuilder c(context());
  const MLGraph again = c.build(nnrt::import_model(c, nnrt::export_model(graph)).outputs);
  const Inputs inputs{{"x", tensor_of(float32, {6}, values)},
                      {"scale", tensor_of(float32, {6}, std::vector<float>{1, 1, 1, 0.5f, 2, 0})}};
  const Tensor expected = tensor_of(int8, {6}, std::vector<std::int8_t>{5, 127, -128, 11, -128, 5});
  CHECK(computed(context(), graph, inputs)[0].bytes == expected.bytes);
  CHECK(computed(context(), again, inputs)[0].bytes == expected.bytes);
}

TEST_CASE("round trip: blocks of scales in more than one of six dimensions") {
  MLGraphBuilder b(context());
  Random random(3);
  const Dims shape{1, 2, 1, 4, 3, 6}, blocks{1, 2, 1, 2, 1, 3};
  const MLOperand x = b.input("x", {int8, shape});
  const Tensor scale = random.tensor(float32, blocks, 0.1, 2), zero = random.tensor(int8, blocks);
  const MLOperand y = b.dequantizeLinear(x, b.constant({float32, blocks}, scale.bytes),
                                         b.constant({int8, blocks}, zero.bytes));
  CHECK(check(b.build({{"y", y}}), {{"x", random.tensor(int8, shape, -128, 127)}}) ==
        Outcome::same);
}

TEST_CASE("round trip: random graphs") {
  int same = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    MLGraphBuilder b(context());
    const RandomGraph random = random_graph(b, seed);
    same += check(b.build(random.outputs), random.inputs) == Outcome::same;
  }
  CHECK(same > 20);
}
