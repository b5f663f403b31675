// Operators of a program outside of delegates. Expected numbers are PyTorch's definitions, computed
// by hand or in double precision.
#include <cmath>

#include "tests/formats/executorch/run.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::executorch::test;
namespace pte = webnn::executorch::pte;
using pte::ScalarType;
using webnn::test::tensor;

namespace {

int value(ProgramWriter& p, auto table) {
  auto v = std::make_unique<pte::EValueT>();
  v->val.Set(std::move(table));
  p.plan().values.push_back(std::move(v));
  return static_cast<int>(p.plan().values.size()) - 1;
}
int none(ProgramWriter& p) { return value(p, pte::NullT()); }
int real(ProgramWriter& p, double v) {
  pte::DoubleT d;
  d.double_val = v;
  return value(p, std::move(d));
}
int flag(ProgramWriter& p, bool v) {
  pte::BoolT b;
  b.bool_val = v;
  return value(p, std::move(b));
}
int text(ProgramWriter& p, std::string v) {
  pte::StringT s;
  s.string_val = std::move(v);
  return value(p, std::move(s));
}
int tensors(ProgramWriter& p, std::vector<int> all) {
  pte::TensorListT l;
  l.items = std::move(all);
  return value(p, std::move(l));
}

struct Call {
  std::string name{}, overload = "out";
  std::vector<Tensor> inputs{};
  std::vector<ScalarType> types{};
  std::vector<int> result{};  ///< its shape
  ScalarType type = ScalarType::FLOAT;
  /// The arguments behind the tensors, which come first.
  std::function<std::vector<int>(ProgramWriter&)> more{};
  std::function<std::vector<int>(ProgramWriter&, std::vector<int>)> all{};
};

Bytes program(const Call& c) {
  ProgramWriter p;
  std::vector<int> args;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const Dims& shape = c.inputs[i].shape;
    args.push_back(p.tensor({shape.begin(), shape.end()},
                            i < c.types.size() ? c.types[i] : ScalarType::FLOAT));
  }
  const int y = p.tensor(c.result, c.type);
  p.plan().inputs = args;
  p.plan().outputs = {y};
  if (c.all) args = c.all(p, args);
  if (c.more)
    for (const int a : c.more(p)) args.push_back(a);
  args.push_back(y);
  args.push_back(y);  // what the operator returns
  p.kernel("aten::" + c.name, c.overload, args);
  return p.file();
}
std::vector<double> result(const Call& c) {
  const auto all = run(program(c), c.inputs);
  std::vector<double> out;
  for (std::size_t i = 0; i < element_count(all[0].shape); ++i) out.push_back(all[0][i]);
  return out;
}
using V = std::vector<double>;
const Tensor a = tensor(float32, {2, 2}, {1, -2, 3, 4}), b = tensor(float32, {2}, {10, 20});

void near(const V& got, const V& expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    CHECK(got[i] == Approx(expected[i]).epsilon(1e-5).margin(1e-6));
}

}  // namespace

TEST_CASE("kernels: arithmetic with alpha, numbers and rounding", "[executorch]") {
  const auto two = [](ProgramWriter& p) { return std::vector{p.number(2)}; };
  CHECK(result({.name = "add", .inputs = {a, b}, .result = {2, 2}, .more = two}) ==
        V{21, 38, 23, 44});
  CHECK(result({.name = "sub", .inputs = {a, b}, .result = {2, 2}, .more = two}) ==
        V{-19, -42, -17, -36});
  CHECK(result({.name = "mul", .inputs = {a, b}, .result = {2, 2}}) == V{10, -40, 30, 80});
  CHECK(result({.name = "mul",
                .overload = "Scalar_out",
                .inputs = {a},
                .result = {2, 2},
                .more = [](ProgramWriter& p) { return std::vector{real(p, 0.5)}; }}) ==
        V{0.5, -1, 1.5, 2});
  CHECK(result({.name = "div", .inputs = {a, b}, .result = {2, 2}}) ==
        V{static_cast<double>(0.1f), static_cast<double>(-0.1f), static_cast<double>(0.3f),
          static_cast<double>(0.2f)});
  const Tensor c = tensor(float32, {2}, {2, 3});
  for (const char* mode : {"floor", "trunc"})
    CHECK(result({.name = "div",
                  .overload = "out_mode",
                  .inputs = {a, c},
                  .result = {2, 2},
                  .more = [&](ProgramWriter& p) { return std::vector{text(p, mode)}; }}) ==
          (mode == std::string("floor") ? V{0, -1, 1, 1} : V{0, 0, 1, 1}));
  // Integers of two types, and an integer with a float: the result says the type.
  const Tensor i = tensor(int32, {2}, {7, -3}), l = tensor(int64, {2}, {1, 2});
  CHECK(result({.name = "add",
                .inputs = {i, l},
                .types = {ScalarType::INT, ScalarType::LONG},
                .result = {2},
                .type = ScalarType::LONG,
                .more = [](ProgramWriter& p) { return std::vector{p.number(1)}; }}) == V{8, -1});
  CHECK(result({.name = "mul",
                .overload = "Scalar_out",
                .inputs = {i},
                .types = {ScalarType::INT},
                .result = {2},
                .more = [](ProgramWriter& p) { return std::vector{real(p, 0.5)}; }}) ==
        V{3.5, -1.5});
  CHECK(refusal(program({.name = "add",
                         .inputs = {tensor(int8, {2}, {7, -3}), tensor(int8, {2}, {1, 1})},
                         .types = {ScalarType::CHAR, ScalarType::CHAR},
                         .result = {2},
                         .type = ScalarType::CHAR,
                         .more = [](ProgramWriter& p) { return std::vector{p.number(1)}; }})) ==
        "NotSupportedError executorch: aten::add.out: arithmetic on int8.");
}

TEST_CASE("kernels: comparisons and logic", "[executorch]") {
  const auto number = [](double v) {
    return [v](ProgramWriter& p) { return std::vector{real(p, v)}; };
  };
  const Tensor i = tensor(int32, {3}, {1, 2, 3});
  CHECK(result({.name = "gt",
                .overload = "Scalar_out",
                .inputs = {i},
                .types = {ScalarType::INT},
                .result = {3},
                .type = ScalarType::BOOL,
                .more = number(1.5)}) == V{0, 1, 1});
  CHECK(result({.name = "eq",
                .overload = "Tensor_out",
                .inputs = {i, tensor(float32, {3}, {1, 2.5, 3})},
                .types = {ScalarType::INT, ScalarType::FLOAT},
                .result = {3},
                .type = ScalarType::BOOL}) == V{1, 0, 1});
  CHECK(result({.name = "logical_and",
                .inputs = {tensor(float32, {3}, {0, 0.5, -1}), i},
                .types = {ScalarType::FLOAT, ScalarType::INT},
                .result = {3},
                .type = ScalarType::BOOL}) == V{0, 1, 1});
}

TEST_CASE("kernels: functions and activations", "[executorch]") {
  const Tensor x = tensor(float32, {4}, {-2, -0.5, 0.5, 3});
  const V in{-2, -0.5, 0.5, 3};
  const auto each = [&](auto f) {
    V out;
    for (const double v : in) out.push_back(f(v));
    return out;
  };
  near(result({.name = "exp", .inputs = {x}, .result = {4}}),
       each([](double v) { return std::exp(v); }));
  near(result({.name = "rsqrt", .inputs = {tensor(float32, {2}, {4, 0.25})}, .result = {2}}),
       {0.5, 2});
  near(result({.name = "sigmoid", .inputs = {x}, .result = {4}}),
       each([](double v) { return 1 / (1 + std::exp(-v)); }));
  // Of integers the result is of floats.
  near(result({.name = "sqrt",
               .inputs = {tensor(int32, {2}, {4, 9})},
               .types = {ScalarType::INT},
               .result = {2}}),
       {2, 3});
  const auto limits = [](auto low, auto high) {
    return [=](ProgramWriter& p) { return std::vector{low(p), high(p)}; };
  };
  const auto n = [](double v) { return [v](ProgramWriter& p) { return real(p, v); }; };
  CHECK(result({.name = "clamp", .inputs = {x}, .result = {4}, .more = limits(n(-1), n(1))}) ==
        V{-1, -0.5, 0.5, 1});
  CHECK(result({.name = "clamp", .inputs = {x}, .result = {4}, .more = limits(none, n(1))}) ==
        V{-2, -0.5, 0.5, 1});
  CHECK(result({.name = "leaky_relu", .inputs = {x}, .result = {4}, .more = [](ProgramWriter& p) {
                  return std::vector{real(p, 0.25)};
                }}) == V{-0.5, -0.125, 0.5, 3});
  near(result({.name = "gelu",
               .inputs = {x},
               .result = {4},
               .more = [](ProgramWriter& p) { return std::vector{text(p, "none")}; }}),
       each([](double v) { return v / 2 * (1 + std::erf(v / std::sqrt(2))); }));
  near(result({.name = "gelu",
               .inputs = {x},
               .result = {4},
               .more = [](ProgramWriter& p) { return std::vector{text(p, "tanh")}; }}),
       each([](double v) {
         return v / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
       }));
}

TEST_CASE("kernels: softmax, sums and normalization", "[executorch]") {
  const auto dim = [](ProgramWriter& p) { return std::vector{p.number(-1), flag(p, false)}; };
  const double e3 = std::exp(3.0), e1 = std::exp(1.0);
  near(result({.name = "_softmax", .inputs = {a}, .result = {2, 2}, .more = dim}),
       {e3 / (e3 + 1), 1 / (e3 + 1), 1 / (1 + e1), e1 / (1 + e1)});
  near(
      result({.name = "_log_softmax", .inputs = {a}, .result = {2, 2}, .more = dim}),
      {-std::log1p(1 / e3), -3 - std::log1p(1 / e3), -1 - std::log1p(1 / e1), -std::log1p(1 / e1)});
  const auto over = [](std::vector<std::int64_t> dims, bool keep) {
    return [=](ProgramWriter& p) { return std::vector{p.numbers(dims), flag(p, keep), none(p)}; };
  };
  CHECK(result({.name = "sum",
                .overload = "IntList_out",
                .inputs = {a},
                .result = {2},
                .more = over({0}, false)}) == V{4, 2});
  CHECK(result({.name = "mean", .inputs = {a}, .result = {2, 1}, .more = over({-1}, true)}) ==
        V{-0.5, 3.5});
  CHECK(result({.name = "amax", .inputs = {a}, .result = {}, .more = [](ProgramWriter& p) {
                  return std::vector{p.numbers({}), flag(p, false)};
                }}) == V{4});
  CHECK(result({.name = "cumsum", .inputs = {a}, .result = {2, 2}, .more = [](ProgramWriter& p) {
                  return std::vector{p.number(-1), none(p)};
                }}) == V{1, -1, 3, 7});
  CHECK(result({.name = "argmax",
                .inputs = {a},
                .result = {2},
                .type = ScalarType::LONG,
                .more = [](ProgramWriter& p) {
                  return std::vector{p.number(1), flag(p, false)};
                }}) == V{0, 1});
  // weight and bias are tensors behind the list of the shape; the first of three results is used.
  ProgramWriter p;
  const int x = p.tensor({2, 2}), w = p.constant({2}, {2, 3}), bias = p.constant({2}, {1, -1});
  const int y = p.tensor({2, 2}), mean = p.tensor({2, 1}), rstd = p.tensor({2, 1});
  p.plan().inputs = {x};
  p.plan().outputs = {y};
  p.kernel("aten::native_layer_norm", "out",
           {x, p.numbers({2}), w, bias, real(p, 1e-5), y, mean, rstd, tensors(p, {y, mean, rstd})});
  const auto all = run(p.file(), std::vector{a});
  const double first = 1.5 / std::sqrt(2.25 + 1e-5), second = 0.5 / std::sqrt(0.25 + 1e-5);
  near({all[0][0], all[0][1], all[0][2], all[0][3]},
       {first * 2 + 1, first * -3 - 1, second * -2 + 1, second * 3 - 1});
}

TEST_CASE("kernels: what moves and picks elements", "[executorch]") {
  const Tensor i = tensor(int64, {3}, {1, 0, 1});
  CHECK(result({.name = "index_select",
                .inputs = {a, i},
                .types = {ScalarType::FLOAT, ScalarType::LONG},
                .result = {2, 3},
                .all = [](ProgramWriter& p, std::vector<int> t) {
                  return std::vector{t[0], p.number(1), t[1]};
                }}) == V{-2, 1, -2, 4, 3, 4});
  CHECK(result({.name = "embedding",
                .inputs = {a, i},
                .types = {ScalarType::FLOAT, ScalarType::LONG},
                .result = {3, 2},
                .more = [](ProgramWriter& p) {
                  return std::vector{p.number(-1), flag(p, false), flag(p, false)};
                }}) == V{3, 4, 1, -2, 3, 4});
  CHECK(result({.name = "gather",
                .inputs = {a, tensor(int64, {1, 2}, {1, 0})},
                .types = {ScalarType::FLOAT, ScalarType::LONG},
                .result = {1, 2},
                .all = [](ProgramWriter& p, std::vector<int> t) {
                  return std::vector{t[0], p.number(0), t[1], flag(p, false)};
                }}) == V{3, -2});
  const auto list = [](ProgramWriter& p, std::vector<int> t) {
    return std::vector{tensors(p, t), p.number(-1)};
  };
  CHECK(result({.name = "cat", .inputs = {a, a}, .result = {2, 4}, .all = list}) ==
        V{1, -2, 1, -2, 3, 4, 3, 4});
  CHECK(result({.name = "stack", .inputs = {b, b}, .result = {2, 2}, .all = list}) ==
        V{10, 10, 20, 20});
  const Tensor row = tensor(float32, {5}, {0, 1, 2, 3, 4});
  CHECK(result({.name = "slice_copy",
                .overload = "Tensor_out",
                .inputs = {row},
                .result = {2},
                .more = [](ProgramWriter& p) {
                  return std::vector{p.number(0), p.number(-4), p.number(INT64_MAX), p.number(3)};
                }}) == V{1, 4});
  CHECK(result({.name = "select_copy",
                .overload = "int_out",
                .inputs = {a},
                .result = {2},
                .more = [](ProgramWriter& p) {
                  return std::vector{p.number(1), p.number(-1)};
                }}) == V{-2, 4});
  CHECK(
      result({.name = "expand_copy", .inputs = {b}, .result = {2, 2}, .more = [](ProgramWriter& p) {
                return std::vector{p.numbers({2, -1}), flag(p, false)};
              }}) == V{10, 20, 10, 20});
  CHECK(result({.name = "repeat", .inputs = {b}, .result = {2, 4}, .more = [](ProgramWriter& p) {
                  return std::vector{p.numbers({2, 2})};
                }}) == V{10, 20, 10, 20, 10, 20, 10, 20});
  CHECK(result(
            {.name = "constant_pad_nd", .inputs = {b}, .result = {5}, .more = [](ProgramWriter& p) {
               return std::vector{p.numbers({1, 2}), p.number(7)};
             }}) == V{7, 10, 20, 7, 7});
  CHECK(result({.name = "where",
                .overload = "self_out",
                .inputs = {tensor(uint8, {2}, {1, 0}), b, tensor(float32, {2}, {-1, -2})},
                .types = {ScalarType::BOOL},
                .result = {2}}) == V{10, -2});
  CHECK(refusal(program({.name = "select_copy",
                         .overload = "int_out",
                         .inputs = {a},
                         .result = {2},
                         .more =
                             [](ProgramWriter& p) {
                               return std::vector{p.number(1), p.number(2)};
                             }})) ==
        "DataError executorch: aten::select_copy.int_out: the index 2 is not within a dimension of "
        "2.");
}

TEST_CASE("kernels: images", "[executorch]") {
  // One channel of 3 x 3, a filter of 2 x 2, a bias.
  const Tensor image = tensor(float32, {1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
               filter = tensor(float32, {1, 1, 2, 2}, {1, 0, 0, -1}),
               bias = tensor(float32, {1}, {10});
  const auto convolved = [&](bool transposed, std::vector<int> shape) {
    return result({.name = "convolution",
                   .inputs = {image, filter, bias},
                   .result = shape,
                   .more = [=](ProgramWriter& p) {
                     return std::vector{p.numbers({1, 1}),   p.numbers({0, 0}), p.numbers({1, 1}),
                                        flag(p, transposed), p.numbers({0, 0}), p.number(1)};
                   }});
  };
  CHECK(convolved(false, {1, 1, 2, 2}) == V{6, 6, 6, 6});
  CHECK(convolved(true, {1, 1, 4, 4}) ==
        V{11, 12, 13, 10, 14, 14, 14, 7, 17, 14, 14, 4, 10, 3, 2, 1});
  const auto pooled = [&](bool counts) {
    return result({.name = "avg_pool2d",
                   .inputs = {image},
                   .result = {1, 1, 2, 2},
                   .more = [=](ProgramWriter& p) {
                     return std::vector{p.numbers({2, 2}), p.numbers({}),   p.numbers({1, 1}),
                                        flag(p, false),    flag(p, counts), none(p)};
                   }});
  };
  CHECK(pooled(true) == V{0.25, 1.25, 2.75, 7});
  CHECK(pooled(false) == V{1, 2.5, 5.5, 7});
  ProgramWriter p;
  const int x = p.tensor({1, 1, 3, 3}), y = p.tensor({1, 1, 2, 2}),
            places = p.tensor({1, 1, 2, 2}, ScalarType::LONG);
  p.plan().inputs = {x};
  p.plan().outputs = {y};
  p.kernel("aten::max_pool2d_with_indices", "out",
           {x, p.numbers({2}), p.numbers({1}), p.numbers({0}), p.numbers({1}), flag(p, false), y,
            places, tensors(p, {y, places})});
  const auto all = run(p.file(), std::vector{image});
  CHECK(V{all[0][0], all[0][1], all[0][2], all[0][3]} == V{5, 6, 8, 9});
  CHECK(result({.name = "flip", .inputs = {a}, .result = {2, 2}, .more = [](ProgramWriter& q) {
                  return std::vector{q.numbers({-1})};
                }}) == V{-2, 1, 4, 3});
  CHECK(result({.name = "triu", .inputs = {a}, .result = {2, 2}, .more = [](ProgramWriter& q) {
                  return std::vector{q.number(1)};
                }}) == V{0, -2, 0, 0});
}

TEST_CASE("kernels: products", "[executorch]") {
  const Tensor m = tensor(float32, {2, 1}, {2, 5});
  CHECK(result({.name = "mm", .inputs = {a, m}, .result = {2, 1}}) == V{-8, 26});
  CHECK(result({.name = "addmm",
                .inputs = {tensor(float32, {1}, {100}), a, m},
                .result = {2, 1},
                .more = [](ProgramWriter& p) {
                  return std::vector{real(p, 0.5), p.number(2)};
                }}) == V{34, 102});
  CHECK(result({.name = "linear",
                .inputs = {a, tensor(float32, {1, 2}, {2, 5}), tensor(float32, {1}, {1})},
                .result = {2, 1}}) == V{-7, 27});
}

TEST_CASE("kernels: operands and results in channels-last order", "[executorch]") {
  // The sum of two images, one of them in the order of its sizes.
  ProgramWriter p;
  const int x = p.tensor({1, 2, 1, 3}), k = p.constant({1, 2, 1, 3}, {0, 10, 20, 30, 40, 50});
  const int y = p.tensor({1, 2, 1, 3});
  for (const int t : {x, y}) p.tensor_at(t).dim_order = {0, 2, 3, 1};
  p.plan().inputs = {x};
  p.plan().outputs = {y};
  p.kernel("aten::add", "out", {x, k, p.number(1), y, y});
  const auto all = run(p.file(), std::vector{tensor(float32, {1, 1, 3, 2}, {1, 2, 3, 4, 5, 6})});
  CHECK(all[0].shape == Dims{1, 1, 3, 2});
  const V expected{1, 32, 13, 44, 25, 56};
  for (std::size_t i = 0; i < 6; ++i) CHECK(all[0][i] == expected[i]);
}
