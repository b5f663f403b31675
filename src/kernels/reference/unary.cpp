// The form of a family: one kernel, one function of arrays for each operator.
#include "src/kernels/reference/copy.h"
#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {
namespace {

/// A float of 2^23 or more is whole; the sum with a smaller one has no digits for a fraction.
/// Without calls and branches, for vectors.
float round_even(float v) {
  constexpr float whole = 0x1p23f;
  const float m = std::abs(v), rounded = (m + whole) - whole;
  return std::copysign(m < whole ? rounded : m, v);
}
float ceil(float v) {
  const float r = round_even(v);
  return std::copysign(r < v ? r + 1 : r, v);
}
float floor(float v) {
  const float r = round_even(v);
  return r > v ? r - 1 : r;
}

template <class Op> constexpr auto function = nullptr;
template <>
constexpr auto function<ops::abs> = each([](auto v) {
  return v < 0 ? wrapping_negate(v) : v == 0 ? decltype(v){} : v;
});
template <> constexpr auto function<ops::ceil> = each([](float v) { return ceil(v); });
template <> constexpr auto function<ops::cos> = each([](auto v) { return std::cos(v); });
template <> constexpr auto function<ops::erf> = each([](auto v) { return std::erf(v); });
template <> constexpr auto function<ops::exp> = each([](auto v) { return std::exp(v); });
template <> constexpr auto function<ops::floor> = each([](float v) { return floor(v); });
template <> constexpr auto function<ops::log> = each([](auto v) { return std::log(v); });
template <> constexpr auto function<ops::neg> = each([](auto v) { return wrapping_negate(v); });
template <> constexpr auto function<ops::reciprocal> = [](const auto& x) { return x.inverse(); };
template <> constexpr auto function<ops::roundEven> = each([](float v) { return round_even(v); });
template <> constexpr auto function<ops::sign> = each([](auto v) { return (v > 0) - (v < 0); });
template <> constexpr auto function<ops::sin> = each([](auto v) { return std::sin(v); });
template <> constexpr auto function<ops::sqrt> = [](const auto& x) { return x.sqrt(); };
template <> constexpr auto function<ops::tan> = each([](auto v) { return std::tan(v); });

template <ops::FixedString N, DataTypes A> Candidate make(const ops::Unary<N, A>& op, const Node&) {
  return elementwise(op, function<ops::Unary<N, A>>);
}

Candidate make(const ops::identity&, const Node& node) { return plain_copy(node.output()); }

}  // namespace

Table<ops::UnarySection> kernels(ops::UnarySection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::inline v0_1::reference
