// Poolings.
#include <cmath>

#include "src/formats/common/same_padding.h"
#include "src/formats/onnx/import/window.h"

namespace webnn::inline v0_1::onnx {
namespace {

enum class Kind { average, max, l2 };

struct PoolWindow : Window {
  MLRoundingType rounding = MLRoundingType::floor;  // of the sizes of the result
};

/// The padding at the end with which the windows fit: more where ceil_mode adds a window that
/// begins within the input or the padding before it, less where the last window does not reach the
/// end. Of an open size the result is rounded instead.
void fit_end(Call& c, PoolWindow& w, const SizeList& sizes, bool ceil) {
  for (std::size_t i = 0; i < w.rank(); ++i) {
    const Size whole = sizes[i] + w.before[i];
    if (!whole.is_known()) {
      if (!ceil) continue;
      // Else a last window could begin in the padding behind the input.
      if (w.after[i].number() + w.strides[i] > w.extent(i)) whole.number();
      w.rounding = MLRoundingType::ceil;
      continue;
    }
    const Size space = whole + w.after[i] - w.extent(i);
    // ONNX rounds its quotient to 0: a part of a window is one.
    if (space.number() <= -w.strides[i])
      c.refuse(fail("the window is larger than the padded input"));
    std::int64_t last =
        ceil ? (space.number() + w.strides[i] - 1) / w.strides[i] : space.number() / w.strides[i];
    if (ceil && last * w.strides[i] >= whole.number()) --last;
    w.after[i] = max(last * w.strides[i] + w.extent(i) - whole, 0);
  }
}

/// Padding at the end for open sizes that are smaller than the window by less than a stride. Only
/// where there is no other: the largest element then is computed as if the size were known.
void fit_part(PoolWindow& w, const SizeList& sizes) {
  const auto is_zero = [](const Size& s) { return s.is(0); };
  if (!std::ranges::all_of(w.before, is_zero) || !std::ranges::all_of(w.after, is_zero)) return;
  for (std::size_t i = 0; i < w.rank(); ++i) {
    const std::int64_t extent = w.extent(i), stride = w.strides[i];
    if (sizes[i].is_known() || extent == 1 || stride == 1) continue;
    const Size missing = max(Size(extent) - sizes[i], 0);
    w.after[i] = missing * (Size(1) - min(missing / stride, 1));
  }
}

/// Over the last two dimensions of an operand of rank 4.
MLOperand pool_2d(Call& c, const MLOperand& x, const PoolWindow& w, Kind kind) {
  const auto positive = [&](const Ints& v) { return c.dims(v); };
  const MLPool2dOptions o{
      .windowDimensions = positive(w.kernel),
      .padding = formats::dims_of({w.before[0], w.after[0], w.before[1], w.after[1]}),
      .strides = positive(w.strides),
      .dilations = positive(w.dilations),
      .outputShapeRounding = w.rounding,
      .label = c.label()};
  return kind == Kind::average ? c.b.averagePool2d(x, o)
         : kind == Kind::max   ? c.b.maxPool2d(x, o)
                               : c.b.l2Pool2d(x, o);
}

PoolWindow part(const PoolWindow& w, std::size_t first, std::size_t n, bool with_height) {
  PoolWindow out;
  out.rounding = w.rounding;
  const auto take = [&](auto& to, const auto& from, std::int64_t neutral) {
    if (with_height) to.push_back(neutral);
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first),
              from.begin() + static_cast<std::ptrdiff_t>(first + n));
    if (to.size() < 2) to.push_back(neutral);
  };
  take(out.kernel, w.kernel, 1);
  take(out.strides, w.strides, 1);
  take(out.dilations, w.dilations, 1);
  take(out.before, w.before, 0);
  take(out.after, w.after, 0);
  return out;
}

/// Windows are boxes: three dimensions are pooled one after the other, first two, then one. The
/// mean of an edge is that of the means, for all windows of a plane have as many elements.
MLOperand pool(Call& c, MLOperand x, PoolWindow w, Kind kind) {
  // What is around the input does not count in a mean: its size has to be known.
  if (kind == Kind::max) x = with_open_pads(c, x, w, formats::lowest_value(x.dataType()));
  if (w.rank() == 1)
    return c.without_one(pool_2d(c, c.with_one(x, 2), part(w, 0, 1, true), kind), 2);
  if (w.rank() == 2) return pool_2d(c, x, w, kind);
  if (w.rank() != 3) c.unsupported(fail("a pooling in {} dimensions", w.rank()));
  const SizeList in = formats::sizes_of(x);
  const MLOperand planes = c.reshape(x, {in[0], in[1] * in[2], in[3], in[4]});
  const MLOperand y = pool_2d(c, planes, part(w, 1, 2, false), kind);
  const Size height = Size::dimension(y, 2), width = Size::dimension(y, 3);
  const MLOperand columns = c.reshape(y, {in[0], in[1], in[2], height * width});
  const MLOperand z = pool_2d(c, columns, part(w, 0, 1, false), kind);
  return c.reshape(z, {in[0], in[1], Size::dimension(z, 2), height, width});
}

/// Explicit zeros around, that count.
MLOperand padded(Call& c, const MLOperand& x, PoolWindow& w) {
  SizeList before{0, 0}, after{0, 0};
  before.insert(before.end(), w.before.begin(), w.before.end());
  after.insert(after.end(), w.after.begin(), w.after.end());
  w.before.assign(w.rank(), 0);
  w.after.assign(w.rank(), 0);
  const auto is_zero = [](const Size& s) { return s.is(0); };
  const bool none = std::ranges::all_of(before, is_zero) && std::ranges::all_of(after, is_zero);
  return none ? x : formats::pad(c.b, x, before, after);
}

/// The means of the elements of windows that lie within x, where the padding is not known: those
/// with zeros around x by the part of the window that lies within.
MLOperand mean_within(Call& c, const MLOperand& x, const PoolWindow& w, const SizeList& sizes) {
  SizeList shape{1, 1};
  shape.insert(shape.end(), sizes.begin(), sizes.end());
  const auto mean = [&](const MLOperand& y) {
    PoolWindow window = w;
    const MLOperand all = with_open_pads(c, y, window, 0);
    return pool(c, all, window, Kind::average);
  };
  return c.b.div(mean(x), mean(c.expand(c.scalar_like(x, 1), shape)));
}

void average_pool(Call& c) { c.put(average_pooled(c, c.x())); }

void max_pool(Call& c) {
  const MLOperand x = c.x();
  const SizeList sizes = spatial_sizes(c, x);
  PoolWindow w{window_of(c, kernel_of(c, sizes.size()), sizes)};
  c.ignore("storage_order");  // for the second output, which is refused
  c.no_output(1, "Indices");
  fit_end(c, w, sizes, c.integer("ceil_mode", 0) != 0);
  fit_part(w, sizes);
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
  const SizeList sizes = spatial_sizes(c, x);
  PoolWindow w{window_of(c, kernel_of(c, sizes.size()), sizes)};
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
  for (std::uint32_t i = 0; i < spatial_sizes(c, x).size(); ++i) axes.push_back(i + 2);
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
  const SizeList sizes = spatial_sizes(c, x);
  PoolWindow w{window_of(c, kernel_of(c, sizes.size()), sizes)};
  const bool ceil = c.integer("ceil_mode", 0) != 0;
  if (c.integer("count_include_pad", 0) != 0) {
    const SizeList starts = w.before;
    PoolWindow fitted = w;
    fit_end(c, fitted, sizes, ceil);
    w.rounding = fitted.rounding;
    x = padded(c, x, w);
    // What ceil_mode adds beyond the padding does not count.
    for (std::size_t i = 0; i < w.rank(); ++i)
      if (sizes[i].is_known() && fitted.after[i].is_known())
        w.after[i] = max(sizes[i] + starts[i] + fitted.after[i] -
                             Size::dimension(x, static_cast<std::uint32_t>(i) + 2),
                         0);
  } else {
    fit_end(c, w, sizes, ceil);
    if (!formats::are_known(w.before) || !formats::are_known(w.after))
      return mean_within(c, x, w, sizes);
  }
  return pool(c, x, w, Kind::average);
}

std::span<const Handler> pool_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
