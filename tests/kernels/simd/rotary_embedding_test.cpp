#include "src/runtime/graph_state.h"
#include "tests/kernels/simd/support.h"
#include "tests/support/rotary_forms.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {
namespace {

using Names = std::vector<std::string>;

struct Case {
  Dims shape, cos, sin;  ///< cos and sin for each element
};

void check(Case c, const RotaryWritten& w) {
  if (w.by_pair) c.cos.back() /= 2, c.sin.back() /= 2;
  ChainUnderTest t;
  const MLOperand x = t.input(c.shape), cos = t.input(c.cos), sin = t.constant(c.sin);
  const auto y = t.run(rotary_written(t.b, x, cos, sin, w));
  CHECK(t.kernel == "rotary embedding");
  const std::size_t row = c.shape.back(), half = row / 2;
  const auto& v = t.values(x);
  Dims factors = c.shape;
  if (w.by_pair) factors.back() /= 2;
  REQUIRE(y.size() == v.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t in_row = i % row, first = i - in_row;
    const std::size_t pair = w.interleaved ? in_row / 2 : in_row % half;
    const bool second = w.interleaved ? in_row % 2 : in_row >= half;
    const std::size_t a = first + (w.interleaved ? 2 * pair : pair),
                      b = a + (w.interleaved ? 1 : half);
    const std::size_t at = w.by_pair ? i / row * half + pair : i;
    const double rotated = second ? double{v[a]} : -double{v[b]};
    Sum sum;
    sum.add(v[i], broadcast(t.values(cos), c.cos, factors, at));
    sum.add(rotated, broadcast(t.values(sin), c.sin, factors, at));
    check_near(y[i], sum);
  }
}

Names kernels_of(const MLGraph& g) {
  Names all;
  for (const Step& s : detail::state_of(g)->plan.steps) all.push_back(s.choice.kernel->name);
  return all;
}

}  // namespace

TEST_CASE("simd rotary embedding: forms and shapes") {
  for_targets([] {
    for (const RotaryWritten& w : rotary_forms()) {
      CAPTURE(w.interleaved, w.by_pair, static_cast<int>(w.parts), w.swapped);
      check({{1, 9, 3, 64}, {9, 1, 64}, {1, 9, 1, 64}}, w);
      check({{2, 3, 7, 10}, {7, 10}, {1, 1, 7, 10}}, w);
      check({{5, 2}, {5, 2}, {2}}, w);
      check({{128}, {128}, {128}}, w);
      check({{3, 4, 2, 34}, {3, 1, 2, 34}, {1, 4, 1, 34}}, w);
    }
  });
}

TEST_CASE("rotary embeddings are one step, in all forms") {
  MLContext context({.threads = 1, .backends = {"simd", "reference"}});
  for (const RotaryWritten& w : rotary_forms()) {
    CAPTURE(w.interleaved, w.by_pair, static_cast<int>(w.parts), w.swapped);
    MLGraphBuilder b(context);
    const std::uint32_t n = w.by_pair ? 8 : 16;
    const MLOperand x = b.input("x", {float32, {2, 5, 3, 16}});
    const MLOperand cos = b.input("cos", {float32, {5, 1, n}}),
                    sin = b.input("sin", {float32, {5, 1, n}});
    const MLGraph g = b.build({{"y", rotary_written(b, x, cos, sin, w)}});
    CHECK(kernels_of(g) == Names{"rotary embedding"});
    CHECK(g.explain().find("rotary embedding") != std::string::npos);
    CHECK(to_text(g.optimized()).find("rotaryEmbedding") == std::string::npos);
  }
}

TEST_CASE("rotary embeddings are one step, unless something else is read") {
  MLContext context({.threads = 1, .backends = {"simd", "reference"}});
  for (const bool again : {false, true}) {
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {3, 2, 4}}),
                    cos = b.input("cos", {float32, {3, 1, 4}}),
                    sin = b.input("sin", {float32, {3, 1, 4}});
    NamedOperands outputs{{"y", rotary_written(b, x, cos, sin, {})}};
    if (again) outputs.push_back({"z", b.neg(b.slice(x, {0, 0, 2}, {3, 2, 2}))});
    const MLGraph g = b.build(outputs);
    CHECK((kernels_of(g) == Names{"rotary embedding"}) == !again);
    std::vector<float> in(24), c(12, 2.f), s(12, 10.f), y(24), z(12), expected(24);
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = static_cast<float>(i);
      expected[i] = 2 * static_cast<float>(i) +
                    10 * (i % 4 < 2 ? -static_cast<float>(i + 2) : static_cast<float>(i - 2));
    }
    std::vector<NamedOutput> results{{"y", y}};
    if (again) results.push_back({"z", z});
    context.compute(g, {{"cos", c}, {"sin", s}, {"x", in}}, results);
    CHECK(y == expected);
    if (again) CHECK(z[1] == -3);
  }
}

}  // namespace webnn::inline v0_1::test
