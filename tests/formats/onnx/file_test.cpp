// Files: tensors in all forms, limits, and bytes that are not a model.
#include "tests/formats/onnx/initializer.h"
#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::onnx;
using namespace webnn::onnx::test;
using webnn::test::tensor;
using enum ElementType;

TEST_CASE("onnx: elements in raw_data, and in the fields of their types") {
  const std::map<std::string, Tensor> x{{"x", tensor(float32, {2}, {1, 2})}};
  const auto expected = tensor(float32, {2}, {1.5, -1}).bytes;
  CHECK(run(sum(floats("k", {2}, {0.5f, -3})).file(), x).at(0).bytes == expected);
  CHECK(run(sum(header({2}, FLOAT).reals(4, {0.5f, -3})).file(), x).at(0).bytes == expected);
  CHECK(run(sum(header({2}, FLOAT).real(4, 0.5f).real(4, -3)).file(), x).at(0).bytes == expected);
  // At each alignment in the file.
  for (std::size_t n = 1; n <= 4; ++n) {
    Writer w = sum(floats("k", {2}, {0.5f, -3}));
    Writer shifted;
    shifted.graph.text(2, std::string(n, 'n'));
    shifted.graph.text(10, "");
    Writer again = shifted;
    again.input("x", {"2"}).output("y").initializer(floats("k", {2}, {0.5f, -3}));
    again.node("Add", {"x", "k"}, {"y"});
    CHECK(run(again.file(), x).at(0).bytes == expected);
  }
  Writer float16_file;
  float16_file.input("x", {"2"}, FLOAT16).output("y").node("Add", {"x", "k"}, {"y"});
  float16_file.initializer(header({2}, FLOAT16).integers(5, {0x3c00, 0xc000}));
  CHECK(run(float16_file.file(), {{"x", tensor(float16, {2}, {1, 2})}}).at(0).bytes ==
        tensor(float16, {2}, {2, 0}).bytes);
}

TEST_CASE("onnx: tensors that are not as they say") {
  CHECK(refusal(sum(header({2}, FLOAT).text(9, "123"))) ==
        "DataError onnx: node 0 (Add-17): the tensor \"k\": it has 3 bytes, but shape [2] of FLOAT "
        "needs 8.");
  CHECK(refusal(sum(header({2}, FLOAT).reals(4, {1}))) ==
        "DataError onnx: node 0 (Add-17): the tensor \"k\": it has 1 elements, but its shape needs "
        "2.");
  CHECK(refusal(sum(header({2}, FLOAT).reals(4, {1, 2, 3}))) ==
        "DataError onnx: node 0 (Add-17): there are more than 2 elements, at byte 36, in field 4.");
  CHECK(refusal(sum(header({-2}, FLOAT))) ==
        "DataError onnx: node 0 (Add-17): the tensor \"k\": it has a dimension of -2.");
  CHECK(refusal(sum(header({1 << 20, 1 << 20}, FLOAT))) ==
        "NotSupportedError onnx: node 0 (Add-17): the tensor \"k\": its elements are more than "
        "2147483647.");
  CHECK(refusal(sum(header({2}, STRING))) ==
        "NotSupportedError onnx: node 0 (Add-17): the tensor \"k\": WebNN has no type for STRING.");
}

TEST_CASE("onnx: bytes that are not a model") {
  CHECK(refusal(std::vector<std::byte>{}) ==
        "DataError onnx: the file has no graph: it is not an ONNX model.");
  const auto file = sum(floats("k", {2}, {1, 2})).file();
  for (std::size_t n = 0; n < file.size(); ++n) {
    const std::string message =
        refusal(std::vector(file.begin(), file.begin() + static_cast<long>(n)));
    INFO(n << ": " << message);
    CHECK((message.starts_with("DataError") || message.starts_with("NotSupportedError")));
  }
}

TEST_CASE("onnx: memory, depth and repetition have limits") {
  CHECK(refusal(sum(header({2}, FLOAT).reals(4, {1, 2})), {.max_bytes = 7}) ==
        "DataError onnx: node 0 (Add-17): the tensor \"k\": memory for its elements would exceed "
        "the limit of memory (7) by 1 bytes.");
  Writer range;
  range.output("y").initializer(int64s("a", {}, {0})).initializer(int64s("s", {}, {1}));
  range.initializer(int64s("b", {}, {1 << 30})).node("Range", {"a", "b", "s"}, {"y"});
  CHECK(refusal(range, {.max_bytes = 1 << 20})
            .starts_with("DataError onnx: node 0 (Range-17): memory for its constants would exceed "
                         "the limit of memory (1048576) by "));
  // What follows from constants alone, of a file of few bytes: 512 MiB are the limit.
  for (const std::int64_t size : {1 << 26, 1 << 28}) {
    Writer zeros;
    zeros.input("x", {"1"}).output("y").initializer(int64s("s", {1}, {size}));
    zeros.node("ConstantOfShape", {"s"}, {"z"}).node("Neg", {"z"}, {"n"});
    zeros.node("Add", {"n", "x"}, {"y"});
    const std::string message = refusal(zeros);
    CHECK((size == 1 << 26 ? message == "nothing"
                           : message.starts_with(
                                 "DataError onnx: node 0 (ConstantOfShape-17): memory for values "
                                 "that are computed would exceed the limit of memory (53687")));
    CHECK(refusal(zeros, {.max_bytes = std::uint64_t{4} << 30}) == "nothing");
  }
  // A function that calls itself.
  Message f;
  f.text(1, "F").text(4, "in").text(5, "out").text(10, "mine");
  f.message(7, node_of("F", {"in"}, {"out"}, {}, "mine"));
  Writer w;
  w.domains.push_back({"mine", 1});
  w.functions.push_back(f);
  w.input("x", {"2"}).output("y").node("F", {"x"}, {"y"}, {}, "mine");
  CHECK(refusal(w).find("subgraphs and functions are deeper than 24") != std::string::npos);
  Writer nodes;
  nodes.input("x", {"2"}).output("y");
  for (int i = 0; i < (1 << 18); ++i)
    nodes.graph.message(1, Message().text(1, "").text(1, "").text(2, ""));
  CHECK(refusal(nodes) ==
        "DataError onnx: it has more than 1048576 nodes, names, tensors and attributes, at byte "
        "2097175, in graph.node[262143].input[0].");
}

TEST_CASE("onnx: values that are defined twice or never") {
  Writer w;
  w.input("x", {"2"}).output("y").node("Abs", {"x"}, {"y"}).node("Neg", {"x"}, {"y"});
  CHECK(refusal(w) == "DataError onnx: node 1 (Neg-17): the value \"y\" is defined twice.");
  Writer never;
  never.input("x", {"2"}).output("y").node("Abs", {"z"}, {"y"});
  CHECK(refusal(never) ==
        "DataError onnx: node 0 (Abs-17): its input 0, \"z\", has no value: no input, tensor or "
        "node has that name.");
}
