#include <algorithm>
#include <cmath>

#include "tools/images/image.h"

namespace webnn::inline v0_1::images {
namespace {

/// Which pixels of a row, from `first`, make a pixel of the result, and with what weights.
struct Taps {
  std::uint32_t first;
  std::vector<float> weights;
};

/// `length` pixels become `to`: pixel centers are aligned, and the triangle is as wide as a pixel
/// of whichever is the coarser.
std::vector<Taps> taps(std::uint32_t length, std::uint32_t to) {
  const double scale = static_cast<double>(length) / to, radius = std::max(1.0, scale);
  std::vector<Taps> all;
  for (std::uint32_t i = 0; i < to; ++i) {
    const double center = (i + 0.5) * scale - 0.5;
    const auto first = static_cast<std::uint32_t>(std::max(0.0, std::ceil(center - radius)));
    const auto last = static_cast<std::uint32_t>(
        std::min(static_cast<double>(length - 1), std::max(0.0, std::floor(center + radius))));
    Taps t{first, {}};
    double sum = 0;
    for (std::uint32_t k = first; k <= last; ++k) {
      const double w = std::max(0.0, 1 - std::abs(k - center) / radius);
      t.weights.push_back(static_cast<float>(w));
      sum += w;
    }
    for (float& w : t.weights) w = static_cast<float>(w / sum);
    all.push_back(std::move(t));
  }
  return all;
}

Image stretch(const Image& from, std::uint32_t width, std::uint32_t height) {
  if (from.width == width && from.height == height) return from;
  const auto size = [&](std::uint32_t w, std::uint32_t h) {
    return static_cast<std::size_t>(w) * h * from.channels;
  };
  Image across{width, from.height, from.channels, std::vector<float>(size(width, from.height))};
  const auto columns = taps(from.width, width), rows = taps(from.height, height);
  float* out = across.values.data();
  for (std::uint32_t y = 0; y < from.height; ++y)
    for (const Taps& t : columns)
      for (std::uint32_t c = 0; c < from.channels; ++c) {
        float sum = 0;
        for (std::uint32_t k = 0; k < t.weights.size(); ++k)
          sum += t.weights[k] * from.at(t.first + k, y, c);
        *out++ = sum;
      }
  Image down{width, height, from.channels, std::vector<float>(size(width, height))};
  out = down.values.data();
  for (const Taps& t : rows)
    for (std::uint32_t x = 0; x < width; ++x)
      for (std::uint32_t c = 0; c < from.channels; ++c) {
        float sum = 0;
        for (std::uint32_t k = 0; k < t.weights.size(); ++k)
          sum += t.weights[k] * across.at(x, t.first + k, c);
        *out++ = sum;
      }
  return down;
}

/// A window of the image; what lies outside of it is 0.
Image window(const Image& from, std::int64_t left, std::int64_t top, std::uint32_t width,
             std::uint32_t height) {
  Image to{width, height, from.channels, {}};
  to.values.reserve(static_cast<std::size_t>(width) * height * from.channels);
  for (std::int64_t y = top; y < top + height; ++y)
    for (std::int64_t x = left; x < left + width; ++x)
      for (std::uint32_t c = 0; c < from.channels; ++c) {
        const bool inside = x >= 0 && y >= 0 && x < from.width && y < from.height;
        to.values.push_back(
            inside ? from.at(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), c) : 0);
      }
  return to;
}

}  // namespace

Image resize(const Image& image, std::uint32_t width, std::uint32_t height, Resize how) {
  if (how == Resize::stretch) return stretch(image, width, height);
  const double across = static_cast<double>(width) / image.width;
  const double down = static_cast<double>(height) / image.height;
  if (how == Resize::crop) {  // cut first: what is cut off need not be resized
    const double scale = std::max(across, down);
    const auto w = static_cast<std::uint32_t>(
        std::clamp(std::lround(width / scale), 1L, static_cast<long>(image.width)));
    const auto h = static_cast<std::uint32_t>(
        std::clamp(std::lround(height / scale), 1L, static_cast<long>(image.height)));
    return stretch(window(image, (image.width - w) / 2, (image.height - h) / 2, w, h), width,
                   height);
  }
  const double scale = std::min(across, down);
  const auto w = static_cast<std::uint32_t>(
      std::clamp(std::lround(image.width * scale), 1L, static_cast<long>(width)));
  const auto h = static_cast<std::uint32_t>(
      std::clamp(std::lround(image.height * scale), 1L, static_cast<long>(height)));
  return window(stretch(image, w, h), -static_cast<std::int64_t>((width - w) / 2),
                -static_cast<std::int64_t>((height - h) / 2), width, height);
}

}  // namespace webnn::inline v0_1::images
