// Products of matrices.
#include "tests/random/generator.h"

namespace webnn::inline v0_1::test {
namespace {

void make(Generator& g, std::type_identity<ops::gemm>) {
  const MLOperand a = g.limited(types::floats, 6, {2, 2});
  MLGemmOptions o{.aTranspose = g.chance(0.3), .bTranspose = g.chance(0.4)};
  const std::uint32_t rows = a.shape()[o.aTranspose ? 1 : 0],
                      depth = a.shape()[o.aTranspose ? 0 : 1],
                      columns = g.chance(0.1) ? g.between(15, 34) : g.between(1, 6);
  const auto type = a.dataType();
  const MLOperand b = g.weight(type, o.bTranspose ? Dims{columns, depth} : Dims{depth, columns});
  if (g.chance(0.3)) o.alpha = g.number(-2, 2);
  if (g.chance(0.6)) {
    const Dims shape = g.one_of(std::vector<Dims>{
        {}, {1}, {columns}, {columns}, {1, columns}, {rows, 1}, {1, 1}, {rows, columns}});
    o.c = g.weight(type, shape);
    if (g.chance(0.4)) o.beta = g.number(-2, 2);
  }
  g.append(ops::gemm{a, b, o}, g.magnitude(a) + 5);
}

void make(Generator& g, std::type_identity<ops::matmul>) {
  MLOperand a = g.limited(types::floats, 6, {2, 5});
  Dims shape(a.shape().begin(), a.shape().end() - 2);
  if (g.chance(0.4)) shape.clear();
  else if (g.chance(0.4)) shape = g.random().broadcastable(shape);
  if (g.chance(0.1) && shape.size() < 4) shape.insert(shape.begin(), g.between(1, 2));
  const std::uint32_t columns = g.chance(0.1) ? g.between(15, 34) : g.between(1, 6);
  shape.push_back(a.shape().back());
  shape.push_back(columns);
  for (std::size_t d = 0; d + 2 < shape.size() && d + 2 < a.rank(); ++d) {
    const auto from_end = 3 + static_cast<std::ptrdiff_t>(d);
    if (static_cast<std::size_t>(from_end) > shape.size() || from_end > a.rank()) break;
    std::uint32_t& s = shape.end()[-from_end];
    if (s != 1 && a.shape().end()[-from_end] != 1) s = a.shape().end()[-from_end];
  }
  const int bits = g.magnitude(a) + 5;
  g.append(ops::matmul{a, g.weight(a.dataType(), shape)}, bits);
}

}  // namespace

void generate(Generator& g, ProductFamily family, std::size_t kind) {
  with_kind(family, kind, [&](auto of) { make(g, of); });
}

}  // namespace webnn::inline v0_1::test
