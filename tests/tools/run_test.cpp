// webnn run: what goes in and what comes out.
#include <cmath>
#include <cstring>

#include "tests/support/catch.h"
#include "tests/tools/images.h"
#include "tests/tools/models.h"
#include "tools/webnn/data/npy.h"

using namespace webnn::test;

namespace {

template <class T> std::span<const std::byte> bytes(const std::vector<T>& v) {
  return std::as_bytes(std::span(v));
}
std::vector<float> floats(const std::string& text) {
  std::vector<float> v(text.size() / 4);
  std::memcpy(v.data(), text.data(), 4 * v.size());
  return v;
}

TEST_CASE("run: an image, labels and the best classes") {
  const Folder folder;
  const std::string model = colors_model(folder),
                    labels = folder.write("l", std::string("red\ngreen\r\nblue\n"));
  const std::string green = bmp(folder, "green.bmp", 9, 7, 10, 60, 30);
  Outcome o = webnn_command({"run", model, "--image", green, "--labels", labels});
  REQUIRE(o.code == 0);
  CHECK(o.err.empty());
  CHECK(contains(o.out, "green.bmp, 9x7 -> 4x4"));
  CHECK(contains(o.out, " green\n"));
  o = webnn_command({"run", model, "--image", green, "--labels", labels, "--top-k", "2", "--json"});
  REQUIRE(o.code == 0);
  const Json top = o.json()["outputs"][0]["top"][0];
  REQUIRE(top.size() == 2);
  CHECK(top[0]["label"] == "green");
  CHECK(top[0]["index"] == 1);
  // softmax of (10.5, 60.5, 30.5) / 10
  const double e = std::exp(-3), s = 1 + e + std::exp(-5);
  CHECK(std::abs(top[0]["score"].get<double>() - 1 / s) < 1e-5);
  CHECK(std::abs(top[1]["score"].get<double>() - e / s) < 1e-5);
  CHECK(top[1]["label"] == "blue");
  o = webnn_command({"run", model, "--image", green, "--bgr", "--top-k", "3", "--json"});
  CHECK(o.json()["outputs"][0]["top"][0][1]["index"] == 0);  // red and blue have changed places
}

TEST_CASE("run: normalization is (pixel * scale - mean) / std") {
  const Folder folder;
  const std::string model = colors_model(folder);
  const std::string image = bmp(folder, "p.bmp", 4, 4, 100, 60, 20);
  const Outcome o = webnn_command({"run", model, "--image", image, "--scale", "0.5", "--mean",
                                   "10,20,0", "--std", "2,1,1", "--output", folder.path("y.npy")});
  REQUIRE(o.code == 0);
  const std::string text = folder.read("y.npy");
  const auto a = webnn::tool::parse_npy(std::as_bytes(std::span(text)), "y");
  const double x[] = {2.05, 1.05, 1.05};  // ((50 - 10) / 2 + 0.5) / 10, ...
  double sum = 0;
  for (double v : x) sum += std::exp(v);
  for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(a.at(i) - std::exp(x[i]) / sum) < 1e-5);
  const auto refused = [&](std::vector<std::string> more, const char* part) {
    more.insert(more.begin(), {"run", model, "--image", image});
    const Outcome r = webnn_command(more);
    CHECK(r.code == 2);
    CHECK(contains(r.err, part));
  };
  refused({"--mean", "1,2"}, "--mean: there are 2 values, but the input has 3 channels");
  refused({"--std", "0"}, "--std: a value is 0");
  refused({"--resize", "melt"}, "--resize");
  refused({"--layout", "hwcn"}, "--layout");
}

TEST_CASE("run: images that do not fit") {
  const Folder folder;
  const std::string model = colors_model(folder);
  const std::string image = bmp(folder, "p.bmp", 9, 4, 1, 2, 3);
  const Outcome size = webnn_command({"run", model, "--image", image, "--resize", "none"});
  CHECK(size.code == 1);
  CHECK(contains(size.err, "its size (9x4) is not that of the input (4x4)"));
  const Outcome none = webnn_command({"run", model, "--image", folder.path("none.png")});
  CHECK(none.code == 1);
  CHECK(contains(none.err, "there is no such file"));
  const Outcome text =
      webnn_command({"run", model, "--image", folder.write("t.png", std::string("hello"))});
  CHECK(text.code == 1);
  CHECK(contains(text.err, "is neither a PNG nor a JPEG nor a BMP file"));
  const Outcome vector = webnn_command({"run", two_inputs_model(folder), "--image", image});
  CHECK(vector.code == 1);
  CHECK(contains(vector.err, "no input of the model has the dimensions of an image"));
}

#if WEBNN_WITH_PNG
TEST_CASE("run: a gray image for an input of one channel, whichever way its shape is written") {
  const Folder folder;
  const std::string digit =
      folder.write("digit.png", std::as_bytes(std::span(webnn::test::png_28x28)));
  std::vector<float> twice;
  for (int y = 0; y < 28; ++y)
    for (int x = 0; x < 28; ++x) twice.push_back(static_cast<float>(2 * (4 * x + 5 * y)));
  const std::vector<std::vector<std::uint32_t>> shapes = {
      {28, 28}, {1, 28, 28}, {28, 28, 1}, {1, 28, 28, 1}, {1, 1, 28, 28}};
  for (const auto& shape : shapes) {
    const std::string model = doubling_model(folder, "twice.tflite", shape);
    const Outcome o = webnn_command({"run", model, "--image", digit, "--output", "y=-"});
    INFO("rank " << shape.size() << ", first " << shape[0] << ": " << o.err);
    REQUIRE(o.code == 0);
    CHECK(floats(o.out) == twice);
  }
  // Height before width.
  for (const auto& shape : {std::vector<std::uint32_t>{20, 14}, {1, 20, 14}}) {
    const std::string model = doubling_model(folder, "tall.tflite", shape);
    const Outcome fitted = webnn_command({"run", model, "--image", digit});
    CHECK(fitted.code == 0);
    CHECK(contains(fitted.out, "digit.png, 28x28 -> 14x20"));
    const Outcome none = webnn_command({"run", model, "--image", digit, "--resize", "none"});
    CHECK(none.code == 1);
    CHECK(contains(none.err, "its size (28x28) is not that of the input (14x20)"));
  }
}
#endif

TEST_CASE("run: quantized inputs and outputs") {
  const Folder folder;
  const std::string model = quantized_colors_model(folder);
  const std::string image = bmp(folder, "p.bmp", 4, 4, 11, 10, 9);
  const Outcome o = webnn_command({"run", model, "--image", image, "--top-k", "3", "--json"});
  REQUIRE(o.code == 0);
  const Json output = o.json()["outputs"][0];
  CHECK(output["type"] == "uint8");
  CHECK(output["quantization"]["scale"] == 1.0 / 256);
  const Json top = output["top"][0];
  const double s = 1 + std::exp(-1) + std::exp(-2);
  CHECK(top[0]["index"] == 0);
  CHECK(std::abs(top[0]["score"].get<double>() - 1 / s) < 1.0 / 256);  // real numbers again
  // Floats for a quantized input are quantized with its scale and zero point.
  std::vector<float> pixels;
  for (int i = 0; i < 16; ++i) pixels.insert(pixels.end(), {11.2f, 9.8f, 9.f});
  const std::string npy =
      folder.write("x.npy", webnn::tool::npy_of({webnn::float32, {4, 4, 3}}, bytes(pixels)));
  const Outcome same = webnn_command({"run", model, "--input", npy, "--top-k", "3", "--json"});
  REQUIRE(same.code == 0);
  CHECK(contains(same.json()["inputs"][0]["from"], "quantized"));
  CHECK(same.json()["outputs"][0]["top"] == output["top"]);
}

TEST_CASE("run: several inputs and outputs, .npy and raw") {
  const Folder folder;
  const std::string model = two_inputs_model(folder);
  const std::vector<float> a = {1, 2, 3, 4, 5, 6};
  const std::vector<std::int32_t> b = {10, 20, 30, 40, 50, 60};
  const std::string x = folder.write("a.raw", bytes(a));
  const std::string y =
      folder.write("b.npy", webnn::tool::npy_of({webnn::int32, {2, 3}}, bytes(b)));
  Outcome o = webnn_command({"run", model, "--input", "a=" + x, "--input", "b=" + y, "--output",
                             "sum=" + folder.path("s.bin"), "--output-dir", folder.path("all")});
  REQUIRE(o.code == 0);
  CHECK(floats(folder.read("s.bin")) == std::vector<float>{11, 22, 33, 44, 55, 66});
  const std::string product = folder.read("all/product.npy");
  const auto p = webnn::tool::parse_npy(std::as_bytes(std::span(product)), "p");
  CHECK(p.at(5) == 360);
  CHECK(p.shape == std::vector<std::uint64_t>{2, 3});
  o = webnn_command({"run", model, "--input", "a=" + x, "--input", "b=" + y, "--output", "sum=-"});
  CHECK(floats(o.out) == std::vector<float>{11, 22, 33, 44, 55, 66});

  const auto refused = [&](std::vector<std::string> more, int code, const char* part) {
    more.insert(more.begin(), {"run", model});
    const Outcome r = webnn_command(more);
    INFO(r.err);
    CHECK(r.code == code);
    CHECK(contains(r.err, part));
  };
  refused({"--input", x}, 2, "say for which input, as in NAME=FILE; the model has \"a\", \"b\"");
  refused({"--input", "c=" + x}, 2, "there is no input of that name");
  refused({"--input", "a=" + x, "--input", "a=" + x}, 2, "is given more than once");
  refused({"--input", "a="}, 2, "there is no file name");
  refused({"--output", "z=" + x}, 2, "the model has \"sum\", \"product\"");
  refused({"--output", "sum=/no/such/folder/x"}, 1, "cannot be written");
  refused({"--output", "sum=-", "--json"}, 2, "mixed");
  refused({"--input", "a=" + folder.write("short", std::string("x"))}, 1, "its size (1) is not");
  refused({"--input", "a=" + folder.path("")}, 1, "is not a regular file");
  const std::vector<float> four(4);
  refused({"--input", "a=" + folder.write("c.npy", webnn::tool::npy_of({webnn::float32, {2, 2}},
                                                                       bytes(four)))},
          1, "its shape [2, 2] is not that of the input, [2, 3]");
  refused({"--labels", folder.path("none")}, 1, "there is no such file");
  refused({"--top-k", "0"}, 2, "--top-k");
}

TEST_CASE("run: random inputs are those of the seed") {
  const Folder folder;
  const std::string model = two_inputs_model(folder);
  const auto sum = [&](const std::string& seed, const std::string& threads) {
    const Outcome o =
        webnn_command({"run", model, "--seed", seed, "--threads", threads, "--output", "sum=-"});
    CHECK(o.code == 0);
    return floats(o.out);
  };
  CHECK(sum("1", "1") == sum("1", "2"));
  CHECK(sum("1", "1") != sum("2", "1"));
  for (float v : sum("3", "1")) CHECK(std::abs(v) <= 2);
}

TEST_CASE("run: labels that do not fit are pointed out") {
  const Folder folder;
  const Outcome o = webnn_command(
      {"run", colors_model(folder), "--labels", folder.write("l", std::string("a\x1b[31m\n"))});
  CHECK(o.code == 0);
  CHECK(contains(o.err, "1 label, but output \"probabilities\" has 3 classes"));
  CHECK_FALSE(contains(o.out, "\x1b"));  // nothing in a file reaches the terminal as a command
}

}  // namespace
