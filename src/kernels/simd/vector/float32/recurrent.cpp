#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/recurrent.cpp"
#include "src/kernels/simd/vector/float32/recurrent.h"

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/float32/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

HWY_INLINE V activated(MLRecurrentNetworkActivation f, V v) {
  switch (f) {
    case MLRecurrentNetworkActivation::relu: return vector_max(v, hn::Zero(D()));
    case MLRecurrentNetworkActivation::sigmoid: return vector_sigmoid(v);
    default: return vector_tanh(v);
  }
}

HWY_INLINE void store_hidden(const Units& u, std::size_t row, V hidden) {
  hn::StoreU(hidden, D(), u.next + row * u.state_row);
  for (float* out : u.hidden_out)
    if (out) store_some(hidden, out + row * u.out_row, u.units);
}

void reset_units(const Units& u) {
  const D d;
  for (std::size_t row = 0; row < u.rows; ++row) {
    float* gates = u.gates + row * u.gates_row;
    hn::StoreU(activated(u.activations[0], hn::LoadU(d, gates)), d, gates);
    const V reset = activated(u.activations[0], hn::LoadU(d, gates + vector_lanes));
    hn::StoreU(hn::Mul(reset, hn::LoadU(d, u.hidden + row * u.state_row)), d,
               u.extra + row * u.state_row);
  }
}

void gru_units(const Units& u, bool reset_after) {
  const D d;
  for (std::size_t row = 0; row < u.rows; ++row) {
    const float* gates = u.gates + row * u.gates_row;
    V z = hn::LoadU(d, gates), n = hn::LoadU(d, gates + 2 * vector_lanes);
    if (reset_after) {
      z = activated(u.activations[0], z);
      const V reset = activated(u.activations[0], hn::LoadU(d, gates + vector_lanes));
      n = hn::MulAdd(reset, hn::LoadU(d, u.extra + row * u.state_row), n);
    }
    n = activated(u.activations[1], n);
    const V hidden = hn::LoadU(d, u.hidden + row * u.state_row);
    store_hidden(u, row, hn::MulAdd(z, hidden, hn::Mul(hn::Sub(constant(1), z), n)));
  }
}

void lstm_units(const Units& u) {
  const D d;
  for (std::size_t row = 0; row < u.rows; ++row) {
    const V old = hn::LoadU(d, u.cell + row * u.state_row);
    const auto sum = [&](int gate) HWY_ATTR {
      V v = hn::LoadU(d, u.gates + row * u.gates_row + gate * vector_lanes);
      if (u.peephole && gate < 3)
        v = hn::MulAdd(hn::LoadU(d, u.peephole + gate * vector_lanes), old, v);
      return v;
    };
    const V i = activated(u.activations[0], sum(0)), o = activated(u.activations[0], sum(1));
    const V f = activated(u.activations[0], sum(2)), g = activated(u.activations[1], sum(3));
    const V cell = hn::MulAdd(f, old, hn::Mul(i, g));
    hn::StoreU(cell, d, u.cell + row * u.state_row);
    if (u.cell_out) store_some(cell, u.cell_out + row * u.out_row, u.units);
    store_hidden(u, row, hn::Mul(o, activated(u.activations[2], cell)));
  }
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(reset_units);
HWY_EXPORT(gru_units);
HWY_EXPORT(lstm_units);
void gru_reset(const Units& u) { HWY_DYNAMIC_DISPATCH(reset_units)(u); }
void gru_next(const Units& u, bool reset_after) { HWY_DYNAMIC_DISPATCH(gru_units)(u, reset_after); }
void lstm_next(const Units& u) { HWY_DYNAMIC_DISPATCH(lstm_units)(u); }
}  // namespace webnn::inline v0_1::simd
#endif
