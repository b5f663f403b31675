// webnn.ScatterElements and webnn.ScatterND against their definitions, in exact numbers.
#include <cmath>
#include <limits>
#include <map>

#include "tests/operators/run_operator.h"
#include "tests/support/random.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

double combined(const std::string& reduction, double a, double b) {
  if (reduction == "add") return a + b;
  if (reduction == "mul") return a * b;
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  return reduction == "min" ? std::min(a, b) : std::max(a, b);
}
/// Whole numbers that are small enough for every type, after a few products too.
Tensor small(Random& random, MLOperandDataType type, const Dims& shape) {
  const bool has_sign = type != uint8 && type != uint32 && type != uint64;
  Tensor t = filled(type, shape, 0);
  for (std::size_t i = 0; i < t.size(); ++i)
    t.set(i, static_cast<double>(random.integer(1, 2)) * (has_sign && random.next() % 2 ? -1 : 1));
  return t;
}
Tensor indices(Random& random, MLOperandDataType type, const Dims& shape, std::uint32_t size) {
  Tensor t = filled(type, shape, 0);
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double at = random.integer(0, size - 1);
    t.set(i, type != uint32 && random.next() % 3 == 0 ? at - size : at);
  }
  return t;
}
void compare(const Tensor& y, const std::map<Dims, double>& expected) {
  for_each_place(y.shape, [&](const Dims& place) { REQUIRE(y.at(place) == expected.at(place)); });
}
std::map<Dims, double> elements(const Tensor& x) {
  std::map<Dims, double> all;
  for_each_place(x.shape, [&](const Dims& place) { all[place] = x.at(place); });
  return all;
}

const std::vector<std::string> reductions = {"add", "mul", "min", "max"};

}  // namespace

TEST_CASE("ScatterElements: every reduction, type and axis") {
  Random random(1);
  for_each_type(types::any, [&](MLOperandDataType type) {
    for (const std::string& reduction : reductions)
      for (std::uint32_t axis = 0; axis < 3; ++axis)
        for (const MLOperandDataType index : {int32, int64, uint32}) {
          const Tensor x = small(random, type, {3, 4, 5});
          Dims part = {2, 3, 4};
          part[axis] = 3;  // so that places repeat
          const Tensor i = indices(random, index, part, 2), u = small(random, type, part);
          auto expected = elements(x);
          for_each_place(part, [&](const Dims& place) {
            Dims at = place;
            const double k = i.at(place);
            at[axis] = static_cast<std::uint32_t>(k < 0 ? k + x.shape[axis] : k);
            expected[at] = combined(reduction, expected[at], u.at(place));
          });
          compare(run_operator(operators::scatter_elements(), {x, i, u},
                               {{"axis", axis}, {"reduction", reduction}})
                      .front(),
                  expected);
        }
  });
}

TEST_CASE("ScatterND: every reduction, type and depth") {
  Random random(2);
  for_each_type(types::any, [&](MLOperandDataType type) {
    for (const std::string& reduction : reductions)
      for (std::uint32_t depth = 1; depth <= 3; ++depth) {
        const Tensor x = small(random, type, {3, 4, 3});
        const Tensor i = indices(random, int64, {4, depth}, 3);
        Dims shape{4};
        shape.insert(shape.end(), x.shape.begin() + depth, x.shape.end());
        const Tensor u = small(random, type, shape);
        auto expected = elements(x);
        for_each_place(shape, [&](const Dims& place) {
          Dims at;
          for (std::uint32_t d = 0; d < depth; ++d) {
            const double k = i.at({place[0], d});
            at.push_back(static_cast<std::uint32_t>(k < 0 ? k + x.shape[d] : k));
          }
          at.insert(at.end(), place.begin() + 1, place.end());
          expected[at] = combined(reduction, expected[at], u.at(place));
        });
        compare(
            run_operator(operators::scatter_nd(), {x, i, u}, {{"reduction", reduction}}).front(),
            expected);
      }
  });
}

TEST_CASE("ScatterElements: integers wrap around, NaN stays") {
  const Tensor i = integers(int32, {1}, {0});
  const auto result = [&](const Tensor& x, const Tensor& u, const char* reduction) {
    return run_operator(operators::scatter_elements(), {x, i, u}, {{"reduction", reduction}})
        .front();
  };
  CHECK(result(tensor(int32, {1}, {2147483647}), tensor(int32, {1}, {1}), "add")[0] ==
        -2147483648.0);
  CHECK(result(tensor(int8, {1}, {100}), tensor(int8, {1}, {3}), "mul")[0] == 44);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* reduction : {"min", "max", "add", "mul"})
    for (const MLOperandDataType type : {float32, float16, bfloat16}) {
      CHECK(std::isnan(result(tensor(type, {1}, {nan}), tensor(type, {1}, {1}), reduction)[0]));
      CHECK(std::isnan(result(tensor(type, {1}, {1}), tensor(type, {1}, {nan}), reduction)[0]));
    }
}

TEST_CASE("scatter with reductions: indices that are outside are moved inside") {
  const Tensor x = tensor(float32, {3}, {0, 0, 0}), u = tensor(float32, {2}, {1, 2});
  const Tensor i = integers(int64, {2}, {-9, std::numeric_limits<std::int64_t>::max()});
  const Tensor y =
      run_operator(operators::scatter_elements(), {x, i, u}, {{"reduction", "add"}}).front();
  CHECK((y[0] == 1 && y[1] == 0 && y[2] == 2));
  const Tensor at = integers(int64, {2, 1}, {std::numeric_limits<std::int64_t>::min(), 7});
  const Tensor z =
      run_operator(operators::scatter_nd(), {x, at, u}, {{"reduction", "add"}}).front();
  CHECK((z[0] == 1 && z[1] == 0 && z[2] == 2));
}

TEST_CASE("scatter with reductions: what is refused") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  auto in = [&, n = 0](MLOperandDataType type, Dims shape) mutable {
    return b.input("i" + std::to_string(n++), {type, std::move(shape)});
  };
  const auto refused = [&](const char* name, std::vector<MLOperand> operands,
                           const char* reduction = "add") {
    return thrown([&] { b.custom(name, operands, {.attributes = {{"reduction", reduction}}}); });
  };
  const char *elements = "webnn.ScatterElements", *nd = "webnn.ScatterND";
  const MLOperand x = in(float32, {3, 4}), i = in(int32, {2, 4}), u = in(float32, {2, 4});
  CHECK(refused(elements, {x, i, u}) == "nothing");
  CHECK_THAT(refused(elements, {x, i, u}, "none"),
             ContainsSubstring("(\"none\") is not one of add"));
  CHECK_THAT(refused(elements, {x, i}), ContainsSubstring("it has 2 operands"));
  CHECK_THAT(refused(elements, {x, u, u}), ContainsSubstring("of its indices is float32"));
  CHECK_THAT(refused(elements, {x, i, in(int32, {2, 4})}), ContainsSubstring("is not float32"));
  CHECK_THAT(refused(elements, {x, i, in(float32, {2, 3})}), ContainsSubstring("of its updates"));
  CHECK_THAT(refused(elements, {x, in(int32, {2, 5}), in(float32, {2, 5})}),
             ContainsSubstring("are larger than its operand"));
  CHECK_THAT(refused(elements, {x, in(int32, {2}), in(float32, {2})}),
             ContainsSubstring("the rank of its indices is not 2"));
  CHECK_THAT(refused(nd, {x, in(int32, {2, 3}), u}), ContainsSubstring("more than the rank 2"));
  CHECK_THAT(refused(nd, {x, in(int32, {2, 1}), in(float32, {2, 3})}),
             ContainsSubstring("is not [2, 4]"));
}
