#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {

BlockLoop loop_over_blocks(Dims from, const Dims& to) {
  from.insert(from.begin(), to.size() - from.size(), 1);
  const auto own = strides_of(from);
  Dims shape;
  std::array<std::ptrdiff_t, std::size_t{2} * max_rank> strides{};
  for (std::size_t d = 0; d < to.size(); ++d) {
    strides[shape.size()] = own[d];
    shape.push_back(from[d]);
    shape.push_back(to[d] / from[d]);  // with stride 0
  }
  return BlockLoop(shape, {strides});
}

ScalarRows::ScalarRows(const MLOperand& y, const MLOperand& a, const MLOperand& b)
    : loop(y.shape(),
           {broadcast_strides(a.shape(), y.shape()), broadcast_strides(b.shape(), y.shape())}) {
  constexpr std::size_t shortest = 64;  // what a row costs besides its elements
  for (int i : {0, 1})
    if (loop.inner >= shortest && loop.step[std::size_t(i)] == 0) scalar = i;
}

std::vector<int> replaceable(const MLOperand& y, std::initializer_list<const MLOperand*> x) {
  std::vector<int> found;
  for (int i = 0; const MLOperand* o : x)
    if (++i; o->shape() == y.shape() && bits_of(o->dataType()) == bits_of(y.dataType()))
      found.push_back(i - 1);
  return found;
}

}  // namespace webnn::inline v0_1::reference
