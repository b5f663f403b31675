#include <algorithm>
#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using Options = MLReduceOptions;
using Terms = std::vector<double>;

struct Reduction {
  std::string_view name;
  DataTypes types;
  MLOperand (*call)(MLGraphBuilder&, MLOperand, Options);
  double (*value)(const Terms&);
};

template <class F> double sum(const Terms& terms, F f) {
  double s = 0;
  for (double v : terms) s += f(v);
  return s;
}
double mean(const Terms& t) {
  return sum(t, [](double v) { return v; }) / static_cast<double>(t.size());
}
double product(const Terms& t) {
  double p = 1;
  for (double v : t) p *= v;
  return p;
}
double log_sum_exp(const Terms& t) {
  return std::log(sum(t, [](double v) { return std::exp(v); }));
}

const Reduction reductions[] = {
    {"reduceL1", types::sums,
     [](MLGraphBuilder& b, MLOperand x, Options o) { return b.reduceL1(x, o); },
     [](const Terms& t) { return sum(t, [](double v) { return std::abs(v); }); }},
    {"reduceL2", types::floats,
     [](MLGraphBuilder& b, MLOperand x, Options o) { return b.reduceL2(x, o); },
     [](const Terms& t) { return std::sqrt(sum(t, [](double v) { return v * v; })); }},
    {"reduceLogSum", types::floats,
     [](MLGraphBuilder& b, MLOperand x, Options o) { return b.reduceLogSum(x, o); },
     [](const Terms& t) { return std::log(sum(t, [](double v) { return v; })); }},
    {"reduceLogSumExp", types::floats,
     [](MLGraphBuilder& b, MLOperand x, Options o) { return b.reduceLogSumExp(x, o); },
     log_sum_exp},
    {"reduceMax", types::any,
     [](MLGraphBuilder& b, MLOperand x, Options o) { return b.reduceMax(x, o); },
     [](const Terms& t) { return *std::max_element(t.begin(), t.end()); }},
    {"reduceMean", types::floats,
     [](MLGraphBuilder& b, MLOperand x, Options o) { return b.reduceMean(x, o); }, mean},
    {"reduceMin", types::any,
     [](MLGraphBuilder& b, MLOperand x, Options o) { return b.reduceMin(x, o); },
     [](const Terms& t) { return *std::min_element(t.begin(), t.end()); }},
    {"reduceProduct", types::sums,
     [](MLGraphBuilder& b, MLOperand x, Options o) { return b.reduceProduct(x, o); }, product},
    {"reduceSum", types::sums,
     [](MLGraphBuilder& b, MLOperand x, Options o) { return b.reduceSum(x, o); },
     [](const Terms& t) { return sum(t, [](double v) { return v; }); }},
    {"reduceSumSquare", types::sums,
     [](MLGraphBuilder& b, MLOperand x, Options o) { return b.reduceSumSquare(x, o); },
     [](const Terms& t) { return sum(t, [](double v) { return v * v; }); }},
};
const Reduction& reduction(std::string_view name) {
  for (const Reduction& r : reductions)
    if (r.name == name) return r;
  throw std::logic_error("no such reduction");
}
Build build(const Reduction& r, const Options& o) {
  return [&r, o](MLGraphBuilder& b, Build::Operands x) { return r.call(b, x[0], o); };
}

/// The terms of each element are collected from the whole input.
void reduces(const Reduction& r, const Tensor& x, const Options& o) {
  Dims kept, shape;
  for (std::uint32_t d = 0; d < x.shape.size(); ++d) {
    const bool gone = !o.axes || std::find(o.axes->begin(), o.axes->end(), d) != o.axes->end();
    kept.push_back(gone ? 1 : x.shape[d]);
    if (!gone || o.keepDimensions) shape.push_back(kept.back());
  }
  std::vector<Terms> terms(static_cast<std::size_t>(element_count(kept)));
  std::size_t i = 0;
  for_each_place(x.shape, [&](Dims at) {
    for (std::size_t d = 0; d < at.size(); ++d)
      if (kept[d] == 1) at[d] = 0;
    terms[place_in(kept, at)].push_back(x[i++]);
  });
  i = 0;
  const Tensor y = generated(x.type, shape, [&](const Dims&) { return r.value(terms[i++]); });
  check(
      {build(r, o), {x}, {y}, tolerance_of(r.name, x.type, static_cast<double>(terms[0].size()))});
}

/// Terms whose result is in the data type, and where sums do not cancel.
Tensor terms_for(const Reduction& r, Random& random, MLOperandDataType type, const Dims& shape) {
  if (r.name == "reduceMax" || r.name == "reduceMin") return random.tensor(type, shape, -100, 100);
  if (r.name == "reduceL1" && lowest_of(type) < 0) return random.tensor(type, shape, -3, 3);
  if (r.name == "reduceProduct" && !is_float(type)) return random.tensor(type, shape, 1, 1.51);
  if (r.name == "reduceProduct") return random.tensor(type, shape, 0.9, 1.15);
  if (r.name == "reduceLogSum" || r.name == "reduceLogSumExp")
    return random.tensor(type, shape, 1.5, 3);
  return random.tensor(type, shape, 0.1, 3);
}

}  // namespace

TEST_CASE("reductions: every type, random shapes and axes", "[reduce]") {
  Random random(1);
  for (const Reduction& r : reductions)
    for_each_type(r.types, [&](MLOperandDataType type) {
      for (int i = 0; i < 10; ++i) {
        const Dims shape = random.shape(random.integer(0, 5), 4);
        Dims axes;
        for (std::uint32_t d = 0; d < shape.size(); ++d)
          if (random.integer(0, 1)) axes.insert(axes.begin(), d);
        reduces(r, terms_for(r, random, type, shape), {.axes = axes, .keepDimensions = i % 2 == 0});
      }
      const Dims shape = random.shape(3, 4);
      reduces(r, terms_for(r, random, type, shape), {});
      reduces(r, terms_for(r, random, type, shape), {.keepDimensions = true});
    });
}

TEST_CASE("reductions: of rows, columns and blocks of large tensors", "[reduce]") {
  Random random(2);
  for (const Reduction& r : reductions) {
    reduces(r, terms_for(r, random, float32, {501, 77}), {.axes = {1}});
    reduces(r, terms_for(r, random, float32, {77, 501}), {.axes = {0}});
    reduces(r, terms_for(r, random, float32, {6, 10, 11, 67}), {.axes = {0, 2}});
    reduces(r, terms_for(r, random, float16, {30, 10, 11, 12}), {.axes = {1, 3}});
  }
}

TEST_CASE("reductions: no axes apply the function to each element", "[reduce]") {
  const auto is = [](std::string_view name, double y) {
    const Options none{.axes = Dims{}};
    check({build(reduction(name), none),
           {tensor(float32, {2, 1}, {3, 3})},
           {tensor(float32, {2, 1}, {y, y})},
           tolerance_of(name, float32, 1)});
    check({build(reduction(name), {}),
           {tensor(float32, {}, {3})},
           {tensor(float32, {}, {y})},
           tolerance_of(name, float32, 1)});
  };
  for (std::string_view name : {"reduceL1", "reduceL2", "reduceLogSumExp", "reduceMax", "reduceMin",
                                "reduceMean", "reduceProduct", "reduceSum"})
    is(name, 3);
  is("reduceLogSum", std::log(3));
  is("reduceSumSquare", 9);
  check({build(reduction("reduceL2"), {.axes = Dims{}}),
         {tensor(float32, {1}, {-5})},
         {tensor(float32, {1}, {5})},
         tolerance_of("reduceL2", float32, 1)});
}

TEST_CASE("reductions: sums and products of integers wrap", "[reduce]") {
  const auto is = [](std::string_view name, MLOperandDataType type,
                     const std::vector<std::int64_t>& x, std::int64_t y) {
    check({build(reduction(name), {}),
           {integers(type, {static_cast<std::uint32_t>(x.size())}, x)},
           {integers(type, {}, {y})}});
  };
  is("reduceSum", int32, {INT32_MAX, 1}, INT32_MIN);
  is("reduceSum", int64, {INT64_MAX, 1}, INT64_MIN);
  is("reduceSum", int64, {9007199254740993, 1}, 9007199254740994);
  is("reduceSum", uint32, {0xffffffff, 2}, 1);
  is("reduceL1", int32, {INT32_MIN}, INT32_MIN);
  is("reduceL1", int64, {-5, 3}, 8);
  is("reduceSumSquare", int32, {65536}, 0);
  is("reduceProduct", int32, {46341, 46341}, -2147479015);
  is("reduceProduct", uint64, {-1, -1}, 1);
}

TEST_CASE("reduceMax and reduceMin: NaN, infinities and limits", "[reduce]") {
  for (std::string_view name : {"reduceMax", "reduceMin"})
    for (double first : {double{NAN}, 1.0}) {
      Tensor x = filled(float32, {300}, 1);
      x.set(first == 1 ? 299 : 0, NAN);
      check({build(reduction(name), {}), {x}, {tensor(float32, {}, {NAN})}});
    }
  for (auto type : {float32, float16, bfloat16}) {
    check({build(reduction("reduceMax"), {}),
           {tensor(type, {2}, {-INFINITY, -INFINITY})},
           {tensor(type, {}, {-INFINITY})}});
    check({build(reduction("reduceMin"), {}),
           {tensor(type, {2}, {INFINITY, -1})},
           {tensor(type, {}, {-1})}});
  }
  for_each_type({int8, uint8, int32, uint32}, [](MLOperandDataType type) {
    const Tensor x = tensor(type, {2}, {lowest_of(type), highest_of(type)});
    check({build(reduction("reduceMax"), {}), {x}, {tensor(type, {}, {highest_of(type)})}});
    check({build(reduction("reduceMin"), {}), {x}, {tensor(type, {}, {lowest_of(type)})}});
  });
}

TEST_CASE("reduceLogSumExp: neither overflows nor loses infinities", "[reduce]") {
  const auto is = [](const std::vector<double>& x, double y) {
    const Dims shape{static_cast<std::uint32_t>(x.size())};
    check({build(reduction("reduceLogSumExp"), {}),
           {tensor(float32, shape, x)},
           {tensor(float32, {}, {y})},
           tolerance_of("reduceLogSumExp", float32, 2)});
    constexpr std::uint32_t columns = 20;  // each of them the same
    std::vector<double> rows;
    for (const double v : x) rows.insert(rows.end(), columns, v);
    check({build(reduction("reduceLogSumExp"), {.axes = {0}}),
           {tensor(float32, {shape[0], columns}, rows)},
           {tensor(float32, {columns}, std::vector<double>(columns, y))},
           tolerance_of("reduceLogSumExp", float32, 2)});
  };
  is({1000, 1000}, 1000 + std::log(2.0));
  is({-1000, -1000}, -1000 + std::log(2.0));
  is({-INFINITY, 3}, 3);
  is({3, -INFINITY}, 3);
  is({-INFINITY, -INFINITY}, -INFINITY);
  is({INFINITY, 1}, INFINITY);
  is({1, INFINITY, INFINITY}, INFINITY);
  is({NAN, 1}, NAN);
  is({1, NAN}, NAN);
  is({1, NAN, 2}, NAN);
}

TEST_CASE("reduceLogSumExp: many terms", "[reduce]") {
  Random random(4);
  reduces(reduction("reduceLogSumExp"), random.tensor(float32, {3, 4000}, -20, 20), {.axes = {1}});
}

TEST_CASE("reductions: as composed of other operators", "[reduce]") {
  Random random(3);
  const std::vector<Tensor> x{random.tensor(float32, {4, 9}, 0.5, 2)};
  const Options o{.axes = {1}};
  const auto same = [&](std::string_view name, auto f, double ulp) {
    check_same(build(reduction(name), o), f, x, {.ulp = ulp});
  };
  same(
      "reduceL1", [=](MLGraphBuilder& b, Build::Operands x) { return b.reduceSum(b.abs(x[0]), o); },
      18);
  same(
      "reduceSumSquare",
      [=](MLGraphBuilder& b, Build::Operands x) { return b.reduceSum(b.mul(x[0], x[0]), o); }, 28);
  same(
      "reduceL2",
      [=](MLGraphBuilder& b, Build::Operands x) { return b.sqrt(b.reduceSumSquare(x[0], o)); }, 39);
  check_same(build(reduction("reduceLogSum"), o),
             [=](MLGraphBuilder& b, Build::Operands x) { return b.log(b.reduceSum(x[0], o)); }, x,
             {27 + 9, 1.0 / 1024});
  check_same(
      build(reduction("reduceLogSumExp"), o),
      [=](MLGraphBuilder& b, Build::Operands x) { return b.log(b.reduceSum(b.exp(x[0]), o)); }, x,
      {36 + 9 + 32, 1.0 / 1024});
}
