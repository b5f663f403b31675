#include "src/kernels/common/library.h"

#include <algorithm>
#include <cstring>

namespace webnn::inline v0_1 {

std::optional<LoweringRequest> request_of(Chain chain) {
  if (chain.size() == 1) return LoweringRequest{.chain = chain, .result = chain.front().output()};
  if (std::any_of(chain.begin() + 1, chain.end(), takes_epilogue)) return std::nullopt;
  const auto stages = stages_of(chain);
  if (!stages || stages->size() != 1) return std::nullopt;
  return LoweringRequest{
      .chain = chain, .result = chain.front().output(), .epilogue = stages->front().epilogue};
}

void OutputRows::fill_nan(float* y, std::size_t y_step) const {
  for (std::size_t r = 0; r < rows; ++r)
    std::fill_n(y + r * y_step, columns, std::numeric_limits<float>::quiet_NaN());
}

void OutputRows::clamp(float* y, std::size_t y_step, float lo, float hi) const {
  for (std::size_t r = 0; r < rows; ++r, y += y_step)
    for (std::size_t i = 0; i < columns; ++i) {
      const float v = y[i] < lo ? lo : y[i];
      y[i] = v > hi ? hi : v;
    }
}

void OutputRows::copy(const float* from, std::size_t from_step, float* y) const {
  for (std::size_t r = 0; r < rows; ++r)
    std::memcpy(y + r * step, from + r * from_step, columns * sizeof(float));
}

}  // namespace webnn::inline v0_1
