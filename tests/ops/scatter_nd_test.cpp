#include "tests/ops/moved.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const Build scatter_nd = [](auto& b, auto x) { return b.scatterND(x[0], x[1], x[2]); };

Dims updates_shape(const Dims& x, const Dims& indices) {
  Dims shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), x.begin() + indices.back(), x.end());
  return shape;
}

/// Element after element of the updates, in row-major order.
Tensor scattered(const Tensor& x, const Tensor& indices, const Tensor& updates) {
  Tensor y = x;
  const std::size_t width = x.bytes.size() / x.size(), depth = indices.shape.back();
  const auto rows = static_cast<std::ptrdiff_t>(indices.shape.size() - 1);
  std::size_t i = 0;
  for_each_place(updates.shape, [&](const Dims& at) {
    Dims row(at.begin(), at.begin() + rows), to;
    row.push_back(0);
    for (; row.back() < depth; ++row.back())
      to.push_back(named_place(indices.at(row), x.shape[row.back()]));
    to.insert(to.end(), at.begin() + rows, at.end());
    std::memcpy(&y.bytes[place_in(x.shape, to) * width], &updates.bytes[i++ * width], width);
  });
  return y;
}

void check_scatter_nd(Random& random, MLOperandDataType type, const Dims& shape,
                      MLOperandDataType index, const Dims& rows) {
  const Tensor x = random_bits(random, type, shape);
  // Drawn for the first dimension: in the others they are outside more often.
  const Tensor indices = random_indices(random, index, rows, shape[0]);
  const Tensor updates = random_bits(random, type, updates_shape(shape, rows));
  check({scatter_nd, {x, indices, updates}, {scattered(x, indices, updates)}});
}

TEST_CASE("scatterND: known results", "[scatterND]") {
  check({scatter_nd,
         {tensor(float32, {8}, {0, 1, 2, 3, 4, 5, 6, 7}), integers(int32, {4, 1}, {4, 3, 1, 7}),
          tensor(float32, {4}, {-1, -2, -3, -4})},
         {tensor(float32, {8}, {0, -3, 2, -2, -1, 5, 6, -4})}});
}

TEST_CASE("scatterND: the last update of an element stays", "[scatterND]") {
  check({scatter_nd,
         {tensor(int32, {2, 2}, {1, 2, 3, 4}),
          integers(int64, {4, 2}, {1, 0, -1, -2, INT64_MIN, INT64_MAX, 0, 1}),
          tensor(int32, {4}, {10, 20, 30, 40})},
         {tensor(int32, {2, 2}, {1, 40, 20, 4})}});
}

TEST_CASE("scatterND: one element of updates without dimensions", "[scatterND]") {
  check({scatter_nd,
         {tensor(uint8, {2, 3}, {1, 2, 3, 4, 5, 6}), integers(uint32, {2}, {1, 1}),
          tensor(uint8, {}, {9})},
         {tensor(uint8, {2, 3}, {1, 2, 3, 4, 9, 6})}});
}

TEST_CASE("scatterND: every data type of elements and indices, any depth, with duplicates",
          "[scatterND]") {
  Random random(171);
  for_each_type(types::any, [&](MLOperandDataType type) {
    for_each_type(types::indices, [&](MLOperandDataType index) {
      for (std::uint32_t depth = 1; depth <= 4; ++depth)
        for (std::size_t rank : {1, 2, 3}) {
          Dims rows = random.shape(rank, 4);
          rows.back() = depth;
          check_scatter_nd(random, type, {3, 4, 2, 3}, index, rows);
        }
    });
  });
}

TEST_CASE("scatterND: in many tiles", "[scatterND]") {
  Random random(172);
  check_scatter_nd(random, float32, {307, 401}, int32, {211, 1});
  check_scatter_nd(random, float32, {307, 401}, int64, {3, 2});
  check_scatter_nd(random, float16, {3, 50021}, uint32, {4, 1});
  check_scatter_nd(random, int8, {211, 307}, int32, {9001, 2});
}

TEST_CASE("scatterND: gatherND gathers the updates", "[scatterND]") {
  Random random(173);
  const Tensor x = random.tensor(float32, {5, 6, 7});
  const Tensor indices = random_indices(random, int32, {4, 2}, 5);
  check_same(
      [](auto& b, auto in) {
        const MLOperand zeros = b.sub(in[0], in[0]);
        return b.gatherND(b.scatterND(zeros, in[1], b.gatherND(in[0], in[1])), in[1]);
      },
      [](auto& b, auto in) { return b.gatherND(in[0], in[1]); }, {x, indices}, {});
}

}  // namespace
