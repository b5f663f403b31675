// Images: of every format, broken ones, and their sizes changed.
#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/random.h"
#include "tests/tools/images.h"
#include "tests/tools/models.h"
#include "tools/images/image.h"

namespace webnn::inline v0_1::images {
namespace {

std::span<const std::byte> png() { return std::as_bytes(std::span(test::png_4x2)); }
std::span<const std::byte> jpeg() { return std::as_bytes(std::span(test::jpeg_16x16)); }

#if WEBNN_WITH_PNG
TEST_CASE("image: PNG") {
  const Image x = read_png(png(), 3, "x");
  REQUIRE(x.width == 4);
  REQUIRE(x.height == 2);
  for (std::uint32_t v = 0; v < 2; ++v)
    for (std::uint32_t u = 0; u < 4; ++u) {
      CHECK(x.at(u, v, 0) == 10.f * static_cast<float>(u) + 100.f * static_cast<float>(v));
      CHECK(x.at(u, v, 1) == 50.f + static_cast<float>(u));
      CHECK(x.at(u, v, 2) == 255.f - 40.f * static_cast<float>(u));
    }
  const Image gray = read_png(png(), 1, "x");
  CHECK(gray.at(1, 0, 0) == Approx(0.299 * 10 + 0.587 * 51 + 0.114 * 215));
  CHECK(read_png(png(), 4, "x").at(1, 1, 3) == 255);
}
#endif

#if WEBNN_WITH_JPEG
TEST_CASE("image: JPEG") {
  const Image x = read_jpeg(jpeg(), 3, "x");
  REQUIRE(x.width == 16);
  REQUIRE(x.height == 16);
  const float left[] = {200, 40, 40}, right[] = {40, 40, 200};
  for (std::uint32_t c = 0; c < 3; ++c) {
    CHECK(std::abs(x.at(2, 8, c) - left[c]) < 8);
    CHECK(std::abs(x.at(13, 8, c) - right[c]) < 8);
  }
}
#endif

TEST_CASE("image: BMP") {
  const test::Folder folder;
  const Image x = read_image(test::bmp(folder, "a.bmp", 5, 3, 10, 20, 30), 3);
  REQUIRE(x.width == 5);
  REQUIRE(x.height == 3);
  for (std::uint32_t v = 0; v < 3; ++v)
    for (std::uint32_t u = 0; u < 5; ++u) {
      CHECK(x.at(u, v, 0) == 10);
      CHECK(x.at(u, v, 1) == 20);
      CHECK(x.at(u, v, 2) == 30);
    }
}

/// A BMP of 8 bits a pixel, rows from the top: the palette and the order of rows count.
TEST_CASE("image: BMP with a palette, from the top") {
  std::string s(54 + 8 + 8, '\0');
  const auto put = [&](std::size_t at, int v) {
    for (std::size_t i = 0; i < 4; ++i) s[at + i] = static_cast<char>(v >> 8 * i & 255);
  };
  s.replace(0, 2, "BM");
  put(10, 62);
  put(14, 40);
  put(18, 2);
  put(22, -2);
  s[26] = 1;
  s[28] = 8;
  put(46, 2);
  put(54, 0x010203);  // red 1, green 2, blue 3
  put(58, 0x0a0b0c);
  s[62] = 0;
  s[63] = 1;
  s[66] = 1;
  s[67] = 0;
  const Image x = read_bmp(std::as_bytes(std::span(s)), 3, "x");
  CHECK(x.at(0, 0, 0) == 1);
  CHECK(x.at(0, 0, 2) == 3);
  CHECK(x.at(1, 0, 1) == 11);
  CHECK(x.at(0, 1, 0) == 10);
}

TEST_CASE("image: broken files do no harm") {
  const test::Folder folder;
  test::bmp(folder, "a.bmp", 5, 3, 1, 2, 3);
  const std::string bmp_text = folder.read("a.bmp");
  const auto bmp = std::as_bytes(std::span(bmp_text));
  using Read = Image (*)(std::span<const std::byte>, std::uint32_t, const std::string&);
  struct Format {
    Read read;
    std::span<const std::byte> good;
  };
  for (const auto& [read, good] :
       {Format{&read_png, png()}, Format{&read_jpeg, jpeg()}, Format{&read_bmp, bmp}}) {
    const auto attempt = [&, read = read](const std::vector<std::byte>& bytes) {
      try {
        return read(bytes, 3, "x").values.size();
      } catch (const ImageError& e) { return std::string(e.what()).size(); }
    };
    for (std::size_t n = 0; n < good.size(); ++n)
      attempt({good.begin(), good.begin() + static_cast<long>(n)});
    test::Random random(3);
    for (int round = 0; round < 5000; ++round) {
      std::vector<std::byte> bytes(good.begin(), good.end());
      for (std::uint32_t k = random.integer(1, 3); k > 0; --k)
        bytes[random.integer(0, static_cast<std::uint32_t>(bytes.size()) - 1)] =
            static_cast<std::byte>(random.integer(0, 255));
      attempt(bytes);
    }
  }
}

TEST_CASE("image: sizes are checked before memory is taken") {
  const test::Folder folder;
  test::bmp(folder, "a.bmp", 1, 1, 1, 2, 3);
  std::string s = folder.read("a.bmp");
  for (std::size_t i = 18; i < 26; ++i) s[i] = i % 4 == 1 ? '\x7f' : '\xff';
  CHECK_THROWS_AS(read_bmp(std::as_bytes(std::span(s)), 3, "x"), ImageError);
  CHECK_THROWS_AS(check_pixels(0, 5, "x"), ImageError);
  CHECK_THROWS_AS(check_pixels(8193, 8192, "x"), ImageError);
  CHECK_THROWS_AS(check_pixels(~std::uint64_t{0}, ~std::uint64_t{0}, "x"), ImageError);
  CHECK_NOTHROW(check_pixels(8192, 8192, "x"));
}

Image ramp(std::uint32_t width, std::uint32_t height) {
  Image x{width, height, 1, {}};
  for (std::uint32_t v = 0; v < height; ++v)
    for (std::uint32_t u = 0; u < width; ++u) x.values.push_back(static_cast<float>(u + 10 * v));
  return x;
}

TEST_CASE("resize: a smaller image is an average, a larger one interpolates") {
  // A triangle of radius two gives each result 1 3 3 1 eighths of the four pixels around its
  // center.
  const Image half = resize(ramp(8, 1), 4, 1, Resize::stretch);
  CHECK(half.at(1, 0, 0) == Approx((1 * 1 + 3 * 2 + 3 * 3 + 1 * 4) / 8.0));
  const Image twice = resize(ramp(4, 1), 8, 1, Resize::stretch);
  CHECK(twice.at(0, 0, 0) == Approx(0));
  CHECK(twice.at(1, 0, 0) == Approx(0.25));
  CHECK(twice.at(2, 0, 0) == Approx(0.75));
  CHECK(twice.at(7, 0, 0) == Approx(3));
  const Image flat = resize({7, 5, 1, std::vector<float>(35, 9.f)}, 13, 2, Resize::stretch);
  for (float v : flat.values) CHECK(v == Approx(9));
  CHECK(resize(ramp(1, 1), 3, 3, Resize::stretch).values.size() == 9);
}

TEST_CASE("resize: crop and pad keep the proportions") {
  const Image cropped = resize(ramp(8, 4), 4, 4, Resize::crop);  // columns 2 to 5
  REQUIRE(cropped.values.size() == 16);
  CHECK(cropped.at(0, 0, 0) == 2);
  CHECK(cropped.at(3, 3, 0) == 35);
  const Image padded = resize({8, 4, 1, std::vector<float>(32, 5.f)}, 8, 8, Resize::pad);
  CHECK(padded.at(0, 0, 0) == 0);
  CHECK(padded.at(0, 1, 0) == 0);
  CHECK(padded.at(0, 2, 0) == 5);
  CHECK(padded.at(7, 5, 0) == 5);
  CHECK(padded.at(7, 6, 0) == 0);
  CHECK(resize(ramp(1000, 1), 2, 500, Resize::pad).values.size() == 1000);
  CHECK(resize(ramp(1000, 1), 2, 500, Resize::crop).values.size() == 1000);
}

}  // namespace
}  // namespace webnn::inline v0_1::images
