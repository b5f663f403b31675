// A graph with a loop whose iterations follow from an open dimension, which few formats have.
#pragma once

#include "src/builder/loop_recorder.h"
#include "tests/support/builder.h"

namespace webnn::inline v0_1::test {

/// x [rows, 2], negated as often as it has rows.
inline MLGraph looped(const MLContext& context = plain_context()) {
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {"rows", 2}});
  LoopRecorder loop(b, b.cast(b.dimension(x, 0), int64), b.constant(uint8, 1));
  loop.begin();
  return b.build({{"y", loop.finish({b.neg(loop.state(x))}, {}, {}, "repeat")[0]}});
}

inline constexpr std::string_view no_loops =
    "NotSupportedError loop [repeat]: only compiled files have loops whose iterations follow from "
    "open "
    "dimensions: export what prepare() returns, or give a size when the model is imported.";

}  // namespace webnn::inline v0_1::test
