// What a builder knows of operands with open dimensions, and what it refuses.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;

namespace {

/// "[batch, 3]"; "?" when the rank is open.
std::string names(const MLOperand& x) {
  const auto dimensions = x.dimensions();
  if (!dimensions) return "?";
  std::string s = "[";
  for (const MLDimension& d : *dimensions)
    s += (s.size() > 1 ? ", " : "") + (d.is_open() ? d.dynamic().name : std::to_string(d.size()));
  return s + "]";
}

MLOperand open(test::Builder& b, MLDimensions shape, MLOperandDataType type = float32) {
  static int count = 0;
  return b.input("open" + std::to_string(count++), {type, std::move(shape)});
}

}  // namespace

TEST_CASE("open dimensions: names survive where a dimension passes unchanged") {
  test::Builder b;
  const MLOperand x = open(b, {"batch", "sequence", 8});
  CHECK(x.is_open());
  CHECK(names(x) == "[batch, sequence, 8]");
  CHECK(names(b.relu(x)) == "[batch, sequence, 8]");
  CHECK(names(b.transpose(x)) == "[8, sequence, batch]");
  CHECK(names(b.matmul(x, b.constant({float32, {8, 5}}, std::vector<float>(40)))) ==
        "[batch, sequence, 5]");
  CHECK(names(b.reduceSum(x, {.axes = {{1}}})) == "[batch, 8]");
  CHECK(names(b.reduceSum(x)) == "[]");
  CHECK(!b.reduceSum(x).is_open());
  CHECK(names(b.concat({x, x}, 2)) == "[batch, sequence, 16]");
  CHECK(names(b.softmax(x, 1)) == "[batch, sequence, 8]");
}

TEST_CASE("open dimensions: derived dimensions have names of their own") {
  test::Builder b;
  const MLOperand x = open(b, {1, 3, "height", "width"});
  const MLOperand y = b.averagePool2d(x, {.windowDimensions = {{2, 2}}, .strides = {2, 2}});
  CHECK(names(y) == "[1, 3, height_1, width_1]");
  CHECK(names(b.relu(y)) == "[1, 3, height_1, width_1]");
  CHECK(names(b.concat({x, x}, 2)) == "[1, 3, height_2, width]");
  CHECK(names(b.reshapeTo2d(x)).substr(0, 4) == "[1, ");
}

TEST_CASE("open dimensions: squeeze without axes has an open rank") {
  test::Builder b;
  const MLOperand x = open(b, {"a", 4, 1});
  CHECK(names(b.squeeze(x)) == "?");
  CHECK(names(b.squeeze(x, {.axes = {{2}}})) == "[a, 4]");
  CHECK(names(b.unsqueeze(x, {0, 2})) == "[1, a, 1, 4, 1]");
  CHECK_THROWS_AS(b.squeeze(x).rank(), InvalidStateError);
  CHECK_THROWS_AS(x.shape(), InvalidStateError);
  CHECK(x.rank() == 3);
}

TEST_CASE("open dimensions: the builder refuses only what no size can be") {
  test::Builder b;
  const MLOperand x = open(b, {"batch", 64});
  b.refuses("matmul [m]: the columns (64) of a are not the rows (63) of b.", [&] {
    b.matmul(x, b.constant({float32, {63, 2}}, std::vector<float>(126)), {.label = "m"});
  });
  const MLOperand five = b.constant({float32, {5, 64}}, std::vector<float>(320));
  CHECK(names(b.add(x, five)) == "[5, 64]");
  const MLOperand y = open(b, {"total", 64});
  const MLOperand z = open(b, {"past", 64});
  const MLOperand w = open(b, {"fresh", 64});
  // One of both may be 1: the result has the name of neither.
  CHECK(names(b.add(y, b.concat({z, w}, 0))) == "[fresh_2, 64]");
  b.refuses(
      "reshape: the number of elements of newShape ([3, 5]) is not that of the shape ([320, 64]) "
      "of "
      "input, with q = 320.",
      [&] {
        b.reshape(open(b, {"q", 64}), {3, 5});
      });
}

TEST_CASE("open dimensions: an odd size is found where an operator needs it") {
  test::Builder b;
  const MLOperand x = open(b, {"n", "m"});
  CHECK(names(b.reshape(x, {7, 11, 13})) == "[7, 11, 13]");
  test::Builder c;
  const MLOperand y = open(c, {"n"});
  CHECK(names(c.add(y, c.constant({float32, {997}}, std::vector<float>(997)))) == "[997]");
  CHECK(names(c.split(y, {500, 497})[0]) == "[500]");
}

TEST_CASE("open dimensions: an image is found that a large window fits into") {
  test::Builder b;
  const MLOperand x = open(b, {1, 1, "height", "width"});
  CHECK(names(b.maxPool2d(x, {.windowDimensions = {{60, 80}}, .dilations = {10, 10}})) ==
        "[1, 1, height_1, width_1]");
}

TEST_CASE("open dimensions: names in any order are larger than one another") {
  test::Builder b;
  const MLOperand first = b.shape(open(b, {"first"})), second = b.shape(open(b, {"second"}));
  const MLOperand x = b.constant({float32, {1}}, std::vector<float>(1));
  CHECK(names(b.expandDynamic(x, b.max(first, second))) == "[dimension_1]");
  CHECK(names(b.expandDynamic(x, b.min(first, second))) == "[dimension_2]");
}

TEST_CASE("open dimensions: shapes do not follow from values") {
  test::Builder b;
  const MLOperand x = open(b, {"n"}, int32);
  b.refuses("reshapeDynamic: newShape follows from the values of input \"open" +
                x.record().name.substr(4) + "\", not from shapes and constants alone.",
            [&] {
              b.reshapeDynamic(b.constant({float32, {4}}, std::vector<float>(4)), x);
            });
}

TEST_CASE("open dimensions: names and bounds of inputs") {
  test::Builder b;
  b.refuses("input [x]: the name of dimension 1 is empty.", [&] {
    b.input("x", {float32, {1, ""}});
  });
  b.refuses(
      "input [x]: the bounds of dimension 0 (\"n\"), 5 and 4, are not between 0 and 2147483647 "
      "in this order.",
      [&] {
        b.input("x", {float32, {MLDynamicDimension{"n", 5, 4}}});
      });
  b.input("a", {float32, {MLDynamicDimension{"n", 1, 4}}});
  b.refuses(
      "input [x]: the bounds of dimension 0 (\"n\"), 1 and 2147483647, are not those of the "
      "inputs before, 1 and 4.",
      [&] {
        b.input("x", {float32, {"n"}});
      });
}

TEST_CASE("open dimensions: with them, a builder follows the rules of the specification") {
  const MLContext context({.backends = {"reference"}, .rules = Rules::tests2025});
  MLGraphBuilder b(context);
  b.input("x", {float32, {2}});
  CHECK(b.input("y", {float32, {"n"}}).is_open());
  CHECK_THROWS_AS(b.input("x", {float32, {2}}), TypeError);
  CHECK_THROWS_AS(b.input("y", {float32, {"n"}}), TypeError);
  MLGraphBuilder twice(context);
  twice.input("x", {float32, {2}});
  twice.input("x", {float32, {2}});
  CHECK_THROWS_AS(twice.input("y", {float32, {"n"}}), TypeError);
}

TEST_CASE("open dimensions: names that must go together keep their own sizes in trials") {
  test::Builder b;
  const auto input = [&](std::string name, int rank) {
    MLDimensions dimensions;
    for (int d = 0; d < rank; ++d) dimensions.push_back(name + std::to_string(d));
    return b.input(name, {float32, dimensions});
  };
  const auto name = [](const MLOperand& x, std::size_t d) {
    const MLDimension dimension = x.dimensions()->at(d);
    return dimension.is_open() ? dimension.dynamic().name : std::to_string(dimension.size());
  };
  // Each pair of sizes is equal, or one of them is 1: no name of an operand is that of the result.
  const MLOperand x = input("x", 3), y = input("y", 3), sum = b.add(x, y);
  for (std::size_t d = 0; d < 3; ++d) {
    CHECK(sum.dimensions()->at(d).is_open());
    for (std::size_t e = 0; e < 3; ++e) {
      CHECK(name(sum, d) != name(x, e));
      CHECK(name(sum, d) != name(y, e));
      CHECK((d == e || name(sum, d) != name(sum, e)));
    }
  }
  const MLOperand product = b.matmul(input("a", 2), input("b", 2));
  CHECK(name(product, 0) == "a0");
  CHECK(name(product, 1) == "b1");
  // One size that is a sum of others.
  const MLOperand past = input("past", 2), fresh = input("fresh", 2), mask = input("mask", 1);
  const MLOperand all = b.add(b.reduceSum(b.concat({past, fresh}, 0), {.axes = Dims{1}}), mask);
  CHECK(all.dimensions()->at(0).is_open());
  CHECK(name(b.transpose(fresh), 0) == "fresh1");
  CHECK(name(b.transpose(past), 1) == "past0");
}

TEST_CASE("open dimensions: names whose ratio an operator keeps are not taken for numbers") {
  test::Builder b;
  const MLOperand x = open(b, {8, "columns"}), y = open(b, {"rows", 3});
  const MLOperand z = open(b, {"rows", "factor"});
  const auto number = [&](std::uint32_t n) {
    return b.constant({uint32, {1}}, std::vector<std::uint32_t>{n});
  };
  const auto size = [&](const MLOperand& of, std::uint32_t axis) {
    return b.reshape(b.dimension(of, axis), {1});
  };
  // 8 columns are 10 rows, and 2 factor: 4 rows are 5 columns.
  b.reshapeDynamic(x, b.concat({size(y, 0), number(1), number(10)}, 0));
  b.reshapeDynamic(x, b.concat({size(z, 1), number(4), size(x, 1)}, 0));
  CHECK(names(b.relu(x)) == "[8, columns]");
  CHECK(names(b.relu(z)) == "[rows, factor]");
}

TEST_CASE("open dimensions: names whose product an operator keeps are not taken for numbers") {
  test::Builder b;
  const auto number = [&](std::uint32_t n) {
    return b.constant({uint32, {1}}, std::vector<std::uint32_t>{n});
  };
  const auto size = [&](const MLOperand& of, std::uint32_t axis) {
    return b.reshape(b.dimension(of, axis), {1});
  };
  // a * b is 3, at which one of the two is 1.
  const MLOperand x = open(b, {"a", "a", 5, "b"});
  const MLOperand y = b.reshapeDynamic(x, b.concat({size(x, 0), number(15)}, 0));
  CHECK(names(b.relu(y)) == "[a, 15]");
  // c * c * d is e.
  const MLOperand z = open(b, {"c", "c", "d", 4}), rows = open(b, {"e", 2});
  const MLOperand w = b.reshapeDynamic(z, b.concat({number(4), size(rows, 0)}, 0));
  CHECK(names(b.relu(w)) == "[4, e]");
}

TEST_CASE("open dimensions: a size that is one of two names is neither") {
  test::Builder b;
  const auto number = [&](std::int64_t n) {
    return b.constant({int64, {1}}, std::vector<std::int64_t>{n});
  };
  // f is 1 or 4; g is f or 1, and the size of a result that is f where f is not 1.
  const MLOperand v = open(b, {"f", "g", "h", "i"});
  const auto size = [&](std::uint32_t axis) {
    return b.cast(b.reshape(b.dimension(v, axis), {1}), int64);
  };
  const MLOperand chosen = b.where(b.equal(size(0), number(1)), size(1), size(0));
  const MLOperand u =
      b.expandDynamic(v, b.concat({number(1), number(4), chosen, size(2), size(3)}, 0));
  CHECK(names(b.relu(v)) == "[f, g, h, i]");
  CHECK(u.dimensions()->at(2).is_open());
  CHECK(u.dimensions()->at(2) != v.dimensions()->at(1));
}

TEST_CASE("open dimensions: gru and lstm of 0 steps have those of their input") {
  test::Builder b;
  const auto weight = [&](Dims shape) {
    const auto n = static_cast<std::size_t>(element_count(shape));
    return b.constant({float32, std::move(shape)}, std::vector<float>(n));
  };
  const MLOperand x = open(b, {"steps", "batch", 5});
  const auto y = b.gru(x, weight({1, 6, 5}), weight({1, 6, 2}), 0, 2, {.returnSequence = true});
  CHECK(names(y[0]) == "[1, batch, 2]");
  CHECK(names(y[1]) == "[steps, 1, batch, 2]");
  const auto z = b.lstm(x, weight({1, 8, 5}), weight({1, 8, 2}), 0, 2, {.returnSequence = true});
  CHECK(names(z[1]) == "[1, batch, 2]");
  CHECK(names(z[2]) == "[steps, 1, batch, 2]");
  CHECK(names(b.gru(x, weight({1, 6, 5}), weight({1, 6, 2}), 7, 2)[0]) == "[1, batch, 2]");

  const MLOperand known = open(b, {7, "batch", 5});
  b.refuses("gru: dimension 0 (7) of input is not steps (0).", [&] {
    b.gru(known, weight({1, 6, 5}), weight({1, 6, 2}), 0, 2);
  });
  b.refuses("lstm: steps is zero.", [&] {
    b.lstm(known, weight({1, 8, 5}), weight({1, 8, 2}), 0, 2);
  });
}

TEST_CASE("open dimensions: what follows from a name with one known size is open") {
  test::Builder b;
  const MLOperand x = open(b, {"n", 4}), y = open(b, {"m"}), z = open(b, {"k", "n"});
  b.reshape(x, {3, 4});  // n is 3
  CHECK(names(b.relu(x)) == "[n, 4]");
  CHECK(names(b.reduceSum(x, {.axes = {{0}}, .keepDimensions = true})) == "[1, 4]");
  CHECK(names(b.transpose(x)) == "[4, n]");
  // Padded, it is open, though all sizes that are known give 5.
  const MLOperand padded = b.pad(x, {1, 0}, {1, 0});
  CHECK(padded.dimensions()->front().is_open());
  CHECK(names(padded) != "[n, 4]");
  CHECK(names(b.add(z, z)) == "[k, n]");
  // One of both may be 1.
  b.reshape(y, {1});
  const MLOperand sum = b.add(y, b.reduceSum(z, {.axes = {{1}}}));
  CHECK(sum.dimensions()->front().is_open());
  CHECK(names(sum) != "[m]");
  // The same of shapes that are computed.
  const MLOperand size = b.reshape(b.dimension(x, 0), {1});
  const MLOperand one = b.constant({float32, {1, 1}}, {1.f});
  const MLOperand two = b.constant({uint32, {1}}, std::vector<std::uint32_t>{2});
  const MLOperand wide = b.expandDynamic(one, b.concat({two, size}, 0));
  CHECK(wide.dimensions()->at(0) == MLDimension(2));
  CHECK(wide.dimensions()->at(1).is_open());
}
