#include "bench/reference_cases.h"

namespace webnn::inline v0_1::bench {
namespace {

/// A method with one result, by its inputs.
template <class F> Build one(F f) {
  return [f](MLGraphBuilder& b, Operands x) { return List{f(b, x)}; };
}

#define UNARY(op)                                            \
  {                                                          \
#op, one([](auto& b, Operands x) { return b.op(x[0]); }) \
  }
#define BINARY(op)                                                 \
  {                                                                \
#op, one([](auto& b, Operands x) { return b.op(x[0], x[1]); }) \
  }
using Named = std::pair<const char*, Build>;

void add_elementwise(std::vector<Case>& all) {
  const MLOperandDescriptor big{float32, {64, 4096}}, half{float16, {64, 4096}};
  const Named floats[] = {UNARY(abs),      UNARY(ceil),        UNARY(cos),       UNARY(erf),
                          UNARY(exp),      UNARY(floor),       UNARY(identity),  UNARY(log),
                          UNARY(neg),      UNARY(reciprocal),  UNARY(roundEven), UNARY(sign),
                          UNARY(sin),      UNARY(sqrt),        UNARY(tan),       UNARY(elu),
                          UNARY(gelu),     UNARY(hardSigmoid), UNARY(hardSwish), UNARY(leakyRelu),
                          UNARY(linear),   UNARY(relu),        UNARY(sigmoid),   UNARY(softplus),
                          UNARY(softsign), UNARY(tanh),        UNARY(isNaN),     UNARY(isInfinite)};
  for (const auto& [name, build] : floats) all.push_back({name, "64x4096", {big}, build});
  for (const Named& n : {floats[0], floats[4], floats[18], floats[21]})
    all.push_back({n.first, "64x4096 float16", {half}, n.second});
  const Build abs = floats[0].second;
  all.push_back({"abs", "64x4096 int32", {{int32, {64, 4096}}}, abs});
  const Build clamp =
      one([](auto& b, Operands x) { return b.clamp(x[0], {.minValue = 0, .maxValue = 6}); });
  all.push_back({"clamp", "64x4096", {big}, clamp});
  all.push_back({"clamp", "64x4096 int8", {{int8, {64, 4096}}}, clamp});
  const auto cast = [](MLOperandDataType t) {
    return one([t](auto& b, Operands x) { return b.cast(x[0], t); });
  };
  all.push_back({"cast", "64x4096 float32 to int32", {big}, cast(int32)});
  all.push_back({"cast", "64x4096 float32 to float16", {big}, cast(float16)});
  all.push_back({"cast", "64x4096 float16 to float32", {half}, cast(float32)});
  all.push_back({"cast", "64x4096 int64 to float32", {{int64, {64, 4096}}}, cast(float32)});
  const Named binary[] = {
      BINARY(add),    BINARY(sub),           BINARY(mul),          BINARY(div),
      BINARY(max),    BINARY(min),           BINARY(pow),          BINARY(prelu),
      BINARY(equal),  BINARY(notEqual),      BINARY(greater),      BINARY(greaterOrEqual),
      BINARY(lesser), BINARY(lesserOrEqual), BINARY(modulusFloor), BINARY(modulusTruncate)};
  for (const auto& [name, build] : binary) all.push_back({name, "64x4096", {big, big}, build});
  const Dims images{4, 32, 48, 48}, small{4000, 6};
  for (const Named& n : {binary[0], binary[4], binary[7], binary[10]}) {
    all.push_back(
        {n.first, "4x32x48x48 by 32x1x1", {{float32, images}, {float32, {32, 1, 1}}}, n.second});
    all.push_back({n.first, "4000x6 by 6", {{float32, small}, {float32, {6}}}, n.second});
  }
  for (const Named& n : {binary[0], binary[2], binary[3], binary[4]}) {
    all.push_back({n.first, "64x4096 by 1", {big, {float32, {1}}}, n.second});
    all.push_back({n.first, "64x4096 int32", {{int32, big.shape}, {int32, big.shape}}, n.second});
  }
  all.push_back(
      {"add", "4000x6 by 4000x1", {{float32, small}, {float32, {4000, 1}}}, binary[0].second});
  all.push_back({"add", "64x4096 float16", {half, half}, binary[0].second});
  all.push_back(
      {"add", "64x4096 int64", {{int64, big.shape}, {int64, big.shape}}, binary[0].second});
  const Named logical[] = {BINARY(logicalAnd), BINARY(logicalOr), BINARY(logicalXor)};
  const MLOperandDescriptor truth{uint8, {64, 4096}};
  for (const auto& [name, build] : logical) all.push_back({name, "64x4096", {truth, truth}, build});
  all.push_back({"logicalNot", "64x4096", {truth}, Named UNARY(logicalNot).second});
  const Build where = one([](auto& b, Operands x) { return b.where(x[0], x[1], x[2]); });
  all.push_back({"where", "64x4096", {truth, big, big}, where});
  all.push_back(
      {"where", "64x4096 by 4096 and 1", {truth, {float32, {4096}}, {float32, {1}}}, where});
}

void add_quantized(std::vector<Case>& all) {
  const Build to = one([](auto& b, Operands x) { return b.quantizeLinear(x[0], x[1], x[2]); });
  const Build from = one([](auto& b, Operands x) { return b.dequantizeLinear(x[0], x[1], x[2]); });
  const Dims s{64, 4096}, one_scale{1, 1}, columns{1, 4096}, blocks{64, 128};
  const auto add = [&](const char* shape, MLOperandDataType t, const Dims& scale) {
    all.push_back({"quantizeLinear", shape, {{float32, s}, {float32, scale}, {t, scale}}, to});
    all.push_back({"dequantizeLinear", shape, {{t, s}, {float32, scale}, {t, scale}}, from});
  };
  add("64x4096 int8, one scale", int8, one_scale);
  add("64x4096 int8, 4096 scales", int8, columns);
  add("64x4096 uint4, blocks of 32", uint4, blocks);
  add("64x4096 int32, one scale", int32, one_scale);
}

void add_products(std::vector<Case>& all) {
  const auto f = [](Dims shape) { return MLOperandDescriptor{float32, std::move(shape)}; };
  const Build gemm = one([](auto& b, Operands x) { return b.gemm(x[0], x[1]); });
  all.push_back({"gemm", "128x256x256", {f({128, 256}), f({256, 256})}, gemm});
  all.push_back({"gemm", "1x512x512", {f({1, 512}), f({512, 512})}, gemm});
  all.push_back(
      {"gemm", "128x256x256 float16", {{float16, {128, 256}}, {float16, {256, 256}}}, gemm});
  all.push_back({"gemm",
                 "96x200x130, b transposed, c",
                 {f({96, 200}), f({130, 200}), f({130})},
                 one([](auto& b, Operands x) {
                   return b.gemm(x[0], x[1], {.c = x[2], .alpha = 0.5, .bTranspose = true});
                 })});
  const Build matmul = one([](auto& b, Operands x) { return b.matmul(x[0], x[1]); });
  all.push_back({"matmul", "8x64x64 by 8x64x64", {f({8, 64, 64}), f({8, 64, 64})}, matmul});
  all.push_back({"matmul", "12x50x64 by 64x50", {f({12, 50, 64}), f({64, 50})}, matmul});
  const auto conv = [&](const char* shape, Dims x, Dims w, MLConv2dOptions o) {
    all.push_back(
        {"conv2d", shape, {f(std::move(x)), f(std::move(w))}, one([o](auto& b, Operands p) {
           return b.conv2d(p[0], p[1], o);
         })});
  };
  using enum MLInputOperandLayout;
  using Filter = MLConv2dFilterOperandLayout;
  conv("1x32x28x28, 3x3 to 32", {1, 32, 28, 28}, {32, 32, 3, 3}, {.padding = {1, 1, 1, 1}});
  conv("1x3x96x96, 3x3 to 16, stride 2", {1, 3, 96, 96}, {16, 3, 3, 3},
       {.padding = {1, 1, 1, 1}, .strides = {2, 2}});
  conv("1x64x28x28, 1x1 to 64", {1, 64, 28, 28}, {64, 64, 1, 1}, {});
  conv("1x64x28x28, depthwise 3x3", {1, 64, 28, 28}, {64, 1, 3, 3},
       {.padding = {1, 1, 1, 1}, .groups = 64});
  conv("1x28x28x32, 3x3 to 32, nhwc", {1, 28, 28, 32}, {32, 3, 3, 32},
       {.padding = {1, 1, 1, 1}, .inputLayout = nhwc, .filterLayout = Filter::ohwi});
  conv("1x28x28x64, depthwise 3x3, nhwc", {1, 28, 28, 64}, {1, 3, 3, 64},
       {.padding = {1, 1, 1, 1}, .groups = 64, .inputLayout = nhwc, .filterLayout = Filter::ihwo});
  const auto transposed = [&](const char* shape, Dims x, Dims w, MLConvTranspose2dOptions o) {
    all.push_back({"convTranspose2d",
                   shape,
                   {f(std::move(x)), f(std::move(w))},
                   one([o](auto& b, Operands p) { return b.convTranspose2d(p[0], p[1], o); })});
  };
  transposed("1x32x14x14, 4x4 to 32, stride 2", {1, 32, 14, 14}, {32, 32, 4, 4},
             {.padding = {1, 1, 1, 1}, .strides = {2, 2}});
  transposed("1x64x28x28, 2x2 to 32, stride 2", {1, 64, 28, 28}, {64, 32, 2, 2},
             {.strides = {2, 2}});
  transposed("1x32x28x28, 3x3 to 32", {1, 32, 28, 28}, {32, 32, 3, 3}, {.padding = {1, 1, 1, 1}});
  transposed("1x28x28x32, 3x3 to 16, stride 2, nhwc", {1, 28, 28, 32}, {16, 3, 3, 32},
             {.padding = {1, 1, 1, 1},
              .strides = {2, 2},
              .outputPadding = {1, 1},
              .inputLayout = nhwc,
              .filterLayout = MLConvTranspose2dFilterOperandLayout::ohwi});
}

void add_recurrent(std::vector<Case>& all) {
  const auto f = [](Dims shape) { return MLOperandDescriptor{float32, std::move(shape)}; };
  constexpr std::uint32_t steps = 8, inputs = 64, hidden = 64;
  for (std::uint32_t batch : {1u, 16u}) {
    const std::string shape = "8 steps, batch " + std::to_string(batch) + ", 64 to 64";
    all.push_back(
        {"gru",
         shape,
         {f({steps, batch, inputs}), f({1, 3 * hidden, inputs}), f({1, 3 * hidden, hidden})},
         [](auto& b, Operands x) { return b.gru(x[0], x[1], x[2], steps, hidden); }});
    all.push_back(
        {"lstm",
         shape,
         {f({steps, batch, inputs}), f({1, 4 * hidden, inputs}), f({1, 4 * hidden, hidden})},
         [](auto& b, Operands x) { return b.lstm(x[0], x[1], x[2], steps, hidden); }});
  }
  all.push_back({"gruCell",
                 "batch 4, 128 to 128",
                 {f({4, 128}), f({384, 128}), f({384, 128}), f({4, 128})},
                 one([](auto& b, Operands x) { return b.gruCell(x[0], x[1], x[2], x[3], 128); })});
  all.push_back(
      {"lstmCell",
       "batch 4, 128 to 128",
       {f({4, 128}), f({512, 128}), f({512, 128}), f({4, 128}), f({4, 128})},
       [](auto& b, Operands x) { return b.lstmCell(x[0], x[1], x[2], x[3], x[4], 128); }});
}

#define REDUCE(op)                                                           \
  {                                                                          \
#op, one([](auto& b, Operands x) { return b.op(x[0], {.axes = AXES}); }) \
  }
#define REDUCES                                                                        \
  REDUCE(reduceL1), REDUCE(reduceL2), REDUCE(reduceLogSum), REDUCE(reduceLogSumExp),   \
      REDUCE(reduceMax), REDUCE(reduceMean), REDUCE(reduceMin), REDUCE(reduceProduct), \
      REDUCE(reduceSum), REDUCE(reduceSumSquare)

void add_reductions(std::vector<Case>& all) {
  const auto f = [](Dims shape) { return MLOperandDescriptor{float32, std::move(shape)}; };
#define AXES \
  std::vector { 1u }
  const Named rows[] = {REDUCES};
#undef AXES
#define AXES \
  std::vector { 0u }
  const Named columns[] = {REDUCES};
#undef AXES
#define AXES \
  std::vector { 2u, 3u }
  const Named images[] = {REDUCES};
#undef AXES
  for (const auto& [name, build] : rows)
    all.push_back({name, "256x1000 rows", {f({256, 1000})}, build});
  for (const auto& [name, build] : columns)
    all.push_back({name, "1000x256 columns", {f({1000, 256})}, build});
  all.push_back({"reduceMean", "1x512x7x7 images", {f({1, 512, 7, 7})}, images[5].second});
  all.push_back({"reduceSum", "256x1000 rows int32", {{int32, {256, 1000}}}, rows[8].second});
  all.push_back({"reduceMax", "256x1000 rows float16", {{float16, {256, 1000}}}, rows[4].second});
  const auto softmax = [](std::uint32_t axis) {
    return one([axis](auto& b, Operands x) { return b.softmax(x[0], axis); });
  };
  all.push_back({"softmax", "256x1000 rows", {f({256, 1000})}, softmax(1)});
  all.push_back({"softmax", "1000x256 columns", {f({1000, 256})}, softmax(0)});
  all.push_back({"softmax", "256x1000 rows float16", {{float16, {256, 1000}}}, softmax(1)});
  all.push_back({"batchNormalization",
                 "1x64x56x56",
                 {f({1, 64, 56, 56}), f({64}), f({64})},
                 one([](auto& b, Operands x) { return b.batchNormalization(x[0], x[1], x[2]); })});
  all.push_back({"batchNormalization",
                 "1x56x56x64 nhwc",
                 {f({1, 56, 56, 64}), f({64}), f({64})},
                 one([](auto& b, Operands x) {
                   return b.batchNormalization(x[0], x[1], x[2], {.axis = 3});
                 })});
  const auto instance = [](MLInputOperandLayout layout) {
    return one([layout](auto& b, Operands x) {
      return b.instanceNormalization(x[0], {.layout = layout});
    });
  };
  all.push_back({"instanceNormalization",
                 "1x64x56x56",
                 {f({1, 64, 56, 56})},
                 instance(MLInputOperandLayout::nchw)});
  all.push_back({"instanceNormalization",
                 "1x56x56x64 nhwc",
                 {f({1, 56, 56, 64})},
                 instance(MLInputOperandLayout::nhwc)});
  all.push_back({"instanceNormalization",
                 "1x64x56x56 float16",
                 {{float16, {1, 64, 56, 56}}},
                 instance(MLInputOperandLayout::nchw)});
  all.push_back({"layerNormalization",
                 "128x768, scale and bias",
                 {f({128, 768}), f({768}), f({768})},
                 one([](auto& b, Operands x) {
                   return b.layerNormalization(x[0], {.scale = x[1], .bias = x[2]});
                 })});
  all.push_back({"layerNormalization",
                 "1x64x28x28, axis 1",
                 {f({1, 64, 28, 28})},
                 one([](auto& b, Operands x) {
                   return b.layerNormalization(x[0], {.axes = std::vector{1u}});
                 })});
  all.push_back({"argMax", "256x1000 rows", {f({256, 1000})}, one([](auto& b, Operands x) {
                   return b.argMax(x[0], 1);
                 })});
  all.push_back({"argMin", "1000x256 columns", {f({1000, 256})}, one([](auto& b, Operands x) {
                   return b.argMin(x[0], 0);
                 })});
  all.push_back({"cumulativeSum", "256x1000 rows", {f({256, 1000})}, one([](auto& b, Operands x) {
                   return b.cumulativeSum(x[0], 1);
                 })});
}

void add_windows(std::vector<Case>& all) {
  const auto f = [](Dims shape) { return MLOperandDescriptor{float32, std::move(shape)}; };
  const MLPool2dOptions nchw{.windowDimensions = std::vector{3u, 3u}, .strides = {2, 2}};
  MLPool2dOptions nhwc = nchw;
  nhwc.layout = MLInputOperandLayout::nhwc;
  for (const auto& [o, x, shape] :
       {std::tuple{nchw, Dims{1, 32, 56, 56}, "1x32x56x56, 3x3, stride 2"},
        std::tuple{nhwc, Dims{1, 56, 56, 32}, "1x56x56x32, 3x3, stride 2, nhwc"}}) {
    all.push_back({"averagePool2d", shape, {f(x)}, one([o = o](auto& b, Operands p) {
                     return b.averagePool2d(p[0], o);
                   })});
    all.push_back({"l2Pool2d", shape, {f(x)}, one([o = o](auto& b, Operands p) {
                     return b.l2Pool2d(p[0], o);
                   })});
    all.push_back({"maxPool2d", shape, {f(x)}, one([o = o](auto& b, Operands p) {
                     return b.maxPool2d(p[0], o);
                   })});
  }
  all.push_back(
      {"averagePool2d", "1x512x7x7, global", {f({1, 512, 7, 7})}, one([](auto& b, Operands p) {
         return b.averagePool2d(p[0]);
       })});
  const auto resample = [&](const char* shape, Dims x, MLResample2dOptions o,
                            MLOperandDataType t = float32) {
    all.push_back({"resample2d", shape, {{t, std::move(x)}}, one([o](auto& b, Operands p) {
                     return b.resample2d(p[0], o);
                   })});
  };
  using enum MLInterpolationMode;
  resample("1x32x28x28 by 2, linear", {1, 32, 28, 28}, {.mode = linear, .scales = {2, 2}});
  resample("1x28x28x32 by 2, linear, nhwc", {1, 28, 28, 32},
           {.mode = linear, .scales = {2, 2}, .axes = {1, 2}});
  resample("1x3x224x224 to 160, linear", {1, 3, 224, 224},
           {.mode = linear, .sizes = std::vector{160u, 160u}});
  resample("1x32x28x28 by 2, linear, uint8", {1, 32, 28, 28}, {.mode = linear, .scales = {2, 2}},
           uint8);
  resample("1x32x28x28 by 2, nearest", {1, 32, 28, 28}, {.scales = {2, 2}});
  resample("1x28x28x32 by 2, nearest, nhwc", {1, 28, 28, 32}, {.scales = {2, 2}, .axes = {1, 2}});
}

void add_moves(std::vector<Case>& all) {
  const auto f = [](Dims shape) { return MLOperandDescriptor{float32, std::move(shape)}; };
  const auto add = [&](const char* name, const char* shape, std::vector<MLOperandDescriptor> in,
                       Build b) {
    all.push_back({name, shape, std::move(in), std::move(b)});
  };
  add("concat", "64x2000 and 64x2096", {f({64, 2000}), f({64, 2096})}, one([](auto& b, Operands x) {
        return b.concat({x[0], x[1]}, 1);
      }));
  add("expand", "1x4096 to 64x4096", {f({1, 4096})}, one([](auto& b, Operands x) {
        return b.expand(x[0], {64, 4096});
      }));
  add("gather", "1000x128, 500 indices", {f({1000, 128}), {int32, {500}}},
      one([](auto& b, Operands x) { return b.gather(x[0], x[1]); }));
  add("gatherElements", "64x4096", {f({64, 4096}), {int32, {64, 4096}}},
      one([](auto& b, Operands x) { return b.gatherElements(x[0], x[1]); }));
  add("gatherND", "100x100x16, 4000 indices", {f({100, 100, 16}), {int32, {4000, 2}}},
      one([](auto& b, Operands x) { return b.gatherND(x[0], x[1]); }));
  add("pad", "64x4000", {f({64, 4000})}, one([](auto& b, Operands x) {
        return b.pad(x[0], {1, 48}, {1, 48});
      }));
  add("reshape", "64x4096", {f({64, 4096})}, one([](auto& b, Operands x) {
        return b.reshape(x[0], {4096, 64});
      }));
  add("reverse", "64x4096", {f({64, 4096})},
      one([](auto& b, Operands x) { return b.reverse(x[0]); }));
  add("scatterElements", "64x4096", {f({64, 4096}), {int32, {64, 4096}}, f({64, 4096})},
      one([](auto& b, Operands x) { return b.scatterElements(x[0], x[1], x[2]); }));
  add("scatterND", "100x100x16, 4000 indices",
      {f({100, 100, 16}), {int32, {4000, 2}}, f({4000, 16})},
      one([](auto& b, Operands x) { return b.scatterND(x[0], x[1], x[2]); }));
  add("slice", "64x4096", {f({64, 4096})}, one([](auto& b, Operands x) {
        return b.slice(x[0], {1, 3}, {60, 4000});
      }));
  add("split", "64x4096", {f({64, 4096})},
      [](auto& b, Operands x) { return b.split(x[0], 2u, {.axis = 1}); });
  add("tile", "64x1024 by 4", {f({64, 1024})}, one([](auto& b, Operands x) {
        return b.tile(x[0], {1, 4});
      }));
  add("transpose", "512x512", {f({512, 512})},
      one([](auto& b, Operands x) { return b.transpose(x[0]); }));
  add("triangular", "512x512", {f({512, 512})},
      one([](auto& b, Operands x) { return b.triangular(x[0]); }));
}

}  // namespace

std::vector<Case> reference_cases() {
  std::vector<Case> all;
  add_elementwise(all);
  add_quantized(all);
  add_products(all);
  add_recurrent(all);
  add_reductions(all);
  add_windows(all);
  add_moves(all);
  return all;
}

}  // namespace webnn::inline v0_1::bench
