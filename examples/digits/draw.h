// Images as text.
#pragma once

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace digits {

/// 8 x 8 pixels, 0 for paper to 16 for ink, and a line of ASCII to print below them.
struct Image {
  std::span<const std::byte> pixels;
  std::string caption;
};

/// Prints the images side by side. A pixel is two columns wide, for letters are twice as high.
inline void draw(const char* title, const std::vector<Image>& images) {
  if (images.empty()) return;
  std::printf("%s\n\n", title);
  for (int row = 0; row < 8; ++row) {
    for (const Image& p : images) {
      for (int column = 0; column < 8; ++column) {
        constexpr const char* shades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
        const int ink = std::to_integer<int>(p.pixels[static_cast<std::size_t>(8 * row + column)]);
        std::printf("%s", shades[ink > 16 ? 4 : (ink + 3) / 4]);
      }
      std::printf("    ");
    }
    std::printf("\n");
  }
  for (const Image& p : images) std::printf("%-20s", p.caption.c_str());
  std::printf("\n\n");
}

}  // namespace digits
