// A library with vector kernels for one instruction set (WEBNN_NATIVE), on a processor that lacks
// it.
#include <hwy/targets.h>

#include "src/kernels/simd/vector/instruction_set.h"
#include "tests/support/catch.h"
#include "webnn/context.h"

namespace webnn::inline v0_1::simd {

// As src/kernels/simd/vector/instruction_set.cpp has them in such a build; the static library gives
// way.
constinit const std::int64_t only_target = HWY_AVX3;
constinit const std::int64_t built_targets = HWY_AVX3;
int lanes() { return 16; }
int rows_at_once() { return 6; }
const char* target() { return "AVX3"; }

}  // namespace webnn::inline v0_1::simd

using namespace webnn;

namespace {

struct Processor {
  explicit Processor(std::int64_t targets) { hwy::SetSupportedTargetsForTest(targets); }
  ~Processor() { hwy::SetSupportedTargetsForTest(0); }
};
std::string message_of_context() {
  try {
    MLContext({.threads = 1});
    return "";
  } catch (const NotSupportedError& e) { return e.what(); }
}

}  // namespace

TEST_CASE("a context names the instruction set that the processor lacks") {
  const Processor older(HWY_AVX2 | HWY_SSE4);
  CHECK(message_of_context() ==
        "MLContext: this libwebnn was built for processors with AVX3 alone (WEBNN_NATIVE), and "
        "this one does not "
        "have it.");
}

TEST_CASE("a context is made where the processor has the instruction set") {
  const Processor same(HWY_AVX3 | HWY_AVX2 | HWY_SSE4);
  CHECK(message_of_context().empty());
}
