// Networks whose kernels pack weights in each way that there is, and the results of a graph.
#pragma once

#include <functional>

#include "tests/runtime/quantized_network.h"
#include "tests/support/attention_forms.h"
#include "tests/support/random.h"
#include "tests/support/rotary_forms.h"
#include "webnn/compiled.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {

struct Network {
  std::string name;
  std::function<NamedOperands(MLGraphBuilder&)> build;
};

inline MLOperand weights(MLGraphBuilder& b, Dims shape, std::uint64_t seed,
                         MLOperandDataType type = float32) {
  return b.constant({type, shape}, Random(seed).tensor(type, shape, -0.5, 0.5).bytes);
}

inline NamedOperands convolutions(MLGraphBuilder& b) {
  const auto conv = [&](const MLOperand& x, Dims filter, std::uint32_t groups, std::uint32_t pad,
                        const std::string& label) {
    const std::uint32_t out = filter[0];
    return b.relu(b.conv2d(x, weights(b, std::move(filter), out + pad),
                           {.padding = {pad, pad, pad, pad},
                            .groups = groups,
                            .bias = weights(b, {out}, 5),
                            .label = label}));
  };
  const MLOperand x = b.input("image", {float32, {1, 3, 30, 30}});
  MLOperand y = conv(x, {32, 3, 3, 3}, 1, 1, "stem");
  y = conv(y, {32, 1, 3, 3}, 32, 1, "depthwise");
  const MLOperand z = y = conv(y, {96, 32, 1, 1}, 1, 0, "expand");
  y = conv(y, {96, 96, 3, 3}, 1, 1, "large filter");
  y = conv(y, {96, 24, 5, 5}, 4, 2, "groups");
  y = b.add(y, z);
  const MLOperand up = b.convTranspose2d(y, weights(b, {96, 40, 4, 4}, 9),
                                         {.padding = {1, 1, 1, 1}, .strides = {2, 2}});
  const MLOperand mean = b.reshape(b.averagePool2d(y), {1, 96});
  const MLOperand scores = b.gemm(mean, weights(b, {96, 1000}, 7), {.c = weights(b, {1000}, 8)});
  return {{"scores", b.softmax(scores, 1)}, {"up", up}};
}

inline NamedOperands products(MLGraphBuilder& b) {
  const MLOperand x = b.input("x", {float32, {40, 128}}), one = b.input("one", {float32, {1, 128}});
  const MLOperand y = b.gelu(b.matmul(x, weights(b, {128, 300}, 1)));
  // A bias that is large enough to be dropped.
  const MLOperand wide = b.gemm(one, weights(b, {17000, 128}, 2),
                                {.c = weights(b, {17000}, 3), .alpha = 0.5f, .bTranspose = true});
  return {{"y", b.layerNormalization(y, {.scale = weights(b, {300}, 4)})}, {"wide", wide}};
}

inline NamedOperands recurrent(MLGraphBuilder& b) {
  constexpr std::uint32_t hidden = 72, inputs = 72;
  const MLOperand x = b.input("x", {float32, {5, 2, inputs}});
  const auto gru = b.gru(x, weights(b, {1, 3 * hidden, inputs}, 1),
                         weights(b, {1, 3 * hidden, hidden}, 2), 5, hidden,
                         {.bias = weights(b, {1, 3 * hidden}, 3),
                          .recurrentBias = weights(b, {1, 3 * hidden}, 4),
                          .returnSequence = true});
  const auto lstm = b.lstm(x, weights(b, {2, 4 * hidden, inputs}, 5),
                           weights(b, {2, 4 * hidden, hidden}, 6), 5, hidden,
                           {.recurrentBias = weights(b, {2, 4 * hidden}, 7),
                            .peepholeWeight = weights(b, {2, 3 * hidden}, 8),
                            .direction = MLRecurrentNetworkDirection::both});
  return {{"gru", gru[0]}, {"sequence", gru[1]}, {"hidden", lstm[0]}, {"cell", lstm[1]}};
}

/// Weights of 4 and 16 bits, of products, of a table and of a convolution.
inline NamedOperands small_weights(MLGraphBuilder& b) {
  constexpr std::uint32_t k = 256, columns = 320, block = 32;
  const auto dequantized = [&](std::uint32_t rows, std::uint32_t wide, std::uint64_t seed) {
    const Dims scales{rows / block, wide};
    const Tensor zero = Random(seed + 1).tensor(int4, scales, -3, 3);
    return b.dequantizeLinear(
        b.constant({int4, {rows, wide}}, Random(seed).tensor(int4, {rows, wide}, -8, 7).bytes),
        b.constant({float32, scales}, Random(seed + 2).tensor(float32, scales, 0.01, 0.02).bytes),
        b.constant({int4, scales}, zero.bytes));
  };
  const MLOperand x = b.input("x", {float32, {3, k}}), i = b.input("indices", {uint32, {6}});
  const MLOperand half = b.cast(weights(b, {columns, 160}, 4, float16), float32);
  const Dims blocks{5, 64};
  const MLOperand rounded = b.dequantizeLinear(
      b.constant({int8, {160, 64}}, Random(15).tensor(int8, {160, 64}, -128, 127).bytes),
      b.constant({float16, blocks}, Random(16).tensor(float16, blocks, 0.01, 0.02).bytes),
      b.constant({int8, blocks}, Random(17).tensor(int8, blocks, -3, 3).bytes));
  const MLOperand narrow = b.cast(weights(b, {64, 80}, 21, bfloat16), float32),
                  narrower = b.cast(weights(b, {80, 72}, 22, float8e4m3), float32);
  MLOperand y = b.matmul(b.matmul(x, dequantized(k, columns, 1)), half);
  for (const MLOperand& w : {b.cast(rounded, float32), narrow, narrower}) y = b.matmul(y, w);
  const Dims filter{3, 3, 128, 64}, scales{1, 1, 4, 64};
  const MLOperand image = b.input("image", {float32, {1, 5, 5, 128}});
  const MLOperand taps = b.dequantizeLinear(
      b.constant({int4, filter}, Random(11).tensor(int4, filter, -8, 7).bytes),
      b.constant({float32, scales}, Random(12).tensor(float32, scales, 0.01, 0.02).bytes),
      b.constant({int4, scales}, Random(13).tensor(int4, scales, -3, 3).bytes));
  const MLOperand seen = b.conv2d(image, taps,
                                  {.strides = {2, 2},
                                   .inputLayout = MLInputOperandLayout::nhwc,
                                   .filterLayout = MLConv2dFilterOperandLayout::hwio});
  return {{"y", y}, {"rows", b.gather(dequantized(2048, 300, 7), i)}, {"seen", seen}};
}

/// Attention in two forms, and a rotary embedding of neighbors.
inline NamedOperands attentions(MLGraphBuilder& b) {
  const AttentionSizes s;
  const auto written = [&](const std::string& name, const AttentionWritten& w) {
    const auto input = [&](const char* of, Dims shape, MLOperandDataType type = float32) {
      return b.input(name + of, {type, std::move(shape)});
    };
    return attention_written(
        b,
        {input(" queries", query_shape(w, s)), input(" keys", key_shape(w, s)),
         input(" values", value_shape(w, s)), input(" mask", {1, 1, 1, s.terms}),
         input(" seen", {s.rows, s.terms}, uint8)},
        w, s);
  };
  const MLOperand y = written(
      "first", {ScaleAt::both, false, MaskBy::where_and_add, KeysAs::sequence, GroupBy::expand});
  const MLOperand z = written(
      "second", {ScaleAt::scores, true, MaskBy::where_and_add, KeysAs::rows, GroupBy::rows});
  const MLOperand left_out = b.input("left out", {uint8, {s.rows, 1}});
  const MLOperand x = b.input("x", {float32, {5, 2, 16}});
  const RotaryWritten w{.interleaved = true, .by_pair = true};
  return {{"y", b.where(left_out, b.constant(float32, 0), y)},
          {"z", z},
          {"embedded", rotary_written(b, x, weights(b, {2, 8}, 1), weights(b, {2, 8}, 2), w)}};
}

/// Operands of a concat that are computed in its result, and a rotary embedding.
inline NamedOperands parts(MLGraphBuilder& b) {
  const MLOperand x = b.input("image", {float32, {1, 8, 12, 12}});
  const MLOperand one = b.relu(b.conv2d(x, weights(b, {48, 8, 1, 1}, 1)));
  const MLOperand three =
      b.relu(b.conv2d(x, weights(b, {32, 8, 3, 3}, 2), {.padding = {1, 1, 1, 1}}));
  const MLOperand y = b.conv2d(b.concat({one, three}, 1), weights(b, {16, 80, 1, 1}, 3));
  const MLOperand q = b.input("q", {float32, {5, 2, 16}}),
                  cos = b.input("cos", {float32, {5, 1, 16}}),
                  sin = b.input("sin", {float32, {5, 1, 16}});
  const MLOperand low = b.slice(q, {0, 0, 0}, {5, 2, 8}), high = b.slice(q, {0, 0, 8}, {5, 2, 8});
  const MLOperand rotated = b.mul(b.concat({b.neg(high), low}, 2), sin);
  return {{"y", y}, {"embedded", b.add(b.mul(q, cos), rotated)}};
}

inline NamedOperands float16_network(MLGraphBuilder& b) {
  const MLOperand x = b.input("x", {float16, {1, 16, 12, 12}});
  const MLOperand y = b.conv2d(x, weights(b, {300, 16, 3, 3}, 1, float16));
  return {{"y", b.sigmoid(y)}};
}

inline NamedOperands quantized_network(MLGraphBuilder& b) {
  return QuantizedNetwork(b, 3).build(8);
}

/// Quantized by its own range, with the scale and the zero point in a product.
inline NamedOperands dynamic_network(MLGraphBuilder& b) {
  const auto number = [&](float v) { return b.constant({float32, {}}, {v}); };
  const MLOperand x = b.input("x", {float32, {5, 64}});
  const MLOperand high = b.max(b.reduceMax(x), number(0)), low = b.min(b.reduceMin(x), number(0));
  const MLOperand range = b.sub(high, low);
  const MLOperand scale = b.where(b.equal(range, number(0)), number(1), b.div(range, number(255)));
  const MLOperand place = b.roundEven(b.neg(b.div(low, scale)));
  const MLOperand zero = b.cast(b.clamp(place, {.minValue = 0, .maxValue = 255}), uint8);
  const MLOperand q = b.quantizeLinear(x, b.reshape(scale, {1, 1}), b.reshape(zero, {1, 1}));
  const MLOperand ones = b.constant({float32, {1, 1}}, {1.f});
  const MLOperand w = b.dequantizeLinear(
      b.constant({int8, {64, 24}}, Random(9).tensor(int8, {64, 24}, -100, 100).bytes), ones,
      b.constant({int8, {1, 1}}, {std::int8_t{0}}));
  const MLOperand sum = b.matmul(b.dequantizeLinear(q, ones, b.reshape(zero, {1, 1})), w);
  return {{"y", b.mul(sum, scale)}, {"scale", scale}};
}

/// Constants of 8 bits that are large enough to be dropped.
inline NamedOperands large_quantized(MLGraphBuilder& b) {
  const auto one = [&](const MLOperand& like, float scale) {
    return b.constant({float32, Dims(like.rank(), 1)}, {scale});
  };
  const auto zero = [&](const MLOperand& like, std::int8_t z) {
    return b.constant({int8, Dims(like.rank(), 1)}, {z});
  };
  const auto real = [&](const MLOperand& q, float scale, std::int8_t z = 0) {
    return b.dequantizeLinear(q, one(q, scale), zero(q, z));
  };
  const auto rounded = [&](const MLOperand& y, float scale) {
    return b.quantizeLinear(y, one(y, scale), zero(y, 3));
  };
  const auto filter = [&](Dims shape, std::int8_t z = 0) {
    const std::uint64_t seed = shape.back();
    return real(b.constant({int8, shape}, Random(seed).tensor(int8, shape, -100, 100).bytes), 0.01f,
                z);
  };
  MLConv2dOptions o{.inputLayout = MLInputOperandLayout::nhwc,
                    .filterLayout = MLConv2dFilterOperandLayout::ohwi};
  MLOperand y = real(b.input("image", {int8, {1, 6, 6, 64}}), 0.05f);
  o.padding = {1, 1, 1, 1};
  y = real(rounded(b.conv2d(y, filter({128, 3, 3, 64}), o), 4), 4, 3);
  o.padding = {0, 0, 0, 0};
  y = real(rounded(b.relu(b.conv2d(y, filter({1408, 1, 1, 128}), o)), 16), 16, 3);
  o.padding = {3, 3, 3, 3};
  o.groups = 1408;
  o.filterLayout = MLConv2dFilterOperandLayout::ihwo;
  y = rounded(b.conv2d(y, filter({1, 7, 7, 1408}), o), 200);
  const MLOperand v = real(b.input("v", {int8, {3, 256}}), 0.05f);
  return {{"y", y}, {"w", rounded(b.gemm(v, filter({256, 300}, -100)), 8)}};
}

/// Outputs that no kernel writes: a constant, an input, a result with two names.
inline NamedOperands without_kernels(MLGraphBuilder& b) {
  const MLOperand x = b.input("x", {float32, {4}}), unused = b.input("other", {float32, {2}});
  const MLOperand sum = b.add(x, b.identity(x));
  return {{"constant", b.add(weights(b, {3}, 1), weights(b, {3}, 2))},
          {"same", b.identity(x)},
          {"sum", sum},
          {"sum again", sum},
          {"other", b.mul(unused, b.constant(float32, 0))}};
}

inline NamedOperands low_precision(MLGraphBuilder& b) {
  const MLOperand x = b.input("x", {bfloat16, {4, 96}}), q = b.input("q", {float8e4m3, {4, 96}});
  const MLOperand scale = b.constant({bfloat16, {1, 1}}, {0.25}),
                  zero = b.constant({float8e4m3, {1, 1}}, {0.0});
  const MLOperand product = b.matmul(x, weights(b, {96, 80}, 21, bfloat16));
  const MLOperand real = b.dequantizeLinear(q, scale, zero);
  const MLOperand stored = b.dequantizeLinear(weights(b, {96, 80}, 22, float8e4m3), scale, zero);
  return {{"y", b.gelu(product)},
          {"z", b.matmul(real, stored)},
          {"quantized", b.quantizeLinear(b.add(x, real), scale, zero)}};
}

inline std::vector<Network> networks() {
  return {{"convolutions", &convolutions},
          {"products", &products},
          {"recurrent", &recurrent},
          {"small weights", &small_weights},
          {"parts", &parts},
          {"attentions", &attentions},
          {"float16", &float16_network},
          {"bfloat16 and float8e4m3", &low_precision},
          {"quantized", &quantized_network},
          {"large quantized", &large_quantized},
          {"dynamic", &dynamic_network},
          {"without kernels", &without_kernels}};
}

inline MLGraph built(const MLContext& context, const Network& n) {
  MLGraphBuilder b(context);
  return b.build(n.build(b));
}

using Results = std::vector<std::vector<std::byte>>;

/// The results for random inputs, which are the same in each call.
inline Results results(MLContext context, const MLGraph& graph) {
  std::vector<Tensor> values;
  std::vector<NamedInput> inputs;
  std::uint64_t seed = 11;
  for (const auto& [name, d] : graph.inputs()) {
    const bool index = d.dataType == uint32;
    values.push_back(Random(++seed).tensor(d.dataType, d.shape, index ? 0 : -2, 2));
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    inputs.push_back({graph.inputs()[i].name, values[i].bytes});
  Results all;
  std::vector<NamedOutput> outputs;
  for (const auto& [name, d] : graph.outputs())
    all.emplace_back(static_cast<std::size_t>(byte_length(d)));
  for (std::size_t i = 0; i < all.size(); ++i) outputs.push_back({graph.outputs()[i].name, all[i]});
  context.compute(graph, std::span<const NamedInput>(inputs),
                  std::span<const NamedOutput>(outputs));
  return all;
}

/// From memory.
inline MLGraph loaded(const MLContext& context, std::vector<std::byte> bytes,
                      const compiled::LoadOptions& options = {}) {
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return compiled::load(context, owner, *owner, options, "net.webnnc");
}

}  // namespace webnn::inline v0_1::test
