// Activations of rows that have just been computed, so that they are in L1. One copy per target.
#if defined(WEBNN_SIMD_EPILOGUE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_EPILOGUE_INL_H
#undef WEBNN_SIMD_EPILOGUE_INL_H
#else
#define WEBNN_SIMD_EPILOGUE_INL_H
#endif
#include "build_options.h"  // generated
#include "src/kernels/common/epilogue.h"
#include "src/kernels/simd/vector/float32/math-inl.h"
#include "src/kernels/simd/vector/float32/nan-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

/// body(f), if graphs of this build may have the activation f.
template <bool Known, class Body, class F> HWY_INLINE void body_if(Body body, F f) {
  if constexpr (Known) body(f);
}
/// body(f) with the activation as a function of a vector.
template <class Body> HWY_INLINE void with_activation(const Epilogue& e, Body body) {
  const D d;
  const V zero = hn::Zero(d), one = constant(1);
  const V alpha = constant(e.alpha), beta = constant(e.beta);
  switch (e.activation) {
    case Activation::none: return;
    case Activation::clamp: {
      const V lo = constant(e.lo), hi = constant(e.hi);
      return body([=](V x) HWY_ATTR { return clamped(x, lo, hi); });
    }
    case Activation::leaky_relu:
      return body_if<is_section_known("leaky_relu")>(body, [=](V x) HWY_ATTR {
        return hn::IfThenElse(hn::Lt(x, zero), hn::Mul(alpha, x), x);
      });
    case Activation::elu:
      return body_if<is_section_known("elu")>(body, [=](V x) HWY_ATTR {
        return hn::IfThenElse(hn::Lt(x, zero), hn::Mul(alpha, vector_expm1(x)), x);
      });
    case Activation::hard_swish:
      return body_if<is_section_known("hard_swish")>(
          body, [](V x) HWY_ATTR { return vector_hard_swish(x); });
    case Activation::hard_sigmoid:
      return body_if<is_section_known("hard_sigmoid")>(
          body, [=](V x) HWY_ATTR { return clamped(multiply_add(alpha, x, beta), zero, one); });
    case Activation::sigmoid:
      return body_if<is_section_known("sigmoid")>(body,
                                                  [](V x) HWY_ATTR { return vector_sigmoid(x); });
    case Activation::tanh:
      return body_if<is_section_known("tanh")>(body, [](V x) HWY_ATTR { return vector_tanh(x); });
    case Activation::gelu:
      return body_if<is_section_known("gelu")>(body, [](V x) HWY_ATTR { return vector_gelu(x); });
    case Activation::linear:
      return body_if<is_section_known("linear")>(
          body, [=](V x) HWY_ATTR { return multiply_add(alpha, x, beta); });
    case Activation::swish:
      return body_if<is_section_known("sigmoid")>(
          body, [](V x) HWY_ATTR { return hn::Mul(x, vector_sigmoid(x)); });
  }
}

/// The clamp of an epilogue, if it is one, of sums in registers, and one NaN for all. An upper
/// bound that changes nothing, of relu, is left out: the sums of the next block wait while the
/// processor holds instructions.
template <int Rows, int Columns> HWY_INLINE void clamp_sums(const Epilogue& e, V (*acc)[Columns]) {
  const auto each = [&](auto f) HWY_ATTR {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) acc[r][c] = f(acc[r][c]);
  };
  each([](V x) HWY_ATTR { return with_one_nan(x); });
  if (e.activation != Activation::clamp) return;
  const V lo = constant(e.lo), hi = constant(e.hi);
  each([=](V x) HWY_ATTR { return at_least(x, lo); });
  if (e.hi != Epilogue().hi) each([=](V x) HWY_ATTR { return at_most(x, hi); });
}

/// y = activation(y + residual) for `rows` rows of n floats that begin every `stride` floats.
/// epilogue.cpp defines it.
void finish(const Epilogue& e, int rows, std::size_t n, std::size_t stride, float* y,
            const float* residual);
HWY_INLINE void activate(const Epilogue& e, int rows, std::size_t n, std::size_t stride, float* y) {
  finish(e, rows, n, stride, y, nullptr);
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
