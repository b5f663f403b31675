#include <limits>

#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {
namespace {

using Truth = std::uint8_t;

template <class Op> constexpr auto function = nullptr;
template <> constexpr auto function<ops::equal> = [](auto a, auto b) { return a == b; };
template <> constexpr auto function<ops::notEqual> = [](auto a, auto b) { return a != b; };
template <> constexpr auto function<ops::greater> = [](auto a, auto b) { return a > b; };
template <> constexpr auto function<ops::greaterOrEqual> = [](auto a, auto b) { return a >= b; };
template <> constexpr auto function<ops::lesser> = [](auto a, auto b) { return a < b; };
template <> constexpr auto function<ops::lesserOrEqual> = [](auto a, auto b) { return a <= b; };
template <> constexpr auto function<ops::logicalAnd> = each([](auto a, auto b) { return a && b; });
template <> constexpr auto function<ops::logicalOr> = each([](auto a, auto b) { return a || b; });
template <>
constexpr auto function<ops::logicalXor> = each([](auto a, auto b) { return !a != !b; });
template <> constexpr auto function<ops::logicalNot> = each([](auto a) { return !a; });
template <> constexpr auto function<ops::isNaN> = each([](auto v) { return v != v; });
template <>
constexpr auto function<ops::isInfinite> =
    [](auto a) { return a.abs() == std::numeric_limits<float>::infinity(); };

template <ops::FixedString N, DataTypes A>
Candidate make(const ops::Logical<N, A>& op, const Node& node) {
  return elementwise<A, Truth>(function<ops::Logical<N, A>>, 4, node.output(), op.a, op.b);
}
template <ops::FixedString N, DataTypes A>
Candidate make(const ops::LogicalUnary<N, A>& op, const Node& node) {
  return elementwise<A, Truth>(function<ops::LogicalUnary<N, A>>, 4, node.output(), op.a);
}

}  // namespace

Table<ops::LogicalSection> kernels(ops::LogicalSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::inline v0_1::reference
