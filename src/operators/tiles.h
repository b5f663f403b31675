// What operators with a kernel of tiles have in common. Private.
#pragma once

#include <stdexcept>

#include "src/graph/failure.h"
#include "webnn/custom.h"

namespace webnn::inline v0_1::operators {

/// Refuses the operands, or attributes, of an operator.
[[noreturn]] inline void refuse(const Failure& f) { throw std::invalid_argument(f.message); }

inline const MLOperandDescriptor& operand(const CustomCall& call, std::size_t i,
                                          std::string_view name) {
  if (i >= call.inputs.size()) refuse(fail("there is no {}", name));
  return call.inputs[i];
}
inline void require_operands(const CustomCall& call, std::size_t least, std::size_t most) {
  if (call.inputs.size() < least || call.inputs.size() > most)
    refuse(fail("it has {} operands, not {} to {}", call.inputs.size(), least, most));
}

/// The axis that an attribute says, from the end when it is negative.
inline std::uint32_t axis_of(const CustomCall& call, const Dims& shape) {
  const auto axis = call.attribute<std::int64_t>("axis");
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (axis < -rank || axis >= rank) refuse(fail("axis ({}) is not within the rank {}", axis, rank));
  return static_cast<std::uint32_t>(axis < 0 ? axis + rank : axis);
}

/// The elements before and behind an axis, and along it.
struct Around {
  std::size_t outer = 1, size = 1, inner = 1;

  Around(const Dims& shape, std::uint32_t axis) : size(shape[axis]) {
    for (std::uint32_t d = 0; d < shape.size(); ++d)
      (d < axis ? outer : inner) *= d == axis ? 1 : shape[d];
  }
};

/// The enumerator whose word an attribute is.
template <class E>
E enumerator(const CustomCall& call, std::string_view name,
             std::initializer_list<std::pair<std::string_view, E>> all) {
  const auto text = call.attribute<std::string>(name);
  std::string names;
  for (const auto& [word, e] : all) {
    if (text == word) return e;
    names += (names.empty() ? "" : ", ") + std::string(word);
  }
  refuse(fail("{} (\"{}\") is not one of {}", name, escaped(text), names));
}

/// An operand with a data type of these and a rank.
inline const MLOperandDescriptor& operand(const CustomCall& call, std::size_t i,
                                          std::string_view name, DataTypes types,
                                          std::size_t rank) {
  const MLOperandDescriptor& x = operand(call, i, name);
  if (!types.contains(x.dataType)) refuse(fail("the data type of its {} is {}", name, x.dataType));
  if (x.shape.size() != rank)
    refuse(fail("the rank of its {} is {}, not {}", name, x.shape.size(), rank));
  return x;
}

/// compute() of an operator whose lower() has a kernel for all operands that infer() takes.
inline std::function<void(const CustomRun&)> computed_by(
    std::function<Lowering(const CustomCall&)> lower) {
  return [lower = std::move(lower)](const CustomRun& run) {
    const Candidate kernel = std::get<Candidate>(lower(run.call));
    std::vector<const std::byte*> inputs;
    std::vector<std::byte*> outputs;
    for (std::size_t i = 0; i < run.call.inputs.size(); ++i)
      inputs.push_back(run.in<std::byte>(i).data());
    for (std::size_t i = 0; i < run.call.outputs.size(); ++i)
      outputs.push_back(run.out<std::byte>(i).data());
    const auto memory = [](std::size_t bytes) {
      return std::vector<std::max_align_t>(bytes / sizeof(std::max_align_t) + 1);
    };
    std::vector<std::max_align_t> scratch = memory(kernel.scratch), shared = memory(kernel.shared);
    const Buffers buffers{inputs, outputs, reinterpret_cast<std::byte*>(shared.data())};
    for (int round = 0; round < kernel.rounds; ++round)
      kernel.run({0, kernel.tiles, round}, buffers, reinterpret_cast<std::byte*>(scratch.data()));
  };
}

/// f(std::type_identity<T>) for the type of elements of 8 bits and more.
template <class F> auto with_type(MLOperandDataType type, F f) {
  switch (type) {
    case float32: return f(std::type_identity<float>());
    case float16: return f(std::type_identity<Float16>());
    case bfloat16: return f(std::type_identity<BFloat16>());
    case int32: return f(std::type_identity<std::int32_t>());
    case uint32: return f(std::type_identity<std::uint32_t>());
    case int64: return f(std::type_identity<std::int64_t>());
    case uint64: return f(std::type_identity<std::uint64_t>());
    case int8: return f(std::type_identity<std::int8_t>());
    case uint8: return f(std::type_identity<std::uint8_t>());
    default: refuse(fail("elements of {} have no kernel", type));
  }
}

/// Rows of `row` operations each, grouped so that a tile is worth its start.
inline int rows_of_a_tile(std::size_t row) {
  constexpr std::size_t worth = 1 << 14;
  return static_cast<int>(std::max<std::size_t>(1, worth / std::max<std::size_t>(1, row)));
}
inline int tiles_of(std::size_t rows, int rows_per_tile) {
  const auto each = static_cast<std::size_t>(rows_per_tile);
  return static_cast<int>(std::max<std::size_t>(1, (rows + each - 1) / each));
}

/// A kernel of rows, each of about `work` operations, which run(row, buffers, scratch) computes.
template <class F>
Candidate by_rows(std::string name, std::size_t rows, std::size_t work, F run,
                  std::size_t scratch = 0) {
  const int each = rows_of_a_tile(work);
  return {.name = std::move(name),
          .tiles = tiles_of(rows, each),
          .scratch = scratch,
          .run = [=](Range r, const Buffers& b, std::byte* memory) {
            const auto n = static_cast<std::size_t>(each);
            const std::size_t end = std::min(rows, static_cast<std::size_t>(r.end) * n);
            for (auto row = static_cast<std::size_t>(r.begin) * n; row < end; ++row)
              run(row, b, memory);
          }};
}

/// f(std::type_identity<T>) for float, Float16 or BFloat16.
template <class F> auto with_float(MLOperandDataType type, F f) {
  switch (type) {
    case float32: return f(std::type_identity<float>());
    case float16: return f(std::type_identity<Float16>());
    case bfloat16: return f(std::type_identity<BFloat16>());
    default: refuse(fail("elements of {} have no kernel", type));
  }
}

/// Numbers as they are computed with: narrow floats as float32.
template <class T>
using Number = std::conditional_t<std::same_as<T, Float16> || std::same_as<T, BFloat16>, float, T>;

}  // namespace webnn::inline v0_1::operators
