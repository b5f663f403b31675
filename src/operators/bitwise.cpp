// webnn.Bitwise: integers of any width, whose bits are those of the unsigned type.
#include "src/operators/operators.h"
#include "src/operators/tiles.h"

namespace webnn::inline v0_1::operators {
namespace {

Dims broadcast(const Dims& a, const Dims& b) {
  const Dims &longer = a.size() < b.size() ? b : a, &shorter = a.size() < b.size() ? a : b;
  Dims shape = longer;
  const std::size_t more = longer.size() - shorter.size();
  for (std::size_t d = 0; d < shorter.size(); ++d) {
    std::uint32_t& to = shape[more + d];
    if (to != shorter[d] && to != 1 && shorter[d] != 1)
      refuse(fail("shapes {} and {} do not broadcast", a, b));
    if (to == 1) to = shorter[d];
  }
  return shape;
}

std::vector<MLOperandDescriptor> infer(const CustomCall& call) {
  const auto operation = call.attribute<std::string>("operation");
  const bool binary = operation == "and" || operation == "or" || operation == "xor";
  if (!binary && operation != "not")
    refuse(fail("operation (\"{}\") is not one of and, or, xor, not", escaped(operation)));
  require_operands(call, binary ? 2 : 1, binary ? 2 : 1);
  const auto [type, shape] = call.inputs[0];
  if (is_float(type) || bits_of(type) < 8) refuse(fail("the data type of its operand is {}", type));
  if (!binary) return {{type, shape}};
  if (call.inputs[1].dataType != type)
    refuse(fail("the data types of its operands are {} and {}", type, call.inputs[1].dataType));
  return {{type, broadcast(shape, call.inputs[1].shape)}};
}

/// How far elements of an operand lie apart, by dimension of the result: 0 where it has one.
std::vector<std::size_t> strides_of(const Dims& shape, const Dims& result) {
  std::vector<std::size_t> strides(result.size(), 0);
  std::size_t stride = 1;
  for (std::size_t d = shape.size(), r = result.size(); d-- > 0;) {
    --r;
    strides[r] = shape[d] == 1 ? 0 : stride;
    stride *= shape[d];
  }
  return strides;
}

/// The rows of the result, along its last dimension, and where those of the operands begin.
struct Rows {
  Dims shape;
  std::vector<std::size_t> a, b;  // strides
  std::size_t count = 1, size = 1;

  Rows(const Dims& result, const Dims& first, const Dims& second)
      : shape(result.empty() ? Dims{1} : result),
        a(strides_of(first, shape)),
        b(strides_of(second, shape)),
        size(shape.back()) {
    for (std::size_t d = 0; d + 1 < shape.size(); ++d) count *= shape[d];
  }
  static std::size_t place(const Dims& shape, const std::vector<std::size_t>& strides,
                           std::size_t row) {
    std::size_t at = 0;
    for (std::size_t d = shape.size() - 1; d-- > 0; row /= shape[d])
      at += row % shape[d] * strides[d];
    return at;
  }
};

template <class T, class F>
void combine(const Rows& rows, std::size_t begin, std::size_t end, const Buffers& b, F f) {
  const std::size_t step_a = rows.a.back(), step_b = rows.b.back();
  for (std::size_t row = begin; row < end; ++row) {
    const T* x = b.in<T>(0) + Rows::place(rows.shape, rows.a, row);
    const T* z = b.in<T>(1) + Rows::place(rows.shape, rows.b, row);
    T* y = b.out<T>() + row * rows.size;
    for (std::size_t i = 0; i < rows.size; ++i)
      y[i] = static_cast<T>(f(x[i * step_a], z[i * step_b]));
  }
}

/// A kernel of tiles of some rows: run(first row, the row behind the last, buffers).
template <class F> Candidate kernel_of(const char* name, const Rows& rows, F run) {
  const int each = rows_of_a_tile(rows.size);
  return {.name = name,
          .tiles = tiles_of(rows.count, each),
          .run = [=](Range r, const Buffers& b, std::byte*) {
            const auto n = static_cast<std::size_t>(each);
            run(static_cast<std::size_t>(r.begin) * n,
                std::min(rows.count, static_cast<std::size_t>(r.end) * n), b);
          }};
}

template <class T> Lowering lower_typed(const CustomCall& call) {
  const auto operation = call.attribute<std::string>("operation");
  const Dims& shape = call.outputs[0].shape;
  const Dims& first = call.inputs[0].shape;
  const Rows rows(shape, first, operation == "not" ? first : call.inputs[1].shape);
  if (operation == "not")
    return kernel_of("bitwise", rows, [=](std::size_t begin, std::size_t end, const Buffers& b) {
      for (std::size_t i = begin * rows.size; i < end * rows.size; ++i)
        b.out<T>()[i] = static_cast<T>(~b.in<T>()[i]);
    });
  const auto with = [&](auto f) -> Lowering {
    return kernel_of("bitwise", rows, [=](std::size_t begin, std::size_t end, const Buffers& b) {
      combine<T>(rows, begin, end, b, f);
    });
  };
  if (operation == "and") return with([](T v, T w) { return v & w; });
  if (operation == "or") return with([](T v, T w) { return v | w; });
  return with([](T v, T w) { return v ^ w; });
}

Lowering lower(const CustomCall& call) {
  switch (bits_of(call.inputs[0].dataType)) {
    case 8: return lower_typed<std::uint8_t>(call);
    case 32: return lower_typed<std::uint32_t>(call);
    default: return lower_typed<std::uint64_t>(call);
  }
}

}  // namespace

const Definition& bitwise() {
  static const Definition one = custom_operator({.name = "webnn.Bitwise",
                                                 .attributes = {{"operation", {}}},
                                                 .infer = &infer,
                                                 .compute = computed_by(&lower),
                                                 .lower = &lower});
  return one;
}

}  // namespace webnn::inline v0_1::operators
