// Operators on images, in both layouts.
#include "tests/random/generator.h"
#include "tests/random/images.h"

namespace webnn::inline v0_1::test {

Image random_image(Generator& g, DataTypes types) {
  const bool nhwc = g.chance(0.5);
  const auto suits = [](const MLOperand& x) {
    return x.rank() == 4 && element_count(x.shape()) >= 4;
  };
  if (g.chance(0.75))
    for (int tries = 0; tries < 3; ++tries) {
      const MLOperand x = g.tamed(g.any(types, {4, 4}), 6);
      if (suits(x)) return {x, nhwc};
    }
  const std::uint32_t batch = g.chance(0.7) ? 1 : g.between(1, 3), channels = g.between(1, 6),
                      height = g.between(1, 6), width = g.between(1, 6);
  return {g.leaf(g.type_in(types),
                 nhwc ? Dims{batch, height, width, channels} : Dims{batch, channels, height, width},
                 {-2, 2}),
          nhwc};
}

Filter random_filter(Generator& g, const Image& i, const Convolution& c) {
  using enum MLConv2dFilterOperandLayout;
  const std::uint32_t in = i.channels() / c.groups;
  const auto layout = g.one_of({oihw, hwio, ohwi, ihwo});
  Dims shape = layout == oihw   ? Dims{c.outputs, in, c.height, c.width}
               : layout == hwio ? Dims{c.height, c.width, in, c.outputs}
               : layout == ohwi ? Dims{c.outputs, c.height, c.width, in}
                                : Dims{in, c.height, c.width, c.outputs};
  MLConv2dOptions options{.padding = c.padding,
                          .strides = c.strides,
                          .dilations = c.dilations,
                          .groups = c.groups,
                          .inputLayout = i.layout(),
                          .filterLayout = layout};
  return {std::move(shape), std::move(options)};
}

Image convolved(Generator& g, const Image& i, const Convolution& c) {
  auto [shape, o] = random_filter(g, i, c);
  if (g.chance(0.5)) o.bias = g.weight(i.x.dataType(), {c.outputs});
  const MLOperand filter = g.weight(i.x.dataType(), shape);
  const int bits = g.magnitude(i.x) + g.magnitude(filter) + 4;
  return {g.append(ops::conv2d{i.x, filter, o}, bits), i.nhwc};
}

Convolution random_convolution(Generator& g, const Image& i) {
  Convolution c;
  c.height = g.between(1, 3), c.width = g.between(1, 3);
  if (g.chance(0.3)) c.height = c.width = 1;
  c.strides = {g.between(1, 2), g.between(1, 2)};
  if (g.chance(0.2)) c.dilations = {g.between(1, 2), g.between(1, 3)};
  const std::uint32_t effective[] = {(c.height - 1) * c.dilations[0] + 1,
                                     (c.width - 1) * c.dilations[1] + 1};
  const std::uint32_t size[] = {i.height(), i.width()};
  for (std::size_t d : {0u, 1u}) {
    std::uint32_t &begin = c.padding[2 * d], &end = c.padding[2 * d + 1];
    if (g.chance(0.6)) begin = g.between(0, effective[d] - 1), end = g.between(0, effective[d] - 1);
    if (g.chance(0.03)) begin = effective[d];  // a window of padding alone
    while (size[d] + begin + end < effective[d]) ++(g.chance(0.5) ? begin : end);
  }
  const std::uint32_t channels = i.channels();
  std::vector<std::uint32_t> divisors;
  for (std::uint32_t d = 1; d <= channels; ++d)
    if (channels % d == 0) divisors.push_back(d);
  if (g.chance(0.3)) c.groups = channels;
  else if (g.chance(0.2)) c.groups = g.one_of(divisors);
  c.outputs = c.groups * g.between(1, c.groups > 1 ? 2 : 6);
  if (c.groups == 1 && g.chance(0.1)) c.outputs = g.between(15, 18);
  return c;
}

namespace {

void make(Generator& g, std::type_identity<ops::conv2d>) {
  const Image i = random_image(g, types::floats);
  convolved(g, i, random_convolution(g, i));
}

void make(Generator& g, std::type_identity<ops::convTranspose2d>) {
  using enum MLConvTranspose2dFilterOperandLayout;
  const Image i = random_image(g, types::floats);
  const std::uint32_t channels = i.channels();
  MLConvTranspose2dOptions o;
  if (g.chance(0.3)) o.groups = channels;
  o.inputLayout = i.layout();
  o.filterLayout = g.one_of({iohw, hwoi, ohwi});
  const std::uint32_t each = g.between(1, 3);
  const Dims kernel{g.between(1, 3), g.between(1, 3)};
  o.strides = {g.between(1, 3), g.between(1, 2)};
  if (g.chance(0.2)) o.dilations = {g.between(1, 2), g.between(1, 2)};
  Dims sizes;
  const std::uint32_t size[] = {i.height(), i.width()};
  for (std::size_t d : {0u, 1u}) {
    const std::uint32_t extent =
        (size[d] - 1) * o.strides[d] + (kernel[d] - 1) * o.dilations[d] + 1;
    if (g.chance(0.4) && extent > 2) {
      o.padding[2 * d] = g.between(0, (extent - 1) / 2);
      o.padding[2 * d + 1] = g.between(0, (extent - 1) / 2);
    }
    o.outputPadding[d] = g.between(0, o.strides[d] - 1);
    sizes.push_back(extent - o.padding[2 * d] - o.padding[2 * d + 1] + o.outputPadding[d]);
  }
  if (g.chance(0.3)) o.outputSizes = OptionalList<std::uint32_t>(sizes), o.outputPadding = {0, 0};
  if (g.chance(0.5)) o.bias = g.weight(i.x.dataType(), {each * o.groups});
  const Dims filter = o.filterLayout == iohw   ? Dims{channels, each, kernel[0], kernel[1]}
                      : o.filterLayout == hwoi ? Dims{kernel[0], kernel[1], each, channels}
                                               : Dims{each, kernel[0], kernel[1], channels};
  const int bits = g.magnitude(i.x) + 5;
  g.append(ops::convTranspose2d{i.x, g.weight(i.x.dataType(), filter), o}, bits);
}

void make(Generator& g, std::type_identity<ops::instanceNormalization>) {
  const Image i = random_image(g, types::floats);
  MLInstanceNormalizationOptions o{.layout = i.layout()};
  if (g.chance(0.4)) o.scale = g.weight(i.x.dataType(), {i.channels()});
  if (g.chance(0.4)) o.bias = g.weight(i.x.dataType(), {i.channels()});
  if (g.chance(0.3)) o.epsilon = g.one_of({1e-3, 0.5, 1e-5});
  g.append(ops::instanceNormalization{i.x, o}, 4);
}

template <ops::FixedString N, DataTypes A>
void make(Generator& g, std::type_identity<ops::Pool2d<N, A>>) {
  const Image i = random_image(g, A);
  MLPool2dOptions o{.layout = i.layout()};
  const std::uint32_t size[] = {i.height(), i.width()};
  Dims window(2), floors(2), ceils(2);
  const bool whole = g.chance(0.15);
  for (std::size_t d : {0u, 1u}) {
    window[d] = whole ? size[d] : g.between(1, std::min(size[d] + 1, 4u));
    if (g.chance(0.6)) o.strides[d] = g.between(1, 3);
    if (g.chance(0.1)) o.dilations[d] = g.between(1, 2);
    const std::uint32_t effective = (window[d] - 1) * o.dilations[d] + 1;
    std::uint32_t &begin = o.padding[2 * d], &end = o.padding[2 * d + 1];
    if (g.chance(0.4)) begin = g.between(0, effective / 2), end = g.between(0, effective / 2);
    if (g.chance(0.03)) begin = effective;  // a window without an element
    while (size[d] + begin + end < effective) ++(g.chance(0.5) ? begin : end);
    const shape::Window w{window[d], begin, end, o.strides[d], o.dilations[d]};
    floors[d] = static_cast<std::uint32_t>(shape::window_count(size[d], w, MLRoundingType::floor));
    ceils[d] = static_cast<std::uint32_t>(shape::window_count(size[d], w, MLRoundingType::ceil));
  }
  if (!whole) o.windowDimensions = OptionalList<std::uint32_t>(window);
  o.outputShapeRounding = g.one_of({MLRoundingType::floor, MLRoundingType::ceil});
  if (g.chance(0.2)) o.outputSizes = OptionalList<std::uint32_t>(g.chance(0.5) ? floors : ceils);
  g.append(ops::Pool2d<N, A>{i.x, o}, g.magnitude(i.x) + 2);
}

void make(Generator& g, std::type_identity<ops::resample2d>) {
  const Image i = random_image(g, types::resampled);
  MLResample2dOptions o;
  o.mode = g.one_of({MLInterpolationMode::nearest_neighbor, MLInterpolationMode::linear});
  if (g.chance(0.5)) o.axes = i.nhwc ? Dims{1, 2} : Dims{2, 3};
  else o.axes = g.permutation(4), o.axes.resize(2);
  Dims shape = i.x.shape(), sizes;
  for (std::size_t k : {0u, 1u}) {
    std::uint32_t& d = shape[o.axes[k]];
    o.scales[k] = g.one_of({1.f, 2.f, 1.5f, 0.7f, 3.f, 1.25f});
    while (static_cast<double>(d) * static_cast<double>(o.scales[k]) < 1) o.scales[k] *= 2;
    sizes.push_back(g.between(1, 2 * d));
    d *= 3;
  }
  if (g.chance(0.4)) o.sizes = OptionalList<std::uint32_t>(sizes);
  else if (!g.fits(shape)) o.scales = {1, 1};
  g.append(ops::resample2d{i.x, o});
}

}  // namespace

void generate(Generator& g, ImageFamily family, std::size_t kind) {
  with_kind(family, kind, [&](auto of) { make(g, of); });
}

}  // namespace webnn::inline v0_1::test
