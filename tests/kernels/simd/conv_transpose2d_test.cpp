#include "tests/kernels/simd/activations.h"

namespace webnn::inline v0_1::test {
namespace {

using Layout = MLConvTranspose2dFilterOperandLayout;

struct Case {
  std::uint32_t batch, height, width, inputs, outputs, kernel_h, kernel_w;
  Dims strides{1, 1}, padding{0, 0, 0, 0}, output_padding{0, 0};
  bool bias = true;
  Layout layout = Layout::iohw;
  bool large = false;  ///< weights
};

std::ostream& operator<<(std::ostream& s, const Case& c) {
  s << c.batch << 'x' << c.height << 'x' << c.width << 'x' << c.inputs << " -> " << c.outputs
    << ", " << c.kernel_h << 'x' << c.kernel_w << ", strides " << c.strides[0] << ' '
    << c.strides[1] << ", padding";
  for (auto v : c.padding) s << ' ' << v;
  return s << ", output padding " << c.output_padding[0] << ' ' << c.output_padding[1]
           << ", layout " << name_of(c.layout);
}

Dims filter_shape(const Case& c) {
  switch (c.layout) {
    case Layout::iohw: return {c.inputs, c.outputs, c.kernel_h, c.kernel_w};
    case Layout::hwoi: return {c.kernel_h, c.kernel_w, c.outputs, c.inputs};
    case Layout::ohwi: return {c.outputs, c.kernel_h, c.kernel_w, c.inputs};
  }
  return {};
}
std::size_t filter_place(const Case& c, std::size_t i, std::size_t o, std::size_t h,
                         std::size_t w) {
  switch (c.layout) {
    case Layout::iohw: return ((i * c.outputs + o) * c.kernel_h + h) * c.kernel_w + w;
    case Layout::hwoi: return ((h * c.kernel_w + w) * c.outputs + o) * c.inputs + i;
    case Layout::ohwi: return ((o * c.kernel_h + h) * c.kernel_w + w) * c.inputs + i;
  }
  return 0;
}

/// Each input element adds its multiple of the filter to the result.
std::vector<Sum> scattered(const Case& c, const std::vector<float>& x, const std::vector<float>& w,
                           const std::vector<float>* bias, const Dims& out) {
  std::vector<Sum> y(element_count(out));
  for (std::size_t i = 0; bias && i < y.size(); ++i) y[i].add((*bias)[i % c.outputs]);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t channel = i % c.inputs, column = i / c.inputs % c.width;
    const std::size_t row = i / c.inputs / c.width % c.height,
                      image = i / c.inputs / c.width / c.height;
    for (std::size_t h = 0; h < c.kernel_h; ++h)
      for (std::size_t v = 0; v < c.kernel_w; ++v) {
        const std::size_t oy = row * c.strides[0] + h, ox = column * c.strides[1] + v;
        if (oy < c.padding[0] || oy - c.padding[0] >= out[1]) continue;
        if (ox < c.padding[2] || ox - c.padding[2] >= out[2]) continue;
        const std::size_t at =
            ((image * out[1] + oy - c.padding[0]) * out[2] + ox - c.padding[2]) * c.outputs;
        for (std::size_t o = 0; o < c.outputs; ++o)
          y[at + o].add(x[i], w[filter_place(c, channel, o, h, v)]);
      }
  }
  return y;
}

void check(const Case& c, bool residual = false,
           const ActivationCase& activation = activations()[0]) {
  INFO(c << (residual ? ", residual, " : ", ") << activation.name);
  ChainUnderTest t;
  const MLOperand x = t.input({c.batch, c.height, c.width, c.inputs});
  const MLOperand w = t.constant(filter_shape(c));
  MLConvTranspose2dOptions o{.padding = c.padding,
                             .strides = c.strides,
                             .outputPadding = c.output_padding,
                             .inputLayout = MLInputOperandLayout::nhwc,
                             .filterLayout = c.layout};
  if (c.bias) o.bias = t.constant({c.outputs});
  const MLOperand conv = t.b.convTranspose2d(x, w, o);
  MLOperand y = conv, added;
  if (residual) {
    added = t.input(conv.shape());
    y = t.b.add(added, y);
  }
  const std::vector<float> actual = t.run(activation.append(t.b, y));
  CHECK_THAT(t.kernel,
             Catch::Matchers::StartsWith(c.large && !residual ? "phase products" : "phases"));
  auto sums =
      scattered(c, t.values(x), t.values(w), c.bias ? &t.values(*o.bias) : nullptr, conv.shape());
  REQUIRE(actual.size() == sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (residual) sums[i].add(t.values(added)[i]);
    check_near(actual[i], sums[i], activation.value, activation.slope);
  }
}

const std::vector<Case> cases{
    {1, 1, 1, 1, 1, 1, 1},
    {1, 5, 7, 3, 5, 3, 3},
    {2, 6, 5, 4, 20, 3, 3, {1, 1}, {1, 1, 1, 1}},
    // kernel and stride are the same
    {1, 5, 6, 7, 9, 2, 2, {2, 2}},
    {2, 16, 16, 19, 33, 2, 2, {2, 2}, {0, 0, 0, 0}, {0, 0}, false},
    {1, 9, 33, 8, 3, 2, 2, {2, 2}},
    {1, 4, 5, 6, 17, 3, 3, {3, 3}, {0, 0, 0, 0}, {1, 2}},
    {1, 4, 5, 6, 17, 2, 2, {2, 2}, {1, 0, 0, 1}},
    {1, 4, 5, 6, 17, 2, 2, {2, 2}, {0, 0, 2, 2}},
    // larger kernels
    {1, 7, 8, 5, 18, 3, 3, {2, 2}, {1, 1, 1, 1}, {1, 1}},
    {2, 9, 31, 6, 16, 3, 3, {2, 2}, {1, 1, 1, 1}},
    {1, 6, 7, 4, 8, 4, 4, {2, 2}, {1, 1, 1, 1}},
    {1, 6, 7, 4, 8, 4, 4, {2, 2}},
    {1, 5, 4, 3, 40, 5, 5, {2, 3}, {2, 1, 0, 3}, {1, 0}},
    {1, 3, 3, 2, 7, 6, 1, {4, 1}, {3, 3, 0, 0}, {3, 0}},
    {1, 3, 4, 2, 7, 4, 5, {3, 2}, {5, 4, 6, 3}},
    // results that no input reaches
    {1, 4, 3, 5, 9, 1, 1, {2, 3}, {0, 0, 0, 0}, {1, 2}},
    {1, 4, 6, 5, 9, 2, 1, {3, 4}, {1, 1, 2, 0}, {2, 3}},
    // many channels: columns of the product in groups
    {1, 5, 6, 90, 150, 3, 3, {2, 2}, {1, 1, 1, 1}, {1, 1}},
    {1, 12, 4, 200, 70, 2, 2, {2, 2}},
    // few output channels
    {1, 6, 7, 90, 3, 4, 4, {2, 2}, {1, 1, 1, 1}},
    {1, 5, 9, 130, 1, 2, 2, {2, 2}},
};
/// 0.5 MB of weights for a phase, or more.
const std::vector<Case> large_cases{
    {1, 5, 6, 256, 140, 4, 4, {2, 2}, {1, 1, 1, 1}},
    {2, 3, 4, 300, 130, 3, 3, {2, 2}, {1, 0, 2, 1}, {1, 1}, false},
    {1, 9, 5, 180, 90, 3, 3},
    {1, 3, 2, 600, 300, 2, 2, {2, 2}},
    {2, 3, 3, 130, 70, 6, 5, {2, 1}, {3, 4, 5, 1}},
    {1, 1, 1, 700, 200, 3, 2, {3, 2}, {1, 0, 1, 0}},
};

}  // namespace

TEST_CASE("simd convTranspose2d: sizes, strides, padding") {
  for_targets([] {
    for (const Case& c : cases)
      for (bool residual : {false, true}) check(c, residual, activations()[residual]);
  });
}

TEST_CASE("simd convTranspose2d: large weights") {
  for_targets([] {
    for (Case c : large_cases) {
      c.large = true;
      check(c);
    }
  });
  for (Layout layout : {Layout::iohw, Layout::hwoi, Layout::ohwi}) {
    Case c = large_cases[1];
    c.large = true;
    c.layout = layout;
    for (const ActivationCase& a : activations()) check(c, false, a);
    check(c, true);
  }
}

TEST_CASE("simd convTranspose2d: every filter layout") {
  for (Case c : cases)
    for (Layout layout : {Layout::hwoi, Layout::ohwi}) {
      c.layout = layout;
      check(c);
    }
}

TEST_CASE("simd convTranspose2d: activations") {
  for_targets([] {
    for (const ActivationCase& a : activations()) {
      check({1, 5, 6, 7, 9, 2, 2, {2, 2}}, true, a);
      check({1, 7, 8, 5, 18, 3, 3, {2, 2}, {1, 1, 1, 1}, {1, 1}}, false, a);
      check({1, 6, 7, 90, 3, 4, 4, {2, 2}, {1, 1, 1, 1}}, true, a);
    }
  });
}

TEST_CASE("simd convTranspose2d: random sizes") {
  std::mt19937 random(5);
  const auto any = [&](std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(random() % (high - low + 1));
  };
  for_targets([&] {
    for (int i = 0; i < 60; ++i) {
      Case c{any(1, 2), any(1, 9), any(1, 20), any(1, 20), any(1, 40), any(1, 5), any(1, 5)};
      c.strides = {any(1, 4), any(1, 4)};
      c.output_padding = {any(0, c.strides[0] - 1), any(0, c.strides[1] - 1)};
      const auto extent = [&](std::uint32_t in, std::uint32_t kernel, int d) {
        return (in - 1) * c.strides[d] + kernel + c.output_padding[d];
      };
      for (std::uint32_t& p : c.padding) p = any(0, 3);
      if (c.padding[0] + c.padding[1] >= extent(c.height, c.kernel_h, 0)) continue;
      if (c.padding[2] + c.padding[3] >= extent(c.width, c.kernel_w, 1)) continue;
      c.bias = any(0, 1);
      check(c, any(0, 1), activations()[any(0, 2)]);
    }
  });
}

TEST_CASE("simd convTranspose2d: an infinite element reaches only what it should") {
  for_targets([] {
    ChainUnderTest t;
    std::vector<float> values(4 * 5, 1.f);
    values[7] = INFINITY;
    const MLOperand x = t.input({1, 4, 5, 1}, values);
    const auto y =
        t.run(t.b.convTranspose2d(x, t.constant({1, 3, 3, 3}),
                                  {.strides = {2, 2}, .inputLayout = MLInputOperandLayout::nhwc}));
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t row = i / 3 / 11, column = i / 3 % 11;  // element 7: row 1, column 2
      const bool reached = row >= 2 && row <= 4 && column >= 4 && column <= 6;
      CHECK(std::isfinite(y[i]) == !reached);
    }
  });
}

TEST_CASE("simd convTranspose2d: refusals have reasons") {
  ChainUnderTest t;
  const auto reason = [&](const MLOperand& x, const MLOperand& w, MLConvTranspose2dOptions o) {
    const auto lowering = t.lower(t.b.convTranspose2d(x, w, std::move(o)));
    REQUIRE(std::holds_alternative<Refusal>(lowering));
    return std::get<Refusal>(lowering).reason;
  };
  constexpr auto nhwc = MLInputOperandLayout::nhwc;
  const MLOperand x = t.input({1, 4, 4, 2}), w = t.constant({2, 2, 3, 3});
  CHECK(reason(t.input({1, 2, 4, 4}), w, {}) == "only nhwc");
  CHECK(reason(x, w, {.groups = 2, .inputLayout = nhwc}) == "only one group");
  CHECK(reason(x, w, {.dilations = {1, 2}, .inputLayout = nhwc}) == "no dilations");
  CHECK(reason(x, t.input({2, 2, 3, 3}), {.inputLayout = nhwc}) == "the filter is not constant");
  CHECK(reason(x, w, {.inputLayout = nhwc, .bias = t.input({2})}) == "the bias is not constant");
  CHECK(reason(x, w, {.strides = {1, 17}, .inputLayout = nhwc}) == "a stride is above 16");
}

}  // namespace webnn::inline v0_1::test
