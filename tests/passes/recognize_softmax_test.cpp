#include <cmath>

#include "tests/passes/small_graphs.h"

using namespace webnn;
using namespace webnn::test;

namespace {

struct Axes {
  std::uint32_t largest, summed;
  bool keep = true;
};
struct WrittenOut : Net {
  MLOperand x = b.input("x", {float32, {3, 5, 5}});

  MLOperand exponentials(const Axes& a) {
    const MLReduceOptions o{.axes = Dims{a.largest}, .keepDimensions = a.keep};
    return b.exp(b.sub(x, b.reduceMax(x, o)));
  }
  MLOperand quotient(const MLOperand& e, const Axes& a) {
    return b.div(e, b.reduceSum(e, {.axes = Dims{a.summed}, .keepDimensions = a.keep}));
  }
};

}  // namespace

TEST_CASE("recognize_softmax") {
  WrittenOut w;
  const auto recognized = [&](const Axes& a) {
    return recognize_softmax(graph_of({{"y", w.quotient(w.exponentials(a), a)}}));
  };
  for (std::uint32_t axis : {0u, 1u, 2u}) {
    const Graph g = recognized({axis, axis});
    REQUIRE(names(g) == Names{"softmax"});
    CHECK(g.node(0).as<ops::softmax>()->axis == axis);
  }
  CHECK(count(recognized({1, 2}), "softmax") == 0);
  CHECK(count(recognized({2, 1}), "softmax") == 0);
  CHECK(count(recognized({0, 0, false}), "softmax") == 0);  // broadcast, other elements meet
  // The exponentials are an output too.
  const MLOperand e = w.exponentials({2, 2});
  CHECK(count(recognize_softmax(graph_of({{"e", e}, {"y", w.quotient(e, {2, 2})}})), "softmax") ==
        0);
}

TEST_CASE("recognize_softmax keeps the values") {
  std::vector<float> x(75), results[2];
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 90 * std::sin(static_cast<float>(i));
  for (const char* setting : {"none", ""}) {
    REQUIRE(setenv("WEBNN_PASSES", setting, 1) == 0);
    WrittenOut w;
    const MLGraph g = w.b.build({{"y", w.quotient(w.exponentials({1, 1}), {1, 1})}});
    std::vector<float>& out = results[*setting == 0];
    out.resize(x.size());
    w.context.compute(g, {{"x", x}}, {{"y", out}});
    CHECK((g.optimized().size() == 1) == (*setting == 0));
  }
  REQUIRE(unsetenv("WEBNN_PASSES") == 0);
  for (std::size_t i = 0; i < x.size(); ++i)
    CHECK(results[1][i] == Approx(results[0][i]).epsilon(1e-6).margin(1e-9));
}
