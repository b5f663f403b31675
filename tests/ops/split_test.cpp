#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

Build split(MLSplits splits, std::uint32_t axis) {
  return
      [=](MLGraphBuilder& b, Build::Operands x) { return b.split(x[0], splits, {.axis = axis}); };
}

std::vector<Tensor> parts_of(const Tensor& x, const Dims& sizes, std::uint32_t axis) {
  std::vector<Tensor> parts;
  std::uint32_t first = 0;
  for (std::uint32_t size : sizes) {
    Dims shape = x.shape;
    shape[axis] = size;
    parts.push_back(generated(x.type, shape, [&](Dims at) {
      at[axis] += first;
      return x.at(at);
    }));
    first += size;
  }
  return parts;
}

}  // namespace

TEST_CASE("split: every type, along every axis, by sizes", "[split]") {
  Random random(1);
  for_each_type(types::any, [&](MLOperandDataType type) {
    for (std::uint32_t rank = 1; rank <= 4; ++rank)
      for (std::uint32_t axis = 0; axis < rank; ++axis) {
        Dims sizes, shape = random.shape(rank, 4);
        shape[axis] = 0;
        for (std::uint32_t n = random.integer(1, 4); n > 0; --n) {
          sizes.push_back(random.integer(1, 4));
          shape[axis] += sizes.back();
        }
        const Tensor x = random.tensor(type, shape, 0, 99);
        check({split(sizes, axis), {x}, parts_of(x, sizes, axis)});
      }
  });
}

TEST_CASE("split: into equal parts", "[split]") {
  Random random(2);
  const Tensor x = random.tensor(float32, {2, 6, 3});
  check({split(3, 1), {x}, parts_of(x, {2, 2, 2}, 1)});
  check({split(1, 0), {x}, {x}});
  const Tensor large = random.tensor(float16, {5, 8, 4001});
  check({split(4, 1), {large}, parts_of(large, {2, 2, 2, 2}, 1)});
}

TEST_CASE("split: as slices", "[split]") {
  Random random(3);
  const auto slices = [](MLGraphBuilder& b, Build::Operands x) {
    return std::vector{b.slice(x[0], {0, 0}, {4, 2}), b.slice(x[0], {0, 2}, {4, 5})};
  };
  check_same(split({2, 5}, 1), slices, {random.tensor(int64, {4, 7}, -50, 50)}, {});
}
