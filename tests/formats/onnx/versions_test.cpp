// Operators as early operator sets have them, and what later ones leave open.
#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::onnx::test;
using webnn::test::tensor;

namespace {

/// Results of one node of an operator set, whose first input is x and whose others are constants.
std::vector<Tensor> results(std::int64_t opset, std::string_view op, const Names& inputs,
                            const Tensor& x, const std::vector<Message>& attributes,
                            const std::vector<Message>& tensors = {}, const Names& outputs = {"y"},
                            const Names& wanted = {"y"}) {
  Writer w;
  w.opset = opset;
  std::vector<std::string> dims;
  for (std::uint32_t d : x.shape) dims.push_back(std::to_string(d));
  w.input("x", dims);
  for (const std::string& y : wanted) w.output(y);
  for (const Message& t : tensors) w.initializer(t);
  w.node(op, inputs, outputs, attributes);
  return run(w.file(), {{"x", x}});
}

}  // namespace

TEST_CASE("onnx: operators of the first operator sets") {
  const Tensor x = tensor(float32, {2}, {1.5, -2.5});
  CHECK(elements(results(5, "Relu", {"x"}, x, {attribute("consumed_inputs", Ints{0})}).at(0)) ==
        Doubles{1.5, 0});
  const Tensor cast = results(1, "Cast", {"x"}, x, {attribute("to", "INT32")}).at(0);
  CHECK(cast.type == int32);
  CHECK(elements(cast) == Doubles{1, -2});
  const Tensor image = tensor(float32, {1, 1, 1, 2}, {3, 4});
  CHECK(elements(results(1, "Upsample", {"x"}, image,
                         {attribute("width_scale", 2.0f), attribute("height_scale", 1.0f)})
                     .at(0)) == Doubles{3, 3, 4, 4});
  CHECK(elements(results(1, "GlobalLpPool", {"x"}, image, {attribute("p", 2.0f)}).at(0)) ==
        Doubles{5});
  CHECK(elements(results(1, "LpPool", {"x"}, image,
                         {attribute("p", 1.0f), attribute("kernel_shape", Ints{1, 2})})
                     .at(0)) == Doubles{7});
  const auto parts =
      results(1, "Split", {"x", "sizes"}, tensor(float32, {3}, {1, 2, 3}), {attribute("axis", 0)},
              {int64s("sizes", {2}, {1, 2})}, {"y", "z"}, {"y", "z"});
  CHECK(elements(parts.at(0)) == Doubles{1});
  CHECK(elements(parts.at(1)) == Doubles{2, 3});
  const Tensor mask = results(7, "Dropout", {"x"}, x, {}, {}, {"y", "mask"}, {"mask"}).at(0);
  CHECK(mask.type == float32);  // BOOL since operator set 10
  CHECK(elements(mask) == Doubles{1, 1});
}

TEST_CASE("onnx: nearest elements of Resize-10") {
  const Tensor x = tensor(float32, {4}, {1, 2, 3, 4});
  const auto y = [&](float scale) {
    return elements(
        results(10, "Resize", {"x", "scales"}, x, {}, {floats("scales", {1}, {scale})}).at(0));
  };
  CHECK(y(0.6f) == Doubles{1, 3});
  CHECK(y(1.5f) == Doubles{1, 1, 2, 3, 3, 4});
  const std::vector<Message> scales{floats("scales", {1}, {0.6f})};  // always the element before
  CHECK(elements(results(9, "Upsample", {"x", "scales"}, x, {}, scales).at(0)) == Doubles{1, 2});
}

TEST_CASE("onnx: LayerNormalization before operator set 17, as ONNX Runtime writes it") {
  const Tensor x = tensor(float32, {1, 2}, {3, -1});
  CHECK(elements(results(11, "LayerNormalization", {"x", "scale"}, x, {attribute("epsilon", 0.0f)},
                         {floats("scale", {2}, {1, 2})})
                     .at(0)) == Doubles{1, -2});
}

TEST_CASE("onnx: recurrent operators of operator set 1") {
  const Tensor x = tensor(float32, {2, 1, 1}, {1, 2});
  const std::vector<Message> one{floats("w", {1, 1, 1}, {1}), floats("r", {1, 1, 1}, {1})};
  Message activations;  // a list of texts
  activations.text(1, "activations").integer(20, 8).text(9, "Relu");
  const std::vector<Message> options{attribute("hidden_size", 1), attribute("output_sequence", 1),
                                     activations};
  CHECK(elements(results(1, "RNN", {"x", "w", "r"}, x, options, one).at(0)) == Doubles{1, 3});
}

TEST_CASE("onnx: results that nothing reads need no counterpart") {
  const Tensor x = tensor(float32, {1, 1, 1, 2}, {3, 4});
  const std::vector<Message> window{attribute("kernel_shape", Ints{1, 2})};
  CHECK(elements(results(17, "MaxPool", {"x"}, x, window, {}, {"y", "at"}).at(0)) == Doubles{4});
  CHECK_THROWS_AS(results(17, "MaxPool", {"x"}, x, window, {}, {"y", "at"}, {"y", "at"}),
                  NotSupportedError);
}
