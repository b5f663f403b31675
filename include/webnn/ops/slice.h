// slice: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-slice
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1 {

struct MLSliceOptions {
  OptionalList<std::uint32_t> strides = std::nullopt;  ///< all 1 when absent
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct slice {
  MLOperand input;
  Dims starts{};
  Dims sizes{};  // the extent in the input, not in the output
  MLSliceOptions options{};

  static constexpr auto declaration =
      declare("slice", operand<&slice::input>("input", allow(types::any)),
              attribute<&slice::starts>("starts"), attribute<&slice::sizes>("sizes"),
              attribute<&MLSliceOptions::strides>("strides"), result("output", same_as("input")));
  static constexpr Traits traits{.moves = true, .rearranges = true};
};

inline Result<Shapes> infer(const slice& op) {
  const Dims& in = op.input.shape();
  const auto& strides = op.options.strides;
  if (auto bad = shape::check_positive("sizes", op.sizes)) return *bad;
  if (auto bad = shape::check_length("starts", op.starts.size(), in.size())) return *bad;
  if (auto bad = shape::check_length("sizes", op.sizes.size(), in.size())) return *bad;
  if (strides) {
    if (auto bad = shape::check_length("strides", strides->size(), in.size())) return *bad;
    if (auto bad = shape::check_positive("strides", *strides)) return *bad;
  }
  Sizes out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::uint64_t start = op.starts[i], size = op.sizes[i];
    const std::uint64_t stride = strides ? (*strides)[i] : 1;
    if (start + size > in[i])
      return detail::fail(
          "starts[{}] ({}) plus sizes[{}] ({}) is greater than dimension {} ({}) of input", i,
          start, i, size, i, in[i]);
    out.push_back((size + stride - 1) / stride);
  }
  return out;
}

struct SliceSection {
  using Operators = OpList<slice>;

  template <class Self, class Out, class... First> struct Methods {
    /// The window of input, of any data type, that begins at starts and extends over sizes; the
    /// result has every strides[d]-th element of dimension d, that is, ceil(sizes[d] / strides[d])
    /// elements. Throws TypeError if a list is not as long as the rank, a size or stride is 0, or
    /// the window leaves input.
    Out slice(First... input, Dims starts, Dims sizes, MLSliceOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::slice>(
          input..., std::move(starts), std::move(sizes), std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
