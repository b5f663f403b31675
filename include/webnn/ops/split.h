// split: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-split
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1 {

/// `3` is a number of equal parts, `{3}` a list of one part: the two must not be confused, which
/// overloads on std::uint32_t and Dims would do (braces around one number prefer the number).
struct MLSplits : std::variant<std::uint32_t, Dims> {
  MLSplits() = default;
  MLSplits(std::uint32_t count) : variant(count) {}
  MLSplits(std::initializer_list<std::uint32_t> sizes) : variant(Dims(sizes)) {}
  MLSplits(Dims sizes) : variant(std::move(sizes)) {}
};

struct MLSplitOptions {
  std::uint32_t axis = 0;  ///< the dimension that is split
  std::string label{};     ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct split {
  MLOperand input;
  MLSplits splits{};
  MLSplitOptions options{};

  static constexpr auto declaration =
      declare("split", operand<&split::input>("input", allow(types::any, {.min = 1})),
              attribute<&split::splits>("splits"), attribute<&MLSplitOptions::axis>("axis"),
              results("outputs", same_as("input")));
  static constexpr Traits traits{.moves = true, .rearranges = true};
};

inline Result<Shapes> infer(const split& op) {
  const std::uint32_t axis = op.options.axis;
  if (auto bad = shape::check_axis(axis, op.input)) return *bad;
  const std::uint32_t whole = op.input.shape()[axis];
  const auto* list = std::get_if<Dims>(&op.splits);
  const std::size_t count = list ? list->size() : std::get<std::uint32_t>(op.splits);
  if (count < 1 || count > 8192)
    return detail::fail("the number ({}) of splits is not between 1 and 8192", count);
  if (!list && whole % count != 0)
    return detail::fail("dimension {} ({}) of input is not divisible by splits ({})", axis, whole,
                        count);
  if (list) {
    if (auto bad = shape::check_positive("splits", *list)) return *bad;
    std::uint64_t sum = 0;
    for (auto part : *list) sum += part;
    if (sum != whole)
      return detail::fail("the sum ({}) of splits is not dimension {} ({}) of input", sum, axis,
                          whole);
  }
  std::vector<Sizes> parts(count, shape::sizes(op.input.shape()));
  for (std::size_t i = 0; i < count; ++i) parts[i][axis] = list ? (*list)[i] : whole / count;
  return Shapes(std::move(parts));
}

struct SplitSection {
  using Operators = OpList<split>;

  template <class Self, class Out, class... First> struct Methods {
    /// input, of any data type and with at least one dimension, in parts along an axis: 1 to 8192
    /// parts of equal or of the given sizes. Throws TypeError if the axis is not below the rank,
    /// the number of parts does not divide the axis, or a size is 0 or the sizes have another sum.
    std::vector<Out> split(First... input, MLSplits splits, MLSplitOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::split>(input..., std::move(splits),
                                                                 std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
