#include "tests/formats/tflite/exported.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using B = MLGraphBuilder;
constexpr Tolerance sums{.absolute = 1e-5};

}  // namespace

TEST_CASE("exported: gemm") {
  Random r(1);
  for (const bool at : {false, true})
    for (const bool bt : {false, true})
      for (const bool constant : {false, true})
        for (const Dims& c : {Dims{}, Dims{6}, Dims{1, 6}, Dims{5, 1}, Dims{5, 6}, Dims{1}})
          for (const auto& factors : {std::pair(1.0, 1.0), std::pair(0.5, -2.0)})
            check_exported(
                {[=](B& b, Build::Operands x) {
                   return b.gemm(x[0], x[1],
                                 {.c = x[2],
                                  .alpha = factors.first,
                                  .beta = factors.second,
                                  .aTranspose = at,
                                  .bTranspose = bt});
                 },
                 {r.tensor(float32, at ? Dims{3, 5} : Dims{5, 3}),
                  r.tensor(float32, bt ? Dims{6, 3} : Dims{3, 6}), r.tensor(float32, c)},
                 sums,
                 constant ? std::vector<std::size_t>{1, 2} : std::vector<std::size_t>{}});
  CHECK(check_exported(
            {[](B& b, Build::Operands x) { return b.relu(b.gemm(x[0], x[1], {.c = x[2]})); },
             {r.tensor(float32, {5, 3}), r.tensor(float32, {3, 6}), r.tensor(float32, {6})},
             sums,
             {1, 2}}) == "FULLY_CONNECTED");
}

TEST_CASE("exported: matmul") {
  Random r(2);
  const std::pair<Dims, Dims> shapes[] = {{{2, 3}, {3, 4}},
                                          {{2, 2, 3}, {3, 4}},
                                          {{2, 3}, {5, 3, 4}},
                                          {{5, 2, 3}, {5, 3, 4}},
                                          {{2, 5, 2, 3}, {5, 3, 4}},
                                          {{2, 1, 2, 3}, {1, 5, 3, 4}},
                                          {{2, 3, 1, 2, 3}, {2, 1, 5, 3, 4}},
                                          {{2, 1, 2, 1, 2, 3}, {2, 1, 2, 3, 2}}};
  for (const auto& [a, b] : shapes)
    for (const bool constant : {false, true})
      check_exported({[](B& m, Build::Operands x) { return m.matmul(x[0], x[1]); },
                      {r.tensor(float32, a), r.tensor(float32, b)},
                      sums,
                      constant ? std::vector<std::size_t>{1} : std::vector<std::size_t>{}});
}

TEST_CASE("exported: reductions") {
  Random r(3);
  const auto run = [&](auto method, const char* op, MLOperandDataType type, double low) {
    for (const OptionalList<std::uint32_t>& axes :
         {OptionalList<std::uint32_t>(std::nullopt), OptionalList<std::uint32_t>({1}),
          OptionalList<std::uint32_t>({2, 0}), OptionalList<std::uint32_t>(Dims{})})
      for (const bool keep : {false, true}) {
        INFO(op << " " << name_of(type));
        check_exported({[=](B& b, Build::Operands x) {
                          return (b.*method)(x[0], {.axes = axes, .keepDimensions = keep});
                        },
                        {r.tensor(type, {3, 4, 2}, low, 3)},
                        tolerance_of(op, type, 24)});
      }
  };
  for (const auto type : {float32, int32, int64, uint32}) {
    run(&B::reduceL1, "reduceL1", type, -3);
    run(&B::reduceProduct, "reduceProduct", type, 1);
    run(&B::reduceSum, "reduceSum", type, 1);
    run(&B::reduceSumSquare, "reduceSumSquare", type, -3);
  }
  for (const auto type : {float32, int32, int64, uint32, int8, uint8}) {
    run(&B::reduceMax, "reduceMax", type, -3);
    run(&B::reduceMin, "reduceMin", type, -3);
  }
  run(&B::reduceL2, "reduceL2", float32, -3);
  run(&B::reduceLogSum, "reduceLogSum", float32, 1);
  run(&B::reduceLogSumExp, "reduceLogSumExp", float32, -3);
  run(&B::reduceMean, "reduceMean", float32, 1);
  check_exported({[](B& b, Build::Operands x) { return b.reduceLogSumExp(x[0]); },
                  {tensor(float32, {3}, {200, 201, 199})},
                  tolerance_of("reduceLogSumExp", float32, 3)});
}

TEST_CASE("exported: argMin, argMax, softmax, cumulativeSum") {
  Random r(4);
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    for (const auto type : {float32, int32, int8, uint8})
      for (const auto out : {int32, int64})
        for (const bool keep : {false, true}) {
          const MLArgMinMaxOptions o{.keepDimensions = keep, .outputDataType = out};
          check_exported({[=](B& b, Build::Operands x) {
                            return std::vector{b.argMin(x[0], axis, o), b.argMax(x[0], axis, o)};
                          },
                          {r.tensor(type, {4, 5, 3}, -3, 3)}});
        }
    check_exported({[=](B& b, Build::Operands x) { return b.softmax(x[0], axis); },
                    {r.tensor(float32, {4, 5, 3})},
                    tolerance_of("softmax", float32, 5)});
    for (const auto type : {float32, int32, int64, uint32})
      for (const auto& flags : {std::pair(false, false), {true, false}, {true, true}})
        check_exported({[=](B& b, Build::Operands x) {
                          return b.cumulativeSum(
                              x[0], axis, {.exclusive = flags.first, .reversed = flags.second});
                        },
                        {r.tensor(type, {4, 5, 3}, 1, 9)},
                        tolerance_of("cumulativeSum", type, 5)});
  }
  check_exported({[](B& b, Build::Operands x) { return b.softmax(x[0], 1); },
                  {r.tensor(float32, {2, 3, 2, 2, 2, 2})},
                  tolerance_of("softmax", float32, 3)});
}

TEST_CASE("exported: normalizations") {
  Random r(5);
  for (const bool constant : {true, false}) {
    const std::vector<std::size_t> constants =
        constant ? std::vector<std::size_t>{1, 2, 3, 4} : std::vector<std::size_t>{};
    for (std::uint32_t axis : {0u, 1u, 3u}) {
      const Dims shape{3, 4, 2, 5}, channels{shape[axis]};
      check_exported({[=](B& b, Build::Operands x) {
                        return b.batchNormalization(
                            x[0], x[1], x[2],
                            {.scale = x[3], .bias = x[4], .axis = axis, .epsilon = 1e-3});
                      },
                      {r.tensor(float32, shape), r.tensor(float32, channels),
                       r.tensor(float32, channels, 0.5, 2), r.tensor(float32, channels),
                       r.tensor(float32, channels)},
                      sums,
                      constants});
    }
    for (const auto layout : {MLInputOperandLayout::nchw, MLInputOperandLayout::nhwc})
      check_exported(
          {[=](B& b, Build::Operands x) {
             return b.instanceNormalization(x[0], {.scale = x[1], .bias = x[2], .layout = layout});
           },
           {r.tensor(float32, {2, 3, 4, 3}), r.tensor(float32, {3}), r.tensor(float32, {3})},
           sums,
           constant ? std::vector<std::size_t>{1, 2} : std::vector<std::size_t>{}});
    check_exported(
        {[](B& b, Build::Operands x) {
           return b.layerNormalization(x[0], {.scale = x[1], .bias = x[2], .axes = {2, 1}});
         },
         {r.tensor(float32, {2, 3, 4}), r.tensor(float32, {4, 3}), r.tensor(float32, {4, 3})},
         sums,
         constant ? std::vector<std::size_t>{1, 2} : std::vector<std::size_t>{}});
  }
  check_exported({[](B& b, Build::Operands x) { return b.layerNormalization(x[0]); },
                  {r.tensor(float32, {2, 3, 4})},
                  sums});
}
