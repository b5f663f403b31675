// dequantizeLinear and quantizeLinear with scales that a tensor cannot have, in other operators.
#include "src/formats/nnrt/export/lower.h"

namespace webnn::nnrt::exporter {
namespace {

/// For each element of that shape its scale or zero point: those of blocks are repeated.
Value spread(Emitter& e, Value v, const Dims& shape) {
  const Dims from = e.shape(v);
  bool broadcasts = true;
  Dims apart, wide;
  for (std::size_t d = 0; d < from.size(); ++d) {
    broadcasts = broadcasts && (from[d] == 1 || from[d] == shape[d]);
    apart.insert(apart.end(), {from[d], 1});
    wide.insert(wide.end(), {from[d], shape[d] / from[d]});
  }
  if (broadcasts) return v;
  return e.reshape(e.broadcast(e.reshape(v, apart), wide), shape);
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
  const Value zero = e.cast(spread(e, s(op.zeroPoint), s.shape()), op.input.dataType());
  const Value sum = e.binary(AddFusion{}, e.like(Round{}, {ratio}), zero);
  const bool is_signed = s.type() == int8;
  const Clip range{.max = is_signed ? 127.0f : 255.0f, .min = is_signed ? -128.0f : 0.0f};
  return e.cast(e.like(range, {sum}), s.type());
}

}  // namespace webnn::nnrt::exporter
