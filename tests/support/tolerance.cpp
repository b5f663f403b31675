#include "tests/support/tolerance.h"

#include <cmath>
#include <stdexcept>

namespace webnn::inline v0_1::test {
namespace {

/// `by_n * n + float32` units in the last place, or with float16 in place of float32; integers are
/// exact unless `other` says more.
struct Row {
  std::string_view op;
  double by_n, float32, float16;
  bool absolute = false;
  double other = 0;
};

constexpr Row rows[] = {
    {"batchNormalization", 0, 6, 6},
    {"instanceNormalization", 0, 840, 8400},
    {"layerNormalization", 0, 1.0 / 1024, 1.0 / 512, true},
    {"cast", 0, 1, 1},
    {"add", 0, 1, 1},
    {"sub", 0, 1, 1},
    {"mul", 0, 1, 1},
    {"div", 0, 2, 2},
    {"pow", 0, 32, 2},
    {"exp", 0, 32, 1},
    {"log", 0, 1.0 / 1024, 1.0 / 1024, true},
    {"sin", 0, 1.0 / 1024, 1.0 / 512, true},
    {"cos", 0, 1.0 / 1024, 1.0 / 512, true},
    {"tan", 0, 1.0 / 1024, 1.0 / 512, true},
    {"erf", 0, 1.0 / 1024, 1.0 / 512, true},
    {"sqrt", 0, 1, 1},
    {"reciprocal", 0, 2, 2},
    {"tanh", 0, 16, 16},
    {"elu", 0, 18, 18},
    {"gelu", 0, 18, 18},
    {"softplus", 0, 18, 18},
    {"hardSigmoid", 0, 2, 2},
    {"linear", 0, 2, 2},
    {"hardSwish", 0, 4, 4},
    {"leakyRelu", 0, 1, 2},
    {"prelu", 0, 1, 1},
    {"sigmoid", 0, 34, 10},
    {"softsign", 0, 3, 3},
    {"softmax", 3, 3, 3},          // n: the size of the axis
    {"conv2d", 2, 0, 0},           // n: the terms of an element
    {"convTranspose2d", 2, 0, 0},  // n: the terms of an element
    {"gemm", 2, 0, 0},             // n: the terms; alpha, beta and c add to it
    {"matmul", 2, 0, 0},           // n: the terms
    {"averagePool2d", 1, 2, 2},    // n: the elements of the window
    {"l2Pool2d", 1, 2, 2},         // n: the elements of the window
    {"reduceL1", 1, 0, 0},         // n: the reduced elements, as below
    {"reduceProduct", 1, 0, 0},
    {"reduceSum", 1, 0, 0},
    {"reduceL2", 2, 2, 2},
    {"reduceMean", 1, 2, 2},
    {"reduceLogSum", 1, 18, 18},
    {"reduceLogSumExp", 2, 18, 18},
    {"reduceSumSquare", 2, 0, 0},
    {"resample2d nearest-neighbor", 0, 0, 0},
    {"resample2d linear", 0, 84, 10, false, 1},
    {"dequantizeLinear", 0, 1, 1},
    {"quantizeLinear", 0, 0, 0, false, 1},
    {"lstm", 0, 1, 1},
    {"lstmCell", 0, 1, 1},
    {"gru", 0, 6, 6},
    {"gruCell", 0, 3, 3},
    {"cumulativeSum", 1, -1, -1},  // n: the size of the axis
};

/// Results that are exact in every data type.
constexpr std::string_view exact[] = {"argMin",
                                      "argMax",
                                      "clamp",
                                      "max",
                                      "min",
                                      "relu",
                                      "abs",
                                      "ceil",
                                      "floor",
                                      "neg",
                                      "identity",
                                      "where",
                                      "triangular",
                                      "maxPool2d",
                                      "reduceMax",
                                      "reduceMin",
                                      "roundEven",
                                      "sign",
                                      "concat",
                                      "expand",
                                      "gather",
                                      "gatherElements",
                                      "gatherND",
                                      "pad",
                                      "reshape",
                                      "reverse",
                                      "scatterElements",
                                      "scatterND",
                                      "slice",
                                      "split",
                                      "tile",
                                      "transpose",
                                      "equal",
                                      "notEqual",
                                      "greater",
                                      "greaterOrEqual",
                                      "lesser",
                                      "lesserOrEqual",
                                      "logicalNot",
                                      "logicalAnd",
                                      "logicalOr",
                                      "logicalXor",
                                      "isNaN",
                                      "isInfinite",
                                      "modulusFloor",
                                      "modulusTruncate"};

}  // namespace

Tolerance tolerance_of(std::string_view op, MLOperandDataType type, double n) {
  for (const Row& row : rows) {
    if (row.op != op) continue;
    if (!is_float(type)) return {.ulp = row.other};
    if (type == bfloat16 || type == float8e4m3) {  // float32, rounded
      const double wide = row.by_n * n + row.float32;
      if (wide == 0) return {};
      return row.absolute ? Tolerance{.ulp = 1, .absolute = wide}
                          : Tolerance{.ulp = 1 + std::ceil(wide * 0x1p-16)};
    }
    const double v = row.by_n * n + (type == float32 ? row.float32 : row.float16);
    return row.absolute ? Tolerance{.absolute = v} : Tolerance{.ulp = v};
  }
  for (std::string_view name : exact)
    if (name == op) return {};
  throw std::logic_error("no tolerance for " + std::string(op));
}

}  // namespace webnn::inline v0_1::test
