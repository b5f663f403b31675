#include "src/formats/tflite/export/sliding_window.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite::exporter {

bool is_valid(const Sliding& s) {
  return s.before == 0 && s.after() == 0 && s.in >= s.extent() &&
         s.out == (s.in - s.extent()) / s.stride + 1;
}

bool is_same(const Sliding& s) {
  const std::uint64_t out = (std::uint64_t{s.in} + s.stride - 1) / s.stride;
  const std::uint64_t covered = (out - 1) * s.stride + s.extent();
  const std::uint64_t total = covered > s.in ? covered - s.in : 0;
  return s.out == out && s.before == total / 2;
}

std::uint64_t Sliding::after() const {
  const std::uint64_t covered = std::uint64_t{out - 1} * stride + extent();
  return covered > in + before ? covered - in - before : 0;
}

std::optional<schema::Padding> padding_of(const Sliding& height, const Sliding& width) {
  if (is_valid(height) && is_valid(width)) return schema::Padding::VALID;
  if (is_same(height) && is_same(width)) return schema::Padding::SAME;
  return std::nullopt;
}

Value pad_image(Emitter& e, Value x, const Sliding& height, const Sliding& width,
                std::optional<double> value) {
  const auto narrow = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  return e.pad(x, {0, narrow(height.before), narrow(width.before), 0},
               {0, narrow(height.after()), narrow(width.after()), 0}, value);
}
Failure too_large() {
  return fail("a stride, dilation, padding or size of the window is greater than {}", 0x7fffffff);
}

}  // namespace webnn::inline v0_1::tflite::exporter
