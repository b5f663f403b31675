#include "src/kernels/simd/growing_attention.h"

#include "src/kernels/simd/vector/float32/elementwise.h"

namespace webnn::inline v0_1::simd {

bool AttentionTerms::fits(const AttentionRows& a) const {
  if (!growing_) return true;
  if (stored() != StoredAs::float32 && (a.key_inner != 1 || a.key_term != a.inner)) return false;
  if (stored() == StoredAs::int8 && (a.inner % stored_block != 0 || a.columns % stored_block != 0))
    return false;
  if (growing_->spread_masks) return true;
  // A mask of the run has rows of its terms, and is the same for all matrices.
  const bool is_whole = a.mask.slot >= 0 && a.mask.step != 0;
  return a.condition.step == 0 && a.shapes.masked == a.shapes.scores &&
         (!is_whole ||
          element_count(a.options.mask->shape()) == a.terms * (a.mask.row ? a.rows : 1));
}

StoredRows AttentionTerms::rows(const Buffers& b, std::size_t slot, std::size_t at,
                                std::size_t rows, std::size_t columns, std::size_t stride) const {
  StoredRows m{b.inputs[slot] + at * bytes_of_element(stored()), stored(), rows, columns, stride};
  if (stored() == StoredAs::int8) m.scales = b.in<float>(growing_->slot + slot) + at / stored_block;
  return m;
}

std::size_t AttentionTerms::scratch_floats() const {
  if (stored() == StoredAs::float32) return 0;
  return matrix_floats() + (stored() == StoredAs::int8 ? 0 : Elementwise().scratch_floats);
}

const float* AttentionTerms::floats(const Buffers& b, std::size_t slot, std::size_t at,
                                    std::size_t rows, std::size_t columns, float* scratch) const {
  const StoredRows m = this->rows(b, slot, at, rows, columns, columns);
  if (m.as == StoredAs::float32) return reinterpret_cast<const float*>(m.data);
  if (m.as == StoredAs::int8) {
    load_rows(m, scratch);
    return scratch;
  }
  std::byte* out = reinterpret_cast<std::byte*>(scratch);
  Elementwise e;
  e.head.type = stored() == StoredAs::float16 ? float16 : bfloat16;
  run_elementwise(e, 0, rows * columns, {.inputs = {&m.data, 1}, .outputs = {&out, 1}},
                  scratch + matrix_floats());
  return scratch;
}

}  // namespace webnn::inline v0_1::simd
