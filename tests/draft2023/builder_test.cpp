// Inputs, constants, graphs and errors of the 2023 draft.
#include "tests/draft2023/compare.h"

using namespace webnn;
using test::thrown;
using Draft = draft2023::MLGraphBuilder;

TEST_CASE("draft 2023: one builder builds many graphs") {
  Draft b(test::plain_context());
  const MLOperand x = b.input("0", {.type = float32, .dimensions = {2}});
  const MLOperand y = b.add(x, b.constant(1));
  const MLGraph first = b.build({{"y", y}});
  const MLOperand z = b.mul(y, y);  // what is there already may go on
  const MLGraph second = b.buildSync({{"y", y}, {"z", z}});
  CHECK(test::run(first, {{1, 2}}) == test::Values{{2, 3}});
  CHECK(test::run(second, {{1, 2}}) == test::Values{{2, 3}, {4, 9}});
  CHECK(test::run(first, {{3, 4}}) == test::Values{{4, 5}});
}

TEST_CASE("draft 2023: inputs of different graphs may have one name") {
  Draft b(test::plain_context());
  const MLOperand x = b.input("0", {.type = float32, .dimensions = {2}});
  const MLOperand other = b.input("0", {.type = float32, .dimensions = {3}});
  CHECK(test::run(b.build({{"y", b.neg(x)}}), {{1, 2}}) == test::Values{{-1, -2}});
  CHECK(test::run(b.build({{"y", b.neg(other)}}), {{1, 2, 3}}) == test::Values{{-1, -2, -3}});
  CHECK(thrown([&] {
          b.build({{"y", b.neg(x)}, {"z", b.neg(other)}});
        }) == "DataError build [0]: the outputs need two inputs of that name.");
}

TEST_CASE("draft 2023: inputs and constants may be outputs") {
  Draft b(test::plain_context());
  const MLOperand x = b.input("0", {.type = float32, .dimensions = {2}});
  const MLGraph graph = b.build({{"x", x}, {"c", b.constant(2.5)}});
  CHECK(test::run(graph, {{1, 2}}) == test::Values{{1, 2}, {2.5}});
}

TEST_CASE("draft 2023: descriptors") {
  Draft b(test::plain_context());
  CHECK(test::text(b.input("s", {.type = uint8})) == "uint8 []");
  CHECK(test::text(b.input("m", {.type = float16, .dimensions = {2, 3}})) == "float16 [2, 3]");
  CHECK(test::text(b.constant(1)) == "float32 []");
  CHECK(test::text(b.constant(300, int8)) == "int8 []");
  CHECK(test::text(b.constant({.type = int32, .dimensions = {2}}, {1, 2})) == "int32 [2]");
  CHECK(thrown([&] { b.input("x", {.type = float32, .dimensions = {}}); }) ==
        "DataError input [x]: the dimensions are empty; a scalar has none at all.");
  CHECK(thrown([&] { b.constant({.dimensions = {}}, {1.f}); }) ==
        "DataError constant: the dimensions are empty; a scalar has none at all.");
  CHECK(thrown([&] {
          b.input("x", {.dimensions = {2, 0}});
        }) == "DataError input [x]: dimension 1 (0) of the input is not between 1 and 2147483647.");
  CHECK(thrown([&] { b.input("", {}); }) == "TypeError input: the name is empty.");
  CHECK(thrown([&] { b.constant({.dimensions = {2}}, {1.f}); }) ==
        "TypeError constant [#4]: the byte length (4) is not that of float32 [2] (8).");
  CHECK(thrown([&] {
          b.constant({.dimensions = {2}}, {1, 2});
        }) == "TypeError constant [#4]: the elements are int32, the data type is float32.");
}

TEST_CASE("draft 2023: the rules of operators are DataErrors") {
  Draft b(test::plain_context()), other(test::plain_context());
  const MLOperand x = b.input("x", {.dimensions = {2, 3}});
  CHECK(thrown([&] { b.softmax(x, 2, {.label = "s"}); }) ==
        "DataError softmax [s]: axis (2) is not less than the rank (2) of input.");
  CHECK(thrown([&] { b.add(x, b.input("i", {.type = int32})); }) ==
        "DataError add: the data type (int32) of b is not that of a (float32).");
  CHECK(thrown([&] { b.concat({}, 0); }) ==
        "DataError concat: the number (0) of inputs is not between 1 and 8192.");
  CHECK(thrown([&] { b.relu(other.input("x", {})); }) ==
        "DataError relu: input belongs to another builder.");
  CHECK(thrown([&] { b.build({}); }) == "DataError build: there are no outputs.");
  CHECK(thrown([&] {
          b.build({{"x", MLOperand()}});
        }) == "DataError build [x]: the output belongs to another builder.");
  MLContext lost({.threads = 1, .backends = {"reference"}});
  Draft late(lost);
  lost.destroy();
  CHECK(thrown([&] { late.input("x", {}); }) ==
        "InvalidStateError input [x]: the context is lost.");
}

TEST_CASE("draft 2023: compute") {
  MLContext context = test::plain_context();
  Draft b(context);
  const MLOperand x = b.input("x", {.dimensions = {2}});
  const MLGraph graph = b.build({{"y", b.neg(x)}, {"z", b.abs(x)}});
  const std::array<float, 2> in{1, -2};
  std::array<float, 2> y{}, z{};
  draft2023::computeSync(context, graph, {{"x", in}}, {{"z", z}});  // only what is asked for
  CHECK(z == std::array{1.f, 2.f});
  CHECK(y == std::array{0.f, 0.f});
  draft2023::compute(context, graph, {{"x", in}}, {{"y", y}, {"z", z}}).get();
  CHECK(y == std::array{-1.f, 2.f});
  const std::array<int, 2> integers{};
  std::array<float, 3> long_one{};
  const auto fails = [&](std::initializer_list<NamedInput> i,
                         std::initializer_list<NamedOutput> o) {
    return thrown([&] { draft2023::computeSync(context, graph, i, o); });
  };
  CHECK(fails({{"x", in}}, {{"w", y}}) ==
        "DataError compute: no output named \"w\"; the graph has \"y\" float32 [2], \"z\" float32 "
        "[2].");
  CHECK(fails({}, {{"y", y}}) == "DataError compute: input \"x\" is missing.");
  CHECK(fails({{"x", integers}}, {{"y", y}}) ==
        "DataError compute: the elements of input \"x\" are not of its data type (float32).");
  CHECK(fails({{"x", in}}, {{"y", long_one}}) ==
        "DataError compute: the byte length (12) of output \"y\" is not that of float32 [2] (8).");
  CHECK(thrown([&] {
          draft2023::compute(context, graph, {}, {{"y", y}});
        }) == "DataError compute_async: input \"x\" is missing.");
}
