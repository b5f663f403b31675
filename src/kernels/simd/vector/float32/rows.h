// Rows of contiguous elements: reductions, softmax, normalizations and rotary embeddings.
#pragma once

#include <cstddef>

namespace webnn::inline v0_1::simd {

enum class Reduction { sum, mean, sum_square, max, min };

/// One result for each of `rows` rows of n elements.
void reduce_rows(Reduction r, const float* x, std::size_t rows, std::size_t n, float* y);

/// y may be x, here and below.
void softmax_rows(const float* x, std::size_t rows, std::size_t n, float* y);

/// What is done to a row before its softmax: x * factor, or x / factor, + mask, of which one
/// element counts for all when `mask_step` is 0.
struct ScoreTerms {
  float factor = 1;
  bool divides = false;
  const float* mask = nullptr;  ///< of the first row
  std::size_t mask_row = 0, mask_step = 1;
};
void scale_and_mask_rows(const ScoreTerms&, float* x, std::size_t rows, std::size_t n);

/// scale * (x - mean) / sqrt(variance + epsilon) + bias; scale and bias, of n elements, may be
/// null.
void normalize_rows(const float* x, std::size_t rows, std::size_t n, double epsilon,
                    const float* scale, const float* bias, float* y);

/// scale * x / sqrt(mean(x^2) + epsilon); scale, of n elements, may be null.
void rms_normalize_rows(const float* x, std::size_t rows, std::size_t n, double epsilon,
                        const float* scale, float* y);

/// How rows of 2 * half elements are rotated: pairs (a, b) become (a * cos - b * sin,
/// b * cos + a * sin). They are x[i] and x[half + i], or neighbors.
struct RotatedRows {
  std::size_t rows = 1, half = 1;
  std::size_t cos_step = 0, sin_step = 0;  ///< from row to row
  bool interleaved = false;
  bool by_pair = false;  ///< rows of cos and sin have one element for each pair, else for each of x
};
void rotate_rows(const RotatedRows&, const float* x, const float* cos, const float* sin, float* y);

}  // namespace webnn::inline v0_1::simd
