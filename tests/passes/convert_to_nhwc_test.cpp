// Where transpositions are after convert_to_nhwc.
#include "tests/passes/small_graphs.h"

using namespace webnn;
using namespace webnn::test;

TEST_CASE("convert_to_nhwc: a MobileNet in nchw has transpositions at its borders alone") {
  Net n;
  MLOperand y = n.b.input("x", {float32, {1, 3, 32, 32}});
  y = n.relu6(n.conv(y, 8, 3, 1, 2));
  for (int block = 0; block < 4; ++block) {
    const MLOperand from = y;
    y = n.relu6(n.conv(y, 24));
    y = n.relu6(n.conv(y, 24, 3, 24));
    y = n.b.add(n.conv(y, 8), from);
  }
  const MLOperand image = y;
  y = n.b.averagePool2d(n.b.relu(y), {});
  SECTION("to a vector") {
    y = n.b.gemm(n.b.reshape(y, {1, 8}), n.weights({8, 10}));
    const Graph g = optimized({{"y", y}});
    CHECK(count(g, "transpose") <= 2);
    std::size_t moves = 0;  // one of them moves no element: height and width are 1
    for (std::size_t i = 0; i < g.size(); ++i)
      if (const auto* t = g.node(i).as<ops::transpose>()) moves += t->input.shape()[1] > 1;
    CHECK(moves == 1);
    CHECK(g.node(0).as<ops::transpose>());
    for (std::size_t i = 0; i < g.size(); ++i)
      if (const auto* c = g.node(i).as<ops::conv2d>())
        CHECK(c->options.inputLayout == MLInputOperandLayout::nhwc);
  }
  SECTION("to an image") {
    const Graph g = optimized({{"y", image}});
    CHECK(count(g, "transpose") == 2);
    CHECK(g.node(0).as<ops::transpose>());
    CHECK(g.node(g.size() - 1).as<ops::transpose>());
  }
}

TEST_CASE("convert_to_nhwc: what is carried through") {
  Net n;
  const MLOperand x = n.b.input("x", {float32, {1, 4, 8, 8}});
  const MLOperand c = n.conv(x, 4, 3);
  const auto transposes = [&](const MLOperand& y) {
    return count(optimized({{"y", n.conv(y, 2)}}), "transpose");
  };
  CHECK(transposes(n.b.relu(c)) == 2);
  CHECK(transposes(n.b.add(c, n.weights({4, 1, 1}))) == 2);
  CHECK(transposes(n.b.mul(n.weights({8}), c)) == 2);  // along the width: a constant is moved
  CHECK(transposes(n.b.prelu(c, n.weights({4, 1, 1}))) == 2);
  CHECK(transposes(n.b.concat({c, n.conv(x, 3)}, 1)) == 2);
  CHECK(transposes(n.b.split(c, 2, {.axis = 1})[1]) == 2);
  CHECK(transposes(n.b.pad(c, {0, 1, 1, 0}, {0, 0, 1, 0}, {.value = 1})) == 2);
  CHECK(transposes(n.b.slice(c, {0, 1, 0, 0}, {1, 2, 8, 8})) == 2);
  CHECK(transposes(n.b.softmax(c, 1)) == 2);
  CHECK(transposes(n.b.reduceMean(c, {.axes = {2, 3}, .keepDimensions = true})) <= 2);
  CHECK(transposes(n.b.resample2d(c, {.scales = {2, 2}, .axes = {2, 3}})) == 2);
  CHECK(transposes(n.b.instanceNormalization(c)) == 2);
  CHECK(transposes(n.b.maxPool2d(c, {.windowDimensions = {2, 2}})) == 2);
  CHECK(transposes(n.b.where(n.b.greater(c, n.b.constant(float32, 0)), c, n.b.neg(c))) == 2);
  // The order of the caller and back.
  const MLOperand nhwc = n.b.transpose(c, {.permutation = {0, 2, 3, 1}});
  CHECK(transposes(n.b.transpose(n.b.tanh(nhwc), {.permutation = {0, 3, 1, 2}})) == 2);
  // A batchNormalization that cannot be folded.
  const MLOperand v = n.b.input("v", {float32, {4}});
  CHECK(transposes(n.b.batchNormalization(c, v, v)) == 2);
}

TEST_CASE("convert_to_nhwc: an instanceNormalization that reads no nhwc image stays as it is") {
  Net n;
  const MLOperand x = n.b.input("x", {float32, {1, 4, 8, 8}});
  CHECK(count(optimized({{"y", n.b.instanceNormalization(x)}}), "transpose") == 0);
  CHECK(count(optimized({{"y", n.conv(n.b.instanceNormalization(x), 4, 3)}}), "transpose") == 2);
}

TEST_CASE("convert_to_nhwc: images are transposed before they are enlarged") {
  Net n;
  const MLOperand c = n.conv(n.b.input("x", {float32, {1, 4, 8, 8}}), 6, 3);
  const auto resized = [&](Dims sizes) {
    return n.b.resample2d(c, {.mode = MLInterpolationMode::linear, .sizes = sizes, .axes = {2, 3}});
  };
  const auto last_transposed = [](const Graph& g) {
    Dims shape;
    for (std::size_t i = 0; i < g.size(); ++i)
      if (const auto* t = g.node(i).as<ops::transpose>()) shape = t->input.shape();
    return shape;
  };
  const MLOperand large = resized({16, 24});
  const Graph g = optimized({{"y", large}});
  CHECK(last_transposed(g) == Dims{1, 8, 8, 6});
  CHECK(count(g, "resample2d") == 1);
  CHECK(g.outputs()[0].operand.shape() == Dims{1, 6, 16, 24});
  CHECK(last_transposed(optimized({{"y", resized({4, 4})}})) == Dims{1, 4, 4, 6});
  CHECK(count(optimized({{"y", n.conv(large, 2)}}), "transpose") == 2);  // it is read as it is
}

TEST_CASE("convert_to_nhwc: squeeze and excitation") {
  Net n;
  const MLOperand x = n.conv(n.b.input("x", {float32, {1, 4, 8, 8}}), 8, 3);
  const MLOperand mean = n.b.reduceMean(x, {.axes = {2, 3}, .keepDimensions = true});
  const MLOperand gate = n.b.sigmoid(n.conv(n.b.relu(n.conv(mean, 2)), 8));
  CHECK(count(optimized({{"y", n.conv(n.b.mul(gate, x), 4)}}), "transpose") == 2);
}

TEST_CASE("convert_to_nhwc: transpositions that meet their inverse leave an input as an output") {
  Net n;
  const MLOperand x = n.b.input("x", {float32, {2, 3, 4}});
  const MLOperand y =
      n.b.transpose(n.b.transpose(x, {.permutation = {2, 0, 1}}), {.permutation = {1, 2, 0}});
  const MLGraph g = n.b.build({{"y", y}, {"z", n.b.transpose(x)}});
  CHECK(g.optimized().size() == 1);
  std::vector<float> in(24), out(24), z(24);
  for (std::size_t i = 0; i < 24; ++i) in[i] = static_cast<float>(i);
  n.context.compute(g, {{"x", in}}, {{"y", out}, {"z", z}});
  CHECK(out == in);
  CHECK(z[1] == 12);
}

TEST_CASE("convert_to_nhwc: integers are transposed, before dequantizeLinear") {
  Quantized n;
  const MLOperand w = n.b.dequantizeLinear(
      n.b.constant({int8, {4, 2, 1, 1}}, std::vector<std::int8_t>(8, 1)), n.scale(4), n.zero(4));
  const Graph g = optimized({{"y", n.integers(n.b.conv2d(n.real(n.input({1, 2, 4, 4})), w))}});
  CHECK(names(g) == Names{"transpose", "dequantizeLinear", "dequantizeLinear", "conv2d",
                          "quantizeLinear", "transpose"});
  CHECK(g.node(0).output().dataType() == int8);
  CHECK(g.node(5).output().dataType() == int8);
}

TEST_CASE("convert_to_nhwc: elements of less than a byte are not transposed") {
  for (const auto type : {int4, uint4}) {
    INFO(name_of(type));
    const auto constant = [&](Net& n, Dims shape) {
      std::vector<std::uint8_t> v((element_count(shape) + 1) / 2);
      for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<std::uint8_t>(37 * i + 5);
      return n.b.constant({type, std::move(shape)}, v);
    };
    const auto dequantized = [&](Net& n, const MLOperand& x, Dims each) {
      std::vector<float> scales(element_count(each));
      for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = 0.5f + static_cast<float>(i);
      return n.b.dequantizeLinear(x, n.b.constant({float32, each}, scales), constant(n, each));
    };
    const auto valid = [](const NamedOperands& outputs) {
      Graph g = graph_of(outputs);
      for (const Pass& pass : all_passes()) {
        g = pass.run(g);
        const auto bad = check_graph(g);
        CHECK_FALSE(bad);
        if (bad) UNSCOPED_INFO(pass.name << " makes " << bad->message);
      }
      return g;
    };
    {
      Net n;
      const MLOperand x = n.b.transpose(n.b.input("x", {float32, {2, 3}}));
      valid({{"y", n.b.quantizeLinear(x, n.weights({1, 1}), constant(n, {1, 1}))}});
    }
    {
      Net n;
      valid({{"y", n.b.transpose(dequantized(n, n.b.input("x", {type, {2, 3}}), {1, 3}))}});
    }
    {
      Net n;
      const MLOperand x = dequantized(n, n.b.input("x", {type, {1, 2, 3, 3}}), {1, 1, 1, 1});
      valid({{"y", n.conv(x, 2)}});
    }
    {  // weights become floats, or are integers in the order in which they are read
      Net n;
      const MLOperand w = n.b.transpose(dequantized(n, constant(n, {3, 5}), {3, 1}));
      const Graph g = valid({{"y", n.b.matmul(n.b.input("x", {float32, {2, 5}}), w)}});
      CHECK(count(g, "transpose") == 0);
    }
  }
}

TEST_CASE("convert_to_nhwc: constants of 4 bits are transposed with what reads them") {
  Net n;
  // A quantized product keeps its integers.
  const MLOperand x =
      n.b.dequantizeLinear(n.b.input("x", {int8, {2, 3}}), n.weights({1, 1}),
                           n.b.constant({int8, {1, 1}}, std::vector<std::int8_t>{3}));
  const MLOperand w = n.b.constant({int4, {2, 3}}, std::vector<std::uint8_t>{0x21, 0x43, 0x65});
  const MLOperand zero = n.b.constant({int4, {2, 1}}, std::vector<std::uint8_t>{0x10});
  const MLOperand matrix =
      n.b.transpose(n.b.dequantizeLinear(w, n.b.constant({float32, {2, 1}}, {0.5f, 0.25f}), zero));
  const MLOperand y = n.b.quantizeLinear(n.b.matmul(x, matrix), n.weights({1, 1}),
                                         n.b.constant({int8, {1, 1}}, std::vector<std::int8_t>{0}));
  const Graph g = optimized({{"y", y}});
  const MLOperand* integers = nullptr;
  MLOperand found;
  for (std::size_t i = 0; i < g.size(); ++i)
    if (const auto* op = g.node(i).as<ops::dequantizeLinear>())
      if (op->input.dataType() == int4) found = op->input, integers = &found;
  REQUIRE(integers);
  CHECK(integers->shape() == Dims{3, 2});
  const auto bytes = integers->constant()->bytes();  // 1 2 3 / 4 5 6 became 1 4 / 2 5 / 3 6
  CHECK(std::vector<std::byte>(bytes.begin(), bytes.end()) ==
        std::vector{std::byte{0x41}, std::byte{0x52}, std::byte{0x63}});
}

TEST_CASE("convert_to_nhwc: a quantized convolution between transpositions keeps its integers") {
  Quantized n;
  const MLOperand x = n.b.transpose(n.real(n.input({1, 5, 5, 2})), {.permutation = {0, 3, 1, 2}});
  const MLOperand elements = n.b.constant({int8, {4, 1, 1, 2}}, std::vector<std::int8_t>(8, 1));
  const MLOperand filter = n.b.transpose(n.real(elements), {.permutation = {0, 3, 1, 2}});
  const MLOperand y = n.b.transpose(n.b.conv2d(x, filter), {.permutation = {0, 2, 3, 1}});
  const Graph g = optimized({{"y", n.integers(n.b.relu(y))}});
  CHECK(names(g) ==
        Names{"dequantizeLinear", "dequantizeLinear", "conv2d", "relu", "quantizeLinear"});
  CHECK(g.node(1).input(0).constant());
  // One that keeps transposed activations computes with numbers, and reads them as a constant.
  const MLOperand a = n.b.transpose(n.real(n.input({3, 2})));
  const MLOperand w = n.b.constant({int8, {3, 4}}, std::vector<std::int8_t>(12, 1));
  const Graph f = optimized({{"y", n.integers(n.b.matmul(n.b.relu(a), n.real(w)))}});
  CHECK(count(f, "dequantizeLinear") == 1);
}
