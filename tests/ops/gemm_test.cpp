#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

struct Sizes {
  std::uint32_t rows, columns, depth;
};

Build gemm(MLGemmOptions o) {
  return [o](MLGraphBuilder& b, Build::Operands x) {
    MLGemmOptions options = o;
    if (x.size() > 2) options.c = x[2];
    return b.gemm(x[0], x[1], options);
  };
}

/// Positive elements: where sums cancel, units in the last place measure nothing.
void multiplies(MLOperandDataType type, const Sizes& s, const MLGemmOptions& o,
                std::optional<Dims> c_shape = {}) {
  Random random(s.rows + s.columns * 3 + s.depth);
  const Dims a_shape = o.aTranspose ? Dims{s.depth, s.rows} : Dims{s.rows, s.depth};
  const Dims b_shape = o.bTranspose ? Dims{s.columns, s.depth} : Dims{s.depth, s.columns};
  std::vector<Tensor> x{random.tensor(type, a_shape, 0.1, 1), random.tensor(type, b_shape, 0.1, 1)};
  if (c_shape) x.push_back(random.tensor(type, *c_shape, 0.1, 1));
  const Tensor y = generated(type, {s.rows, s.columns}, [&](const Dims& at) {
    double sum = 0;
    for (std::uint32_t k = 0; k < s.depth; ++k)
      sum += x[0].at(o.aTranspose ? Dims{k, at[0]} : Dims{at[0], k}) *
             x[1].at(o.bTranspose ? Dims{at[1], k} : Dims{k, at[1]});
    return o.alpha * sum + (c_shape ? o.beta * x[2].broadcast_at(at) : 0);
  });
  Tolerance tolerance = tolerance_of("gemm", type, s.depth);
  tolerance.ulp +=
      (o.alpha != 1) + (c_shape && o.beta != 0) + (c_shape && o.beta != 0 && o.beta != 1);
  check({gemm(o), x, {y}, tolerance});
  check({gemm(o),
         x,
         {y},
         tolerance,
         c_shape ? std::vector<std::size_t>{1, 2} : std::vector<std::size_t>{1}});
}

}  // namespace

TEST_CASE("gemm: both transpositions, many sizes", "[gemm]") {
  for (auto type : {float32, float16, bfloat16})
    for (bool a : {false, true})
      for (bool b : {false, true})
        for (const Sizes& s : {Sizes{1, 1, 1}, Sizes{1, 70, 40}, Sizes{5, 3, 7}, Sizes{33, 65, 20},
                               Sizes{70, 4, 150}})
          multiplies(type, s, {.aTranspose = a, .bTranspose = b});
}

TEST_CASE("gemm: c broadcasts to the result", "[gemm]") {
  for (auto type : {float32, float16, bfloat16})
    for (const Dims& c : {Dims{}, Dims{1}, Dims{6}, Dims{5, 1}, Dims{1, 6}, Dims{1, 1}, Dims{5, 6}})
      multiplies(type, {5, 6, 7}, {.alpha = 1, .beta = 1}, c);
}

TEST_CASE("gemm: alpha and beta", "[gemm]") {
  for (auto type : {float32, float16, bfloat16}) {
    multiplies(type, {5, 6, 7}, {.alpha = 0.5, .beta = 2}, Dims{6});
    multiplies(type, {5, 6, 7}, {.alpha = 2, .bTranspose = true});
    multiplies(type, {5, 6, 7}, {.alpha = 0, .beta = 0.25}, Dims{5, 6});
    multiplies(type, {5, 6, 7}, {.beta = 0}, Dims{5, 6});
  }
}

TEST_CASE("gemm: alpha and beta are rounded to the data type", "[gemm]") {
  check(
      {gemm({.alpha = 1 + 0x1p-12, .beta = 1 + 0x1p-12}),
       {tensor(float16, {1, 1}, {1024}), tensor(float16, {1, 1}, {1}), tensor(float16, {}, {0.5})},
       {tensor(float16, {1, 1}, {1024})}});
}

TEST_CASE("gemm: as matmul and add", "[gemm]") {
  Random random(5);
  const auto composed = [](MLGraphBuilder& b, Build::Operands x) {
    const MLOperand a = b.mul(b.constant(float32, 0.5), b.transpose(x[0]));
    return b.add(b.matmul(a, x[1]), b.mul(b.constant(float32, 3), x[2]));
  };
  check_same(gemm({.alpha = 0.5, .beta = 3, .aTranspose = true}), composed,
             {random.tensor(float32, {8, 5}, 0.1, 1), random.tensor(float32, {8, 6}, 0.1, 1),
              random.tensor(float32, {6}, 0.1, 1)},
             {.ulp = 2 * 8 + 3 + 2 * 8 + 3});
}
