// Poolings.
#include <cmath>

#include "src/formats/onnx/import/window.h"

namespace webnn::inline v0_1::onnx {
namespace {

enum class Kind { average, max, l2 };

std::uint32_t u32(std::int64_t v) { return static_cast<std::uint32_t>(v); }

/// The padding at the end with which the windows fit: more where ceil_mode adds a window that
/// begins within the input or the padding before it, less where the last window does not reach the
/// end.
void fit_end(Call& c, Window& w, const Ints& sizes, bool ceil) {
  for (std::size_t i = 0; i < w.rank(); ++i) {
    const std::int64_t space = sizes[i] + w.before[i] + w.after[i] - w.extent(i);
    if (space < 0) c.refuse(fail("the window is larger than the padded input"));
    std::int64_t last = ceil ? (space + w.strides[i] - 1) / w.strides[i] : space / w.strides[i];
    if (ceil && last * w.strides[i] >= sizes[i] + w.before[i]) --last;
    w.after[i] =
        std::max<std::int64_t>(0, last * w.strides[i] + w.extent(i) - sizes[i] - w.before[i]);
  }
}

/// Over the last two dimensions of an operand of rank 4.
MLOperand pool_2d(Call& c, const MLOperand& x, const Window& w, Kind kind) {
  const auto positive = [&](const Ints& v) { return c.dims(v); };
  const MLPool2dOptions o{
      .windowDimensions = positive(w.kernel),
      .padding = {u32(w.before[0]), u32(w.after[0]), u32(w.before[1]), u32(w.after[1])},
      .strides = positive(w.strides),
      .dilations = positive(w.dilations),
      .label = c.label()};
  return kind == Kind::average ? c.b.averagePool2d(x, o)
         : kind == Kind::max   ? c.b.maxPool2d(x, o)
                               : c.b.l2Pool2d(x, o);
}

Window part(const Window& w, std::size_t first, std::size_t n, bool with_height) {
  Window out;
  for (auto [to, from] : {std::pair(&out.kernel, &w.kernel),
                          {&out.strides, &w.strides},
                          {&out.dilations, &w.dilations},
                          {&out.before, &w.before},
                          {&out.after, &w.after}}) {
    const std::int64_t neutral = from == &w.before || from == &w.after ? 0 : 1;
    if (with_height) to->push_back(neutral);
    to->insert(to->end(), from->begin() + static_cast<std::ptrdiff_t>(first),
               from->begin() + static_cast<std::ptrdiff_t>(first + n));
    if (to->size() < 2) to->push_back(neutral);
  }
  return out;
}

/// Windows are boxes: three dimensions are pooled one after the other, first two, then one. The
/// mean of an edge is that of the means, for all windows of a plane have as many elements.
MLOperand pool(Call& c, const MLOperand& x, const Window& w, Kind kind) {
  const Dims& in = x.shape();
  if (w.rank() == 1) {
    const MLOperand image = c.b.reshape(x, {in[0], in[1], 1, in[2]});
    const MLOperand y = pool_2d(c, image, part(w, 0, 1, true), kind);
    return c.b.reshape(y, {in[0], in[1], y.shape()[3]});
  }
  if (w.rank() == 2) return pool_2d(c, x, w, kind);
  if (w.rank() != 3) c.unsupported(fail("a pooling in {} dimensions", w.rank()));
  const MLOperand planes = c.b.reshape(x, {in[0], in[1] * in[2], in[3], in[4]});
  const MLOperand y = pool_2d(c, planes, part(w, 1, 2, false), kind);
  const std::uint32_t height = y.shape()[2], width = y.shape()[3];
  const MLOperand columns = c.b.reshape(y, {in[0], in[1], in[2], height * width});
  const MLOperand z = pool_2d(c, columns, part(w, 0, 1, false), kind);
  return c.b.reshape(z, {in[0], in[1], z.shape()[2], height, width});
}

/// Explicit zeros around, that count.
MLOperand padded(Call& c, const MLOperand& x, Window& w) {
  Dims before(x.rank(), 0), after(x.rank(), 0);
  bool any = false;
  for (std::size_t i = 0; i < w.rank(); ++i) {
    before[i + 2] = u32(w.before[i]);
    after[i + 2] = u32(w.after[i]);
    any = any || w.before[i] > 0 || w.after[i] > 0;
    w.before[i] = w.after[i] = 0;
  }
  return any ? c.b.pad(x, before, after) : x;
}

void average_pool(Call& c) { c.put(average_pooled(c, c.x())); }

void max_pool(Call& c) {
  const MLOperand x = c.x();
  const Ints sizes = spatial_sizes(c, x);
  Window w = window_of(c, kernel_of(c, sizes.size()), sizes);
  c.ignore("storage_order");  // for the second output, which is refused
  c.no_output(1, "Indices");
  fit_end(c, w, sizes, c.integer("ceil_mode", 0) != 0);
  c.put(pool(c, x, w, Kind::max));
}

/// A float in operator set 1.
double power_of(Call& c) {
  return c.version() < 2 ? c.real("p", 2) : static_cast<double>(c.integer("p", 2));
}

/// The p-th root of a sum of p-th powers, with the sum as a mean times the number of elements.
void lp_pool(Call& c) {
  MLOperand x = c.x();
  c.require_floats(x);
  const Ints sizes = spatial_sizes(c, x);
  Window w = window_of(c, kernel_of(c, sizes.size()), sizes);
  const double p = power_of(c);
  fit_end(c, w, sizes, c.integer("ceil_mode", 0) != 0);
  if (p == 2) {
    c.put(pool(c, x, w, Kind::l2));
    return;
  }
  double count = 1;
  for (std::int64_t k : w.kernel) count *= static_cast<double>(k);
  x = padded(c, c.b.abs(x), w);
  if (p != 1) x = c.b.pow(x, c.scalar_like(x, p));
  MLOperand y = pool(c, x, w, Kind::average);
  y = c.b.mul(y, c.scalar_like(y, count));
  c.put(p == 1 ? y : c.b.pow(y, c.scalar_like(y, 1 / p)));
}

Dims spatial_axes(Call& c, const MLOperand& x) {
  Dims axes;
  for (std::size_t i = 0; i < spatial_sizes(c, x).size(); ++i) axes.push_back(u32(i) + 2);
  return axes;
}

/// Images have WebNN's pooling without a window, which is the whole image.
template <Kind kind> void global_pool(Call& c) {
  const MLOperand x = c.x();
  const Dims axes = spatial_axes(c, x);
  if (x.rank() == 4) {
    c.put(kind == Kind::max ? c.b.maxPool2d(x, {.label = c.label()})
                            : c.b.averagePool2d(x, {.label = c.label()}));
    return;
  }
  const MLReduceOptions o{.axes = axes, .keepDimensions = true, .label = c.label()};
  c.put(kind == Kind::max ? c.b.reduceMax(x, o) : c.b.reduceMean(x, o));
}

void global_lp_pool(Call& c) {
  const MLOperand x = c.x();
  const double p = power_of(c);
  const MLReduceOptions o{.axes = spatial_axes(c, x), .keepDimensions = true, .label = c.label()};
  if (p == 2) return c.put(c.b.reduceL2(x, o));
  if (p == 1) return c.put(c.b.reduceL1(x, o));
  const MLOperand sum = c.b.reduceSum(c.b.pow(c.b.abs(x), c.scalar_like(x, p)), o);
  c.put(c.b.pow(sum, c.scalar_like(x, 1 / p)));
}

constexpr Handler handlers[] = {
    {"AveragePool", &average_pool, 1, 1, 1, 1, "one to three dimensions"},
    {"GlobalAveragePool", &global_pool<Kind::average>, 1, 1, 1},
    {"GlobalLpPool", &global_lp_pool, 1, 1, 1, 1, "p other than 1 and 2 composed"},
    {"GlobalMaxPool", &global_pool<Kind::max>, 1, 1, 1},
    {"LpPool", &lp_pool, 1, 1, 1, 1, "one to three dimensions; p other than 2 composed"},
    {"MaxPool", &max_pool, 1, 1, 1, 2, "one to three dimensions; without Indices"},
};

}  // namespace

MLOperand average_pooled(Call& c, MLOperand x) {
  c.require_floats(x);
  Ints sizes = spatial_sizes(c, x);
  Window w = window_of(c, kernel_of(c, sizes.size()), sizes);
  const bool ceil = c.integer("ceil_mode", 0) != 0;
  if (c.integer("count_include_pad", 0) != 0) {
    const Ints starts = w.before, inputs = sizes;
    Window fitted = w;
    fit_end(c, fitted, sizes, ceil);
    x = padded(c, x, w);
    // What ceil_mode adds beyond the padding does not count.
    for (std::size_t i = 0; i < w.rank(); ++i)
      w.after[i] =
          std::max<std::int64_t>(0, inputs[i] + starts[i] + fitted.after[i] - x.shape()[i + 2]);
  } else {
    fit_end(c, w, sizes, ceil);
  }
  return pool(c, x, w, Kind::average);
}

std::span<const Handler> pool_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
