// Operators with indices. Most are within the tensor, some count from its end, a few are beyond.
#include "tests/random/generator.h"

namespace webnn::inline v0_1::test {
namespace {

MLOperand indices(Generator& g, const Dims& shape, std::uint32_t size) {
  const MLOperandDataType type = g.one_of({int32, int32, int64, uint32});
  const auto n = static_cast<double>(size);
  Interval values{0, n - 1};
  if (type != uint32 && g.chance(0.3)) values.low = -n;
  if (g.chance(0.1)) values = {type == uint32 ? 0 : -2 * n, 2 * n};
  return g.chance(0.9) ? g.leaf(type, shape, values) : g.like(type, shape, values);
}

/// Without a pair of equal indices, whose order nothing determines. No more than there are.
MLOperand distinct_indices(Generator& g, const Dims& shape, std::uint32_t axis,
                           std::uint32_t size) {
  const Dims order = g.permutation(size);
  return g.constant(generated(g.one_of({int32, int64, uint32}), shape,
                              [&](const Dims& at) { return order[at[axis]]; }));
}

void make(Generator& g, std::type_identity<ops::gather>) {
  const MLOperand x = g.any(types::any, {1, 5});
  const std::uint32_t axis = g.between(0, x.rank() - 1);
  Dims shape;
  for (std::uint32_t rank = g.between(0, std::min(2u, 6 - x.rank())); rank > 0; --rank)
    shape.push_back(g.between(1, 3));
  g.append(ops::gather{x, indices(g, shape, x.shape()[axis]), {.axis = axis}});
}

void make(Generator& g, std::type_identity<ops::gatherElements>) {
  const MLOperand x = g.any(types::any, {1, 6});
  const std::uint32_t axis = g.between(0, x.rank() - 1);
  Dims shape = x.shape();
  if (g.chance(0.7)) shape[axis] = g.between(1, 4);
  g.append(ops::gatherElements{x, indices(g, shape, x.shape()[axis]), {.axis = axis}});
}

void make(Generator& g, std::type_identity<ops::gatherND>) {
  const MLOperand x = g.any(types::any, {1, 5});
  const std::uint32_t depth = g.between(1, x.rank());
  Dims shape;
  for (std::uint32_t more = g.between(0, std::min(2u, 5 - (x.rank() - depth))); more > 0; --more)
    shape.push_back(g.between(1, 3));
  shape.push_back(depth);
  const std::uint32_t least = *std::min_element(x.shape().begin(), x.shape().begin() + depth);
  g.append(ops::gatherND{x, indices(g, shape, least)});
}

void make(Generator& g, std::type_identity<ops::scatterElements>) {
  const MLOperand x = g.any(types::any, {1, 6});
  const std::uint32_t axis = g.between(0, x.rank() - 1);
  Dims shape = x.shape();
  shape[axis] = g.between(1, x.shape()[axis]);
  const MLOperand i = distinct_indices(g, shape, axis, x.shape()[axis]);
  g.append(ops::scatterElements{x, i, g.like(x.dataType(), shape), {.axis = axis}});
}

void make(Generator& g, std::type_identity<ops::scatterND>) {
  const MLOperand x = g.any(types::any, {1, 5});
  const std::uint32_t depth = g.between(1, x.rank());
  const std::uint32_t size = x.shape()[0], count = g.between(1, size);
  const Dims order = g.permutation(size);
  const Tensor i = generated(g.one_of({int32, int64, uint32}), {count, depth},
                             [&](const Dims& at) { return at[1] == 0 ? order[at[0]] : 0; });
  Dims shape{count};
  shape.insert(shape.end(), x.shape().begin() + depth, x.shape().end());
  g.append(
      ops::scatterND{x, g.chance(0.5) ? g.constant(i) : g.input(i), g.like(x.dataType(), shape)});
}

}  // namespace

void generate(Generator& g, IndexFamily family, std::size_t kind) {
  with_kind(family, kind, [&](auto of) { make(g, of); });
}

}  // namespace webnn::inline v0_1::test
