// Images of the examples: the Netpbm files .pgm (gray) and .ppm (color), which most programs write.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace jobs {

struct Box {
  float left = 0, top = 0, right = 0, bottom = 0;  ///< in pixels of an image
};

struct Image {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb{};  ///< row by row

  float at(std::uint32_t x, std::uint32_t y, std::uint32_t channel) const {
    return rgb[(std::size_t{y} * width + x) * 3 + channel];
  }
  Box all() const { return {0, 0, static_cast<float>(width), static_cast<float>(height)}; }

  /// The part within the box at another size, interpolated; outside of the image its edge goes on.
  Image part(const Box& box, std::uint32_t new_width, std::uint32_t new_height) const {
    Image out{new_width, new_height};
    const auto source = [](float from, float to, std::uint32_t i, std::uint32_t n,
                           std::uint32_t limit) {
      const float at = from + (to - from) * (static_cast<float>(i) + 0.5f) / static_cast<float>(n);
      return std::clamp(at - 0.5f, 0.f, static_cast<float>(limit - 1));
    };
    for (std::uint32_t j = 0; j < new_height; ++j)
      for (std::uint32_t i = 0; i < new_width; ++i)
        for (std::uint32_t c = 0; c < 3; ++c) {
          const float x = source(box.left, box.right, i, new_width, width),
                      y = source(box.top, box.bottom, j, new_height, height);
          const auto x0 = static_cast<std::uint32_t>(x), y0 = static_cast<std::uint32_t>(y);
          const std::uint32_t x1 = std::min(x0 + 1, width - 1), y1 = std::min(y0 + 1, height - 1);
          const float above = std::lerp(at(x0, y0, c), at(x1, y0, c), x - static_cast<float>(x0)),
                      below = std::lerp(at(x0, y1, c), at(x1, y1, c), x - static_cast<float>(x0));
          out.rgb.push_back(static_cast<std::uint8_t>(
              std::lround(std::lerp(above, below, y - static_cast<float>(y0)))));
        }
    return out;
  }
  /// The image upside down.
  Image turned() const {
    Image out = *this;
    for (std::size_t i = 0; i < rgb.size(); i += 3)
      std::copy_n(rgb.end() - static_cast<std::ptrdiff_t>(i) - 3, 3,
                  out.rgb.begin() + static_cast<std::ptrdiff_t>(i));
    return out;
  }
};

/// Reads a .pgm or .ppm file of 8 bits.
inline Image read_image(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string kind, word;
  std::uint32_t numbers[3] = {};
  file >> kind;
  for (std::uint32_t& number : numbers) {
    while (file >> std::ws && file.peek() == '#') std::getline(file, word);
    file >> number;
  }
  file.get();
  const auto [width, height, largest] = numbers;
  const bool color = kind == "P6";
  if (!file || (kind != "P5" && !color) || largest != 255 || width == 0 || height == 0 ||
      width > 1 << 14 || height > 1 << 14)
    throw std::runtime_error(path + ": there is no .pgm or .ppm image of 8 bits");
  std::vector<char> bytes(std::size_t{width} * height * (color ? 3 : 1));
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw std::runtime_error(path + ": pixels are missing");
  Image out{width, height};
  for (const char byte : bytes) out.rgb.insert(out.rgb.end(), color ? 1 : 3, std::uint8_t(byte));
  return out;
}

}  // namespace jobs
