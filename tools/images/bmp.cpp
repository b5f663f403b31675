// BMP files: https://learn.microsoft.com/windows/win32/gdi/bitmap-storage
#include <array>

#include "tools/images/image.h"

namespace webnn::inline v0_1::images {
namespace {

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  [[noreturn]] void bad(const std::string& what) const { throw ImageError(name_ + ": " + what); }
  std::uint64_t size() const { return bytes_.size(); }
  std::uint32_t byte(std::uint64_t at) const {
    if (at >= bytes_.size()) bad("the BMP file ends too early");
    return std::to_integer<std::uint32_t>(bytes_[at]);
  }
  std::uint32_t two(std::uint64_t at) const { return byte(at) | byte(at + 1) << 8; }
  std::uint32_t four(std::uint64_t at) const { return two(at) | two(at + 2) << 16; }

 private:
  std::span<const std::byte> bytes_;
  const std::string& name_;
};

struct Header {
  std::uint32_t pixels_at, header_bytes, width, height, bits, compression, colors;
  bool top_down;
};

Header read_header(const Reader& r, const std::string& name) {
  Header h{};
  h.pixels_at = r.four(10);
  h.header_bytes = r.four(14);
  if (h.header_bytes < 40 || h.header_bytes > 124)
    r.bad("BMP headers of " + std::to_string(h.header_bytes) + " bytes are not read");
  const auto width = static_cast<std::int32_t>(r.four(18));
  const auto height = static_cast<std::int32_t>(r.four(22));
  if (width < 0 || height == INT32_MIN) r.bad("the size of the BMP file is not valid");
  h.top_down = height < 0;
  h.width = static_cast<std::uint32_t>(width);
  h.height = static_cast<std::uint32_t>(height < 0 ? -height : height);
  check_pixels(h.width, h.height, name);
  h.bits = r.two(28);
  h.compression = r.four(30);
  h.colors = r.four(46);
  const bool masks = h.compression == 3 && h.bits == 32;  // BI_BITFIELDS
  if ((h.compression != 0 && !masks) || (h.bits != 8 && h.bits != 24 && h.bits != 32))
    r.bad("BMP files of " + std::to_string(h.bits) + " bits a pixel with compression " +
          std::to_string(h.compression) + " are not read");
  // The usual order of bytes: blue, green, red, and alpha or nothing.
  if (masks && (r.four(54) != 0x00ff0000 || r.four(58) != 0x0000ff00 || r.four(62) != 0x000000ff))
    r.bad("BMP files with masks other than 8 bits for red, green and blue are not read");
  return h;
}

}  // namespace

Image read_bmp(std::span<const std::byte> bytes, std::uint32_t channels, const std::string& name) {
  const Reader r(bytes, name);
  const Header h = read_header(r, name);
  const std::uint64_t row_bytes = (std::uint64_t{h.width} * h.bits + 31) / 32 * 4;
  if (h.pixels_at > r.size() || row_bytes * h.height > r.size() - h.pixels_at)
    r.bad("the BMP file ends too early: " + std::to_string(h.width) + "x" +
          std::to_string(h.height) + " pixels need " + std::to_string(row_bytes * h.height) +
          " bytes from byte " + std::to_string(h.pixels_at));
  const std::uint32_t colors = h.bits == 8 ? (h.colors ? h.colors : 256) : 0;
  if (colors > 256) r.bad("the BMP file has more than 256 colors");
  std::array<std::array<std::uint8_t, 3>, 256> palette{};
  for (std::uint32_t i = 0; i < colors; ++i)
    for (std::uint32_t c = 0; c < 3; ++c)
      palette[i][c] = static_cast<std::uint8_t>(r.byte(14ull + h.header_bytes + 4 * i + 2 - c));
  std::vector<std::uint8_t> pixels;
  pixels.reserve(std::size_t{3} * h.width * h.height);
  for (std::uint32_t y = 0; y < h.height; ++y) {
    const std::uint64_t row = h.pixels_at + row_bytes * (h.top_down ? y : h.height - 1 - y);
    for (std::uint32_t x = 0; x < h.width; ++x) {
      if (h.bits == 8) {
        const auto& color = palette[r.byte(row + x)];
        pixels.insert(pixels.end(), color.begin(), color.end());
      } else {
        const std::uint64_t at = row + std::uint64_t{x} * h.bits / 8;
        for (std::uint64_t c = 0; c < 3; ++c)
          pixels.push_back(static_cast<std::uint8_t>(r.byte(at + 2 - c)));
      }
    }
  }
  return image_of(h.width, h.height, pixels, 3, channels);
}

}  // namespace webnn::inline v0_1::images
