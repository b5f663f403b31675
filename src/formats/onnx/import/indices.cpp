#include "src/formats/onnx/import/indices.h"

namespace webnn::inline v0_1::onnx {

SizeList window_of(const MLOperand& x, const MLOperand& indices, std::uint32_t axis) {
  const SizeList own = formats::sizes_of(indices);
  SizeList window = formats::sizes_of(x);
  for (std::uint32_t d = 0; d < x.rank() && d < indices.rank(); ++d)
    if (d != axis) window[d] = min(window[d], own[d]);
  return window;
}

MLOperand part_of(const Call& c, const MLOperand& x, const SizeList& window) {
  const auto same = [](const Size& a, const Size& s) { return a.same_as(s); };
  if (std::ranges::equal(formats::sizes_of(x), window, same)) return x;
  return formats::slice(c.b, x, SizeList(x.rank(), 0), window);
}

SizeList columns_of(const Call& c, const MLOperand& x, const MLOperand& indices,
                    std::uint32_t first) {
  const SizeList whole = formats::sizes_of(x), own = formats::sizes_of(indices);
  const std::int64_t n = own.empty() ? 0 : own.back().number();
  if (own.empty() || n > static_cast<std::int64_t>(whole.size() - first))
    c.refuse(
        fail("indices of shape {} for data of {}", Call::shape_text(indices), Call::shape_text(x)));
  return {whole.begin() + first, whole.begin() + first + n};
}

}  // namespace webnn::inline v0_1::onnx
