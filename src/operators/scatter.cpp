// webnn.ScatterElements and webnn.ScatterND: updates of one place are put together in the order of
// the indices, on one thread, so that results do not depend on the number of threads.
#include <cmath>
#include <cstring>

#include "src/operators/operators.h"
#include "src/operators/tiles.h"

namespace webnn::inline v0_1::operators {
namespace {

void check_common(const CustomCall& call) {
  require_operands(call, 3, 3);
  const auto reduction = call.attribute<std::string>("reduction");
  if (reduction != "add" && reduction != "mul" && reduction != "min" && reduction != "max")
    refuse(fail("reduction (\"{}\") is not one of add, mul, min, max", escaped(reduction)));
  const MLOperandDataType type = call.inputs[0].dataType;
  if (bits_of(type) < 8) refuse(fail("the data type of its operand is {}", type));
  const MLOperandDataType indices = call.inputs[1].dataType;
  if (indices != int32 && indices != uint32 && indices != int64)
    refuse(fail("the data type of its indices is {}", indices));
  if (call.inputs[2].dataType != type)
    refuse(fail("the data type ({}) of its updates is not {}", call.inputs[2].dataType, type));
}

std::vector<MLOperandDescriptor> infer_elements(const CustomCall& call) {
  check_common(call);
  const Dims &x = call.inputs[0].shape, &indices = call.inputs[1].shape;
  const std::uint32_t axis = axis_of(call, x);
  if (indices.size() != x.size()) refuse(fail("the rank of its indices is not {}", x.size()));
  if (call.inputs[2].shape != indices)
    refuse(fail("the shape {} of its updates is not that of its indices, {}", call.inputs[2].shape,
                indices));
  for (std::uint32_t d = 0; d < x.size(); ++d)
    if (d != axis && indices[d] > x[d])
      refuse(fail("its indices of shape {} are larger than its operand of {}", indices, x));
  return {call.inputs[0]};
}

std::vector<MLOperandDescriptor> infer_nd(const CustomCall& call) {
  check_common(call);
  const Dims &x = call.inputs[0].shape, &indices = call.inputs[1].shape;
  if (x.empty() || indices.empty()) refuse(fail("its operand, or indices, are scalars"));
  const std::uint32_t depth = indices.back();
  if (depth > x.size())
    refuse(fail("its indices have {} numbers, more than the rank {}", depth, x.size()));
  Dims expected(indices.begin(), indices.end() - 1);
  expected.insert(expected.end(), x.begin() + depth, x.end());
  if (call.inputs[2].shape != expected)
    refuse(fail("the shape {} of its updates is not {}", call.inputs[2].shape, expected));
  return {call.inputs[0]};
}

/// An index from the end when it is negative, moved into the dimension, as WebNN's scatter
/// operators do.
std::size_t inside(std::int64_t i, std::uint32_t size) {
  if (i < 0) i += size;
  return static_cast<std::size_t>(std::clamp<std::int64_t>(i, 0, std::int64_t{size} - 1));
}

/// Index i of any of the types.
struct Indices {
  const std::byte* data;
  MLOperandDataType type;

  std::int64_t operator[](std::size_t i) const {
    const auto at = [&]<class T>(T v) {
      std::memcpy(&v, data + i * sizeof v, sizeof v);
      return static_cast<std::int64_t>(v);
    };
    if (type == int64) return at(std::int64_t{});
    return type == int32 ? at(std::int32_t{}) : at(std::uint32_t{});
  }
};

/// Integers wrap around, without undefined behavior.
template <class T> T added(T a, T b) {
  if constexpr (std::integral<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  } else return static_cast<T>(a + b);
}
template <class T> T multiplied(T a, T b) {
  if constexpr (std::integral<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else return static_cast<T>(a * b);
}
/// NaN stays, whichever of them is one.
template <class T> T lower_of(T a, T b) {
  if constexpr (std::floating_point<T>)
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? a : b;
  return b < a ? b : a;
}
template <class T> T higher_of(T a, T b) {
  if constexpr (std::floating_point<T>)
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? a : b;
  return a < b ? b : a;
}

/// f(std::type_identity<T>, combine) with the numbers that elements are put together as: narrow
/// floats as float32.
template <class F> void with_reduction(const CustomRun& run, F f) {
  const auto reduction = run.attribute<std::string>("reduction");
  with_type(run.call.inputs[0].dataType, [&]<class T>(std::type_identity<T> type) {
    const auto as = [&](auto combine) {
      f(type, [&](T& to, T v) {
        using N = Number<T>;
        to = static_cast<T>(combine(static_cast<N>(to), static_cast<N>(v)));
      });
    };
    if (reduction == "add") as([](auto a, auto b) { return added(a, b); });
    else if (reduction == "mul") as([](auto a, auto b) { return multiplied(a, b); });
    else if (reduction == "min") as([](auto a, auto b) { return lower_of(a, b); });
    else as([](auto a, auto b) { return higher_of(a, b); });
  });
}

void copy_operand(const CustomRun& run) {
  const auto x = run.in<std::byte>(0);
  std::memcpy(run.out<std::byte>().data(), x.data(), x.size());
}

void compute_elements(const CustomRun& run) {
  copy_operand(run);
  const Dims &shape = run.shape(0), &part = run.shape(1);
  const std::uint32_t axis = axis_of(run.call, shape);
  const Indices indices{run.in<std::byte>(1).data(), run.call.inputs[1].dataType};
  std::vector<std::size_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * shape[d + 1];
  with_reduction(run, [&]<class T>(std::type_identity<T>, auto combine) {
    const auto updates = run.in<T>(2);
    const auto y = run.out<T>();
    for (std::size_t i = 0; i < updates.size(); ++i) {
      std::size_t at = 0;
      for (std::size_t d = part.size(), rest = i; d-- > 0; rest /= part[d])
        at += strides[d] * (d == axis ? inside(indices[i], shape[d]) : rest % part[d]);
      combine(y[at], updates[i]);
    }
  });
}

void compute_nd(const CustomRun& run) {
  copy_operand(run);
  const Dims& shape = run.shape(0);
  const std::size_t depth = run.shape(1).back();
  const Indices indices{run.in<std::byte>(1).data(), run.call.inputs[1].dataType};
  std::size_t block = 1;
  for (std::size_t d = depth; d < shape.size(); ++d) block *= shape[d];
  with_reduction(run, [&]<class T>(std::type_identity<T>, auto combine) {
    const auto updates = run.in<T>(2);
    const auto y = run.out<T>();
    for (std::size_t i = 0; i < updates.size() / block; ++i) {
      std::size_t at = 0;
      for (std::size_t d = 0; d < depth; ++d)
        at = at * shape[d] + inside(indices[i * depth + d], shape[d]);
      for (std::size_t k = 0; k < block; ++k) combine(y[at * block + k], updates[i * block + k]);
    }
  });
}

}  // namespace

const Definition& scatter_elements() {
  static const Definition one = custom_operator({.name = "webnn.ScatterElements",
                                                 .attributes = {{"axis", 0}, {"reduction", {}}},
                                                 .infer = &infer_elements,
                                                 .compute = &compute_elements});
  return one;
}
const Definition& scatter_nd() {
  static const Definition one = custom_operator({.name = "webnn.ScatterND",
                                                 .attributes = {{"reduction", {}}},
                                                 .infer = &infer_nd,
                                                 .compute = &compute_nd});
  return one;
}

}  // namespace webnn::inline v0_1::operators
