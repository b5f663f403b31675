#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const Build matmul = [](MLGraphBuilder& b, Build::Operands x) { return b.matmul(x[0], x[1]); };

Tensor product(const Tensor& a, const Tensor& b, const Dims& shape) {
  const std::size_t rank = shape.size(), depth = a.shape.back();
  const auto at_batch = [](const Tensor& t, const Dims& at, std::size_t i, std::size_t j) {
    Dims place(at.end() - static_cast<std::ptrdiff_t>(t.shape.size()), at.end());
    for (std::size_t d = 0; d + 2 < place.size(); ++d)
      if (t.shape[d] == 1) place[d] = 0;
    place[place.size() - 2] = static_cast<std::uint32_t>(i);
    place[place.size() - 1] = static_cast<std::uint32_t>(j);
    return t.at(place);
  };
  return generated(a.type, shape, [&](const Dims& at) {
    double sum = 0;
    for (std::size_t k = 0; k < depth; ++k)
      sum += at_batch(a, at, at[rank - 2], k) * at_batch(b, at, k, at[rank - 1]);
    return sum;
  });
}
/// Positive elements: where sums cancel, units in the last place measure nothing.
void multiplies(MLOperandDataType type, const Dims& a, const Dims& b, const Dims& y) {
  Random random(a.size() + b.size());
  const Tensor x = random.tensor(type, a, 0.1, 1), z = random.tensor(type, b, 0.1, 1);
  const Tolerance tolerance = tolerance_of("matmul", type, a.back());
  const Tensor expected = product(x, z, y);
  check({matmul, {x, z}, {expected}, tolerance});
  check({matmul, {x, z}, {expected}, tolerance, {1}});
}

}  // namespace

TEST_CASE("matmul: matrices of many sizes", "[matmul]") {
  for (auto type : {float32, float16, bfloat16})
    for (std::uint32_t m : {1, 3, 4, 17, 65})
      for (std::uint32_t n : {1, 5, 32, 33})
        for (std::uint32_t k : {1, 7, 130}) multiplies(type, {m, k}, {k, n}, {m, n});
}

TEST_CASE("matmul: batches broadcast", "[matmul]") {
  for (auto type : {float32, float16, bfloat16}) {
    multiplies(type, {2, 1, 3, 4}, {5, 4, 6}, {2, 5, 3, 6});
    multiplies(type, {7, 4}, {3, 2, 4, 5}, {3, 2, 7, 5});
    multiplies(type, {3, 2, 7, 4}, {4, 5}, {3, 2, 7, 5});
    multiplies(type, {4, 2, 3, 3}, {4, 1, 3, 3}, {4, 2, 3, 3});
  }
}

TEST_CASE("matmul: signed elements, exactly representable", "[matmul]") {
  Random random(9);
  Tensor a = random.tensor(float32, {20, 50}), b = random.tensor(float32, {50, 40});
  for (Tensor* t : {&a, &b})
    for (std::size_t i = 0; i < t->size(); ++i) t->set(i, std::round((*t)[i]));
  check({matmul, {a, b}, {product(a, b, {20, 40})}});
}

TEST_CASE("matmul: infinities and NaN", "[matmul]") {
  check({matmul,
         {tensor(float32, {3, 2}, {INFINITY, 1, NAN, 1, INFINITY, -INFINITY}),
          tensor(float32, {2, 1}, {1, 1})},
         {tensor(float32, {3, 1}, {INFINITY, NAN, NAN})}});
}
