// Images: PNG, JPEG and BMP files, and their sizes changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace webnn::inline v0_1::images {

/// A file that cannot be read or is not an image as its format says; the message names it.
struct ImageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Rows from top to bottom, channels of a pixel beside one another: gray, RGB or RGBA, 0 to 255.
struct Image {
  std::uint32_t width = 0, height = 0, channels = 0;
  std::vector<float> values{};

  float at(std::uint32_t x, std::uint32_t y, std::uint32_t c) const {
    return values[(static_cast<std::size_t>(y) * width + x) * channels + c];
  }
};

/// The maximum number of pixels of an image, checked before memory is allocated: 2^26.
inline constexpr std::uint64_t max_pixels = std::uint64_t{1} << 26;
/// Throws ImageError when there are more, or none. `name` is in front of every message.
void check_pixels(std::uint64_t width, std::uint64_t height, const std::string& name);

/// Whether the extension is one of an image.
bool is_image(const std::filesystem::path& path);
/// Reads a file, whose contents say which format it has, with 1, 3 or 4 channels. Throws
/// ImageError.
Image read_image(const std::filesystem::path& path, std::uint32_t channels);

// One file each; the bytes are those of a whole file. Without its library, a reader throws.
Image read_png(std::span<const std::byte> bytes, std::uint32_t channels, const std::string& name);
Image read_jpeg(std::span<const std::byte> bytes, std::uint32_t channels, const std::string& name);
Image read_bmp(std::span<const std::byte> bytes, std::uint32_t channels, const std::string& name);
/// The bytes of a PNG file of RGB pixels. Without libpng it throws ImageError.
std::vector<std::byte> png_of(std::uint32_t width, std::uint32_t height,
                              std::span<const std::uint8_t> rgb);
/// An image from bytes that have `from` channels.
Image image_of(std::uint32_t width, std::uint32_t height, std::span<const std::uint8_t> pixels,
               std::uint32_t from, std::uint32_t channels);

enum class Resize {
  stretch,  ///< to the given height and width
  crop,     ///< it is as large as possible and centered; what does not fit is cut off
  pad,      ///< it is as small as necessary and centered; the rest is 0
};
/// With a triangle filter, as wide as a pixel of the smaller of the two images.
Image resize(const Image& image, std::uint32_t width, std::uint32_t height, Resize how);

}  // namespace webnn::inline v0_1::images
