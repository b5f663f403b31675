// Tensors of files as constants of a graph, in few bytes where kernels read them so. Private.
#pragma once

#include <memory>

#include "src/lm/weights/blocks.h"
#include "src/lm/weights/weights.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::lm {

/// What became of a tensor.
struct WeightUse {
  std::string stored{};  ///< "Q4_K"
  std::string kept{};    ///< "uint4, scales and minima for blocks of 32"
  std::uint64_t stored_bytes = 0, kept_bytes = 0;
};

class Constants {
 public:
  /// Where pairs are interleaved, rows of heads of that size have pairs of their first `rotated`
  /// elements side by side. Blocks become integers on up to so many threads.
  Constants(MLGraphBuilder builder, Weights& weights, bool interleaved, std::uint32_t head_size,
            std::uint32_t rotated, int threads)
      : b_(std::move(builder)),
        weights_(weights),
        interleaved_(interleaved),
        head_(head_size),
        rotated_(rotated),
        threads_(threads) {}

  /// x [rows, terms] times the matrix. `rotates`: its results are rotated.
  MLOperand product(const MLOperand& x, const std::string& name, std::uint32_t terms,
                    bool rotates = false);
  /// Rows of a matrix, [indices, width].
  MLOperand gathered(const std::string& name, const MLOperand& indices, std::uint32_t width);
  /// A list of `size` float32, each plus the offset.
  MLOperand list(const std::string& name, std::uint32_t size, bool rotates = false,
                 double offset = 0);
  /// The number of rows of a matrix. Throws DataError for what is not a matrix of that width.
  std::uint32_t rows_of(const std::string& name, std::uint32_t width);

  const std::vector<WeightUse>& uses() const { return uses_; }

 private:
  /// A matrix as floats: what a product, as its second operand, transposed, or a gather reads, and
  /// what is to be subtracted from it.
  struct Matrix {
    std::uint32_t rows = 0, columns = 0;
    MLOperand values{};
    MLOperand minima{};  ///< [rows, columns / block], or empty
    std::uint32_t block = 0;
  };
  const Tensor& checked(const std::string& name, std::uint32_t width);
  const Matrix& matrix(const std::string& name, std::uint32_t width, bool rotates);
  Matrix make(const Tensor& t, bool rotates);
  void set_integers(Matrix& m, const Tensor& t, std::span<const std::byte> blocks);
  void set_floats(Matrix& m, const Tensor& t, std::vector<float> values);
  MLOperand zeros(MLOperandDescriptor d);
  MLOperand scaled(MLOperandDataType type, const Dims& shape, Buffer<std::byte> integers,
                   Buffer<float> scales, std::uint32_t block, std::vector<float> factors = {});
  /// Rows in the order x0 x1 y0 y1 that are stored as pairs, x0 y0 x1 y1, in each head.
  std::vector<std::byte> unrotated(std::span<const std::byte> rows, std::size_t count) const;
  template <class List> MLOperand transferred(MLOperandDescriptor d, List values);
  void note(const Tensor& t, std::string kept, std::uint64_t bytes);

  MLGraphBuilder b_;
  Weights& weights_;
  std::shared_ptr<void> zeros_{};  ///< of all constants of zeros
  std::size_t zero_bytes_ = 0;
  bool interleaved_;
  std::uint32_t head_, rotated_;
  int threads_;
  std::map<std::string, Matrix> matrices_{};
  std::map<std::uint32_t, MLOperand> sums_{};  // of the operand below, by block
  MLOperand summed_{};
  std::vector<WeightUse> uses_{};
};

}  // namespace webnn::inline v0_1::lm
