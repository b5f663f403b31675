#include "src/graph/resolve.h"

#include <cstring>

#include "src/graph/failure.h"
#include "src/graph/graph_data.h"

namespace webnn::inline v0_1 {
namespace {

using Results = std::vector<MLOperand>;

/// Adds an operator whose results have the data type of its first operand.
template <class T> Results add(GraphData& to, T op) {
  const MLOperandDataType type = op.input.dataType();
  const Result<ops::Shapes> shapes = infer(op);
  if (!shapes) raise(shapes.failure(), T::declaration.name, op.options.label);
  std::vector<MLOperandDescriptor> results;
  for (const ops::Sizes& s : *shapes) results.push_back({type, Dims(s.begin(), s.end())});
  return to.add(Op::of(std::move(op)), results);
}

Results add_constant(GraphData& to, MLOperandDescriptor d, std::span<const std::byte> bytes) {
  return {to.add({.descriptor = std::move(d),
                  .kind = OperandKind::constant,
                  .constant = Constant::copy_of(bytes)})};
}
Results add_sizes(GraphData& to, Dims shape, std::span<const std::uint32_t> sizes) {
  return add_constant(to, {uint32, std::move(shape)}, std::as_bytes(sizes));
}

template <class T> Dims inferred(const T& op) {
  const Result<ops::Shapes> shapes = infer(op);
  if (!shapes) raise(shapes.failure(), T::declaration.name, op.options.label);
  const ops::Sizes& sizes = (*shapes).front();
  return Dims(sizes.begin(), sizes.end());
}
Dims values(const MLOperand& x) { return *shape::values(x, ""); }

Results resolve_one(GraphData& to, const ops::shapeOf& op) {
  return add_sizes(to, {op.input.rank()}, op.input.shape());
}
Results resolve_one(GraphData& to, const ops::rank& op) {
  const std::uint32_t rank = op.input.rank();
  return add_sizes(to, {}, std::span(&rank, 1));
}
Results resolve_one(GraphData& to, const ops::dimension& op) {
  return add_sizes(to, {}, std::span(op.input.shape()).subspan(op.axis, 1));
}

/// Consecutive numbers, as bytes.
template <class T>
std::vector<std::byte> numbers(std::size_t count, const std::byte* start, const std::byte* delta) {
  T first{}, by{};
  std::memcpy(&first, start, sizeof(T));
  std::memcpy(&by, delta, sizeof(T));
  std::vector<std::byte> bytes(count * sizeof(T));
  for (std::size_t i = 0; i < count; ++i) {
    T value{};
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(static_cast<double>(first) +
                             static_cast<double>(i) * static_cast<double>(by));
    } else {  // modulo, as every number before the limit is one of the type
      value =
          static_cast<T>(static_cast<std::uint64_t>(first) + i * static_cast<std::uint64_t>(by));
    }
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

Results resolve_one(GraphData& to, const ops::range& op) {
  const MLOperandDescriptor d{op.start.dataType(), inferred(op)};
  const std::byte *start = op.start.constant()->bytes().data(),
                  *delta = op.delta.constant()->bytes().data();
  const std::size_t count = d.shape.front();
  switch (d.dataType) {
    case float32: return add_constant(to, d, numbers<float>(count, start, delta));
    case int32: return add_constant(to, d, numbers<std::int32_t>(count, start, delta));
    case uint32: return add_constant(to, d, numbers<std::uint32_t>(count, start, delta));
    case int64: return add_constant(to, d, numbers<std::int64_t>(count, start, delta));
    default: return add_constant(to, d, numbers<std::uint64_t>(count, start, delta));
  }
}

/// squeeze, unsqueeze and reshapeTo2d.
template <class T> Results resolve_one(GraphData& to, const T& op) {
  return add(to, ops::reshape{op.input, inferred(op), {op.options.label}});
}
Results resolve_one(GraphData& to, const ops::reshapeDynamic& op) {
  return add(to, ops::reshape{op.input, values(op.newShape), op.options});
}
Results resolve_one(GraphData& to, const ops::expandDynamic& op) {
  return add(to, ops::expand{op.input, values(op.newShape), op.options});
}
Results resolve_one(GraphData& to, const ops::tileDynamic& op) {
  return add(to, ops::tile{op.input, values(op.repetitions), op.options});
}
Results resolve_one(GraphData& to, const ops::sliceDynamic& op) {
  return add(to, ops::slice{op.input, values(op.starts), values(op.sizes), op.options});
}
Results resolve_one(GraphData& to, const ops::padDynamic& op) {
  return add(to,
             ops::pad{op.input, values(op.beginningPadding), values(op.endingPadding), op.options});
}
Results resolve_one(GraphData& to, const ops::splitDynamic& op) {
  return add(to, ops::split{op.input, values(op.splits), op.options});
}
Results resolve_one(GraphData& to, const ops::resample2dDynamic& op) {
  return add(to, *ops::with_sizes(op));
}

/// f(operator) for an operator on shapes.
template <class F> auto visit_shape_op(F&& f, const Op& op) {
  using R = decltype(f(std::declval<const ops::rank&>()));
  using Entry = R (*)(F&, const void*);
  static constexpr auto table = []<class... T>(ops::OpList<T...>) {
    return std::array<Entry, sizeof...(T)>{
        [](F& g, const void* p) -> R { return g(*static_cast<const T*>(p)); }...};
  }(ops::ShapeOps{});
  return table[op.kind() - ops::AllOps::size](f, op.get());
}

template <class T> bool has_open_steps(const Op& op) {
  const T* recurrent = op.as<T>();
  if (!recurrent || recurrent->steps != 0) return false;
  const auto& open = recurrent->input.record().open;
  return open && (!open->ranked || open->dimensions.at(0).is_open());
}

template <class T> void set_steps(Op& op) {
  auto& recurrent = *const_cast<T*>(op.as<T>());  // which `op` owns
  const Dims& shape = recurrent.input.record().descriptor.shape;
  if (!shape.empty()) recurrent.steps = shape[0];
}

}  // namespace

std::vector<ShapeOperand> shape_operands(Op& op) {
  std::vector<ShapeOperand> all;
  visit_shape_op(
      [&]<class T>(const T& o) {
        ops::for_each_operand(o, [&](const auto& row, const auto& value) {
          if (row.name != "input")
            ops::each(value, [&](const MLOperand& x) {
              all.push_back({row.name, const_cast<MLOperand*>(&x)});  // a member of `op`
            });
        });
      },
      op);
  return all;
}

void set_open_steps(Op& sized, const Op& open) {
  if (has_open_steps<ops::gru>(open)) set_steps<ops::gru>(sized);
  if (has_open_steps<ops::lstm>(open)) set_steps<ops::lstm>(sized);
}

std::vector<MLOperand> resolve(GraphData& to, const Op& op) {
  return visit_shape_op([&](const auto& o) { return resolve_one(to, o); }, op);
}

}  // namespace webnn::inline v0_1
