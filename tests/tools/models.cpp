#include "tests/tools/models.h"

#include "webnn/tflite.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {
namespace {

MLContext context() { return MLContext({.threads = 1, .backends = {"reference"}}); }
constexpr auto nhwc = MLInputOperandLayout::nhwc;
constexpr auto ohwi = MLConv2dFilterOperandLayout::ohwi;

MLGraph colors(float weight) {
  MLGraphBuilder b(context());
  const MLOperand x = b.input("pixels", {float32, {1, 4, 4, 3}});
  const MLOperand w =
      b.constant({float32, {3, 1, 1, 3}}, {weight, 0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f});
  const MLOperand bias = b.constant({float32, {3}}, {0.5f, 0.5f, 0.5f});
  const MLOperand y = b.relu(
      b.conv2d(x, w, {.inputLayout = nhwc, .filterLayout = ohwi, .bias = bias, .label = "stem"}));
  const MLOperand means = b.reduceMean(y, {.axes = {1, 2}, .label = "means"});
  const MLOperand m =
      b.constant({float32, {3, 3}}, {0.1f, 0.f, 0.f, 0.f, 0.1f, 0.f, 0.f, 0.f, 0.1f});
  return b.build({{"probabilities", b.softmax(b.matmul(means, m), 1)}});
}

std::string write(const Folder& folder, const std::string& name, const MLGraph& graph) {
  return folder.write(name, tflite::export_model(graph));
}

}  // namespace

std::vector<std::byte> colors_bytes() { return tflite::export_model(colors(1)); }
std::string colors_model(const Folder& folder, const std::string& name) {
  return write(folder, name, colors(1));
}
std::string other_colors_model(const Folder& folder) {
  return write(folder, "other.tflite", colors(1.5f));
}

std::string quantized_colors_model(const Folder& folder) {
  MLGraphBuilder b(context());
  const auto scale = [&](float v, std::size_t rank) {
    return b.constant({float32, Dims(rank, 1)}, {v});
  };
  const auto zero = [&](std::uint8_t v, std::size_t rank) {
    return b.constant({uint8, Dims(rank, 1)}, {v});
  };
  const MLOperand x = b.input("pixels", {uint8, {1, 4, 4, 3}});
  const MLOperand real = b.dequantizeLinear(x, scale(1, 4), zero(0, 4));
  const MLOperand means =
      b.quantizeLinear(b.averagePool2d(real, {.windowDimensions = Dims{4, 4}, .layout = nhwc}),
                       scale(1, 4), zero(0, 4));
  const MLOperand row = b.dequantizeLinear(b.reshape(means, {1, 3}), scale(1, 2), zero(0, 2));
  return write(folder, "quantized.tflite",
               b.build({{"probabilities",
                         b.quantizeLinear(b.softmax(row, 1), scale(1.f / 256, 2), zero(0, 2))}}));
}

std::string product_model(const Folder& folder) {
  MLGraphBuilder b(context());
  std::vector<float> w(64 * 96);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i * 37 % 101) * 0.01f - 0.5f;
  return write(folder, "product.tflite",
               b.build({{"y", b.gemm(b.input("x", {float32, {1, 64}}),
                                     b.constant({float32, {96, 64}}, w), {.bTranspose = true})}}));
}

std::string doubling_model(const Folder& folder, const std::string& name,
                           const std::vector<std::uint32_t>& shape) {
  MLGraphBuilder b(context());
  const MLOperand x = b.input("x", {float32, Dims(shape.begin(), shape.end())});
  return write(folder, name, b.build({{"y", b.mul(x, b.constant({float32, {1}}, {2.f}))}}));
}

std::vector<std::byte> chain_bytes(const std::vector<std::uint32_t>& shape, int length) {
  MLGraphBuilder b(context());
  const MLOperand x = b.input("x", {float32, Dims(shape.begin(), shape.end())});
  MLOperand y = x;
  for (int i = 0; i < length; ++i) y = i % 2 ? b.softmax(y, 3) : b.tanh(y);
  return tflite::export_model(b.build({{"y", y}}));
}
std::string chain_model(const Folder& folder, const std::vector<std::uint32_t>& shape, int length) {
  return folder.write("chain.tflite", chain_bytes(shape, length));
}

std::string hostile_names_model(const Folder& folder) {
  MLGraphBuilder b(context());
  const MLOperand x = b.input("</script><img src=x onerror=alert(1)>\"'", {float32, {2}});
  return write(folder, "hostile.tflite", b.build({{"]]>--></SCRIPT>&amp;", b.relu(x)}}));
}

std::string two_inputs_model(const Folder& folder) {
  MLGraphBuilder b(context());
  const MLOperand x = b.input("a", {float32, {2, 3}}), y = b.input("b", {float32, {2, 3}});
  return write(folder, "two.tflite", b.build({{"sum", b.add(x, y)}, {"product", b.mul(x, y)}}));
}

std::string bmp(const Folder& folder, const std::string& name, int width, int height, int red,
                int green, int blue) {
  const int row = (3 * width + 3) / 4 * 4;
  std::string s(static_cast<std::size_t>(54 + row * height), '\0');
  const auto put = [&](std::size_t at, int value) {
    for (std::size_t i = 0; i < 4; ++i) s[at + i] = static_cast<char>(value >> 8 * i & 255);
  };
  s[0] = 'B';
  s[1] = 'M';
  put(2, static_cast<int>(s.size()));
  put(10, 54);
  put(14, 40);
  put(18, width);
  put(22, height);
  s[26] = 1;
  s[28] = 24;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const auto at = static_cast<std::size_t>(54 + y * row + 3 * x);
      s[at] = static_cast<char>(blue);
      s[at + 1] = static_cast<char>(green);
      s[at + 2] = static_cast<char>(red);
    }
  return folder.write(name, s);
}

}  // namespace webnn::inline v0_1::test
