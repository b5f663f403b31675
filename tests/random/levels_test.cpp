// Random graphs at the accuracy levels; and that these tests see operands that are rounded in
// another way, or not at all.
#include <bit>
#include <cmath>
#include <cstring>

#include "tests/random/levels.h"
#include "tests/random/print_code.h"
#include "tests/random/reduce.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

void check_seeds(std::uint64_t first, std::uint64_t count) {
  Comparison comparison(Ways::levels);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    std::optional<Mismatch> mismatch;
    const auto c = comparison.generate(seed, mismatch);
    if (c) mismatch = comparison.check(*c);
    if (!mismatch) continue;
    std::string text = mismatch->variant + ":" + mismatch->text;
    if (c) {
      const Case small = reduced(comparison, *c, *mismatch);
      text += "\nwhich is, reduced," + mismatch->text + "\n" + code_of(small);
    }
    FAIL_CHECK("seed " << seed << ": " << text);
  }
  // A level without a kernel on this machine has none in any graph.
  for (const Level& level : comparison.levels()) {
    const Level::Statistics& s = level.statistics();
    CAPTURE(level.name());
    CHECK((s.graphs == 0 || s.graphs * 20 > count));
    CHECK(s.elements.unknown * 4 <= s.elements.equal + s.elements.bounded);
  }
}

}  // namespace

TEST_CASE("random graphs at accuracy levels: 1 to 150") { check_seeds(1, 150); }
TEST_CASE("random graphs at accuracy levels: 151 to 300") { check_seeds(151, 150); }
TEST_CASE("random graphs at accuracy levels: 301 to 450") { check_seeds(301, 150); }
TEST_CASE("random graphs at accuracy levels: 451 to 600") { check_seeds(451, 150); }

namespace {

using To = OperandRounding::To;

/// What is wrong with results for an oracle of other roundings.
std::string difference(const Case& c, const OperandRoundings& of_results,
                       const OperandRoundings& of_oracle, float off = 0) {
  const Oracle results(c.graph, c.inputs, Rounding::everywhere, Form::same, of_results);
  Oracle oracle(c.graph, c.inputs, Rounding::everywhere, Form::same, of_oracle);
  Tensor y = results.output(0);
  for (std::size_t i = 0; i < y.size(); ++i) y.as<float>()[i] *= 1 + off;
  return oracle.difference(0, y);
}

Case product(std::uint32_t rows, std::uint32_t k, std::uint32_t columns, bool after_relu = false) {
  const Comparison comparison(Ways::levels);
  MLGraphBuilder b(comparison.context());
  Random random(7);
  const Tensor w = random.tensor(float32, {k, columns}, -1, 1);
  MLOperand x = b.input("x", {float32, {rows, k}});
  if (after_relu) x = b.tanh(x);
  const MLOperand y = b.matmul(x, b.constant(w.descriptor(), w.bytes));
  return case_of({{"y", y}}, {{"x", random.tensor(float32, {rows, k}, -2, 2)}}, 0);
}

}  // namespace

TEST_CASE("random graphs at accuracy levels: what the oracle allows") {
  for (const bool computed : {false, true}) {
    const Case c = product(6, 40, 20, computed);
    const std::size_t place = computed ? 1 : 0;
    const OperandRoundings both{{{place, 0}, {.to = To::bfloat16}},
                                {{place, 1}, {.to = To::bfloat16}}},
        one{{{place, 0}, {.to = To::bfloat16}}},
        scaled{{{place, 0}, {.to = To::bfloat16}},
               {{place, 1}, {.to = To::bfloat16, .factor = 1.5}}},
        pieces{{{place, 0}, {.to = To::int8, .piece = 20}}},
        rows{{{place, 0}, {.to = To::int8, .piece = 40}}};
    CAPTURE(computed);
    CHECK(difference(c, both, both).empty());
    CHECK(difference(c, both, both, 0x1p-22f).empty());
    CHECK_FALSE(difference(c, both, both, 0x1p-12f).empty());
    CHECK_FALSE(difference(c, {}, both).empty());
    CHECK_FALSE(difference(c, both, {}).empty());
    CHECK_FALSE(difference(c, one, both).empty());
    CHECK_FALSE(difference(c, scaled, both).empty());
    CHECK(difference(c, pieces, pieces, 0x1p-22f).empty());
    CHECK_FALSE(difference(c, {}, pieces).empty());
    CHECK_FALSE(difference(c, rows, pieces).empty());
  }
}

TEST_CASE("random graphs at accuracy levels: operands that are cut instead of rounded are found") {
  const Case c = product(6, 40, 20);
  Case cut = c;
  for (float& v : std::span(cut.inputs["x"].as<float>(), cut.inputs["x"].size()))
    v = std::bit_cast<float>(std::bit_cast<std::uint32_t>(v) & 0xffff0000u);
  const OperandRoundings both{{{0, 0}, {.to = To::bfloat16}}, {{0, 1}, {.to = To::bfloat16}}};
  const Oracle wrong(cut.graph, cut.inputs, Rounding::everywhere, Form::same, both);
  Oracle oracle(c.graph, c.inputs, Rounding::everywhere, Form::same, both);
  CHECK_FALSE(oracle.difference(0, wrong.output(0)).empty());
}

TEST_CASE("random graphs at accuracy levels: a number beside the middle of two becomes either") {
  // The tanh of 0.25 and of numbers beside it lie around one that is in the middle of two bfloat16
  // once it is scaled.
  const Comparison comparison(Ways::levels);
  MLGraphBuilder b(comparison.context());
  const float middle = 1.00390625f;  // of 1 and 1.0078125
  const float quotient = middle / std::tanh(0.25f);
  const MLOperand x = b.mul(b.tanh(b.input("x", {float32, {1, 1}})), b.constant(float32, quotient));
  const MLOperand y = b.matmul(x, b.constant({float32, {1, 1}}, std::vector<float>{1}));
  const OperandRoundings both{{{2, 0}, {.to = To::bfloat16}}, {{2, 1}, {.to = To::bfloat16}}};
  const auto difference = [&](double input, double result) {
    const Case c = case_of({{"y", y}}, {{"x", filled(float32, {1, 1}, input)}}, 0);
    Oracle oracle(c.graph, c.inputs, Rounding::everywhere, Form::same, both);
    return oracle.difference(0, filled(float32, {1, 1}, result));
  };
  CHECK(difference(0.25, 1).empty());
  CHECK(difference(0.25, 1.0078125).empty());
  CHECK_FALSE(difference(0.25, 1.03125).empty());
  CHECK_FALSE(difference(0.25, 0.9765625).empty());
  CHECK(difference(0.249, 1).empty());
  CHECK_FALSE(difference(0.249, 1.0078125).empty());
}
