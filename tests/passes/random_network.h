// Random image networks: what passes have to keep the value of.
#pragma once

#include <random>

#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {

struct NetworkOptions {
  MLOperandDataType type = float32;  ///< the type of the input and all values: float32 or float16
  bool exact_in_float16 = false;     ///< constants are float16 values, also in float32
  bool decisions = true;             ///< operators whose result jumps: where, argMax, cast
  bool quantized = false;            ///< now and then quantizeLinear and dequantizeLinear
};

class RandomNetwork {
 public:
  RandomNetwork(MLGraphBuilder& builder, std::uint32_t seed, const NetworkOptions& options = {})
      : b_(builder), random_(seed), options_(options) {}

  /// Some operators on an image, and a few of the values as outputs.
  NamedOperands build(int operators) {
    const std::uint32_t channels = 2 + below(6);
    const bool nchw = below(2);
    Image x{b_.input("x", {options_.type, nchw ? Dims{1 + below(2), channels, 9, 7}
                                               : Dims{1 + below(2), 9, 7, channels}}),
            nchw};
    values_.push_back(x);
    for (int i = 0; i < operators; ++i) {
      const Image y = step(values_[values_.size() - 1 - below(below(4) ? 1 : size())]);
      values_.push_back(y);
    }
    NamedOperands outputs;
    const auto output = [&](const MLOperand& y) {
      if (y.record().kind == OperandKind::result)
        outputs.push_back({"y" + std::to_string(outputs.size()), y});
    };
    output(values_.back().x);
    output(values_[below(size())].x);
    output(tail(values_[below(size())]));
    if (outputs.empty()) output(b_.identity(x.x));
    return outputs;
  }

 private:
  struct Image {
    MLOperand x;
    bool nchw;
    std::uint32_t axis() const { return nchw ? 1 : 3; }
    std::uint32_t channels() const { return x.shape()[axis()]; }
    std::uint32_t height() const { return x.shape()[nchw ? 2 : 1]; }
    std::uint32_t width() const { return x.shape()[nchw ? 3 : 2]; }
    MLInputOperandLayout layout() const {
      return nchw ? MLInputOperandLayout::nchw : MLInputOperandLayout::nhwc;
    }
  };

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(values_.size()); }
  MLOperand constant(Dims shape, float low = -0.5f, float high = 0.5f) {
    std::vector<float> v(element_count(shape));
    for (float& f : v) f = low + (high - low) * static_cast<float>(below(1000)) / 999.f;
    if (options_.type == float16 || options_.exact_in_float16)
      for (float& f : v) f = Float16(f);
    if (options_.type == float32) return b_.constant({float32, std::move(shape)}, v);
    std::vector<Float16> narrow;
    for (float f : v) narrow.push_back(Float16(f));
    return b_.constant({float16, std::move(shape)}, narrow);
  }
  /// A constant that broadcasts to the image.
  MLOperand beside(const Image& i, float low = -0.5f, float high = 0.5f) {
    const std::uint32_t c = i.channels();
    switch (below(6)) {
      case 0: return constant({}, low, high);
      case 1: return constant({1}, low, high);
      case 2: return constant(i.nchw ? Dims{c, 1, 1} : Dims{c}, low, high);
      case 3: return constant(i.nchw ? Dims{1, c, 1, 1} : Dims{1, 1, 1, c}, low, high);
      case 4: return constant({i.x.shape()[3]}, low, high);
      default: return constant(i.x.shape(), low, high);
    }
  }

  Image conv(const Image& i, std::uint32_t groups, std::uint32_t out, std::uint32_t kernel,
             std::uint32_t stride) {
    using enum MLConv2dFilterOperandLayout;
    const std::uint32_t in = i.channels() / groups, pad = kernel / 2;
    const auto layout = std::array{oihw, hwio, ohwi, ihwo}[below(4)];
    const Dims shape = layout == oihw   ? Dims{out, in, kernel, kernel}
                       : layout == hwio ? Dims{kernel, kernel, in, out}
                       : layout == ohwi ? Dims{out, kernel, kernel, in}
                                        : Dims{in, kernel, kernel, out};
    MLConv2dOptions o{.padding = {pad, pad, pad, pad},
                      .strides = {stride, stride},
                      .groups = groups,
                      .inputLayout = i.layout(),
                      .filterLayout = layout};
    if (below(2)) o.bias = constant({out});
    return {b_.conv2d(i.x, constant(shape), o), i.nchw};
  }
  Image conv(const Image& i) {
    const bool depthwise = below(4) == 0;
    return conv(i, depthwise ? i.channels() : 1, depthwise ? i.channels() : 1 + below(8),
                below(2) ? 3 : 1, i.height() > 4 ? 1 + below(2) : 1);
  }

  MLOperand activation(const MLOperand& x) {
    switch (below(9)) {
      case 0: return b_.clamp(x, {.minValue = 0, .maxValue = 6});
      case 1: return b_.sigmoid(x);
      case 2: return b_.hardSwish(x);
      case 3: return b_.leakyRelu(x, {.alpha = 0.125});
      case 4: return b_.tanh(x);
      case 5: return b_.identity(x);
      case 6: return options_.decisions ? b_.cast(x, options_.type) : b_.identity(x);
      case 7: return b_.elu(x);
      default: return b_.relu(x);
    }
  }
  MLOperand transposed(const MLOperand& x, Dims order) {
    if (order == Dims{0, 2, 3, 1}) return b_.transpose(x, {.permutation = {0, 2, 3, 1}});
    return b_.transpose(x, {.permutation = {0, 3, 1, 2}});
  }
  Image other_layout(const Image& i) {
    return {transposed(i.x, i.nchw ? Dims{0, 2, 3, 1} : Dims{0, 3, 1, 2}), !i.nchw};
  }
  /// A value of the same size in the same layout, perhaps through a transposition.
  std::optional<Image> like(const Image& i) {
    for (int tries = 0; tries < 6; ++tries) {
      Image o = values_[below(size())];
      if (o.nchw != i.nchw) o = other_layout(o);
      if (o.x.shape() == i.x.shape()) return o;
    }
    return std::nullopt;
  }

  Image normalized(const Image& i) {
    const std::uint32_t c = i.channels();
    MLBatchNormalizationOptions o{.axis = i.axis(), .epsilon = epsilon};
    if (below(2)) o.scale = constant({c}, 0.5f, 1.5f);
    if (below(2)) o.bias = constant({c});
    return {b_.batchNormalization(i.x, constant({c}), constant({c}, 0.5f, 2.f), o), i.nchw};
  }
  Image padded(const Image& i) {
    Dims begin(4, 0), end(4, 0);
    const std::uint32_t h = i.nchw ? 2 : 1;
    begin[h] = below(2), end[h] = below(3), begin[h + 1] = below(2), end[h + 1] = below(2);
    if (below(3) == 0) begin[i.axis()] = 1;
    const MLNumber value = below(3) == 0 ? MLNumber(0.25) : MLNumber(0);
    const auto mode = below(4) == 0 && i.height() > 2 && i.width() > 1 && i.channels() > 1
                          ? MLPaddingMode::edge
                          : MLPaddingMode::constant;
    return {b_.pad(i.x, begin, end, {.mode = mode, .value = value}), i.nchw};
  }
  Image sliced(const Image& i) {
    Dims starts(4, 0), sizes = i.x.shape();
    const std::uint32_t d = i.nchw ? 2 + below(2) : 1 + below(2);
    if (sizes[d] < 4) return i;
    starts[d] = below(2);
    sizes[d] -= 1 + below(2);
    MLSliceOptions o;
    if (below(3) == 0) {
      Dims strides(4, 1);
      strides[d] = 2;
      o.strides = strides;
    }
    return {b_.slice(i.x, starts, sizes, o), i.nchw};
  }
  Image pooled(const Image& i) {
    if (i.height() < 3 || i.width() < 3) return i;
    const MLPool2dOptions o{.windowDimensions = {2, 2},
                            .padding = {0, 1, 1, 0},
                            .strides = {1 + below(2), 1},
                            .layout = i.layout()};
    switch (below(3)) {
      case 0: return {b_.averagePool2d(i.x, o), i.nchw};
      case 1: return {b_.maxPool2d(i.x, o), i.nchw};
      default: return {b_.l2Pool2d(i.x, o), i.nchw};
    }
  }
  Image joined(const Image& i) {
    const auto o = like(i);
    if (!o) return i;
    return {b_.concat({i.x, o->x, i.x}, below(2) ? i.axis() : below(4)), i.nchw};
  }
  Image halves(const Image& i) {
    if (i.channels() % 2) return i;
    const auto parts = b_.split(i.x, 2, {.axis = i.axis()});
    return {below(2) ? parts[1] : b_.sub(parts[0], parts[1]), i.nchw};
  }
  Image gated(const Image& i) {  // squeeze and excitation
    const MLOperand mean = b_.reduceMean(i.x, {.axes = i.nchw ? OptionalList<std::uint32_t>{2, 3}
                                                              : OptionalList<std::uint32_t>{1, 2},
                                               .keepDimensions = true});
    return {b_.mul(i.x, b_.sigmoid(conv({mean, i.nchw}, 1, i.channels(), 1, 1).x)), i.nchw};
  }
  Image resampled(const Image& i) {
    if (i.height() > 12) return i;
    MLResample2dOptions o{
        .mode = below(2) ? MLInterpolationMode::linear : MLInterpolationMode::nearest_neighbor,
        .scales = {2, 1.5}};
    o.axes = i.nchw ? Dims{2, 3} : Dims{1, 2};
    return {b_.resample2d(i.x, o), i.nchw};
  }
  Image chosen(const Image& i) {
    const auto o = like(i);
    if (!o) return i;
    if (!options_.decisions) return {b_.max(i.x, o->x), i.nchw};
    return {b_.where(b_.greater(i.x, o->x), i.x, b_.neg(o->x)), i.nchw};
  }
  Image upsampled(const Image& i) {
    if (i.height() > 9) return i;
    const std::uint32_t out = 1 + below(4);
    return {b_.convTranspose2d(i.x, constant({i.channels(), out, 2, 2}),
                               {.strides = {2, 1}, .inputLayout = i.layout()}),
            i.nchw};
  }

  /// Quantizes as in quantized networks: between the two there may be operators that move elements.
  Image quantized(const Image& i) {
    const MLOperand scale = b_.constant({float32, {1, 1, 1, 1}}, {below(2) ? 0.0625f : 0.05f});
    const MLOperand zero = b_.constant({int8, {1, 1, 1, 1}}, {std::int8_t(below(5))});
    const auto with = [&](const MLOperand& x) {
      return b_.dequantizeLinear(b_.quantizeLinear(x, scale, zero), scale, zero);
    };
    const Image x{with(i.x), i.nchw};
    switch (below(4)) {
      case 0: return {with(pooled(x).x), i.nchw};
      case 1: return {with(sliced(x).x), i.nchw};
      case 2: return {with(padded(x).x), i.nchw};
      default: {
        const Image y = other_layout(x);
        return {with(y.x), y.nchw};
      }
    }
  }

  Image step(const Image& i) {
    if (options_.quantized && below(3) == 0) return quantized(i);
    switch (below(22)) {
      case 0:
      case 1:
      case 2:
      case 3: return conv(i);
      case 4:
      case 5: return {activation(i.x), i.nchw};
      case 6: return other_layout(i);
      case 7: {
        const auto o = like(i);
        return o ? Image{b_.add(i.x, o->x), i.nchw} : conv(i);
      }
      case 8: return {b_.add(beside(i), i.x), i.nchw};
      case 9: return {b_.mul(i.x, beside(i)), i.nchw};
      case 10: return {b_.div(b_.sub(i.x, beside(i)), beside(i, 0.5f, 2.f)), i.nchw};
      case 11: return normalized(below(2) ? conv(i) : i);
      case 12: return padded(i);
      case 13: return conv(padded(i));
      case 14: return sliced(i);
      case 15: return pooled(i);
      case 16: return joined(i);
      case 17: return halves(i);
      case 18: return gated(i);
      case 19: return below(2) ? resampled(i) : upsampled(i);
      case 20: return chosen(i);
      default:
        return {b_.instanceNormalization(i.x, {.epsilon = epsilon, .layout = i.layout()}), i.nchw};
    }
  }
  /// Flattened, perhaps in the other layout, and multiplied; or multiplied row by row.
  MLOperand product(Image i) {
    const std::uint32_t out = 1 + below(5);
    MLOperand y;
    if (below(2)) {
      if (below(2)) i = other_layout(i);
      const std::uint32_t rows = i.x.shape()[0];
      const auto depth = static_cast<std::uint32_t>(element_count(i.x.shape())) / rows;
      const bool turned = below(2);
      y = b_.gemm(b_.reshape(i.x, {rows, depth}),
                  constant(turned ? Dims{out, depth} : Dims{depth, out}), {.bTranspose = turned});
    } else {
      const std::uint32_t depth = i.x.shape()[3];
      const MLOperand one = constant(below(2) ? Dims{depth, out} : Dims{1, 1, depth, out});
      y = b_.matmul(i.x, below(3) ? one : constant({1, i.x.shape()[1], depth, out}));
    }
    if (below(2)) {
      const auto count = static_cast<std::uint32_t>(element_count(y.shape()));
      y = b_.reshape(y, {count / out, 1, out});
    }
    if (below(4) == 0) return b_.relu(y);
    const MLOperand c = constant(std::array{Dims{}, Dims{out}, Dims{1, out}}[below(3)]);
    return below(2) ? b_.add(y, c) : b_.relu(b_.add(c, y));
  }
  MLOperand tail(const Image& i) {
    switch (below(9)) {
      case 0: return b_.softmax(i.x, below(4));
      case 1: return b_.reduceMax(i.x, {.axes = {below(4)}});
      case 2:
        return b_.softmax(b_.reduceMean(i.x, {.axes = i.nchw ? OptionalList<std::uint32_t>{2, 3}
                                                             : OptionalList<std::uint32_t>{1, 2}}),
                          1);
      case 3:
        return b_.reduceSum(b_.relu(i.x), {.axes = {3, 0, below(2) + 1}, .keepDimensions = true});
      case 4:
        if (!options_.decisions) return b_.reduceMin(i.x, {.axes = {i.axis()}});
        return b_.argMax(i.x, i.axis(), {.outputDataType = int32});
      case 5:
      case 6:
      case 7: return product(i);
      default: {
        const auto count = static_cast<std::uint32_t>(element_count(i.x.shape()));
        return b_.reshape(b_.prelu(i.x, beside(i)), {count});
      }
    }
  }

  static constexpr double epsilon = 0x1p-16;  // a float16 value

  MLGraphBuilder& b_;
  std::mt19937 random_;
  NetworkOptions options_;
  std::vector<Image> values_{};
};

}  // namespace webnn::inline v0_1::test
