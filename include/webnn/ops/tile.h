// tile: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-tile
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1::ops {

struct tile {
  MLOperand input;
  Dims repetitions{};
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("tile", operand<&tile::input>("input", allow(types::any)),
              attribute<&tile::repetitions>("repetitions"), result("output", same_as("input")));
  static constexpr Traits traits{.moves = true, .rearranges = true};
};

inline Result<Shapes> infer(const tile& op) {
  Sizes out = shape::sizes(op.input.shape());
  if (auto bad = shape::check_length("repetitions", op.repetitions.size(), out.size())) return *bad;
  if (auto bad = shape::check_positive("repetitions", op.repetitions)) return *bad;
  for (std::size_t d = 0; d < out.size(); ++d) out[d] *= op.repetitions[d];
  return out;
}

struct TileSection {
  using Operators = OpList<tile>;

  template <class Self, class Out, class... First> struct Methods {
    /// input, of any data type, repeated repetitions[d] times along each dimension d. Throws
    /// TypeError if repetitions is not as long as the rank, or a repetition is zero.
    Out tile(First... input, Dims repetitions, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::tile>(input..., std::move(repetitions),
                                                                std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
