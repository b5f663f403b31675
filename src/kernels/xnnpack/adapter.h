// The operators of XNNPACK, without its versions' differences and without a thread pool: an
// operator runs on the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

struct xnn_operator;

namespace webnn::inline v0_1::xnnpack {

/// Once for the process; false when this CPU is not supported.
bool initialize();

/// XNNPACK has no version that a program can ask for: the generation of its interface.
const char* version_text();

/// XNNPACK may read so many bytes beyond the end of an input.
std::size_t extra_bytes();

/// An operator with fixed sizes. It holds its pointers, so it serves one call at a time.
class Operator {
 public:
  using SetUp = std::function<bool(xnn_operator*, const float* a, const float* b, float* y,
                                   std::byte* workspace)>;

  Operator() = default;  // not supported
  Operator(xnn_operator* handle, SetUp set_up, std::size_t workspace = 0);
  Operator(Operator&& o) noexcept { *this = std::move(o); }
  Operator& operator=(Operator&& o) noexcept;
  ~Operator();

  explicit operator bool() const { return handle_ != nullptr; }
  std::size_t workspace() const { return workspace_; }  // bytes, aligned to 64
  /// `b` is the second operand of a binary operator, else null.
  bool run(const float* a, const float* b, float* y, std::byte* workspace);

 private:
  xnn_operator* handle_ = nullptr;
  SetUp set_up_;
  std::size_t workspace_ = 0;
  const float *a_ = nullptr, *b_ = nullptr;
  float* y_ = nullptr;
  std::byte* at_ = nullptr;
};

struct Bounds {
  float lo, hi;
};

struct ConvolutionForm {
  std::uint32_t pad_top, pad_right, pad_bottom, pad_left;
  std::uint32_t kernel_height, kernel_width, stride_y, stride_x, dilation_y, dilation_x;
  std::uint32_t groups;
  std::size_t group_inputs, group_outputs, input_step, output_step;  // steps: of a pixel
  const float* kernel;  // [groups * group_outputs][height][width][group_inputs]
  const float* bias;    // or null
  Bounds bounds;
  std::size_t batch, height, width;
};
Operator convolution(const ConvolutionForm& form);

struct FullyConnectedForm {
  std::size_t inputs, outputs, input_step, output_step;  // steps: of a row
  const float* kernel;                                   // [outputs][inputs]
  const float* bias;                                     // or null
  Bounds bounds;
  std::size_t rows;
};
Operator fully_connected(const FullyConnectedForm& form);

struct PoolingForm {
  std::uint32_t pad_top, pad_right, pad_bottom, pad_left;
  std::uint32_t window_height, window_width, stride_y, stride_x, dilation_y, dilation_x;
  std::size_t channels, input_step, output_step;
  std::size_t batch, height, width;
};
Operator average_pooling(const PoolingForm& form);  // without dilation
Operator max_pooling(const PoolingForm& form);

enum class Unary {
  abs,
  ceil,
  floor,
  neg,
  round_even,
  sqrt,
  exp,
  log,
  clamp,
  elu,
  leaky_relu,
  hard_swish,
  sigmoid,
  tanh,
  gelu
};
/// `p`, `q`: the bounds of clamp; `p`: the alpha of elu and leaky_relu.
Operator unary(Unary function, std::size_t count, float p = 0, float q = 0);

enum class Binary { add, sub, mul, div, max, min };
/// Shapes of the same rank, at most 6, that broadcast.
Operator binary(Binary function, std::span<const std::size_t> a, std::span<const std::size_t> b);

Operator softmax(std::size_t channels, std::size_t rows);

}  // namespace webnn::inline v0_1::xnnpack
