// Random quantized networks whose scales are powers of two: then every sum of floats is exact, and
// integers must give the same bits.
#pragma once

#include <cmath>
#include <optional>
#include <random>

#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {

class QuantizedNetwork {
 public:
  QuantizedNetwork(MLGraphBuilder& b, std::uint32_t seed) : b_(b), random_(seed) {
    nhwc_ = chance(0.5);
  }

  /// "x" is int8 or uint8; outputs are integers, and sometimes floats.
  NamedOperands build(int operators) {
    const std::uint32_t channels = one_of({3, 8, 16, 20});
    Value x{.scale = 0.25f, .zero = 0, .type = chance(0.5) ? int8 : uint8};
    x.zero = zero(x.type);
    x.x = b_.input("x", {x.type, nhwc_ ? Dims{1, 8, 6, channels} : Dims{1, channels, 8, 6}});
    values_.push_back(x);
    for (int i = 0; i < operators; ++i) add_operator();
    NamedOperands outputs{{"y", values_.back().x}};
    if (outputs[0].operand.is(x.x)) outputs[0].operand = b_.identity(x.x);
    for (std::size_t i = 1; i + 1 < values_.size(); ++i)
      if (chance(0.1)) outputs.push_back({"y" + std::to_string(i), values_[i].x});
    for (std::size_t i = 1; i < values_.size(); ++i)
      if (chance(0.1)) outputs.push_back({"r" + std::to_string(i), b_.neg(real(values_[i]))});
    if (values_.back().real && chance(0.2)) outputs.push_back({"d", *values_.back().real});
    return outputs;
  }

 private:
  struct Value {
    MLOperand x{};
    float scale = 1;
    int zero = 0;
    MLOperandDataType type = int8;
    std::optional<MLOperand> real{};
  };

  bool chance(double p) { return std::bernoulli_distribution(p)(random_); }
  std::uint32_t one_of(std::initializer_list<std::uint32_t> all) {
    return all.begin()[random_() % all.size()];
  }
  int zero(MLOperandDataType type) {
    return std::uniform_int_distribution(type == int8 ? -20 : 100,
                                         type == int8 ? 20 : 150)(random_);
  }
  template <class T> MLOperand constant(MLOperandDataType type, Dims shape, std::vector<T> values) {
    return b_.constant({type, std::move(shape)}, InputView(values));
  }
  MLOperand one(MLOperandDataType type, std::size_t rank, int value) {
    if (type == int32) return constant(type, Dims(rank, 1), std::vector<std::int32_t>{value});
    return constant(type, Dims(rank, 1),
                    std::vector<std::uint8_t>{static_cast<std::uint8_t>(value)});
  }
  MLOperand scale(std::size_t rank, float s) {
    return constant(float32, Dims(rank, 1), std::vector<float>{s});
  }

  /// Perhaps the dequantizeLinear that somebody reads already.
  MLOperand real(Value& v) {
    if (v.real && chance(0.5)) return *v.real;
    const std::size_t rank = v.x.rank();
    v.real = b_.dequantizeLinear(v.x, scale(rank, v.scale), one(v.type, rank, v.zero));
    return *v.real;
  }
  void quantize(const MLOperand& x, float s, bool same_type = false) {
    const MLOperandDataType type = same_type || chance(0.5) ? int8 : uint8;
    Value v{.scale = s, .zero = zero(type), .type = type};
    v.x = b_.quantizeLinear(x, scale(x.rank(), s), one(type, x.rank(), v.zero));
    values_.push_back(v);
  }
  Value& any() { return values_[random_() % values_.size()]; }
  Value& image() { return values_.back().x.rank() == 4 ? values_.back() : values_.front(); }
  std::size_t channel_axis() const { return nhwc_ ? 3 : 1; }

  MLOperand activated(const MLOperand& x) {
    switch (random_() % 6) {
      case 0: return b_.relu(x);
      case 1: return b_.clamp(x, {.minValue = 0, .maxValue = 6});
      case 2: return b_.clamp(x, {.minValue = -2.3, .maxValue = 9.1});
      default: return x;
    }
  }

  void convolution() {
    Value& v = image();
    const std::uint32_t in = v.x.shape()[channel_axis()];
    const bool depthwise = chance(0.4);
    const std::uint32_t out = depthwise ? in : one_of({4, 16, 33, 64});
    const std::uint32_t kernel = one_of({1, 3}), pad = kernel / 2 * one_of({0, 1, 1});
    const std::uint32_t height = v.x.shape()[nhwc_ ? 1 : 2], width = v.x.shape()[nhwc_ ? 2 : 3];
    if (std::min(height, width) + 2 * pad < kernel) return;
    const std::uint32_t stride = one_of({1, 1, 2});
    const auto type = chance(0.5) ? int8 : uint8;
    const bool per_channel = chance(0.5);
    const int middle = type == int8 ? one_of({0, 0, 5}) : static_cast<int>(one_of({128, 120}));
    std::vector<std::uint8_t> w(std::size_t{out} * kernel * kernel * (depthwise ? 1 : in));
    for (auto& e : w) e = static_cast<std::uint8_t>(middle + static_cast<int>(random_() % 41) - 20);
    const Dims shape{out, depthwise ? 1 : in, kernel, kernel}, each{per_channel ? out : 1, 1, 1, 1};
    std::vector<float> scales(each[0]);
    for (auto& s : scales) s = std::ldexp(1.f, -static_cast<int>(random_() % 3) - 3);
    const MLOperand filter = b_.dequantizeLinear(
        constant(type, shape, w), constant(float32, each, scales),
        constant(type, each,
                 std::vector<std::uint8_t>(each[0], static_cast<std::uint8_t>(middle))));
    MLConv2dOptions o{
        .padding = {pad, pad, pad, pad},
        .strides = {stride, stride},
        .groups = depthwise ? in : 1,
        .inputLayout = nhwc_ ? MLInputOperandLayout::nhwc : MLInputOperandLayout::nchw};
    if (chance(0.7)) {
      std::vector<std::int32_t> bias(out);
      for (auto& e : bias) e = static_cast<std::int32_t>(random_() % 401) - 200;
      for (auto& s : scales) s *= v.scale;
      o.bias =
          b_.dequantizeLinear(constant(int32, {out}, bias), constant(float32, {each[0]}, scales),
                              constant(int32, {each[0]}, std::vector<std::int32_t>(each[0])));
    }
    quantize(activated(b_.conv2d(real(v), filter, o)), 1);
  }

  void sum() {
    Value &a = values_.back(), &c = any();
    if (a.x.shape() != c.x.shape()) return;
    const MLOperand x = real(a), z = real(c);
    switch (random_() % 3) {
      case 0: return quantize(activated(b_.add(x, z)), 0.5f);
      case 1: return quantize(activated(b_.sub(x, z)), 1);
      default: return quantize(b_.mul(x, z), 4);
    }
  }

  void function() {
    Value& v = values_.back();
    const MLOperand x = real(v);
    switch (random_() % 4) {
      case 0: return quantize(b_.relu(x), v.scale);
      case 1: return quantize(b_.leakyRelu(x, {.alpha = 0.5}), v.scale);
      case 2: return quantize(b_.neg(b_.clamp(x, {.minValue = -3, .maxValue = 3})), 0.25f);
      default: return quantize(x, 2 * v.scale);
    }
  }

  void pooling() {
    Value& v = image();
    const Dims& shape = v.x.shape();
    if (std::min(shape[nhwc_ ? 1 : 2], shape[nhwc_ ? 2 : 3]) < 2) return;
    const MLPool2dOptions o{
        .windowDimensions = Dims{2, 2},
        .strides = {one_of({1, 2}), one_of({1, 2})},
        .layout = nhwc_ ? MLInputOperandLayout::nhwc : MLInputOperandLayout::nchw};
    const MLOperand x = real(v);
    quantize(chance(0.5) ? b_.maxPool2d(x, o) : b_.averagePool2d(x, o), v.scale);
  }

  /// Operators that move elements, with the same scale behind them or another.
  void movement() {
    Value v = values_.back();
    const MLOperand x = real(values_.back());
    const std::uint32_t rank = x.rank();
    MLOperand y;
    switch (random_() % 5) {
      case 0: y = b_.concat(std::vector{x, x}, rank - 1); break;
      case 1: y = b_.pad(x, Dims(rank, 0), Dims(rank, 1)); break;
      case 2: y = b_.concat(std::vector{x, b_.relu(x)}, 0); break;
      case 3: {
        Dims sizes = x.shape();
        sizes.back() = (sizes.back() + 1) / 2;
        y = b_.slice(x, Dims(rank, 0), sizes);
        break;
      }
      default: y = b_.reshape(b_.transpose(x), x.shape());
    }
    if (element_count(y.shape()) > 4096) return;
    if (chance(0.5)) return quantize(y, 2 * v.scale);
    v.x = b_.quantizeLinear(y, scale(rank, v.scale), one(v.type, rank, v.zero));
    v.real.reset();
    values_.push_back(v);
  }

  void product() {
    Value& v = values_.back();
    const auto k = static_cast<std::uint32_t>(element_count(v.x.shape())),
               out = one_of({1, 10, 70});
    if (k > 2000) return;
    std::vector<std::uint8_t> w(std::size_t{k} * out);
    for (auto& e : w) e = static_cast<std::uint8_t>(static_cast<int>(random_() % 9) - 4);
    const bool transposed = chance(0.5);
    const MLOperand matrix =
        b_.dequantizeLinear(constant(int8, transposed ? Dims{out, k} : Dims{k, out}, w),
                            scale(2, 0.125f), one(int8, 2, 0));
    const MLOperand x = b_.reshape(real(v), {1, k});
    if (!transposed && chance(0.5)) quantize(activated(b_.matmul(x, matrix)), 1);
    else quantize(activated(b_.gemm(x, matrix, {.bTranspose = transposed})), 1);
  }

  void add_operator() {
    switch (random_() % 12) {
      case 0:
      case 1:
      case 2:
      case 3: return convolution();
      case 4:
      case 5:
      case 6: return sum();
      case 7: return function();
      case 8: return pooling();
      case 9:
      case 10: return movement();
      default: return product();
    }
  }

  MLGraphBuilder& b_;
  std::mt19937 random_;
  bool nhwc_;
  std::vector<Value> values_;
};

}  // namespace webnn::inline v0_1::test
