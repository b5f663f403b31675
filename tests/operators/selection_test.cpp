// webnn.NonZero and webnn.Unique against their definitions.
#include <cmath>
#include <limits>
#include <map>

#include "tests/operators/run_operator.h"
#include "tests/support/random.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

void check_non_zero(const Tensor& x) {
  const auto y = run_operator(operators::non_zero(), {x}, {});
  const auto n = static_cast<std::uint32_t>(x.size());
  REQUIRE(y.size() == 2);
  CHECK(y[0].shape == Dims{static_cast<std::uint32_t>(x.shape.size()), n});
  std::uint32_t count = 0;
  for_each_place(x.shape, [&](const Dims& place) {
    if (x.at(place) == 0) return;
    for (std::uint32_t d = 0; d < place.size(); ++d) REQUIRE(y[0].at({d, count}) == place[d]);
    ++count;
  });
  CHECK(y[1][0] == count);
  for (std::uint32_t d = 0; d < x.shape.size(); ++d)
    for (std::uint32_t i = count; i < n; ++i) REQUIRE(y[0].at({d, i}) == -1);
}

/// The elements of slice i along an axis.
std::vector<double> slice_of(const Tensor& x, std::uint32_t axis, std::uint32_t i) {
  Dims rest = x.shape;
  rest[axis] = 1;
  std::vector<double> slice;
  for_each_place(rest, [&](const Dims& place) {
    Dims at = place;
    at[axis] = i;
    slice.push_back(x.at(at));
  });
  return slice;
}

void check_unique(const Tensor& x, std::optional<std::uint32_t> given, bool sorted) {
  const auto y =
      run_operator(operators::unique(), {x},
                   {{"axis", given.value_or(0)}, {"flat", !given.has_value()}, {"sorted", sorted}});
  REQUIRE(y.size() == 5);
  Tensor flat = x;
  if (!given) flat.shape = {static_cast<std::uint32_t>(x.size())};
  const std::uint32_t axis = given.value_or(0), n = flat.shape[axis];
  struct Found {
    std::uint32_t first, count;
  };
  std::map<std::vector<double>, Found> all;
  for (std::uint32_t i = 0; i < n; ++i) {
    auto [found, is_new] = all.try_emplace(slice_of(flat, axis, i), Found{i, 0});
    ++found->second.count;
  }
  std::vector<std::pair<std::vector<double>, Found>> order(all.begin(), all.end());
  if (!sorted) std::ranges::sort(order, {}, [](const auto& entry) { return entry.second.first; });
  CHECK(y[4][0] == static_cast<double>(order.size()));
  CHECK(y[0].shape == flat.shape);
  for (std::uint32_t i = 0; i < n; ++i) {
    const bool there = i < order.size();
    const auto slice = slice_of(y[0], axis, i);
    REQUIRE(slice == (there ? order[i].first : std::vector<double>(slice.size(), 0)));
    REQUIRE(y[1][i] == (there ? order[i].second.first : -1.0));
    REQUIRE(y[3][i] == (there ? order[i].second.count : 0.0));
    REQUIRE(order[static_cast<std::size_t>(y[2][i])].first == slice_of(flat, axis, i));
  }
}

}  // namespace

TEST_CASE("NonZero: every type and rank") {
  Random random(1);
  for_each_type(types::any, [&](MLOperandDataType type) {
    const double low = type == uint8 || type == uint32 || type == uint64 ? 0 : -2;
    for (const Dims& shape : {Dims{7}, Dims{3, 4}, Dims{2, 3, 4, 5}}) {
      Tensor x = random.tensor(type, shape, low, 2);
      for (std::size_t i = 0; i < x.size(); i += 3) x.set(i, 0);
      check_non_zero(x);
    }
    check_non_zero(filled(type, {4, 4}, 0));
    check_non_zero(filled(type, {4, 4}, 1));
  });
}

TEST_CASE("NonZero: many elements; negative zero is 0, NaN is not") {
  Random random(2);
  Tensor x = random.tensor(float32, {5, 37, 211});
  for (std::size_t i = 0; i < x.size(); ++i)
    if (random.next() % 3 != 0) x.set(i, 0);
  check_non_zero(x);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const MLOperandDataType type : {float32, float16, bfloat16})
    check_non_zero(tensor(type, {5}, {-0.0, nan, 0, 1e-7, -1}));
}

TEST_CASE("Unique: every type, elements and slices, sorted or in their order") {
  Random random(3);
  for_each_type(types::any, [&](MLOperandDataType type) {
    const double low = type == uint8 || type == uint32 || type == uint64 ? 0 : -2;
    for (const bool sorted : {true, false}) {
      Tensor x = random.tensor(type, {3, 4, 2}, low, 2);
      for (std::size_t i = 0; i < x.size(); ++i) x.set(i, std::round(x[i]));
      check_unique(x, {}, sorted);
      for (std::uint32_t axis = 0; axis < 3; ++axis) check_unique(x, axis, sorted);
      Tensor two = random.tensor(type, {50, 2}, low, 2);
      for (std::size_t i = 0; i < two.size(); ++i) two.set(i, std::round(two[i]));
      check_unique(two, 0, sorted);
    }
  });
  check_unique(tensor(float32, {}, {3}), {}, true);
}

TEST_CASE("Unique: NaN is one value, behind all others; zeros are equal") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const MLOperandDataType type : {float32, float16, bfloat16}) {
    const auto y = run_operator(operators::unique(), {tensor(type, {6}, {nan, 1, -0.0, nan, 0, 1})},
                                {{"flat", true}});
    CHECK(y[4][0] == 3);
    CHECK(y[0][0] == 0);
    CHECK(y[0][1] == 1);
    CHECK(std::isnan(y[0][2]));
    CHECK(y[1][0] == 2);
    CHECK(y[1][2] == 0);
    CHECK(y[3][2] == 2);
    CHECK(y[2][3] == 2);
  }
}

TEST_CASE("Unique: integers of 64 bits that are no doubles") {
  const auto y =
      run_operator(operators::unique(),
                   {integers(int64, {3}, {(1ll << 53) + 1, 1ll << 53, (1ll << 53) + 1})}, {});
  CHECK(y[4][0] == 2);
  CHECK(y[0].as<std::int64_t>()[0] == 1ll << 53);
  CHECK(y[0].as<std::int64_t>()[1] == (1ll << 53) + 1);
}

TEST_CASE("NonZero and Unique: what they refuse") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2, 3}}), scalar = b.input("s", {float32, {}});
  const MLOperand narrow = b.input("n", {int4, {4}});
  const auto refused = [&](const char* name, const MLOperand& of, CustomAttributes attributes) {
    return thrown([&] { b.custom(name, {of}, {.attributes = attributes}); });
  };
  CHECK_THAT(refused("webnn.NonZero", scalar, {}), ContainsSubstring("its operand is a scalar"));
  CHECK_THAT(refused("webnn.NonZero", narrow, {}), ContainsSubstring("int4"));
  CHECK_THAT(refused("webnn.Unique", narrow, {}), ContainsSubstring("int4"));
  CHECK_THAT(refused("webnn.Unique", x, {{"axis", 2}}),
             ContainsSubstring("axis (2) is not within the rank 2"));
  CHECK_THAT(refused("webnn.Unique", scalar, {}), ContainsSubstring("axis (0)"));
}
