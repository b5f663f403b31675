// An operator with exchangeable pieces, for the cases of this folder.
#pragma once

#include "webnn/graph_builder.h"

#ifndef ROWS
#define ROWS                                                                                   \
  operand<&mine::input>("input", allow(types::floats)), attribute<&mineOptions::axis>("axis"), \
      result("output", same_as("input"))
#endif
#ifndef MEMBER
#define MEMBER std::uint32_t axis = 0;
#endif
#ifndef INFER
#define INFER \
  inline Result<Shapes> infer(const mine& op) { return op.input.shape(); }
#endif
#ifndef LABEL
#define LABEL std::string label{};
#endif

namespace webnn::inline v0_1::ops {
struct mineOptions {
  MEMBER
  LABEL
};
struct mine {
  MLOperand input;
  mineOptions options{};
  static constexpr auto declaration = declare("mine", ROWS);
};
INFER
static_assert(Operator<mine>);
}  // namespace webnn::inline v0_1::ops
