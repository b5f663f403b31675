#include "tests/formats/onnx/cases.h"

#include <cmath>
#include <limits>

namespace webnn::inline v0_1::onnx::test {
namespace {

using enum ElementType;
using webnn::test::tensor;

Tensor f32(Dims shape, const std::vector<double>& values) { return tensor(float32, shape, values); }

/// The operator of one node, of x and constants, to y.
Case one(std::string name, std::string_view op, const Names& inputs, Tensor x, Tensor y,
         const std::vector<Message>& attributes = {}, std::int64_t opset = 17,
         std::string_view domain = {}) {
  Case c{std::move(name)};
  c.writer.opset = opset;
  std::vector<std::string> dims;
  for (std::uint32_t d : x.shape) dims.push_back(std::to_string(d));
  c.writer.input("x", dims, x.type == float16 ? FLOAT16 : FLOAT).output("y");
  c.writer.node(op, inputs, {"y"}, attributes, domain, "the_" + c.name);
  if (!domain.empty()) c.writer.domains.push_back({std::string(domain), 1});
  c.inputs["x"] = std::move(x);
  c.outputs.push_back(std::move(y));
  return c;
}
Case with(Case c, const std::vector<Message>& tensors) {
  for (const Message& t : tensors) c.writer.initializer(t);
  return c;
}

void add_elementwise(std::vector<Case>& all) {
  const Tensor x = f32({4}, {-2, -0.5, 0.5, 3});
  all.push_back(
      with(one("add", "Add", {"x", "k"}, x, f32({4}, {-1, 0.5, 1.5, 4})), {floats("k", {}, {1})}));
  all.push_back(with(one("clip", "Clip", {"x", "low", "high"}, x, f32({4}, {-1, -0.5, 0.5, 2})),
                     {floats("low", {}, {-1}), floats("high", {}, {2})}));
  all.push_back(one("clip_6", "Clip", {"x"}, x, f32({4}, {-1, -0.5, 0.5, 2}),
                    {attribute("min", -1.0f), attribute("max", 2.0f)}, 6));
  all.push_back(with(
      one("fmod", "Mod", {"x", "k"}, x, f32({4}, {-0.5, -0.5, 0.5, 0}), {attribute("fmod", 1)}),
      {floats("k", {}, {1.5f})}));
  all.push_back(with(one("fmod_infinite", "Mod", {"x", "k"}, x, x, {attribute("fmod", 1)}),
                     {floats("k", {}, {-std::numeric_limits<float>::infinity()})}));
  all.push_back(one("thresholded", "ThresholdedRelu", {"x"}, x, f32({4}, {0, 0, 0, 3}),
                    {attribute("alpha", 0.5f)}));
  // min(0, -(exp(-x) - 1)) where the alpha is negative.
  all.push_back(one("celu_negative", "Celu", {"x"}, f32({2}, {-std::log(3.0), 2}),
                    f32({2}, {-2, 2}), {attribute("alpha", -1.0f)}));
  all.push_back(
      one("quick_gelu", "QuickGelu", {"x"}, f32({1}, {0}), f32({1}, {0}), {}, 17, "com.microsoft"));
}

void add_remainders(std::vector<Case>& all) {
  const auto add = [&](const std::string& name, MLOperandDataType type, ElementType element,
                       const std::vector<double>& x, const std::vector<double>& k,
                       const std::vector<double>& y, int fmod) {
    const Dims shape{static_cast<std::uint32_t>(x.size())};
    Case c = one(name + (fmod ? "_fmod" : ""), "Mod", {"x", "k"}, tensor(type, shape, x),
                 tensor(type, shape, y), {attribute("fmod", fmod)});
    c.writer.graph = {};
    c.writer.input("x", {std::to_string(x.size())}, element).output("y");
    c.writer.node("Mod", {"x", "k"}, {"y"}, {attribute("fmod", fmod)});
    c.writer.initializer(raw_tensor("k", element, {static_cast<std::int64_t>(x.size())},
                                    tensor(type, shape, k).bytes));
    all.push_back(std::move(c));
  };
  const std::vector<double> x{-7, 7, -7, 7, 5, -128}, k{3, -3, -3, 3, 0, -1};
  for (const auto& [name, type, element] : {std::tuple("mod_int8", int8, INT8),
                                            {"mod_int32", int32, INT32},
                                            {"mod_int64", int64, INT64}}) {
    add(name, type, element, x, k, {2, -2, -1, 1, 0, 0}, 0);
    add(name, type, element, x, k, {-1, 1, -1, 1, 0, 0}, 1);
  }
  for (const auto& [name, type, element] : {std::tuple("mod_uint8", uint8, UINT8),
                                            {"mod_uint32", uint32, UINT32},
                                            {"mod_uint64", uint64, UINT64}})
    for (const int fmod : {0, 1})
      add(name, type, element, {250, 7, 5}, {100, 9, 0}, {50, 7, 0}, fmod);
  // Quotients with more than 24 bits, and one that rounds up to an integer.
  add("mod_float", float32, FLOAT, {1e9, 1, -33e6, 33e6}, {3, 0.1, 7, -7}, {1, 0.09999999, -5, 5},
      1);
  add("mod_float16", float16, FLOAT16, {65504, 1, -1000}, {3, 0.125, 7}, {2, 0, -6}, 1);
}

void add_shapes(std::vector<Case>& all) {
  const Tensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  // The shape of the input decides that of the result: reshape(x, concat(shape(x)[1:], -1))
  Case c = one("computed_shape", "Reshape", {"x", "shape"}, x, f32({3, 2}, {1, 2, 3, 4, 5, 6}));
  c.writer.graph = {};
  c.writer.input("x", {"2", "3"}).output("y");
  c.writer.node("Shape", {"x"}, {"all"});
  c.writer.node("Gather", {"all", "one"}, {"last"});
  c.writer.node("Unsqueeze", {"last", "zero"}, {"front"});
  c.writer.node("Concat", {"front", "rest"}, {"shape"}, {attribute("axis", 0)});
  c.writer.node("Reshape", {"x", "shape"}, {"y"});
  all.push_back(
      with(c, {int64s("one", {}, {1}), int64s("zero", {1}, {0}), int64s("rest", {1}, {-1})}));
  all.push_back(with(one("slice_backward", "Slice", {"x", "from", "to", "axes", "steps"}, x,
                         f32({2, 2}, {3, 1, 6, 4})),
                     {int64s("from", {1}, {-1}), int64s("to", {1}, {INT64_MIN}),
                      int64s("axes", {1}, {1}), int64s("steps", {1}, {-2})}));
  all.push_back(
      with(one("pad_reflect", "Pad", {"x", "pads"}, x, f32({2, 5}, {2, 1, 2, 3, 2, 5, 4, 5, 6, 5}),
               {attribute("mode", "reflect")}),
           {int64s("pads", {4}, {0, 1, 0, 1})}));
  all.push_back(with(
      one("expand", "Expand", {"x", "shape"}, f32({2, 1}, {1, 2}), f32({2, 3}, {1, 1, 1, 2, 2, 2})),
      {int64s("shape", {2}, {1, 3})}));
  all.push_back(one("flatten_from_end", "Flatten", {"x"}, f32({1, 2, 2}, {1, 2, 3, 4}),
                    f32({2, 2}, {1, 2, 3, 4}), {attribute("axis", -1)}));
  all.push_back(with(
      one("gather", "Gather", {"x", "at"}, x, f32({2, 2}, {3, 1, 6, 4}), {attribute("axis", 1)}),
      {int64s("at", {2}, {-1, 0})}));
}

void add_images(std::vector<Case>& all) {
  const Tensor x = f32({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  all.push_back(with(one("conv", "Conv", {"x", "w", "b"}, x, f32({1, 1, 2, 2}, {7, 9, 13, 15})),
                     {floats("w", {1, 1, 2, 2}, {1, 0, 0, 1}), floats("b", {1}, {1})}));
  all.push_back(
      with(one("conv_same", "Conv", {"x", "w"}, x, f32({1, 1, 3, 3}, {6, 8, 3, 12, 14, 6, 7, 8, 9}),
               {attribute("auto_pad", "SAME_UPPER")}),
           {floats("w", {1, 1, 2, 2}, {1, 0, 0, 1})}));
  all.push_back(with(one("conv_1d", "Conv", {"x", "w"}, f32({1, 1, 4}, {1, 2, 3, 4}),
                         f32({1, 1, 2}, {4, 6}), {attribute("dilations", Ints{2})}),
                     {floats("w", {1, 1, 2}, {1, 1})}));
  all.push_back(
      with(one("conv_3d", "Conv", {"x", "w"}, f32({1, 1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
               f32({1, 1, 1, 1, 1}, {17})),
           {floats("w", {1, 1, 2, 2, 2}, {1, 0, 0, 1, 1, 1, 0, 0.125f})}));
  all.push_back(
      with(one("conv_transpose", "ConvTranspose", {"x", "w"}, f32({1, 1, 2, 2}, {1, 2, 3, 4}),
               f32({1, 1, 4, 4}, {1, 0, 2, 0, 0, 1, 0, 2, 3, 0, 4, 0, 0, 3, 0, 4}),
               {attribute("strides", Ints{2, 2})}),
           {floats("w", {1, 1, 2, 2}, {1, 0, 0, 1})}));
  all.push_back(one("average_with_pad", "AveragePool", {"x"}, x,
                    f32({1, 1, 2, 2}, {0.25, 1.25, 2.75, 7}),
                    {attribute("kernel_shape", Ints{2, 2}), attribute("strides", Ints{2, 2}),
                     attribute("pads", Ints{1, 1, 0, 0}), attribute("count_include_pad", 1)}));
  all.push_back(one("max_ceil", "MaxPool", {"x"}, x, f32({1, 1, 2, 2}, {5, 6, 8, 9}),
                    {attribute("kernel_shape", Ints{2, 2}), attribute("strides", Ints{2, 2}),
                     attribute("ceil_mode", 1)}));
  all.push_back(with(one("resize_nearest", "Resize", {"x", "", "scales"}, f32({1, 1, 1, 2}, {1, 2}),
                         f32({1, 1, 2, 4}, {1, 1, 2, 2, 1, 1, 2, 2}),
                         {attribute("coordinate_transformation_mode", "asymmetric"),
                          attribute("nearest_mode", "floor")}),
                     {floats("scales", {4}, {1, 1, 2, 2})}));
  all.push_back(with(one("resize_corners", "Resize", {"x", "", "", "sizes"},
                         f32({1, 1, 1, 2}, {1, 3}), f32({1, 1, 1, 5}, {1, 1.5, 2, 2.5, 3}),
                         {attribute("coordinate_transformation_mode", "align_corners"),
                          attribute("mode", "linear")}),
                     {int64s("sizes", {4}, {1, 1, 1, 5})}));
  all.push_back(with(one("resize_corners_down", "Resize", {"x", "", "", "sizes"},
                         f32({1, 1, 1, 6}, {0, 1, 2, 3, 4, 5}), f32({1, 1, 1, 3}, {0, 2, 5}),
                         {attribute("coordinate_transformation_mode", "align_corners"),
                          attribute("nearest_mode", "floor")}),
                     {int64s("sizes", {4}, {1, 1, 1, 3})}));
  all.push_back(one("depth_to_space", "DepthToSpace", {"x"}, f32({1, 4, 1, 1}, {1, 2, 3, 4}),
                    f32({1, 1, 2, 2}, {1, 2, 3, 4}), {attribute("blocksize", 2)}));
}

void add_products(std::vector<Case>& all) {
  const Tensor x = f32({2, 2}, {1, 2, 3, 4});
  all.push_back(
      with(one("gemm", "Gemm", {"x", "w", "c"}, x, f32({2, 1}, {8.5, 20.5}),
               {attribute("transB", 1), attribute("alpha", 2.0f), attribute("beta", 0.5f)}),
           {floats("w", {1, 2}, {2, 1}), floats("c", {1}, {1})}));
  all.push_back(with(one("matmul_vector", "MatMul", {"x", "w"}, x, f32({2}, {5, 11})),
                     {floats("w", {2}, {1, 2})}));
  all.push_back(with(
      one("einsum", "Einsum", {"x", "w"}, x, f32({2}, {5, 11}), {attribute("equation", "ij,j->i")}),
      {floats("w", {2}, {1, 2})}));
  all.push_back(
      one("einsum_trace", "Einsum", {"x"}, x, f32({}, {5}), {attribute("equation", "ii")}));
  all.push_back(with(
      one("reduce_13", "ReduceSum", {"x", "axes"}, x, f32({2}, {4, 6}), {attribute("keepdims", 0)}),
      {int64s("axes", {1}, {0})}));
  // The squares are beyond float16.
  all.push_back(
      with(one("rms_of_large_float16", "RMSNormalization", {"x", "g"},
               tensor(float16, {1, 2}, {3000, -3000}), tensor(float16, {1, 2}, {1, -2}), {}, 23),
           {raw_tensor("g", FLOAT16, {2}, tensor(float16, {2}, {1, 2}).bytes)}));
  all.push_back(one("softmax_11", "Softmax", {"x"}, f32({1, 2, 2}, {0, 0, 0, 0}),
                    f32({1, 2, 2}, {0.25, 0.25, 0.25, 0.25}), {}, 11));
  all.push_back(with(
      one("dequantize", "DequantizeLinear", {"q", "scale", "zero"}, x, f32({2, 2}, {-1, 1, 1, 4})),
      {onnx::test::tensor("q", INT8, {2, 2}, std::vector<std::int8_t>{-3, -1, 1, 2}),
       floats("scale", {2}, {0.5f, 1}),
       onnx::test::tensor("zero", INT8, {2}, std::vector<std::int8_t>{-1, -2})}));
  all.push_back(
      with(one("dequantize_16", "DequantizeLinear", {"q", "scale", "zero"}, x,
               f32({2, 2}, {-100, 49.5, 50.5, 150}), {}, 21),
           {onnx::test::tensor("q", INT16, {2, 2}, std::vector<std::int16_t>{-300, -1, 1, 200}),
            floats("scale", {}, {0.5f}),
            onnx::test::tensor("zero", INT16, {}, std::vector<std::int16_t>{-100})}));
  // One row of one step: the gates see 0 but for their biases.
  Case lstm = one("lstm", "LSTM", {"x", "w", "r"}, f32({1, 1, 1}, {0}), f32({1, 1, 1, 1}, {0}));
  all.push_back(
      with(lstm, {floats("w", {1, 4, 1}, {1, 1, 1, 1}), floats("r", {1, 4, 1}, {1, 1, 1, 1})}));
  lstm = one("gru", "GRU", {"x", "w", "r"}, f32({1, 1, 1}, {0}), f32({1, 1, 1, 1}, {0}),
             {attribute("hidden_size", 1)});
  all.push_back(with(lstm, {floats("w", {1, 3, 1}, {1, 1, 1}), floats("r", {1, 3, 1}, {1, 1, 1})}));
}

/// Sequences and optional values that the model builds and reads itself.
void add_sequences(std::vector<Case>& all) {
  const Tensor x = f32({2}, {1, 2}), rows = f32({3, 2}, {1, 2, 3, 4, 5, 6});
  Case c = one("sequence", "ConcatFromSequence", {"t"}, x, f32({6}, {-1, -2, 1, 2, 1, 2}),
               {attribute("axis", 0)});
  c.writer.node("Neg", {"x"}, {"m"}).node("SequenceConstruct", {"x", "m"}, {"s"});
  c.writer.node("SequenceInsert", {"s", "x"}, {"r"}).node("SequenceAt", {"r", "one"}, {"e"});
  c.writer.node("SequenceErase", {"r", "one"}, {"u"});
  c.writer.node("SequenceInsert", {"u", "e", "first"}, {"t"});
  all.push_back(with(c, {int64s("one", {}, {1}), int64s("first", {}, {-2})}));
  c = one("split to sequence", "ConcatFromSequence", {"s"}, rows, f32({2, 3}, {1, 3, 5, 2, 4, 6}),
          {attribute("axis", -1), attribute("new_axis", 1)});
  c.writer.node("SplitToSequence", {"x"}, {"s"}, {attribute("axis", 0), attribute("keepdims", 0)});
  all.push_back(c);
  c = one("split to parts", "Mul", {"e", "n"}, rows, f32({1, 2}, {10, 12}));
  c.writer.node("SplitToSequence", {"x", "two"}, {"s"}).node("SequenceAt", {"s", "last"}, {"e"});
  c.writer.node("SequenceLength", {"s"}, {"l"}).node("Cast", {"l"}, {"n"}, {attribute("to", 1)});
  all.push_back(with(c, {int64s("two", {}, {2}), int64s("last", {}, {-1})}));
  // A loop that collects its results.
  const Message body =
      graph_of({node_of("Add", {"v", "v"}, {"w"}), node_of("Identity", {"go"}, {"on"}),
                node_of("SequenceInsert", {"q", "w"}, {"p"})},
               {"i", "go", "v", "q"}, {"on", "w", "p"});
  c = one("sequence in a loop", "ConcatFromSequence", {"all"}, x, f32({2, 2}, {2, 4, 4, 8}),
          {attribute("axis", 0), attribute("new_axis", 1)});
  c.writer.node("SequenceEmpty", {}, {"none"});
  c.writer.node("Loop", {"n", "", "x", "none"}, {"last", "all"}, {graph_attribute("body", body)});
  all.push_back(with(c, {int64s("n", {}, {2})}));
  const Message value = graph_of({node_of("OptionalGetElement", {"o"}, {"a"})}, {}, {"a"});
  const Message other = graph_of({node_of("Neg", {"x"}, {"b"})}, {}, {"b"});
  for (const bool given : {true, false}) {
    c = one(given ? "optional" : "optional without a value", "If", {"has"}, x,
            given ? f32({2}, {2, 4}) : f32({2}, {-1, -2}),
            {graph_attribute("then_branch", value), graph_attribute("else_branch", other)});
    c.writer.node("Add", {"x", "x"}, {"d"});
    c.writer.node("Optional", given ? Names{"d"} : Names{}, {"o"});
    c.writer.node("OptionalHasElement", {"o"}, {"has"});
    all.push_back(c);
  }
}

void add_control(std::vector<Case>& all) {
  const Tensor x = f32({2}, {1, 2});
  const Message then_branch = graph_of({node_of("Neg", {"x"}, {"a"})}, {}, {"a"});
  const Message else_branch = graph_of({node_of("Abs", {"x"}, {"b"})}, {}, {"b"});
  Case c = one(
      "branch", "If", {"yes"}, x, f32({2}, {-1, -2}),
      {graph_attribute("then_branch", then_branch), graph_attribute("else_branch", else_branch)});
  all.push_back(with(c, {onnx::test::tensor("yes", BOOL, {}, std::vector<std::uint8_t>{1})}));
  const Message body =
      graph_of({node_of("Add", {"v", "v"}, {"w"}), node_of("Identity", {"go"}, {"on"}),
                node_of("Identity", {"w"}, {"seen"})},
               {"i", "go", "v"}, {"on", "w", "seen"});
  c = one("loop", "Loop", {"n", "", "x"}, x, f32({2}, {8, 16}), {graph_attribute("body", body)});
  c.writer.graph = {};
  c.writer.input("x", {"2"}).output("y").output("all");
  c.writer.node("Loop", {"n", "", "x"}, {"y", "all"}, {graph_attribute("body", body)});
  c.outputs.push_back(f32({3, 2}, {2, 4, 4, 8, 8, 16}));
  all.push_back(with(c, {int64s("n", {}, {3})}));
  // Data decides.
  const Message halved = graph_of({node_of("Mul", {"v", "half"}, {"w"}),
                                   node_of("ReduceMax", {"w"}, {"top"}, {attribute("keepdims", 0)}),
                                   node_of("Greater", {"top", "half"}, {"on"})},
                                  {"i", "go", "v"}, {"on", "w"});
  c = one("loop on data", "Loop", {"", "begins", "x"}, f32({2}, {3, -4}), f32({2}, {0.375, -0.5}),
          {graph_attribute("body", halved)});
  c.writer.node("ReduceMax", {"x"}, {"first"}, {attribute("keepdims", 0)});
  c.writer.node("Greater", {"first", "half"}, {"begins"});
  all.push_back(with(c, {floats("half", {}, {0.5})}));
  std::vector<float> unit(4096);
  for (std::size_t i = 0; i < 64; ++i) unit[i * 65] = 2;
  const Message positive = graph_of({node_of("MatMul", {"x", "m"}, {"a"})}, {}, {"a"});
  const Message negative =
      graph_of({node_of("MatMul", {"x", "m"}, {"p"}), node_of("Neg", {"p"}, {"b"})}, {}, {"b"});
  c = one("branch on data", "If", {"yes"}, f32({64, 64}, Doubles(4096, 1)),
          f32({64, 64}, Doubles(4096, 2)),
          {graph_attribute("then_branch", positive), graph_attribute("else_branch", negative)});
  c.writer.node("ReduceMax", {"x"}, {"first"}, {attribute("keepdims", 0)});
  c.writer.node("Greater", {"first", "half"}, {"yes"});
  all.push_back(with(c, {floats("half", {}, {0.5}), floats("m", {64, 64}, unit)}));
  add_sequences(all);
  // The node that is needed first is the last one.
  c = one("unsorted", "Add", {"a", "b"}, x, f32({2}, {0, 0}));
  c.writer.node("Abs", {"b"}, {"a"}).node("Neg", {"x"}, {"b"});
  all.push_back(c);
  // A function of the model, whose factor is an attribute of the call.
  c = one("function", "Scale", {"x"}, x, f32({2}, {3, 6}), {attribute("factor", 3.0f)}, 17, "mine");
  Message factor;
  factor.text(1, "value_float").integer(20, 1).text(21, "factor");
  Message f;
  f.text(1, "Scale").text(4, "in").text(5, "out").text(6, "factor").text(10, "mine");
  f.message(7, node_of("Constant", {}, {"k"}, {factor}));
  f.message(7, node_of("Mul", {"in", "k"}, {"out"}));
  f.message(9, Message().text(1, "").integer(2, 17));
  c.writer.functions.push_back(f);
  all.push_back(c);
}

/// The function F of the domain "mine": from `in` to `out`, with the attribute slope.
Message function_of(std::string_view overload, const std::vector<Message>& nodes) {
  Message f;
  f.text(1, "F").text(4, "in").text(5, "out").text(6, "slope").text(10, "mine");
  for (const Message& n : nodes) f.message(7, n);
  return f.message(9, Message().text(1, "").integer(2, 17)).text(13, overload);
}

void add_caches(std::vector<Case>& all) {
  const Tensor cache = f32({1, 4, 1}, {1, 2, 3, 4});
  const Message update = floats("u", {1, 2, 1}, {8, 9}), at = int64s("at", {1}, {3});
  all.push_back(with(one("tensor_scatter", "TensorScatter", {"x", "u"}, cache,
                         f32({1, 4, 1}, {8, 9, 3, 4}), {}, 24),
                     {update}));
  all.push_back(with(one("tensor_scatter_around", "TensorScatter", {"x", "u", "at"}, cache,
                         f32({1, 4, 1}, {9, 2, 3, 8}), {attribute("mode", "circular")}, 24),
                     {update, at}));
  // Statistics of another type than the input.
  all.push_back(with(one("batch_normalization_of_float16", "BatchNormalization",
                         {"x", "s", "b", "m", "v"}, tensor(float16, {1, 2}, {3, 5}),
                         tensor(float16, {1, 2}, {2, 21}), {attribute("epsilon", 0.0f)}, 15),
                     {floats("s", {2}, {1, 4}), floats("b", {2}, {0, 1}), floats("m", {2}, {1, 0}),
                      floats("v", {2}, {1, 1})}));
}

void add_features(std::vector<Case>& all) {
  // 2, 5 4 and 6 1 in a row, and with one number between them.
  Case c = one(
      "tf_idf", "TfIdfVectorizer", {"n"}, f32({1, 6}, {5, 4, 2, 6, 3, 1}),
      f32({1, 4}, {0, 1, 2, 0.5}),
      {attribute("max_gram_length", 2), attribute("max_skip_count", 1), attribute("mode", "TFIDF"),
       attribute("ngram_counts", Ints{0, 1}), attribute("ngram_indexes", Ints{1, 2, 3}),
       attribute("pool_int64s", Ints{2, 5, 4, 6, 1}), reals_attribute("weights", {1, 2, 0.5f})});
  c.writer.node("Cast", {"x"}, {"n"}, {attribute("to", 7)});
  all.push_back(c);
  all.push_back(one("binarizer", "Binarizer", {"x"}, f32({3}, {-1, 0.5, 2}), f32({3}, {0, 0, 1}),
                    {attribute("threshold", 0.5f)}, 17, "ai.onnx.ml"));
  all.push_back(
      with(one("features", "ArrayFeatureExtractor", {"x", "at"}, f32({2, 3}, {1, 2, 3, 4, 5, 6}),
               f32({2, 2}, {3, 1, 6, 4}), {}, 17, "ai.onnx.ml"),
           {int64s("at", {2}, {2, 0})}));
}

void add_functions(std::vector<Case>& all) {
  const Tensor x = f32({2}, {-1, 2});
  // The attribute of the call in a branch of the body.
  Message slope;
  slope.text(1, "alpha").integer(20, 1).text(21, "slope");
  const Message leaky = graph_of({node_of("LeakyRelu", {"in"}, {"a"}, {slope})}, {}, {"a"});
  const Message neg = graph_of({node_of("Neg", {"in"}, {"b"})}, {}, {"b"});
  const Message yes = onnx::test::tensor("", BOOL, {}, std::vector<std::uint8_t>{1});
  Case c = one("function_branch", "F", {"x"}, x, f32({2}, {-0.5, 2}), {attribute("slope", 0.5f)},
               17, "mine");
  c.writer.functions.push_back(function_of(
      "", {node_of("Constant", {}, {"yes"}, {tensor_attribute("value", yes)}),
           node_of("If", {"yes"}, {"out"},
                   {graph_attribute("then_branch", leaky), graph_attribute("else_branch", neg)})}));
  all.push_back(c);
  // Two functions of one name.
  c = one("function_overload", "F", {"x"}, x, f32({2}, {1, -2}), {}, 17, "mine");
  c.writer.graph = {};
  c.writer.input("x", {"2"}).output("y");
  c.writer.graph.message(1, node_of("F", {"x"}, {"y"}, {}, "mine").text(8, "second"));
  c.writer.functions.push_back(function_of("", {node_of("Abs", {"in"}, {"out"})}));
  c.writer.functions.push_back(function_of("second", {node_of("Neg", {"in"}, {"out"})}));
  all.push_back(c);
}

}  // namespace

std::vector<Case> all_cases() {
  std::vector<Case> all;
  add_elementwise(all);
  add_remainders(all);
  add_shapes(all);
  add_images(all);
  add_products(all);
  add_control(all);
  add_features(all);
  add_functions(all);
  add_caches(all);
  add_open(all);
  return all;
}

}  // namespace webnn::inline v0_1::onnx::test
