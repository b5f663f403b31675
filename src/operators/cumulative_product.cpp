// webnn.CumulativeProduct, one line along the axis after the other.
// https://onnx.ai/onnx/operators/onnx__CumProd.html
#include "src/operators/operators.h"
#include "src/operators/tiles.h"

namespace webnn::inline v0_1::operators {
namespace {

std::vector<MLOperandDescriptor> infer(const CustomCall& call) {
  require_operands(call, 1, 1);
  const MLOperandDescriptor& x = call.inputs[0];
  if (bits_of(x.dataType) < 8) refuse(fail("the data type of its operand is {}", x.dataType));
  axis_of(call, x.shape);
  return {x};
}

/// Products of integers wrap around.
template <class T> auto product(T a, T b) {
  if constexpr (std::integral<T>) {
    using Wide = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
  } else {
    return a * b;
  }
}

template <class T>
void run_line(const Around& a, bool exclusive, bool reversed, std::size_t line, const Buffers& b) {
  using Factor = Number<T>;
  const std::size_t at = line / a.inner * a.size * a.inner + line % a.inner;
  const T* x = b.in<T>() + at;
  T* y = b.out<T>() + at;
  Factor p = 1;
  for (std::size_t i = 0; i < a.size; ++i) {
    const std::size_t k = (reversed ? a.size - 1 - i : i) * a.inner;
    const auto v = static_cast<Factor>(x[k]);
    if (exclusive) y[k] = static_cast<T>(p);
    p = product(p, v);
    if (!exclusive) y[k] = static_cast<T>(p);
  }
}

Lowering lower(const CustomCall& call) {
  const Dims& x = call.inputs[0].shape;
  const Around a(x, axis_of(call, x));
  const bool exclusive = call.attribute<bool>("exclusive"),
             reversed = call.attribute<bool>("reversed");
  return with_type(call.inputs[0].dataType, [&]<class T>(std::type_identity<T>) -> Lowering {
    return by_rows("cumulative_product", a.outer * a.inner, a.size,
                   [=](std::size_t line, const Buffers& b, std::byte*) {
                     run_line<T>(a, exclusive, reversed, line, b);
                   });
  });
}

}  // namespace

const Definition& cumulative_product() {
  static const Definition one =
      custom_operator({.name = "webnn.CumulativeProduct",
                       .attributes = {{"axis", 0}, {"exclusive", false}, {"reversed", false}},
                       .infer = &infer,
                       .compute = computed_by(&lower),
                       .lower = &lower});
  return one;
}

}  // namespace webnn::inline v0_1::operators
