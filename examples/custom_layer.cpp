// Custom layers are functions: squeeze-and-excitation for images, and the feed-forward block
// of newer language models, RMSNorm and SwiGLU, composed of WebNN's operators.
#include <webnn/fluent.h>
#include <webnn/webnn.h>

#include <array>
#include <cmath>
#include <cstdio>

using namespace webnn;

namespace {

/// Hu et al. 2017: each channel of x [N, C, H, W] is weighed by a function of the means of all
/// channels. down is [C, C/r], up is [C/r, C].
MLOperand squeeze_excitation(const MLOperand& x, const MLOperand& down, const MLOperand& up) {
  MLGraphBuilder b = builder_of(x);
  const MLOperand squeezed = b.reduceMean(x, {.axes = {2, 3}});  // [N, C]
  const MLOperand weights = b.sigmoid(b.matmul(b.relu(b.matmul(squeezed, down)), up));
  return x * b.reshape(weights, {x.shape()[0], x.shape()[1], 1, 1});
}

/// Zhang and Sennrich 2019: x / sqrt(mean(x^2) + epsilon) * scale, over the last dimension.
MLOperand rms_norm(const MLOperand& x, const MLOperand& scale, float epsilon = 1e-6f) {
  MLGraphBuilder b = builder_of(x);
  const std::uint32_t last = x.rank() - 1;
  const MLOperand mean = b.reduceMean(x * x, {.axes = {last}, .keepDimensions = true});
  return x / b.sqrt(mean + epsilon) * scale;
}

/// Shazeer 2020: (silu(x gate) * (x up)) down.
MLOperand swiglu(const MLOperand& x, const MLOperand& gate, const MLOperand& up,
                 const MLOperand& down) {
  MLGraphBuilder b = builder_of(x);
  const MLOperand g = b.matmul(x, gate);
  return b.matmul(g * b.sigmoid(g) * b.matmul(x, up), down);
}

}  // namespace

int main() {
  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand image = b.input("image", {float32, {1, 2, 2, 2}});
  const MLOperand excited = squeeze_excitation(image, b.constant({float32, {2, 1}}, {1.f, 1.f}),
                                               b.constant({float32, {1, 2}}, {2.f, -2.f}));
  const MLOperand token = b.input("token", {float32, {1, 2}});
  const MLOperand normal = rms_norm(token, b.constant({float32, {2}}, {1.f, 1.f}));
  const MLOperand one = b.constant({float32, {2, 2}}, {1.f, 0.f, 0.f, 1.f});
  const MLGraph graph =
      b.build({{"excited", excited}, {"y", token + swiglu(normal, one, one, one)}});

  const std::array<float, 8> pixels = {0, 1, 2, 1, 4, 4, 4, 4};
  const std::array<float, 2> word = {3, 4};
  std::array<float, 8> out;
  std::array<float, 2> y;
  context.compute(graph, {{"image", pixels}, {"token", word}}, {{"excited", out}, {"y", y}});

  // With numbers: means 1 and 4; norm of the word sqrt(12.5).
  const float s = 1 / (1 + std::exp(-10.f)), n = 4 / std::sqrt(12.5f);
  std::printf("excited %.4f, by hand %.4f\n", out[2], 2 * s);
  std::printf("feed-forward %.4f, by hand %.4f\n", y[1], 4 + n * n / (1 + std::exp(-n)));
}
