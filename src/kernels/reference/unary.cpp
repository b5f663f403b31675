// The form of a family: one loop, one function for each operator.
#include <cmath>

#include "src/kernels/reference/copy.h"
#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
namespace {

template <class Op> constexpr auto function = nullptr;
template <>
constexpr auto function<ops::abs> = [](auto v) {
  return v < 0 ? wrapping_negate(v) : v == 0 ? decltype(v){} : v;
};
template <> constexpr auto function<ops::ceil> = [](auto v) { return std::ceil(v); };
template <> constexpr auto function<ops::cos> = [](auto v) { return std::cos(v); };
template <> constexpr auto function<ops::erf> = [](auto v) { return std::erf(v); };
template <> constexpr auto function<ops::exp> = [](auto v) { return std::exp(v); };
template <> constexpr auto function<ops::floor> = [](auto v) { return std::floor(v); };
template <> constexpr auto function<ops::log> = [](auto v) { return std::log(v); };
template <> constexpr auto function<ops::neg> = [](auto v) { return wrapping_negate(v); };
template <> constexpr auto function<ops::reciprocal> = [](auto v) { return 1 / v; };
template <> constexpr auto function<ops::roundEven> = [](auto v) { return std::nearbyint(v); };
template <> constexpr auto function<ops::sign> = [](auto v) { return (v > 0) - (v < 0); };
template <> constexpr auto function<ops::sin> = [](auto v) { return std::sin(v); };
template <> constexpr auto function<ops::sqrt> = [](auto v) { return std::sqrt(v); };
template <> constexpr auto function<ops::tan> = [](auto v) { return std::tan(v); };

template <ops::FixedString N, DataTypes A> Kernel make(const ops::Unary<N, A>& op, const Node&) {
  return elementwise<A>(op.input, [](auto v) { return function<ops::Unary<N, A>>(v); });
}

Kernel make(const ops::identity&, const Node& node) { return plain_copy(node.output()); }

}  // namespace

Table<ops::UnarySection> kernels(ops::UnarySection) {
  return table<ops::UnarySection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
