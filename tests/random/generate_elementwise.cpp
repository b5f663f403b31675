// Operators on each element.
#include "tests/random/generator.h"

namespace webnn::inline v0_1::test {
namespace {

template <class Op> constexpr DataTypes types_of() {
  DataTypes types;
  bool first = true;
  ops::for_each_row<Op>([&](const auto& row) {
    if constexpr (requires { row.limits; })
      if (first) types = row.limits.types, first = false;
  });
  return types;
}

template <class Op, class... List> constexpr bool is_one_of = (std::same_as<Op, List> || ...);
template <class Op>
constexpr bool decides = is_one_of<Op, ops::ceil, ops::floor, ops::roundEven, ops::sign>;

// One operand, no attributes.
template <class Op> void one_operand(Generator& g) {
  constexpr DataTypes types = types_of<Op>();
  const auto with = [&](const MLOperand& x, std::optional<int> bits = std::nullopt) {
    g.append(Op{x}, bits);
  };
  if constexpr (decides<Op>) return with(g.exact(types));
  if constexpr (is_one_of<Op, ops::exp>) return with(g.limited(types, 3), 8);
  if constexpr (is_one_of<Op, ops::sin, ops::cos>) return with(g.limited(types, 5), 0);
  if constexpr (is_one_of<Op, ops::tan>) return with(g.limited(types, 5), 8);
  if constexpr (is_one_of<Op, ops::erf, ops::sigmoid, ops::tanh, ops::softsign>)
    return with(g.any(types), 0);
  if constexpr (is_one_of<Op, ops::reciprocal>) return with(g.any(types), 8);
  if constexpr (is_one_of<Op, ops::log, ops::sqrt>) {
    MLOperand x = g.any(types);
    if (g.chance(0.75)) x = g.append(ops::abs{x});
    return with(x, 4);
  }
  with(g.any(types));
}

template <ops::FixedString N, DataTypes A>
void make(Generator& g, std::type_identity<ops::Unary<N, A>>) {
  one_operand<ops::Unary<N, A>>(g);
}
template <class Op>
requires is_one_of<Op, ops::gelu, ops::hardSwish, ops::relu, ops::sigmoid, ops::softplus,
                   ops::softsign, ops::tanh>
void make(Generator& g, std::type_identity<Op>) { one_operand<Op>(g); }

void make(Generator& g, std::type_identity<ops::cast>) {
  const MLOperand x = g.exact(types::any);
  const MLOperandDataType to = g.type_in(types::any);
  // Floats beyond the integers are implementation-defined: most casts are within.
  const bool fits = is_float(to) || !is_float(x.dataType()) || g.chance(0.2);
  const bool is_unsigned = to == uint8 || to == uint32 || to == uint64;
  const MLOperand from = fits ? x : g.append(ops::clamp{x, {is_unsigned ? 0 : -120, 120}});
  g.append(ops::cast{from, to});
}

void make(Generator& g, std::type_identity<ops::clamp>) {
  const MLOperand x = g.any(types::any);
  ops::clamp op{x};
  double low = g.number(-4, 2);
  if (!is_float(x.dataType())) low = static_cast<double>(static_cast<int>(low));
  if (g.chance(0.8)) op.options.minValue = low;
  if (g.chance(0.8)) op.options.maxValue = low + g.number(0, 5);
  if (g.chance(0.2)) op.options = {.minValue = 0, .maxValue = 6};
  if (g.chance(0.04)) op.options.minValue = -HUGE_VAL;
  if (g.chance(0.04)) op.options.maxValue = HUGE_VAL;
  g.append(op);
}

void make(Generator& g, std::type_identity<ops::elu>) {
  g.append(ops::elu{g.any(types::floats), {.alpha = g.one_of({1.0, 0.5, -0.7, 0.0})}});
}
void make(Generator& g, std::type_identity<ops::hardSigmoid>) {
  ops::hardSigmoid op{g.any(types::floats)};
  if (g.chance(0.7)) op.options = {.alpha = g.number(-1, 1), .beta = g.number(-1, 1)};
  g.append(op, 0);
}
void make(Generator& g, std::type_identity<ops::leakyRelu>) {
  g.append(ops::leakyRelu{g.any(types::floats), {.alpha = g.one_of({0.01, 0.1, -0.3, 1.5, 0.0})}});
}
void make(Generator& g, std::type_identity<ops::linear>) {
  const MLOperand x = g.any(types::floats);
  g.append(ops::linear{x, {.alpha = g.number(-2, 2), .beta = g.number(-3, 3)}}, g.magnitude(x) + 2);
}

template <ops::FixedString N> void make(Generator& g, std::type_identity<ops::Binary<N>>) {
  using Op = ops::Binary<N>;
  constexpr bool modulus = is_one_of<Op, ops::modulusFloor, ops::modulusTruncate>;
  auto [a, b] = g.pair(types::any, modulus);
  int bits = std::max(g.magnitude(a), g.magnitude(b));
  if constexpr (is_one_of<Op, ops::add, ops::sub>) ++bits;
  if constexpr (is_one_of<Op, ops::mul>) {
    if (bits > 8) a = g.tamed(a, 4), b = g.tamed(b, 4);
    bits = g.magnitude(a) + g.magnitude(b);
  }
  if constexpr (is_one_of<Op, ops::div>) {
    bits = 8;
    if (is_float(b.dataType()) && g.chance(0.6)) b = g.leaf(b.dataType(), b.shape(), {0.5, 3});
  }
  if constexpr (is_one_of<Op, ops::pow>) {
    a = g.tamed(a, 3);
    if (is_float(a.dataType())) {
      if (g.chance(0.6)) a = g.append(ops::abs{a});
      const double exponent = g.one_of({2.0, 0.5, -1.0, 3.0, 1.0, 0.0});
      if (g.chance(0.5)) b = g.constant(filled(b.dataType(), {}, exponent));
      b = g.tamed(b, 2);
    } else {
      b = g.append(ops::clamp{b, {.minValue = 0, .maxValue = 5}});
    }
    bits = 12;
  }
  g.append(Op{a, b}, bits);
}

template <ops::FixedString N, DataTypes A>
void make(Generator& g, std::type_identity<ops::Logical<N, A>>) {
  const auto [a, b] = g.pair(A, true);
  g.append(ops::Logical<N, A>{a, b}, 1);
}
template <ops::FixedString N, DataTypes A>
void make(Generator& g, std::type_identity<ops::LogicalUnary<N, A>>) {
  g.append(ops::LogicalUnary<N, A>{g.exact(A)}, 1);
}

void make(Generator& g, std::type_identity<ops::prelu>) {
  const auto [x, slope] = g.pair(types::signed_numbers);
  g.append(ops::prelu{x, slope}, g.magnitude(x) + g.magnitude(slope));
}

void make(Generator& g, std::type_identity<ops::where>) {
  const auto values = g.pair(types::any);
  const MLOperand &a = values.first, &b = values.second;
  MLOperand condition;
  if (g.chance(0.3) && is_float(a.dataType())) condition = g.append(ops::greater{a, b});
  else condition = g.exact(types::bytes);
  const auto broadcasts = [&](const MLOperand& x) {
    for (const MLOperand& y : {a, b})
      for (std::size_t d = 1; d <= std::min(x.rank(), y.rank()); ++d) {
        const std::uint32_t s = x.shape().end()[-static_cast<std::ptrdiff_t>(d)],
                            t = y.shape().end()[-static_cast<std::ptrdiff_t>(d)];
        if (s != 1 && t != 1 && s != t) return false;
      }
    return true;
  };
  if (!broadcasts(condition) || element_count(condition.shape()) > g.most_elements()) {
    const Dims shape = g.chance(0.3) ? Dims{} : g.random().broadcastable(a.shape());
    condition = g.leaf(uint8, shape, {0, 1});
    if (!broadcasts(condition)) condition = g.leaf(uint8, {}, {0, 1});
  }
  g.append(ops::where{condition, a, b}, std::max(g.magnitude(a), g.magnitude(b)));
}

}  // namespace

void generate(Generator& g, ElementwiseFamily family, std::size_t kind) {
  with_kind(family, kind, [&](auto of) { make(g, of); });
}

}  // namespace webnn::inline v0_1::test
