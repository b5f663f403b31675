// Operators along some dimensions: reductions, normalizations, sums of what is before.
#include "tests/random/generator.h"

namespace webnn::inline v0_1::test {
namespace {

template <ops::FixedString N, DataTypes A>
void make(Generator& g, std::type_identity<ops::Reduce<N, A>>) {
  using Op = ops::Reduce<N, A>;
  constexpr bool product = std::same_as<Op, ops::reduceProduct>;
  constexpr bool exponential = std::same_as<Op, ops::reduceLogSumExp>;
  MLOperand x = g.limited(A, product ? 1 : exponential ? 6 : 12);
  if (std::same_as<Op, ops::reduceLogSum> && g.chance(0.7)) x = g.append(ops::abs{x});
  Op op{x};
  op.options.keepDimensions = g.chance(0.5);
  if (g.chance(0.8)) op.options.axes = OptionalList<std::uint32_t>(g.axes(x.rank()));
  const int bits = g.magnitude(x);
  constexpr bool squares = std::same_as<Op, ops::reduceSumSquare>;
  g.append(op, product ? 16 : squares ? 2 * bits + 5 : bits + 5);
}

template <ops::FixedString N> void make(Generator& g, std::type_identity<ops::ArgMinMax<N>>) {
  const MLOperand x = g.exact(types::any, {1, 6});
  g.append(ops::ArgMinMax<N>{x,
                             g.between(0, x.rank() - 1),
                             {.keepDimensions = g.chance(0.5),
                              .outputDataType = g.one_of({int32, int32, int64})}},
           6);
}

void make(Generator& g, std::type_identity<ops::batchNormalization>) {
  const MLOperand x = g.any(types::floats, {1, 6});
  const std::uint32_t axis = g.between(0, x.rank() - 1);
  const auto type = x.dataType();
  const Dims shape{x.shape()[axis]};
  ops::batchNormalization op{x, g.weight(type, shape), g.constant(g.tensor(type, shape, {0.3, 2}))};
  op.options.axis = axis;
  if (g.chance(0.6)) op.options.scale = g.weight(type, shape);
  if (g.chance(0.6)) op.options.bias = g.weight(type, shape);
  if (g.chance(0.3)) op.options.epsilon = g.one_of({1e-3, 0.1, 1e-5});
  g.append(op, g.magnitude(x) + 4);
}

void make(Generator& g, std::type_identity<ops::cumulativeSum>) {
  const MLOperand x = g.any(types::sums, {1, 6});
  g.append(
      ops::cumulativeSum{
          x, g.between(0, x.rank() - 1), {.exclusive = g.chance(0.3), .reversed = g.chance(0.3)}},
      g.magnitude(x) + 4);
}

void make(Generator& g, std::type_identity<ops::layerNormalization>) {
  const MLOperand x = g.any(types::floats);
  ops::layerNormalization op{x};
  Dims axes;
  if (g.chance(0.7)) {
    axes = g.chance(0.5) && x.rank() > 0 ? Dims{x.rank() - 1} : g.axes(x.rank());
    op.options.axes = OptionalList<std::uint32_t>(axes);
  } else {
    for (std::uint32_t d = 1; d < x.rank(); ++d) axes.push_back(d);
  }
  Dims shape;
  for (std::uint32_t d : axes) shape.push_back(x.shape()[d]);
  if (g.chance(0.5)) op.options.scale = g.weight(x.dataType(), shape);
  if (g.chance(0.5)) op.options.bias = g.weight(x.dataType(), shape);
  if (g.chance(0.3)) op.options.epsilon = g.one_of({1e-3, 0.5, 1e-5});
  g.append(op, 4);
}

void make(Generator& g, std::type_identity<ops::softmax>) {
  const MLOperand x = g.any(types::floats, {1, 6});
  g.append(ops::softmax{x, g.chance(0.5) ? x.rank() - 1 : g.between(0, x.rank() - 1)}, 0);
}

}  // namespace

void generate(Generator& g, ReductionFamily family, std::size_t kind) {
  with_kind(family, kind, [&](auto of) { make(g, of); });
}

}  // namespace webnn::inline v0_1::test
