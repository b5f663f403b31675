#include "tests/formats/tflite/exported.h"
#include "tests/support/quantize.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using B = MLGraphBuilder;
using Layout = MLInputOperandLayout;
using FilterLayout = MLConv2dFilterOperandLayout;

constexpr Scale byte_scale{0.05f, 7};

/// One unit: rounding of halves and integer arithmetic.
constexpr Tolerance one_unit{.ulp = 1};

/// dequantizeLinear, f, quantizeLinear.
template <class F>
Exported between(Random& r, MLOperandDataType type, Dims shape, Scale in, Scale out, F f) {
  const double low = lowest_of(type), high = highest_of(type);
  return {[=](B& b, Build::Operands x) {
            return quantized(b, f(b, dequantized(b, x[0], in)), out, type);
          },
          {r.tensor(type, shape, low, high)},
          one_unit};
}

}  // namespace

TEST_CASE("exported: dequantizeLinear and quantizeLinear alone") {
  Random r(1);
  for (const auto type : {int8, uint8}) {
    const Tensor x = r.tensor(type, {2, 3, 4}, lowest_of(type), highest_of(type));
    CHECK(check_exported({[](B& b, Build::Operands o) {
                            return dequantized(b, o[0], {0.25, 3});
                          },
                          {x}}) == "DEQUANTIZE");
    CHECK(check_exported({[=](B& b, Build::Operands o) {
                            return quantized(b, o[0], {0.3f, 2}, type);
                          },
                          {r.tensor(float32, {2, 3, 4})},
                          one_unit}) == "QUANTIZE");
    // Along an axis, in blocks, and with elements of 32 bits.
    const auto along = [&](Dims shape, const Tensor& from, std::vector<std::size_t> constants) {
      const Tensor s = r.tensor(float32, shape, 0.1, 1), z = r.tensor(from.type, shape, 0, 3);
      check_exported(
          {[](B& b, Build::Operands o) { return b.identity(b.dequantizeLinear(o[0], o[1], o[2])); },
           {from, s, z},
           tolerance_of("dequantizeLinear", float32),
           std::move(constants)});
    };
    for (const Dims& shape : {Dims{1, 3, 1}, Dims{1, 1, 4}, Dims{2, 3, 2}, Dims{1, 1, 1}}) {
      along(shape, x, {1, 2});
      along(shape, x, {0, 1, 2});
      along(shape, x, {});
      along(shape, r.tensor(int32, {2, 3, 4}, -1000, 1000), {1, 2});
      along(shape, r.tensor(uint32, {2, 3, 4}, 0, 1000), {1, 2});
    }
  }
  for (const auto type : {int32, uint32, int8, uint8})
    check_exported({[](B& b, Build::Operands o) { return b.quantizeLinear(o[0], o[1], o[2]); },
                    {r.tensor(float32, {4, 6}, -300, 300), r.tensor(float32, {2, 3}, 0.1, 1),
                     r.tensor(type, {2, 3}, 0, 3)},
                    one_unit});
  // Weights of four bits, which only newer runtimes have, are computed.
  Tensor four{int4, {2, 4}, std::vector<std::byte>(4, std::byte{0x7e})};
  CHECK(check_exported({[](B& b, Build::Operands o) {
                          const MLOperand z = b.constant({int4, {1, 1}}, std::array{std::byte{}});
                          return b.add(o[0], b.dequantizeLinear(o[1], scale_of(b, {1, 1}, 0.5), z));
                        },
                        {r.tensor(float32, {2, 4}), four},
                        {},
                        {1}}) == "ADD");
}

TEST_CASE("exported: quantized convolutions become one operator") {
  Random r(2);
  for (const auto type : {int8, uint8})
    for (const auto layout : {Layout::nhwc, Layout::nchw})
      for (const bool depthwise : {false, true})
        for (const bool per_channel : {false, true})
          for (const int clamp : {0, 1, 2})
            for (const std::uint32_t pad : {0u, 1u, 2u}) {
              if (per_channel && type == uint8) continue;
              const auto fl = layout == Layout::nhwc
                                  ? (depthwise ? FilterLayout::ihwo : FilterLayout::ohwi)
                                  : FilterLayout::oihw;
              const bool last = fl == FilterLayout::ihwo;
              Dims f = last ? Dims{1, 3, 3, 4} : Dims{4, 3, 3, 4};
              if (fl == FilterLayout::oihw) f = depthwise ? Dims{4, 1, 3, 3} : Dims{4, 4, 3, 3};
              Dims scales(4, 1);
              if (per_channel) scales[last ? 3 : 0] = 4;
              const Tensor weights = r.tensor(type, f, type == int8 ? -127 : 0, 255);
              const Tensor s = r.tensor(float32, scales, 0.005, 0.02);
              const int zf = type == int8 ? 0 : 120;
              Tensor bias_scale = filled(float32, {per_channel ? 4u : 1u}, 0);
              for (std::size_t i = 0; i < bias_scale.size(); ++i)
                bias_scale.as<float>()[i] = 0.05f * s.as<float>()[i];
              const Tensor bias = r.tensor(int32, {4}, -500, 500);
              const std::string operators = check_exported(
                  {[=](B& b, Build::Operands x) {
                     const MLOperand w = b.dequantizeLinear(
                         b.constant(weights.descriptor(), weights.bytes),
                         b.constant(s.descriptor(), s.bytes), zero_of(b, type, scales, zf));
                     const MLOperand v =
                         b.dequantizeLinear(b.constant(bias.descriptor(), bias.bytes),
                                            b.constant(bias_scale.descriptor(), bias_scale.bytes),
                                            zero_of(b, int32, bias_scale.shape, 0));
                     MLOperand y = b.conv2d(dequantized(b, x[0], byte_scale), w,
                                            {.padding = {pad, pad, pad, pad},
                                             .groups = depthwise ? 4u : 1u,
                                             .inputLayout = layout,
                                             .filterLayout = fl,
                                             .bias = v});
                     if (clamp == 1) y = b.relu(y);
                     if (clamp == 2) y = b.clamp(y, {.minValue = 0, .maxValue = 6});
                     return quantized(b, y, {0.04f, type == int8 ? -30 : 100}, type);
                   },
                   {r.tensor(type, {2, 4, 6, 4}, lowest_of(type), highest_of(type))},
                   one_unit});
              CHECK(operators == std::string(layout == Layout::nchw ? "TRANSPOSE " : "") +
                                     (pad == 2 ? "PAD " : "") +
                                     (depthwise ? "DEPTHWISE_CONV_2D" : "CONV_2D") +
                                     (layout == Layout::nchw ? " TRANSPOSE" : ""));
            }
}

TEST_CASE("exported: quantized products") {
  Random r(3);
  for (const auto type : {int8, uint8})
    for (const bool transposed : {false, true})
      for (const bool with_bias : {false, true}) {
        const Tensor w = r.tensor(type, transposed ? Dims{5, 8} : Dims{8, 5}, -100, 100);
        const Tensor bias = r.tensor(float32, {5}, -1, 1);
        const std::string operators = check_exported(
            {[=](B& b, Build::Operands x) {
               const MLOperand weights = dequantized(b, b.constant(w.descriptor(), w.bytes),
                                                     {0.01f, type == int8 ? 0 : 30});
               MLGemmOptions o{.bTranspose = transposed};
               if (with_bias) o.c = b.constant(bias.descriptor(), bias.bytes);
               return quantized(b, b.gemm(dequantized(b, x[0], byte_scale), weights, o), {0.06f, 4},
                                type);
             },
             {r.tensor(type, {3, 8}, lowest_of(type), highest_of(type))},
             one_unit});
        CHECK(operators == "FULLY_CONNECTED");
        if (transposed || with_bias) continue;
        CHECK(check_exported({[=](B& b, Build::Operands x) {
                                const MLOperand weights =
                                    dequantized(b, b.constant(w.descriptor(), w.bytes),
                                                {0.01f, type == int8 ? 0 : 30});
                                const MLOperand y =
                                    b.matmul(dequantized(b, x[0], byte_scale), weights);
                                return quantized(b, y, {0.06f, 4}, type);
                              },
                              {r.tensor(type, {2, 3, 8}, lowest_of(type), highest_of(type))},
                              one_unit}) == "FULLY_CONNECTED");
      }
  // Two inputs.
  CHECK(check_exported(
            {[=](B& b, Build::Operands x) {
               return quantized(
                   b, b.matmul(dequantized(b, x[0], byte_scale), dequantized(b, x[1], {0.02f, 3})),
                   {0.06f, 4}, int8);
             },
             {r.tensor(int8, {2, 3, 8}, -128, 127), r.tensor(int8, {2, 8, 4}, -128, 127)},
             one_unit}) == "BATCH_MATMUL");
}

TEST_CASE("exported: other quantized operators") {
  Random r(4);
  for (const auto type : {int8, uint8}) {
    INFO(name_of(type));
    const Scale out{0.08f, 5};
    const auto run = [&](Dims shape, Scale in, Scale to, auto f) {
      return check_exported(between(r, type, shape, in, to, f));
    };
    const Dims image{1, 6, 6, 3};
    const Scale in = byte_scale;
    const bool s8 = type == int8;
    CHECK(run(image, in, out, [](B& b, auto x) { return b.add(x, x); }) == "ADD");
    CHECK(run(image, in, out, [](B& b, auto x) { return b.relu(b.mul(x, x)); }) == "MUL");
    CHECK(run(image, in, in, [](B& b, auto x) { return b.max(x, x); }) == "MAXIMUM");
    CHECK(run(image, in, in, [](B& b, auto x) { return b.min(x, x); }) == "MINIMUM");
    CHECK(run(image, in, out, [](B& b, auto x) { return b.sub(x, x); }) == "SUB");
    CHECK(run(image, in, out, [](B& b, auto x) { return b.relu(x); }) == "RELU");
    CHECK(run(image, in, out,
              [](B& b, auto x) { return b.clamp(x, {.minValue = 0, .maxValue = 6}); }) == "RELU6");
    CHECK(run(image, in, out, [](B& b, auto x) { return b.elu(x); }) ==
          (s8 ? "ELU" : "DEQUANTIZE ELU QUANTIZE"));
    CHECK(run(image, in, out, [](B& b, auto x) { return b.reduceSum(x, {.axes = {1}}); }) == "SUM");
    CHECK(run(image, in, in, [](B& b, auto x) { return b.reduceMin(x, {.axes = {3}}); }) ==
          "REDUCE_MIN");
    CHECK(run(image, in, in, [](B& b, auto x) {
            return b.transpose(x, {.permutation = {0, 3, 1, 2}});
          }) == "TRANSPOSE");
    CHECK(run(image, in, in, [](B& b, auto x) {
            return b.slice(x, {0, 1, 2, 0}, {1, 3, 4, 3});
          }) == "SLICE");
    CHECK(run({1, 6}, in, in, [](B& b, auto x) { return b.expand(x, {5, 6}); }) == "BROADCAST_TO");
    CHECK(run(image, in, out, [](B& b, auto x) { return b.leakyRelu(x, {.alpha = 0.25}); }) ==
          "LEAKY_RELU");
    CHECK(run(image, in, out, [](B& b, auto x) { return b.hardSwish(x); }) == "HARD_SWISH");
    CHECK(run(image, in, {1.f / 256, s8 ? -128 : 0}, [](B& b, auto x) { return b.sigmoid(x); }) ==
          "LOGISTIC");
    CHECK(run(image, in, {1.f / 128, s8 ? 0 : 128}, [](B& b, auto x) { return b.tanh(x); }) ==
          "TANH");
    CHECK(run({4, 7}, in, {1.f / 256, s8 ? -128 : 0},
              [](B& b, auto x) { return b.softmax(x, 1); }) == "SOFTMAX");
    CHECK(run(image, in, in, [](B& b, auto x) {
            return b.averagePool2d(
                x, {.windowDimensions = {2, 2}, .strides = {2, 2}, .layout = Layout::nhwc});
          }) == "AVERAGE_POOL_2D");
    CHECK(run(image, in, in, [](B& b, auto x) {
            return b.maxPool2d(
                x, {.windowDimensions = {3, 3}, .padding = {1, 1, 1, 1}, .layout = Layout::nhwc});
          }) == "MAX_POOL_2D");
    CHECK(run(image, in, out, [](B& b, auto x) {
            return b.reduceMean(x, {.axes = {1, 2}});
          }) == "MEAN");
    CHECK(run(image, in, in, [](B& b, auto x) {
            return b.reduceMax(x, {.axes = {1, 2}});
          }) == "REDUCE_MAX");
    CHECK(run(image, in, in, [](B& b, auto x) {
            return b.pad(x, {0, 1, 2, 0}, {0, 1, 0, 0});
          }) == "PAD");
    CHECK(run(image, in, in, [](B& b, auto x) { return b.reshape(x, {6, 18}); }) == "RESHAPE");
    CHECK(run(image, in, in, [](B& b, auto x) { return b.concat({x, x}, 3); }) == "CONCATENATION");
    CHECK(run(image, in, in, [](B& b, auto x) {
            return b.resample2d(
                x, {.mode = MLInterpolationMode::linear, .sizes = {12, 9}, .axes = {1, 2}});
          }) == "RESIZE_BILINEAR");
    // What TFLite has no quantized operator for is done in numbers.
    CHECK(run(image, in, out, [](B& b, auto x) { return b.softsign(x); }) ==
          "DEQUANTIZE ABS ADD DIV QUANTIZE");
    // Another scale than the runtime's.
    CHECK(run(image, in, {1.f / 200, s8 ? -100 : 0}, [](B& b, auto x) { return b.sigmoid(x); }) ==
          "DEQUANTIZE LOGISTIC QUANTIZE");
  }
}

TEST_CASE("exported: one tensor of two quantizations") {
  Random r(5);
  for (const auto type : {int8, uint8})
    check_exported(
        {[=](B& b, Build::Operands x) {
           return b.add(dequantized(b, x[0], {0.5f, 1}), dequantized(b, x[0], {0.25f, 2}));
         },
         {r.tensor(type, {2, 5}, lowest_of(type), highest_of(type))},
         {.ulp = 1}});
}

TEST_CASE("exported: elements that are only moved keep their quantization") {
  Random r(6);
  const Exported c{[](B& b, Build::Operands x) {
                     const MLOperand moved = b.concat({b.reshape(x[0], {4, 3}), x[1]}, 0);
                     return dequantized(b, b.slice(moved, {1, 0}, {4, 3}), byte_scale);
                   },
                   {r.tensor(int8, {3, 4}, -128, 127), r.tensor(int8, {1, 3}, -128, 127)}};
  check_exported(c);
  const MLContext context = reference_context();
  B b(context);
  const auto bytes = tflite::export_model(built(c, context));
  const auto model = tflite::import_model(b, bytes);
  for (const auto& q : model.input_quantization)
    CHECK((q == tflite::Quantization{byte_scale.scale, byte_scale.zero}));
}

TEST_CASE("exported: a quantized network in NCHW has a transposition at its beginning alone") {
  Random r(7);
  const Tensor first = r.tensor(int8, {4, 3, 3, 3}, -127, 127),
               second = r.tensor(int8, {4, 4, 3, 3}, -127, 127),
               last = r.tensor(int8, {5, 8}, -127, 127);
  const std::string operators = check_exported(
      {[=](B& b, Build::Operands x) {
         const auto weights = [&](const Tensor& w, float scale = 0.01f) {
           return dequantized(b, b.constant(w.descriptor(), w.bytes), {scale, 0});
         };
         const auto step = [&](const MLOperand& y, Scale s) {
           return dequantized(b, quantized(b, y, s, int8), s);
         };
         const MLConv2dOptions same{.padding = {1, 1, 1, 1}};
         const Scale s{0.1f, -5};
         const MLOperand h =
             step(b.relu(b.conv2d(dequantized(b, x[0], byte_scale), weights(first), same)), s);
         const MLOperand y = step(b.conv2d(h, weights(second), same), s);
         const MLOperand sum = step(b.relu(b.add(h, y)), s);
         const MLOperand both = step(b.concat({sum, step(b.leakyRelu(y), s)}, 1), s);
         const MLOperand means = step(b.reduceMean(both, {.axes = {2, 3}}), s);
         return quantized(b, b.gemm(means, weights(last, 0.002f), {.bTranspose = true}), {0.05f, 3},
                          int8);
       },
       {r.tensor(int8, {1, 3, 8, 8}, -128, 127)},
       {.ulp = 2}});  // a unit in between becomes another one
  CHECK(operators == "TRANSPOSE CONV_2D CONV_2D ADD LEAKY_RELU CONCATENATION MEAN FULLY_CONNECTED");
}
