// Pooling.
#include <algorithm>
#include <limits>
#include <optional>

#include "src/formats/onnx/export/lower.h"

namespace webnn::inline v0_1::onnx::exporter {
namespace {

/// A window over the last two dimensions of an image in NCHW, with the padding at the end with
/// which rounding down gives the sizes of the result.
struct Pool {
  Value x;
  Dims out, window, strides, dilations, before, after;

  std::uint32_t extent(std::size_t i) const { return (window[i] - 1) * dilations[i] + 1; }
};

template <class Op> Pool pool_of(LoweringContext& s, const Op& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const bool nhwc = o.layout == MLInputOperandLayout::nhwc;
  Pool p{.x = s(op.input), .out = s.shape(), .strides = o.strides, .dilations = o.dilations};
  if (nhwc) {
    p.x = e.to_nchw(p.x);
    p.out = permuted(p.out, nhwc_to_nchw);
  }
  const Dims in = e.shape(p.x);
  p.window = o.windowDimensions ? Dims(*o.windowDimensions) : Dims{in[2], in[3]};
  p.before = {o.padding[0], o.padding[2]};
  for (std::uint32_t i = 0; i < 2; ++i) {
    // What is given is right for all sizes of an open dimension; more is asked for by rounding up.
    if (s.is_open(op.input, (nhwc ? 1 : 2) + i)) {
      p.after.push_back(o.padding[2 * i + 1]);
      continue;
    }
    const std::uint64_t needed = std::uint64_t{p.out[2 + i] - 1} * p.strides[i] + p.extent(i);
    const std::uint64_t there = std::uint64_t{in[2 + i]} + p.before[i];
    p.after.push_back(static_cast<std::uint32_t>(needed > there ? needed - there : 0));
  }
  return p;
}
template <class Op> Value from_nchw(LoweringContext& s, const Op& op, Value y) {
  return op.options.layout == MLInputOperandLayout::nhwc ? s.e().to_nhwc(y) : y;
}

/// Zeros around the image, as other tensors: ONNX Runtime makes a Pad before an average part of
/// that, also where it is larger than the window.
void surround(Emitter& e, Pool& p) {
  for (std::uint32_t i = 0; i < 2; ++i) {
    const auto zeros = [&](std::uint32_t n) {
      Dims shape = e.shape(p.x);
      shape[2 + i] = n;
      return e.filled(e.type(p.x), shape, 0);
    };
    std::vector<Value> parts{p.x};
    if (p.before[i] > 0) parts.insert(parts.begin(), zeros(p.before[i]));
    if (p.after[i] > 0) parts.push_back(zeros(p.after[i]));
    if (parts.size() > 1) p.x = e.concat(std::move(parts), 2 + i);
  }
  p.before = p.after = {0, 0};
}

/// Elements around the image, where ONNX has no padding as large as the window.
void pad(Emitter& e, Pool& p, MLNumber value) {
  p.x = e.pad(p.x, {0, 0, p.before[0], p.before[1]}, {0, 0, p.after[0], p.after[1]}, "constant",
              e.scalar_like(p.x, value));
  p.before = p.after = {0, 0};
}
bool is_padded_too_much(const Pool& p) {
  return p.before[0] >= p.window[0] || p.before[1] >= p.window[1] || p.after[0] >= p.window[0] ||
         p.after[1] >= p.window[1];
}
bool is_whole(Emitter& e, const Pool& p) {
  const Dims& in = e.shape(p.x);
  return p.window == Dims{in[2], in[3]} && p.before == Dims{0, 0} && p.after == Dims{0, 0} &&
         p.dilations == Dims{1, 1} && p.strides == Dims{1, 1};
}

Value pool_node(Emitter& e, const Pool& p, std::string_view name, Attributes attributes = {}) {
  // ONNX Runtime's quantized pools know no dilations.
  if (p.dilations != Dims{1, 1}) attributes.push_back({"dilations", ints_of(p.dilations)});
  attributes.push_back({"kernel_shape", ints_of(p.window)});
  attributes.push_back({"pads", Ints{p.before[0], p.before[1], p.after[0], p.after[1]}});
  attributes.push_back({"strides", ints_of(p.strides)});
  return e.like(name, {p.x}, p.out, std::move(attributes));
}

/// For each place the elements of its window, and of these the part within the image.
Value parts_inside(Emitter& e, const Pool& p) {
  const Dims& in = e.shape(p.x);
  std::vector<float> parts;
  std::vector<std::uint32_t> counts[2];
  for (std::size_t i = 0; i < 2; ++i)
    for (std::uint32_t at = 0; at < p.out[2 + i]; ++at) {
      std::uint32_t n = 0;
      for (std::uint32_t k = 0; k < p.window[i]; ++k) {
        const std::uint64_t place =
            std::uint64_t{at} * p.strides[i] + std::uint64_t{k} * p.dilations[i];
        n += place >= p.before[i] && place < std::uint64_t{p.before[i]} + in[2 + i];
      }
      counts[i].push_back(n);
    }
  const float all = static_cast<float>(p.window[0]) * static_cast<float>(p.window[1]);
  for (const std::uint32_t a : counts[0])
    for (const std::uint32_t b : counts[1])
      parts.push_back(a && b ? all / (static_cast<float>(a) * static_cast<float>(b)) : 0.0f);
  return e.constant(float32, {1, 1, p.out[2], p.out[3]},
                    Constant::copy_of(std::as_bytes(std::span(parts))));
}

/// Windows along one dimension that have the same number of elements in the image.
struct Stretch {
  std::uint32_t windows = 0;
  std::uint64_t size = 0, first = 0;  // elements of a window; the first one of the first window
};
std::vector<Stretch> stretches(const Pool& p, std::size_t i, std::uint32_t in) {
  const std::uint64_t stride = p.strides[i], dilation = p.dilations[i], before = p.before[i];
  std::vector<Stretch> all;
  for (std::uint64_t o = 0; o < p.out[2 + i]; ++o) {
    const std::uint64_t at = o * stride, end = before + in;  // in the padded image
    const std::uint64_t skipped = at < before ? (before - at + dilation - 1) / dilation : 0;
    const std::uint64_t reached = at < end ? (end - at + dilation - 1) / dilation : 0;
    const std::uint64_t last = std::min<std::uint64_t>(p.window[i], reached);
    const std::uint64_t size = last > skipped ? last - skipped : 0;
    const std::uint64_t first = size > 0 ? at + skipped * dilation - before : 0;
    const bool more = !all.empty() && all.back().size == size &&
                      (size == 0 || first == all.back().first + all.back().windows * stride);
    if (!more) all.push_back({0, size, first});
    ++all.back().windows;
  }
  return all;
}

/// The windows of these rows and columns, without padding.
Value block(Emitter& e, const Pool& p, const Stretch& rows, const Stretch& columns) {
  const Dims in = e.shape(p.x);
  Pool part = p;
  part.out = {in[0], in[1], rows.windows, columns.windows};
  if (rows.size == 0 || columns.size == 0)
    return e.expand(e.filled(e.type(p.x), {1, 1, 1, 1}, 0), part.out);
  Dims starts(4, 0), ends = in;
  for (std::size_t i = 0; i < 2; ++i) {
    const Stretch& s = i == 0 ? rows : columns;
    starts[2 + i] = static_cast<std::uint32_t>(s.first);
    ends[2 + i] = static_cast<std::uint32_t>(s.first + std::uint64_t{s.windows - 1} * p.strides[i] +
                                             (s.size - 1) * p.dilations[i] + 1);
    part.window[i] = static_cast<std::uint32_t>(s.size);
  }
  part.x = e.slice(p.x, starts, ends, {1, 1, 1, 1});
  return pool_node(e, part, "AveragePool");
}

/// Nothing where there are too many different windows.
std::optional<Value> in_blocks(Emitter& e, Pool p) {
  constexpr std::size_t most = 4096;
  const Dims in = e.shape(p.x);
  const auto rows = stretches(p, 0, in[2]), columns = stretches(p, 1, in[3]);
  if (rows.size() * columns.size() > most) return std::nullopt;
  p.before = p.after = {0, 0};
  const auto joined = [&](std::vector<Value> parts, std::uint32_t axis) {
    return parts.size() == 1 ? parts[0] : e.concat(std::move(parts), axis);
  };
  std::vector<Value> bands;
  for (const Stretch& r : rows) {
    std::vector<Value> parts;
    for (const Stretch& c : columns) parts.push_back(block(e, p, r, c));
    bands.push_back(joined(std::move(parts), 3));
  }
  return joined(std::move(bands), 2);
}

}  // namespace

/// The mean of the elements within the image. ONNX Runtime has no padding as large as the window.
Values lower(LoweringContext& s, const ops::averagePool2d& op) {
  Emitter& e = s.e();
  Pool p = pool_of(s, op);
  if (is_whole(e, p)) return from_nchw(s, op, e.like("GlobalAveragePool", {p.x}, p.out));
  if (!is_padded_too_much(p)) return from_nchw(s, op, pool_node(e, p, "AveragePool"));
  if (const auto y = in_blocks(e, p)) return from_nchw(s, op, *y);
  const Value parts = parts_inside(e, p);
  p.x = e.cast(p.x, float32);
  surround(e, p);
  const Value y = e.binary("Mul", pool_node(e, p, "AveragePool"), parts);
  return from_nchw(s, op, e.cast(y, s.type()));
}

Values lower(LoweringContext& s, const ops::l2Pool2d& op) {
  Emitter& e = s.e();
  Pool p = pool_of(s, op);
  if (is_padded_too_much(p)) pad(e, p, 0);
  return from_nchw(s, op, pool_node(e, p, "LpPool", {{"p", std::int64_t{2}}}));
}

namespace {

MLNumber lowest_of(MLOperandDataType type) {
  switch (type) {
    case float32:
    case float16:
    case bfloat16:
    case float8e4m3: return -std::numeric_limits<double>::infinity();
    case int64: return std::numeric_limits<std::int64_t>::min();
    case int32: return std::numeric_limits<std::int32_t>::min();
    case int8: return -128;
    default: return 0;
  }
}

/// The largest of all elements that a window has at the same place in each of its positions.
Value largest(Emitter& e, const Pool& p) {
  std::vector<Value> parts;
  const Dims in = e.shape(p.x);
  for (std::uint32_t i = 0; i < p.window[0]; ++i)
    for (std::uint32_t k = 0; k < p.window[1]; ++k) {
      const std::uint32_t row = i * p.dilations[0], column = k * p.dilations[1];
      parts.push_back(e.slice(p.x, {0, 0, row, column},
                              {in[0], in[1], row + (p.out[2] - 1) * p.strides[0] + 1,
                               column + (p.out[3] - 1) * p.strides[1] + 1},
                              {1, 1, p.strides[0], p.strides[1]}));
    }
  return e.like("Max", std::move(parts), p.out);
}

}  // namespace

Values lower(LoweringContext& s, const ops::maxPool2d& op) {
  constexpr std::uint64_t most = 1024;
  Emitter& e = s.e();
  Pool p = pool_of(s, op);
  if (types_of("MaxPool").contains(s.type())) {
    if (is_whole(e, p) && is_float(s.type()))
      return from_nchw(s, op, e.like("GlobalMaxPool", {p.x}, p.out));
    if (is_padded_too_much(p)) pad(e, p, lowest_of(s.type()));
    return from_nchw(s, op, pool_node(e, p, "MaxPool"));
  }
  if (std::uint64_t{p.window[0]} * p.window[1] > most)
    return s.refuse(
        fail("ONNX's MaxPool does not take {}, and its window {} has more than {} "
             "elements",
             s.type(), p.window, most));
  pad(e, p, lowest_of(s.type()));
  return from_nchw(s, op, largest(e, p));
}

}  // namespace webnn::inline v0_1::onnx::exporter
