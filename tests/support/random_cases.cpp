#include "tests/support/random_cases.h"

namespace webnn::inline v0_1::test {
namespace {

MLOperand input(MLGraphBuilder& b, const char* name, Dims shape) {
  return b.input(name, {float32, std::move(shape)});
}

MLOperand random_activation(Random& r, MLGraphBuilder& b, const MLOperand& y, bool only_clamps) {
  switch (r.between(0, only_clamps ? 2 : 10)) {
    case 0: return b.relu(y);
    case 1: return b.clamp(y, {.minValue = -0.5, .maxValue = 0.75});
    case 2: return r.chance() ? b.clamp(y, {.maxValue = 0.25}) : b.clamp(y, {.minValue = -0.25});
    case 3: return b.leakyRelu(y, {.alpha = r.chance() ? 0.1 : -0.3});
    case 4: return b.elu(y, {.alpha = 0.7});
    case 5: return b.hardSwish(y);
    case 6: return b.hardSigmoid(y, {.alpha = 0.3, .beta = 0.4});
    case 7: return b.sigmoid(y);
    case 8: return b.tanh(y);
    case 9: return b.gelu(y);
    default: return b.linear(y, {.alpha = -1.5, .beta = 0.25});
  }
}

}  // namespace

MLOperand random_epilogue(Random& r, MLGraphBuilder& b, const MLOperand& y, bool only_clamps) {
  const auto after = r.one_of(std::vector<After>{After::residual, After::activation, After::both});
  MLOperand z = y;
  if (after != After::activation) {
    const MLOperand residual = input(b, "residual", y.shape());
    z = r.chance() ? b.add(z, residual) : b.add(residual, z);
  }
  return after == After::residual ? z : random_activation(r, b, z, only_clamps);
}

KernelCase random_conv2d(unsigned seed, const ConvolutionKind& kind) {
  Random r(seed);
  return KernelCase(
      [&](MLGraphBuilder& b) {
        using enum MLConv2dFilterOperandLayout;
        MLConv2dOptions o;
        const auto layout =
            r.one_of(std::vector<MLConv2dFilterOperandLayout>{oihw, hwio, ohwi, ihwo});
        std::uint32_t groups = 1, inputs = r.between(1, 40), each = r.between(1, 70);  // per group
        if (r.chance(0.3)) inputs = 16 * r.between(1, 4), each = 32 * r.between(1, 4);
        if (kind.depthwise) groups = r.between(2, 70), inputs = 1, each = 1;
        if (kind.depthwise && r.chance()) groups = 16 * r.between(1, 12);
        if (kind.grouped)
          groups = r.between(2, 5), inputs = r.between(1, 20), each = r.between(1, 20);
        std::uint32_t kh = r.between(1, 5), kw = r.between(1, 5);
        if (kind.pointwise) kh = kw = 1;
        std::uint32_t height = r.between(1, 20), width = r.between(1, 20);
        if (r.chance(0.3)) height = r.between(20, 40);
        const std::uint32_t batch = r.one_of(std::vector<std::uint32_t>{1, 1, 1, 2, 3, 9});
        if (!kind.pointwise) {
          o.strides = {r.between(1, 3), r.between(1, 3)};
          o.dilations = r.chance(0.3) ? Dims{r.between(1, 3), r.between(1, 3)} : Dims{1, 1};
          const std::uint32_t effective_height = (kh - 1) * o.dilations[0],
                              effective_width = (kw - 1) * o.dilations[1];
          o.padding = {r.between(0, effective_height), r.between(0, effective_height),
                       r.between(0, effective_width), r.between(0, effective_width)};
          height = std::max(height, effective_height + 1);
          width = std::max(width, effective_width + 1);
        }
        o.groups = groups;
        o.inputLayout = kind.layout;
        o.filterLayout = layout;
        const std::uint32_t outputs = groups * each;
        Dims filter;
        switch (layout) {
          case oihw: filter = {outputs, inputs, kh, kw}; break;
          case hwio: filter = {kh, kw, inputs, outputs}; break;
          case ohwi: filter = {outputs, kh, kw, inputs}; break;
          case ihwo: filter = {inputs, kh, kw, outputs}; break;
        }
        if (r.chance(0.7))
          o.bias = kind.constant_bias ? r.constant(b, {outputs}) : input(b, "bias", {outputs});
        const Dims shape = kind.layout == MLInputOperandLayout::nhwc
                               ? Dims{batch, height, width, groups * inputs}
                               : Dims{batch, groups * inputs, height, width};
        const MLOperand y = b.conv2d(input(b, "x", shape), r.constant(b, filter), o);
        return kind.epilogue ? random_epilogue(r, b, y, kind.only_clamps) : y;
      },
      seed);
}

KernelCase random_gemm(unsigned seed, const ProductKind& kind) {
  Random r(seed);
  return KernelCase(
      [&](MLGraphBuilder& b) {
        const std::uint32_t m = r.one_of(std::vector<std::uint32_t>{1, 1, 3, 17, 64, 130});
        const std::uint32_t n = r.one_of(std::vector<std::uint32_t>{1, 5, 33, 128, 300});
        const std::uint32_t k = r.one_of(std::vector<std::uint32_t>{1, 7, 32, 150, 513});
        MLGemmOptions o;
        o.aTranspose = kind.transposed_a && r.chance();
        o.bTranspose = r.chance();
        if (r.chance(0.3)) o.alpha = -0.75;
        if (r.chance(0.7)) {
          const std::vector<Dims> shapes{{}, {n}, {1, n}, {1}, {m, 1}, {m, n}, {1, 1}};
          const Dims shape = shapes[r.between(0, kind.plain_c ? 3 : 6)];
          o.c = kind.plain_c || r.chance() ? r.constant(b, shape) : input(b, "c", shape);
          if (r.chance(0.4)) o.beta = 0.5;
        }
        const Dims a = o.aTranspose ? Dims{k, m} : Dims{m, k},
                   bs = o.bTranspose ? Dims{n, k} : Dims{k, n};
        const MLOperand y =
            b.gemm(input(b, "a", a), kind.constant_b ? r.constant(b, bs) : input(b, "b", bs), o);
        return kind.epilogue ? random_epilogue(r, b, y, kind.only_clamps) : y;
      },
      seed);
}

KernelCase random_matmul(unsigned seed, const ProductKind& kind) {
  Random r(seed);
  return KernelCase(
      [&](MLGraphBuilder& b) {
        const std::uint32_t m = r.one_of(std::vector<std::uint32_t>{1, 4, 19, 65}),
                            n = r.between(1, 80), k = r.between(1, 90);
        struct Batches {
          Dims a, b;
        };
        const std::vector<Batches> all{{{}, {}},      {{3}, {}},          {{2, 3}, {1, 1}},
                                       {{3}, {3}},    {{12}, {12}},       {{1}, {4}},
                                       {{2, 1}, {3}}, {{5, 1, 2}, {3, 1}}};
        const Batches& batches =
            all[r.between(0, kind.plain_c ? 2 : static_cast<std::uint32_t>(all.size()) - 1)];
        Dims a = batches.a, bs = batches.b;
        a.push_back(m), a.push_back(k), bs.push_back(k), bs.push_back(n);
        const MLOperand y =
            b.matmul(input(b, "a", a), kind.constant_b ? r.constant(b, bs) : input(b, "b", bs));
        return kind.epilogue ? random_epilogue(r, b, y, kind.only_clamps) : y;
      },
      seed);
}

KernelCase random_pool2d(unsigned seed, MLInputOperandLayout layout, bool max, bool dilated) {
  Random r(seed);
  return KernelCase(
      [&](MLGraphBuilder& b) {
        MLPool2dOptions o;
        o.layout = layout;
        std::uint32_t wh = r.between(1, 5), ww = r.between(2, 5);
        o.strides = {r.between(1, wh), r.between(1, ww)};
        if (dilated) o.dilations = {r.between(1, 3), r.between(1, 3)};
        const std::uint32_t effective_height = (wh - 1) * o.dilations[0] + 1,
                            effective_width = (ww - 1) * o.dilations[1] + 1;
        const std::uint32_t height = effective_height + r.between(0, 20),
                            width = effective_width + r.between(0, 20);
        if (r.chance())
          o.padding = {r.between(0, wh / 2), r.between(0, wh / 2), r.between(0, ww / 2),
                       r.between(0, ww / 2)};
        o.outputShapeRounding = r.chance() ? MLRoundingType::ceil : MLRoundingType::floor;
        if (r.chance(0.8)) o.windowDimensions = {wh, ww};
        else o.dilations = {1, 1}, o.strides = {1, 1}, o.padding = {0, 0, 0, 0};
        const std::uint32_t batch = r.one_of(std::vector<std::uint32_t>{1, 1, 2, 9});
        const std::uint32_t channels = r.one_of(std::vector<std::uint32_t>{1, 3, 16, 35, 64, 130});
        const MLOperand x =
            input(b, "x",
                  layout == MLInputOperandLayout::nhwc ? Dims{batch, height, width, channels}
                                                       : Dims{batch, channels, height, width});
        return max ? b.maxPool2d(x, o) : b.averagePool2d(x, o);
      },
      seed);
}

namespace {

std::uint32_t extreme(Random& r) {
  switch (r.between(0, 5)) {
    case 0: return r.between(1, 8);
    case 1: return r.between(1, 300);
    case 2: return 1u << r.between(0, 20);
    case 3: return r.between(1, 1u << 24);
    case 4: return (1u << 31) - r.between(1, 3);
    default: return 1;
  }
}

MLOperand extreme_operator(Random& r, MLGraphBuilder& b) {
  const auto layout = r.chance(0.7) ? MLInputOperandLayout::nhwc : MLInputOperandLayout::nchw;
  const bool nhwc = layout == MLInputOperandLayout::nhwc;
  const std::uint32_t h = extreme(r), w = extreme(r),
                      c = r.chance() ? r.between(1, 20) : extreme(r);
  const MLOperand x =
      input(b, "x", nhwc ? Dims{r.between(1, 3), h, w, c} : Dims{r.between(1, 3), c, h, w});
  const Dims padding{extreme(r), extreme(r), r.chance() ? 0 : extreme(r), extreme(r)};
  const Dims strides{extreme(r), extreme(r)},
      dilations{r.chance() ? 1 : extreme(r), r.chance() ? 1 : extreme(r)};
  const std::uint32_t kh = r.between(1, 600), kw = r.between(1, 40);
  if (r.chance(0.3)) {
    const MLPool2dOptions o{.windowDimensions = {{extreme(r), extreme(r)}},
                            .padding = padding,
                            .strides = strides,
                            .dilations = dilations,
                            .layout = layout};
    return r.chance() ? b.averagePool2d(x, o) : b.maxPool2d(x, o);
  }
  if (r.chance(0.2)) {
    const std::uint32_t m = extreme(r), k = r.between(1, 2000), n = r.between(1, 200);
    return b.matmul(input(b, "a", {m, k}), r.constant(b, {k, n}));
  }
  const bool depthwise = r.chance(0.3);
  const std::uint32_t inputs = depthwise ? 1 : c, outputs = depthwise ? c : r.between(1, 5);
  if (std::uint64_t{kh} * kw * inputs * outputs > 1'000'000) return b.relu(x);
  return b.conv2d(x, r.constant(b, {outputs, kh, kw, inputs}),
                  {.padding = padding,
                   .strides = strides,
                   .dilations = dilations,
                   .groups = depthwise ? c : 1,
                   .inputLayout = layout,
                   .filterLayout = MLConv2dFilterOperandLayout::ohwi});
}

}  // namespace

int lower_extremes(const Backend& backend, int cases) {
  int taken = 0;
  const MLContext context({.threads = 1, .backends = {"reference"}, .keepConstants = true});
  for (unsigned seed = 0; cases > 0; ++seed) {
    Random r(seed);
    MLGraphBuilder b(context);
    MLOperand y;
    try {
      y = extreme_operator(r, b);
    } catch (const Error&) {  // no such shape
      continue;
    }
    --cases;
    const MLGraph graph = b.build({{"y", y}});
    const Node node = graph.graph().node(0);
    const Lowering l = backend.lower(Chain(&node, 1));
    const auto* refused = std::get_if<Refusal>(&l);
    if (refused && refused->reason.empty()) throw std::logic_error("a refusal without a reason");
    taken += !refused;
  }
  return taken;
}

}  // namespace webnn::inline v0_1::test
