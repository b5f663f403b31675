// Forms of operators that later drafts dropped: squeeze, open dimensions, symmetric padding,
// vectors in matmul.
#include "tests/draft2023/compare.h"

using namespace webnn;
using test::check_same;
using test::Operands;
using test::text;
using test::thrown;
using Draft = draft2023::MLGraphBuilder;
using Mode = draft2023::MLPaddingMode;

TEST_CASE("draft 2023: squeeze") {
  check_same(
      {{1, 3, 1, 2}},
      [](Draft& b, const Operands& x) -> Operands {
        return {b.squeeze(x[0]), b.squeeze(x[0], {.axes = {2}}), b.squeeze(x[0], {.axes = {2, 0}}),
                b.squeeze(x[0], {.axes = {}})};
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        return {b.reshape(x[0], {3, 2}), b.reshape(x[0], {1, 3, 2}), b.reshape(x[0], {3, 2}),
                b.reshape(x[0], {1, 3, 1, 2})};
      });
  Draft b(test::plain_context());
  const MLOperand x = b.input("x", {.dimensions = {1, 3}});
  CHECK(text(b.squeeze(b.input("one", {.dimensions = {1, 1}}))) == "float32 []");
  CHECK(text(b.squeeze(b.input("s", {}))) == "float32 []");
  CHECK(thrown([&] { b.squeeze(x, {.axes = {1}, .label = "s"}); }) ==
        "DataError squeeze [s]: dimension 1 (3) of input is not 1.");
  CHECK(thrown([&] { b.squeeze(x, {.axes = {2}}); }) ==
        "DataError squeeze: axes[0] (2) is not less than the rank (2) of input.");
  CHECK(thrown([&] {
          b.squeeze(x, {.axes = {0, 0}});
        }) == "DataError squeeze: axes[1] (0) occurs twice.");
  CHECK(thrown([&] { b.squeeze(MLOperand()); }) == "DataError squeeze: input is missing.");
}

TEST_CASE("draft 2023: reshape with an open dimension") {
  Draft b(test::plain_context());
  const MLOperand x = b.input("x", {.dimensions = {2, 6}});
  CHECK(text(b.reshape(x, {3, std::nullopt})) == "float32 [3, 4]");
  CHECK(text(b.reshape(x, {std::nullopt})) == "float32 [12]");
  CHECK(text(b.reshape(x, {1, std::nullopt, 12})) == "float32 [1, 1, 12]");
  CHECK(text(b.reshape(x, {4, 3})) == "float32 [4, 3]");
  CHECK(text(b.reshape(x, Dims{12})) == "float32 [12]");
  CHECK(thrown([&] {
          b.reshape(x, {std::nullopt, std::nullopt}, {.label = "r"});
        }) == "DataError reshape [r]: newShape has 2 open dimensions.");
  CHECK(thrown([&] {
          b.reshape(x, {5, std::nullopt});
        }) ==
        "DataError reshape: the number (12) of elements of input is not a multiple of the product "
        "(5) of the given dimensions.");
  CHECK(thrown([&] {
          b.reshape(x, {0, std::nullopt});
        }).starts_with("DataError reshape: the number (12) of elements of input is not"));
  CHECK(thrown([&] {
          b.reshape(x, {4294967295, 4294967295, 4294967295, std::nullopt});
        }).starts_with("DataError reshape: the number (12) of elements of input is not"));
  CHECK(thrown([&] {
          b.reshape(x, {5});
        }).starts_with("DataError reshape: the number of elements of newShape ([5])"));
}

TEST_CASE("draft 2023: pad") {
  Draft b(test::plain_context());
  const MLOperand x = b.input("0", {.dimensions = {2, 3}});
  const MLGraph graph =
      b.build({{"symmetric", b.pad(x, {1, 2}, {1, 2}, {.mode = Mode::symmetric})},
               {"whole", b.pad(x, {2, 0}, {0, 3}, {.mode = Mode::symmetric})},
               {"nothing", b.pad(x, {0, 0}, {0, 0}, {.mode = Mode::symmetric})},
               {"constant", b.pad(x, {0, 1}, {0, 0}, {.value = 7})},
               {"edge", b.pad(x, {0, 1}, {0, 1}, {.mode = Mode::edge})},
               {"reflection", b.pad(x, {0, 1}, {0, 1}, {.mode = Mode::reflection})}});
  const auto y = test::run(graph, {{1, 2, 3, 4, 5, 6}});
  CHECK(y[0] == std::vector<float>{2, 1, 1, 2, 3, 3, 2, 2, 1, 1, 2, 3, 3, 2,
                                   5, 4, 4, 5, 6, 6, 5, 5, 4, 4, 5, 6, 6, 5});
  CHECK(y[1] ==
        std::vector<float>{4, 5, 6, 6, 5, 4, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 4, 5, 6, 6, 5, 4});
  CHECK(y[2] == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(y[3] == std::vector<float>{7, 1, 2, 3, 7, 4, 5, 6});
  CHECK(y[4] == std::vector<float>{1, 1, 2, 3, 3, 4, 4, 5, 6, 6});
  CHECK(y[5] == std::vector<float>{2, 1, 2, 3, 2, 5, 4, 5, 6, 5});
  const auto symmetric = Mode::symmetric;
  CHECK(thrown([&] {
          b.pad(x, {3, 0}, {0, 0}, {.mode = symmetric, .label = "p"});
        }) ==
        "DataError pad [p]: beginningPadding[0] (3) is greater than dimension 0 (2) of input.");
  CHECK(thrown([&] {
          b.pad(x, {0, 0}, {0, 4}, {.mode = symmetric});
        }) == "DataError pad: endingPadding[1] (4) is greater than dimension 1 (3) of input.");
  CHECK(thrown([&] {
          b.pad(x, {0}, {0, 0}, {.mode = symmetric});
        }) == "DataError pad: the length (1) of beginningPadding is not 2.");
  CHECK(thrown([&] {
          b.pad(x, {0, 0}, {}, {.mode = symmetric});
        }) == "DataError pad: the length (0) of endingPadding is not 2.");
  CHECK(thrown([&] { b.pad(MLOperand(), {}, {}, {.mode = symmetric}); }) ==
        "DataError pad: input is missing.");
}

TEST_CASE("draft 2023: matmul of vectors") {
  check_same(
      {{3}, {3, 4}, {2, 3}, {3}, {5, 2, 3}},
      [](Draft& b, const Operands& x) -> Operands {
        return {b.matmul(x[0], x[1]), b.matmul(x[2], x[0]), b.matmul(x[0], x[3]),
                b.matmul(x[4], x[0]), b.matmul(x[2], x[1])};
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        const MLOperand row = b.reshape(x[0], {1, 3}), column = b.reshape(x[0], {3, 1});
        return {b.matmul(row, x[1]), b.matmul(x[2], column), b.reduceSum(b.mul(x[0], x[3])),
                b.matmul(x[4], column), b.matmul(x[2], x[1])};
      },
      1e-6);
  Draft b(test::plain_context());
  const MLOperand v = b.input("v", {.dimensions = {3}}), m = b.input("m", {.dimensions = {2, 3}});
  CHECK(text(b.matmul(v, v)) == "float32 []");
  CHECK(thrown([&] { b.matmul(v, m, {.label = "m"}); }) ==
        "DataError matmul [m]: the columns (3) of a are not the rows (2) of b.");
  CHECK(thrown([&] { b.matmul(b.input("s", {}), v); }) ==
        "DataError matmul: the rank (0) of a is less than 2.");
}

TEST_CASE("draft 2023: prelu does not enlarge its input") {
  Draft b(test::plain_context());
  const MLOperand x = b.input("x", {.dimensions = {2, 3}}), s = b.input("s", {.dimensions = {3}});
  CHECK(text(b.prelu(x, s)) == "float32 [2, 3]");
  CHECK(thrown([&] { b.prelu(s, x, {.label = "p"}); }) ==
        "DataError prelu [p]: the shape ([2, 3]) of slope does not broadcast to that of input "
        "([3]).");
}

TEST_CASE("draft 2023: the axes of resample2d follow one another") {
  Draft b(test::plain_context());
  const MLOperand x = b.input("x", {.dimensions = {1, 2, 3, 4}});
  CHECK(text(b.resample2d(x, {.sizes = {5, 6}, .axes = {1, 2}})) == "float32 [1, 5, 6, 4]");
  CHECK(thrown([&] {
          b.resample2d(x, {.axes = {3, 2}, .label = "r"});
        }) == "DataError resample2d [r]: the axes ([3, 2]) do not follow one another.");
  CHECK(thrown([&] {
          b.resample2d(x, {.axes = {3, 4}});
        }) == "DataError resample2d: axes[1] (4) is not less than the rank (4) of input.");
}
