#include "src/kernels/simd/growing_attention.h"

#include "src/kernels/simd/vector/float32/elementwise.h"

namespace webnn::inline v0_1::simd {

bool AttentionTerms::fits(const AttentionRows& a) const {
  if (!growing_) return true;
  if (growing_->float16 && (a.key_inner != 1 || a.key_term != a.inner)) return false;
  if (growing_->spread_masks) return true;
  // A mask of the run has rows of its terms, and is the same for all matrices.
  const bool is_whole = a.mask.slot >= 0 && a.mask.step != 0;
  return a.condition.step == 0 && a.shapes.masked == a.shapes.scores &&
         (!is_whole ||
          element_count(a.options.mask->shape()) == a.terms * (a.mask.row ? a.rows : 1));
}

std::size_t AttentionTerms::scratch_floats() const {
  return has_float16() ? matrix_floats() + Elementwise().scratch_floats : 0;
}

const float* AttentionTerms::floats(const Buffers& b, std::size_t slot, std::size_t at,
                                    std::size_t n, float* scratch) const {
  if (!has_float16()) return b.in<float>(slot) + at;
  constexpr std::size_t bytes = 2;
  const std::byte* from = b.inputs[slot] + at * bytes;
  std::byte* out = reinterpret_cast<std::byte*>(scratch);
  Elementwise e;
  e.head.type = float16;
  run_elementwise(e, 0, n, {.inputs = {&from, 1}, .outputs = {&out, 1}}, scratch + matrix_floats());
  return scratch;
}

}  // namespace webnn::inline v0_1::simd
