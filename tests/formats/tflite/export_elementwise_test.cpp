#include <cmath>
#include <limits>

#include "tests/formats/tflite/exported.h"

using namespace webnn;
using namespace webnn::test;

namespace {

Build one(auto method) {
  return [=](MLGraphBuilder& b, Build::Operands x) { return (b.*method)(x[0], {}); };
}
Build two(auto method) {
  return [=](MLGraphBuilder& b, Build::Operands x) { return (b.*method)(x[0], x[1], {}); };
}

}  // namespace

TEST_CASE("exported: unary operators and activations") {
  Random r(1);
  const Tensor x = r.tensor(float32, {2, 3, 5}), positive = r.tensor(float32, {2, 3, 5}, 0.1, 6);
  const auto unary = [&](const char* op, auto method, const Tensor& from) {
    INFO(op);
    return check_exported({one(method), {from}, tolerance_of(op, float32)});
  };
  using B = MLGraphBuilder;
  CHECK(unary("abs", &B::abs, x) == "ABS");
  CHECK(unary("ceil", &B::ceil, x) == "CEIL");
  CHECK(unary("cos", &B::cos, x) == "COS");
  unary("erf", &B::erf, x);
  CHECK(unary("exp", &B::exp, x) == "EXP");
  CHECK(unary("floor", &B::floor, x) == "FLOOR");
  CHECK(unary("identity", &B::identity, x) == "RESHAPE");
  CHECK(unary("log", &B::log, positive) == "LOG");
  CHECK(unary("neg", &B::neg, x) == "NEG");
  unary("reciprocal", &B::reciprocal, positive);
  CHECK(unary("roundEven", &B::roundEven, x) == "ROUND");
  unary("sign", &B::sign, x);
  CHECK(unary("sin", &B::sin, x) == "SIN");
  CHECK(unary("sqrt", &B::sqrt, positive) == "SQRT");
  unary("tan", &B::tan, r.tensor(float32, {20}, -1, 1));
  CHECK(unary("relu", &B::relu, x) == "RELU");
  CHECK(unary("sigmoid", &B::sigmoid, x) == "LOGISTIC");
  CHECK(unary("tanh", &B::tanh, x) == "TANH");
  // The runtime's 1 + erf(x) has few digits left for negative x.
  CHECK(check_exported(
            {one(&B::gelu), {x}, tolerance_of("gelu", float32), {}, {.absolute = 5e-7}}) == "GELU");
  CHECK(unary("hardSwish", &B::hardSwish, x) == "HARD_SWISH");
  unary("softplus", &B::softplus, r.tensor(float32, {200}, -40, 40));
  unary("softsign", &B::softsign, x);
}

TEST_CASE("exported: unary operators where rounding could hide a wrong formula") {
  check_exported(
      {one(&MLGraphBuilder::roundEven), {tensor(float32, {6}, {0.5, 1.5, 2.5, -0.5, -1.5, -2.5})}});
  check_exported({one(&MLGraphBuilder::erf),
                  {tensor(float32, {6}, {0, 1e-3, -1e-3, 30, -30, 1e30})},
                  tolerance_of("erf", float32)});
  // Near 0, where the composition of greater numbers would cancel.
  check_exported({one(&MLGraphBuilder::erf),
                  {tensor(float32, {5}, {1e-40, -1e-40, 1e-6, -1e-6, 1e-4})},
                  {.ulp = 4}});
  check_exported({one(&MLGraphBuilder::sign), {tensor(float32, {3}, {-0.0, 1e-30, -1e-30})}});
}

TEST_CASE("exported: activations with parameters") {
  Random r(2);
  const Tensor x = r.tensor(float32, {3, 7}, -8, 8);
  const auto run = [&](const char* op, auto f) {
    INFO(op);
    return check_exported({[=](MLGraphBuilder& b, Build::Operands o) { return f(b, o[0]); },
                           {x},
                           tolerance_of(op, float32)});
  };
  CHECK(run("elu", [](auto& b, auto& o) { return b.elu(o); }) == "ELU");
  run("elu", [](auto& b, auto& o) { return b.elu(o, {.alpha = -0.5}); });
  CHECK(run("leakyRelu", [](auto& b, auto& o) { return b.leakyRelu(o, {.alpha = 0.3}); }) ==
        "LEAKY_RELU");
  run("hardSigmoid",
      [](auto& b, auto& o) { return b.hardSigmoid(o, {.alpha = 0.3, .beta = 0.4}); });
  run("linear", [](auto& b, auto& o) { return b.linear(o, {.alpha = 2, .beta = -1}); });
  CHECK(run("clamp", [](auto& b, auto& o) { return b.clamp(o, {.minValue = 0, .maxValue = 6}); }) ==
        "RELU6");
  CHECK(run("clamp", [](auto& b, auto& o) { return b.clamp(o, {.minValue = 0.0}); }) == "RELU");
  CHECK(run("clamp", [](auto& b, auto& o) {
          return b.clamp(o, {.minValue = -1, .maxValue = 1});
        }) == "RELU_N1_TO_1");
  CHECK(run("clamp", [](auto& b, auto& o) {
          return b.clamp(o, {.minValue = -2, .maxValue = 3.5});
        }) == "MAXIMUM MINIMUM");
  CHECK(run("clamp", [](auto& b, auto& o) { return b.clamp(o, {.maxValue = 1}); }) == "MINIMUM");
}

TEST_CASE("exported: integers") {
  Random r(3);
  using B = MLGraphBuilder;
  for (const auto type : {int32, int64, int8}) {
    INFO(name_of(type));
    const Tensor x = r.tensor(type, {3, 4}, -100, 100);
    for (const auto method : {&B::abs, &B::neg, &B::sign}) check_exported({one(method), {x}});
    check_exported({one(&B::relu), {x}});
  }
  for (const auto type : {int32, int64, uint32, int8, uint8}) {
    INFO(name_of(type));
    const Tensor x = r.tensor(type, {2, 3, 4}, -100, 100), y = r.tensor(type, {3, 1}, -100, 100);
    for (const auto method : {&B::add, &B::sub, &B::mul, &B::max, &B::min})
      check_exported({two(method), {x, y}});
    check_exported(
        {[](B& b, Build::Operands o) { return b.clamp(o[0], {.minValue = 3, .maxValue = 40}); },
         {x}});
  }
  for (const auto type : {int32, int8, uint8}) {
    const Tensor x = r.tensor(type, {5, 4}, -100, 100), y = r.tensor(type, {5, 4}, -3, 3);
    check_exported({two(&B::div), {x, y}});
    CHECK(check_exported({two(&B::div), {x, filled(type, {1}, 7)}, {}, {1}}).find("SELECT") ==
          std::string::npos);
    check_exported({two(&B::pow), {r.tensor(type, {5}, -3, 3), filled(type, {1}, 3)}, {}, {1}});
  }
  check_exported(
      {two(&B::div), {filled(int32, {2}, lowest_of(int32)), tensor(int32, {2}, {-1, 0})}});
}

TEST_CASE("exported: remainders") {
  using B = MLGraphBuilder;
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor a = tensor(float32, {14},
                          {7, -7, 7, -7, 6, -6, 1e9, 1, -33e6, 5, -5, 5, infinity, NAN}),
               c = tensor(float32, {14},
                          {3, 3, -3, -3, 3, 3, 3, 0.1, 7, infinity, infinity, 0, 3, 3});
  CHECK(check_exported({two(&B::modulusFloor), {a, c}}) == "FLOOR_MOD");
  check_exported({two(&B::modulusTruncate), {a, c}});
  Random r(7);
  for (const auto type : {int32, int64, uint32, int8, uint8}) {
    INFO(name_of(type));
    const Tensor x = r.tensor(type, {5, 4}, -100, 100), y = r.tensor(type, {4}, -3, 3);
    for (const auto method : {&B::modulusFloor, &B::modulusTruncate}) {
      check_exported({two(method), {x, y}});
      check_exported({two(method), {x, filled(type, {1}, 0)}, {}, {1}});
    }
    const std::string made =
        check_exported({two(&B::modulusFloor), {x, filled(type, {1}, 7)}, {}, {1}});
    CHECK(made.find("SELECT") == std::string::npos);
  }
  const Tensor lowest = filled(int32, {3}, lowest_of(int32));
  for (const auto method : {&B::modulusFloor, &B::modulusTruncate})
    check_exported({two(method), {lowest, tensor(int32, {3}, {-1, 0, 7})}});
}

TEST_CASE("exported: binary operators broadcast") {
  Random r(4);
  using B = MLGraphBuilder;
  for (int i = 0; i < 30; ++i) {
    const Dims whole = r.shape(r.integer(0, 6), 4);
    const Tensor x = r.tensor(float32, r.broadcastable(whole), 0.5, 3),
                 y = r.tensor(float32, r.broadcastable(whole), 0.5, 3);
    const auto run = [&](const char* op, auto method) {
      check_exported({two(method), {x, y}, tolerance_of(op, float32)});
    };
    run("add", &B::add);
    run("sub", &B::sub);
    run("mul", &B::mul);
    run("div", &B::div);
    run("max", &B::max);
    run("min", &B::min);
    run("pow", &B::pow);
    run("prelu", &B::prelu);
    run("greater", &B::greater);
    run("modulusFloor", &B::modulusFloor);
    run("modulusTruncate", &B::modulusTruncate);
  }
  check_exported({two(&B::prelu), {r.tensor(float32, {2, 3, 4}), r.tensor(float32, {4})}});
  check_exported({two(&B::prelu), {r.tensor(int32, {2, 3, 4}), r.tensor(int32, {4})}});
  // Six dimensions that alternate.
  check_exported({two(&B::add),
                  {r.tensor(float32, {2, 1, 3, 1, 2, 1}), r.tensor(float32, {1, 2, 1, 3, 1, 2})}});
}

TEST_CASE("exported: an activation behind is fused") {
  Random r(5);
  const auto run = [&](auto f) {
    return check_exported({[=](MLGraphBuilder& b, Build::Operands o) { return f(b, o[0], o[1]); },
                           {r.tensor(float32, {2, 3}), r.tensor(float32, {2, 3})}});
  };
  CHECK(run([](auto& b, auto x, auto y) { return b.relu(b.add(x, y)); }) == "ADD");
  CHECK(run([](auto& b, auto x, auto y) {
          return b.clamp(b.mul(x, y), {.minValue = -1, .maxValue = 1});
        }) == "MUL");
  CHECK(run([](auto& b, auto x, auto y) {  // which has another reader
          const auto sum = b.add(x, y);
          return std::vector{b.relu(sum), b.abs(sum)};
        }) == "ADD RELU ABS");
}

TEST_CASE("exported: comparisons, logic, where, cast") {
  Random r(6);
  using B = MLGraphBuilder;
  for (const auto type : {float32, int32, uint32, int64, int8, uint8}) {
    INFO(name_of(type));
    const Tensor x = r.tensor(type, {4, 5}, -2, 2), y = r.tensor(type, {5}, -2, 2);
    for (const auto method :
         {&B::equal, &B::notEqual, &B::greater, &B::greaterOrEqual, &B::lesser, &B::lesserOrEqual})
      check_exported({two(method), {x, y}});
    check_exported({[](B& b, Build::Operands o) { return b.where(o[0], o[1], o[2]); },
                    {r.tensor(uint8, {4, 1}, 0, 1), x, y}});
    check_exported({[](B& b, Build::Operands o) { return b.where(o[0], o[1], o[2]); },
                    {r.tensor(uint8, {2, 1, 1, 1, 1}, 0, 3), x, y}});
    for (const auto to : {float32, int32, uint32, int64, int8, uint8})
      check_exported({[=](B& b, Build::Operands o) { return b.cast(o[0], to); },
                      {r.tensor(type, {3, 3}, 0, 100)}});
  }
  const Tensor x = r.tensor(uint8, {4, 5}, 0, 2), y = r.tensor(uint8, {5}, 0, 2);
  for (const auto method : {&B::logicalAnd, &B::logicalOr, &B::logicalXor})
    check_exported({two(method), {x, y}});
  check_exported({one(&B::logicalNot), {x}});
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor odd = tensor(float32, {4}, {1, NAN, infinity, -infinity});
  check_exported({one(&B::isNaN), {odd}});
  check_exported({one(&B::isInfinite), {odd}});
  // Between comparisons and logic nothing is converted to uint8 and back.
  CHECK(check_exported({[](B& b, Build::Operands o) {
                          return b.where(b.logicalNot(b.greater(o[0], o[1])), o[0], o[1]);
                        },
                        {r.tensor(float32, {6}), r.tensor(float32, {6})}}) ==
        "GREATER LOGICAL_NOT SELECT_V2");
}
