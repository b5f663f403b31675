#include "bench/networks/style_transfer.h"

namespace webnn::inline v0_1::bench {
namespace {

class Network {
 public:
  Network(MLGraphBuilder& builder, MLInputOperandLayout layout, Upsampling upsampling,
          std::uint32_t seed, const WeightSink& sink)
      : b_(builder), layout_(layout), upsampling_(upsampling), weights_(builder, seed, sink) {}

  MLOperand build() {
    constexpr std::uint32_t side = 224;
    MLOperand x =
        b_.input("input", {float32, nhwc() ? Dims{1, side, side, 3} : Dims{1, 3, side, side}});
    x = b_.relu(normalized("first", conv("first", x, 3, 32, 9), 32));
    x = b_.relu(normalized("down0", conv("down0", x, 32, 64, 3, 2), 64));
    x = b_.relu(normalized("down1", conv("down1", x, 64, 128, 3, 2), 128));
    for (int i = 0; i < 5; ++i) x = residual("block" + std::to_string(i), x, 128);
    x = b_.relu(normalized("up0", up("up0", x, 128, 64), 64));
    x = b_.relu(normalized("up1", up("up1", x, 64, 32), 32));
    return conv("last", x, 32, 3, 9);
  }

 private:
  bool nhwc() const { return layout_ == MLInputOperandLayout::nhwc; }

  MLOperand residual(const std::string& name, const MLOperand& from, std::uint32_t channels) {
    MLOperand x = from;
    x = b_.relu(normalized(name + ".0", conv(name + ".0", x, channels, channels, 3), channels));
    x = normalized(name + ".1", conv(name + ".1", x, channels, channels, 3), channels);
    return b_.add(x, from);
  }
  MLOperand conv(const std::string& name, const MLOperand& x, std::uint32_t in, std::uint32_t out,
                 std::uint32_t kernel, std::uint32_t stride = 1) {
    const std::uint32_t p = kernel / 2;
    const Dims padding = nhwc() ? Dims{0, p, p, 0} : Dims{0, 0, p, p};
    const MLOperand w =
        weights_.filter(name + ".weight", {out, in, kernel, kernel}, in * kernel * kernel);
    return b_.conv2d(b_.pad(x, padding, padding, {.mode = MLPaddingMode::reflection}), w,
                     {.strides = {stride, stride},
                      .inputLayout = layout_,
                      .bias = weights_.between(name + ".bias", {out}, -0.1f, 0.1f),
                      .label = name});
  }
  MLOperand normalized(const std::string& name, const MLOperand& x, std::uint32_t channels) {
    return b_.instanceNormalization(
        x, {.scale = weights_.between(name + ".scale", {channels}, 0.5f, 1.5f),
            .bias = weights_.between(name + ".shift", {channels}, -0.1f, 0.1f),
            .layout = layout_,
            .label = name});
  }
  MLOperand up(const std::string& name, const MLOperand& x, std::uint32_t in, std::uint32_t out) {
    if (upsampling_ == Upsampling::nearest)
      return conv(name,
                  b_.resample2d(x, {.scales = {2, 2}, .axes = nhwc() ? Dims{1, 2} : Dims{2, 3}}),
                  in, out, 3);
    const MLOperand w = weights_.filter(name + ".weight", {in, out, 3, 3}, in * 9 / 4);
    return b_.convTranspose2d(x, w,
                              {.padding = {1, 1, 1, 1},
                               .strides = {2, 2},
                               .outputPadding = {1, 1},
                               .inputLayout = layout_,
                               .bias = weights_.between(name + ".bias", {out}, -0.1f, 0.1f),
                               .label = name});
  }

  MLGraphBuilder& b_;
  const MLInputOperandLayout layout_;
  const Upsampling upsampling_;
  Weights weights_;
};

}  // namespace

MLOperand style_transfer(MLGraphBuilder& builder, MLInputOperandLayout layout,
                         Upsampling upsampling, std::uint32_t seed, const WeightSink& sink) {
  return Network(builder, layout, upsampling, seed, sink).build();
}

}  // namespace webnn::inline v0_1::bench
