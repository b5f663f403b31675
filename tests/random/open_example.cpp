#include "tests/random/open_example.h"

namespace webnn::inline v0_1::test {

NamedOperands open_example(MLGraphBuilder& b) {
  const MLOperand x = b.input("x", {float32, {"batch", 3, "x:0 \"rows\"", 4}});
  const MLOperand past = b.input("past", {float32, {"batch", MLDynamicDimension{"past", 0, 2048}}});
  const auto list = [&](std::vector<MLOperand> all) { return b.concat(std::move(all), 0); };
  const auto number = [&](std::uint32_t n) { return b.constant({uint32, {1}}, {n}); };
  const MLOperand one = number(1), three = number(3), four = number(4);
  const MLOperand zeros = b.constant({uint32, {4}}, {0u, 0u, 0u, 0u});
  const MLOperand zero = b.constant(uint32, 0), step = b.constant(uint32, 1);
  const MLOperand shape = b.shape(x);
  const MLOperand batch = b.slice(shape, {0}, {1}), rows = b.slice(shape, {2}, {1});
  const std::vector<MLOperand> halves = b.splitDynamic(x, list({one, number(2)}), {.axis = 1});
  const MLOperand present = b.concat({past, b.reshapeTo2d(x, {.axis = 1})}, 1);
  const MLOperand half = b.averagePool2d(x, {.windowDimensions = {{1, 2}},
                                             .strides = {2, 2},
                                             .outputShapeRounding = MLRoundingType::ceil});
  return {{"flat", b.reshapeDynamic(x, list({batch, three, b.mul(rows, four)}))},
          {"wide", b.expandDynamic(b.unsqueeze(b.reshapeTo2d(x), {0}),
                                   list({four, batch, b.mul(rows, number(12))}))},
          {"tiles", b.tileDynamic(x, list({one, one, one, four}))},
          {"window", b.sliceDynamic(x, zeros, shape, {.strides = {{1, 1, 1, 2}}})},
          {"padded", b.padDynamic(x, zeros, list({one, one, rows, one}), {.value = 2})},
          {"first", b.squeeze(halves[0], {.axes = {{1}}})},
          {"any", b.squeeze(halves[1])},
          {"large", b.resample2dDynamic(x, {.sizes = list({b.mul(rows, four), four})})},
          {"twice", b.resample2dDynamic(x, {.scales = {2, 2}})},
          {"places", b.range(zero, b.dimension(x, 2), step)},
          {"rank", b.add(b.rank(x), step)},
          {"rest", b.modulusFloor(rows, three)},
          {"halves", b.concat(b.split(b.concat({x, x}, 2), 2, {.axis = 2}), 0)},
          {"present", present},
          {"half", half},
          {"back", b.convTranspose2d(half, b.constant({float32, {3, 1, 1, 1}}, {1.f, 2.f, 3.f}),
                                     {.strides = {2, 2}, .outputPadding = {1, 0}})},
          {"mean", b.maxPool2d(x)}};
}

}  // namespace webnn::inline v0_1::test
