// PNG files, with libpng's simplified interface, which reports errors without longjmp.

#include "tools/images/image.h"
#if WEBNN_WITH_PNG
#include <png.h>
#endif

namespace webnn::inline v0_1::images {

#if WEBNN_WITH_PNG
Image read_png(std::span<const std::byte> bytes, std::uint32_t channels, const std::string& name) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  const auto failed = [&](const char* what) {
    const std::string reason = png.message;
    png_image_free(&png);
    throw ImageError(name + ": " + what + ": " + reason);
  };
  if (!png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()))
    failed("is not a PNG file");
  const std::uint32_t width = png.width, height = png.height;
  try {
    check_pixels(width, height, name);
  } catch (...) {
    png_image_free(&png);
    throw;
  }
  png.format = PNG_FORMAT_RGBA;
  std::vector<std::uint8_t> pixels(std::size_t{4} * width * height);
  if (!png_image_finish_read(&png, nullptr, pixels.data(), static_cast<png_int_32>(4 * width),
                             nullptr))
    failed("the PNG file is broken");
  return image_of(width, height, pixels, 4, channels);
}

std::vector<std::byte> png_of(std::uint32_t width, std::uint32_t height,
                              std::span<const std::uint8_t> rgb) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = width;
  png.height = height;
  png.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::vector<std::byte> bytes(size);
  if (!png_image_write_to_memory(&png, bytes.data(), &size, 0, rgb.data(),
                                 static_cast<png_int_32>(3 * width), nullptr))
    throw ImageError(std::string("the PNG file cannot be made: ") + png.message);
  bytes.resize(size);
  return bytes;
}
#else
std::vector<std::byte> png_of(std::uint32_t, std::uint32_t, std::span<const std::uint8_t>) {
  throw ImageError("a PNG file cannot be written: this webnn was built without libpng");
}
Image read_png(std::span<const std::byte>, std::uint32_t, const std::string& name) {
  throw ImageError(name + ": this webnn was built without libpng");
}
#endif

}  // namespace webnn::inline v0_1::images
