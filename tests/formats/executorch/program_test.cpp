// Programs: what joins delegates, where data lies, and what is refused.
#include "tests/formats/executorch/run.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::executorch::test;
using executorch::no_value;

namespace {

/// x + k, of three elements.
GraphWriter sum(float k, Place place = Place::behind_header) {
  GraphWriter g;
  g.place = place;
  const auto x = g.input({3}), c = g.floats({1}, {k}), y = g.output({3});
  g.binary(Kind::Add, x, c, y);
  return g;
}
const Tensor three = webnn::test::tensor(float32, {3}, {1, 2, 3});

/// Two delegates, one behind the other.
ProgramWriter chained() {
  ProgramWriter p;
  const int x = p.tensor({3}), between = p.tensor({3}), y = p.tensor({3});
  p.plan().inputs = {x};
  p.plan().outputs = {y};
  p.delegate(sum(10), {x, between});
  p.delegate(sum(100), {between, y});
  return p;
}

}  // namespace

TEST_CASE("executorch: delegates are joined by the values of the plan", "[executorch]") {
  for (const bool segments : {true, false}) {
    ProgramWriter p = chained();
    if (!segments) {
      p = ProgramWriter();
      p.segments = false;
      const int x = p.tensor({3}), between = p.tensor({3}), y = p.tensor({3});
      p.plan().inputs = {x};
      p.plan().outputs = {y, between};
      p.delegate(sum(10), {x, between});
      p.delegate(sum(100), {between, y});
    }
    const auto y = run(p.file(), std::vector{three});
    CHECK(y[0][0] == 111);
    CHECK(y[0][2] == 113);
    if (!segments) CHECK(y[1][1] == 12);
  }
}

TEST_CASE("executorch: the order of arguments is that of external ids", "[executorch]") {
  // The output has external id 0.
  GraphWriter g;
  const auto y = g.output({3}), x = g.input({3}), c = g.floats({1}, {5});
  g.binary(Kind::Subtract, x, c, y);
  ProgramWriter p;
  const int a = p.tensor({3}), b = p.tensor({3});
  p.plan().inputs = {a};
  p.plan().outputs = {b};
  p.delegate(g, {b, a});
  CHECK(run(p.file(), std::vector{three})[0][0] == -4);
}

TEST_CASE("executorch: names, methods and constants of a program", "[executorch]") {
  ProgramWriter p;
  const int x = p.tensor({3}), k = p.constant({3}, {7, 8, 9}), y = p.tensor({3});
  p.tensor_at(x).extra_tensor_info = std::make_unique<executorch::pte::ExtraTensorInfoT>();
  p.tensor_at(x).extra_tensor_info->fully_qualified_name = "image";
  p.plan().inputs = {x};
  p.plan().outputs = {y};
  p.plan().name = "encode";
  GraphWriter g;
  const auto a = g.input({3}), b = g.input({3}), o = g.output({3});
  g.binary(Kind::Multiply, a, b, o);
  p.delegate(g, {x, k, y});
  const Bytes file = p.file();
  MLGraphBuilder builder(webnn::test::plain_context());
  const auto m = executorch::import_model(builder, file, {.method = "encode"});
  CHECK(m.inputs[0].name == "image");
  CHECK(m.outputs[0].name == "output_0");
  CHECK(m.description == "ExecuTorch program, method \"encode\"");
  CHECK(run(file, std::vector{three})[0][2] == 27);
  CHECK(refusal(file, {.method = "decode"}) ==
        "TypeError executorch: there is no method \"decode\"; the program has \"encode\".");
}

TEST_CASE("executorch: images in the order channels last", "[executorch]") {
  GraphWriter g;
  const auto x = g.input({1, 2, 2, 3}), c = g.floats({3}, {1, 2, 3}), y = g.output({1, 2, 2, 3});
  g.binary(Kind::Add, x, c, y);
  ProgramWriter p;
  const int a = p.tensor({1, 3, 2, 2}), b = p.tensor({1, 3, 2, 2});
  p.tensor_at(a).dim_order = p.tensor_at(b).dim_order = {0, 2, 3, 1};
  p.plan().inputs = {a};
  p.plan().outputs = {b};
  p.delegate(g, {a, b});
  const auto r = run(p.file(), std::vector{webnn::test::filled(float32, {1, 2, 2, 3}, 0)});
  CHECK(r[0].shape == Dims{1, 2, 2, 3});
  CHECK(r[0][5] == 3);
}

TEST_CASE("executorch: scalars have one dimension in XNNPACK, indices are widened",
          "[executorch]") {
  GraphWriter g;
  const auto x = g.input({1}), c = g.floats({1}, {2}), y = g.output({1});
  g.binary(Kind::Multiply, x, c, y);
  ProgramWriter p;
  const int a = p.tensor({}), b = p.tensor({});
  p.plan().inputs = {a};
  p.plan().outputs = {b};
  p.delegate(g, {a, b});
  const auto r = run(p.file(), std::vector{webnn::test::tensor(float32, {}, {4})});
  CHECK(r[0].shape == Dims{});
  CHECK(r[0][0] == 8);

  GraphWriter h;
  executorch::xnn::NodeArgMaxPoolingT t;
  t.pooling_height = 2;
  t.pooling_width = 1;
  t.input_id = h.input({1, 2, 1, 1});
  t.output_value_id = h.between({1, 1, 1, 1});
  t.output_index_id = h.output({1, 1, 1, 1}, DataType::int32);
  h.node(Kind::ArgMaxPooling2d, t);
  ProgramWriter q;
  const int image = q.tensor({1, 2, 1, 1}),
            at = q.tensor({1, 1, 1, 1}, executorch::pte::ScalarType::LONG);
  q.plan().inputs = {image};
  q.plan().outputs = {at};
  q.delegate(h, {image, at});
  const auto i = run(q.file(), std::vector{webnn::test::tensor(float32, {1, 2, 1, 1}, {1, 3})});
  CHECK(i[0].type == int64);
  CHECK(i[0][0] == 1);
}

TEST_CASE("executorch: views without an instruction lie in the memory of what they view",
          "[executorch]") {
  // x -> + 10 -> [2, 3] seen as [3, 2] -> + [1, 2] -> seen as [6]
  GraphWriter first, second;
  auto a = first.input({2, 3}), k = first.floats({1}, {10}), b = first.output({2, 3});
  first.binary(Kind::Add, a, k, b);
  a = second.input({3, 2});
  k = second.floats({2}, {1, 2});
  b = second.output({3, 2});
  second.binary(Kind::Add, a, k, b);
  ProgramWriter p;
  const int x = p.tensor({2, 3}), sum = p.tensor({2, 3}), seen = p.view(sum, {3, 2}),
            again = p.view(x, {3, 2}), y = p.view(again, {6});
  p.plan().inputs = {x};
  p.delegate(first, {x, sum});
  p.delegate(second, {seen, again});  // the memory of x is used again
  p.plan().outputs = {y};
  const auto r =
      run(p.file(), std::vector{webnn::test::tensor(float32, {2, 3}, {0, 1, 2, 3, 4, 5})});
  CHECK(r[0].shape == Dims{6});
  for (std::size_t i = 0; i < 6; ++i) CHECK(r[0][i] == static_cast<double>(11 + i % 2 + i));
  // Not of another size.
  p.tensor_at(seen).sizes = {4, 2};
  CHECK(refusal(p.file()) ==
        "DataError executorch: value 2 is read before it is written: it is not an input or a "
        "constant.");
  p.tensor_at(seen).sizes = {3, 2};
  p.tensor_at(seen).scalar_type = executorch::pte::ScalarType::INT;
  CHECK(refusal(p.file()) ==
        "DataError executorch: value 2 is read before it is written: it is not an input or a "
        "constant.");
}

TEST_CASE("executorch: operators outside of delegates that move elements", "[executorch]") {
  struct Call {
    std::string name, overload;
    std::vector<int> from, to;
    std::vector<std::int64_t> numbers;
    bool list;
    std::vector<double> expected;
  };
  const Call calls[] = {
      {"executorch_prim::et_view", "default", {2, 3}, {3, 2}, {3, -1}, true, {0, 1, 2, 3, 4, 5}},
      {"aten::view_copy", "out", {2, 3}, {6}, {6}, true, {0, 1, 2, 3, 4, 5}},
      {"aten::squeeze_copy", "dims_out", {2, 1, 3}, {2, 3}, {1}, true, {0, 1, 2, 3, 4, 5}},
      {"aten::unsqueeze_copy", "out", {2, 3}, {2, 3, 1}, {-1}, false, {0, 1, 2, 3, 4, 5}},
      {"aten::clone", "out", {2, 3}, {2, 3}, {}, false, {0, 1, 2, 3, 4, 5}},
      {"dim_order_ops::_clone_dim_order", "out", {6}, {6}, {0}, false, {0, 1, 2, 3, 4, 5}},
      {"aten::permute_copy", "out", {1, 2, 3}, {3, 1, 2}, {-1, 0, 1}, true, {0, 3, 1, 4, 2, 5}},
      {"aten::transpose_copy", "int_out", {2, 3}, {3, 2}, {0, -1}, false, {0, 3, 1, 4, 2, 5}},
      {"aten::t_copy", "out", {2, 3}, {3, 2}, {}, false, {0, 3, 1, 4, 2, 5}},
  };
  for (const Call& c : calls) {
    INFO(c.name);
    ProgramWriter p;
    const int x = p.tensor(c.from), y = p.tensor(c.to);
    std::vector<int> args{x};
    if (c.list) args.push_back(p.numbers(c.numbers));
    else
      for (const std::int64_t n : c.numbers) args.push_back(p.number(n));
    args.insert(args.end(), {y, y});
    p.kernel(c.name, c.overload, args);
    p.plan().inputs = {x};
    p.plan().outputs = {y};
    const Dims from(c.from.begin(), c.from.end());
    const auto r =
        run(p.file(), std::vector{webnn::test::tensor(float32, from, {0, 1, 2, 3, 4, 5})});
    CHECK(r[0].shape == Dims(c.to.begin(), c.to.end()));
    for (std::size_t i = 0; i < 6; ++i) CHECK(r[0][i] == c.expected[i]);
  }
  // From an image in channels-last order: elements of a view are those in the order of the sizes.
  const Tensor image = webnn::test::tensor(float32, {1, 1, 3, 2}, {0, 3, 1, 4, 2, 5});
  for (const bool copies : {false, true}) {
    ProgramWriter p;
    const int x = p.tensor({1, 2, 1, 3}),
              y = copies ? p.tensor({1, 2, 1, 3}, executorch::pte::ScalarType::INT) : p.tensor({6});
    p.tensor_at(x).dim_order = {0, 2, 3, 1};
    p.kernel(copies ? "dim_order_ops::_to_dim_order_copy" : "aten::view_copy", "out",
             {x, p.number(0), p.numbers({0, 1, 2, 3}), y, y});
    p.plan().inputs = {x};
    p.plan().outputs = {y};
    const auto r = run(p.file(), std::vector{image});
    CHECK(r[0].type == (copies ? int32 : float32));
    CHECK(r[0].shape == (copies ? Dims{1, 2, 1, 3} : Dims{6}));
    for (std::size_t i = 0; i < 6; ++i) CHECK(r[0][i] == static_cast<double>(i));
  }
}

TEST_CASE("executorch: operators outside of delegates that are wrong", "[executorch]") {
  const auto refused = [](std::vector<int> to, std::string name, auto arguments) {
    ProgramWriter p;
    const int x = p.tensor({2, 3}), y = p.tensor(std::move(to));
    p.kernel(std::move(name), "out", arguments(p, x, y));
    p.plan().inputs = {x};
    p.plan().outputs = {y};
    return refusal(p.file());
  };
  using P = ProgramWriter&;
  CHECK(refused({7}, "aten::view_copy",
                [](P p, int x, int y) {
                  return std::vector{x, p.numbers({7}), y, y};
                }) ==
        "NotSupportedError executorch: aten::view_copy.out: its result has shape [7], its operand "
        "[2, 3].");
  CHECK(refused({2, 3}, "aten::clone", [](P, int x, int) { return std::vector{x}; }) ==
        "DataError executorch: aten::clone.out has 1 arguments.");
  CHECK(refused({2, 3}, "aten::clone", [](P, int x, int) {
          return std::vector{x, 99};
        }) == "DataError executorch: a result is value 99, but the method has 2 values.");
  CHECK(refused({2, 3}, "aten::clone", [](P p, int x, int) {
          return std::vector{x, p.number(1)};
        }) == "DataError executorch: aten::clone.out writes value 2, which is not a tensor.");
  CHECK(refused({3, 2}, "aten::permute_copy", [](P p, int x, int y) {
          return std::vector{x, p.numbers({1, 1}), y, y};
        }) == "DataError executorch: aten::permute_copy.out: dimension 1 is in its list twice.");
  CHECK(refused({3, 2}, "aten::permute_copy", [](P p, int x, int y) {
          return std::vector{x, p.numbers({1, 2}), y, y};
        }) == "DataError executorch: aten::permute_copy.out: dimension 2 is not one of the 2.");
  CHECK(
      refused({3, 2}, "aten::permute_copy", [](P p, int x, int y) {
        return std::vector{x, p.number(1), y, y};
      }) == "DataError executorch: aten::permute_copy.out: argument 1 is not a list of integers.");
  CHECK(refused({2, 3}, "aten::t_copy",
                [](P, int x, int y) {
                  return std::vector{x, y, y};
                }) ==
        "DataError executorch: aten::t_copy.out: its result has shape [2, 3], but should have "
        "[3, 2].");
  CHECK(refused({1, 2, 3}, "aten::clone",
                [](P, int x, int y) {
                  return std::vector{x, y, y};
                }) ==
        "DataError executorch: aten::clone.out: its result has 3 dimensions, but should have shape "
        "[2, 3].");
}

TEST_CASE("executorch: a program says what lies outside of XNNPACK delegates", "[executorch]") {
  ProgramWriter p = chained();
  p.kernel("aten::mean", "dim", {0, 1});
  p.kernel("aten::mean", "dim", {0, 1});
  p.kernel("aten::softmax", "", {0, 1});
  p.delegate("QnnBackend", Bytes(16), {0, 1});
  const Bytes file = p.file();
  CHECK(refusal(file) ==
        "NotSupportedError executorch: operators outside of XNNPACK delegates: aten::mean.dim (2), "
        "aten::softmax (1); delegates of other backends: QnnBackend (1).");
  const executorch::FileInfo info = executorch::read_info(file);
  CHECK(info.format == "ExecuTorch program");
  REQUIRE(info.methods.size() == 1);
  CHECK(info.methods[0].name == "forward");
  REQUIRE(info.methods[0].delegates.size() == 3);
  CHECK(info.methods[0].delegates[0].backend == "XnnpackBackend");
  CHECK(info.methods[0].delegates[0].nodes == 1);
  CHECK(info.methods[0].delegates[0].constants == 1);
  CHECK(info.methods[0].delegates[2].backend == "QnnBackend");
  CHECK(info.methods[0].delegates[2].bytes == 16);
  REQUIRE(info.methods[0].operators.size() == 2);
  CHECK(info.methods[0].operators[0].name == "aten::mean.dim");
  CHECK(info.methods[0].operators[0].count == 2);
  const executorch::FileInfo graph = executorch::read_info(sum(1).file());
  CHECK(graph.format == "XNNPACK graph");
  CHECK(graph.methods[0].delegates[0].nodes == 1);
}

TEST_CASE("executorch: dynamic dimensions up to their bounds", "[executorch]") {
  ProgramWriter p;
  GraphWriter g;
  const auto x = g.input({4, 3}), c = g.floats({3}, {1, 2, 3}), y = g.output({4, 3});
  g.binary(Kind::Add, x, c, y);
  const int a = p.tensor({4, 3}), b = p.tensor({4, 3});
  using executorch::pte::TensorShapeDynamism;
  p.tensor_at(a).shape_dynamism = p.tensor_at(b).shape_dynamism =
      TensorShapeDynamism::DYNAMIC_BOUND;
  p.plan().inputs = {a};
  p.plan().outputs = {b};
  p.delegate(g, {a, b});
  const Bytes file = p.file();
  const auto r = run(file, std::vector{webnn::test::filled(float32, {2, 3}, 1)},
                     {.shapes = {{"input_0", {2, 3}}}});
  CHECK(r[0].shape == Dims{2, 3});
  CHECK(refusal(file, {.shapes = {{"input_0", {5, 3}}}}) ==
        "TypeError executorch: input \"input_0\": dimension 0 of the shape given is 5, but the "
        "file says at most 4.");
  CHECK(refusal(file, {.shapes = {{"x", {5, 3}}}}) ==
        "TypeError executorch: there is no input \"x\"; the model has \"input_0\".");
  CHECK(refusal(file, {.shapes = {{"input_0", {3}}}}) ==
        "TypeError executorch: input \"input_0\": the shape given ([3]) does not have the rank (2) "
        "of "
        "the file.");
  CHECK(refusal(chained().file(), {.shapes = {{"input_0", {2}}}}) ==
        "TypeError executorch: input \"input_0\": dimension 0 of the shape given is 2, but the "
        "file says 3.");
}

TEST_CASE("executorch: programs that are wrong", "[executorch]") {
  const Bytes good = chained().file();
  CHECK(refusal(good) == "nothing");
  CHECK(refusal(Bytes{}) == "DataError executorch: 0 bytes are too few for a graph.");
  CHECK(refusal(Bytes(64)) ==
        "DataError executorch: the identifier of the flatbuffer is "
        "\"\\u0000\\u0000\\u0000\\u0000\", not XN00 or XN01.");
  for (std::size_t size = 8; size < good.size(); size += 7) {
    INFO(size);
    CHECK(refusal(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)))
              .starts_with("DataError executorch: "));
  }
  ProgramWriter p = chained();
  p.plan().outputs = {9};
  CHECK(refusal(p.file()) ==
        "DataError executorch: an output is value 9, but the method has 3 values.");
  p = chained();
  p.plan().inputs.clear();
  CHECK(refusal(p.file()) ==
        "DataError executorch: value 0 is read before it is written: it is not an input or a "
        "constant.");
  p = chained();
  p.plan().chains[0]->instructions[0]->instr_args.AsDelegateCall()->args = {0};
  CHECK(refusal(p.file()) ==
        "DataError executorch: delegate 0: value 2: its external id (1) is not below the number of "
        "arguments (1).");
  p = chained();
  p.plan().chains[0]->instructions[0]->instr_args.AsDelegateCall()->delegate_index = 5;
  CHECK(refusal(p.file()) ==
        "DataError executorch: an instruction calls delegate 5, but there are 2.");
  p = chained();
  p.plan().delegates[1]->processed->index = 7;
  CHECK(refusal(p.file()) ==
        "DataError executorch: delegate 1: segment 7 is not less than the number of segments (2).");
  p = chained();
  p.tensor_at(2).sizes = {4};
  CHECK(refusal(p.file()) ==
        "DataError executorch: delegate 1: value 2 has shape [3], but value 2 of the method has "
        "[4].");
  p = chained();
  p.tensor_at(0).scalar_type = executorch::pte::ScalarType::DOUBLE;
  CHECK(refusal(p.file()) ==
        "NotSupportedError executorch: value 0: WebNN has no type for DOUBLE (7).");
  p = chained();
  p.tensor_at(1).dim_order = {3};
  CHECK(refusal(p.file()) == "DataError executorch: value 1: its dim_order is not a permutation.");
}

TEST_CASE("executorch: data under keys", "[executorch]") {
  GraphWriter g = sum(10, Place::under_keys);
  CHECK(refusal(g.file()) ==
        "DataError executorch: node 0 (Add): value 1: its constant lies under the key \"key1\" of "
        "a program, which is not there.");
  const Bytes file = program_of(g);
  CHECK(run(file, std::vector{three})[0][0] == 11);
  g.named.clear();
  CHECK(refusal(program_of(g)) ==
        "DataError executorch: delegate 0: node 0 (Add): value 1: the program has no data under "
        "the key \"key1\".");
}
