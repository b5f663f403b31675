#include "bench/networks/resnet.h"

namespace webnn::inline v0_1::bench {
namespace {

class Network {
 public:
  Network(MLGraphBuilder& builder, MLInputOperandLayout layout, std::uint32_t seed,
          const WeightSink& sink)
      : b_(builder), layout_(layout), weights_(builder, seed, sink) {}

  MLOperand build(const MLDimension& height, const MLDimension& width) {
    const bool nhwc = layout_ == MLInputOperandLayout::nhwc;
    const MLDimensions shape =
        nhwc ? MLDimensions{1, height, width, 3} : MLDimensions{1, 3, height, width};
    MLOperand x = b_.input("input", {float32, shape});
    x = b_.relu(conv("stem", x, 3, 64, 7, 2));
    x = b_.maxPool2d(x, {.windowDimensions = Dims{3, 3},
                         .padding = {1, 1, 1, 1},
                         .strides = {2, 2},
                         .layout = layout_});
    std::uint32_t channels = 64, index = 0, out = 256, stride = 1;
    for (const std::uint32_t blocks : {3u, 4u, 6u, 3u}) {
      for (std::uint32_t i = 0; i < blocks; ++i) {
        x = block("block" + std::to_string(index++), x, channels, out, i ? 1 : stride);
        channels = out;
      }
      out *= 2;
      stride = 2;
    }
    x = b_.averagePool2d(x, {.layout = layout_});
    return b_.gemm(
        b_.reshape(x, {1, channels}),
        weights_.filter("classes.weight", {1000, channels}, 2 * channels),
        {.c = weights_.between("classes.bias", {1000}, -0.1f, 0.1f), .bTranspose = true});
  }

 private:
  MLOperand block(const std::string& name, const MLOperand& from, std::uint32_t in,
                  std::uint32_t out, std::uint32_t stride) {
    const std::uint32_t middle = out / 4;
    MLOperand x = b_.relu(conv(name + ".0", from, in, middle, 1, 1));
    x = b_.relu(conv(name + ".1", x, middle, middle, 3, stride));
    x = conv(name + ".2", x, middle, out, 1, 1);
    return b_.relu(b_.add(x, in == out ? from : conv(name + ".skip", from, in, out, 1, stride)));
  }
  MLOperand conv(const std::string& name, const MLOperand& x, std::uint32_t in, std::uint32_t out,
                 std::uint32_t kernel, std::uint32_t stride) {
    const std::uint32_t pad = kernel / 2, terms = in * kernel * kernel;
    return b_.conv2d(x, weights_.filter(name + ".weight", {out, in, kernel, kernel}, 2 * terms),
                     {.padding = {pad, pad, pad, pad},
                      .strides = {stride, stride},
                      .inputLayout = layout_,
                      .bias = weights_.between(name + ".bias", {out}, -0.1f, 0.1f),
                      .label = name});
  }

  MLGraphBuilder& b_;
  const MLInputOperandLayout layout_;
  Weights weights_;
};

}  // namespace

MLOperand resnet50(MLGraphBuilder& builder, MLInputOperandLayout layout, std::uint32_t seed,
                   const WeightSink& sink, const MLDimension& height, const MLDimension& width) {
  return Network(builder, layout, seed, sink).build(height, width);
}

}  // namespace webnn::inline v0_1::bench
