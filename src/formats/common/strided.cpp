#include "src/formats/common/strided.h"

#include <algorithm>

namespace webnn::inline v0_1::formats {
namespace {

constexpr std::int64_t most = 1 << 30;  // of a step, which counts elements of a tensor

/// A place that may be negative, which is then one from the end, between two others.
Size placed(const Size& place, const Size& size, const Size& least, const Size& greatest) {
  if (!place.is_known()) return max(min(from_end(place, size), greatest), least);
  // Values such as INT64_MIN and INT64_MAX must not overflow.
  const std::int64_t far = std::int64_t{max_tensor_byte_length} + 1;
  const std::int64_t v = std::clamp(place.number(), -2 * far, far);
  if (size.is_known()) return max(min(v < 0 ? size + v : Size(v), greatest), least);
  if (v <= -far) return least;
  if (v < 0) return max(size + v, least);
  return v + 1 >= far ? greatest : v == 0 ? Size(0) : min(v, greatest);
}

std::int64_t step_of(const Strided& s) { return std::abs(std::clamp(s.step, -most, most)); }

}  // namespace

Strided clipped(const Strided& s, const Size& size) {
  if (s.step > 0) return {placed(s.start, size, 0, size), placed(s.end, size, 0, size), s.step};
  return {placed(s.start, size, -1, size - 1), placed(s.end, size, -1, size - 1), s.step};
}

Size length(const Strided& s) {
  const Size distance = s.step > 0 ? s.end - s.start : s.start - s.end;
  if (distance.is_known() && distance.number() <= 0) return 0;
  return (distance + (step_of(s) - 1)) / step_of(s);
}

MLOperand strided_slice(MLGraphBuilder& b, const MLOperand& x, const std::vector<Strided>& places,
                        const std::string& label) {
  SizeList starts, sizes;
  Dims strides, reversed;
  for (std::uint32_t d = 0; d < x.rank(); ++d) {
    const Strided& s = places[d];
    const Size n = length(s);
    const std::int64_t step = step_of(s);
    // The window ends with its last element, which a negative step makes the first one.
    const Size span = step == 1 ? n : (n - 1) * step + 1;
    starts.push_back(s.step > 0 ? s.start : s.start - span + 1);
    sizes.push_back(span);
    strides.push_back(static_cast<std::uint32_t>(n.is(1) ? 1 : step));
    if (s.step < 0 && !n.is(1)) reversed.push_back(d);
  }
  const MLOperand y = slice(b, x, starts, sizes, {.strides = strides, .label = label});
  return reversed.empty() ? y : b.reverse(y, {.axes = reversed});
}

}  // namespace webnn::inline v0_1::formats
