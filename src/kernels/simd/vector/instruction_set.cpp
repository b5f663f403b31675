#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/instruction_set.cpp"
#include "src/kernels/simd/vector/instruction_set.h"

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/register_rows.h"
#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

int lane_count() { return vector_lanes; }
int row_count() { return float_block_rows(vector_registers, 2); }
const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
#ifdef HWY_COMPILE_ONLY_STATIC
constinit const std::int64_t only_target = HWY_STATIC_TARGET;
#else
constinit const std::int64_t only_target = 0;
#endif

constinit const std::int64_t built_targets = HWY_TARGETS;

HWY_EXPORT(lane_count);
HWY_EXPORT(row_count);
HWY_EXPORT(target_name);

int lanes() { return HWY_DYNAMIC_DISPATCH(lane_count)(); }
int rows_at_once() { return HWY_DYNAMIC_DISPATCH(row_count)(); }
const char* target() { return HWY_DYNAMIC_DISPATCH(target_name)(); }
}  // namespace webnn::inline v0_1::simd
#endif
