#include "bench/networks/unet.h"

namespace webnn::inline v0_1::bench {
namespace {

class Network {
 public:
  Network(MLGraphBuilder& builder, MLInputOperandLayout layout, std::uint32_t seed,
          const WeightSink& sink)
      : b_(builder), layout_(layout), weights_(builder, seed, sink) {}

  MLOperand build(const MLDimension& height, const MLDimension& width) {
    constexpr std::uint32_t levels = 4, first = 32;
    MLOperand x = b_.input("input", {float32, nhwc() ? MLDimensions{1, height, width, 3}
                                                     : MLDimensions{1, 3, height, width}});
    std::uint32_t channels = 3;
    std::vector<MLOperand> skipped;
    for (std::uint32_t i = 0; i < levels; ++i) {
      x = pair("down" + std::to_string(i), x, channels, first << i);
      channels = first << i;
      skipped.push_back(x);
      x = b_.maxPool2d(x,
                       {.windowDimensions = Dims{2, 2}, .strides = Dims{2, 2}, .layout = layout_});
    }
    x = pair("bottom", x, channels, first << levels);
    for (std::uint32_t i = levels; i-- > 0;) {
      const std::string name = "up" + std::to_string(i);
      x = up(name, x, first << (i + 1), first << i);
      x = b_.concat({skipped[i], x}, nhwc() ? 3 : 1);
      x = pair(name, x, first << (i + 1), first << i);
    }
    return conv("maps", x, first, 2, 1);
  }

 private:
  bool nhwc() const { return layout_ == MLInputOperandLayout::nhwc; }

  MLOperand pair(const std::string& name, const MLOperand& x, std::uint32_t in, std::uint32_t out) {
    return b_.relu(conv(name + ".1", b_.relu(conv(name + ".0", x, in, out, 3)), out, out, 3));
  }
  MLOperand conv(const std::string& name, const MLOperand& x, std::uint32_t in, std::uint32_t out,
                 std::uint32_t kernel) {
    const std::uint32_t pad = kernel / 2;
    const MLOperand w =
        weights_.filter(name + ".weight", {out, in, kernel, kernel}, in * kernel * kernel);
    return b_.conv2d(x, w,
                     {.padding = {pad, pad, pad, pad},
                      .inputLayout = layout_,
                      .bias = weights_.between(name + ".bias", {out}, -0.1f, 0.1f),
                      .label = name});
  }
  MLOperand up(const std::string& name, const MLOperand& x, std::uint32_t in, std::uint32_t out) {
    const MLOperand w = weights_.filter(name + ".up.weight", {in, out, 2, 2}, in);
    return b_.convTranspose2d(x, w,
                              {.strides = {2, 2},
                               .inputLayout = layout_,
                               .bias = weights_.between(name + ".up.bias", {out}, -0.1f, 0.1f),
                               .label = name});
  }

  MLGraphBuilder& b_;
  const MLInputOperandLayout layout_;
  Weights weights_;
};

}  // namespace

MLOperand unet(MLGraphBuilder& builder, MLInputOperandLayout layout, std::uint32_t seed,
               const WeightSink& sink, const MLDimension& height, const MLDimension& width) {
  return Network(builder, layout, seed, sink).build(height, width);
}

}  // namespace webnn::inline v0_1::bench
