#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/transpose.cpp"
#include "src/kernels/simd/vector/transpose.h"

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::simd::HWY_NAMESPACE {

void weave_rows(const float* x, std::size_t x_row, std::size_t rows, std::size_t columns,
                float* y) {
  std::size_t j = 0;
#if HWY_TARGET != HWY_SCALAR
  const D d;
  const auto load = [&](std::size_t i) { return hn::LoadU(d, x + i * x_row + j); };
  for (; j + vector_lanes <= columns; j += vector_lanes) {
    float* to = y + j * rows;
    if (rows == 2) hn::StoreInterleaved2(load(0), load(1), d, to);
    else if (rows == 3) hn::StoreInterleaved3(load(0), load(1), load(2), d, to);
    else hn::StoreInterleaved4(load(0), load(1), load(2), load(3), d, to);
  }
#endif
  for (; j < columns; ++j)
    for (std::size_t i = 0; i < rows; ++i) y[j * rows + i] = x[i * x_row + j];
}

}  // namespace webnn::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::simd {
HWY_EXPORT(weave_rows);
void weave(const float* x, std::size_t x_row, std::size_t rows, std::size_t columns, float* y) {
  HWY_DYNAMIC_DISPATCH(weave_rows)(x, x_row, rows, columns, y);
}
}  // namespace webnn::simd
#endif
