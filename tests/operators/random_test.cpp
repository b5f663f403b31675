// webnn.Random and webnn.FreshRandom: what follows from a seed, and how numbers are distributed.
#include <cmath>
#include <set>

#include "tests/operators/run_operator.h"
#include "tests/support/random.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

struct Moments {
  double mean = 0, deviation = 0, skew = 0, least = INFINITY, most = -INFINITY;
};
Moments moments(const Tensor& y) {
  Moments m;
  const auto n = static_cast<double>(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    m.mean += y[i] / n;
    m.least = std::min(m.least, y[i]), m.most = std::max(m.most, y[i]);
  }
  double square = 0, cube = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    square += std::pow(y[i] - m.mean, 2) / n;
    cube += std::pow(y[i] - m.mean, 3) / n;
  }
  m.deviation = std::sqrt(square);
  m.skew = cube / std::pow(square, 1.5);
  return m;
}

Tensor numbers(CustomAttributes attributes, const std::vector<Tensor>& like = {}) {
  return run_operator(operators::random(), like, attributes).front();
}
using List = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("Random: uniform and normal numbers of a seed") {
  const List shape{100, 1000};
  const Tensor uniform = numbers({{"first", -2.0}, {"second", 6.0}, {"shape", shape}, {"seed", 7}});
  CHECK(uniform.shape == Dims{100, 1000});
  const Moments u = moments(uniform);
  CHECK(std::abs(u.mean - 2) < 0.03);
  CHECK(std::abs(u.deviation - 8 / std::sqrt(12)) < 0.02);
  CHECK(std::abs(u.skew) < 0.03);
  CHECK(u.least >= -2);
  CHECK(u.least < -1.99);
  CHECK(u.most < 6);
  CHECK(u.most > 5.99);
  const Moments n = moments(numbers({{"distribution", "normal"},
                                     {"first", 3.0},
                                     {"second", 2.0},
                                     {"shape", shape},
                                     {"seed", 7}}));
  CHECK(std::abs(n.mean - 3) < 0.03);
  CHECK(std::abs(n.deviation - 2) < 0.02);
  CHECK(std::abs(n.skew) < 0.03);
  CHECK(n.most > 3 + 2 * 3.5);
  CHECK(n.least < 3 - 2 * 3.5);
}

TEST_CASE("Random: neighbors are independent, seeds differ, equal seeds do not") {
  const List shape{50000};
  const Tensor a = numbers({{"shape", shape}, {"seed", 1}}),
               b = numbers({{"shape", shape}, {"seed", 2}}),
               again = numbers({{"shape", shape}, {"seed", 1}});
  CHECK(a.bytes == again.bytes);
  double neighbors = 0, seeds = 0;
  std::set<double> different;
  for (std::size_t i = 0; i + 1 < a.size(); ++i) {
    neighbors += (a[i] - 0.5) * (a[i + 1] - 0.5) * 12 / 50000;
    seeds += (a[i] - 0.5) * (b[i] - 0.5) * 12 / 50000;
    different.insert(a[i]);
  }
  CHECK(std::abs(neighbors) < 0.02);
  CHECK(std::abs(seeds) < 0.02);
  CHECK(different.size() > 49000);
}

TEST_CASE("Random: shapes of operands, types, and ends that rounding does not reach") {
  const Tensor like = filled(int32, {3, 5}, 1);
  const Tensor y = numbers({{"type", "float16"}, {"seed", 3}}, {like});
  CHECK(y.type == float16);
  CHECK(y.shape == Dims{3, 5});
  CHECK(numbers({{"type", "bfloat16"}, {"seed", 3}}, {like}).type == bfloat16);
  CHECK(numbers({}, {}).shape == Dims{});
  const Tensor narrow = numbers(
      {{"first", 1.0}, {"second", 1.0 + 1.0 / 512}, {"type", "float16"}, {"shape", List{20000}}});
  for (std::size_t i = 0; i < narrow.size(); ++i) {
    REQUIRE(narrow[i] >= 1);
    REQUIRE(narrow[i] < 1 + 1.0 / 512);
  }
  CHECK(numbers({{"first", 2.5}, {"second", 2.5}, {"shape", List{3}}})[2] == 2.5);
}

TEST_CASE("FreshRandom: other numbers in each run and each use") {
  MLContext context({.threads = 2});
  MLGraphBuilder b(context);
  const CustomAttributes attributes{{"shape", List{2000}}};
  const MLOperand x = b.custom("webnn.FreshRandom", {}, {.attributes = attributes})[0],
                  y = b.custom("webnn.FreshRandom", {}, {.attributes = attributes})[0];
  const MLGraph graph = b.build({{"x", b.identity(x)}, {"y", b.identity(y)}});
  std::vector<float> seen[4];
  for (int run = 0; run < 2; ++run) {
    seen[2 * run].resize(2000), seen[2 * run + 1].resize(2000);
    context.compute(graph, {}, {{"x", seen[2 * run]}, {"y", seen[2 * run + 1]}});
  }
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < i; ++k) CHECK(seen[i] != seen[k]);
    double mean = 0;
    for (const float v : seen[i]) {
      REQUIRE(v >= 0);
      REQUIRE(v < 1);
      mean += v / 2000;
    }
    CHECK(std::abs(mean - 0.5) < 0.05);
  }
}

TEST_CASE("Random: what it refuses") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2}});
  const auto refused = [&](CustomAttributes attributes, std::vector<MLOperand> operands = {}) {
    return thrown([&] { b.custom("webnn.Random", operands, {.attributes = attributes}); });
  };
  CHECK_THAT(refused({{"distribution", "gamma"}}), ContainsSubstring("distribution (\"gamma\")"));
  CHECK_THAT(refused({{"type", "int8"}}), ContainsSubstring("type (\"int8\")"));
  CHECK_THAT(refused({{"first", 2.0}}), ContainsSubstring("is above second"));
  CHECK_THAT(refused({{"distribution", "normal"}, {"second", -1.0}}),
             ContainsSubstring("deviation, is -1"));
  CHECK_THAT(refused({{"second", INFINITY}}), ContainsSubstring("is not finite"));
  CHECK_THAT(refused({{"second", 1e39}}), ContainsSubstring("is not finite in float32"));
  CHECK_THAT(refused({{"shape", List{2, 0}}}), ContainsSubstring("shape has 0"));
  CHECK_THAT(refused({{"shape", List{2}}}, {x}), ContainsSubstring("and the attribute shape"));
  CHECK_THAT(refused({}, {x, x}), ContainsSubstring("it has 2 operands"));
}
