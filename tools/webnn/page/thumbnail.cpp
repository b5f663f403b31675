#include "tools/webnn/page/thumbnail.h"

#include <algorithm>
#include <cmath>

#include "tools/images/image.h"

namespace webnn::inline v0_1::tool {
namespace {

constexpr std::uint32_t max_images = 16;
/// Smaller than this in pixels an image shows nothing; then there are fewer of them.
constexpr double min_area = 256;

}  // namespace

bool has_thumbnail(const Dims& shape) {
  return shape.size() == 4 && shape[0] > 0 && shape[2] > 1 && std::max(shape[1], shape[3]) > 1 &&
         element_count(shape) / shape[0] >= 16;
}

bool channels_first(const Dims& s, const std::string& forced, const std::string& usual) {
  if (!forced.empty()) return forced == "nchw";
  const bool square_nhwc = s[1] == s[2], square_nchw = s[2] == s[3];
  if (square_nhwc != square_nchw) return square_nchw;
  return usual.empty() ? s[1] < s[3] : usual == "nchw";
}

Thumbnail thumbnail_of(const MLOperandDescriptor& d, std::span<const std::byte> bytes,
                       bool channels_first, std::size_t limit) {
  const Dims& s = d.shape;
  const std::uint32_t channels = s[channels_first ? 1 : 3], height = s[channels_first ? 2 : 1],
                      width = s[channels_first ? 3 : 2];
  Thumbnail t{.channels = channels == 3 ? 3u : 1u};
  t.of = channels / t.channels;
  t.images = std::min(t.of, max_images);
  const double area = static_cast<double>(width) * height;
  const auto scale = [&] {
    return std::min(1.0, std::sqrt(static_cast<double>(limit) / (area * t.images * t.channels)));
  };
  while (t.images > 1 && scale() < 1 && area * scale() * scale() < min_area) t.images /= 2;
  const double k = scale();
  const auto at_most = [&](std::uint32_t size, std::uint32_t other) {
    const std::size_t max = limit / (std::size_t{t.images} * t.channels * other);
    return std::min(size, static_cast<std::uint32_t>(std::clamp<std::size_t>(max, 1, size)));
  };
  t.width = std::max(1u, static_cast<std::uint32_t>(width * k));
  t.height = at_most(std::max(1u, static_cast<std::uint32_t>(height * k)), t.width);
  t.width = at_most(t.width, t.height);

  const std::size_t pixels = std::size_t{width} * height, shown = t.images * t.channels;
  const auto range = statistics_of(d, bytes);
  const double span = range.max > range.min ? range.max - range.min : 1;
  std::vector<images::Image> parts(
      t.images, {width, height, t.channels, std::vector<float>(pixels * t.channels)});
  for_each_value(d.dataType, bytes, pixels * channels, [&](std::size_t i, double v) {
    const std::size_t c = channels_first ? i / pixels : i % channels;
    const std::size_t p = channels_first ? i % pixels : i / channels;
    if (c < shown && std::isfinite(v))
      parts[c / t.channels].values[p * t.channels + c % t.channels] =
          static_cast<float>((v - range.min) / span * 255);
  });
  for (const images::Image& part : parts)
    for (float v : resize(part, t.width, t.height, images::Resize::stretch).values)
      t.pixels.push_back(static_cast<std::byte>(std::clamp(std::nearbyint(v), 0.f, 255.f)));
  return t;
}

}  // namespace webnn::inline v0_1::tool
