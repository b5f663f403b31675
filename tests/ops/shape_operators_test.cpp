// Operators on shapes: with operands of known sizes they are constants and static operators.
#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

MLOperand list(MLGraphBuilder& b, const std::vector<std::int64_t>& values,
               MLOperandDataType type = int64) {
  const Tensor t = integers(type, {static_cast<std::uint32_t>(values.size())}, values);
  return b.constant(t.descriptor(), t.bytes);
}

const Tensor x24 = generated(float32, {2, 3, 4},
                             [](const Dims& at) { return at[0] * 100.0 + at[1] * 10.0 + at[2]; });

}  // namespace

TEST_CASE("shape, rank, dimension: of a static operand") {
  check({[](auto& b, auto in) { return b.shape(in[0]); }, {x24}, {tensor(uint32, {3}, {2, 3, 4})}});
  check({[](auto& b, auto in) { return b.rank(in[0]); }, {x24}, {tensor(uint32, {}, {3})}});
  check({[](auto& b, auto in) { return b.dimension(in[0], 1); }, {x24}, {tensor(uint32, {}, {3})}});
}

TEST_CASE("range: numbers before the limit") {
  for_each_type(types::ranges, [&](MLOperandDataType type) {
    check({[=](auto& b, auto) {
             return b.range(b.constant(type, 2), b.constant(type, 9), b.constant(type, 3));
           },
           {x24},
           {tensor(type, {3}, {2, 5, 8})}});
  });
  check({[](auto& b, auto) {
           return b.range(b.constant(int32, 5), b.constant(int32, -4), b.constant(int32, -4));
         },
         {x24},
         {tensor(int32, {3}, {5, 1, -3})}});
  check({[](auto& b, auto) {
           return b.range(b.constant(float32, 0), b.constant(float32, 1),
                          b.constant(float32, 0.25));
         },
         {x24},
         {tensor(float32, {4}, {0, 0.25, 0.5, 0.75})}});
}

TEST_CASE("shape operators: the same as their static forms") {
  const auto same = [](const Build& dynamic, const Build& fixed) {
    check_same(dynamic, fixed, {x24}, {});
  };
  same(
      [](auto& b, auto in) {
        return b.reshapeDynamic(in[0], list(b, {4, 6}));
      },
      [](auto& b, auto in) {
        return b.reshape(in[0], {4, 6});
      });
  same(
      [](auto& b, auto in) {
        return b.expandDynamic(in[0], list(b, {5, 2, 3, 4}, int32));
      },
      [](auto& b, auto in) {
        return b.expand(in[0], {5, 2, 3, 4});
      });
  same(
      [](auto& b, auto in) {
        return b.tileDynamic(in[0], list(b, {1, 2, 3}, uint32));
      },
      [](auto& b, auto in) {
        return b.tile(in[0], {1, 2, 3});
      });
  same(
      [](auto& b, auto in) {
        return b.sliceDynamic(in[0], list(b, {0, 1, 0}), list(b, {2, 2, 4}),
                              {.strides = {{1, 1, 2}}});
      },
      [](auto& b, auto in) {
        return b.slice(in[0], {0, 1, 0}, {2, 2, 4}, {.strides = {{1, 1, 2}}});
      });
  same(
      [](auto& b, auto in) {
        return b.padDynamic(in[0], list(b, {1, 0, 2}), list(b, {0, 1, 1}),
                            {.mode = MLPaddingMode::edge});
      },
      [](auto& b, auto in) {
        return b.pad(in[0], {1, 0, 2}, {0, 1, 1}, {.mode = MLPaddingMode::edge});
      });
  same(
      [](auto& b, auto in) {
        return b.splitDynamic(in[0], list(b, {1, 2}), {.axis = 1});
      },
      [](auto& b, auto in) {
        return b.split(in[0], {1, 2}, {.axis = 1});
      });
  same([](auto& b, auto in) { return b.reshapeTo2d(in[0], {.axis = 2}); },
       [](auto& b, auto in) {
         return b.reshape(in[0], {6, 4});
       });
  same(
      [](auto& b, auto in) {
        return b.squeeze(b.unsqueeze(in[0], {0, 2}));
      },
      [](auto& b, auto in) { return b.identity(in[0]); });
  same(
      [](auto& b, auto in) {
        return b.resample2dDynamic(b.unsqueeze(in[0], {0}), {.sizes = list(b, {6, 7})});
      },
      [](auto& b, auto in) {
        return b.resample2d(b.reshape(in[0], {1, 2, 3, 4}), {.sizes = {{6, 7}}});
      });
}

TEST_CASE("shape operators: arithmetic of shapes") {
  const auto same = [](const Build& dynamic, const Build& fixed) {
    check_same(dynamic, fixed, {x24}, {});
  };
  same(
      [](auto& b, auto in) {  // [rows * columns, the rest]
        const MLOperand s = b.cast(b.shape(in[0]), int64);
        const MLOperand front = b.reduceProduct(b.slice(s, {0}, {2}), {.keepDimensions = true});
        return b.reshapeDynamic(in[0], b.concat({front, b.slice(s, {2}, {1})}, 0));
      },
      [](auto& b, auto in) {
        return b.reshape(in[0], {6, 4});
      });
  same(
      [](auto& b, auto in) {  // the last half
        const MLOperand s = b.shape(in[0]);
        const MLOperand two = b.constant({uint32, {3}}, std::vector<std::uint32_t>{1, 1, 2});
        const MLOperand half = b.div(s, two);
        return b.sliceDynamic(in[0], b.sub(s, half), half);
      },
      [](auto& b, auto in) {
        return b.slice(in[0], {0, 0, 2}, {2, 3, 2});
      });
}
