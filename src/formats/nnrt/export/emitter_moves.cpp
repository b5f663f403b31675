// The nodes of Emitter that move elements. Quantized elements keep their scales.
#include <algorithm>
#include <numeric>

#include "src/formats/nnrt/export/emitter.h"

namespace webnn::inline v0_1::nnrt::exporter {

Value Emitter::moved(Attributes attributes, std::vector<Value> inputs, const Dims& to) {
  const auto params = tensor(inputs[0]).quantParams;
  const DataType stored = tensor(inputs[0]).dataType;  // perhaps booleans
  const Value y = like(std::move(attributes), std::move(inputs), to);
  model_.allTensors.back().dataType = stored;
  quantize(y, params);
  return y;
}

Value Emitter::copy(Value x) {
  if (shape(x).empty()) return moved(Squeeze{}, {x}, {});  // a list of no sizes is not a constant
  return moved(Reshape{}, {x, ints(shape(x))}, shape(x));
}

Value Emitter::transpose(Value x, const Dims& permutation) {
  if (std::is_sorted(permutation.begin(), permutation.end())) return x;
  const Dims to = permuted(shape(x), permutation);
  const auto params = tensor(x).quantParams;
  const auto data = tensor(x).data;
  if (!data) return moved(Transpose{}, {x, ints(permutation)}, to);
  const Value y =
      constant(type(x), to,
               formats::transposed(*data, shape(x), static_cast<std::size_t>(bits_of(type(x))) / 8,
                                   permutation));
  quantize(y, params);
  return y;
}

Value Emitter::reshape(Value x, const Dims& to) {
  if (shape(x) == to) return x;
  const auto params = tensor(x).quantParams;
  const auto data = tensor(x).data;
  if (!data && to.empty()) return moved(Squeeze{}, {x}, to);
  if (!data) return moved(Reshape{}, {x, ints(to)}, to);
  const Value y = constant(type(x), to, *data);
  quantize(y, params);
  return y;
}

Value Emitter::broadcast(Value x, const Dims& to) {
  return shape(x) == to ? x : moved(BroadcastTo{.shape = list_of(to)}, {x}, to);
}

Value Emitter::slice(Value x, const Dims& starts, const Dims& sizes) {
  if (shape(x) == sizes) return x;
  List axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  return moved(SliceFusion{.axes = std::move(axes)}, {x, ints(starts), ints(sizes)}, sizes);
}

Value Emitter::reverse(Value x, const Dims& axes) {
  std::vector<std::int32_t> begin, end, strides;
  std::int64_t to_the_end = 0;
  for (const std::uint32_t size : shape(x)) {
    begin.push_back(0);
    end.push_back(static_cast<std::int32_t>(size));
    strides.push_back(1);
  }
  for (const std::uint32_t d : axes) {
    begin[d] = end[d] - 1;
    strides[d] = -1;
    to_the_end |= std::int64_t{1} << d;  // there is no index before 0
  }
  if (axes.empty()) return x;
  return moved(StridedSlice{.endMask = to_the_end}, {x, ints(begin), ints(end), ints(strides)},
               shape(x));
}

Value Emitter::concat(std::vector<Value> parts, std::uint32_t axis) {
  if (parts.size() == 1) return parts[0];
  Dims to = shape(parts[0]);
  to[axis] = 0;
  for (const Value x : parts) to[axis] += shape(x)[axis];
  return moved(Concat{.axis = axis}, std::move(parts), to);
}

Value Emitter::pad(Value x, const Dims& before, const Dims& after, float value) {
  PadFusion a{.paddingMode = PaddingMode::PADDING_MODE_CONSTANT, .constantValue = value};
  return pad(x, before, after, std::move(a));
}
Value Emitter::pad(Value x, const Dims& before, const Dims& after, PadFusion a) {
  std::vector<std::int32_t> flat;
  Dims to = shape(x);
  for (std::size_t d = 0; d < to.size(); ++d) {
    a.paddings.push_back({before[d], after[d]});
    for (const std::int64_t v : a.paddings.back()) flat.push_back(static_cast<std::int32_t>(v));
    to[d] += before[d] + after[d];
  }
  const Value list = constant(int32, {static_cast<std::uint32_t>(to.size()), 2},
                              Constant::copy_of(std::as_bytes(std::span(flat))));
  return moved(std::move(a), {x, list}, to);
}

Value Emitter::mask(const Dims& to, const std::vector<std::uint8_t>& values) {
  const Value x = constant(uint8, to, Constant::copy_of(std::as_bytes(std::span(values))));
  model_.allTensors.back().dataType = DataType::DATA_TYPE_BOOL;
  return x;
}

}  // namespace webnn::inline v0_1::nnrt::exporter
