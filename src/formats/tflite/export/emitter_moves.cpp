// The operators of Emitter that move elements. Those of constants are computed at once.
#include <numeric>

#include "src/formats/tflite/export/emitter.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite::exporter {

namespace {

Constant sliced(const Constant& bytes, const Dims& shape, std::size_t element, const Dims& starts,
                const Dims& sizes) {
  std::vector<std::byte> to;
  to.reserve(element_count(sizes) * element);
  Dims place(shape.size(), 0);
  for (std::uint64_t i = 0; i < element_count(sizes); ++i) {
    std::size_t from = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) from = from * shape[d] + starts[d] + place[d];
    const auto* const first = bytes.bytes().data() + from * element;
    to.insert(to.end(), first, first + element);
    for (std::size_t d = shape.size(); d-- > 0 && ++place[d] == sizes[d];) place[d] = 0;
  }
  return Constant::copy_of(to);
}

}  // namespace

Value Emitter::reshape(Value x, Dims to) {
  if (shape(x) == to) return x;
  TensorSpec result{type(x), to, spec(x).quantizer};
  if (constant(x)) return constant(std::move(result), Constant(*constant(x)));
  if (const OperatorRecord* op = producer(x, RESHAPE);
      op && spec(op->inputs[0]).quantizer == spec(x).quantizer)
    return reshape(op->inputs[0], std::move(to));
  schema::ReshapeOptionsT options;
  options.new_shape.assign(to.begin(), to.end());
  return emit(RESHAPE, {x, ints(options.new_shape)}, std::move(result), std::optional(options));
}

namespace {

/// Whether the elements keep their order: only dimensions of size 1 change places.
bool keeps_order(const Dims& shape, const Dims& permutation) {
  std::uint32_t last = 0;
  for (const std::uint32_t d : permutation) {
    if (shape[d] == 1) continue;
    if (d < last) return false;
    last = d;
  }
  return true;
}

/// The shape and permutation with dimensions merged that stay neighbors.
std::pair<Dims, Dims> merged(const Dims& shape, const Dims& permutation) {
  const std::size_t rank = shape.size();
  std::vector<bool> follows(rank, false);  // by dimension: right behind the one before, too
  for (std::size_t i = 1; i < rank; ++i)
    if (permutation[i] == permutation[i - 1] + 1) follows[permutation[i]] = true;
  Dims group(rank), sizes;
  for (std::size_t d = 0; d < rank; ++d) {
    if (follows[d]) sizes.back() *= shape[d];
    else sizes.push_back(shape[d]);
    group[d] = static_cast<std::uint32_t>(sizes.size()) - 1;
  }
  Dims order;
  for (const std::uint32_t d : permutation)
    if (!follows[d]) order.push_back(group[d]);
  return {sizes, order};
}

}  // namespace

Value Emitter::transpose(Value x, const Dims& permutation) {
  const Dims from = shape(x), to = permuted(from, permutation);
  TensorSpec result{type(x), to, spec(x).quantizer};
  if (result.quantizer)
    result.quantizer->axis = static_cast<std::int32_t>(
        std::find(permutation.begin(), permutation.end(), result.quantizer->axis) -
        permutation.begin());
  if (result.quantizer && result.quantizer->per_tensor()) result.quantizer->axis = 0;
  if (constant(x) && size_of(type(x)))
    return constant(std::move(result),
                    transposed(*constant(x), from, size_of(type(x)), permutation));
  if (keeps_order(from, permutation)) return reshape(x, to);
  if (const OperatorRecord* op = producer(x, TRANSPOSE)) {
    Dims composed;
    const auto first = values(op->inputs[1]);
    for (const std::uint32_t d : permutation)
      composed.push_back(static_cast<std::uint32_t>(first[d]));
    if (std::is_sorted(composed.begin(), composed.end())) return op->inputs[0];
    return transpose(op->inputs[0], composed);
  }
  const auto [sizes, order] = merged(from, permutation);
  if (from.size() > 4 && sizes.size() < from.size())
    return reshape(transpose(reshape(x, sizes), order), to);
  if (from.size() > 5)
    return refuse(fail("TFLite transposes at most 5 dimensions that cannot be merged"), result);
  return emit(TRANSPOSE, {x, ints({permutation.begin(), permutation.end()})}, std::move(result));
}

Value Emitter::broadcast_to(Value x, const Dims& to) {
  if (shape(x) == to) return x;
  if (type(x) == TensorType::BOOL)  // not supported by the runtime
    return cast(broadcast_to(cast(x, TensorType::INT32), to), TensorType::BOOL);
  return emit(BROADCAST_TO, {x, ints({to.begin(), to.end()})}, {type(x), to, spec(x).quantizer});
}

Value Emitter::concat(const std::vector<Value>& list, std::uint32_t axis,
                      std::optional<TensorSpec> result) {
  if (list.size() == 1) return list.front();
  if (const auto order = common_order(list)) {
    std::vector<Value> bases;
    for (const Value x : list) bases.push_back(before_transpose(x));
    return transpose(concat(bases, (*order)[axis], std::move(result)), *order);
  }
  TensorSpec spec = this->spec(list[0]);
  if (result) spec = {result->type, spec.shape, result->quantizer};
  for (std::size_t i = 1; i < list.size(); ++i) spec.shape[axis] += shape(list[i])[axis];
  schema::ConcatenationOptionsT options;
  options.axis = static_cast<std::int32_t>(axis);
  return emit(CONCATENATION, list, std::move(spec), std::optional(options));
}

Value Emitter::slice(Value x, const Dims& starts, const Dims& sizes) {
  if (shape(x) == sizes) return x;
  if (constant(x) && size_of(type(x)))
    return constant({type(x), sizes, spec(x).quantizer},
                    sliced(*constant(x), shape(x), size_of(type(x)), starts, sizes));
  if (sizes.size() > 5) {  // one axis at a time, with what is before and behind it as one dimension
    Value y = x;
    for (std::uint32_t d = 0; d < sizes.size(); ++d) {
      Dims now = shape(y);
      if (sizes[d] == now[d]) continue;
      const auto product = [](auto from, auto to) {
        return std::accumulate(from, to, std::uint32_t{1}, std::multiplies<>());
      };
      const std::uint32_t before = product(now.begin(), now.begin() + d),
                          behind = product(now.begin() + d + 1, now.end());
      y = slice(reshape(y, {before, now[d], behind}), {0, starts[d], 0},
                {before, sizes[d], behind});
      now[d] = sizes[d];
      y = reshape(y, now);
    }
    return y;
  }
  return emit(SLICE, {x, ints({starts.begin(), starts.end()}), ints({sizes.begin(), sizes.end()})},
              {type(x), sizes, spec(x).quantizer});
}

Value Emitter::gather(Value x, Value indices, std::uint32_t axis) {
  Dims out(shape(x).begin(), shape(x).begin() + axis);
  out.insert(out.end(), shape(indices).begin(), shape(indices).end());
  out.insert(out.end(), shape(x).begin() + axis + 1, shape(x).end());
  schema::GatherOptionsT options;
  options.axis = static_cast<std::int32_t>(axis);
  return emit(GATHER, {x, indices}, {type(x), out, spec(x).quantizer}, std::optional(options));
}
Value Emitter::pick(Value x, const std::vector<std::int32_t>& indices, std::uint32_t axis) {
  return gather(x, ints(indices), axis);
}

Value Emitter::pad(Value x, const Dims& before, const Dims& after, std::optional<double> value) {
  TensorSpec result{type(x), shape(x), spec(x).quantizer};
  std::vector<std::int32_t> amounts;
  bool none = true;
  for (std::size_t d = 0; d < before.size(); ++d) {
    const std::uint64_t size = std::uint64_t{result.shape[d]} + before[d] + after[d];
    if (size > max_dimension)
      return refuse(fail("a padded dimension ({}) is greater than {}", size, max_dimension),
                    result);
    amounts.insert(amounts.end(),
                   {static_cast<std::int32_t>(before[d]), static_cast<std::int32_t>(after[d])});
    result.shape[d] += before[d] + after[d];
    none = none && before[d] == 0 && after[d] == 0;
  }
  if (none) return x;
  const Value list =
      constant(TensorType::INT32, {static_cast<std::uint32_t>(before.size()), 2}, amounts);
  if (!value) return emit(PAD, {x, list}, std::move(result));
  Value filling = scalar(type(x), *value);
  if (result.quantizer) filling = quantized(filling, *result.quantizer);
  return emit(PADV2, {x, list, filling}, std::move(result));
}

Value Emitter::reduce(BuiltinOperator code, Value x, const Axes& axes, bool keep,
                      std::optional<TensorSpec> result) {
  if (const auto order = common_order({x})) {
    Axes before, left;
    for (std::uint32_t d = 0; d < order->size(); ++d)
      (std::find(axes.begin(), axes.end(), d) == axes.end() ? left : before).push_back((*order)[d]);
    const Value base = before_transpose(x);
    if (keep) return transpose(reduce(code, base, before, true, std::move(result)), *order);
    if (std::is_sorted(left.begin(), left.end()))
      return reduce(code, base, before, false, std::move(result));
  }
  Dims out;
  for (std::uint32_t d = 0; d < shape(x).size(); ++d) {
    const bool gone = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (!gone) out.push_back(shape(x)[d]);
    else if (keep) out.push_back(1);
  }
  TensorSpec spec{type(x), out};
  if (result) spec = {result->type, out, result->quantizer};
  schema::ReducerOptionsT options;
  options.keep_dims = keep;
  return emit(code, {x, ints({axes.begin(), axes.end()})}, std::move(spec), std::optional(options));
}

}  // namespace webnn::inline v0_1::tflite::exporter
