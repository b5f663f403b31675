// The two products of an attention: queries with keys, and the weights that follow with values.
#pragma once

#include "src/kernels/simd/attention_rows.h"
#include "src/kernels/simd/built.h"
#include "src/kernels/simd/product/pack.h"
#include "src/kernels/simd/vector/bfloat16/panels.h"

namespace webnn::inline v0_1::simd {

/// Packs the keys and values of one matrix, and multiplies rows by them: as float32, or rounded to
/// bfloat16. A run has up to so many terms as the attention; all its calls have the same scratch.
class AttentionProducts {
 public:
  /// `block`: the most rows at a time. `prefixes`: of the values some terms may be left out.
  AttentionProducts(const AttentionRows& a, Bfloat16Products how, std::size_t block, bool prefixes);

  bool in_bfloat16() const { return bfloat16_built && how_ != Bfloat16Products::none; }
  std::size_t scratch_floats() const;
  void pack_keys(const float* keys, std::size_t terms, float* scratch) const;
  void pack_values(const float* values, std::size_t terms, float* scratch) const;
  /// The largest magnitudes of what is packed, which are not finite if one of its floats is not.
  float largest_key(const float* keys, std::size_t terms, const float* scratch) const;
  float largest_value(const float* values, std::size_t terms) const;
  static float largest(const float* x, std::size_t n);

  /// The scores of the first `seen` of the terms, [rows][seen].
  void multiply_keys(const float* queries, std::size_t rows, std::size_t terms, std::size_t seen,
                     float* scratch, float* scores) const;
  /// y = scores * the first `seen` of the values: all, or a multiple of 64.
  void multiply_values(const float* scores, std::size_t rows, std::size_t terms, std::size_t seen,
                       float* scratch, float* y) const;

 private:
  PanelLayout keys_layout(std::size_t terms) const;
  PanelLayout values_layout(std::size_t terms) const;
  std::size_t key_floats() const;
  std::size_t value_floats() const;
  void multiply(const float* x, std::size_t rows, std::size_t k, const float* w,
                std::size_t columns, std::size_t packed, float* y) const;

  AttentionRows a_;
  Bfloat16Products how_ = Bfloat16Products::none;
  std::size_t block_;
  bool prefixes_;
  CacheAligned<float> zeros_{};
};

}  // namespace webnn::inline v0_1::simd
