// Products with constants of float16 and bfloat16 whose operands are rounded to bfloat16: the bits
// of products with the same constants in float32, which bfloat16_product_test.cpp compares with the
// instruction.
#include <limits>

#include "tests/kernels/simd/bfloat16.h"
#include "webnn/bfloat16.h"
#include "webnn/float16.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {
namespace {

using simd::Bfloat16Products;

struct Case {
  MLOperandDataType type = float16;
  std::uint32_t rows = 1, k = 80, columns = 70;
  bool b_transpose = false, a_transpose = false;
  double alpha = 1;
  std::optional<Dims> c{};
  std::uint32_t matrices = 1;
};

std::ostream& operator<<(std::ostream& s, const Case& c) {
  return s << name_of(c.type) << ' ' << c.rows << 'x' << c.k << 'x' << c.columns
           << (c.a_transpose ? " a'" : "") << (c.b_transpose ? " b'" : "") << " alpha " << c.alpha
           << " matrices " << c.matrices;
}

template <class T> std::vector<T> stored(std::size_t n, std::mt19937& random, bool extremes) {
  std::vector<T> all(n);
  for (T& x : all) {
    const auto kind = random() % 40;
    float v = static_cast<float>(random() % 4001) / 2000.f - 1;
    if (extremes && kind == 0) v = std::numeric_limits<float>::infinity();
    if (extremes && kind == 1) v = 0x1p-24f * static_cast<float>(random() % 1000);
    if (extremes && kind == 2) v = -60000;
    x = T(v);
  }
  return all;
}

/// The results, and the name of the kernel. `wide`: the constants are float32.
template <class T>
std::pair<std::vector<float>, std::string> results(Bfloat16Products how, const Case& c, bool wide,
                                                   bool extremes) {
  ChainUnderTest t(in_bfloat16(how));
  std::mt19937 random(c.rows * 100 + c.k);
  Dims shape = c.b_transpose ? Dims{c.columns, c.k} : Dims{c.k, c.columns};
  if (c.matrices > 1) shape.insert(shape.begin(), c.matrices);
  const std::vector<T> values = stored<T>(element_count(shape), random, extremes);
  const std::vector<float> floats(values.begin(), values.end());
  const MLOperand w = wide ? t.b.constant({float32, shape}, std::span<const float>(floats))
                           : t.b.cast(t.b.constant({c.type, shape}, values), float32);
  Dims as = c.a_transpose ? Dims{c.k, c.rows} : Dims{c.rows, c.k};
  if (c.matrices > 1) as.insert(as.begin(), c.matrices);
  std::vector<float> av(element_count(as));
  for (float& x : av) x = static_cast<float>(random() % 4001) / 2000.f - 1;
  const MLOperand a = t.input(as, av);
  if (c.matrices > 1) return {t.run(t.b.matmul(a, w)), t.kernel};
  MLGemmOptions o{.alpha = c.alpha, .aTranspose = c.a_transpose, .bTranspose = c.b_transpose};
  if (c.c) o.c = t.b.constant({float32, *c.c}, std::vector<float>(element_count(*c.c), 0.375f));
  auto y = t.run(t.b.relu(t.b.gemm(a, w, o)));
  return {std::move(y), t.kernel};
}

template <class T> void check(Bfloat16Products how, const Case& c, bool extremes = false) {
  const auto [narrow, kernel] = results<T>(how, c, false, extremes);
  const auto [wide, same_kernel] = results<T>(how, c, true, extremes);
  CAPTURE(c, kernel);
  CHECK(kernel.starts_with("bfloat16 gem"));
  CHECK(kernel == same_kernel);
  REQUIRE(narrow.size() == wide.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < wide.size(); ++i)
    wrong += !same_bits(narrow[i], wide[i]) && !(std::isnan(narrow[i]) && std::isnan(wide[i]));
  CHECK(wrong == 0);
}

void check_both(Bfloat16Products how, Case c, bool extremes = false) {
  c.type = float16;
  check<Float16>(how, c, extremes);
  c.type = bfloat16;
  check<BFloat16>(how, c, extremes);
}

}  // namespace

TEST_CASE("bfloat16: constants of float16 and bfloat16 become the same panels as float32") {
  for (const Bfloat16Products how : ways_of_bfloat16()) {
    CAPTURE(static_cast<int>(how));
    for (std::uint32_t rows : {1, 3, 9, 50})
      for (const bool b : {false, true}) {
        check_both(how, {.rows = rows, .b_transpose = b});
        check_both(how, {.rows = rows, .k = 67, .columns = 97, .b_transpose = b, .alpha = 0.3});
        check_both(how, {.rows = rows, .k = 1100, .columns = 33, .b_transpose = b, .c = Dims{33}});
        check_both(how, {.rows = rows, .b_transpose = b, .a_transpose = true, .c = Dims{rows, 1}});
        check_both(how, {.rows = rows, .b_transpose = b}, true);
      }
    check_both(how, {.rows = 6, .matrices = 3});
  }
}

}  // namespace webnn::inline v0_1::test
