#include <limits>

#include "src/kernels/common/dispatch_type.h"
#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

/// Each sum on its own: in double, or modulo 2^64.
Tensor sums(const Tensor& x, std::uint32_t axis, bool exclusive, bool reversed) {
  Tensor y = filled(x.type, x.shape, 0);
  dispatch_every_type<types::any>(x.type, [&]<class T>() {
    using Sum = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;
    for_each_place(x.shape, [&](const Dims& at) {
      Sum sum = 0;
      Dims from = at;
      for (from[axis] = 0; from[axis] < x.shape[axis]; ++from[axis]) {
        const bool before = reversed ? from[axis] > at[axis] : from[axis] < at[axis];
        if (before || (from[axis] == at[axis] && !exclusive))
          sum += static_cast<Sum>(static_cast<Compute<T>>(x.as<T>()[place_in(x.shape, from)]));
      }
      y.as<T>()[place_in(x.shape, at)] = static_cast<T>(static_cast<Compute<T>>(sum));
    });
  });
  return y;
}

void check_sums(const Tensor& x, std::uint32_t axis) {
  for (bool exclusive : {false, true})
    for (bool reversed : {false, true})
      check({[=](auto& b, auto in) {
               return b.cumulativeSum(in[0], axis, {.exclusive = exclusive, .reversed = reversed});
             },
             {x},
             {sums(x, axis, exclusive, reversed)},
             tolerance_of("cumulativeSum", x.type, x.shape[axis])});
}

TEST_CASE("cumulativeSum: known results", "[cumulativeSum]") {
  const auto known = [](bool exclusive, bool reversed, const std::vector<double>& y) {
    for_each_type(types::sums, [&](MLOperandDataType type) {
      check({[=](auto& b, auto in) {
               return b.cumulativeSum(in[0], 0, {.exclusive = exclusive, .reversed = reversed});
             },
             {tensor(type, {3}, {1, 2, 3})},
             {tensor(type, {3}, y)}});
    });
  };
  known(false, false, {1, 3, 6});
  known(true, false, {0, 1, 3});
  known(false, true, {6, 5, 3});
  known(true, true, {5, 3, 0});
}

TEST_CASE("cumulativeSum: any axis of every data type", "[cumulativeSum]") {
  Random random(211);
  for_each_type(types::sums, [&](MLOperandDataType type) {
    for (const Dims& shape : {Dims{1}, Dims{9}, Dims{4, 5}, Dims{2, 3, 1, 7}})
      for (std::uint32_t axis = 0; axis < shape.size(); ++axis)
        check_sums(random.tensor(type, shape), axis);
  });
}

TEST_CASE("cumulativeSum: integers wrap", "[cumulativeSum]") {
  for (MLOperandDataType type : {int32, uint32, int64, uint64}) {
    Tensor x = filled(type, {4, 3}, 0);
    Random random(212);
    for (std::byte& b : x.bytes) b = static_cast<std::byte>(random.next());
    check_sums(x, 0);
    check_sums(x, 1);
  }
}

TEST_CASE("cumulativeSum: in many tiles", "[cumulativeSum]") {
  Random random(213);
  check_sums(random.tensor(float32, {53, 9, 301}), 1);
  check_sums(random.tensor(float32, {4001, 11}), 1);
  check_sums(random.tensor(float16, {29, 3001}), 0);
}

TEST_CASE("cumulativeSum: infinities and NaN propagate to the elements after them",
          "[cumulativeSum]") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  for_each_type(types::floats, [&](MLOperandDataType type) {
    check({[](auto& b, auto in) { return b.cumulativeSum(in[0], 1, {.exclusive = true}); },
           {tensor(type, {2, 4}, {1, inf, -inf, 2, 3, nan, 4, 5})},
           {tensor(type, {2, 4}, {0, 1, inf, nan, 0, 3, nan, nan})}});
  });
}

TEST_CASE("cumulativeSum: a product with a triangle of ones", "[cumulativeSum]") {
  Random random(214);
  const std::uint32_t n = 17;
  const Tensor x = random.tensor(float32, {5, n}, 0, 4), ones = filled(float32, {n, n}, 1);
  for (bool exclusive : {false, true})
    for (bool reversed : {false, true})
      check_same(
          [=](auto& b, auto in) {
            return b.cumulativeSum(in[0], 1, {.exclusive = exclusive, .reversed = reversed});
          },
          [=](auto& b, auto in) {
            const std::int32_t off = exclusive ? (reversed ? -1 : 1) : 0;
            return b.matmul(in[0], b.triangular(in[1], {.upper = !reversed, .diagonal = off}));
          },
          {x, ones},
          {.ulp = tolerance_of("cumulativeSum", float32, n).ulp +
                  tolerance_of("matmul", float32, n).ulp});
}

}  // namespace
