// Small images of tensors: where the channels are, and how many pixels there are.
#include "tools/webnn/page/thumbnail.h"

#include <limits>

#include "tests/support/catch.h"

namespace webnn::inline v0_1::tool {
namespace {

std::vector<std::byte> bytes_of(std::vector<float> values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}
std::vector<int> pixels_of(const Thumbnail& t) {
  std::vector<int> all;
  for (std::byte b : t.pixels) all.push_back(std::to_integer<int>(b));
  return all;
}

TEST_CASE("thumbnail: which tensors have one") {
  CHECK(has_thumbnail({1, 4, 4, 1}));
  CHECK(has_thumbnail({8, 3, 32, 32}));
  CHECK_FALSE(has_thumbnail({1, 1, 1, 1001}));
  CHECK_FALSE(has_thumbnail({1, 1001, 1, 1}));
  CHECK_FALSE(has_thumbnail({4, 4, 4}));
  CHECK_FALSE(has_thumbnail({1, 2, 2, 1}));
  CHECK_FALSE(has_thumbnail({0, 8, 8, 3}));
}

TEST_CASE("thumbnail: where the channels are") {
  CHECK(channels_first({1, 3, 8, 8}, "", ""));
  CHECK(channels_first({1, 64, 8, 8}, "", "nhwc"));
  CHECK_FALSE(channels_first({1, 8, 8, 64}, "", "nchw"));
  CHECK_FALSE(channels_first({1, 6, 8, 3}, "", "nhwc"));
  CHECK(channels_first({1, 6, 8, 3}, "", "nchw"));
  CHECK(channels_first({1, 3, 8, 6}, "", ""));
  CHECK_FALSE(channels_first({1, 3, 8, 8}, "nhwc", "nchw"));
}

TEST_CASE("thumbnail: colors, channels side by side, and what is not finite") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const MLOperandDescriptor d{float32, {1, 1, 2, 3}};
  const Thumbnail color = thumbnail_of(d, bytes_of({0, 1, 2, 3, 4, 5}), false, 1000);
  CHECK(color.channels == 3);
  CHECK(color.images == 1);
  CHECK(pixels_of(color) == std::vector<int>{0, 51, 102, 153, 204, 255});
  const Thumbnail maps =
      thumbnail_of({float32, {1, 1, 2, 2}}, bytes_of({0, nan, 5, 10}), false, 1000);
  CHECK(maps.channels == 1);
  CHECK(maps.images == 2);
  CHECK(pixels_of(maps) == std::vector<int>{0, 128, 0, 255});
  const Thumbnail planes =
      thumbnail_of({float32, {1, 3, 1, 2}}, bytes_of({0, 1, 2, 3, 4, 5}), true, 1000);
  CHECK(pixels_of(planes) == std::vector<int>{0, 102, 204, 51, 153, 255});
}

TEST_CASE("thumbnail: no more bytes than the limit, with the form kept") {
  for (const Dims& shape :
       {Dims{2, 300, 200, 3}, Dims{1, 64, 64, 128}, Dims{1, 7, 900, 1}, Dims{1, 16, 5, 5}})
    for (std::size_t limit : {std::size_t{16}, std::size_t{500}, std::size_t{32768}}) {
      const MLOperandDescriptor d{float32, shape};
      const std::vector<std::byte> bytes(byte_length(d));
      for (bool first : {false, true}) {
        const Thumbnail t = thumbnail_of(d, bytes, first, limit);
        INFO(shape[1] << ' ' << shape[2] << ' ' << shape[3] << ", " << limit);
        CHECK(t.pixels.size() == std::size_t{t.width} * t.height * t.channels * t.images);
        CHECK(t.pixels.size() <= limit);
        CHECK(t.images <= t.of);
      }
    }
}

}  // namespace
}  // namespace webnn::inline v0_1::tool
