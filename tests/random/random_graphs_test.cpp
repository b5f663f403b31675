// Random graphs, in every way there is to run them; and that these tests see what is wrong.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>

#include "tests/random/print_code.h"
#include "tests/random/reduce.h"
#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"
#include "tests/support/source_dir.h"

using namespace webnn;
using namespace webnn::test;

namespace {

Comparison& comparison() {
  static Comparison one;
  return one;
}

void check_seed(std::uint64_t seed) {
  std::optional<Mismatch> mismatch;
  const auto c = comparison().generate(seed, mismatch);
  if (c) mismatch = comparison().check(*c);
  if (!mismatch) return;
  std::string text = mismatch->variant + ":" + mismatch->text;
  if (c) {
    const Case small = reduced(comparison(), *c, *mismatch);
    text += "\nwhich is, reduced," + mismatch->text + "\n" + code_of(small);
  }
  FAIL_CHECK("seed " << seed << ": " << text);
}

void check_seeds(std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) check_seed(seed);
  CHECK(comparison().statistics().graphs > 0);
  for (const auto& [format, graphs] : comparison().statistics().by_format) {
    CAPTURE(format);
    CHECK(graphs > 5);
  }
}

}  // namespace

TEST_CASE("random graphs: 1 to 250") { check_seeds(1, 250); }
TEST_CASE("random graphs: 251 to 500") { check_seeds(251, 250); }
TEST_CASE("random graphs: 501 to 750") { check_seeds(501, 250); }
TEST_CASE("random graphs: 751 to 1000") { check_seeds(751, 250); }
TEST_CASE("random graphs: 1001 to 1250") { check_seeds(1001, 250); }
TEST_CASE("random graphs: 1251 to 1500") { check_seeds(1251, 250); }
TEST_CASE("random graphs: 1501 to 1750") { check_seeds(1501, 250); }
TEST_CASE("random graphs: 1751 to 2000") { check_seeds(1751, 250); }

/// Outputs of one graph that round float16 differently, a quotient that float32 rounds to a tie,
/// the logarithm of what cancels.
TEST_CASE("random graphs: what files round") {
  for (const std::uint64_t seed : {120013780, 121025729, 131006865}) check_seed(seed);
  CHECK(comparison().statistics().graphs >= 3);
}

/// What meets a NaN depends on the order of operands, which passes exchange.
TEST_CASE("random graphs: one NaN for all results, in every order of operands") {
  for (const MLOperandDataType type : {float32, float16}) {
    MLGraphBuilder b(comparison().context());
    const MLOperand x = b.input("x", {type, {3, 5}}), scale = b.input("scale", {type, {5}});
    const MLOperand s = b.sigmoid(x), epsilon = b.constant(type, 0.001);
    const auto root = [&](const MLOperand& square) {
      const MLReduceOptions o{.axes = std::vector{1u}, .keepDimensions = true};
      return b.sqrt(b.add(b.reduceMean(square, o), epsilon));
    };
    const MLOperand square = b.mul(x, x), power = b.pow(x, b.constant(type, 2));
    const MLOperand y = b.div(x, root(square)), z = b.mul(b.reciprocal(root(power)), x);
    const NamedOperands outputs{{"swish", b.mul(x, s)},
                                {"swish, reversed", b.mul(s, x)},
                                {"sum", b.add(b.mul(x, scale), b.neg(x))},
                                {"sum, reversed", b.add(b.neg(x), b.mul(scale, x))},
                                {"rms", b.mul(y, scale)},
                                {"rms, reversed", b.mul(scale, y)},
                                {"rms of powers", b.mul(z, scale)},
                                {"rms of powers, reversed", b.mul(scale, z)},
                                {"hardSwish", b.hardSwish(x)},
                                {"gelu", b.gelu(x)}};
    Tensor values = Random(1).tensor(type, {3, 5}, -2, 2), scales = Random(2).tensor(type, {5});
    const auto put = [&](Tensor& t, std::size_t i, std::uint32_t bits) {
      if (type == float32) std::memcpy(&t.as<float>()[i], &bits, 4);
      else t.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(bits >> 16 | bits >> 13);
    };
    put(values, 1, 0x7fc00000u), put(values, 7, 0xffc12345u), put(values, 14, 0x7fd23456u);
    put(scales, 2, 0xffc34567u), put(scales, 4, 0xffc00000u);
    for (const auto& [name, operand] : outputs) {
      CAPTURE(type, name);
      Inputs inputs{{"x", values}};
      if (name != "swish" && name != "swish, reversed" && name != "hardSwish" && name != "gelu")
        inputs.emplace("scale", scales);
      const auto mismatch = comparison().check(case_of({{"y", operand}}, inputs, 0));
      CHECK(!mismatch);
      if (mismatch) UNSCOPED_INFO(mismatch->variant << mismatch->text);
    }
  }
}

/// -0.5 divided by this scale is -25.5 + 19/21053762, less than half a unit from -25.5, so that
/// float32 has the tie, and -26, where the nearest integer is -25.
TEST_CASE("random graphs: a file's quotient is exact or rounded, and nothing else") {
  const Inputs inputs{{"x", webnn::test::tensor(float32, {1, 3}, {-0.5, -0.49, 0.3})},
                      {"scale", webnn::test::tensor(float32, {1, 1}, {0.0196078438f})}};
  for (const MLOperandDataType type : {int8, uint8, int32}) {
    CAPTURE(type);
    MLGraphBuilder b(comparison().context());
    const MLOperand scale = b.input("scale", {float32, {1, 1}});
    const MLOperand zero = b.reshape(b.constant(type, 64), {1, 1});
    const MLOperand q = b.quantizeLinear(b.input("x", {float32, {1, 3}}), scale, zero);
    const Case c = case_of({{"y", q}}, inputs, 0);
    const auto mismatch = comparison().check(c);
    CHECK(!mismatch);
    Oracle same(c.graph, c.inputs, Rounding::everywhere);
    Oracle exported(c.graph, c.inputs, Rounding::everywhere, Form::exported);
    const auto of = [&](double first, double second) {
      return webnn::test::tensor(type, {1, 3}, {first, second, 79});
    };
    const bool is_rounded = type != int32;  // quotients of 8 bits always are
    CHECK(same.difference(0, of(39, 39)).empty() == !is_rounded);
    CHECK(same.difference(0, of(38, 39)).empty() == is_rounded);
    CHECK(exported.difference(0, of(39, 39)).empty() == !is_rounded);
    CHECK(exported.difference(0, of(38, 39)).empty());
    CHECK(!exported.difference(0, of(39, 38)).empty());
  }
}

/// Beside the middle of two numbers of float16, which is the nearest number of float32.
TEST_CASE("random graphs: numbers of float16 are rounded once") {
  constexpr double middle = 1 + 0x1p-11, above = middle + 0x1p-30;
  const auto rounded = [](MLNumber n) { return n.to(float16).as_double(); };
  REQUIRE(rounded(above) != rounded(MLNumber(above).to(float32)));
  MLGraphBuilder b(comparison().context());
  const MLOperand x = b.input("x", {float16, {2, 2}}), y = b.sub(x, b.constant(float16, 4));
  const NamedOperands outputs{{"clamp", b.clamp(x, {.maxValue = above})},
                              {"clamp of a sum", b.clamp(b.add(x, x), {.minValue = above})},
                              {"pad", b.pad(x, {1, 1}, {0, 0}, {.value = above})},
                              {"leakyRelu", b.leakyRelu(y, {.alpha = above})},
                              {"elu", b.elu(y, {.alpha = above})},
                              {"linear", b.linear(x, {.alpha = above, .beta = above})}};
  Random random(1);
  const Inputs inputs{{"x", random.tensor(float16, {2, 2}, 0.5, 3)}};
  for (const auto& [name, operand] : outputs) {
    CAPTURE(name);
    const auto mismatch = comparison().check(case_of({{name, operand}}, inputs, 0));
    if (mismatch) FAIL_CHECK(mismatch->variant << mismatch->text);
  }
}

TEST_CASE("random graphs: every operator") {
  for (std::size_t kind = 0; kind < ops::AllOps::size; ++kind)
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      CAPTURE(ops::AllOps::names[kind], seed);
      MLGraphBuilder b(comparison().context());
      RandomGraph random = random_operator(b, kind, seed);
      const Case c = case_of(random.outputs, std::move(random.inputs), seed);
      bool found = false;
      for (std::size_t i = 0; i < c.graph.size(); ++i) found |= c.graph.node(i).kind() == kind;
      CHECK(found);
      const auto mismatch = comparison().check(c);
      if (mismatch) FAIL_CHECK(mismatch->variant << mismatch->text << "\n" << code_of(c));
    }
}

TEST_CASE("random graphs: the same seed gives the same graph") {
  // The text of the first hundred graphs and the values of their inputs are the same on any
  // machine.
  std::uint64_t sum = 0;
  const auto add = [&](std::uint64_t v) { sum = (sum ^ v) * 0x100000001b3; };
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::optional<Mismatch> mismatch;
    const auto c = comparison().generate(seed, mismatch);
    REQUIRE(c);
    for (char ch : to_text(c->graph)) add(static_cast<unsigned char>(ch));
    for (const auto& [name, t] : c->inputs)
      for (std::byte b : t.bytes) add(std::to_integer<std::uint64_t>(b));
  }
  CHECK(sum == 0x25fde2f16de7c6c3);
}

TEST_CASE("random graphs: a copy through a builder is equal") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    std::optional<Mismatch> mismatch;
    const auto c = comparison().generate(seed, mismatch);
    REQUIRE(c);
    const auto copied = rebuilt(comparison(), *c, {});
    REQUIRE(copied);
    CHECK(copied->graph == c->graph);
    CHECK(hash_of(copied->graph) == hash_of(c->graph));
    CHECK(to_text(copied->graph) == to_text(c->graph));
  }
}

TEST_CASE("random graphs: a wrong kernel is found, and reduced to its operator") {
  // hardSwish without its lower bound, in a chain with whatever is before it.
  const auto wrong = own_backend([](Chain chain) -> Lowering {
    if (chain.size() != 1 || !chain[0].as<ops::hardSwish>()) return Refusal{"not hardSwish"};
    if (chain[0].output().dataType() != float32) return Refusal{"not float32"};
    const std::size_t n = element_count(chain[0].output().shape());
    return Candidate{.name = "wrong", .run = [n](Range, const Buffers& b, std::byte*) {
                       for (std::size_t i = 0; i < n; ++i) {
                         const float x = b.in<float>()[i];
                         b.out<float>()[i] = x * std::min(6.f, x + 3) / 6;
                       }
                     }};
  });
  Comparison with;
  with.add("wrong first", MLContext({.threads = 1, .backends = {wrong, "reference"}}));
  int found = 0;
  for (std::uint64_t seed = 1; seed < 1000 && found < 3; ++seed) {
    std::optional<Mismatch> mismatch;
    const auto c = with.generate(seed, mismatch);
    REQUIRE(c);
    mismatch = with.check(*c, "wrong first");
    if (!mismatch) continue;
    ++found;
    const Case small = reduced(with, *c, *mismatch);
    CHECK(mismatch->variant == "wrong first");
    CHECK(small.graph.size() <= 2);  // a float16 graph may need a cast
    CHECK(code_of(small).find("b.hardSwish(") != std::string::npos);
    CHECK(with.check(small, "wrong first"));
  }
  CHECK(found == 3);
}

TEST_CASE("random graphs: an element that a kernel leaves unwritten is found") {
  // The last one, of a result that is read by another operator.
  const auto gap = own_backend([](Chain chain) -> Lowering {
    if (chain.size() != 1 || !chain[0].as<ops::relu>()) return Refusal{"not relu"};
    if (chain[0].output().dataType() != float32) return Refusal{"not float32"};
    const std::size_t n = element_count(chain[0].output().shape());
    return Candidate{.name = "gap", .run = [n](Range, const Buffers& b, std::byte*) {
                       for (std::size_t i = 0; i + 1 < n; ++i)
                         b.out<float>()[i] = std::max(b.in<float>()[i], 0.f);
                     }};
  });
  Comparison with;
  with.add("gap first", MLContext({.threads = 1, .backends = {gap, "reference"}}));
  MLGraphBuilder b(with.context());
  const MLOperand x = b.input("x", {float32, {3}});
  // Zero is what memory has by chance.
  const Case c = case_of({{"y", b.neg(b.relu(b.neg(x)))}},
                         {{"x", tensor_of(float32, {3}, std::vector<float>{1, 2, 3})}}, 0);
  CHECK(with.check(c, "gap first"));
}

namespace {

/// What the oracle says of a result that is off by so much.
std::string difference(const NamedOperands& outputs, const Inputs& inputs, double relative,
                       Rounding rounding = Rounding::documented, Form form = Form::same) {
  const Case c = case_of(outputs, inputs, 0);
  Oracle oracle(c.graph, c.inputs, rounding, form);
  Tensor y = oracle.output(0);
  for (std::size_t i = 0; i < y.size(); ++i)
    y.set(i, is_float(y.type) ? y[i] * (1 + relative) : y[i] + relative);
  return oracle.difference(0, y);
}

}  // namespace

TEST_CASE("random graphs: what the oracle allows") {
  MLGraphBuilder b(comparison().context());
  Random random(1);
  const Inputs inputs{{"x", random.tensor(float32, {40}, 0.5, 2)},
                      {"h", random.tensor(float16, {40}, 0.5, 2)}};
  const MLOperand x = b.input("x", {float32, {40}}), h = b.input("h", {float16, {40}});

  // What rounds nothing has to be equal.
  CHECK(difference({{"y", b.reverse(b.relu(x))}}, inputs, 0).empty());
  CHECK_FALSE(difference({{"y", b.reverse(b.relu(x))}}, inputs, 0x1p-23).empty());
  // A sum may be off by some units, not by many.
  CHECK(difference({{"y", b.add(x, x)}}, inputs, 0x1p-23).empty());
  CHECK_FALSE(difference({{"y", b.add(x, x)}}, inputs, 0x1p-17).empty());
  // A result of a cancellation may differ by more.
  const MLOperand cancelled = b.sub(b.add(x, b.constant(float32, 1000)), b.constant(float32, 1000));
  CHECK(difference({{"y", cancelled}}, inputs, 0x1p-15).empty());
  CHECK_FALSE(difference({{"y", cancelled}}, inputs, 0x1p-7).empty());
  // Where 0 is as near, as by 0.
  const MLOperand infinite =
      b.mul(cancelled, b.constant(float32, std::numeric_limits<double>::infinity()));
  const NamedOperands of_zero{{"y", b.reduceSum(b.where(b.isNaN(infinite), b.constant(float32, 0),
                                                        b.constant(float32, 1)))}};
  CHECK(difference(of_zero, {{"x", filled(float32, {40}, 0x1p-20)}}, 1).empty());
  CHECK_FALSE(difference(of_zero, inputs, 1).empty());
  // Near a pole, by anything where the operand is not exact.
  const Inputs near_pole{{"x", filled(float32, {40}, 1.5699)}};
  CHECK(difference({{"y", b.tan(cancelled)}}, near_pole, -2).empty());
  CHECK_FALSE(difference({{"y", b.tan(x)}}, near_pole, -2).empty());
  CHECK_FALSE(
      difference({{"y", b.tan(cancelled)}}, {{"x", filled(float32, {40}, 1.3)}}, -2).empty());
  // The squares of small numbers are nothing where a file format has squares, sums and roots.
  const Inputs small{{"x", filled(float32, {40}, 0x1p-100)}};
  const NamedOperands length{{"y", b.reduceL2(x)}};
  CHECK(difference(length, small, -1, Rounding::documented, Form::exported).empty());
  CHECK_FALSE(difference(length, small, -1).empty());
  CHECK_FALSE(difference(length, inputs, -1, Rounding::documented, Form::exported).empty());
  // A feedback may differ by anything where it amplifies what rounding does.
  const MLOperand input_weights = b.constant({float32, {1, 48, 1}}, std::vector<float>(48, 0.1f));
  const auto fed_back = [&](double largest, MLOperandDataType type = float32) {
    const Tensor weights = Random(4).tensor(float32, {1, 48, 16}, -largest, largest);
    return b.gru(b.cast(b.reshape(x, {40, 1, 1}), type), b.cast(input_weights, type),
                 b.cast(b.constant({float32, weights.shape}, weights.bytes), type), 40, 16)[0];
  };
  CHECK(difference({{"y", fed_back(8)}}, inputs, 0.5).empty());
  CHECK(difference({{"y", b.isNaN(fed_back(8, float16))}}, inputs, 1).empty());
  CHECK_FALSE(difference({{"y", fed_back(0.1)}}, inputs, 0.01).empty());
  // A comparison with the quotient of an overflow, which other kernels may not have, may differ by
  // anything.
  const auto compared = [&](double largest) {
    const MLOperand factor = b.mul(x, b.constant(float32, largest));
    const MLOperand quotient = b.div(x, b.mul(factor, factor));
    return difference({{"y", b.equal(quotient, b.constant(float32, -1))}}, inputs, 1);
  };
  CHECK(compared(1e30).empty());
  CHECK_FALSE(compared(1).empty());
  // A large gate times what is left of 1 may differ by as many units as 1 has.
  const auto gated = [&](double off) {
    const MLOperand weights =
        b.constant({float32, {1, 6, 1}}, std::vector<float>{15, 10.8f, 0, 0, 50, 50});
    const MLOperand y = b.gru(b.constant({float32, {1, 1, 1}}, std::vector<float>{1}), weights,
                              b.constant({float32, {1, 6, 2}}, std::vector<float>(12)), 1, 2,
                              {.activations = {{MLRecurrentNetworkActivation::sigmoid,
                                                MLRecurrentNetworkActivation::relu}}})[0];
    return difference({{"y", b.slice(y, {0, 0, 0}, {1, 1, 1})}}, inputs, off);
  };
  CHECK(gated(0.2).empty());
  CHECK_FALSE(gated(10).empty());
  // A state that float32 cannot hold may differ by anything, though a later state is small again.
  const auto constant = [&](std::vector<float> values) {
    return b.constant({float32, {1, 3, 1}}, values);
  };
  const MLOperand state = b.gru(b.input("steps", {float32, {5, 1, 1}}), constant({-1000, 0, 1}),
                                constant({1, 0, 0}), 5, 1,
                                {.activations = {{MLRecurrentNetworkActivation::relu,
                                                  MLRecurrentNetworkActivation::relu}}})[0];
  const auto after = [&](std::vector<float> steps) {
    return difference({{"y", state}}, {{"steps", tensor_of(float32, {5, 1, 1}, steps)}}, 0.5);
  };
  CHECK(after({1e10f, 0, 0, 1e38f, 1e36f}).empty());
  CHECK_FALSE(after({1, 0, 0, 1, 1}).empty());
  // Subnormal numbers may be zero, where two of them have floors of -1 and 0 too.
  const MLOperand tiny = b.input("tiny", {float32, {40}});
  Tensor subnormal = filled(float32, {40}, 0);
  subnormal.set(0, -0x1p-127);
  subnormal.set(1, 0x1p-149);
  const MLOperand sum = b.reduceSum(b.floor(b.identity(tiny)));
  CHECK(difference({{"y", sum}}, {{"tiny", subnormal}}, -1).empty());
  CHECK_FALSE(difference({{"y", b.reduceSum(b.floor(x))}}, inputs, -1).empty());
  // float16 is rounded once, at the end: to the nearest.
  const MLOperand half = b.mul(b.add(h, h), b.constant(float16, 0.3));
  CHECK(difference({{"y", half}}, inputs, 0).empty());
  CHECK_FALSE(difference({{"y", half}}, inputs, 0x1.8p-10).empty());
  CHECK(difference({{"y", half}}, inputs, 0x1p-10, Rounding::everywhere).empty());
  // Integers are equal, but for those that a quantized operator makes.
  const MLOperand scale = b.constant({float32, {1}}, {0.25f});
  const MLOperand zero = b.constant({int8, {1}}, std::vector<std::int8_t>{3});
  const MLOperand q = b.quantizeLinear(x, scale, zero);
  CHECK_FALSE(difference({{"y", q}}, inputs, 1).empty());
  // No integer is specified for 0/0.
  const NamedOperands quotients{
      {"y", b.quantizeLinear(x, b.input("scale", scale.descriptor()), zero)}};
  const auto quotient_of = [&](double dividend, double divisor) {
    return difference(
        quotients,
        {{"x", filled(float32, {40}, dividend)}, {"scale", filled(float32, {1}, divisor)}}, 1);
  };
  CHECK(quotient_of(0, 0).empty());
  CHECK_FALSE(quotient_of(0, 1).empty());
  CHECK_FALSE(quotient_of(-1, 0).empty());
  // An infinite weight beside padding may give anything, and so may what reads the result.
  const MLOperand image = b.reshape(x, {1, 1, 5, 8});
  const auto argument = [&](float weight, std::uint32_t padding) {
    const MLOperand filter = b.constant(float32, weight);
    const MLOperand y = b.conv2d(image, b.expand(filter, {1, 1, 3, 3}),
                                 {.padding = {padding, padding, padding, padding}});
    return difference({{"y", b.argMax(b.reduceMax(y, {.axes = {2}}), 2)}}, inputs, 1);
  };
  CHECK(argument(std::numeric_limits<float>::infinity(), 1).empty());
  CHECK_FALSE(argument(std::numeric_limits<float>::infinity(), 0).empty());
  CHECK_FALSE(argument(1, 1).empty());
  const MLOperand chain = b.quantizeLinear(b.relu(b.dequantizeLinear(q, scale, zero)), scale, zero);
  CHECK(difference({{"y", chain}}, inputs, 1).empty());
  CHECK_FALSE(difference({{"y", chain}}, inputs, 2).empty());
}

namespace {

// What code_of() prints, compiled.
Case printed_case(MLGraphBuilder b) {
#include "tests/random/printed_code.inc"
  return case_of(outputs, inputs, 0);
}

}  // namespace

TEST_CASE("random graphs: printed code builds the graph that it was printed from") {
  const Case c = printed_case(MLGraphBuilder(comparison().context()));
  std::ifstream file(source_dir() / "tests/random/printed_code.inc");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  CHECK(code_of(c) == text);
}

TEST_CASE("random graphs: write what the test above compiles", "[.record]") {
  std::optional<Mismatch> mismatch;
  const auto c = comparison().generate(std::strtoull(std::getenv("SEED"), nullptr, 10), mismatch);
  REQUIRE(c);
  std::ofstream(source_dir() / "tests/random/printed_code.inc") << code_of(*c);
}
