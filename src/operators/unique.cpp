// webnn.Unique: slices are sorted by their elements, so that equal ones are neighbors.
// https://onnx.ai/onnx/operators/onnx__Unique.html
#include <cmath>
#include <numeric>

#include "src/operators/operators.h"
#include "src/operators/tiles.h"

namespace webnn::inline v0_1::operators {
namespace {

std::vector<MLOperandDescriptor> infer(const CustomCall& call) {
  require_operands(call, 1, 1);
  const auto& [type, x] = call.inputs[0];
  if (bits_of(type) < 8) refuse(fail("the data type of its operand is {}", type));
  Dims shape = x;
  std::size_t n = element_count(x);
  if (call.attribute<bool>("flat")) {
    if (n > 0x7fffffff) refuse(fail("its operand has {} elements, more than {}", n, 0x7fffffff));
    shape = {static_cast<std::uint32_t>(n)};
  } else {
    n = x[axis_of(call, x)];
  }
  const Dims line{static_cast<std::uint32_t>(n)};
  return {{type, shape}, {int64, line}, {int64, line}, {int64, line}, {int64, {}}};
}

/// -1, 0 or 1: NaN is equal to itself and above all numbers.
template <class T> int compared(T a, T b) {
  if constexpr (!std::integral<T>) {
    const float v = a, w = b;
    const bool v_nan = std::isnan(v), w_nan = std::isnan(w);
    if (v_nan || w_nan) return int{v_nan} - int{w_nan};
    return int{v > w} - int{v < w};
  } else {
    return int{a > b} - int{a < b};
  }
}

struct Form {
  Around around;
  bool sorted;
};

template <class T> struct Slices {
  const T* x;
  const Around& a;

  int order(std::size_t i, std::size_t j) const {
    for (std::size_t outer = 0; outer < a.outer; ++outer) {
      const T *v = x + (outer * a.size + i) * a.inner, *w = x + (outer * a.size + j) * a.inner;
      for (std::size_t k = 0; k < a.inner; ++k)
        if (const int c = compared(v[k], w[k])) return c;
    }
    return 0;
  }
};

/// Where each different slice is first, in the order of the result; `inverse` gets the place of
/// each slice in the result.
template <class T>
std::vector<std::size_t> firsts_of(const Form& f, const Slices<T>& slices, std::int64_t* inverse) {
  const std::size_t n = f.around.size;
  std::vector<std::size_t> order(n), firsts;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return slices.order(i, j) < 0; });
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || slices.order(order[i - 1], order[i]) != 0) firsts.push_back(order[i]);
    inverse[order[i]] = static_cast<std::int64_t>(firsts.size() - 1);
  }
  if (f.sorted) return firsts;
  std::vector<std::size_t> by_place(firsts.size());
  std::iota(by_place.begin(), by_place.end(), std::size_t{0});
  std::ranges::sort(by_place, {}, [&](std::size_t i) { return firsts[i]; });
  std::vector<std::int64_t> moved(firsts.size());
  for (std::size_t i = 0; i < by_place.size(); ++i)
    moved[by_place[i]] = static_cast<std::int64_t>(i);
  for (std::size_t i = 0; i < n; ++i) inverse[i] = moved[static_cast<std::size_t>(inverse[i])];
  std::ranges::sort(firsts);
  return firsts;
}

template <class T> void run(const Form& f, const Buffers& b) {
  const auto& [outer, n, inner] = f.around;
  const Slices<T> slices{b.in<T>(), f.around};
  auto *indices = b.out<std::int64_t>(1), *inverse = b.out<std::int64_t>(2),
       *counts = b.out<std::int64_t>(3);
  const std::vector<std::size_t> firsts = firsts_of(f, slices, inverse);
  T* y = b.out<T>(0);
  std::fill(y, y + outer * n * inner, T{});
  std::fill(indices, indices + n, -1);
  std::fill(counts, counts + n, 0);
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    indices[i] = static_cast<std::int64_t>(firsts[i]);
    for (std::size_t o = 0; o < outer; ++o)
      std::copy_n(slices.x + (o * n + firsts[i]) * inner, inner, y + (o * n + i) * inner);
  }
  for (std::size_t i = 0; i < n; ++i) ++counts[inverse[i]];
  *b.out<std::int64_t>(4) = static_cast<std::int64_t>(firsts.size());
}

Lowering lower(const CustomCall& call) {
  const Dims& x = call.inputs[0].shape;
  const bool flat = call.attribute<bool>("flat");
  const Dims line{static_cast<std::uint32_t>(element_count(x))};
  const Form f{flat ? Around(line, 0) : Around(x, axis_of(call, x)),
               call.attribute<bool>("sorted")};
  return with_type(call.inputs[0].dataType, [&]<class T>(std::type_identity<T>) -> Lowering {
    return Candidate{.name = "unique",
                     .run = [=](Range, const Buffers& b, std::byte*) { run<T>(f, b); }};
  });
}

}  // namespace

const Definition& unique() {
  static const Definition one =
      custom_operator({.name = "webnn.Unique",
                       .attributes = {{"axis", 0}, {"flat", false}, {"sorted", true}},
                       .infer = &infer,
                       .compute = computed_by(&lower),
                       .lower = &lower});
  return one;
}

}  // namespace webnn::inline v0_1::operators
