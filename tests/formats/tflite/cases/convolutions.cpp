#include "tests/formats/tflite/cases.h"

namespace webnn::inline v0_1::tflite::test {
namespace {

using enum schema::Padding;
using Act = schema::ActivationFunctionType;
using Code = BuiltinOperator;
constexpr auto f32 = TensorType::FLOAT32, i8 = TensorType::INT8, u8 = TensorType::UINT8,
               i16 = TensorType::INT16, i32 = TensorType::INT32, i64 = TensorType::INT64;

schema::Conv2DOptionsT conv(schema::Padding padding, int stride_h, int stride_w,
                            Act act = Act::NONE, int dilation = 1) {
  schema::Conv2DOptionsT o;
  o.padding = padding;
  o.stride_h = stride_h;
  o.stride_w = stride_w;
  o.fused_activation_function = act;
  o.dilation_h_factor = o.dilation_w_factor = dilation;
  return o;
}

schema::DepthwiseConv2DOptionsT depthwise(schema::Padding padding, int stride, int multiplier,
                                          Act act = Act::NONE, int dilation = 1) {
  schema::DepthwiseConv2DOptionsT o;
  o.padding = padding;
  o.stride_h = o.stride_w = stride;
  o.depth_multiplier = multiplier;
  o.fused_activation_function = act;
  o.dilation_h_factor = o.dilation_w_factor = dilation;
  return o;
}

std::vector<float> scales(std::size_t n, float first) {
  std::vector<float> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(first * static_cast<float>(1 + i % 3));
  return out;
}

Case float_conv(std::string name, schema::Conv2DOptionsT o, Shape x, Shape filter, bool bias) {
  return make_case(std::move(name), [&](Writer& w) {
    std::vector<int> in{w.input(f32, x), w.weights(f32, filter)};
    if (bias) in.push_back(w.weights(f32, {filter[0]}, {}, 2));
    return w.op(Code::CONV_2D, in, {w.result(f32)}, o);
  });
}
Case float_depthwise(std::string name, schema::DepthwiseConv2DOptionsT o, Shape x, Shape filter) {
  return make_case(std::move(name), [&](Writer& w) {
    return w.op(Code::DEPTHWISE_CONV_2D,
                {w.input(f32, x), w.weights(f32, filter), w.weights(f32, {filter[3]}, {}, 2)},
                {w.result(f32)}, o);
  });
}

/// Filter and bias per channel along `axis` when there is more than one scale.
struct Quantized {
  TensorType type;
  Quant x, filter, y;
  TensorType bias = i32;
};
const Quantized per_tensor{u8, {{0.02f}, {120}}, {{0.01f}, {131}}, {{0.05f}, {100}}};
Quantized per_channel(std::size_t n, std::int32_t axis) {
  return {i8, {{0.02f}, {-3}}, {scales(n, 0.003f), {}, axis}, {{0.03f}, {5}}};
}
Quantized wide(std::size_t n, std::int32_t axis) {
  return {i16, {{0.0002f}, {0}}, {scales(n, 0.003f), {}, axis}, {{0.0004f}, {0}}, i64};
}

template <class O>
int quantized(Writer& w, Code code, const Quantized& q, Shape x, Shape filter, int channels, O o) {
  Quant bias{q.filter.scale};
  for (float& s : bias.scale) s *= q.x.scale[0];
  return w.op(code,
              {w.input(q.type, x, q.x), w.weights(q.type == u8 ? u8 : i8, filter, q.filter),
               w.weights(q.bias, {channels}, bias, 2)},
              {w.result(q.type, q.y)}, o);
}

void add_quantized(Cases& all) {
  // So many results that one of them is halfway between two integers in every step of rounding.
  all.push_back(make_case("conv_int8_large", [](Writer& w) {
    return quantized(w, Code::CONV_2D, per_channel(8, 0), {1, 20, 20, 3}, {8, 3, 3, 3}, 8,
                     conv(SAME, 1, 1));
  }));
  all.push_back(make_case("depthwise_int8_large", [](Writer& w) {
    return quantized(w, Code::DEPTHWISE_CONV_2D, per_channel(8, 3), {1, 20, 20, 8}, {1, 3, 3, 8}, 8,
                     depthwise(SAME, 1, 1));
  }));
  const auto conv_case = [&](std::string name, const Quantized& q, auto o) {
    all.push_back(make_case(std::move(name), [&](Writer& w) {
      return quantized(w, Code::CONV_2D, q, {1, 5, 6, 3}, {4, 3, 3, 3}, 4, o);
    }));
  };
  conv_case("conv_uint8", per_tensor, conv(SAME, 1, 1));
  conv_case("conv_uint8_relu6", per_tensor, conv(SAME, 2, 2, Act::RELU6));
  conv_case("conv_int8_per_channel", per_channel(4, 0), conv(SAME, 1, 1));
  conv_case("conv_int8_valid_relu", per_channel(4, 0), conv(VALID, 1, 2, Act::RELU));
  conv_case("conv_int16", wide(4, 0), conv(SAME, 1, 1));
  const auto depthwise_case = [&](std::string name, const Quantized& q, auto o) {
    all.push_back(make_case(std::move(name), [&](Writer& w) {
      return quantized(w, Code::DEPTHWISE_CONV_2D, q, {1, 5, 6, 2}, {1, 3, 3, 4}, 4, o);
    }));
  };
  depthwise_case("depthwise_uint8", per_tensor, depthwise(SAME, 1, 2));
  depthwise_case("depthwise_int8", per_channel(4, 3), depthwise(SAME, 2, 2, Act::RELU));
  depthwise_case("depthwise_int16", wide(4, 3), depthwise(VALID, 1, 2));
}

void add_hybrid(Cases& all) {
  for (const bool channels : {false, true}) {
    const std::string suffix = channels ? "_per_channel" : "";
    const Quant of_conv{channels ? scales(4, 0.003f) : scales(1, 0.003f), {}, 0};
    all.push_back(make_case("conv_hybrid" + suffix, [&](Writer& w) {
      return w.op(Code::CONV_2D,
                  {w.input(f32, {2, 5, 6, 3}), w.weights(i8, {4, 3, 3, 3}, of_conv),
                   w.weights(f32, {4}, {}, 2)},
                  {w.result(f32)}, conv(SAME, 1, 1, Act::RELU));
    }));
    const Quant of_depthwise{channels ? scales(4, 0.003f) : scales(1, 0.003f), {}, 3};
    all.push_back(make_case("depthwise_hybrid" + suffix, [&](Writer& w) {
      return w.op(Code::DEPTHWISE_CONV_2D,
                  {w.input(f32, {2, 5, 6, 2}), w.weights(i8, {1, 3, 3, 4}, of_depthwise),
                   w.weights(f32, {4}, {}, 2)},
                  {w.result(f32)}, depthwise(SAME, 1, 2));
    }));
  }
}

void add_transposed(Cases& all) {
  const auto add = [&](std::string name, schema::Padding padding, int stride, int h, int width,
                       bool bias) {
    all.push_back(make_case(std::move(name), [&](Writer& w) {
      schema::TransposeConvOptionsT o;
      o.padding = padding;
      o.stride_h = o.stride_w = stride;
      std::vector<int> in{w.ints({1, h, width, 3}), w.weights(f32, {3, 3, 3, 2}),
                          w.input(f32, {1, 3, 4, 2})};
      if (bias) in.push_back(w.weights(f32, {3}, {}, 2));
      return w.op(Code::TRANSPOSE_CONV, in, {w.result(f32)}, o);
    }));
  };
  add("transpose_conv_same", SAME, 2, 6, 8, false);
  add("transpose_conv_same_odd", SAME, 2, 5, 7, true);
  add("transpose_conv_valid", VALID, 2, 7, 9, true);
  add("transpose_conv_valid_longer", VALID, 2, 8, 10, false);
  add("transpose_conv_stride1", SAME, 1, 3, 4, false);
  add("transpose_conv_stride3", SAME, 3, 9, 12, false);
  all.push_back(make_case("transpose_conv_int8", [&](Writer& w) {
    schema::TransposeConvOptionsT o;
    o.padding = SAME;
    o.stride_h = o.stride_w = 2;
    const Quant filter{scales(3, 0.004f), {}, 0};
    Quant bias{filter.scale};
    for (float& s : bias.scale) s *= 0.02f;
    return w.op(Code::TRANSPOSE_CONV,
                {w.ints({1, 6, 8, 3}), w.weights(i8, {3, 3, 3, 2}, filter),
                 w.input(i8, {1, 3, 4, 2}, {{0.02f}, {-7}}), w.weights(i32, {3}, bias, 2)},
                {w.result(i8, {{0.03f}, {4}})}, o);
  }));
  all.push_back(make_case("transpose_conv_uint8", [&](Writer& w) {
    schema::TransposeConvOptionsT o;
    o.padding = VALID;
    o.stride_h = o.stride_w = 2;
    return w.op(Code::TRANSPOSE_CONV,
                {w.ints({1, 7, 9, 3}), w.weights(u8, {3, 3, 3, 2}, {{0.01f}, {120}}),
                 w.input(u8, {1, 3, 4, 2}, {{0.02f}, {131}})},
                {w.result(u8, {{0.05f}, {128}})}, o);
  }));
}

}  // namespace

void add_convolutions(Cases& all) {
  all.push_back(float_conv("conv_same", conv(SAME, 1, 1), {2, 5, 6, 3}, {4, 3, 3, 3}, true));
  all.push_back(
      float_conv("conv_same_stride2", conv(SAME, 2, 2), {1, 5, 6, 3}, {4, 3, 3, 3}, true));
  all.push_back(float_conv("conv_same_even", conv(SAME, 2, 3), {1, 8, 7, 2}, {2, 4, 2, 2}, true));
  all.push_back(float_conv("conv_valid_relu6", conv(VALID, 1, 2, Act::RELU6), {1, 5, 6, 3},
                           {4, 3, 3, 3}, true));
  all.push_back(
      float_conv("conv_stride_exceeds", conv(SAME, 4, 3), {1, 9, 8, 2}, {3, 1, 2, 2}, true));
  all.push_back(
      float_conv("conv_dilated", conv(SAME, 1, 1, Act::NONE, 2), {1, 7, 7, 2}, {3, 3, 3, 2}, true));
  all.push_back(float_conv("conv_n1_to_1", conv(SAME, 1, 1, Act::RELU_N1_TO_1), {1, 3, 3, 2},
                           {3, 1, 1, 2}, true));
  all.push_back(
      float_conv("conv_without_bias", conv(SAME, 1, 1), {1, 3, 3, 2}, {3, 1, 1, 2}, false));
  all.push_back(float_conv("conv_groups", conv(SAME, 1, 1), {1, 4, 4, 4}, {6, 3, 3, 2}, true));
  all.push_back(float_depthwise("depthwise", depthwise(SAME, 1, 1), {1, 5, 6, 3}, {1, 3, 3, 3}));
  all.push_back(
      float_depthwise("depthwise_multiplier", depthwise(SAME, 2, 2), {1, 5, 6, 3}, {1, 3, 3, 6}));
  all.push_back(float_depthwise("depthwise_dilated", depthwise(VALID, 1, 1, Act::RELU, 2),
                                {1, 7, 7, 3}, {1, 3, 3, 3}));
  add_quantized(all);
  add_hybrid(all);
  add_transposed(all);
}

void add_products(Cases& all) {
  const auto add = [&](std::string name, Shape x, Shape weights, bool keep, Act act) {
    all.push_back(make_case(std::move(name), [&](Writer& w) {
      schema::FullyConnectedOptionsT o;
      o.keep_num_dims = keep;
      o.fused_activation_function = act;
      return w.op(Code::FULLY_CONNECTED,
                  {w.input(f32, x), w.weights(f32, weights), w.weights(f32, {weights[0]}, {}, 2)},
                  {w.result(f32)}, o);
    }));
  };
  add("fully_connected", {3, 5}, {4, 5}, false, Act::NONE);
  add("fully_connected_flattens", {2, 3, 5}, {4, 5}, false, Act::RELU);
  add("fully_connected_keeps", {2, 3, 5}, {4, 5}, true, Act::NONE);
  all.push_back(make_case("fully_connected_without_bias", [](Writer& w) {
    return w.op(Code::FULLY_CONNECTED, {w.input(f32, {3, 5}), w.weights(f32, {4, 5}), -1},
                {w.result(f32)}, schema::FullyConnectedOptionsT());
  }));
  all.push_back(make_case("fully_connected_two_inputs", [](Writer& w) {
    return w.op(Code::FULLY_CONNECTED, {w.input(f32, {3, 5}), w.input(f32, {4, 5}), -1},
                {w.result(f32)}, schema::FullyConnectedOptionsT());
  }));
  const auto add_quantized = [&](std::string name, const Quantized& q, bool keep) {
    all.push_back(make_case(std::move(name), [&](Writer& w) {
      schema::FullyConnectedOptionsT o;
      o.keep_num_dims = keep;
      return quantized(w, Code::FULLY_CONNECTED, q, keep ? Shape{2, 3, 5} : Shape{6, 5}, {4, 5}, 4,
                       o);
    }));
  };
  add_quantized("fully_connected_uint8", per_tensor, false);
  add_quantized("fully_connected_int8", per_channel(1, 0), false);
  add_quantized("fully_connected_int8_keeps", per_channel(1, 0), true);
  add_quantized("fully_connected_int8_per_channel", per_channel(4, 0), false);
  add_quantized("fully_connected_int16", wide(1, 0), false);
  for (const bool asymmetric : {false, true})
    all.push_back(make_case(
        asymmetric ? "fully_connected_hybrid_asymmetric" : "fully_connected_hybrid",
        [&](Writer& w) {
          schema::FullyConnectedOptionsT o;
          o.asymmetric_quantize_inputs = asymmetric;
          return w.op(
              Code::FULLY_CONNECTED,
              {w.input(f32, {3, 5}), w.weights(i8, {4, 5}, {{0.003f}}), w.weights(f32, {4}, {}, 2)},
              {w.result(f32)}, o);
        }));
  const auto matmul = [&](std::string name, Shape x, Shape y, bool adj_x, bool adj_y) {
    all.push_back(make_case(std::move(name), [&](Writer& w) {
      schema::BatchMatMulOptionsT o;
      o.adj_x = adj_x;
      o.adj_y = adj_y;
      return w.op(Code::BATCH_MATMUL, {w.input(f32, x), w.input(f32, y)}, {w.result(f32)}, o);
    }));
  };
  matmul("batch_matmul", {2, 3, 4}, {2, 4, 5}, false, false);
  matmul("batch_matmul_broadcast", {2, 1, 3, 4}, {3, 4, 5}, false, false);
  matmul("batch_matmul_adj_x", {2, 4, 3}, {2, 4, 5}, true, false);
  matmul("batch_matmul_adj_y", {2, 3, 4}, {2, 5, 4}, false, true);
  all.push_back(make_case("batch_matmul_int8", [](Writer& w) {
    return w.op(Code::BATCH_MATMUL,
                {w.input(i8, {2, 3, 4}, {{0.02f}, {3}}), w.input(i8, {2, 4, 5}, {{0.01f}, {-4}})},
                {w.result(i8, {{0.02f}, {1}})}, schema::BatchMatMulOptionsT());
  }));
}

}  // namespace webnn::inline v0_1::tflite::test
