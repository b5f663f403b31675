// Convolutions that read int4, uint4, int8, uint8 and float16 filters as they are stored.
#include <cmath>

#include "src/kernels/simd/backend.h"
#include "src/runtime/packed_weights.h"
#include "tests/kernels/simd/activations.h"
#include "tests/kernels/simd/stored_weights.h"
#include "tests/support/filter_layout.h"

namespace webnn::inline v0_1::test {
namespace {

using Layout = MLConv2dFilterOperandLayout;

/// Sizes of a filter, or numbers of scales, by dimension.
struct ByAxis {
  std::uint32_t outputs = 1, height = 1, width = 1, inputs = 1;

  std::size_t count() const { return std::size_t{outputs} * height * width * inputs; }
  Dims in(Layout layout) const { return in_layout(layout, outputs, inputs, height, width); }
  std::size_t index(Layout layout, const ByAxis& at) const {
    const Dims shape = in(layout), place = at.in(layout);
    std::size_t i = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) i = i * shape[d] + place[d];
    return i;
  }
};

struct SmallConv {
  ByAxis filter{48, 3, 3, 160};
  std::uint32_t batch = 1, height = 5, width = 6;
  Dims padding{1, 1, 1, 1}, strides{1, 1}, dilations{1, 1};
  MLOperandDataType type = int4;
  ByAxis scales{};
  bool zeros = true;
  Layout layout = Layout::ohwi;
  bool bias = true, residual = false;
  std::size_t activation = 0;  // which one of activations()
};

std::ostream& operator<<(std::ostream& s, const SmallConv& c) {
  s << name_of(c.type) << ' ' << c.batch << 'x' << c.height << 'x' << c.width << 'x'
    << c.filter.inputs << " -> " << c.filter.outputs << ", " << c.filter.height << 'x'
    << c.filter.width << ", scales " << c.scales.outputs << 'x' << c.scales.height << 'x'
    << c.scales.width << 'x' << c.scales.inputs << ", padding";
  for (auto v : c.padding) s << ' ' << v;
  return s << ", strides " << c.strides[0] << ' ' << c.strides[1] << ", dilations "
           << c.dilations[0] << ' ' << c.dilations[1] << ", layout " << static_cast<int>(c.layout)
           << ", " << activations()[c.activation].name;
}

/// f(place) for each element.
template <class F> void for_each(const ByAxis& sizes, F f) {
  for (std::uint32_t o = 0; o < sizes.outputs; ++o)
    for (std::uint32_t h = 0; h < sizes.height; ++h)
      for (std::uint32_t w = 0; w < sizes.width; ++w)
        for (std::uint32_t i = 0; i < sizes.inputs; ++i) f(ByAxis{o, h, w, i});
}

/// The filter as its operator makes it, and its values [outputs][height][width][inputs].
Stored stored_filter(ChainUnderTest& t, const SmallConv& c) {
  const ByAxis& f = c.filter;
  Stored s;
  s.values.reserve(f.count());
  if (c.type == float16) {
    std::vector<Float16> v(f.count());
    for_each(f, [&](const ByAxis& at) {
      const Float16 h(static_cast<float>(t.random() % 2001) / 1000 - 1);
      v[f.index(c.layout, at)] = h;
      s.values.push_back(h);
    });
    s.bytes = 2 * v.size();
    s.operand = t.b.cast(t.b.constant({float16, f.in(c.layout)}, v), float32);
    return s;
  }
  const unsigned range = 1u << bits_of(c.type);
  const int low = lowest(c.type), middle = low + static_cast<int>(range / 2);
  std::vector<int> v(f.count()), zero(c.scales.count(), middle);
  std::vector<float> scale(zero.size());
  for (int& z : zero) z = c.zeros ? low + static_cast<int>(t.random() % range) : middle;
  for (float& e : scale) e = 0.001f * static_cast<float>(1 + t.random() % 9);
  for_each(f, [&](const ByAxis& at) {
    const int q = low + static_cast<int>(t.random() % range);
    const std::size_t k = c.scales.index(
        c.layout,
        {at.outputs / (f.outputs / c.scales.outputs), at.height / (f.height / c.scales.height),
         at.width / (f.width / c.scales.width), at.inputs / (f.inputs / c.scales.inputs)});
    v[f.index(c.layout, at)] = q;
    s.values.push_back((q - zero[k]) * static_cast<double>(scale[k]));
  });
  const auto bits = static_cast<std::size_t>(bits_of(c.type));
  s.bytes = v.size() * bits / 8 + 4 * scale.size() + (c.zeros ? zero.size() * bits / 8 : 0);
  s.operand = t.b.dequantizeLinear(integers(t.b, c.type, f.in(c.layout), v),
                                   t.b.constant({float32, c.scales.in(c.layout)}, scale),
                                   integers(t.b, c.type, c.scales.in(c.layout), zero));
  return s;
}

MLConv2dOptions options_of(const SmallConv& c) {
  return {.padding = c.padding,
          .strides = c.strides,
          .dilations = c.dilations,
          .inputLayout = MLInputOperandLayout::nhwc,
          .filterLayout = c.layout};
}

/// f(index of x, index of w) for the products of which an element of the result is the sum.
template <class F>
void for_terms(const SmallConv& c, std::uint32_t n, std::uint32_t oy, std::uint32_t ox,
               std::uint32_t o, F f) {
  const ByAxis& w = c.filter;
  for (std::uint32_t ky = 0; ky < w.height; ++ky)
    for (std::uint32_t kx = 0; kx < w.width; ++kx) {
      const std::int64_t iy =
          std::int64_t{oy} * c.strides[0] + std::int64_t{ky} * c.dilations[0] - c.padding[0];
      const std::int64_t ix =
          std::int64_t{ox} * c.strides[1] + std::int64_t{kx} * c.dilations[1] - c.padding[2];
      if (iy < 0 || iy >= c.height || ix < 0 || ix >= c.width) continue;
      for (std::uint32_t i = 0; i < w.inputs; ++i)
        f(static_cast<std::size_t>(((n * c.height + iy) * c.width + ix) * w.inputs + i),
          ((std::size_t{o} * w.height + ky) * w.width + kx) * w.inputs + i);
    }
}

ChainUnderTest without_winograd() {
  return ChainUnderTest(simd::make_backend({.winograd = simd::Winograd3x3::off}));
}

/// The name of the kernel.
std::string check(const SmallConv& c) {
  INFO(c);
  ChainUnderTest t = without_winograd();
  const Stored w = stored_filter(t, c);
  const MLOperand x = t.input({c.batch, c.height, c.width, c.filter.inputs});
  MLConv2dOptions o = options_of(c);
  if (c.bias) o.bias = t.constant({c.filter.outputs});
  const MLOperand conv = t.b.conv2d(x, w.operand, o);
  MLOperand y = conv, added;
  if (c.residual) {
    added = t.input(conv.shape());
    y = t.b.add(y, added);
  }
  const ActivationCase& activation = activations()[c.activation];
  const auto actual = t.run(activation.append(t.b, y));
  const Dims& out = conv.shape();
  std::size_t at = 0;
  for (std::uint32_t n = 0; n < out[0]; ++n)
    for (std::uint32_t oy = 0; oy < out[1]; ++oy)
      for (std::uint32_t ox = 0; ox < out[2]; ++ox)
        for (std::uint32_t k = 0; k < out[3]; ++k, ++at) {
          Sum sum;
          for_terms(c, n, oy, ox, k,
                    [&](std::size_t i, std::size_t j) { sum.add(t.values(x)[i], w.values[j]); });
          if (c.bias) sum.add(t.values(*o.bias)[k]);
          if (c.residual) sum.add(t.values(added)[at]);
          check_near(actual[at], sum, activation.value, activation.slope);
        }
  return t.kernel;
}

}  // namespace

TEST_CASE("small convolutions: types, scales and layouts of filters") {
  for_targets([] {
    for (MLOperandDataType type : small_types)
      for (const ByAxis& scales : {ByAxis{},
                                   {.outputs = 48},
                                   {.outputs = 48, .inputs = 5},
                                   {.inputs = 5},
                                   {48, 3, 1, 1},
                                   {.width = 3}})
        for (Layout layout : {Layout::oihw, Layout::hwio, Layout::ohwi, Layout::ihwo}) {
          if (type == float16 && scales.count() > 1) continue;
          if (layout != Layout::ohwi && scales.inputs == 1) continue;
          check({.type = type, .scales = scales, .zeros = scales.outputs > 1, .layout = layout});
        }
    for (Layout layout : {Layout::oihw, Layout::hwio, Layout::ihwo})
      check({.type = float16, .layout = layout});
  });
}

TEST_CASE("small convolutions: padding, strides, dilations and odd numbers of channels") {
  for_targets([] {
    for (MLOperandDataType type : {uint4, int8, float16}) {
      check({.filter = {49, 3, 3, 151}, .strides = {2, 2}, .type = type, .scales = {49}});
      check({.filter = {37, 3, 3, 200},
             .batch = 2,
             .height = 9,
             .padding = {2, 3, 0, 4},
             .dilations = {3, 2},
             .type = type,
             .scales = {37, 1, 1, 25}});
      check({.filter = {40, 7, 7, 37}, .padding = {3, 3, 3, 3}, .strides = {3, 2}, .type = type});
      check({.filter = {264, 1, 1, 256},
             .height = 7,
             .padding = {0, 0, 0, 0},
             .strides = {2, 2},
             .type = type,
             .scales = {264, 1, 1, 8},
             .bias = false});
      check({.filter = {50, 5, 1, 270}, .padding = {2, 2, 0, 0}, .type = type, .scales = {50}});
      check({.filter = {40, 2, 2, 420}, .height = 1, .width = 1, .type = type, .scales = {40}});
    }
    check({.filter = {193, 3, 3, 40},  // several chunks
           .batch = 2,
           .height = 15,
           .width = 14,
           .scales = {193, 1, 1, 5}});
  });
}

TEST_CASE("small convolutions: one pixel, the bias, a residual and activations") {
  for_targets([] {
    for (MLOperandDataType type : small_types)
      check({.height = 1, .width = 1, .type = type, .scales = {type == float16 ? 1u : 48u}});
    for (std::uint32_t size : {1u, 3u})
      for (bool residual : {false, true})
        for (std::size_t activation = 0; activation < activations().size(); activation += 3)
          check({.height = size,
                 .width = size,
                 .scales = {48},
                 .bias = !residual,
                 .residual = residual,
                 .activation = activation});
  });
}

TEST_CASE("small convolutions: the kernel is named after the type") {
  CHECK(check({.type = uint4, .scales = {48}}) == "float32 x int4 conv");
  CHECK(check({.height = 1, .width = 1, .type = int8}) == "float32 x int8 conv");
  CHECK(check({.type = float16, .activation = 1}) == "float32 x float16 conv+clamp");
}

TEST_CASE("small convolutions: NaN and infinities") {
  for_targets([] {
    for (std::uint32_t size : {1u, 4u})
      for (float special : {std::nanf(""), HUGE_VALF}) {
        const SmallConv c{.height = size, .width = size, .scales = {48}};
        ChainUnderTest t = without_winograd();
        const Stored w = stored_filter(t, c);
        const std::size_t place = 7;  // in pixel 0, 0
        std::vector<float> x(std::size_t{size} * size * c.filter.inputs, 0.5f);
        x[place] = special;
        const auto y = t.run(
            t.b.conv2d(t.input({1, size, size, c.filter.inputs}, x), w.operand, options_of(c)));
        std::size_t at = 0;
        for (std::uint32_t oy = 0; oy < size; ++oy)
          for (std::uint32_t ox = 0; ox < size; ++ox)
            for (std::uint32_t k = 0; k < c.filter.outputs; ++k, ++at) {
              std::optional<double> weight;
              for_terms(c, 0, oy, ox, k, [&](std::size_t i, std::size_t j) {
                if (i == place) weight = w.values[j];
              });
              if (!weight) CHECK(std::isfinite(y[at]));
              else if (std::isnan(special) || *weight == 0) CHECK(std::isnan(y[at]));
              else CHECK(y[at] == (*weight > 0 ? HUGE_VALF : -HUGE_VALF));
            }
      }
  });
}

TEST_CASE("small convolutions: packed at no more than 1.1 times the stored size") {
  for_targets([] {
    for (const auto& [type, inputs] :
         {std::pair{int4, 6u}, {uint4, 6u}, {uint4, 1u}, {int8, 1u}, {uint8, 6u}, {float16, 1u}})
      for (bool zeros : {false, true}) {
        const SmallConv c{.filter = {192, 3, 3, 192},
                          .type = type,
                          .scales = {192, 1, 1, inputs},
                          .zeros = zeros,
                          .bias = false};
        INFO(c);
        ChainUnderTest t = without_winograd();
        const Stored w = stored_filter(t, c);
        const Lowering l = t.lower(t.b.conv2d(t.input({1, 5, 6, 192}), w.operand, options_of(c)));
        REQUIRE(std::holds_alternative<Candidate>(l));
        const Candidate& kernel = std::get<Candidate>(l);
        CHECK(static_cast<double>(packed_bytes(kernel)) <=
              1.1 * static_cast<double>(w.bytes) + 4 * 192);
        CHECK(kernel.weights.front().inputs ==
              (type == float16 ? std::vector<int>{0} : std::vector<int>{0, 1, 2}));
      }
  });
}

TEST_CASE("small convolutions: what is refused") {
  const auto reason = [](ChainUnderTest t, const SmallConv& c) {
    const Stored w = stored_filter(t, c);
    const Lowering l = t.lower(t.b.conv2d(t.input({c.batch, c.height, c.width, c.filter.inputs}),
                                          w.operand, options_of(c)));
    const auto* refusal = std::get_if<Refusal>(&l);
    return refusal ? refusal->reason : "";
  };
  CHECK(reason(without_winograd(), {.scales = {48, 3, 3, 40}}) ==
        "small weights: blocks are too short");
  SmallConv large{.filter = {192, 3, 3, 64}, .height = 28, .width = 28};
  CHECK(reason(ChainUnderTest(), large) ==
        "small weights: Winograd's method on float32 is likely faster");
  CHECK(reason(without_winograd(), large).empty());
  large.strides = {2, 2};
  CHECK(reason(ChainUnderTest(), large).empty());
  large.filter.outputs = 128;
  CHECK(reason(ChainUnderTest(), large) ==
        "small weights: too few output channels for so many pixels");
  large.height = large.width = 14;
  CHECK(reason(ChainUnderTest(), large).empty());
  CHECK(reason(ChainUnderTest(), {.height = 1, .width = 1}).empty());
}

}  // namespace webnn::inline v0_1::test
