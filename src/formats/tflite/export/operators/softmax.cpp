#include "src/formats/tflite/export/lower.h"

namespace webnn::inline v0_1::tflite::exporter {

/// The runtime's runs along the last dimension, and images have four at most: rows of a matrix.
Values lower(LoweringContext& s, const ops::softmax& op) {
  Emitter& e = s.e();
  Value x = s(op.input);
  const std::uint32_t rank = op.input.rank();
  Dims order;
  for (std::uint32_t d = 0; d < rank; ++d)
    if (d != op.axis) order.push_back(d);
  order.push_back(op.axis);
  const Dims back = inverse(order);

  x = e.transpose(x, order);
  const Dims moved = e.shape(x);
  if (rank > 4)
    x = e.reshape(x,
                  {static_cast<std::uint32_t>(element_count(moved) / moved.back()), moved.back()});
  schema::SoftmaxOptionsT options;
  options.beta = 1;
  const Value y = e.emit(SOFTMAX, {x}, s.result(e.shape(x)), std::optional(options));
  return e.transpose(e.reshape(y, moved), back);
}

}  // namespace webnn::inline v0_1::tflite::exporter
