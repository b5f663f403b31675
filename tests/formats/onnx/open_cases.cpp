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

/// Over the rows of x, which are joined behind one row: [[0, 0], x...].
Case rows_in_a_loop() {
  Case c = named("open_loop", {"n", "2"}, f32({2, 2}, {1, 2, 3, 4}),
                 f32({3, 2}, {0, 0, -1, -2, -3, -4}));
  c.writer.initializer(floats("none", {1, 2}, {0, 0})).initializer(int64s("first", {}, {0}));
  c.writer.node("Shape", {"x"}, {"shape"});
  c.writer.node("Gather", {"shape", "first"}, {"rows"}, {attribute("axis", 0)});
  const Message body =
      graph_of({node_of("Gather", {"x", "i"}, {"row"}), node_of("Neg", {"row"}, {"other"}),
                node_of("Unsqueeze", {"other", "zero"}, {"line"}),
                node_of("Concat", {"all", "line"}, {"more"}, {attribute("axis", 0)}),
                node_of("Identity", {"go"}, {"on"})},
               {"i", "go", "all"}, {"on", "more"});
  c.writer.node("Loop", {"rows", "", "none"}, {"y"}, {graph_attribute("body", body)});
  return c;
}

/// As long as the place is below the number of rows; the result is the number of elements.
Case loop_with_a_condition() {
  Case c = named("open_while", {"n"}, f32({3}, {1, 2, 3}), f32({3}, {8, 16, 24}));
  c.writer.initializer(int64s("one", {}, {1})).initializer(int64s("none", {}, {0}));
  c.writer.node("Size", {"x"}, {"count"}).node("Less", {"none", "count"}, {"first"});
  const Message body =
      graph_of({node_of("Add", {"v", "v"}, {"w"}), node_of("Add", {"k", "one"}, {"k1"}),
                node_of("Less", {"k1", "count"}, {"on"})},
               {"i", "go", "v", "k"}, {"on", "w", "k1"});
  c.writer.node("Loop", {"", "first", "x", "none"}, {"y", ""}, {graph_attribute("body", body)});
  return c;
}

/// Sums of the rows so far.
Case scan_of_rows() {
  Case c = named("open_scan", {"n", "2"}, f32({3, 2}, {1, 2, 3, 4, 5, 6}),
                 f32({3, 2}, {1, 2, 4, 6, 9, 12}));
  c.writer.initializer(floats("none", {2}, {0, 0}));
  const Message body =
      graph_of({node_of("Add", {"sum", "row"}, {"next"}), node_of("Identity", {"next"}, {"seen"})},
               {"sum", "row"}, {"next", "seen"});
  c.writer.node("Scan", {"none", "x"}, {"last", "y"},
                {graph_attribute("body", body), attribute("num_scan_inputs", 1)});
  return c;
}

}  // namespace

void add_open(std::vector<Case>& all) {
  for (Case c : {heads(), places(), empty_cache(), enlarged(), chosen(), sequences(),
                 rows_in_a_loop(), loop_with_a_condition(), scan_of_rows()})
    all.push_back(std::move(c));
}

}  // namespace webnn::inline v0_1::onnx::test
