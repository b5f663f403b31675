// Transpositions by vectors, against indices counted one by one.
#include <algorithm>
#include <numeric>

#include "tests/kernels/simd/quantized.h"
#include "tests/kernels/simd/support.h"

namespace webnn::inline v0_1::test {
namespace {

std::vector<float> transposed(const std::vector<float>& x, const Dims& shape, const Dims& order) {
  std::vector<float> y;
  Dims at(order.size());  // in the result
  for (std::size_t i = 0; i < x.size(); ++i) {
    Dims from(order.size());
    for (std::size_t d = 0; d < order.size(); ++d) from[order[d]] = at[d];
    std::size_t place = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) place = place * shape[d] + from[d];
    y.push_back(x[place]);
    for (std::size_t d = order.size(); d-- > 0 && ++at[d] == shape[order[d]];) at[d] = 0;
  }
  return y;
}

/// Whether the backend took it.
bool check(const Dims& shape, const Dims& order) {
  ChainUnderTest t;
  const MLOperand x = t.input(shape);
  const MLOperand y = t.b.transpose(x, {.permutation = order});
  if (std::holds_alternative<Refusal>(t.lower(y))) return false;
  CHECK(t.run(y) == transposed(t.values(x), shape, order));
  return true;
}

/// The same for bytes, of any instruction set.
void check_bytes(const Dims& shape, const Dims& order, bool lowered) {
  std::vector<float> values(element_count(shape));
  std::vector<std::uint8_t> x(values.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
  std::copy(x.begin(), x.end(), values.begin());
  const std::vector<float> expected = transposed(values, shape, order);
  for_int8_targets([&](const std::shared_ptr<const Backend>& simd) {
    MLContext context({.threads = 3, .backends = {simd, "reference"}});
    MLGraphBuilder b(context);
    const MLGraph graph =
        b.build({{"y", b.transpose(b.input("x", {MLOperandDataType::uint8, shape}),
                                   {.permutation = order})}});
    CHECK((graph.explain().find("simd int8 transpose") != std::string::npos) == lowered);
    std::vector<std::uint8_t> y(x.size());
    context.compute(graph, {{"x", InputView(std::span<const std::uint8_t>(x))}}, {{"y", y}});
    CHECK(std::equal(y.begin(), y.end(), expected.begin(), expected.end()));
  });
}

}  // namespace

TEST_CASE("simd: transposed bytes") {
  check_bytes({1, 32, 28, 28}, {0, 2, 3, 1}, true);
  check_bytes({2, 17, 5, 19}, {0, 2, 3, 1}, true);
  check_bytes({1, 20, 30, 23}, {0, 3, 1, 2}, true);
  check_bytes({3, 67, 300}, {0, 2, 1}, true);
  for (std::uint32_t c : {2u, 3u, 4u}) {
    check_bytes({2, c, 9, 31}, {0, 2, 3, 1}, true);
    check_bytes({c, 3000}, {1, 0}, true);
  }
  check_bytes({12, 40}, {1, 0}, false);
  check_bytes({40, 12}, {1, 0}, false);
}

TEST_CASE("simd: channels that become neighbors") {
  for_targets([] {
    for (std::uint32_t c : {2u, 3u, 4u}) {
      CHECK(check({1, c, 31, 33}, {0, 2, 3, 1}));
      CHECK(check({3, c, 5, 7}, {0, 2, 3, 1}));
      CHECK(check({c, 5000}, {1, 0}));
      CHECK(check({c, 1}, {1, 0}) == false);  // moves nothing
    }
    CHECK(check({1, 3, 224, 224}, {0, 2, 3, 1}));
    CHECK(check({4, 6, 40}, {1, 2, 0}));
  });
}

TEST_CASE("simd: transposed tensors of any order, where they are lowered") {
  std::mt19937 random(5);
  int lowered = 0;
  for (int i = 0; i < 300; ++i) {
    Dims shape(2 + random() % 4), order(shape.size());
    for (std::uint32_t& d : shape) d = 1 + random() % 6;
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random);
    CAPTURE(shape, order);
    lowered += check(shape, order);
  }
  CHECK(lowered > 20);
}

TEST_CASE("simd: transposed matrices") {
  for_targets([] {
    for (std::uint32_t rows : {8u, 15u, 16u, 17u, 64u, 255u, 256u, 300u, 1024u})
      for (std::uint32_t columns : {8u, 9u, 16u, 31u, 64u}) {
        CAPTURE(rows, columns);
        CHECK(check({rows, columns}, {1, 0}));
      }
    CHECK(check({3, 20, 30}, {0, 2, 1}));
    CHECK(check({9, 20, 30}, {2, 1, 0}));
    CHECK(check({20, 3, 30}, {2, 1, 0}));
    CHECK(check({2, 24, 14, 14}, {0, 2, 3, 1}));
    CHECK(check({2, 14, 14, 24}, {0, 3, 1, 2}));
    CHECK(check({9, 2, 3, 10, 2}, {3, 1, 4, 2, 0}) == false);
  });
}

TEST_CASE("simd: other transpositions are left to others") {
  CHECK_FALSE(check({8, 16, 32}, {1, 0, 2}));
  CHECK_FALSE(check({64, 7}, {1, 0}));
  CHECK_FALSE(check({7, 64}, {1, 0}));
}

}  // namespace webnn::inline v0_1::test
