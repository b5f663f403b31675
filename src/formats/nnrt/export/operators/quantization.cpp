// dequantizeLinear and quantizeLinear with scales that a tensor cannot have, in other operators.
#include <functional>
#include <numeric>

#include "src/formats/nnrt/export/lower.h"

namespace webnn::inline v0_1::nnrt::exporter {
namespace {

/// For each element of that shape its scale or zero point: those of blocks are repeated.
Value spread(Emitter& e, Value v, const Dims& shape) {
  Dims now = e.shape(v);
  for (std::size_t d = 0; d < now.size(); ++d) {
    if (now[d] == 1 || now[d] == shape[d]) continue;
    const auto product = [&](std::size_t begin, std::size_t end) {
      return std::accumulate(now.begin() + static_cast<std::ptrdiff_t>(begin),
                             now.begin() + static_cast<std::ptrdiff_t>(end), 1u,
                             std::multiplies<>());
    };
    const std::uint32_t before = product(0, d), after = product(d + 1, now.size());
    const Value apart = e.reshape(v, {before, now[d], 1, after});
    const Value repeated = e.broadcast(apart, {before, now[d], shape[d] / now[d], after});
    now[d] = shape[d];
    v = e.reshape(repeated, now);
  }
  return v;
}

}  // namespace

Values written_out(LoweringContext& s, const ops::dequantizeLinear& op) {
  Emitter& e = s.e();
  const Value x = e.cast(s(op.input), s.type());
  const Value zero = e.cast(spread(e, s(op.zeroPoint), s.shape()), s.type());
  return e.binary(MulFusion{}, e.binary(SubFusion{}, x, zero), spread(e, s(op.scale), s.shape()));
}

Values written_out(LoweringContext& s, const ops::quantizeLinear& op) {
  Emitter& e = s.e();
  const Value ratio = e.binary(DivFusion{}, s(op.input), spread(e, s(op.scale), s.shape()));
  const auto real = op.input.dataType();
  const Value zero = e.cast(spread(e, s(op.zeroPoint), s.shape()), real);
  // NaN becomes the integer 0. What the limits change is beyond the range of 8 bits either way.
  const Value limited = e.like(Clip{.max = 1024.0f, .min = -1024.0f}, {e.like(Round{}, {ratio})});
  const Value sum = e.binary(AddFusion{}, e.cast(e.cast(limited, int32), real), zero);
  const bool is_signed = s.type() == int8;
  const Clip range{.max = is_signed ? 127.0f : 255.0f, .min = is_signed ? -128.0f : 0.0f};
  return e.cast(e.like(range, {sum}), s.type());
}

}  // namespace webnn::inline v0_1::nnrt::exporter
