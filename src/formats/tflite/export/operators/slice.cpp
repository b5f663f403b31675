#include "src/formats/tflite/export/lower.h"

namespace webnn::inline v0_1::tflite::exporter {

Values lower(LoweringContext& s, const ops::slice& op) {
  Emitter& e = s.e();
  const auto& strides = op.options.strides;
  return moved(s, op.input, [&](Value x) {
    bool dense = true;
    for (std::size_t d = 0; strides && d < strides->size(); ++d)
      dense = dense && (*strides)[d] == 1;
    if (dense) return e.slice(x, op.starts, op.sizes);
    if (op.sizes.size() > 5) {  // more than STRIDED_SLICE supports: each axis by its indices
      for (std::uint32_t d = 0; d < op.sizes.size(); ++d) {
        std::vector<std::int32_t> at;
        for (std::uint32_t i = 0; i < op.sizes[d]; i += (*strides)[d])
          at.push_back(signed_of(op.starts[d] + i));
        if (at.size() != op.input.shape()[d]) x = e.pick(x, at, d);
      }
      return x;
    }
    std::vector<std::int32_t> ends, steps;
    for (std::size_t d = 0; d < op.sizes.size(); ++d) {
      ends.push_back(signed_of(op.starts[d] + op.sizes[d]));
      steps.push_back(signed_of(std::min((*strides)[d], 0x7fffffffu)));
    }
    const schema::StridedSliceOptionsT options;
    return e.emit(STRIDED_SLICE,
                  {x, e.ints({op.starts.begin(), op.starts.end()}), e.ints(ends), e.ints(steps)},
                  {e.type(x), s.result_shapes().front(), e.spec(x).quantizer},
                  std::optional(options));
  });
}

}  // namespace webnn::inline v0_1::tflite::exporter
