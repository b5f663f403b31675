#include <algorithm>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

Build transpose(Dims permutation) {
  return [=](MLGraphBuilder& b, Build::Operands x) {
    return b.transpose(x[0], {.permutation = permutation});
  };
}
void transposes(const Tensor& x, const Dims& permutation) {
  Dims shape;
  for (std::uint32_t d : permutation) shape.push_back(x.shape[d]);
  const Tensor y = generated(x.type, shape, [&](const Dims& at) {
    Dims from(at.size());
    for (std::size_t d = 0; d < at.size(); ++d) from[permutation[d]] = at[d];
    return x.at(from);
  });
  check({transpose(permutation), {x}, {y}});
}

}  // namespace

TEST_CASE("transpose: every type and permutation", "[transpose]") {
  Random random(1);
  for_each_type(types::any, [&](MLOperandDataType type) {
    for (std::uint32_t rank = 0; rank <= 4; ++rank) {
      Dims permutation;
      for (std::uint32_t d = 0; d < rank; ++d) permutation.push_back(d);
      do transposes(random.tensor(type, random.shape(rank, 6), 0, 99), permutation);
      while (std::next_permutation(permutation.begin(), permutation.end()));
    }
  });
  transposes(random.tensor(float32, {2, 3, 1, 4, 2, 3, 2, 2}), {7, 2, 4, 0, 6, 1, 3, 5});
}

TEST_CASE("transpose: reverses the dimensions by default", "[transpose]") {
  check({[](MLGraphBuilder& b, Build::Operands x) { return b.transpose(x[0]); },
         {tensor(int32, {2, 3}, {1, 2, 3, 4, 5, 6})},
         {tensor(int32, {3, 2}, {1, 4, 2, 5, 3, 6})}});
}

TEST_CASE("transpose: large matrices and images", "[transpose]") {
  Random random(2);
  for (auto type : {uint8, float16, float32, int64}) {
    transposes(random.tensor(type, {131, 257}, 0, 99), {1, 0});
    transposes(random.tensor(type, {2, 3, 61, 67}, 0, 99), {0, 2, 3, 1});
    transposes(random.tensor(type, {2, 53, 47, 5}, 0, 99), {0, 3, 1, 2});
    transposes(random.tensor(type, {30, 3, 20, 10}, 0, 99), {2, 1, 0, 3});
    transposes(random.tensor(type, {30, 3, 20, 11}, 0, 99), {3, 1, 0, 2});
  }
}

TEST_CASE("transpose: twice with the inverse permutation", "[transpose]") {
  Random random(3);
  const Tensor x = random.tensor(float32, {3, 4, 5});
  check({[](MLGraphBuilder& b, Build::Operands x) {
           return b.transpose(b.transpose(x[0], {.permutation = {2, 0, 1}}),
                              {.permutation = {1, 2, 0}});
         },
         {x},
         {x}});
}
