// Operators that change the shape or the order of the elements.
#include "src/formats/tflite/export/lower.h"

namespace webnn::inline v0_1::tflite::exporter {

Values lower(LoweringContext& s, const ops::reshape& op) {
  return s.e().reshape(s(op.input), op.newShape);
}

Values lower(LoweringContext& s, const ops::transpose& op) {
  return moved(s, op.input, [&](Value x) { return s.e().transpose(x, ops::permutation_of(op)); });
}

Values lower(LoweringContext& s, const ops::expand& op) {
  return moved(s, op.input, [&](Value x) { return s.e().broadcast_to(x, op.newShape); });
}

Values lower(LoweringContext& s, const ops::tile& op) {
  Emitter& e = s.e();
  return moved(s, op.input, [&](Value x) {
    Dims shape = op.input.shape();
    for (std::size_t d = 0; d < shape.size(); ++d) shape[d] *= op.repetitions[d];
    if (shape == op.input.shape()) return x;
    const Value list = e.ints({op.repetitions.begin(), op.repetitions.end()});
    return e.emit(TILE, {x, list}, {e.type(x), shape, e.spec(x).quantizer});
  });
}

Values lower(LoweringContext& s, const ops::reverse& op) {
  Emitter& e = s.e();
  return moved(s, op.input, [&](Value x) {
    Dims axes;
    for (std::uint32_t d = 0; d < op.input.rank(); ++d) axes.push_back(d);
    if (op.options.axes) axes = *op.options.axes;
    for (const std::uint32_t axis : axes) {
      if (e.type(x) != TensorType::INT8) {
        x = e.emit(REVERSE_V2, {x, e.ints({signed_of(axis)})}, e.spec(x));
        continue;
      }
      std::vector<std::int32_t> backward(op.input.shape()[axis]);
      for (std::size_t i = 0; i < backward.size(); ++i)
        backward[i] = static_cast<std::int32_t>(backward.size() - 1 - i);
      x = e.pick(x, backward, axis);
    }
    return x;
  });
}

}  // namespace webnn::inline v0_1::tflite::exporter
