// webnn.Col2Im and webnn.DeformColumns against their definitions, in double.
#include <cmath>
#include <limits>

#include "tests/operators/run_operator.h"
#include "tests/support/random.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using List = std::vector<std::int64_t>;

struct Windows {
  List image, block, dilations, strides, pads;

  std::int64_t steps(std::size_t d) const {
    const std::int64_t n = static_cast<std::int64_t>(image.size());
    return (image[d] + pads[d] + pads[d + static_cast<std::size_t>(n)] -
            dilations[d] * (block[d] - 1) - 1) /
               strides[d] +
           1;
  }
};

/// Each element of the image is the sum of the columns that were taken from it.
void check_col2im(Random& random, MLOperandDataType type, std::uint32_t batch,
                  std::uint32_t channels, const Windows& w, double tolerance) {
  const std::size_t n = w.image.size();
  std::uint32_t block = 1, steps = 1;
  Dims block_shape, step_shape, image{batch, channels};
  for (std::size_t d = 0; d < n; ++d) {
    block_shape.push_back(static_cast<std::uint32_t>(w.block[d]));
    step_shape.push_back(static_cast<std::uint32_t>(w.steps(d)));
    block *= block_shape.back(), steps *= step_shape.back();
    image.push_back(static_cast<std::uint32_t>(w.image[d]));
  }
  const Tensor x = random.tensor(type, {batch, channels * block, steps});
  const Tensor y = run_operator(operators::col2im(), {x},
                                {{"imageShape", w.image},
                                 {"blockShape", w.block},
                                 {"dilations", w.dilations},
                                 {"strides", w.strides},
                                 {"pads", w.pads}})
                       .front();
  Tensor expected = filled(float32, image, 0);
  std::vector<double> sums(expected.size());
  for_each_place({batch, channels}, [&](const Dims& at) {
    for_each_place(block_shape, [&](const Dims& k) {
      for_each_place(step_shape, [&](const Dims& s) {
        Dims place = at;
        for (std::size_t d = 0; d < n; ++d) {
          const std::int64_t i = s[d] * w.strides[d] - w.pads[d] + k[d] * w.dilations[d];
          if (i < 0 || i >= w.image[d]) return;
          place.push_back(static_cast<std::uint32_t>(i));
        }
        const auto row = static_cast<std::uint32_t>(place_in(block_shape, k)),
                   column = static_cast<std::uint32_t>(place_in(step_shape, s));
        sums[place_in(image, place)] += x.at({at[0], at[1] * block + row, column});
      });
    });
  });
  CHECK(y.shape == image);
  for (std::size_t i = 0; i < y.size(); ++i) REQUIRE(std::abs(y[i] - sums[i]) <= tolerance);
}

struct Deform {
  List window, strides, dilations, pads;
  std::uint32_t groups;
};

double read(const Tensor& x, std::uint32_t n, std::uint32_t c, double y, double v) {
  double sum = 0;
  for (int k = 0; k < 4; ++k) {
    const double i = std::floor(y) + k / 2, j = std::floor(v) + k % 2;
    if (i < 0 || j < 0 || i >= x.shape[2] || j >= x.shape[3]) continue;
    sum += (1 - std::abs(y - i)) * (1 - std::abs(v - j)) *
           x.at({n, c, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
  }
  return sum;
}

void check_deform(const Tensor& x, const Tensor& offsets, const Tensor* mask, const Deform& w,
                  double tolerance) {
  std::vector<Tensor> operands{x, offsets};
  if (mask) operands.push_back(*mask);
  const Tensor y = run_operator(operators::deform_columns(), operands,
                                {{"windowDimensions", w.window},
                                 {"strides", w.strides},
                                 {"dilations", w.dilations},
                                 {"pads", w.pads},
                                 {"offsetGroups", w.groups}})
                       .front();
  const auto size = static_cast<std::uint32_t>(w.window[0] * w.window[1]);
  CHECK(y.shape == Dims{x.shape[0], x.shape[1] * size, offsets.shape[2], offsets.shape[3]});
  for_each_place(y.shape, [&](const Dims& p) {
    const std::uint32_t c = p[1] / size, k = p[1] % size;
    const std::uint32_t group = c / (x.shape[1] / w.groups), place = group * size + k;
    const auto at = [&](std::size_t d, double in_window) {
      const double offset =
          offsets.at({p[0], 2 * place + static_cast<std::uint32_t>(d), p[2], p[3]});
      return p[2 + d] * static_cast<double>(w.strides[d]) - static_cast<double>(w.pads[d]) +
             in_window * static_cast<double>(w.dilations[d]) + offset;
    };
    const double columns = static_cast<double>(w.window[1]);
    double v = read(x, p[0], c, at(0, std::floor(k / columns)), at(1, std::fmod(k, columns)));
    if (mask) v *= mask->at({p[0], place, p[2], p[3]});
    REQUIRE(std::abs(y.at(p) - v) <= tolerance);
  });
}

}  // namespace

TEST_CASE("Col2Im: one, two and three dimensions, with padding, strides and dilations") {
  Random random(1);
  for (const MLOperandDataType type : {float32, float16, bfloat16}) {
    const double tolerance = type == float32 ? 1e-5 : type == float16 ? 2e-2 : 0.16;
    check_col2im(random, type, 2, 3, {{5, 5}, {1, 5}, {1, 1}, {1, 1}, {0, 0, 0, 0}}, tolerance);
    check_col2im(random, type, 1, 2, {{7, 6}, {3, 2}, {2, 1}, {1, 2}, {1, 0, 2, 1}}, tolerance);
    check_col2im(random, type, 2, 1, {{9}, {4}, {2}, {3}, {3, 2}}, tolerance);
    check_col2im(random, type, 1, 2,
                 {{4, 5, 3}, {2, 2, 2}, {1, 2, 1}, {2, 1, 1}, {0, 1, 0, 0, 1, 1}}, tolerance);
  }
  check_col2im(random, float32, 4, 16, {{16, 16}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}}, 1e-5);
}

TEST_CASE("DeformColumns: windows, groups of offsets, and masks") {
  Random random(2);
  const Deform w{{3, 2}, {2, 1}, {1, 2}, {1, 0, 2, 1}, 2};
  for (const MLOperandDataType type : {float32, float16, bfloat16}) {
    const Tensor x = random.tensor(type, {2, 4, 7, 6});
    const Tensor offsets = random.tensor(type, {2, 24, 4, 5}, -3, 3),
                 mask = random.tensor(type, {2, 12, 4, 5}, 0, 1);
    const double tolerance = type == float32 ? 1e-4 : type == float16 ? 2e-2 : 0.16;
    check_deform(x, offsets, nullptr, w, tolerance);
    check_deform(x, offsets, &mask, w, tolerance);
    const Tensor none = filled(type, {2, 24, 4, 5}, 0);
    check_deform(x, none, nullptr, w, 0);
  }
  check_deform(random.tensor(float32, {1, 8, 30, 30}),
               random.tensor(float32, {1, 18, 30, 30}, -2, 2), nullptr,
               {{3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1}, 1e-4);
}

TEST_CASE("DeformColumns: offsets that are far outside, or no numbers, read no other memory") {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  const Tensor x = filled(float32, {1, 1, 2, 2}, 1);
  const auto y = run_operator(
      operators::deform_columns(),
      {x, tensor(float32, {1, 2, 2, 2}, {nan, infinite, -infinite, 1e30, 0, 0, 0, nan})},
      {{"windowDimensions", {1, 1}}});
  for (std::size_t i = 0; i < 4; ++i) CHECK(y[0][i] == 0);
}

TEST_CASE("Col2Im and DeformColumns: what they refuse") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  auto in = [&, n = 0](MLOperandDataType type, Dims shape) mutable {
    return b.input("i" + std::to_string(n++), {type, std::move(shape)});
  };
  const MLOperand x = in(float32, {1, 8, 9}), image = in(float32, {1, 4, 5, 5}),
                  offsets = in(float32, {1, 8, 4, 4});
  const auto folds = [&](const MLOperand& of, CustomAttributes attributes) {
    return thrown([&] { b.custom("webnn.Col2Im", {of}, {.attributes = attributes}); });
  };
  const List four{4, 4}, two{2, 2};
  CHECK(folds(x, {{"imageShape", four}, {"blockShape", two}}) == "nothing");
  CHECK_THAT(folds(x, {{"blockShape", two}}), ContainsSubstring("\"imageShape\" is not given"));
  CHECK_THAT(folds(image, {{"imageShape", four}, {"blockShape", two}}),
             ContainsSubstring("is 4, not 3"));
  CHECK_THAT(folds(x, {{"imageShape", List{4}}, {"blockShape", two}}),
             ContainsSubstring("blockShape has 2 numbers, not 1"));
  CHECK_THAT(folds(x, {{"imageShape", four}, {"blockShape", List{2, 0}}}),
             ContainsSubstring("blockShape has 0"));
  CHECK_THAT(folds(x, {{"imageShape", four}, {"blockShape", List{2, 5}}}),
             ContainsSubstring("a block of 5 with dilation 1 does not fit into 4"));
  CHECK_THAT(folds(x, {{"imageShape", four}, {"blockShape", List{3, 1}}}),
             ContainsSubstring("dimension 1 of its operand (8) is not a multiple"));
  CHECK_THAT(folds(x, {{"imageShape", List{5, 4}}, {"blockShape", two}}),
             ContainsSubstring("dimension 2 of its operand is 9, but there are 12 blocks"));
  CHECK_THAT(folds(x, {{"imageShape", four}, {"blockShape", two}, {"strides", List{0, 1}}}),
             ContainsSubstring("strides has 0"));
  CHECK_THAT(folds(x, {{"imageShape", List{1ll << 40, 1}}, {"blockShape", two}}),
             ContainsSubstring("imageShape has 1099511627776"));

  const auto deformed = [&](std::vector<MLOperand> operands, CustomAttributes attributes = {}) {
    attributes.push_back({"windowDimensions", two});
    return thrown([&] { b.custom("webnn.DeformColumns", operands, {.attributes = attributes}); });
  };
  CHECK(deformed({image, offsets}) == "nothing");
  CHECK_THAT(deformed({image}), ContainsSubstring("it has 1 operands"));
  CHECK_THAT(deformed({image, in(float32, {1, 8, 4, 3})}),
             ContainsSubstring("its offsets of shape"));
  CHECK_THAT(deformed({image, in(float16, {1, 8, 4, 4})}), ContainsSubstring("is float16"));
  CHECK_THAT(deformed({image, offsets, in(float32, {1, 8, 4, 4})}),
             ContainsSubstring("its mask of"));
  CHECK_THAT(deformed({image, offsets}, {{"offsetGroups", 3}}),
             ContainsSubstring("offsetGroups (3) does not divide the 4 channels"));
  CHECK_THAT(deformed({image, offsets}, {{"pads", List{0, -1, 0, 0}}}),
             ContainsSubstring("pads has -1"));
  CHECK_THAT(deformed({image, offsets}, {{"dilations", List{9, 1}}}),
             ContainsSubstring("does not fit into 5"));
}
