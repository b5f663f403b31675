// What only moves elements.
#include "src/formats/tflite/export/lower.h"

#include "src/graph/failure.h"

namespace webnn::tflite::exporter {
namespace {

/// f(x) on a type that TFLite moves. Elements of uint32 go as int32, with the same bits.
template <class F> Value moved(LoweringContext& s, const MLOperand& x, F&& f) {
  Emitter& e = s.e();
  const Value from = s(x);
  const TensorType type = e.type(from);
  return e.cast(f(e.cast(from, movable(type))), type);
}

}  // namespace

Values lower(LoweringContext& s, const ops::reshape& op) {
  return s.e().reshape(s(op.input), op.newShape);
}

Values lower(LoweringContext& s, const ops::transpose& op) {
  return moved(s, op.input, [&](Value x) { return s.e().transpose(x, ops::permutation_of(op)); });
}

Values lower(LoweringContext& s, const ops::expand& op) {
  return moved(s, op.input, [&](Value x) { return s.e().broadcast_to(x, op.newShape); });
}

Values lower(LoweringContext& s, const ops::tile& op) {
  Emitter& e = s.e();
  return moved(s, op.input, [&](Value x) {
    Dims shape = op.input.shape();
    for (std::size_t d = 0; d < shape.size(); ++d) shape[d] *= op.repetitions[d];
    if (shape == op.input.shape()) return x;
    const Value list = e.ints({op.repetitions.begin(), op.repetitions.end()});
    return e.emit(TILE, {x, list}, {e.type(x), shape, e.spec(x).quantizer});
  });
}

Values lower(LoweringContext& s, const ops::reverse& op) {
  Emitter& e = s.e();
  return moved(s, op.input, [&](Value x) {
    Dims axes;
    for (std::uint32_t d = 0; d < op.input.rank(); ++d) axes.push_back(d);
    if (op.options.axes) axes = *op.options.axes;
    for (const std::uint32_t axis : axes) {
      if (e.type(x) != TensorType::INT8) {
        x = e.emit(REVERSE_V2, {x, e.ints({signed_of(axis)})}, e.spec(x));
        continue;
      }
      std::vector<std::int32_t> backward(op.input.shape()[axis]);
      for (std::size_t i = 0; i < backward.size(); ++i)
        backward[i] = static_cast<std::int32_t>(backward.size() - 1 - i);
      x = e.pick(x, backward, axis);
    }
    return x;
  });
}

Values lower(LoweringContext& s, const ops::concat& op) {
  Emitter& e = s.e();
  std::vector<Value> list;
  if (s.quantized()) {
    for (const MLOperand& x : op.inputs) list.push_back(s(x));
    return e.concat(list, op.axis, s.result());
  }
  const TensorType type = type_of(op.inputs.front().dataType());
  for (const MLOperand& x : op.inputs) list.push_back(e.cast(s(x), movable(type)));
  return e.cast(e.concat(list, op.axis), type);
}

Values lower(LoweringContext& s, const ops::slice& op) {
  Emitter& e = s.e();
  const auto& strides = op.options.strides;
  return moved(s, op.input, [&](Value x) {
    bool dense = true;
    for (std::size_t d = 0; strides && d < strides->size(); ++d)
      dense = dense && (*strides)[d] == 1;
    if (dense) return e.slice(x, op.starts, op.sizes);
    if (op.sizes.size() > 5) {  // more than STRIDED_SLICE takes: each axis by its indices
      for (std::uint32_t d = 0; d < op.sizes.size(); ++d) {
        std::vector<std::int32_t> at;
        for (std::uint32_t i = 0; i < op.sizes[d]; i += (*strides)[d])
          at.push_back(signed_of(op.starts[d] + i));
        if (at.size() != op.input.shape()[d]) x = e.pick(x, at, d);
      }
      return x;
    }
    std::vector<std::int32_t> ends, steps;
    for (std::size_t d = 0; d < op.sizes.size(); ++d) {
      ends.push_back(signed_of(op.starts[d] + op.sizes[d]));
      steps.push_back(signed_of(std::min((*strides)[d], 0x7fffffffu)));
    }
    const schema::StridedSliceOptionsT options;
    return e.emit(STRIDED_SLICE,
                  {x, e.ints({op.starts.begin(), op.starts.end()}), e.ints(ends), e.ints(steps)},
                  {e.type(x), s.result_shapes().front(), e.spec(x).quantizer},
                  std::optional(options));
  });
}

Values lower(LoweringContext& s, const ops::split& op) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.input.dataType());
  const Value x = e.cast(s(op.input), movable(type));
  const std::uint32_t axis = op.options.axis;
  std::vector<TensorSpec> results;
  std::vector<std::int32_t> sizes;
  bool equal = true;
  for (const Dims& shape : s.result_shapes()) {
    results.push_back({e.type(x), shape, e.spec(x).quantizer});
    sizes.push_back(signed_of(shape[axis]));
    equal = equal && sizes.back() == sizes.front();
  }
  if (sizes.size() == 1) return s(op.input);
  const Value along = e.scalar(TensorType::INT32, axis);
  std::vector<Value> parts;
  if (equal && e.type(x) != TensorType::INT64) {
    schema::SplitOptionsT options;
    options.num_splits = static_cast<std::int32_t>(sizes.size());
    parts = e.emit_list(SPLIT, {along, x}, results, std::optional(options));
  } else {
    schema::SplitVOptionsT options;
    options.num_splits = static_cast<std::int32_t>(sizes.size());
    parts = e.emit_list(SPLIT_V, {x, e.ints(sizes), along}, results, std::optional(options));
  }
  for (Value& part : parts) part = e.cast(part, type);
  return parts;
}

namespace {

/// The first and the last slice of each axis, repeated.
Value edges(Emitter& e, Value x, const Dims& before, const Dims& after) {
  for (std::uint32_t d = 0; d < before.size(); ++d) {
    if (before[d] == 0 && after[d] == 0) continue;
    std::vector<std::int32_t> at(before[d], 0);
    const std::int32_t size = signed_of(e.shape(x)[d]);
    for (std::int32_t i = 0; i < size; ++i) at.push_back(i);
    at.insert(at.end(), after[d], size - 1);
    x = e.pick(x, at, d);
  }
  return x;
}

Value reflected(Emitter& e, Value x, const Dims& before, const Dims& after) {
  std::vector<std::int32_t> amounts;
  TensorSpec result = e.spec(x);
  for (std::size_t d = 0; d < before.size(); ++d) {
    amounts.insert(amounts.end(), {signed_of(before[d]), signed_of(after[d])});
    result.shape[d] += before[d] + after[d];
  }
  schema::MirrorPadOptionsT options;
  options.mode = schema::MirrorPadMode::REFLECT;
  const Value list =
      e.constant(TensorType::INT32, {static_cast<std::uint32_t>(before.size()), 2}, amounts);
  return e.emit(MIRROR_PAD, {x, list}, std::move(result), std::optional(options));
}

/// One axis at a time as the middle one of three: for more dimensions than PADV2 takes.
Value padded_by_axis(Emitter& e, Value x, const Dims& before, const Dims& after, double value) {
  for (std::uint32_t d = 0; d < before.size(); ++d) {
    if (before[d] == 0 && after[d] == 0) continue;
    Dims shape = e.shape(x);
    std::uint32_t outer = 1, inner = 1;
    for (std::uint32_t k = 0; k < d; ++k) outer *= shape[k];
    for (std::uint32_t k = d + 1; k < shape.size(); ++k) inner *= shape[k];
    x = e.pad(e.reshape(x, {outer, shape[d], inner}), {0, before[d], 0}, {0, after[d], 0}, value);
    shape[d] += before[d] + after[d];
    x = e.reshape(x, shape);
  }
  return x;
}

}  // namespace

Values lower(LoweringContext& s, const ops::pad& op) {
  Emitter& e = s.e();
  const Dims &before = op.beginningPadding, &after = op.endingPadding;
  if (s.quantized()) return e.pad(s(op.input), before, after);
  return moved(s, op.input, [&](Value x) {
    if (op.options.mode == MLPaddingMode::edge) return edges(e, x, before, after);
    if (op.options.mode == MLPaddingMode::reflection) {
      if (before.size() <= 5) return reflected(e, x, before, after);
      return e.refuse(fail("TFLite reflects no more than 5 dimensions"), e.spec(x));
    }
    const MLOperandDataType type = op.input.dataType();
    double value = op.options.value.to(type).as_double();
    if (type == uint32)
      value = double(static_cast<std::int32_t>(op.options.value.to(type).as_uint64()));
    if (type == int64 && std::abs(value) > 9e15)
      return e.refuse(
          fail("the value ({}) is too large for TFLite's PADV2 as exported", op.options.value),
          e.spec(x));
    if (before.size() > 5) return padded_by_axis(e, x, before, after, value);
    return value == 0 && !e.spec(x).quantizer ? e.pad(x, before, after)
                                              : e.pad(x, before, after, value);
  });
}

}  // namespace webnn::tflite::exporter
