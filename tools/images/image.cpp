#include "tools/images/image.h"

#include <algorithm>

#include "src/formats/common/mapped_file.h"

namespace webnn::inline v0_1::images {
namespace {

bool begins(std::span<const std::byte> bytes, std::string_view with) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.substr(0, with.size()) == with;
}

}  // namespace

void check_pixels(std::uint64_t width, std::uint64_t height, const std::string& name) {
  const std::string size = std::to_string(width) + "x" + std::to_string(height);
  if (width == 0 || height == 0)
    throw ImageError(name + ": the image (" + size + ") has no pixels");
  if (width > max_pixels || height > max_pixels / width)
    throw ImageError(name + ": the image (" + size + ") has more than " +
                     std::to_string(max_pixels) + " pixels");
}

bool is_image(const std::filesystem::path& path) {
  std::string e = path.extension().string();
  std::transform(e.begin(), e.end(), e.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return e == ".png" || e == ".jpg" || e == ".jpeg" || e == ".bmp";
}

Image read_image(const std::filesystem::path& path, std::uint32_t channels) {
  const std::string name = escaped(path.string());
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw ImageError(name + ": there is no such file");
  auto file = formats::map_file(path);
  if (!file) throw ImageError(name + ": " + file.failure().message);
  const std::span<const std::byte> bytes = file->bytes;
  if (begins(bytes, "\x89PNG")) return read_png(bytes, channels, name);
  if (begins(bytes, "\xff\xd8\xff")) return read_jpeg(bytes, channels, name);
  if (begins(bytes, "BM")) return read_bmp(bytes, channels, name);
  throw ImageError(name + ": it is neither a PNG nor a JPEG nor a BMP file");
}

Image image_of(std::uint32_t width, std::uint32_t height, std::span<const std::uint8_t> pixels,
               std::uint32_t from, std::uint32_t channels) {
  Image image{width, height, channels, {}};
  const std::size_t count = static_cast<std::size_t>(width) * height;
  image.values.reserve(count * channels);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* p = pixels.data() + i * from;
    const auto color = [&](std::size_t c) { return static_cast<float>(p[from < 3 ? 0 : c]); };
    if (channels == 1) {  // the luma of ITU-R BT.601
      image.values.push_back(from < 3 ? color(0)
                                      : 0.299f * color(0) + 0.587f * color(1) + 0.114f * color(2));
    } else {
      for (std::size_t c = 0; c < 3; ++c) image.values.push_back(color(c));
      if (channels == 4) image.values.push_back(from == 4 ? p[3] : 255.f);
    }
  }
  return image;
}

}  // namespace webnn::inline v0_1::images
