#include "src/kernels/xnnpack/adapter.h"

#include <xnnpack.h>

#include <array>
#include <limits>
#include <vector>

namespace webnn::inline v0_1::xnnpack {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
using Handle = xnn_operator_t;

bool good(xnn_status s) { return s == xnn_status_success; }

// An address for operands while shapes are set; nothing is read from it.
[[maybe_unused]] alignas(64) float nowhere[64];

}  // namespace

bool initialize() {
  static const bool done = good(xnn_initialize(nullptr));
  return done;
}

const char* version_text() {
#if WEBNN_XNNPACK_RESHAPES
  return "whose operators are reshaped";
#else
  return "whose operators are set up at once";
#endif
}

std::size_t extra_bytes() { return XNN_EXTRA_BYTES; }

Operator::Operator(xnn_operator* handle, SetUp set_up, std::size_t workspace)
    : handle_(handle), set_up_(std::move(set_up)), workspace_((workspace + 63) / 64 * 64) {}

Operator& Operator::operator=(Operator&& o) noexcept {
  std::swap(handle_, o.handle_);
  std::swap(set_up_, o.set_up_);
  std::swap(workspace_, o.workspace_);
  a_ = b_ = y_ = nullptr;
  return *this;
}

Operator::~Operator() {
  if (handle_) xnn_delete_operator(handle_);
}

bool Operator::run(const float* a, const float* b, float* y, std::byte* workspace) {
  if (a != a_ || b != b_ || y != y_ || (workspace_ && workspace != at_)) {
    a_ = b_ = y_ = nullptr;
    if (!set_up_(handle_, a, b, y, workspace)) return false;
    a_ = a, b_ = b, y_ = y, at_ = workspace;
  }
  return good(xnn_run_operator(handle_, nullptr));
}

#if WEBNN_XNNPACK_RESHAPES

namespace {
Operator made(Handle op, bool shaped, Operator::SetUp set_up, std::size_t workspace = 0) {
  Operator o(op, std::move(set_up), workspace);
  return shaped ? std::move(o) : Operator();
}
}  // namespace

Operator convolution(const ConvolutionForm& f) {
  Handle op = nullptr;
  if (!good(xnn_create_convolution2d_nhwc_f32(
          f.pad_top, f.pad_right, f.pad_bottom, f.pad_left, f.kernel_height, f.kernel_width,
          f.stride_y, f.stride_x, f.dilation_y, f.dilation_x, f.groups, f.group_inputs,
          f.group_outputs, f.input_step, f.output_step, f.kernel, f.bias, f.bounds.lo, f.bounds.hi,
          0, nullptr, nullptr, &op)))
    return {};
  std::size_t bytes = 0, alignment = 0, height = 0, width = 0;
  const bool shaped = good(xnn_reshape_convolution2d_nhwc_f32(
      op, f.batch, f.height, f.width, &bytes, &alignment, &height, &width, nullptr));
  return made(
      op, shaped,
      [](Handle h, const float* a, const float*, float* y, std::byte* at) {
        return good(xnn_setup_convolution2d_nhwc_f32(h, at, a, y));
      },
      bytes);
}

Operator fully_connected(const FullyConnectedForm& f) {
  Handle op = nullptr;
  if (!good(xnn_create_fully_connected_nc_f32(f.inputs, f.outputs, f.input_step, f.output_step,
                                              f.kernel, f.bias, f.bounds.lo, f.bounds.hi, 0,
                                              nullptr, nullptr, &op)))
    return {};
  const bool shaped = good(xnn_reshape_fully_connected_nc_f32(op, f.rows, nullptr));
  return made(op, shaped, [](Handle h, const float* a, const float*, float* y, std::byte*) {
    return good(xnn_setup_fully_connected_nc_f32(h, a, y));
  });
}

Operator average_pooling(const PoolingForm& f) {
  Handle op = nullptr;
  if (!good(xnn_create_average_pooling2d_nhwc_f32(f.pad_top, f.pad_right, f.pad_bottom, f.pad_left,
                                                  f.window_height, f.window_width, f.stride_y,
                                                  f.stride_x, -infinity, infinity, 0, &op)))
    return {};
  std::size_t bytes = 0, alignment = 0, height = 0, width = 0;
  const bool shaped = good(xnn_reshape_average_pooling2d_nhwc_f32(
      op, f.batch, f.height, f.width, f.channels, f.input_step, f.output_step, &bytes, &alignment,
      &height, &width, nullptr));
  return made(
      op, shaped,
      [](Handle h, const float* a, const float*, float* y, std::byte* at) {
        return good(xnn_setup_average_pooling2d_nhwc_f32(h, at, a, y));
      },
      bytes);
}

Operator max_pooling(const PoolingForm& f) {
  Handle op = nullptr;
  if (!good(xnn_create_max_pooling2d_nhwc_f32(
          f.pad_top, f.pad_right, f.pad_bottom, f.pad_left, f.window_height, f.window_width,
          f.stride_y, f.stride_x, f.dilation_y, f.dilation_x, -infinity, infinity, 0, &op)))
    return {};
  std::size_t height = 0, width = 0;
  const bool shaped = good(
      xnn_reshape_max_pooling2d_nhwc_f32(op, f.batch, f.height, f.width, f.channels, f.input_step,
                                         f.output_step, &height, &width, nullptr));
  return made(op, shaped, [](Handle h, const float* a, const float*, float* y, std::byte*) {
    return good(xnn_setup_max_pooling2d_nhwc_f32(h, a, y));
  });
}

Operator unary(Unary function, std::size_t count, float p, float q) {
  constexpr xnn_unary_operator names[] = {xnn_unary_abs,
                                          xnn_unary_ceiling,
                                          xnn_unary_floor,
                                          xnn_unary_negate,
                                          xnn_unary_bankers_rounding,
                                          xnn_unary_square_root,
                                          xnn_unary_exp,
                                          xnn_unary_log,
                                          xnn_unary_clamp,
                                          xnn_unary_elu,
                                          xnn_unary_leaky_relu,
                                          xnn_unary_hardswish,
                                          xnn_unary_sigmoid,
                                          xnn_unary_tanh,
                                          xnn_unary_gelu};
  xnn_unary_params params{};
  if (function == Unary::clamp) params.clamp = {p, q};
  if (function == Unary::elu) params.elu.alpha = p;
  if (function == Unary::leaky_relu) params.leaky_relu.negative_slope = p;
  Handle op = nullptr;
  if (!good(xnn_create_unary_elementwise_nc(names[static_cast<int>(function)], xnn_datatype_fp32,
                                            xnn_datatype_fp32, &params, nullptr, nullptr, 0, &op)))
    return {};
  const bool shaped = good(xnn_reshape_unary_elementwise_nc(op, 1, count, count, count, nullptr));
  return made(op, shaped, [](Handle h, const float* a, const float*, float* y, std::byte*) {
    return good(xnn_setup_unary_elementwise_nc(h, a, y));
  });
}

Operator binary(Binary function, std::span<const std::size_t> a, std::span<const std::size_t> b) {
  constexpr xnn_binary_operator names[] = {xnn_binary_add,      xnn_binary_subtract,
                                           xnn_binary_multiply, xnn_binary_divide,
                                           xnn_binary_maximum,  xnn_binary_minimum};
  Handle op = nullptr;
  if (!good(xnn_create_binary_elementwise_nd(names[static_cast<int>(function)], xnn_datatype_fp32,
                                             nullptr, nullptr, nullptr, 0, &op)))
    return {};
  const bool shaped =
      good(xnn_reshape_binary_elementwise_nd(op, a.size(), a.data(), b.size(), b.data(), nullptr));
  return made(op, shaped, [](Handle h, const float* x, const float* z, float* y, std::byte*) {
    return good(xnn_setup_binary_elementwise_nd(h, x, z, y));
  });
}

Operator softmax(std::size_t channels, std::size_t rows) {
  Handle op = nullptr;
  if (!good(xnn_create_softmax_nc_f32(0, &op))) return {};
  const bool shaped =
      good(xnn_reshape_softmax_nc_f32(op, channels, channels, channels, rows, nullptr));
  return made(op, shaped, [](Handle h, const float* a, const float*, float* y, std::byte*) {
    return good(xnn_setup_softmax_nc_f32(h, a, y));
  });
}

#else

namespace {
/// Sets it up once, so that memory for these shapes is allocated now.
Operator made(Handle op, Operator::SetUp set_up) {
  Operator o(op, set_up);
  const float* b = nowhere;
  return set_up(op, nowhere, b, nowhere, nullptr) ? std::move(o) : Operator();
}
}  // namespace

Operator convolution(const ConvolutionForm& f) {
  Handle op = nullptr;
  if (!good(xnn_create_convolution2d_nhwc_f32(
          f.pad_top, f.pad_right, f.pad_bottom, f.pad_left, f.kernel_height, f.kernel_width,
          f.stride_y, f.stride_x, f.dilation_y, f.dilation_x, f.groups, f.group_inputs,
          f.group_outputs, f.input_step, f.output_step, f.kernel, f.bias, f.bounds.lo, f.bounds.hi,
          0, &op)))
    return {};
  return made(op, [n = f.batch, h = f.height, w = f.width](Handle o, const float* a, const float*,
                                                           float* y, std::byte*) {
    return good(xnn_setup_convolution2d_nhwc_f32(o, n, h, w, a, y, nullptr));
  });
}

Operator fully_connected(const FullyConnectedForm& f) {
  Handle op = nullptr;
  if (!good(xnn_create_fully_connected_nc_f32(f.inputs, f.outputs, f.input_step, f.output_step,
                                              f.kernel, f.bias, f.bounds.lo, f.bounds.hi, 0, &op)))
    return {};
  return made(op, [rows = f.rows](Handle o, const float* a, const float*, float* y, std::byte*) {
    return good(xnn_setup_fully_connected_nc_f32(o, rows, a, y, nullptr));
  });
}

Operator average_pooling(const PoolingForm& f) {
  Handle op = nullptr;
  if (!good(xnn_create_average_pooling2d_nhwc_f32(f.pad_top, f.pad_right, f.pad_bottom, f.pad_left,
                                                  f.window_height, f.window_width, f.stride_y,
                                                  f.stride_x, f.channels, f.input_step,
                                                  f.output_step, -infinity, infinity, 0, &op)))
    return {};
  return made(op, [n = f.batch, h = f.height, w = f.width](Handle o, const float* a, const float*,
                                                           float* y, std::byte*) {
    return good(xnn_setup_average_pooling2d_nhwc_f32(o, n, h, w, a, y, nullptr));
  });
}

Operator max_pooling(const PoolingForm& f) {
  Handle op = nullptr;
  if (!good(xnn_create_max_pooling2d_nhwc_f32(
          f.pad_top, f.pad_right, f.pad_bottom, f.pad_left, f.window_height, f.window_width,
          f.stride_y, f.stride_x, f.dilation_y, f.dilation_x, f.channels, f.input_step,
          f.output_step, -infinity, infinity, 0, &op)))
    return {};
  return made(op, [n = f.batch, h = f.height, w = f.width](Handle o, const float* a, const float*,
                                                           float* y, std::byte*) {
    return good(xnn_setup_max_pooling2d_nhwc_f32(o, n, h, w, a, y, nullptr));
  });
}

Operator unary(Unary function, std::size_t count, float p, float q) {
  using Create = xnn_status (*)(std::size_t, std::size_t, std::size_t, std::uint32_t, Handle*);
  using SetUp = xnn_status (*)(Handle, std::size_t, const float*, float*, pthreadpool_t);
  Create create = nullptr;
  SetUp set_up = nullptr;
  Handle op = nullptr;
  xnn_status status = xnn_status_success;
  switch (function) {
    case Unary::abs: create = xnn_create_abs_nc_f32, set_up = xnn_setup_abs_nc_f32; break;
    case Unary::ceil: create = xnn_create_ceiling_nc_f32, set_up = xnn_setup_ceiling_nc_f32; break;
    case Unary::floor: create = xnn_create_floor_nc_f32, set_up = xnn_setup_floor_nc_f32; break;
    case Unary::neg: create = xnn_create_negate_nc_f32, set_up = xnn_setup_negate_nc_f32; break;
    case Unary::round_even:
      create = xnn_create_bankers_rounding_nc_f32, set_up = xnn_setup_bankers_rounding_nc_f32;
      break;
    case Unary::sqrt:
      create = xnn_create_square_root_nc_f32, set_up = xnn_setup_square_root_nc_f32;
      break;
    case Unary::hard_swish:
      create = xnn_create_hardswish_nc_f32, set_up = xnn_setup_hardswish_nc_f32;
      break;
    case Unary::sigmoid:
      create = xnn_create_sigmoid_nc_f32, set_up = xnn_setup_sigmoid_nc_f32;
      break;
    case Unary::clamp:
      status = xnn_create_clamp_nc_f32(1, 1, 1, p, q, 0, &op), set_up = xnn_setup_clamp_nc_f32;
      break;
    case Unary::elu:
      status = xnn_create_elu_nc_f32(1, 1, 1, p, 0, &op), set_up = xnn_setup_elu_nc_f32;
      break;
    case Unary::leaky_relu:
      status = xnn_create_leaky_relu_nc_f32(1, 1, 1, p, 0, &op);
      set_up = xnn_setup_leaky_relu_nc_f32;
      break;
    case Unary::exp:
    case Unary::log:
    case Unary::tanh:
    case Unary::gelu: return {};  // later versions have them
  }
  if (create) status = create(1, 1, 1, 0, &op);
  if (!good(status)) return {};
  return made(op, [set_up, count](Handle o, const float* a, const float*, float* y, std::byte*) {
    return good(set_up(o, count, a, y, nullptr));
  });
}

Operator binary(Binary function, std::span<const std::size_t> a, std::span<const std::size_t> b) {
  using Bounded = xnn_status (*)(float, float, std::uint32_t, Handle*);
  using Plain = xnn_status (*)(std::uint32_t, Handle*);
  using SetUp =
      xnn_status (*)(Handle, std::size_t, const std::size_t*, std::size_t, const std::size_t*,
                     const float*, const float*, float*, pthreadpool_t);
  struct Entry {
    Bounded bounded;
    Plain plain;
    SetUp set_up;
  };
  constexpr Entry entries[] = {{xnn_create_add_nd_f32, nullptr, xnn_setup_add_nd_f32},
                               {xnn_create_subtract_nd_f32, nullptr, xnn_setup_subtract_nd_f32},
                               {xnn_create_multiply_nd_f32, nullptr, xnn_setup_multiply_nd_f32},
                               {xnn_create_divide_nd_f32, nullptr, xnn_setup_divide_nd_f32},
                               {nullptr, xnn_create_maximum_nd_f32, xnn_setup_maximum_nd_f32},
                               {nullptr, xnn_create_minimum_nd_f32, xnn_setup_minimum_nd_f32}};
  const Entry& e = entries[static_cast<int>(function)];
  Handle op = nullptr;
  if (!good(e.bounded ? e.bounded(-infinity, infinity, 0, &op) : e.plain(0, &op))) return {};
  using Shape = std::vector<std::size_t>;
  return made(
      op, [set_up = e.set_up, sa = Shape(a.begin(), a.end()), sb = Shape(b.begin(), b.end())](
              Handle o, const float* x, const float* z, float* y, std::byte*) {
        return good(set_up(o, sa.size(), sa.data(), sb.size(), sb.data(), x, z, y, nullptr));
      });
}

Operator softmax(std::size_t channels, std::size_t rows) {
  Handle op = nullptr;
  if (!good(xnn_create_softmax_nc_f32(channels, channels, channels, 0, &op))) return {};
  return made(op, [rows](Handle o, const float* a, const float*, float* y, std::byte*) {
    return good(xnn_setup_softmax_nc_f32(o, rows, a, y, nullptr));
  });
}

#endif

}  // namespace webnn::inline v0_1::xnnpack
