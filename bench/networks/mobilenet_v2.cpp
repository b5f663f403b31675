#include "bench/networks/mobilenet_v2.h"

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
    x = relu6(conv("stem", x, 3, 32, 3, 2));
    struct Stage {
      std::uint32_t expand, out, count, stride;
    };
    std::uint32_t channels = 32, index = 0;
    for (const Stage s :
         {Stage{1, 16, 1, 1}, Stage{6, 24, 2, 2}, Stage{6, 32, 3, 2}, Stage{6, 64, 4, 2},
          Stage{6, 96, 3, 1}, Stage{6, 160, 3, 2}, Stage{6, 320, 1, 1}})
      for (std::uint32_t i = 0; i < s.count; ++i) {
        x = block("block" + std::to_string(++index), x, channels, s.out, s.expand,
                  i ? 1 : s.stride);
        channels = s.out;
      }
    x = relu6(conv("last", x, channels, 1280, 1, 1));
    x = b_.averagePool2d(x, {.layout = layout_, .label = "pool"});
    const MLOperand w = weights_.filter("classes.weight", {1000, 1280}, 2 * 1280);
    const MLOperand c = weights_.between("classes.bias", {1000}, -0.1f, 0.1f);
    return b_.gemm(b_.reshape(x, {1, 1280}), w, {.c = c, .bTranspose = true, .label = "classes"});
  }

 private:
  MLOperand block(const std::string& name, const MLOperand& from, std::uint32_t in,
                  std::uint32_t out, std::uint32_t expand, std::uint32_t stride) {
    const std::uint32_t middle = in * expand;
    MLOperand x = from;
    if (expand > 1) x = relu6(conv(name + ".expand", x, in, middle, 1, 1));
    x = relu6(conv(name + ".depthwise", x, middle, middle, 3, stride, middle));
    x = conv(name + ".project", x, middle, out, 1, 1);
    return stride == 1 && in == out ? b_.add(x, from, {.label = name}) : x;
  }

  MLOperand relu6(const MLOperand& x) { return b_.clamp(x, {.minValue = 0, .maxValue = 6}); }

  MLOperand conv(const std::string& name, const MLOperand& x, std::uint32_t in, std::uint32_t out,
                 std::uint32_t kernel, std::uint32_t stride, std::uint32_t groups = 1) {
    const std::uint32_t pad = kernel / 2, inputs = in / groups;
    const MLOperand w =
        weights_.filter(name + ".weight", {out, inputs, kernel, kernel}, inputs * kernel * kernel);
    return b_.conv2d(x, w,
                     {.padding = {pad, pad, pad, pad},
                      .strides = {stride, stride},
                      .groups = groups,
                      .inputLayout = layout_,
                      .bias = weights_.between(name + ".bias", {out}, -0.1f, 0.1f),
                      .label = name});
  }

  MLGraphBuilder& b_;
  const MLInputOperandLayout layout_;
  Weights weights_;
};

}  // namespace

MLOperand mobilenet_v2(MLGraphBuilder& builder, MLInputOperandLayout layout, std::uint32_t seed,
                       const WeightSink& sink, const MLDimension& height,
                       const MLDimension& width) {
  return Network(builder, layout, seed, sink).build(height, width);
}

}  // namespace webnn::inline v0_1::bench
