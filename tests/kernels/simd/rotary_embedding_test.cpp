#include "src/kernels/common/rotary_embedding.h"
#include "src/runtime/graph_state.h"
#include "tests/kernels/simd/support.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {
namespace {

struct Case {
  Dims shape, cos, sin;
  bool swapped = false;  ///< the operands of mul and add
};

/// The operators; `x` may have other readers.
MLOperand embedded(MLGraphBuilder& b, const MLOperand& x, const MLOperand& cos,
                   const MLOperand& sin, bool swapped = false) {
  const std::uint32_t half = x.shape().back() / 2;
  Dims starts(x.rank()), sizes = x.shape();
  sizes.back() = half;
  const MLOperand first = b.slice(x, starts, sizes);
  starts.back() = half;
  const MLOperand rotated = b.concat({b.neg(b.slice(x, starts, sizes)), first}, x.rank() - 1);
  return swapped ? b.add(b.mul(sin, rotated), b.mul(cos, x))
                 : b.add(b.mul(x, cos), b.mul(rotated, sin));
}

void check(const Case& c) {
  ChainUnderTest t;
  const MLOperand x = t.input(c.shape), cos = t.input(c.cos), sin = t.constant(c.sin);
  const auto y = t.run(embedded(t.b, x, cos, sin, c.swapped));
  CHECK(t.kernel == "rotary embedding");
  const std::size_t row = c.shape.back(), half = row / 2;
  const auto& v = t.values(x);
  REQUIRE(y.size() == v.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double rotated = i % row < half ? -double{v[i + half]} : double{v[i - half]};
    Sum sum;
    sum.add(v[i], broadcast(t.values(cos), c.cos, c.shape, i));
    sum.add(rotated, broadcast(t.values(sin), c.sin, c.shape, i));
    check_near(y[i], sum);
  }
}

}  // namespace

TEST_CASE("simd rotary embedding: shapes and orders") {
  for_targets([] {
    for (const bool swapped : {false, true}) {
      check({{1, 9, 3, 64}, {9, 1, 64}, {1, 9, 1, 64}, swapped});
      check({{2, 3, 7, 10}, {7, 10}, {1, 1, 7, 10}, swapped});
      check({{5, 2}, {5, 2}, {2}, swapped});
      check({{128}, {128}, {128}, swapped});
      check({{3, 4, 2, 34}, {3, 1, 2, 34}, {1, 4, 1, 34}, swapped});
    }
  });
}

TEST_CASE("simd rotary embedding: what is not one") {
  ChainUnderTest t;
  const MLOperand x = t.input({2, 3, 8}), cos = t.input({3, 8}), one = t.input({3, 1});
  const auto reason = [&](const MLOperand& y) {
    return std::holds_alternative<Refusal>(t.lower(y));
  };
  const MLOperand low = t.b.slice(x, {0, 0, 0}, {2, 3, 4}),
                  high = t.b.slice(x, {0, 0, 4}, {2, 3, 4});
  const auto sum = [&](const MLOperand& rotated, const MLOperand& sin) {
    return t.b.add(t.b.mul(x, cos), t.b.mul(rotated, sin));
  };
  CHECK(reason(sum(t.b.concat({t.b.neg(low), high}, 2), cos)));  // the other half negated
  CHECK(reason(sum(t.b.concat({high, t.b.neg(low)}, 2), cos)));  // not the first
  CHECK(reason(sum(t.b.concat({t.b.neg(high), low}, 2), one)));  // one factor for a row
  CHECK_FALSE(reason(sum(t.b.concat({t.b.neg(high), low}, 2), cos)));
}

TEST_CASE("rotary embeddings are one step, unless something else is read") {
  MLContext context({.threads = 1, .backends = {"simd", "reference"}});
  for (const bool again : {false, true}) {
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {3, 2, 4}}),
                    cos = b.input("cos", {float32, {3, 1, 4}}),
                    sin = b.input("sin", {float32, {3, 1, 4}});
    NamedOperands outputs{{"y", embedded(b, x, cos, sin)}};
    if (again) outputs.push_back({"z", b.neg(b.slice(x, {0, 0, 2}, {3, 2, 2}))});
    const MLGraph g = b.build(outputs);
    std::string kernels;
    for (const Step& s : detail::state_of(g)->plan.steps) kernels += s.choice.kernel.name + ", ";
    CHECK((kernels == "rotary embedding, ") == !again);
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
