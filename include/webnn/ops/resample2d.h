// resample2d: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-resample2d-method
// The text leaves linear interpolation of integers open: to nearest, ties to even.
#pragma once

#include <cmath>

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1 {

enum class MLInterpolationMode { nearest_neighbor, linear };
constexpr auto names_of(MLInterpolationMode) { return names("nearest-neighbor", "linear"); }

struct MLResample2dOptions {
  MLInterpolationMode mode =
      MLInterpolationMode::nearest_neighbor;         ///< how elements are interpolated
  std::vector<float> scales{1, 1};                   ///< one for each of axes
  OptionalList<std::uint32_t> sizes = std::nullopt;  ///< takes precedence over scales
  Dims axes{2, 3};                                   ///< in any order
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct resample2d {
  MLOperand input;
  MLResample2dOptions options{};

  static constexpr auto declaration =
      declare("resample2d", operand<&resample2d::input>("input", allow(types::resampled, {4, 4})),
              attribute<&MLResample2dOptions::mode>("mode"),
              attribute<&MLResample2dOptions::scales>("scales"),
              attribute<&MLResample2dOptions::sizes>("sizes"),
              attribute<&MLResample2dOptions::axes>("axes"), result("output", same_as("input")));
};

inline Result<Shapes> infer(const resample2d& op) {
  const auto& [mode, scales, given, axes, label] = op.options;
  for (std::size_t i = 0; i < scales.size(); ++i)
    if (!(scales[i] > 0))
      return detail::fail("scales[{}] ({}) is not greater than 0", i, scales[i]);
  if (auto bad = shape::check_length("scales", scales.size(), 2)) return *bad;
  if (given)
    if (auto bad = shape::check_length("sizes", given->size(), 2)) return *bad;
  if (given)
    if (auto bad = shape::check_positive("sizes", *given)) return *bad;
  if (auto bad = shape::check_axes(axes, op.input)) return *bad;
  // differs from spec: the text forgets the length of axes.
  if (auto bad = shape::check_length("axes", axes.size(), 2)) return *bad;

  Sizes out = shape::sizes(op.input.shape());
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const double scaled = std::floor(static_cast<double>(out[axes[i]]) * scales[i]);
    const double limited = std::min(scaled, 1e18);  // beyond any valid dimension already
    out[axes[i]] = given ? (*given)[i] : static_cast<std::uint64_t>(limited);
  }
  return out;
}

struct Resample2dSection {
  using Operators = OpList<resample2d>;

  template <class Self, class Out, class... First> struct Methods {
    /// input resized along two axes, with pixel centers at half coordinates, by the nearest element
    /// (halfway: the lower one) or linearly. Rank 4; float32, float16, bfloat16, int8 or uint8. The
    /// sizes are `sizes` or floor(in * scale). Throws TypeError if a scale is not greater than 0, a
    /// size is 0, axes are not two different ones below 4, or the result would be empty.
    Out resample2d(First... input, MLResample2dOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::resample2d>(input..., std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
