// webnn.Bitwise, bit by bit.
#include <cstring>

#include "tests/operators/run_operator.h"
#include "tests/support/random.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

constexpr DataTypes integer_types{int8, uint8, int32, uint32, int64, uint64};

/// Any bits.
Tensor bits(Random& random, MLOperandDataType type, const Dims& shape) {
  Tensor t = filled(type, shape, 0);
  for (std::byte& b : t.bytes) b = static_cast<std::byte>(random.next());
  return t;
}
/// Bit i of the element at a place of the shape to which the tensor is broadcast.
bool bit(const Tensor& t, const Dims& place, std::size_t i) {
  const std::size_t bytes = static_cast<std::size_t>(bits_of(t.type)) / 8;
  const std::size_t at = broadcast_place_in(t.shape, place) * bytes + i / 8;
  return (std::to_integer<unsigned>(t.bytes[at]) >> i % 8 & 1) != 0;
}

void check(const std::vector<Tensor>& operands, const std::string& operation, const Dims& shape) {
  const Tensor y = run_operator(operators::bitwise(), operands, {{"operation", operation}}).front();
  CHECK(y.shape == shape);
  CHECK(y.type == operands[0].type);
  for_each_place(shape, [&](const Dims& place) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(bits_of(y.type)); ++i) {
      const bool a = bit(operands[0], place, i);
      const bool b = operands.size() > 1 && bit(operands[1], place, i);
      bool expected = !a;
      if (operation == "and") expected = a && b;
      if (operation == "or") expected = a || b;
      if (operation == "xor") expected = a != b;
      REQUIRE(bit(y, place, i) == expected);
    }
  });
}

}  // namespace

TEST_CASE("Bitwise: every type and operation, with operands that are broadcast") {
  Random random(1);
  for_each_type(integer_types, [&](MLOperandDataType type) {
    check({bits(random, type, {3, 5})}, "not", {3, 5});
    check({bits(random, type, {})}, "not", {});
    for (const char* operation : {"and", "or", "xor"}) {
      const auto both = [&](const Dims& a, const Dims& b, const Dims& y) {
        check({bits(random, type, a), bits(random, type, b)}, operation, y);
      };
      both({4, 3}, {4, 3}, {4, 3});
      both({4, 3}, {}, {4, 3});
      both({}, {}, {});
      both({3}, {2, 4, 1}, {2, 4, 3});
      both({2, 1, 3}, {4, 1}, {2, 4, 3});
      both({1, 40000}, {2, 1}, {2, 40000});
    }
  });
}

TEST_CASE("Bitwise: what it refuses") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand i = b.input("i", {int32, {2, 3}}), u = b.input("u", {uint32, {2, 3}});
  const MLOperand f = b.input("f", {float32, {2, 3}}), other = b.input("o", {int32, {4, 3}});
  const auto refused = [&](std::vector<MLOperand> operands, const char* operation) {
    return thrown([&] {
      b.custom("webnn.Bitwise", operands, {.attributes = {{"operation", operation}}});
    });
  };
  CHECK_THAT(refused({i, other}, "and"), ContainsSubstring("do not broadcast"));
  CHECK_THAT(refused({i, u}, "and"), ContainsSubstring("are int32 and uint32"));
  CHECK_THAT(refused({f, f}, "and"), ContainsSubstring("is float32"));
  CHECK_THAT(refused({i}, "and"), ContainsSubstring("it has 1 operands, not 2 to 2"));
  CHECK_THAT(refused({i, i}, "not"), ContainsSubstring("it has 2 operands, not 1 to 1"));
  CHECK_THAT(refused({i, i}, "nand"),
             ContainsSubstring("(\"nand\") is not one of and, or, xor, not"));
}
