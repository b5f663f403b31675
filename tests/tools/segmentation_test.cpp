// Outputs that are images: segmentations and gray.
#include <array>
#include <cmath>

#include "tests/support/catch.h"
#include "tests/tools/models.h"
#include "tools/images/image.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/data/class_map.h"
#include "tools/webnn/data/npy.h"

namespace webnn::inline v0_1::tool {
namespace {

using test::contains;
using test::Folder;
using test::Outcome;
using test::webnn_command;

template <class T> std::span<const std::byte> bytes(const std::vector<T>& v) {
  return std::as_bytes(std::span(v));
}
std::vector<std::uint32_t> classes_of(const MLOperandDescriptor& d, std::span<const std::byte> data,
                                      const std::string& layout = "") {
  const auto map = class_map(d, data, false, layout);
  REQUIRE(map);
  return map->classes;
}

TEST_CASE("class map: the best class of each pixel, in both layouts") {
  // Two rows of three pixels with two classes.
  const std::vector<float> nhwc = {0, 1, 5, 2, 3, 3, -1, -2, 0, 9, 7, 8};
  const std::vector<float> nchw = {0, 5, 3, -1, 0, 7, 1, 2, 3, -2, 9, 8};
  const std::vector<std::uint32_t> expected = {1, 0, 0, 0, 1, 1};
  CHECK(classes_of({float32, {1, 2, 3, 2}}, bytes(nhwc), "nhwc") == expected);
  CHECK(classes_of({float32, {2, 3, 2}}, bytes(nhwc), "nhwc") == expected);
  CHECK(classes_of({float32, {1, 2, 2, 3}}, bytes(nchw), "nchw") == expected);
  // A square shows where the classes are, also where there are more of them than rows.
  const std::vector<float> square(2 * 2 * 5);
  CHECK(class_map({float32, {1, 2, 2, 5}}, bytes(square), false, "")->width == 2);
  CHECK(class_map({float32, {1, 5, 2, 2}}, bytes(square), false, "")->width == 2);
  const std::vector<float> wide(4 * 6 * 3);
  CHECK(class_map({float32, {1, 4, 6, 3}}, bytes(wide), false, "")->width == 6);
  CHECK(class_map({float32, {1, 3, 4, 6}}, bytes(wide), false, "")->width == 6);
}

TEST_CASE("class map: integers are the classes, quantized ones are scores") {
  const std::vector<std::int32_t> index = {0, 21, -4, 7};
  CHECK(classes_of({int32, {1, 2, 2}}, bytes(index)) == std::vector<std::uint32_t>{0, 21, 0, 7});
  CHECK(classes_of({int32, {1, 2, 2, 1}}, bytes(index)) == std::vector<std::uint32_t>{0, 21, 0, 7});
  const std::vector<std::uint8_t> scores = {1, 2, 9, 3};
  CHECK_FALSE(class_map({uint8, {1, 2, 2, 1}}, bytes(scores), true, ""));
  const auto map = class_map({uint8, {1, 2, 1, 2}}, bytes(scores), true, "nhwc");
  REQUIRE(map);
  CHECK(map->classes == std::vector<std::uint32_t>{1, 0});
  // Not images: a table, one pixel, a batch of two.
  const std::vector<float> v(12);
  CHECK_FALSE(class_map({float32, {3, 4}}, bytes(v), false, ""));
  CHECK_FALSE(class_map({float32, {1, 1, 1, 12}}, bytes(v), false, ""));
  CHECK_FALSE(class_map({float32, {2, 2, 3, 1}}, bytes(v), false, ""));
}

TEST_CASE("class map: the colors of VOC") {
  using Color = std::array<std::uint8_t, 3>;
  CHECK(class_color(0) == Color{0, 0, 0});
  CHECK(class_color(1) == Color{128, 0, 0});
  CHECK(class_color(2) == Color{0, 128, 0});
  CHECK(class_color(8) == Color{64, 0, 0});
  CHECK(class_color(15) == Color{192, 128, 128});
  CHECK(class_color(255) == Color{224, 224, 192});
}

#if WEBNN_WITH_PNG
TEST_CASE("run: a segmentation is a picture, and --top-k counts pixels") {
  const Folder folder;
  const std::string model = test::doubling_model(folder, "seg.tflite", {1, 4, 2, 3});
  std::vector<float> scores;
  for (int i = 0; i < 8; ++i)
    for (int c = 0; c < 3; ++c) scores.push_back(c == (i < 5 ? 2 : 1) ? 4.f : 1.f);
  const std::string x = folder.write("x.npy", npy_of({float32, {1, 4, 2, 3}}, bytes(scores)));
  const std::string mask = folder.path("mask.png");
  const Outcome o = webnn_command({"run", model, "--input", x, "--output", mask, "--top-k", "5",
                                   "--labels", folder.write("l", std::string("none\ncat\ndog\n"))});
  INFO(o.out << o.err);
  REQUIRE(o.code == 0);
  CHECK(contains(o.out, "pixels"));
  CHECK(contains(o.out, "     5  62.5      2  dog\n"));
  CHECK(contains(o.out, "     3  37.5      1  cat\n"));
  const images::Image image = images::read_image(mask, 3);
  REQUIRE(image.width == 2);
  REQUIRE(image.height == 4);
  for (std::uint32_t i = 0; i < 8; ++i)
    for (std::uint32_t c = 0; c < 3; ++c)
      CHECK(image.at(i % 2, i / 2, c) == static_cast<float>(class_color(i < 5 ? 2 : 1)[c]));
  const test::Json j = webnn_command({"run", model, "--input", x, "--top-k", "1", "--json"}).json();
  CHECK(j["outputs"][0]["classes_of_pixels"].size() == 1);
  CHECK(j["outputs"][0]["classes_of_pixels"][0]["pixels"] == 5);
}

TEST_CASE("run: one channel is gray, what is not an image is refused") {
  const Folder folder;
  const std::string model = test::doubling_model(folder, "gray.tflite", {1, 2, 2});
  const std::vector<float> values = {-1, 0, 1, 3};
  const std::string x = folder.write("x.npy", npy_of({float32, {1, 2, 2}}, bytes(values)));
  const std::string gray = folder.path("gray.png");
  REQUIRE(webnn_command({"run", model, "--input", x, "--output", "y=" + gray}).code == 0);
  const images::Image image = images::read_image(gray, 1);
  CHECK(std::abs(image.at(0, 0, 0) - 0) < 1);
  CHECK(std::abs(image.at(1, 0, 0) - 64) < 1);
  CHECK(std::abs(image.at(1, 1, 0) - 255) < 1);
  const Outcome o =
      webnn_command({"run", test::colors_model(folder), "--output", folder.path("no.png")});
  CHECK(o.code == 0);  // [1, 3] is three pixels in a row
  const Outcome batch =
      webnn_command({"run", test::doubling_model(folder, "batch.tflite", {2, 2, 2, 3}), "--output",
                     folder.path("no.png")});
  CHECK(batch.code == 1);
  CHECK(contains(batch.err, "output \"y\": float32 [2, 2, 2, 3] is not an image"));
}
#endif

TEST_CASE("run: an image for an input without a batch or without channels") {
  const Folder folder;
  const std::string image = test::bmp(folder, "i.bmp", 3, 2, 30, 60, 90);
  const double luma = std::nearbyint(0.299 * 30 + 0.587 * 60 + 0.114 * 90);
  const std::vector<std::vector<std::uint32_t>> shapes = {{1, 2, 3}, {2, 3, 1}, {2, 3}};
  for (const auto& shape : shapes) {
    const std::string model = test::doubling_model(folder, "g.tflite", shape);
    const Outcome o = webnn_command({"run", model, "--image", image, "--json"});
    INFO(o.err);
    REQUIRE(o.code == 0);
    CHECK(o.json()["outputs"][0]["min"] == 2 * luma);
    CHECK(o.json()["outputs"][0]["max"] == 2 * luma);
  }
  const std::string rgb = test::doubling_model(folder, "rgb.tflite", {3, 2, 3});
  const test::Json j =
      webnn_command({"run", rgb, "--image", image, "--layout", "nchw", "--json"}).json();
  CHECK(j["outputs"][0]["min"] == 60);
  CHECK(j["outputs"][0]["max"] == 180);
  const Outcome vector =
      webnn_command({"run", test::doubling_model(folder, "v.tflite", {7}), "--image", image});
  CHECK(vector.code == 1);
  CHECK(contains(vector.err, "no input of the model has the dimensions of an image"));
  const Outcome depth = webnn_command(
      {"run", test::doubling_model(folder, "d.tflite", {1, 5, 5, 7}), "--image", image});
  CHECK(depth.code == 1);
  CHECK(contains(depth.err, "one of these without the 1, or [height, width]"));
}

}  // namespace
}  // namespace webnn::inline v0_1::tool
