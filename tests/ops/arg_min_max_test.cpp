#include <limits>

#include "src/kernels/common/dispatch_type.h"
#include "tests/ops/moved.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

/// The first place of the extreme of a lane; a NaN comes before every number.
template <class T> std::size_t first_extreme(const std::vector<T>& lane, bool largest) {
  for (std::size_t i = 0; i < lane.size(); ++i)
    if (lane[i] != lane[i]) return i;
  const auto it = largest ? std::max_element(lane.begin(), lane.end())
                          : std::min_element(lane.begin(), lane.end());
  return static_cast<std::size_t>(it - lane.begin());  // the first of equal ones
}

Tensor extremes(const Tensor& x, std::uint32_t axis, bool largest, bool keep,
                MLOperandDataType type) {
  Dims shape = x.shape;
  if (keep) shape[axis] = 1;
  else shape.erase(shape.begin() + axis);
  return generated(type, shape, [&](Dims at) {
    if (!keep) at.insert(at.begin() + axis, 0);
    return dispatch_every_type<types::any>(x.type, [&]<class T>() {
      std::vector<Compute<T>> lane;
      for (at[axis] = 0; at[axis] < x.shape[axis]; ++at[axis])
        lane.push_back(static_cast<Compute<T>>(x.as<T>()[place_in(x.shape, at)]));
      return static_cast<double>(first_extreme(lane, largest));
    });
  });
}

void check_extremes(const Tensor& x, std::uint32_t axis) {
  for (bool largest : {false, true})
    for (bool keep : {false, true})
      for (MLOperandDataType type : {int32, int64}) {
        const auto build = [=](auto& b, auto in) {
          const MLArgMinMaxOptions options{.keepDimensions = keep, .outputDataType = type};
          return largest ? b.argMax(in[0], axis, options) : b.argMin(in[0], axis, options);
        };
        check({build, {x}, {extremes(x, axis, largest, keep, type)}});
      }
}

TEST_CASE("argMin, argMax: any axis of every data type, with ties", "[argMinMax]") {
  Random random(201);
  for_each_type(types::any, [&](MLOperandDataType type) {
    for (const Dims& shape : {Dims{1}, Dims{9}, Dims{4, 5}, Dims{2, 3, 1, 7}})
      for (std::uint32_t axis = 0; axis < shape.size(); ++axis)
        check_extremes(random.tensor(type, shape, -3, 3), axis);
  });
}

TEST_CASE("argMin, argMax: the limits of every data type", "[argMinMax]") {
  Random random(202);
  for_each_type(types::any, [&](MLOperandDataType type) {
    for (std::uint32_t axis : {0, 1}) check_extremes(random_bits(random, type, {40, 50}), axis);
  });
  // Neighbors that no double tells apart.
  const Tensor x =
      integers(int64, {2, 3},
               {INT64_MAX - 1, INT64_MAX, INT64_MAX - 2, INT64_MIN + 1, INT64_MIN, INT64_MIN + 2});
  check({[](auto& b, auto in) { return b.argMax(in[0], 1); }, {x}, {integers(int32, {2}, {1, 2})}});
  check({[](auto& b, auto in) { return b.argMin(in[0], 1); }, {x}, {integers(int32, {2}, {2, 1})}});
}

TEST_CASE("argMin, argMax: in many tiles", "[argMinMax]") {
  Random random(203);
  for (std::uint32_t axis : {0, 1, 2}) check_extremes(random.tensor(float32, {37, 41, 101}), axis);
}

TEST_CASE("argMin, argMax: infinities, zeros of both signs, NaN", "[argMinMax]") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  for_each_type(types::floats, [&](MLOperandDataType type) {
    const Tensor x = tensor(type, {5, 4}, {0,    -0.0, 0,    -0.0,  //
                                           -inf, 5,    inf,  inf,   //
                                           inf,  nan,  -inf, nan,   //
                                           inf,  inf,  inf,  inf,   //
                                           -inf, -inf, 3,    -inf});
    check({[](auto& b, auto in) { return b.argMax(in[0], 1); },
           {x},
           {integers(int32, {5}, {0, 2, 1, 0, 2})}});
    check({[](auto& b, auto in) { return b.argMin(in[0], 1); },
           {x},
           {integers(int32, {5}, {0, 0, 1, 0, 0})}});
  });
}

}  // namespace
