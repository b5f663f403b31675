#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

Build concat(std::uint32_t axis) {
  return [axis](MLGraphBuilder& b, Build::Operands x) {
    return b.concat({x.begin(), x.end()}, axis);
  };
}

/// Element by element: the part is found by walking over the sizes.
Tensor joined(const std::vector<Tensor>& parts, std::uint32_t axis) {
  Dims shape = parts[0].shape;
  shape[axis] = 0;
  for (const Tensor& p : parts) shape[axis] += p.shape[axis];
  return generated(parts[0].type, shape, [&](const Dims& at) {
    Dims own = at;
    std::size_t p = 0;
    for (; own[axis] >= parts[p].shape[axis]; ++p) own[axis] -= parts[p].shape[axis];
    return parts[p].at(own);
  });
}

}  // namespace

TEST_CASE("concat: every type, along every axis", "[concat]") {
  Random random(1);
  for_each_type(types::any, [&](MLOperandDataType type) {
    for (std::uint32_t rank = 1; rank <= 5; ++rank)
      for (std::uint32_t axis = 0; axis < rank; ++axis) {
        std::vector<Tensor> parts;
        Dims shape = random.shape(rank, 4);
        for (std::uint32_t n = random.integer(1, 4); n > 0; --n) {
          shape[axis] = random.integer(1, 4);
          parts.push_back(random.tensor(type, shape, 0, 99));
        }
        check({concat(axis), parts, {joined(parts, axis)}});
      }
  });
}

TEST_CASE("concat: large rows, single elements, one input", "[concat]") {
  Random random(2);
  const std::vector<Tensor> rows{random.tensor(float32, {3, 20011}),
                                 random.tensor(float32, {3, 17})};
  check({concat(1), rows, {joined(rows, 1)}});
  const std::vector<Tensor> thin{random.tensor(uint8, {50000, 1}),
                                 random.tensor(uint8, {50000, 2})};
  check({concat(1), thin, {joined(thin, 1)}});
  check({concat(0), {rows[0]}, {rows[0]}});
}

TEST_CASE("concat: the same operand twice", "[concat]") {
  const auto twice = [](MLGraphBuilder& b, Build::Operands x) { return b.concat({x[0], x[0]}, 0); };
  check({twice, {tensor(float32, {2}, {1, 2})}, {tensor(float32, {4}, {1, 2, 1, 2})}});
}

TEST_CASE("concat: many inputs", "[concat]") {
  std::vector<Tensor> parts;
  for (int i = 0; i < 500; ++i) parts.push_back(tensor(int32, {1}, {static_cast<double>(i)}));
  check({concat(0), parts, {joined(parts, 0)}});
}
