// What webnn info and webnn graph show of .tflite files, also of those that cannot be imported.
#include "src/formats/common/file_view.h"
#include "tests/formats/tflite/writer.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::tflite::test;
using formats::FileOperator;
using formats::FileView;
namespace schema = webnn::tflite::schema;

namespace {

FileView view(const Writer& w) {
  const auto owner = std::make_shared<std::vector<std::byte>>(w.file());
  return tflite::view_file({.owner = owner, .bytes = *owner, .label = "net.tflite"}, {});
}
std::string attribute(const FileOperator& op, const std::string& name) {
  for (const auto& [own, value] : op.attributes)
    if (own == name) return value;
  return "absent";
}

}  // namespace

TEST_CASE("view: operators have the names of the file and the fields of their options") {
  Writer w;
  const int x = w.input(TensorType::FLOAT32, {1, 8, 8, 4});
  const int f = w.weights(TensorType::FLOAT32, {1, 3, 3, 4}), b = w.floats({4}, {1, 2, 3, 4});
  schema::DepthwiseConv2DOptionsT o;
  o.padding = schema::Padding::VALID;
  o.stride_w = o.stride_h = 2;
  o.depth_multiplier = 1;
  o.fused_activation_function = schema::ActivationFunctionType::RELU6;
  const int y = w.op(BuiltinOperator::DEPTHWISE_CONV_2D, {x, f, b},
                     {Writer::result(TensorType::FLOAT32, {}, {1, 3, 3, 4})}, o);
  w.output(y);
  w.tensor(y).name = "block/depthwise";
  const FileView v = view(w);
  CHECK(v.refusals.empty());
  const auto& g = v.graphs.at(0);
  const FileOperator& op = g.operators.at(0);
  CHECK(op.type == "DepthwiseConv2D");
  CHECK(op.name == "block/depthwise");
  CHECK(op.refusal.empty());
  CHECK(attribute(op, "padding") == "VALID");
  CHECK(attribute(op, "stride_h") == "2");
  CHECK(attribute(op, "dilation_w_factor") == "1");
  CHECK(attribute(op, "fused_activation_function") == "RELU6");
  CHECK(op.inputs.at(1).name == "filter");
  CHECK(g.values[op.inputs[1].value].type == "float32 [1, 3, 3, 4]");
  CHECK(g.values[op.inputs[1].value].is_constant);
  CHECK(g.values[op.outputs.at(0).value].type == "float32 [1, 3, 3, 4]");
}

TEST_CASE("view: every operator that is refused has its reason") {
  Writer w;
  const int x = w.input(TensorType::FLOAT32, {2, 3});
  const int a =
      w.op(BuiltinOperator::CUSTOM, {x}, {Writer::result(TensorType::FLOAT32, {}, {2, 3})});
  w.model.operator_codes.back()->custom_code = "MyOp";
  w.last().custom_options = {1, 255, 16};
  const int r = w.op(BuiltinOperator::RELU, {a}, {Writer::result(TensorType::FLOAT32, {}, {2, 3})});
  const int u =
      w.op(BuiltinOperator::UNIQUE, {r}, {Writer::result(TensorType::FLOAT32, {}, {2, 3})});
  // RELU of a tensor with a type that is none of WebNN's.
  const int s = w.input(TensorType::COMPLEX64, {2});
  const int t = w.op(BuiltinOperator::RELU, {s}, {Writer::result(TensorType::COMPLEX64, {}, {2})});
  w.output(u);
  w.output(t);
  const FileView v = view(w);
  const auto& g = v.graphs.at(0);
  CHECK(g.operators.at(0).type == "MyOp");
  CHECK(g.operators[0].refusal == "it has no WebNN counterpart");
  CHECK(attribute(g.operators[0], "custom_options") == "3 bytes: 01 ff 10");
  CHECK(g.operators[1].refusal.empty());
  CHECK(g.operators.at(2).refusal == "it has no WebNN counterpart");
  CHECK(g.values[static_cast<std::size_t>(s)].type == "complex64 [2]");
}

TEST_CASE("view: quantized tensors have their scale, variables are seen") {
  Writer w;
  const int x = w.input(TensorType::INT8, {1, 4}, {{0.5f}, {-3}});
  const int h =
      w.op(BuiltinOperator::VAR_HANDLE, {}, {Writer::result(TensorType::RESOURCE, {}, {1})});
  const int y =
      w.op(BuiltinOperator::READ_VARIABLE, {h}, {Writer::result(TensorType::INT8, {}, {1, 4})});
  const int z =
      w.op(BuiltinOperator::ADD, {x, y}, {Writer::result(TensorType::INT8, {{0.5f}, {0}}, {1, 4})});
  w.output(z);
  const FileView v = view(w);
  const auto& g = v.graphs.at(0);
  CHECK(g.values[static_cast<std::size_t>(x)].type == "int8 [1, 4], scale 0.5, zero point -3");
  CHECK(g.operators.at(0).type == "VarHandle");
  CHECK(g.operators.at(1).inputs.at(0).name == "variable");
}
