#include "src/graph/fused/expand.h"
#include "tests/passes/small_graphs.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using fused::RootQuotient;
using fused::Square;

struct WrittenOut : Net {
  MLOperand x = b.input("x", {float32, {2, 3, 8}});
  MLOperand w = b.constant({float32, {8}}, std::vector<float>(8, 0.5f));

  MLOperand number(double v) { return b.constant(float32, v); }
  MLOperand square(Square form) { return form == Square::power ? power(x, 2) : b.mul(x, x); }
  MLOperand power(const MLOperand& y, double v) { return b.pow(y, number(v)); }
  MLOperand mean(const MLOperand& y, std::uint32_t axis = 2, bool keep = true) {
    return b.reduceMean(y, {.axes = Dims{axis}, .keepDimensions = keep});
  }
  MLOperand sum(const MLOperand& y, double v = 0.25) { return b.add(mean(y), number(v)); }
  MLOperand quotient(RootQuotient form, const MLOperand& s, bool swapped = false) {
    if (form == RootQuotient::quotient) return b.div(x, b.sqrt(s));
    const MLOperand f = form == RootQuotient::power        ? power(s, -0.5)
                        : form == RootQuotient::reciprocal ? b.reciprocal(b.sqrt(s))
                                                           : b.div(number(1), b.sqrt(s));
    return swapped ? b.mul(f, x) : b.mul(x, f);
  }
};
Graph recognized(const MLOperand& y) { return recognize_rms_normalization(graph_of({{"y", y}})); }
bool is_found(const NamedOperands& outputs) {
  return count(recognize_rms_normalization(graph_of(outputs)), "rmsNormalization") > 0;
}

constexpr RootQuotient quotients[] = {RootQuotient::quotient, RootQuotient::reciprocal,
                                      RootQuotient::quotient_of_one, RootQuotient::power};

}  // namespace

TEST_CASE("recognize_rms_normalization: all forms, and its composition has the same form") {
  for (const Square square : {Square::product, Square::power})
    for (const RootQuotient form : quotients)
      for (const bool scaled : {false, true}) {
        WrittenOut w;
        MLOperand y = w.quotient(form, w.sum(w.square(square)));
        if (scaled) y = w.b.mul(y, w.w, {.label = "norm"});
        const Graph before = graph_of({{"y", y}}), fused = recognized(y);
        REQUIRE(names(fused) == Names{"rmsNormalization"});
        const auto& op = *as<fused::rmsNormalization>(fused.node(0));
        CHECK(op.options.epsilon == 0.25);
        CHECK(op.options.scale.has_value() == scaled);
        CHECK(op.options.label == (scaled ? "norm" : ""));
        CHECK(!check_replacement(before, fused));
        CHECK(names(expand(fused).graph) == names(before));
      }
}

TEST_CASE("recognize_rms_normalization: operands in the other order") {
  WrittenOut w;
  for (const RootQuotient form : quotients) {
    const MLOperand s = w.b.add(w.number(0.25), w.mean(w.square(Square::product)));
    const Graph fused = recognized(w.b.mul(w.w, w.quotient(form, s, true)));
    CHECK(names(fused) == Names{"rmsNormalization"});
    const Graph written = expand(fused).graph;  // products have the NaN of their first operand
    const std::size_t last = written.size() - 1;
    CHECK(written.node(last).input(0).constant());
    if (form != RootQuotient::quotient)
      CHECK(written.node(last - 1).input(1).record().kind == OperandKind::input);
  }
}

TEST_CASE("recognize_rms_normalization: what is between its operators does not matter") {
  WrittenOut w;
  const MLOperand v = w.b.input("v", {float32, {8}});
  const MLOperand y = w.quotient(RootQuotient::quotient, w.sum(w.square(Square::power)));
  const MLOperand scale = w.b.add(v, w.number(1));  // computed, as weights that are stored less 1
  CHECK(names(recognized(w.b.mul(y, scale))) == Names{"add", "rmsNormalization"});
  // A product with what is not a row stays.
  const MLOperand column = w.b.input("c", {float32, {3, 1}});
  CHECK(names(recognized(w.b.mul(y, column))) == Names{"rmsNormalization", "mul"});
  // The normalization without the scale is read too.
  CHECK(names(recognize_rms_normalization(graph_of({{"y", w.b.mul(y, w.w)}, {"n", y}}))) ==
        Names{"rmsNormalization", "mul"});
}

TEST_CASE(
    "recognize_rms_normalization: rows that are cast to float32, and back before or after the "
    "scale") {
  for (const bool cast_back_first : {false, true}) {
    WrittenOut w;
    const MLOperand narrow = w.b.input("narrow", {float16, {2, 3, 8}});
    w.x = w.b.cast(narrow, float32);
    MLOperand y = w.quotient(RootQuotient::reciprocal, w.sum(w.square(Square::power)));
    if (cast_back_first) {
      const MLOperand half = w.b.constant({float16, {8}}, std::vector<std::uint16_t>(8, 0x3800));
      y = w.b.mul(half, w.b.cast(y, float16));
    } else {
      y = w.b.cast(w.b.mul(w.w, y), float16);
    }
    const Graph g = recognized(y);
    CHECK(names(g) == (cast_back_first ? Names{"cast", "rmsNormalization", "cast", "mul"}
                                       : Names{"cast", "rmsNormalization", "cast"}));
    // Behind the other passes, which compute float16 in float32.
    const Graph all = behind_passes({{"y", y}});
    CHECK(count(all, "rmsNormalization") == 1);
    CHECK(count(all, "reduceMean") == 0);
  }
}

TEST_CASE("recognize_rms_normalization: casts to the type that is there already") {
  for (const bool cast_back_first : {false, true}) {
    WrittenOut w;
    const MLOperand x = w.b.neg(w.b.input("in", w.x.descriptor()));
    w.x = w.b.cast(x, float32);
    MLOperand y = w.quotient(RootQuotient::power, w.sum(w.square(Square::power)));
    y = cast_back_first ? w.b.mul(w.w, w.b.cast(y, float32)) : w.b.cast(w.b.mul(w.w, y), float32);
    const Graph g = behind_passes({{"y", w.b.relu(y)}});
    CHECK(names(g) == Names{"neg", "rmsNormalization", "relu"});
    CHECK(as<fused::rmsNormalization>(g.node(1))->options.scale.has_value());
  }
}

TEST_CASE(
    "recognize_rms_normalization: float16 that is not cast, which passes compute in float32") {
  Net net;
  MLGraphBuilder& b = net.b;
  const MLOperand x = b.input("x", {float16, {2, 3, 8}});
  const auto number = [&](double v) { return b.constant(float16, v); };
  const MLOperand mean =
      b.reduceMean(b.pow(x, number(2)), {.axes = Dims{2}, .keepDimensions = true});
  const MLOperand root = b.sqrt(b.add(mean, number(0.25)));
  const Graph g = behind_passes({{"y", b.mul(x, b.div(number(1), root))}});
  CHECK(names(g) == Names{"cast", "rmsNormalization", "cast"});
}

TEST_CASE("recognize_rms_normalization leaves what is only similar") {
  WrittenOut w;
  const auto q = RootQuotient::quotient;
  const MLOperand other = w.b.input("other", w.x.descriptor()), x2 = w.b.mul(w.x, w.x);
  CHECK(is_found({{"y", w.quotient(q, w.sum(x2))}}));
  CHECK(!is_found({{"y", w.b.div(other, w.b.sqrt(w.sum(x2)))}}));        // of another operand
  CHECK(!is_found({{"y", w.quotient(q, w.sum(w.b.mul(w.x, other)))}}));  // not a square
  CHECK(!is_found({{"y", w.quotient(q, w.sum(w.power(w.x, 3)))}}));      // another power
  CHECK(!is_found({{"y", w.b.div(w.b.sqrt(w.sum(x2)), w.x)}}));          // the inverse
  CHECK(!is_found({{"y", w.quotient(q, w.sum(x2, INFINITY))}}));         // not a number
  CHECK(!is_found({{"y", w.b.mul(w.x, w.power(w.sum(x2), -1))}}));       // not a root
  CHECK(!is_found({{"y", w.b.mul(w.x, w.b.div(w.number(2), w.b.sqrt(w.sum(x2))))}}));
  CHECK(!is_found({{"y", w.quotient(q, w.b.sub(w.mean(x2), w.number(0.25)))}}));
  CHECK(!is_found({{"y", w.quotient(q, w.b.add(w.mean(x2), w.mean(x2)))}}));
  CHECK(!is_found({{"y", w.quotient(q, w.b.add(w.mean(x2, 1), w.number(0.25)))}}));  // another axis
  const MLOperand square = w.b.input("s", {float32, {8, 8}}), s2 = w.b.mul(square, square);
  CHECK(!is_found({{"y", w.b.div(square, w.b.sqrt(w.b.add(w.mean(s2, 1, false), w.number(1))))}}));
  // Something else reads what is inside.
  const MLOperand mean = w.mean(x2), s = w.b.add(mean, w.number(0.25)), root = w.b.sqrt(s);
  for (const MLOperand& inside : {x2, mean, s, root})
    CHECK(!is_found({{"y", w.b.div(w.x, root)}, {"inside", inside}}));
}

TEST_CASE("rmsNormalization: a scale of another shape is refused") {
  WrittenOut w;
  const MLOperand y = w.b.mul(w.quotient(RootQuotient::quotient, w.sum(w.square(Square::power))),
                              w.b.constant({float32, {8}}, std::vector<float>(8, 1)));
  const Graph fused = recognized(y);
  auto op = *as<fused::rmsNormalization>(fused.node(0));
  CHECK(infer(op));
  const MLOperand input = op.input;
  op.options.scale = input;
  const auto shapes = infer(op);
  REQUIRE(!shapes);
  CHECK(shapes.failure().message ==
        "the shape of scale ([2, 3, 8]) is not that of the last dimension of input ([2, 3, 8])");
}
