#include "src/passes/transposed_constant.h"

#include <algorithm>

#include "src/passes/permutation.h"

namespace webnn::inline v0_1 {
namespace {

/// The elements of a constant in another order of dimensions.
Constant transposed_constant(const Constant& x, const MLOperandDescriptor& d, const Dims& order) {
  const Dims shape = permuted(d.shape, order);
  const auto bits = static_cast<std::size_t>(bits_of(d.dataType));
  const auto from = x.bytes();
  std::vector<std::byte> to(from.size());
  std::vector<std::size_t> stride(order.size(), 1);  // in x, by dimension of x
  for (std::size_t i = order.size(); i-- > 1;) stride[i - 1] = stride[i] * d.shape[i];
  const std::size_t inner = shape.back(), step = stride[order.back()];
  for (std::size_t row = 0; row < element_count(shape); row += inner) {
    std::size_t place = 0;
    for (std::size_t d = order.size(), rest = row; d-- > 0; rest /= shape[d])
      place += rest % shape[d] * stride[order[d]];
    for (std::size_t i = row; i < row + inner; ++i, place += step) {
      if (bits >= 8) {
        std::copy_n(&from[place * bits / 8], bits / 8, &to[i * bits / 8]);
        continue;
      }
      const std::byte element = from[place / 2] >> (place % 2 * 4) & std::byte{15};
      to[i / 2] |= element << (i % 2 * 4);
    }
  }
  return Constant::copy_of(to);
}

}  // namespace

MLOperand transposed_constant(Rewriter& to, const MLOperand& x, const Dims& order) {
  const MLOperandDescriptor d = x.descriptor();
  return to.derived(
      {d.dataType, permuted(d.shape, order)}, Recipe("transpose") << d << order, *x.constant(),
      [=](std::span<const Constant> from) { return transposed_constant(from.front(), d, order); });
}

}  // namespace webnn::inline v0_1
