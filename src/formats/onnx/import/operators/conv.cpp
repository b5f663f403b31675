// Convolutions.
#include "src/formats/onnx/import/convolve.h"
#include "src/formats/onnx/import/fused_activation.h"

namespace webnn::inline v0_1::onnx {
namespace {

std::uint32_t u32(std::int64_t v) { return static_cast<std::uint32_t>(v); }

Dims padding_of(const Window& w) {
  return formats::dims_of({w.before[0], w.after[0], w.before[1], w.after[1]});
}

/// With a height of 1 before the only spatial dimension.
MLOperand heightened(const Call& c, const MLOperand& x) { return c.with_one(x, 2); }
Window heightened(Window w) {
  for (Ints* list : {&w.kernel, &w.strides, &w.dilations}) list->insert(list->begin(), 1);
  for (SizeList* list : {&w.before, &w.after}) list->insert(list->begin(), 0);
  return w;
}
MLOperand flattened(const Call& c, const MLOperand& y) { return c.without_one(y, 2); }

MLOperand convolve_2d(const Call& c, const MLOperand& x, const MLOperand& filter,
                      const std::optional<MLOperand>& bias, Window w, std::uint32_t groups) {
  const MLOperand padded = with_open_pads(c, x, w, 0.0);
  return c.b.conv2d(padded, filter,
                    {.padding = padding_of(w),
                     .strides = c.dims(w.strides),
                     .dilations = c.dims(w.dilations),
                     .groups = groups,
                     .bias = bias,
                     .label = c.label()});
}

/// Slices of the depth are images: for each place of the filter's depth one convolution of all the
/// slices that it meets. They are added.
MLOperand convolve_3d(const Call& c, MLOperand x, const MLOperand& filter,
                      const std::optional<MLOperand>& bias, const Window& w, std::uint32_t groups) {
  x = formats::pad(c.b, c.b.transpose(x, {.permutation = {0, 2, 1, 3, 4}}),
                   {0, w.before[0], 0, 0, 0}, {0, w.after[0], 0, 0, 0});
  const SizeList in = formats::sizes_of(x);  // batch, depth, channels, height, width
  if (in[1].is_known() && in[1].number() < w.extent(0))
    c.refuse(fail("the filter is deeper than the padded input"));
  const Size depth = (in[1] - w.extent(0)) / w.strides[0] + 1;
  Window plane;
  for (auto [to, from] : {std::pair(&plane.kernel, &w.kernel),
                          {&plane.strides, &w.strides},
                          {&plane.dilations, &w.dilations}})
    to->assign(from->begin() + 1, from->end());
  plane.before.assign(w.before.begin() + 1, w.before.end());
  plane.after.assign(w.after.begin() + 1, w.after.end());
  std::optional<MLOperand> sum;
  for (std::int64_t k = 0; k < w.kernel[0]; ++k) {
    const MLOperand part =
        c.sliced(x, 1, k * w.dilations[0], (depth - 1) * w.strides[0] + 1, u32(w.strides[0]));
    const MLOperand images = c.reshaped(part, {in[0] * depth, in[2], in[3], in[4]});
    const SizeList f = formats::sizes_of(filter);
    const MLOperand plane_filter = c.reshaped(c.sliced(filter, 2, k, 1), {f[0], f[1], f[3], f[4]});
    const MLOperand y =
        convolve_2d(c, images, plane_filter, k == 0 ? bias : std::nullopt, plane, groups);
    sum = sum ? c.b.add(*sum, y) : y;
  }
  const SizeList out = formats::sizes_of(*sum);
  return c.b.transpose(c.reshape(*sum, {in[0], depth, out[1], out[2], out[3]}),
                       {.permutation = {0, 2, 1, 3, 4}});
}

MLOperand convolved(Call& c) {
  const MLOperand x = c.x(0), filter = c.x(1);
  c.require_floats(x);
  const SizeList sizes = spatial_sizes(c, x);
  const Window w = window_of(c, kernel_of(c, sizes.size(), &filter), sizes);
  return convolve(c, x, filter, c.optional(2), w);
}
void conv(Call& c) { c.put(convolved(c)); }

/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md: FusedConv
void fused_conv(Call& c) {
  MLOperand y = convolved(c);
  if (c.has(3)) {
    c.require_shape(c.x(3), y, "Z");
    y = c.b.add(y, c.x(3));
  }
  const auto given = c.reals("activation_params").value_or(std::vector<float>());
  c.put(with_activation(c, y, {given.begin(), given.end()}));
}

/// What ConvTranspose computes in one dimension.
struct Extent {
  std::int64_t before, after, output_padding;
};

Extent extent_of(Call& c, const Window& w, std::size_t i, const Size& size,
                 std::int64_t output_padding, std::optional<std::int64_t> output) {
  const std::string_view automatic = c.text("auto_pad", "NOTSET");
  const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (automatic == "VALID") return {0, 0, output_padding};
  if (!output && !same) return {w.before[i].number(), w.after[i].number(), output_padding};
  // The result that SAME_UPPER and SAME_LOWER ask for has as many strides as the input elements.
  const std::int64_t total =
      output ? (size.number() - 1) * w.strides[i] + output_padding + w.extent(i) - *output
             : output_padding + w.extent(i) - w.strides[i];
  if (total < 0) return {0, 0, output_padding - total};
  const std::int64_t half = total / 2;
  return automatic == "SAME_UPPER" ? Extent{half, total - half, output_padding}
                                   : Extent{total - half, half, output_padding};
}

/// Where WebNN's options cannot give the size: all of it, of which a part is taken, or to which
/// zeros are added.
MLOperand fitted(Call& c, MLOperand y, const std::vector<Extent>& extents) {
  SizeList starts(4, 0), sizes = formats::sizes_of(y), before(4, 0), after(4, 0);
  for (std::uint32_t i = 0; i < 2; ++i) {
    const Extent& e = extents[i];
    const std::uint32_t d = i + 2;
    const std::int64_t start = std::max<std::int64_t>(0, e.before);
    const std::int64_t more = e.output_padding - e.before - e.after;
    before[d] = std::max<std::int64_t>(0, -e.before);
    // Of the elements from start on as many as are wanted, behind those before.
    const std::int64_t less = std::min(-start, more - std::max<std::int64_t>(0, -e.before));
    after[d] = more - std::max<std::int64_t>(0, -e.before) - less;
    sizes[d] = sizes[d] + less;
    starts[d] = start;
    c.check_dimensions({sizes[d]}, "a size of the result");
  }
  return formats::pad(c.b, formats::slice(c.b, y, starts, sizes), before, after);
}

void conv_transpose(Call& c) {
  MLOperand x = c.x(0), filter = c.x(1);
  c.require_floats(x);
  const SizeList sizes = spatial_sizes(c, x);
  if (sizes.size() > 2) c.unsupported("WebNN has no transposed convolution in three dimensions");
  Window w = window_of(c, kernel_of(c, sizes.size(), &filter), sizes, true);
  const std::size_t n = sizes.size();
  const Ints padding = c.ints("output_padding").value_or(Ints(n, 0));
  const auto output = c.ints("output_shape");
  if (padding.size() != n) c.refuse(fail("output_padding has {} values", padding.size()));
  // Some files have the whole shape.
  const std::size_t skip = output && output->size() == n + 2 ? 2 : 0;
  if (output && output->size() != n + skip)
    c.refuse(fail("output_shape has {} values", output->size()));
  if (output)
    for (std::int64_t size : *output) c.dimension(size, "a size of output_shape");
  std::vector<Extent> extents;
  for (std::size_t i = 0; i < n; ++i) {
    if (padding[i] < 0 || padding[i] > 0x7fffffff)
      c.refuse(fail("output_padding has {}", padding[i]));
    extents.push_back(extent_of(c, w, i, sizes[i], padding[i],
                                output ? std::optional((*output)[i + skip]) : std::nullopt));
  }
  if (n == 1) {
    x = heightened(c, x);
    filter = heightened(c, filter);
    w = heightened(w);
    extents.insert(extents.begin(), Extent{0, 0, 0});
  }
  bool plain = true;
  for (std::size_t i = 0; i < 2; ++i)
    plain = plain && extents[i].before >= 0 && extents[i].after >= 0 &&
            extents[i].output_padding < w.strides[i];
  MLConvTranspose2dOptions o{.strides = c.dims(w.strides),
                             .dilations = c.dims(w.dilations),
                             .groups = c.dimension(c.integer("group", 1), "group"),
                             .label = c.label()};
  const auto bias = c.optional(2);
  MLOperand y;
  if (plain) {
    o.padding = {u32(extents[0].before), u32(extents[0].after), u32(extents[1].before),
                 u32(extents[1].after)};
    o.outputPadding = {u32(extents[0].output_padding), u32(extents[1].output_padding)};
    o.bias = bias;
    y = c.b.convTranspose2d(x, filter, o);
  } else {
    y = fitted(c, c.b.convTranspose2d(x, filter, o), extents);
    if (bias) y = c.b.add(y, c.reshaped(*bias, {1, Size::dimension(y, 1), 1, 1}));
  }
  c.put(n == 1 ? flattened(c, y) : y);
}

constexpr Handler handlers[] = {
    {"Conv", &conv, 1, 2, 3, 1, "one to three dimensions; three as a sum of images"},
    {"ConvTranspose", &conv_transpose, 1, 2, 3, 1, "one and two dimensions"},
    {"FusedConv", &fused_conv, 1, 2, 4, 1, "as Conv", "com.microsoft"},
};

}  // namespace

MLOperand convolve(const Call& c, const MLOperand& x, const MLOperand& filter,
                   const std::optional<MLOperand>& bias, const Window& w) {
  const std::uint32_t groups = c.dimension(c.integer("group", 1), "group");
  if (w.rank() == 1)
    return flattened(
        c, convolve_2d(c, heightened(c, x), heightened(c, filter), bias, heightened(w), groups));
  if (w.rank() == 2) return convolve_2d(c, x, filter, bias, w, groups);
  if (w.rank() == 3) return convolve_3d(c, x, filter, bias, w, groups);
  c.unsupported(fail("a convolution in {} dimensions", w.rank()));
}

std::span<const Handler> conv_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
