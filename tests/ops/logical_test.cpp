#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const Build equal = [](MLGraphBuilder& b, Build::Operands x) { return b.equal(x[0], x[1]); };
const Build not_equal = [](MLGraphBuilder& b, Build::Operands x) { return b.notEqual(x[0], x[1]); };
const Build greater = [](MLGraphBuilder& b, Build::Operands x) { return b.greater(x[0], x[1]); };
const Build greater_or_equal = [](MLGraphBuilder& b, Build::Operands x) {
  return b.greaterOrEqual(x[0], x[1]);
};
const Build lesser = [](MLGraphBuilder& b, Build::Operands x) { return b.lesser(x[0], x[1]); };
const Build lesser_or_equal = [](MLGraphBuilder& b, Build::Operands x) {
  return b.lesserOrEqual(x[0], x[1]);
};
const Build logical_and = [](MLGraphBuilder& b, Build::Operands x) {
  return b.logicalAnd(x[0], x[1]);
};
const Build logical_or = [](MLGraphBuilder& b, Build::Operands x) {
  return b.logicalOr(x[0], x[1]);
};
const Build logical_xor = [](MLGraphBuilder& b, Build::Operands x) {
  return b.logicalXor(x[0], x[1]);
};

}  // namespace

TEST_CASE("comparisons: every type, broadcast", "[logical]") {
  const auto compare = [](const Build& build, std::string_view op, auto f) {
    check_binary(build, types::any, op, f, 0, 3, uint8);
  };
  compare(equal, "equal", [](double a, double b) { return a == b; });
  compare(not_equal, "notEqual", [](double a, double b) { return a != b; });
  compare(greater, "greater", [](double a, double b) { return a > b; });
  compare(greater_or_equal, "greaterOrEqual", [](double a, double b) { return a >= b; });
  compare(lesser, "lesser", [](double a, double b) { return a < b; });
  compare(lesser_or_equal, "lesserOrEqual", [](double a, double b) { return a <= b; });
}

TEST_CASE("comparisons: NaN is unequal to all, zeros are equal", "[logical]") {
  for (auto type : {float32, float16, bfloat16}) {
    const std::vector<Tensor> x{tensor(type, {5}, {NAN, NAN, 1, -0.0, INFINITY}),
                                tensor(type, {5}, {NAN, 1, NAN, 0, INFINITY})};
    const auto is = [&](const Build& build, const std::vector<double>& y) {
      check({build, x, {tensor(uint8, {5}, y)}});
    };
    is(equal, {0, 0, 0, 1, 1});
    is(not_equal, {1, 1, 1, 0, 0});
    is(greater, {0, 0, 0, 0, 0});
    is(greater_or_equal, {0, 0, 0, 1, 1});
    is(lesser, {0, 0, 0, 0, 0});
    is(lesser_or_equal, {0, 0, 0, 1, 1});
  }
}

TEST_CASE("comparisons: 64-bit integers exactly", "[logical]") {
  const std::vector<Tensor> a{integers(int64, {2}, {9007199254740993, INT64_MIN}),
                              integers(int64, {2}, {9007199254740992, INT64_MAX})};
  check({greater, a, {tensor(uint8, {2}, {1, 0})}});
  check({equal, a, {tensor(uint8, {2}, {0, 0})}});
  const std::vector<Tensor> u{integers(uint64, {1}, {-1}), integers(uint64, {1}, {1})};
  check({greater, u, {tensor(uint8, {1}, {1})}});
}

TEST_CASE("logicalAnd, logicalOr and logicalXor: any other number than zero is true", "[logical]") {
  check_binary(
      logical_and, types::bytes, "logicalAnd", [](double a, double b) { return a && b; }, 0, 3);
  check_binary(
      logical_or, types::bytes, "logicalOr", [](double a, double b) { return a || b; }, 0, 3);
  check_binary(
      logical_xor, types::bytes, "logicalXor", [](double a, double b) { return !a != !b; }, 0, 3);
  check({logical_xor,
         {tensor(uint8, {3}, {255, 2, 0}), tensor(uint8, {3}, {1, 0, 128})},
         {tensor(uint8, {3}, {0, 1, 1})}});
}

TEST_CASE("logicalNot, isNaN and isInfinite", "[logical]") {
  check_elementwise([](MLGraphBuilder& b, Build::Operands x) { return b.logicalNot(x[0]); },
                    types::bytes, "logicalNot", [](double v) { return v == 0; }, 0, 3);
  for (auto type : {float32, float16, bfloat16}) {
    const Tensor x = tensor(type, {6}, {NAN, INFINITY, -INFINITY, 0, highest_of(type), -1});
    check({[](MLGraphBuilder& b, Build::Operands x) { return b.isNaN(x[0]); },
           {x},
           {tensor(uint8, {6}, {1, 0, 0, 0, 0, 0})}});
    check({[](MLGraphBuilder& b, Build::Operands x) { return b.isInfinite(x[0]); },
           {x},
           {tensor(uint8, {6}, {0, 1, 1, 0, 0, 0})}});
  }
}
