// gemm and matmul.
#include "tests/kernels/simd/gemm_case.h"

namespace webnn::inline v0_1::test {
namespace {

void check(const GemmCase& g) {
  INFO(g);
  ChainUnderTest t;
  const Dims shape = g.b_transpose ? Dims{g.columns, g.k} : Dims{g.k, g.columns};
  const MLOperand b = g.constant ? t.constant(shape) : t.input(shape);
  check_gemm(t, g, b, [&](std::size_t i) { return t.values(b)[i]; });
}

void check_matmul(Dims a_shape, Dims b_shape, bool constant) {
  INFO(a_shape.size() << " " << b_shape.size() << (constant ? " constant" : ""));
  ChainUnderTest t;
  const MLOperand a = t.input(a_shape), b = constant ? t.constant(b_shape) : t.input(b_shape);
  const MLOperand y = t.b.matmul(a, b);
  const auto actual = t.run(t.b.relu(y));
  const Dims out = y.shape();
  const std::size_t rank = out.size(), rows = out[rank - 2], columns = out[rank - 1],
                    inner = a_shape.back();
  const auto matrix = [&](const Dims& shape, std::size_t batch) {  // the index of its matrix
    std::size_t index = 0, stride = 1;
    for (std::size_t d = rank - 2; d-- > 0; batch /= out[d]) {
      const std::size_t missing = rank - shape.size();
      if (d < missing) continue;
      const std::size_t size = shape[d - missing];
      if (size > 1) index += batch % out[d] * stride;
      stride *= size;
    }
    return index;
  };
  for (std::size_t batch = 0; batch < actual.size() / (rows * columns); ++batch)
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t n = 0; n < columns; ++n) {
        Sum sum;
        for (std::size_t k = 0; k < inner; ++k)
          sum.add(t.values(a)[(matrix(a_shape, batch) * rows + r) * inner + k],
                  t.values(b)[(matrix(b_shape, batch) * inner + k) * columns + n]);
        check_near(actual[(batch * rows + r) * columns + n], sum,
                   [](double v) { return std::max(v, 0.0); });
      }
}

}  // namespace

TEST_CASE("gemm: shapes, transpositions, constant or not") {
  for_targets([] {
    for (const auto& [m, k, n] : {std::tuple{1u, 1u, 1u},
                                  {1u, 70u, 33u},
                                  {1u, 1u, 100u},
                                  {3u, 19u, 40u},
                                  {4u, 67u, 7u},
                                  {9u, 33u, 24u},
                                  {40u, 5u, 70u},
                                  {130u, 20u, 19u},
                                  {250u, 37u, 3u},
                                  {30u, 300u, 3u},
                                  {1u, 200u, 2u},
                                  {120u, 64u, 600u}})
      for (bool at : {false, true})
        for (bool bt : {false, true})
          for (bool constant : {false, true}) check({m, k, n, at, bt, constant});
  });
}

TEST_CASE("gemm: alpha, beta and every form of c") {
  for_targets([] {
    for (const auto& [m, k, n] :
         {std::tuple{1u, 11u, 20u}, {3u, 11u, 9u}, {30u, 11u, 37u}, {7u, 200u, 2u}})
      for (const Dims& c :
           {Dims{}, Dims{1}, Dims{n}, Dims{1, 1}, Dims{1, n}, Dims{m, 1}, Dims{m, n}})
        for (double beta : {1.0, -0.5})
          for (bool constant : {false, true})
            for (bool constant_c : {false, true})
              check({m, k, n, false, true, constant, 0.75, beta, c, constant_c, beta == 1,
                     constant_c});
  });
}

TEST_CASE("gemm: activations") {
  for_targets([] {
    for (std::size_t activation = 0; activation < activations().size(); ++activation)
      for (bool constant : {false, true})
        for (std::uint32_t rows : {1u, 3u, 20u})
          check({.rows = rows,
                 .k = 24,
                 .columns = 37,
                 .constant = constant,
                 .residual = true,
                 .activation = activation});
  });
}

TEST_CASE("matmul: batches broadcast") {
  for_targets([] {
    for (bool constant : {false, true}) {
      check_matmul({5, 7}, {7, 9}, constant);
      check_matmul({2, 3, 5, 7}, {7, 9}, constant);
      check_matmul({2, 3, 5, 7}, {2, 3, 7, 9}, constant);
      check_matmul({3, 1, 5, 7}, {4, 7, 20}, constant);
      check_matmul({1, 5, 7}, {6, 7, 20}, constant);
      check_matmul({6, 1, 7}, {6, 7, 20}, constant);
      check_matmul({2, 40, 12}, {2, 12, 33}, constant);
      check_matmul({2, 1, 3, 33, 8}, {5, 1, 8, 17}, constant);
    }
  });
}

}  // namespace webnn::inline v0_1::test
