#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/elementwise.cpp"
#include "src/kernels/simd/vector/float32/elementwise.h"

#include <hwy/foreach_target.h>

#include "build_options.h"  // generated
#include "webnn/bfloat16.h"
#include "webnn/float16.h"
#include "webnn/float8e4m3.h"

#include "src/kernels/simd/vector/float32/epilogue-inl.h"
#include "src/kernels/simd/vector/float32/float8-inl.h"
#include "src/kernels/simd/vector/float32/modulus-inl.h"
#include "src/kernels/simd/vector/float32/nan-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

/// y[i] = f(i, left) for i < n, a vector at a time; `left` floats of it are used.
template <class F> HWY_INLINE void each_vector(float* y, std::size_t n, F f) {
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(with_one_nan(f(i, vector_lanes)), D(), y + i);
  if (i == n) return;
  const int left = static_cast<int>(n - i);
  store_first(with_one_nan(f(i, left)), y + i, left);
}

template <class F> HWY_INLINE void map(const float* x, float* y, std::size_t n, F f) {
  each_vector(y, n, [=](std::size_t i, int left) HWY_ATTR { return f(load_some(x + i, left)); });
}

/// Whether graphs of this build may have an operator of unary_functions.inc.
constexpr bool is_unary_known(std::string_view op) {
  return is_section_known(op == "softplus" || op == "softsign" ? op : "unary");
}

void unary(const ElementwiseStep& s, const float* from, float* y, std::size_t n) {
  [[maybe_unused]] const V alpha = constant(s.parameters.alpha);
  [[maybe_unused]] const V beta = constant(s.parameters.beta);
  switch (s.kind) {
#define WEBNN_UNARY(op, function, cost)                               \
  case ops::index_of<ops::op>(ops::AllOps{}):                         \
    if constexpr (is_unary_known(#op))                                \
      return map(from, y, n, [=](V x) HWY_ATTR { return function; }); \
    else return;
#include "src/kernels/simd/unary_functions.inc"
#undef WEBNN_UNARY
    default: return;
  }
}

/// Unlike the square root by itself, this maps -0 to +0 and -infinity to +infinity.
HWY_INLINE V power_of_half(V v) {
  const V infinity = constant(std::numeric_limits<float>::infinity());
  return hn::IfThenElse(hn::Eq(v, hn::Neg(infinity)), infinity,
                        hn::Sqrt(hn::Add(v, hn::Zero(D()))));
}

void power(float exponent, const float* x, float* y, std::size_t n) {
  const V one = constant(1);
  const auto square = [](V v) HWY_ATTR { return hn::Mul(v, v); };
  if (exponent == 2) return map(x, y, n, square);
  if (exponent == 3) return map(x, y, n, [=](V v) HWY_ATTR { return hn::Mul(square(v), v); });
  if (exponent == 4) return map(x, y, n, [=](V v) HWY_ATTR { return square(square(v)); });
  if (exponent == 0.5f) return map(x, y, n, [](V v) HWY_ATTR { return power_of_half(v); });
  if (exponent == -0.5f)
    return map(x, y, n, [=](V v) HWY_ATTR { return hn::Div(one, power_of_half(v)); });
  if (exponent == -1) return map(x, y, n, [=](V v) HWY_ATTR { return hn::Div(one, v); });
  map(x, y, n, [=](V v) HWY_ATTR { return square(hn::Div(one, v)); });  // -2
}

void function_of_one(const ElementwiseStep& s, const float* x, float* y, std::size_t n) {
  switch (s.function) {
    case Function::activation:
      return with_activation(s.parameters, [=](auto f) HWY_ATTR { map(x, y, n, f); });
    case Function::unary: return unary(s, x, y, n);
    case Function::power: return power(s.parameters.alpha, x, y, n);
    default: return;
  }
}

/// y = f(x, z), or f(x, *z) for all.
template <class F>
HWY_INLINE void join(const float* x, const float* z, bool scalar, float* y, std::size_t n, F f) {
  if (scalar) {
    const V same = hn::Set(D(), *z);
    map(x, y, n, [=](V v) HWY_ATTR { return f(v, same); });
  } else {
    each_vector(y, n, [=](std::size_t i, int left) HWY_ATTR {
      return f(load_some(x + i, left), load_some(z + i, left));
    });
  }
}

void binary(const ElementwiseStep& s, const float* x, const float* z, bool scalar, float* y,
            std::size_t n) {
  const V zero = hn::Zero(D());
  const auto either = [=](auto f) HWY_ATTR {
    if (s.swapped) join(x, z, scalar, y, n, [=](V a, V b) HWY_ATTR { return f(b, a); });
    else join(x, z, scalar, y, n, f);
  };
  const std::size_t step = scalar ? 0 : 1;
  switch (s.function) {
    case Function::add:
      return join(x, z, scalar, y, n, [](V a, V b) HWY_ATTR { return hn::Add(a, b); });
    case Function::mul:
      return join(x, z, scalar, y, n, [](V a, V b) HWY_ATTR { return hn::Mul(a, b); });
    case Function::max:
      return join(x, z, scalar, y, n, [](V a, V b) HWY_ATTR { return vector_max(a, b); });
    case Function::min:
      return join(x, z, scalar, y, n, [](V a, V b) HWY_ATTR { return vector_min(a, b); });
    case Function::sub: return either([](V a, V b) HWY_ATTR { return hn::Sub(a, b); });
    case Function::div: return either([](V a, V b) HWY_ATTR { return hn::Div(a, b); });
    case Function::prelu:
      if constexpr (is_section_known("prelu"))
        return either([=](V a, V b)
                          HWY_ATTR { return hn::IfThenElse(hn::Lt(a, zero), hn::Mul(b, a), a); });
      else return;
    case Function::modulus_floor:
      if constexpr (!is_section_known("modulus")) return;
      else
        return s.swapped ? modulus<true>(z, step, x, 1, y, n) : modulus<true>(x, 1, z, step, y, n);
    case Function::modulus_truncate:
      if constexpr (!is_section_known("modulus")) return;
      else
        return s.swapped ? modulus<false>(z, step, x, 1, y, n)
                         : modulus<false>(x, 1, z, step, y, n);
    default: return;
  }
}

template <class T> void convert(const std::byte* x, float* y, std::size_t n) {
  const T* from = reinterpret_cast<const T*>(x);
  for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<float>(from[i]);
}

// Other instruction sets need several instructions, and Highway's emulation does not always round
// to the nearest.
constexpr bool converts_float16 = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2;

void convert_from_float16(const std::uint16_t* x, float* y, std::size_t n) {
  std::size_t i = 0;
  if constexpr (converts_float16) {
    const hn::Rebind<hwy::float16_t, D> half;
    for (; i + vector_lanes <= n; i += vector_lanes) {
      const auto v = hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(x + i));
      hn::StoreU(with_one_nan(hn::PromoteTo(D(), v)), D(), y + i);
    }
  }
  for (; i < n; ++i) y[i] = with_one_nan(float16_value(x[i]));
}

void convert_to_float16(const float* x, std::uint16_t* y, std::size_t n) {
  std::size_t i = 0;
  if constexpr (converts_float16) {
    const hn::Rebind<hwy::float16_t, D> half;
    for (; i + vector_lanes <= n; i += vector_lanes)
      hn::StoreU(hn::DemoteTo(half, with_one_nan(hn::LoadU(D(), x + i))), half,
                 reinterpret_cast<hwy::float16_t*>(y + i));
  }
  for (; i < n; ++i) y[i] = float16_bits(with_one_nan(x[i]));
}

void convert_from_bfloat16(const std::uint16_t* x, float* y, std::size_t n) {
  const hn::RebindToUnsigned<D> words;
  const hn::Rebind<std::uint16_t, D> narrow;
  std::size_t i = 0;
  for (; i + vector_lanes <= n; i += vector_lanes) {
    const auto bits = hn::ShiftLeft<16>(hn::PromoteTo(words, hn::LoadU(narrow, x + i)));
    hn::StoreU(with_one_nan(hn::BitCast(D(), bits)), D(), y + i);
  }
  for (; i < n; ++i) y[i] = with_one_nan(bfloat16_value(x[i]));
}

void convert_to_bfloat16(const float* x, std::uint16_t* y, std::size_t n) {
  const hn::RebindToUnsigned<D> words;
  const hn::RebindToSigned<D> integers;
  const hn::Rebind<std::uint16_t, D> narrow;
  const auto below_half = hn::Set(words, 0x7fff), one = hn::Set(words, 1);
  std::size_t i = 0;
  for (; i + vector_lanes <= n; i += vector_lanes) {
    const auto bits = hn::BitCast(words, with_one_nan(hn::LoadU(D(), x + i)));
    const auto odd = hn::And(hn::ShiftRight<16>(bits), one);  // ties go to even numbers
    const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(below_half, odd)));
    hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(integers, rounded)), narrow, y + i);
  }
  for (; i < n; ++i) y[i] = bfloat16_bits(with_one_nan(x[i]));
}

void convert_from_float8(const std::uint8_t* x, float* y, std::size_t n) {
  const hn::Rebind<std::uint8_t, D> bytes;
  std::size_t i = 0;
  for (; i + vector_lanes <= n; i += vector_lanes) {
    const auto bits = hn::PromoteTo(Integers(), hn::LoadU(bytes, x + i));
    hn::StoreU(with_one_nan(values_of_float8(bits)), D(), y + i);
  }
  for (; i < n; ++i) y[i] = with_one_nan(float8e4m3_value(x[i]));
}

void convert_to_float8(const float* x, std::uint8_t* y, std::size_t n) {
  const hn::Rebind<std::uint8_t, D> bytes;
  std::size_t i = 0;
  for (; i + vector_lanes <= n; i += vector_lanes) {
    const auto bits = bits_of_float8(with_one_nan(hn::LoadU(D(), x + i)));
    hn::StoreU(hn::DemoteTo(bytes, bits), bytes, y + i);
  }
  for (; i < n; ++i) y[i] = float8e4m3_bits(with_one_nan(x[i]));
}

/// Copies the elements [i, i + n) of an operand to y.
void gather(const ElementwiseOperand& s, const std::byte* x, std::size_t i, std::size_t n,
            float* y) {
  const float* from = reinterpret_cast<const float*>(x);
  if (s.access == ElementwiseOperand::Access::whole) {
    switch (s.type) {
      case MLOperandDataType::int32: return convert<std::int32_t>(x + 4 * i, y, n);
      case MLOperandDataType::int8: return convert<std::int8_t>(x + i, y, n);
      case MLOperandDataType::uint8: return convert<std::uint8_t>(x + i, y, n);
      case MLOperandDataType::float16:
        return convert_from_float16(reinterpret_cast<const std::uint16_t*>(x) + i, y, n);
      case MLOperandDataType::bfloat16:
        return convert_from_bfloat16(reinterpret_cast<const std::uint16_t*>(x) + i, y, n);
      case MLOperandDataType::float8e4m3:
        return convert_from_float8(reinterpret_cast<const std::uint8_t*>(x) + i, y, n);
      default: return static_cast<void>(std::copy_n(from + i, n, y));
    }
  }
  s.loop.run_elements(i, i + n, [&](std::size_t, const auto& at, std::size_t count) {
    if (s.loop.step[0] == 0) std::fill_n(y, count, from[at[0]]);
    else std::copy_n(from + at[0], count, y);
    y += count;
  });
}

/// The elements [begin, begin + n) of the result, and the memory for them.
struct ElementBlock {
  std::size_t begin, n;
  const Buffers& buffers;
  float* scratch;
};

/// The elements of an operand, in place or copied to `to`.
const float* values(const ElementwiseOperand& s, const ElementBlock& b, float* to) {
  const std::byte* x = b.buffers.inputs[s.input];
  if (s.access == ElementwiseOperand::Access::periodic)
    return b.scratch + s.copies + b.begin % s.loop.inner;
  if (s.access == ElementwiseOperand::Access::whole && s.type == MLOperandDataType::float32)
    return reinterpret_cast<const float*>(x) + b.begin;
  gather(s, x, b.begin, b.n, to);
  return to;
}

void apply(const ElementwiseStep& s, const ElementBlock& b, const float* x, float* y) {
  constexpr std::size_t long_run = 64;  // below, calls cost more than another copy
  if (!s.source) return function_of_one(s, x, y, b.n);
  const ElementwiseOperand& source = *s.source;
  const float* z = reinterpret_cast<const float*>(b.buffers.inputs[source.input]);
  if (source.access == ElementwiseOperand::Access::scalar) return binary(s, x, z, true, y, b.n);
  if (source.access != ElementwiseOperand::Access::loop || source.loop.inner < long_run)
    return binary(s, x, values(source, b, b.scratch + Elementwise::block), false, y, b.n);
  source.loop.run_elements(
      b.begin, b.begin + b.n, [&](std::size_t i, const auto& at, std::size_t count) {
        const std::size_t here = i - b.begin;
        binary(s, x + here, z + at[0], source.loop.step[0] == 0, y + here, count);
      });
}

/// Fills the copies of a periodic operand: a block may begin anywhere in the period.
void fill_copies(const ElementwiseOperand& s, const Buffers& b, float* scratch) {
  if (s.access != ElementwiseOperand::Access::periodic) return;
  const float* from = reinterpret_cast<const float*>(b.inputs[s.input]);
  const std::size_t period = s.loop.inner, all = Elementwise::block + period;
  for (std::size_t i = 0; i < all; i += period)
    std::copy_n(from, std::min(period, all - i), scratch + s.copies + i);
}

void run_blocks(const Elementwise& e, std::size_t begin, std::size_t end, const Buffers& buffers,
                float* scratch) {
  fill_copies(e.head, buffers, scratch);
  for (const ElementwiseStep& s : e.steps)
    if (s.source) fill_copies(*s.source, buffers, scratch);
  for (std::size_t i = begin; i < end; i += Elementwise::block) {
    const ElementBlock b{i, std::min(Elementwise::block, end - i), buffers, scratch};
    const bool narrows = e.result != MLOperandDataType::float32;
    float* const y = narrows ? scratch : buffers.out<float>() + i;
    const float* x = values(e.head, b, e.steps.empty() ? y : scratch);
    for (const ElementwiseStep& s : e.steps) {
      float* to = &s == &e.steps.back() ? y : scratch;
      apply(s, b, x, to);
      x = to;
    }
    switch (e.result) {
      case MLOperandDataType::float16:
        convert_to_float16(x, buffers.out<std::uint16_t>() + i, b.n);
        break;
      case MLOperandDataType::bfloat16:
        convert_to_bfloat16(x, buffers.out<std::uint16_t>() + i, b.n);
        break;
      case MLOperandDataType::float8e4m3:
        convert_to_float8(x, buffers.out<std::uint8_t>() + i, b.n);
        break;
      default:
        if (x != y) std::copy_n(x, b.n, y);
    }
  }
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(run_blocks);
void run_elementwise(const Elementwise& e, std::size_t begin, std::size_t end, const Buffers& b,
                     float* scratch) {
  HWY_DYNAMIC_DISPATCH(run_blocks)(e, begin, end, b, scratch);
}
}  // namespace webnn::inline v0_1::simd
#endif
