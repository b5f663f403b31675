#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

Build expand(Dims shape) {
  return [=](MLGraphBuilder& b, Build::Operands x) { return b.expand(x[0], shape); };
}
void expands(const Tensor& x, const Dims& shape) {
  const Tensor y = generated(x.type, shape, [&](const Dims& at) { return x.broadcast_at(at); });
  check({expand(shape), {x}, {y}});
}

}  // namespace

TEST_CASE("expand: every type, random shapes", "[expand]") {
  Random random(1);
  for_each_type(types::any, [&](MLOperandDataType type) {
    for (int i = 0; i < 12; ++i) {
      const Dims to = random.shape(random.integer(0, 6), 4);
      expands(random.tensor(type, random.broadcastable(to), 0, 99), to);
    }
  });
}

TEST_CASE("expand: rows, columns and scalars to large tensors", "[expand]") {
  Random random(2);
  expands(random.tensor(float32, {301}), {200, 301});
  expands(random.tensor(float16, {201, 1}), {201, 300});
  expands(random.tensor(int64, {}, -9, 9), {33, 1000});
  expands(random.tensor(uint8, {20000, 1}, 0, 9), {20000, 3});
  expands(random.tensor(float32, {7, 1, 31}), {7, 90, 31});
}

TEST_CASE("expand: as an add to zeros", "[expand]") {
  Random random(3);
  const auto added = [](MLGraphBuilder& b, Build::Operands x) {
    return b.add(x[0], b.constant({float32, {3, 2, 4}}, std::vector<float>(24)));
  };
  check_same(expand({3, 2, 4}), added, {random.tensor(float32, {2, 1})}, {});
}
