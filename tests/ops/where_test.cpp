#include <limits>

#include "tests/ops/moved.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const Build where = [](auto& b, auto x) { return b.where(x[0], x[1], x[2]); };

/// About half of the elements are 0, the others anything.
Tensor random_condition(Random& random, const Dims& shape) {
  Tensor c = random_bits(random, uint8, shape);
  for (std::byte& b : c.bytes)
    if (random.integer(0, 1)) b = std::byte{};
  return c;
}

void check_where(Random& random, MLOperandDataType type, const Dims& shape, const Dims& c,
                 const Dims& t, const Dims& f) {
  const Tensor condition = random_condition(random, c);
  // One tensor with the values of both, so that each element of the result has one source.
  const Tensor yes = random_bits(random, type, t), no = random_bits(random, type, f);
  Tensor both{type, {static_cast<std::uint32_t>(yes.size() + no.size())}, yes.bytes};
  both.bytes.insert(both.bytes.end(), no.bytes.begin(), no.bytes.end());
  const Tensor y = moved(both, shape, [&](const Dims& at) {
    const std::size_t from = condition.broadcast_at(at) != 0
                                 ? broadcast_place_in(t, at)
                                 : yes.size() + broadcast_place_in(f, at);
    return Dims{static_cast<std::uint32_t>(from)};
  });
  check({where, {condition, yes, no}, {y}});
}

TEST_CASE("where: three shapes that broadcast, every data type", "[where]") {
  Random random(131);
  for_each_type(types::any, [&](MLOperandDataType type) {
    for (int i = 0; i < 12; ++i) {
      const Dims shape = random.shape(random.integer(0, 5));
      Dims operands[3] = {random.broadcastable(shape), random.broadcastable(shape),
                          random.broadcastable(shape)};
      operands[i % 3] = shape;
      check_where(random, type, shape, operands[0], operands[1], operands[2]);
    }
  });
}

TEST_CASE("where: in many tiles, with each operand broadcast along the last dimension", "[where]") {
  Random random(132);
  const Dims whole{37, 1009}, row{1009}, column{37, 1}, one{};
  for (const Dims& c : {whole, row, column, one})
    for (const Dims& t : {whole, row, column}) check_where(random, float32, whole, c, t, whole);
  check_where(random, uint8, whole, whole, one, one);
  check_where(random, int64, whole, whole, one, column);
}

TEST_CASE("where: the value that is not chosen has no effect", "[where]") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  for_each_type(types::floats, [&](MLOperandDataType type) {
    check({where,
           {tensor(uint8, {5}, {1, 0, 255, 0, 2}), tensor(type, {5}, {1, nan, -0.0, inf, inf}),
            tensor(type, {5}, {nan, 2, inf, -1, nan})},
           {tensor(type, {5}, {1, 2, -0.0, -1, inf})}});
  });
}

TEST_CASE("where: over the memory of each operand", "[where]") {
  Random random(133);
  const Dims shape{200, 300};
  const Tensor c = random_condition(random, shape);
  const Tensor t = random.tensor(uint8, shape, 0, 255), f = random.tensor(uint8, shape, 0, 255);
  const Tensor y =
      generated(uint8, shape, [&](const Dims& at) { return c.at(at) != 0 ? t.at(at) : f.at(at); });
  for (std::size_t over : {0, 1, 2}) {
    const auto build = [over](MLGraphBuilder& b, Build::Operands x) {
      std::vector<MLOperand> in(x.begin(), x.end());
      in[over] = b.reverse(b.reverse(in[over], {.axes = {0}}), {.axes = {0}});
      return b.where(in[0], in[1], in[2]);
    };
    check({build, {c, t, f}, {y}});
  }
}

}  // namespace
