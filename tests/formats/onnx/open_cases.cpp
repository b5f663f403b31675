// Small models whose inputs have names in place of sizes.
#include "tests/formats/onnx/cases.h"

namespace webnn::inline v0_1::onnx::test {
namespace {

using enum ElementType;
using webnn::test::tensor;

Tensor f32(Dims shape, const std::vector<double>& values) { return tensor(float32, shape, values); }

Case named(std::string name, const std::vector<std::string>& dims, Tensor x, Tensor y) {
  Case c{std::move(name)};
  c.writer.input("x", dims).output("y").initializer(int64s("zero", {1}, {0}));
  c.inputs["x"] = std::move(x);
  c.outputs.push_back(std::move(y));
  return c;
}

/// [batch, sequence, 4] as [batch, 2, sequence, 2].
Case heads() {
  Case c = named("open_heads", {"batch", "sequence", "4"}, f32({1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}),
                 f32({1, 2, 2, 2}, {1, 2, 5, 6, 3, 4, 7, 8}));
  c.writer.initializer(int64s("two", {1}, {2})).initializer(int64s("rest", {1}, {-1}));
  c.writer.node("Shape", {"x"}, {"shape"}).node("Slice", {"shape", "zero", "two"}, {"rows"});
  c.writer.node("Concat", {"rows", "two", "rest"}, {"split"}, {attribute("axis", 0)});
  c.writer.node("Reshape", {"x", "split"}, {"last"});
  c.writer.node("Transpose", {"last"}, {"y"}, {attribute("perm", Ints{0, 2, 1, 3})});
  return c;
}

/// The places of the elements, added.
Case places() {
  Case c = named("open_places", {"n"}, f32({3}, {5, 5, 5}), f32({3}, {5, 6, 7}));
  c.writer.initializer(int64s("first", {}, {0})).initializer(int64s("one", {}, {1}));
  c.writer.node("Size", {"x"}, {"count"}).node("Range", {"first", "count", "one"}, {"numbers"});
  c.writer.node("Cast", {"numbers"}, {"floats"}, {attribute("to", 1)});
  c.writer.node("Add", {"x", "floats"}, {"y"});
  return c;
}

Case empty_cache() {
  Case c = named("open_cache", {"1", "new"}, f32({1, 2}, {1, 2}), f32({1, 2}, {1, 2}));
  c.writer.input("past_key", {"1", "past"});
  c.inputs["past_key"] = {float32, {1, 0}};
  c.writer.node("Concat", {"past_key", "x"}, {"y"}, {attribute("axis", 1)});
  return c;
}

Case enlarged() {
  Case c = named("open_resize", {"1", "1", "height", "width"}, f32({1, 1, 1, 2}, {0, 4}),
                 f32({1, 1, 2, 4}, {0, 1, 3, 4, 0, 1, 3, 4}));
  c.writer.initializer(int64s("twice", {4}, {1, 1, 2, 2}));
  c.writer.node("Shape", {"x"}, {"shape"}).node("Mul", {"shape", "twice"}, {"sizes"});
  c.writer.node("Resize", {"x", "", "", "sizes"}, {"y"}, {attribute("mode", "linear")});
  return c;
}

Case chosen() {
  const auto branch = [](const char* op) {
    return Message().message(1, node_of(op, {"x"}, {"r"})).message(12, Message().text(1, "r"));
  };
  Case c = named("open_if", {"n"}, f32({2}, {1, 2}), f32({2}, {-1, -2}));
  c.writer.initializer(int64s("one", {}, {1})).node("Size", {"x"}, {"count"});
  c.writer.node("Greater", {"count", "one"}, {"several"});
  c.writer.node("If", {"several"}, {"y"},
                {graph_attribute("then_branch", branch("Neg")),
                 graph_attribute("else_branch", branch("Abs"))});
  return c;
}

/// Two steps, of which a sequence has one.
Case sequences() {
  Case c =
      named("open_gru", {"steps", "batch", "1"}, f32({2, 1, 1}, {0, 0}), f32({2, 1, 1, 1}, {0, 0}));
  c.writer.input("lengths", {"batch"}, INT32);
  c.inputs["lengths"] = tensor(int32, {1}, {1});
  c.writer.initializer(floats("w", {1, 3, 1}, {1, 1, 1}));
  c.writer.initializer(floats("r", {1, 3, 1}, {1, 1, 1}));
  c.writer.node("GRU", {"x", "w", "r", "", "lengths"}, {"y"}, {attribute("hidden_size", 1)});
  return c;
}

}  // namespace

void add_open(std::vector<Case>& all) {
  for (Case c : {heads(), places(), empty_cache(), enlarged(), chosen(), sequences()})
    all.push_back(std::move(c));
}

}  // namespace webnn::inline v0_1::onnx::test
