// Blocks of quantized rows, and the scales of the weights that they are multiplied with. One copy
// per target.
#if defined(WEBNN_SIMD_QUANTIZED_BLOCK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_QUANTIZED_BLOCK_INL_H
#undef WEBNN_SIMD_QUANTIZED_BLOCK_INL_H
#else
#define WEBNN_SIMD_QUANTIZED_BLOCK_INL_H
#endif
#include "src/kernels/simd/vector/float32/panel_sums-inl.h"
#include "src/kernels/simd/vector/int8/activations.h"
#include "src/kernels/simd/vector/int8/integers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4

/// A block of rows times a panel.
struct QuantizedBlock {
  const SmallPanels& weights;
  std::size_t count, units, last_units;  ///< pieces; units of words of each, and of the last one
  const std::byte *w, *quads, *x;        ///< the panel; its quads; the integers of the first row
  const std::byte* pieces;
  std::size_t stride;  ///< bytes between rows of x and of pieces
  PanelSums sums;
};

/// The scales of a vector of columns of a panel that begins with `head`.
HWY_INLINE V scales_at(ScaleForm form, const std::byte* head, const std::byte* p,
                       std::size_t vector) {
  const D d;
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  const auto floats = [&](const std::byte* from) HWY_ATTR {
    return hn::LoadU(d, reinterpret_cast<const float*>(from) + vector * lanes);
  };
  if (form == ScaleForm::float32) return floats(p);
  if (form == ScaleForm::bytes) {
    const hn::Rebind<std::int8_t, DI> bytes;
    const auto* from = reinterpret_cast<const std::int8_t*>(p) + vector * lanes;
    return hn::Mul(hn::ConvertTo(d, hn::PromoteTo(DI(), hn::LoadU(bytes, from))), floats(head));
  }
  const hn::Rebind<hwy::float16_t, D> float16s;
  return hn::PromoteTo(
      d, hn::LoadU(float16s, reinterpret_cast<const hwy::float16_t*>(p) + vector * lanes));
}
/// The zero points of a vector of columns, in the integers of products.
template <class W> HWY_INLINE V zeros_at(const std::byte* p) {
  const hn::Rebind<std::int8_t, DI> bytes;
  const VI v = hn::PromoteTo(DI(), hn::LoadU(bytes, reinterpret_cast<const std::int8_t*>(p)));
  return hn::ConvertTo(D(), hn::Add(v, hn::Set(DI(), W::offset)));
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
