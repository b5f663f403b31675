#include "tests/ops/moved.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const Build gather_nd = [](auto& b, auto x) { return b.gatherND(x[0], x[1]); };

/// Each coordinate is drawn from the range of its dimension.
Tensor random_coordinates(Random& random, MLOperandDataType type, Dims shape, const Dims& tensor) {
  const std::uint32_t depth = shape.back();
  shape.back() = 1;
  std::vector<Tensor> columns;
  for (std::uint32_t k = 0; k < depth; ++k)
    columns.push_back(random_indices(random, type, shape, tensor[k]));
  shape.back() = depth;
  Tensor all = filled(type, shape, 0);
  const std::size_t width = all.bytes.size() / all.size();
  for (std::size_t i = 0; i < all.size(); ++i)
    std::memcpy(&all.bytes[i * width], &columns[i % depth].bytes[i / depth * width], width);
  return all;
}

void check_gather_nd(const Tensor& x, const Tensor& indices) {
  const std::size_t rows = indices.shape.size() - 1, depth = indices.shape.back();
  Dims shape(indices.shape.begin(), indices.shape.end() - 1);
  shape.insert(shape.end(), x.shape.begin() + static_cast<std::ptrdiff_t>(depth), x.shape.end());
  const Tensor y = moved(x, shape, [&](const Dims& at) {
    Dims row(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(rows)), from;
    row.push_back(0);
    for (; row.back() < depth; ++row.back())
      from.push_back(named_place(indices.at(row), x.shape[row.back()]));
    from.insert(from.end(), at.begin() + static_cast<std::ptrdiff_t>(rows), at.end());
    return from;
  });
  check({gather_nd, {x, indices}, {y}});
}

TEST_CASE("gatherND: known results", "[gatherND]") {
  check(
      {gather_nd,
       {tensor(int32, {2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}), integers(int32, {2, 2}, {0, 1, 1, 0})},
       {tensor(int32, {2, 2}, {2, 3, 4, 5})}});
}

TEST_CASE("gatherND: every data type of elements and indices, any depth", "[gatherND]") {
  Random random(151);
  for_each_type(types::any, [&](MLOperandDataType type) {
    for_each_type(types::indices, [&](MLOperandDataType index) {
      for (std::uint32_t depth = 1; depth <= 4; ++depth)
        for (std::size_t rank : {1, 3}) {
          const Dims x{3, 4, 2, 5};
          Dims indices = random.shape(rank, 4);
          indices.back() = depth;
          check_gather_nd(random_bits(random, type, x),
                          random_coordinates(random, index, indices, x));
        }
    });
  });
}

TEST_CASE("gatherND: in many tiles, of few large slices and of many single elements",
          "[gatherND]") {
  Random random(152);
  const Dims x{3, 2, 20011};
  check_gather_nd(random_bits(random, float32, x), random_coordinates(random, int64, {5, 2}, x));
  const Dims square{101, 203};
  check_gather_nd(random_bits(random, float16, square),
                  random_coordinates(random, uint32, {20011, 2}, square));
}

}  // namespace
