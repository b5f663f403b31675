// averagePool2d, l2Pool2d, maxPool2d.
#include <cmath>
#include <limits>

#include "src/formats/tflite/export/sliding_window.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite::exporter {
namespace {

enum class Pool { average, l2, largest };

/// Each is an operator of its own.
constexpr std::uint32_t max_slices = 1024;

/// How many elements each window has along one dimension.
std::vector<double> counts(const Sliding& s) {
  std::vector<double> out;
  for (std::uint64_t o = 0; o < s.out; ++o) {
    // Elements k of the window that are not before the image, and those that are not behind it.
    const std::uint64_t first = o * s.stride, end = s.before + s.in;
    const auto up = [&](std::uint64_t distance) {
      return std::min<std::uint64_t>((distance + s.dilation - 1) / s.dilation, s.size);
    };
    const std::uint64_t from = first < s.before ? up(s.before - first) : 0,
                        to = first < end ? up(end - first) : 0;
    out.push_back(to > from ? static_cast<double>(to - from) : 0);
  }
  return out;
}

bool empties(const Sliding& s) {
  const auto all = counts(s);
  return std::find(all.begin(), all.end(), 0) != all.end();
}

/// f(count) for each window, as [1, height, width, 1].
template <class F> Value by_count(Emitter& e, const Sliding& height, const Sliding& width, F&& f) {
  std::vector<float> out;
  for (const double h : counts(height))
    for (const double w : counts(width)) out.push_back(static_cast<float>(f(h * w)));
  return e.floats({1, height.out, width.out, 1}, out);
}

double lowest(TensorType type) {
  switch (type) {
    case TensorType::INT8: return -128;
    case TensorType::INT32: return std::numeric_limits<std::int32_t>::lowest();
    case TensorType::INT64: return static_cast<double>(std::numeric_limits<std::int64_t>::lowest());
    case TensorType::FLOAT32: return -std::numeric_limits<double>::infinity();
    default: return 0;
  }
}

Value pool(LoweringContext& s, BuiltinOperator code, Value x, const Sliding& height,
           const Sliding& width, schema::Padding padding, const Dims& out, bool last) {
  schema::Pool2DOptionsT options;
  options.padding = padding;
  options.stride_h = signed_of(height.stride);
  options.stride_w = signed_of(width.stride);
  options.filter_height = signed_of(height.size);
  options.filter_width = signed_of(width.size);
  if (last) options.fused_activation_function = s.activation();
  TensorSpec result = s.result(out);
  if (!s.quantized()) result.quantizer = s.e().spec(x).quantizer;
  return s.e().emit(code, {x}, std::move(result), std::optional(options));
}

/// Every element of the windows along one axis, by slices: for dilated windows and types that have
/// no pooling.
Value slide(Emitter& e, BuiltinOperator code, Value x, std::uint32_t axis, const Sliding& s) {
  Value all;
  for (std::uint32_t k = 0; k < s.size; ++k) {
    std::vector<std::int32_t> at;
    for (std::uint32_t o = 0; o < s.out; ++o)
      at.push_back(signed_of(o * s.stride + k * s.dilation));
    const Value part = e.pick(x, at, axis);
    all = all ? e.binary(code, all, part) : part;
  }
  return all;
}
Value slide(Emitter& e, BuiltinOperator code, Value x, const Sliding& height,
            const Sliding& width) {
  if (const std::uint32_t larger = std::max(height.size, width.size); larger > max_slices)
    return e.refuse(fail("a window of {} elements along a dimension is more than the {} slices "
                         "that it is put together from",
                         larger, max_slices),
                    {e.type(x), {e.shape(x)[0], height.out, width.out, e.shape(x)[3]}});
  const double filling = code == MAXIMUM ? lowest(e.type(x)) : 0;
  const Value whole = pad_image(e, x, height, width, filling);
  return slide(e, code, slide(e, code, whole, 1, height), 2, width);
}

Value average(LoweringContext& s, Value x, const Sliding& height, const Sliding& width,
              const Dims& out, bool last) {
  Emitter& e = s.e();
  const auto inverse = [](double n) { return n > 0 ? 1 / n : 0; };
  if (height.dilation != 1 || width.dilation != 1)
    return e.binary(MUL, slide(e, ADD, x, height, width), by_count(e, height, width, inverse));
  if (const auto padding = padding_of(height, width))
    return pool(s, AVERAGE_POOL_2D, x, height, width, *padding, out, last);
  const Value mean = pool(s, AVERAGE_POOL_2D, pad_image(e, x, height, width, 0), height, width,
                          schema::Padding::VALID, out, false);
  const double all = double(height.size) * width.size;
  return e.binary(MUL, mean,
                  by_count(e, height, width, [&](double n) { return n > 0 ? all / n : 0; }));
}

/// The runtime's L2_POOL_2D divides by the number of elements before it takes the root.
Value root_of_squares(LoweringContext& s, Value x, const Sliding& height, const Sliding& width,
                      const Dims& out) {
  Emitter& e = s.e();
  if (height.dilation != 1 || width.dilation != 1)
    return e.unary(SQRT, slide(e, ADD, e.binary(MUL, x, x), height, width));
  const auto padding = padding_of(height, width);
  if (padding == schema::Padding::SAME)
    return e.binary(MUL, pool(s, L2_POOL_2D, x, height, width, *padding, out, false),
                    by_count(e, height, width, [](double n) { return std::sqrt(n); }));
  const Value whole = padding ? x : pad_image(e, x, height, width, 0);
  return e.binary(MUL,
                  pool(s, L2_POOL_2D, whole, height, width, schema::Padding::VALID, out, false),
                  std::sqrt(double(height.size) * width.size));
}

Value largest(LoweringContext& s, Value x, const Sliding& height, const Sliding& width,
              const Dims& out) {
  Emitter& e = s.e();
  const TensorType type = e.type(x);
  const bool pools = type == TensorType::FLOAT32 || size_of(type) == 1;
  // The runtime's maximum of nothing is the lowest finite number.
  if (!pools || height.dilation != 1 || width.dilation != 1 || empties(height) || empties(width)) {
    const TensorType work = type == TensorType::UINT32 ? TensorType::INT64 : type;
    return e.cast(slide(e, MAXIMUM, e.cast(x, work), height, width), type);
  }
  if (const auto padding = padding_of(height, width))
    return pool(s, MAX_POOL_2D, x, height, width, *padding, out, true);
  return pool(s, MAX_POOL_2D, pad_image(e, x, height, width, lowest(type)), height, width,
              schema::Padding::VALID, out, true);
}

template <class Op> Values pooled(LoweringContext& s, const Op& op, Pool kind) {
  Emitter& e = s.e();
  const MLPool2dOptions& o = op.options;
  const Value x = to_image(e, s(op.input), o.layout);
  const Dims in = e.shape(x), out = image_shape(s.result().shape, o.layout);
  const Dims window = o.windowDimensions ? Dims(*o.windowDimensions) : Dims{in[1], in[2]};
  const Sliding height{in[1], out[1], window[0], o.strides[0], o.dilations[0], o.padding[0]};
  const Sliding width{in[2], out[2], window[1], o.strides[1], o.dilations[1], o.padding[2]};
  if (!fits(height) || !fits(width)) return s.refuse(too_large());
  const Value y = kind == Pool::average ? average(s, x, height, width, out, true)
                  : kind == Pool::l2    ? root_of_squares(s, x, height, width, out)
                                        : largest(s, x, height, width, out);
  return from_image(e, y, o.layout);
}

}  // namespace

Values lower(LoweringContext& s, const ops::averagePool2d& op) {
  return pooled(s, op, Pool::average);
}
Values lower(LoweringContext& s, const ops::l2Pool2d& op) { return pooled(s, op, Pool::l2); }
Values lower(LoweringContext& s, const ops::maxPool2d& op) { return pooled(s, op, Pool::largest); }

}  // namespace webnn::inline v0_1::tflite::exporter
