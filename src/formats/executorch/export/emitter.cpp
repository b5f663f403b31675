#include "src/formats/executorch/export/emitter.h"

#include <algorithm>

#include "src/graph/failure.h"
#include "webnn/float16.h"

namespace webnn::inline v0_1::executorch::exporter {

std::uint32_t count_of(const Dims& shape) {
  return static_cast<std::uint32_t>(element_count(shape));
}

void Emitter::quantize(Value x, Quantizer q, DataType type) {
  model_.values[x.id].spec.quantizer = std::move(q);
  model_.values[x.id].spec.type = type;
}

Value Emitter::refuse(const Failure& failure, Spec result) {
  if (!failure_) failure_ = failure;
  return value(std::move(result));
}

Value Emitter::value(Spec spec) {
  if (spec.shape.size() > max_dims && !failure_)
    failure_ = fail("XNNPACK has at most {} dimensions, not {}", max_dims, spec.shape);
  model_.values.push_back({.spec = std::move(spec)});
  return {static_cast<std::uint32_t>(model_.values.size() - 1)};
}
Value Emitter::constant(Spec spec, Constant bytes) {
  const Value x = value(std::move(spec));
  model_.values[x.id].constant = std::move(bytes);
  return x;
}
Value Emitter::floats(Dims shape, const std::vector<float>& values, DataType type) {
  if (type != DataType::fp16)
    return constant({DataType::fp32, std::move(shape)},
                    Constant::copy_of(std::as_bytes(std::span(values))));
  std::vector<std::uint16_t> float16_values;
  for (const float v : values) float16_values.push_back(float16_bits(v));
  return constant({type, std::move(shape)},
                  Constant::copy_of(std::as_bytes(std::span(float16_values))));
}

template <class Table>
Value Emitter::append(Kind kind, Table table, Spec result, Limits limits, std::uint32_t flags) {
  const Value y = value(std::move(result));
  auto made = std::make_unique<Table>(std::move(table));
  made->output_id = y.id;
  made->flags = flags;
  auto node = std::make_unique<xnn::NodeT>();
  node->node.type = kind;
  node->node.value = made.release();
  node->debug_handle = static_cast<std::uint32_t>(model_.nodes.size());
  if (limits.bind()) {
    node->output_min_max = std::make_unique<xnn::OutputMinMaxT>();
    node->output_min_max->output_min = limits.low;
    node->output_min_max->output_max = limits.high;
  }
  model_.nodes.push_back(std::move(node));
  return y;
}

Value Emitter::unary(Kind kind, Value x, std::optional<Spec> result, Limits limits) {
  xnn::Node1x1T t;
  t.input_id = x.id;
  return append(kind, t, result ? *result : Spec(spec(x)), limits);
}

Value Emitter::binary(Kind kind, Value a, Value b, std::optional<Spec> result, Limits limits) {
  xnn::Node2x1T t;
  t.input1_id = a.id;
  t.input2_id = b.id;
  Spec out = result ? *result : Spec{type(a), {}, {}};
  out.shape = broadcast_shape(shape(a), shape(b));
  return append(kind, t, std::move(out), limits);
}

Value Emitter::clamp(Value x, Limits limits, std::optional<Spec> result) {
  if (!limits.bind() && !result) return x;
  return unary(Kind::Clamp, x, std::move(result), limits);
}

Value Emitter::leaky_relu(Value x, float slope, Spec result) {
  xnn::NodeLeakyReLUT t;
  t.input_id = x.id;
  t.negative_slope = slope;
  return append(Kind::LeakyReLU, t, std::move(result));
}
Value Emitter::elu(Value x, float alpha, Spec result) {
  xnn::NodeELUT t;
  t.input_id = x.id;
  t.alpha = alpha;
  return append(Kind::ELU, t, std::move(result));
}

Value Emitter::fully_connected(Value x, Value filter, Value bias, Spec result, Limits limits) {
  xnn::NodeFullyConnectedT t;
  t.input1_id = x.id;
  t.filter_id = filter.id;
  t.bias_id = bias.id;
  return append(Kind::FullyConnected, t, std::move(result), limits);
}

/// Batches of matrices: the dimensions before the last two are made the same first.
Value Emitter::matrices(Value a, Value b) {
  const auto outer = [&](Value x) { return Dims(shape(x).begin(), shape(x).end() - 2); };
  Dims batch = broadcast_shape(outer(a), outer(b));
  if (batch.empty()) batch = {1};
  const auto whole = [&](Value x) {
    Dims wanted = batch;
    wanted.insert(wanted.end(), shape(x).end() - 2, shape(x).end());
    Dims now(wanted.size() - rank(x), 1);
    now.insert(now.end(), shape(x).begin(), shape(x).end());
    return broadcast_to(reshape(x, now), wanted);
  };
  const std::size_t out_rank = std::max(rank(a), rank(b));
  const std::uint32_t rows = *(shape(a).end() - 2), columns = shape(b).back();
  xnn::Node2x1T t;
  t.input1_id = whole(a).id;
  t.input2_id = whole(b).id;
  Dims out = batch;
  out.insert(out.end(), {rows, columns});
  const Value y = append(Kind::BatchMatrixMultiply, t, {type(a), out, {}});
  return out_rank == 2 ? reshape(y, {rows, columns}) : y;
}

Value Emitter::convolution(Kind kind, xnn::NodeConvT table, Value x, Value filter, Value bias,
                           Spec result, Limits limits) {
  table.input1_id = x.id;
  table.filter_id = filter.id;
  table.bias_id = bias.id;
  return append(kind, std::move(table), std::move(result), limits);
}

Value Emitter::pool(Kind kind, Value x, const Sliding& height, const Sliding& width, Spec result,
                    Limits limits) {
  if (height.size == 1 && width.size == 1) {
    if (height.stride == 1 && width.stride == 1 && result.shape == shape(x))
      return limits.bind() ? clamp(x, limits, std::move(result))
                           : unary(Kind::Copy, x, std::move(result));
    return refuse(fail("XNNPACK has no windows of one element"), std::move(result));
  }
  xnn::NodePoolingT t;
  t.padding_top = height.before;
  t.padding_bottom = height.after;
  t.padding_left = width.before;
  t.padding_right = width.after;
  t.pooling_height = height.size;
  t.pooling_width = width.size;
  t.stride_height = height.stride;
  t.stride_width = width.stride;
  t.dilation_height = height.dilation;
  t.dilation_width = width.dilation;
  t.input_id = x.id;
  return append(kind, t, std::move(result), limits);
}

Value Emitter::arg_max(Value x, std::uint32_t height) {
  const Dims from = shape(x), out{from[0], from[1] / height, from[2], from[3]};
  const Value largest = value({type(x), out, {}}), index = value({DataType::int32, out, {}});
  auto made = std::make_unique<xnn::NodeArgMaxPoolingT>();
  made->pooling_height = height;
  made->pooling_width = 1;
  made->input_id = x.id;
  made->output_value_id = largest.id;
  made->output_index_id = index.id;
  auto node = std::make_unique<xnn::NodeT>();
  node->node.type = Kind::ArgMaxPooling2d;
  node->node.value = made.release();
  node->debug_handle = static_cast<std::uint32_t>(model_.nodes.size());
  model_.nodes.push_back(std::move(node));
  return index;
}

namespace {

/// The dimension of a reshaped tensor that has the indices of one of the tensor.
std::optional<std::size_t> dimension_after(const Dims& from, std::size_t axis, const Dims& to) {
  const auto before = [](const Dims& shape, std::size_t d) {
    return element_count(Dims(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(d)));
  };
  for (std::size_t d = 0; d < to.size(); ++d)
    if (to[d] == from[axis] && before(to, d) == before(from, axis)) return d;
  return std::nullopt;
}

}  // namespace

Value Emitter::reshape(Value x, Dims to) {
  if (shape(x) == to) return x;
  Spec result = spec(x);
  result.shape = to;
  if (result.quantizer && !result.quantizer->per_tensor()) {
    const auto axis = static_cast<std::size_t>(result.quantizer->axis);
    const auto after = dimension_after(shape(x), axis, to);
    if (!after)
      return refuse(
          fail("it has a scale for each index of dimension {} of {}, which {} does not have", axis,
               shape(x), to),
          std::move(result));
    result.quantizer->axis = static_cast<std::int32_t>(*after);
  }
  if (constant(x) && (!result.quantizer || result.quantizer->per_tensor()))
    return constant(std::move(result), *constant(x));
  xnn::NodeReshapeT t;
  t.num_dims = static_cast<std::uint32_t>(to.size());
  t.new_shape.assign(to.begin(), to.end());
  t.input_id = x.id;
  return append(Kind::StaticReshape, std::move(t), std::move(result));
}

namespace {

std::size_t size_of(DataType type) {
  switch (type) {
    case DataType::fp16: return 2;
    case DataType::qint8:
    case DataType::quint8:
    case DataType::qcint8: return 1;
    default: return 4;
  }
}

}  // namespace

Value Emitter::transpose(Value x, const Dims& permutation) {
  bool same = true;
  for (std::uint32_t d = 0; d < permutation.size(); ++d) same = same && permutation[d] == d;
  if (same) return x;
  Spec result = spec(x);
  result.shape = permuted(shape(x), permutation);
  if (result.quantizer && !result.quantizer->per_tensor())
    for (std::uint32_t d = 0; d < permutation.size(); ++d)
      if (permutation[d] == static_cast<std::uint32_t>(spec(x).quantizer->axis))
        result.quantizer->axis = static_cast<std::int32_t>(d);
  if (constant(x))
    return constant(std::move(result),
                    transposed(*constant(x), shape(x), size_of(type(x)), permutation));
  xnn::NodeTransposeT t;
  t.num_dims = static_cast<std::uint32_t>(permutation.size());
  t.perm.assign(permutation.begin(), permutation.end());
  t.input_id = x.id;
  return append(Kind::StaticTranspose, std::move(t), std::move(result));
}

Value Emitter::slice(Value x, const Dims& starts, const Dims& sizes) {
  Spec result = spec(x);
  if (sizes == result.shape) return x;
  result.shape = sizes;
  xnn::NodeSliceT t;
  t.num_dims = static_cast<std::uint32_t>(sizes.size());
  t.offsets.assign(starts.begin(), starts.end());
  t.sizes.assign(sizes.begin(), sizes.end());
  t.input_id = x.id;
  return append(Kind::StaticSlice, std::move(t), std::move(result));
}

Value Emitter::pad(Value x, const Dims& before, const Dims& after, float value) {
  Spec result = spec(x);
  for (std::size_t d = 0; d < before.size(); ++d) result.shape[d] += before[d] + after[d];
  xnn::NodePadT t;
  t.pre_paddings.assign(before.begin(), before.end());
  t.post_paddings.assign(after.begin(), after.end());
  t.padding_value = value;
  t.input_id = x.id;
  return append(Kind::StaticConstantPad, std::move(t), std::move(result));
}

/// Four at a time: a fifth is newer than the other kinds.
Value Emitter::concat(std::vector<Value> parts, std::uint32_t axis) {
  constexpr std::size_t most = 4;
  while (parts.size() > 1) {
    std::vector<Value> joined;
    for (std::size_t i = 0; i < parts.size(); i += most) {
      const std::size_t n = std::min(most, parts.size() - i);
      if (n == 1) {
        joined.push_back(parts[i]);
        continue;
      }
      Spec result = spec(parts[i]);
      result.shape[axis] = 0;
      for (std::size_t k = 0; k < n; ++k) result.shape[axis] += shape(parts[i + k])[axis];
      xnn::NodeConcatenateT t;
      t.axis = axis;
      t.input1_id = parts[i].id;
      t.input2_id = parts[i + 1].id;
      t.input3_id = n > 2 ? parts[i + 2].id : no_value;
      t.input4_id = n > 3 ? parts[i + 3].id : no_value;
      t.input5_id = no_value;
      const Kind kinds[] = {Kind::Concatenate2, Kind::Concatenate3, Kind::Concatenate4};
      joined.push_back(append(kinds[n - 2], t, std::move(result)));
    }
    parts = std::move(joined);
  }
  return parts.front();
}

Value Emitter::resize(Value x, std::uint32_t height, std::uint32_t width, Spec result) {
  xnn::NodeResizeT t;
  t.new_height = height;
  t.new_width = width;
  t.input_id = x.id;
  return append(Kind::StaticResizeBilinear2D, t, std::move(result));
}

Value Emitter::broadcast_to(Value x, const Dims& to) {
  if (shape(x) == to) return x;
  Dims ones = to;
  const std::size_t missing = to.size() - rank(x);
  for (std::size_t d = missing; d < to.size(); ++d)
    if (shape(x)[d - missing] == to[d]) ones[d] = 1;
  return binary(Kind::Multiply, x, floats(ones, std::vector<float>(count_of(ones), 1.0f), type(x)));
}

Value Emitter::mean(Value x, const Dims& axes) {
  if (axes.empty()) return x;
  return reduce(x, axes, [&](Value rows) {
    return unary(Kind::GlobalAvgPooling2d, rows, Spec{type(x), {shape(rows)[0], 1, 1, 1}, {}});
  });
}

}  // namespace webnn::inline v0_1::executorch::exporter
