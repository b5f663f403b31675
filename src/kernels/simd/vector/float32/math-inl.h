// Transcendental functions of a vector, within 4 ULP everywhere, infinities, NaN and denormals
// included. The polynomials are minimax fits of our own. One copy per target.
#if defined(WEBNN_SIMD_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_MATH_INL_H
#undef WEBNN_SIMD_MATH_INL_H
#else
#define WEBNN_SIMD_MATH_INL_H
#endif
#include <limits>

#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

HWY_INLINE V constant(float v) { return hn::Set(D(), v); }

/// c0 + c1 x + c2 x^2 + ...
template <class... C> HWY_INLINE V polynomial(V x, float c, C... rest) {
  if constexpr (sizeof...(rest) == 0) return constant(c);
  else return hn::MulAdd(polynomial(x, rest...), x, constant(c));
}

/// a x + b, rounded once: cancellation would expose the rounding error of the product.
HWY_INLINE V multiply_add(V a, V x, V b) {
#if HWY_ARCH_X86 && HWY_TARGET >= HWY_SSE4  // no fused instruction
  const Doubles wide_a = doubles(a), wide_x = doubles(x), wide_b = doubles(b);
  return floats({hn::MulAdd(wide_a.lower, wide_x.lower, wide_b.lower),
                 hn::MulAdd(wide_a.upper, wide_x.upper, wide_b.upper)});
#else
  return hn::MulAdd(a, x, b);
#endif
}

/// Beyond these bounds e^x is 0 or infinite.
inline constexpr float min_exponent = -110, max_exponent = 100;

/// e^x = 2^n (1 + q), n integral, q in [1/sqrt(2) - 1, sqrt(2) - 1].
struct ExpParts {
  V n, q;
};
HWY_INLINE V exp_power(V x) { return hn::Round(hn::Mul(x, constant(1.44269504f))); }
/// x - n ln 2
HWY_INLINE V exp_rest(V x, V n) {
  const V r = hn::NegMulAdd(n, constant(0.693359375f), x);  // exact: ln 2 in 9 bits and the rest
  return hn::NegMulAdd(n, constant(-2.12194440e-4f), r);
}
HWY_INLINE ExpParts exp_parts_of(V n, V r) {
  const V tail =
      polynomial(r, 0.49999994f, 0.166665196f, 0.0416684039f, 0.00836889911f, 0.00138142216f);
  return {n, hn::MulAdd(hn::Mul(r, r), tail, r)};
}
/// x within the bounds
HWY_INLINE ExpParts exp_parts(V x) {
  const V n = exp_power(x);
  return exp_parts_of(n, exp_rest(x, n));
}
/// The parts of exp(high + low), where low is small.
HWY_INLINE ExpParts exp_parts(V high, V low) {
  const V x = at_least(high, constant(min_exponent)), n = exp_power(hn::Add(x, low));
  return exp_parts_of(n, hn::Add(exp_rest(x, n), low));
}
/// 2^n for n in [-126, 127].
HWY_INLINE V power_of_two(V n) {
  const D d;
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(di, n), hn::Set(di, 127))));
}
/// v 2^n for n in [-250, 250], rounded once.
HWY_INLINE V scaled(V v, V n) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return V{_mm512_scalef_ps(v.raw, n.raw)};
#else
  if (HWY_LIKELY(hn::AllTrue(D(), hn::Le(hn::Abs(n), constant(126)))))
    return hn::Mul(v, power_of_two(n));
  const V half = hn::Floor(hn::Mul(n, constant(0.5f)));
  return hn::Mul(hn::Mul(v, power_of_two(half)), power_of_two(hn::Sub(n, half)));
#endif
}

/// e^x of x within the bounds.
HWY_INLINE V exp_within(V x) {
  const ExpParts e = exp_parts(x);
  return scaled(hn::Add(constant(1), e.q), e.n);
}
HWY_INLINE V vector_exp(V x) {
  return exp_within(clamped(x, constant(min_exponent), constant(max_exponent)));
}

/// e^x - 1 for x <= 0.
HWY_INLINE V vector_expm1(V x) {
  const ExpParts e = exp_parts(clamped(x, constant(-30.f), constant(0)));
  const V scale = power_of_two(e.n);
  return hn::MulAdd(scale, e.q, hn::Sub(scale, constant(1)));
}

HWY_INLINE V vector_sigmoid(V x) {
  const V e = exp_within(at_least(hn::Neg(hn::Abs(x)), constant(min_exponent)));
  const V above = hn::IfThenElse(hn::Lt(x, hn::Zero(D())), e, constant(1));
  return hn::Div(above, hn::Add(constant(1), e));
}

HWY_INLINE V vector_tanh(V x) {
  const V a = hn::Abs(x), u = hn::Mul(x, x);
  const V small = hn::MulAdd(hn::Mul(x, u),
                             polynomial(u, -0.333333313f, 0.133332059f, -0.0539467633f,
                                        0.0217007026f, -0.00817739777f, 0.00214296184f),
                             x);
  const V e = exp_within(at_most(hn::Add(a, a), constant(max_exponent)));
  const V large = hn::Sub(constant(1), hn::Div(constant(2), hn::Add(e, constant(1))));
  return hn::IfThenElse(hn::Lt(a, constant(0.625f)), small, hn::CopySign(large, x));
}

/// The integral of the normal distribution's tail beyond a >= 0, divided by 2^n.
struct Tail {
  V n, value;
};
HWY_INLINE Tail normal_tail(V a) {
  const D d;
  a = at_most(a, constant(20));
  // a^2 in two parts, the first of them exact: the exponent would magnify its error.
  const hn::RebindToUnsigned<D> du;
  const V high = hn::BitCast(d, hn::And(hn::BitCast(du, a), hn::Set(du, 0xfffff000u)));
  const V first = hn::Mul(high, high), second = hn::Mul(hn::Sub(a, high), hn::Add(a, high));
  const ExpParts e = exp_parts(hn::Mul(first, constant(-0.5f)), hn::Mul(second, constant(-0.5f)));
  const V inverse = hn::Div(constant(1), hn::Add(a, constant(2.5f)));
  const V t = hn::Mul(hn::Sub(a, constant(2.5f)), inverse);
  const V h =
      polynomial(t, 0.706656635f, -0.433692008f, 0.131986976f, 0.00923587568f, -0.0163861848f,
                 -0.00160083f, 0.00252393261f, 0.00068441272f, -0.000311622833f, -0.00015770235f);
  return {e.n, hn::Mul(hn::MulAdd(e.q, h, h), inverse)};
}

/// From 1 on as 1 - e^-p: little is left of the errors of p, a fit of -log(erfc(x)).
HWY_INLINE V vector_erf(V x) {
  const V a = hn::Abs(x), u = hn::Mul(x, x);
  const V small = hn::Mul(x, polynomial(u, 1.12837911f, -0.37612626f, 0.112835854f, -0.026853811f,
                                        0.00518832728f, -0.000801019138f, 7.85385419e-05f));
  const V t = at_most(a, constant(4));  // erf(4) is 1
  const V p = polynomial(t, 0.000320546475f, 1.12717175f, 0.638012052f, 0.103218347f,
                         -0.0218897108f, 0.00296013057f, -0.000187606405f);
  const ExpParts e = exp_parts(hn::Neg(p));
  const V scale = power_of_two(e.n);
  const V large = hn::NegMulAdd(scale, e.q, hn::Sub(constant(1), scale));
  return hn::IfThenElse(hn::Lt(a, constant(1)), small, hn::CopySign(large, x));
}

/// x times the integral of the normal distribution up to x.
HWY_INLINE V vector_gelu(V x) {
  const D d;
  const Tail tail = normal_tail(hn::Abs(x));
  const V below = scaled(hn::Mul(at_least(x, constant(-20)), tail.value), tail.n);
  const V above = hn::Mul(x, hn::Sub(constant(1), scaled(tail.value, tail.n)));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), below, above);
}

/// x = 2^n (1 + r), r in [1/sqrt(2) - 1, sqrt(2) - 1], and s = r / (2 + r): log(1 + r) is
/// 2 (s + s^3 / 3 + s^5 / 5 + ...), whose first term is written as r - r^2 / 2 + s r^2 / 2.
HWY_INLINE V vector_log(V x) {
  const D d;
  const hn::RebindToSigned<D> di;
  const V zero = hn::Zero(d);
  const auto tiny = hn::Lt(x, constant(1.17549435e-38f));
  const auto bits = hn::BitCast(di, hn::IfThenElse(tiny, hn::Mul(x, constant(8388608.f)), x));
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, 0x3f3504f3)));
  const V r = hn::Sub(hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent))), constant(1));
  const V n = hn::Add(hn::ConvertTo(d, exponent), hn::IfThenElseZero(tiny, constant(-23)));
  const V s = hn::Div(r, hn::Add(r, constant(2))), z = hn::Mul(s, s);
  const V rest = hn::Mul(z, polynomial(z, 2.f / 3, 2.f / 5, 2.f / 7, 2.f / 9));
  const V half_square = hn::Mul(constant(0.5f), hn::Mul(r, r));
  const V small = hn::MulAdd(s, hn::Add(half_square, rest), hn::Mul(n, constant(-2.12194440e-4f)));
  const V v = hn::MulAdd(n, constant(0.693359375f), hn::Sub(r, hn::Sub(half_square, small)));
  const V infinity = constant(std::numeric_limits<float>::infinity());
  const V inside = hn::IfThenElse(hn::And(hn::Gt(x, zero), hn::Lt(x, infinity)), v,
                                  hn::Add(x, x));  // infinity and NaN remain
  return hn::IfThenElse(hn::Lt(x, zero), constant(std::numeric_limits<float>::quiet_NaN()),
                        hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), inside));
}

/// log(1 + e^x), as max(x, 0) + log(1 + t) with t = e^-|x|. The rounding error of 1 + t is added
/// again.
HWY_INLINE V vector_softplus(V x) {
  const V zero = hn::Zero(D()), one = constant(1);
  const V t = exp_within(at_least(hn::Neg(hn::Abs(x)), constant(min_exponent)));
  const V u = hn::Add(one, t);
  const V log = hn::Add(vector_log(u), hn::Div(hn::Sub(t, hn::Sub(u, one)), u));
  return hn::Add(hn::IfThenElse(hn::Gt(x, zero), x, zero), log);
}

/// x clamp(x + 3, 0, 6) / 6; the sixth is first, because large products would overflow. From 3 on
/// it is exactly 1.
HWY_INLINE V vector_hard_swish(V x) {
  const V sum = clamped(hn::Add(x, constant(3)), hn::Zero(D()), constant(6));
  return hn::Mul(x, hn::Mul(sum, constant(1.f / 6)));
}

/// -1, 0 or 1; 0 for NaN.
HWY_INLINE V vector_sign(V x) {
  const V zero = hn::Zero(D());
  return hn::IfThenElse(hn::Gt(x, zero), constant(1),
                        hn::IfThenElse(hn::Lt(x, zero), constant(-1), zero));
}

/// NaN if one of the two is; +0 is larger than -0.
HWY_INLINE V vector_max(V a, V b) {
  const V r = hn::And(hn::IfThenElse(hn::Gt(a, b), a, b), hn::IfThenElse(hn::Gt(b, a), b, a));
  return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::IsNaN(b), b, r));
}
HWY_INLINE V vector_min(V a, V b) {
  const V r = hn::Or(hn::IfThenElse(hn::Lt(a, b), a, b), hn::IfThenElse(hn::Lt(b, a), b, a));
  return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::IsNaN(b), b, r));
}

/// e^(x - largest) with the rounding error of the difference, which e^x would magnify.
HWY_INLINE V power_below(V x, V largest) {
  const V d = hn::Sub(x, largest), b = hn::Sub(d, x);
  const V low = hn::Sub(hn::Sub(x, hn::Sub(d, b)), hn::Add(largest, b));
  const ExpParts e = exp_parts(d, hn::IfThenElseZero(hn::Gt(d, constant(-120)), low));
  return scaled(hn::Add(constant(1), e.q), e.n);
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
