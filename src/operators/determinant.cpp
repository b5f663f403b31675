// webnn.Determinant: elimination with the largest pivot of each column, in double.
#include <cmath>

#include "src/operators/operators.h"
#include "src/operators/tiles.h"

namespace webnn::inline v0_1::operators {
namespace {

constexpr std::uint32_t most = 4096;

std::vector<MLOperandDescriptor> infer(const CustomCall& call) {
  require_operands(call, 1, 1);
  const auto& [type, x] = call.inputs[0];
  if (!types::floats.contains(type)) refuse(fail("the data type of its operand is {}", type));
  if (x.size() < 2) refuse(fail("the rank of its operand is {}, not at least 2", x.size()));
  const std::size_t n = x.size() - 1;
  if (x[n] != x[n - 1]) refuse(fail("its operand of shape {} has no square matrices", x));
  if (x[n] > most) refuse(fail("its matrices have {} rows, more than {}", x[n], most));
  return {{type, Dims(x.begin(), x.end() - 2)}};
}

double determinant_of(double* m, std::size_t n) {
  double product = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(m[i * n + k]) > std::abs(m[pivot * n + k])) pivot = i;
    if (pivot != k) {
      std::swap_ranges(m + k * n, m + (k + 1) * n, m + pivot * n);
      product = -product;
    }
    const double p = m[k * n + k];
    product *= p;
    if (p == 0) return product;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = m[i * n + k] / p;
      if (factor == 0) continue;
      for (std::size_t j = k; j < n; ++j) m[i * n + j] -= factor * m[k * n + j];
    }
  }
  return product;
}

Lowering lower(const CustomCall& call) {
  const std::size_t n = call.inputs[0].shape.back();
  return with_float(call.inputs[0].dataType, [&]<class T>(std::type_identity<T>) -> Lowering {
    return by_rows(
        "determinant", element_count(call.outputs[0].shape), n * n * n,
        [n](std::size_t i, const Buffers& b, std::byte* scratch) {
          auto* m = reinterpret_cast<double*>(scratch);
          for (std::size_t k = 0; k < n * n; ++k)
            m[k] = static_cast<float>(b.in<T>()[i * n * n + k]);
          b.out<T>()[i] = static_cast<T>(static_cast<float>(determinant_of(m, n)));
        },
        n * n * sizeof(double));
  });
}

}  // namespace

const Definition& determinant() {
  static const Definition one = custom_operator({.name = "webnn.Determinant",
                                                 .infer = &infer,
                                                 .compute = computed_by(&lower),
                                                 .lower = &lower});
  return one;
}

}  // namespace webnn::inline v0_1::operators
