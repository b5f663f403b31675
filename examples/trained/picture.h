// Pictures of letters.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace trained {

using Position = std::array<float, 2>;  ///< x and y, in pixels of the frame

/// Gray pixels from 4 bits each, the first of two in the low bits of a byte.
inline std::vector<std::uint8_t> unpacked(std::span<const std::uint8_t> packed) {
  std::vector<std::uint8_t> pixels;
  for (const std::uint8_t two : packed) {
    pixels.push_back(static_cast<std::uint8_t>(two % 16 * 17));
    pixels.push_back(static_cast<std::uint8_t>(two / 16 * 17));
  }
  return pixels;
}

/// A picture of letters, two rows of pixels a line.
struct Picture {
  std::vector<std::string> lines;

  explicit Picture(std::span<const std::uint8_t> frame, std::size_t width = 64)
      : lines(frame.size() / width / 2, std::string(width, ' ')) {
    for (std::size_t y = 0; y < lines.size(); ++y)
      for (std::size_t x = 0; x < width; ++x)
        lines[y][x] =
            " .:-=+*#%@"[(frame[2 * y * width + x] + frame[(2 * y + 1) * width + x]) / 52];
  }
  void set(Position at, char letter) {
    const int x = static_cast<int>(at[0]), y = static_cast<int>(at[1]) / 2;
    if (x >= 0 && x < static_cast<int>(lines[0].size()) && y >= 0 &&
        y < static_cast<int>(lines.size()))
      lines[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] = letter;
  }
  void line(Position a, Position b, char letter) {
    for (float t = 0; t <= 1; t += 1 / 64.f)
      set({a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])}, letter);
  }
};

/// Side by side; all of one height.
inline void show(const std::vector<Picture>& pictures) {
  for (std::size_t y = 0; y < pictures.front().lines.size(); ++y) {
    for (const Picture& p : pictures) std::printf("%s  ", p.lines[y].c_str());
    std::putchar('\n');
  }
}

}  // namespace trained
