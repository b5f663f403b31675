#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using Mode = MLPaddingMode;

Build pad(Dims begin, Dims end, Mode mode, MLNumber value = 0) {
  return [=](MLGraphBuilder& b, Build::Operands x) {
    return b.pad(x[0], begin, end, {.mode = mode, .value = value});
  };
}
void pads(const Tensor& x, const Dims& begin, const Dims& end, Mode mode, double value = 0) {
  Dims shape = x.shape;
  for (std::size_t d = 0; d < shape.size(); ++d) shape[d] += begin[d] + end[d];
  const Tensor y = generated(x.type, shape, [&](const Dims& at) {
    Dims from;
    for (std::size_t d = 0; d < at.size(); ++d) {
      const std::int64_t n = x.shape[d];
      std::int64_t i = std::int64_t{at[d]} - begin[d];
      if (mode == Mode::constant && (i < 0 || i >= n)) return value;
      if (mode == Mode::edge) i = std::max<std::int64_t>(0, std::min(i, n - 1));
      if (i < 0) i = -i;
      if (i >= n) i = 2 * (n - 1) - i;
      from.push_back(static_cast<std::uint32_t>(i));
    }
    return x.at(from);
  });
  check({pad(begin, end, mode, value), {x}, {y}});
}

}  // namespace

TEST_CASE("pad: every type and mode, random paddings", "[pad]") {
  Random random(1);
  for_each_type(types::any, [&](MLOperandDataType type) {
    for (Mode mode : {Mode::constant, Mode::edge, Mode::reflection})
      for (int i = 0; i < 8; ++i) {
        const Dims shape = random.shape(random.integer(0, 4));
        Dims begin, end;
        for (std::uint32_t n : shape) {
          const std::uint32_t most = mode == Mode::reflection ? n - 1 : 3;
          begin.push_back(random.integer(0, 2) ? random.integer(0, most) : 0);
          end.push_back(random.integer(0, 2) ? random.integer(0, most) : 0);
        }
        pads(random.tensor(type, shape, 0, 99), begin, end, mode, 7);
      }
  });
}

TEST_CASE("pad: golden rows", "[pad]") {
  const Tensor row = tensor(float32, {3}, {1, 2, 3});
  check({pad({2}, {2}, Mode::edge), {row}, {tensor(float32, {7}, {1, 1, 1, 2, 3, 3, 3})}});
  check({pad({2}, {2}, Mode::reflection), {row}, {tensor(float32, {7}, {3, 2, 1, 2, 3, 2, 1})}});
  check({pad({1, 2}, {1, 2}, Mode::reflection),
         {tensor(float32, {2, 3}, {1, 2, 3, 4, 5, 6})},
         {tensor(float32, {4, 7}, {6, 5, 4, 5, 6, 5, 4, 3, 2, 1, 2, 3, 2, 1,
                                   6, 5, 4, 5, 6, 5, 4, 3, 2, 1, 2, 3, 2, 1})}});
}

TEST_CASE("pad: the value is converted to the data type", "[pad]") {
  const auto is = [](MLOperandDataType type, MLNumber value, double expected) {
    check({pad({1}, {0}, Mode::constant, value),
           {tensor(type, {1}, {1})},
           {tensor(type, {2}, {expected, 1})}});
  };
  is(int8, 300, 127);
  is(int8, 2.5, 2);
  is(uint8, -1, 0);
  is(float16, 0.1, 0.1);
  is(float32, -INFINITY, -INFINITY);
  is(float32, NAN, NAN);
  check({pad({1}, {0}, Mode::constant, INT64_MAX),
         {integers(int64, {1}, {1})},
         {integers(int64, {2}, {INT64_MAX, 1})}});
}

TEST_CASE("pad: images, large rows, and none at all", "[pad]") {
  Random random(2);
  for (Mode mode : {Mode::constant, Mode::edge, Mode::reflection}) {
    pads(random.tensor(float32, {2, 30, 31, 8}), {0, 1, 2, 0}, {0, 3, 1, 0}, mode, -1);
    pads(random.tensor(float32, {2, 3, 60, 61}), {0, 0, 1, 1}, {0, 0, 1, 2}, mode, 5);
    pads(random.tensor(float16, {20011}), {17}, {19000}, mode, 5);
    pads(random.tensor(float16, {101, 201}), {0, 0}, {0, 0}, mode);
  }
}
