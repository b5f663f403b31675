#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/elementwise.cpp"
#include "src/kernels/simd/vector/float32/elementwise.h"

#include <hwy/foreach_target.h>

#include "webnn/float16.h"

#include "src/kernels/simd/vector/float32/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::simd::HWY_NAMESPACE {

/// y[i] = f(i, left) for i < n, a vector at a time, of which `left` floats count.
template <class F> HWY_INLINE void each_vector(float* y, std::size_t n, F f) {
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(i, vector_lanes), D(), y + i);
  if (i == n) return;
  const int left = static_cast<int>(n - i);
  store_first(f(i, left), y + i, left);
}

template <class F> HWY_INLINE void map(const float* x, float* y, std::size_t n, F f) {
  each_vector(y, n, [=](std::size_t i, int left) HWY_ATTR { return f(load_some(x + i, left)); });
}

void unary(const Step& s, const float* x, float* y, std::size_t n) {
  const V one = constant(1);
  switch (s.function) {
    case Function::activation:
      return with_activation(s.activation, [=](auto f) HWY_ATTR { map(x, y, n, f); });
    case Function::abs: return map(x, y, n, [](V v) HWY_ATTR { return hn::Abs(v); });
    case Function::ceil: return map(x, y, n, [](V v) HWY_ATTR { return hn::Ceil(v); });
    case Function::erf: return map(x, y, n, [](V v) HWY_ATTR { return vector_erf(v); });
    case Function::exp: return map(x, y, n, [](V v) HWY_ATTR { return vector_exp(v); });
    case Function::floor: return map(x, y, n, [](V v) HWY_ATTR { return hn::Floor(v); });
    case Function::log: return map(x, y, n, [](V v) HWY_ATTR { return vector_log(v); });
    case Function::neg: return map(x, y, n, [](V v) HWY_ATTR { return hn::Neg(v); });
    case Function::reciprocal: return map(x, y, n, [=](V v) HWY_ATTR { return hn::Div(one, v); });
    case Function::round_even: return map(x, y, n, [](V v) HWY_ATTR { return hn::Round(v); });
    case Function::sign: return map(x, y, n, [](V v) HWY_ATTR { return vector_sign(v); });
    case Function::softplus: return map(x, y, n, [](V v) HWY_ATTR { return vector_softplus(v); });
    case Function::softsign:
      return map(x, y, n, [=](V v) HWY_ATTR { return hn::Div(v, hn::Add(one, hn::Abs(v))); });
    case Function::sqrt: return map(x, y, n, [](V v) HWY_ATTR { return hn::Sqrt(v); });
    case Function::square: return map(x, y, n, [](V v) HWY_ATTR { return hn::Mul(v, v); });
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

void binary(const Step& s, const float* x, const float* z, bool scalar, float* y, std::size_t n) {
  const V zero = hn::Zero(D());
  const auto either = [=](auto f) HWY_ATTR {
    if (s.swapped) join(x, z, scalar, y, n, [=](V a, V b) HWY_ATTR { return f(b, a); });
    else join(x, z, scalar, y, n, f);
  };
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
      return either([=](V a, V b)
                        HWY_ATTR { return hn::IfThenElse(hn::Lt(a, zero), hn::Mul(b, a), a); });
    default: return;
  }
}

template <class T> void convert(const std::byte* x, float* y, std::size_t n) {
  const T* from = reinterpret_cast<const T*>(x);
  for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<float>(from[i]);
}

// Other instruction sets than these have the conversions only in several steps, and Highway's are
// not always those to the nearest.
constexpr bool converts_halves = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2;

void convert_halves(const std::uint16_t* x, float* y, std::size_t n) {
  std::size_t i = 0;
  if constexpr (converts_halves) {
    const hn::Rebind<hwy::float16_t, D> half;
    for (; i + vector_lanes <= n; i += vector_lanes) {
      const auto v = hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(x + i));
      hn::StoreU(hn::PromoteTo(D(), v), D(), y + i);
    }
  }
  for (; i < n; ++i) y[i] = float16_value(x[i]);
}

void convert_to_halves(const float* x, std::uint16_t* y, std::size_t n) {
  std::size_t i = 0;
  if constexpr (converts_halves) {
    const hn::Rebind<hwy::float16_t, D> half;
    for (; i + vector_lanes <= n; i += vector_lanes)
      hn::StoreU(hn::DemoteTo(half, hn::LoadU(D(), x + i)), half,
                 reinterpret_cast<hwy::float16_t*>(y + i));
  }
  for (; i < n; ++i) y[i] = float16_bits(x[i]);
}

/// The elements [i, i + n) of a source, copied to y.
void gather(const Source& s, const std::byte* x, std::size_t i, std::size_t n, float* y) {
  const float* from = reinterpret_cast<const float*>(x);
  if (s.access == Source::Access::whole) {
    switch (s.type) {
      case MLOperandDataType::int32: return convert<std::int32_t>(x + 4 * i, y, n);
      case MLOperandDataType::int8: return convert<std::int8_t>(x + i, y, n);
      case MLOperandDataType::uint8: return convert<std::uint8_t>(x + i, y, n);
      case MLOperandDataType::float16:
        return convert_halves(reinterpret_cast<const std::uint16_t*>(x) + i, y, n);
      default: return static_cast<void>(std::copy_n(from + i, n, y));
    }
  }
  s.loop.run_elements(i, i + n, [&](std::size_t, const auto& at, std::size_t count) {
    if (s.loop.step[0] == 0) std::fill_n(y, count, from[at[0]]);
    else std::copy_n(from + at[0], count, y);
    y += count;
  });
}

/// One block: where it begins, and the memory there is for it.
struct Block {
  std::size_t begin, n;
  const Buffers& buffers;
  float* scratch;
};

/// Where the elements of a source are, perhaps copied to `to`.
const float* values(const Source& s, const Block& b, float* to) {
  const std::byte* x = b.buffers.inputs[s.input];
  if (s.access == Source::Access::periodic) return b.scratch + s.copies + b.begin % s.loop.inner;
  if (s.access == Source::Access::whole && s.type == MLOperandDataType::float32)
    return reinterpret_cast<const float*>(x) + b.begin;
  gather(s, x, b.begin, b.n, to);
  return to;
}

void apply(const Step& s, const Block& b, const float* x, float* y) {
  constexpr std::size_t long_run = 64;  // below, calls cost more than another copy
  if (!s.source) return unary(s, x, y, b.n);
  const Source& source = *s.source;
  const float* z = reinterpret_cast<const float*>(b.buffers.inputs[source.input]);
  if (source.access == Source::Access::scalar) return binary(s, x, z, true, y, b.n);
  if (source.access != Source::Access::loop || source.loop.inner < long_run)
    return binary(s, x, values(source, b, b.scratch + Elementwise::block), false, y, b.n);
  source.loop.run_elements(
      b.begin, b.begin + b.n, [&](std::size_t i, const auto& at, std::size_t count) {
        const std::size_t here = i - b.begin;
        binary(s, x + here, z + at[0], source.loop.step[0] == 0, y + here, count);
      });
}

/// Copies that reach over a block from wherever in the period it begins.
void fill_copies(const Source& s, const Buffers& b, float* scratch) {
  if (s.access != Source::Access::periodic) return;
  const float* from = reinterpret_cast<const float*>(b.inputs[s.input]);
  const std::size_t period = s.loop.inner, all = Elementwise::block + period;
  for (std::size_t i = 0; i < all; i += period)
    std::copy_n(from, std::min(period, all - i), scratch + s.copies + i);
}

void run_blocks(const Elementwise& e, std::size_t begin, std::size_t end, const Buffers& buffers,
                float* scratch) {
  fill_copies(e.head, buffers, scratch);
  for (const Step& s : e.steps)
    if (s.source) fill_copies(*s.source, buffers, scratch);
  for (std::size_t i = begin; i < end; i += Elementwise::block) {
    const Block b{i, std::min(Elementwise::block, end - i), buffers, scratch};
    float* const y = e.halves ? scratch : buffers.out<float>() + i;
    const float* x = values(e.head, b, e.steps.empty() ? y : scratch);
    for (const Step& s : e.steps) {
      float* to = &s == &e.steps.back() ? y : scratch;
      apply(s, b, x, to);
      x = to;
    }
    if (e.halves) convert_to_halves(x, buffers.out<std::uint16_t>() + i, b.n);
    else if (x != y) std::copy_n(x, b.n, y);
  }
}

}  // namespace webnn::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::simd {
HWY_EXPORT(run_blocks);
void run_elementwise(const Elementwise& e, std::size_t begin, std::size_t end, const Buffers& b,
                     float* scratch) {
  HWY_DYNAMIC_DISPATCH(run_blocks)(e, begin, end, b, scratch);
}
}  // namespace webnn::simd
#endif
