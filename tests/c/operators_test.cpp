// Every operator through the C interface, by its own function and by its name: the same graph and
// the same bits as from C++.
#include <cstring>

#include "src/formats/common/operator_rows.h"
#include "tests/c/given.h"
#include "tests/random/generator.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

std::string_view view(webnn_string s) { return {s.data, s.length}; }

/// Stops the test with the message of an error.
void require(webnn_status status, webnn_error* error) {
  if (status == WEBNN_OK) return;
  const std::string message(view(webnn_error_message(error)));
  webnn_error_release(error);
  FAIL(message);
}

// The operator of a node by its own function.

template <class Op> Called call_typed(Given& given, const Node& node) {
  return call(given, *node.as<Op>());
}
Called by_function(Given& given, const Node& node) {
  static const auto calls = []<class... Op>(ops::OpList<Op...>) {
    return std::vector<Called (*)(Given&, const Node&)>{&call_typed<Op>...};
  }(ops::DeclaredOps{});
  return calls[node.kind()](given, node);
}

// And by its name.

/// Attributes, and the lists that they refer to.
struct Attributes {
  std::vector<webnn_attribute> all{};
  std::deque<std::string> texts{};
  std::deque<std::vector<webnn_number>> numbers{};
  std::deque<std::vector<webnn_string>> strings{};

  webnn_string text(std::string s) {
    const std::string& kept = texts.emplace_back(std::move(s));
    return {kept.data(), kept.size()};
  }
  static webnn_number number(const formats::Value& v) {
    webnn_number n{WEBNN_NUMBER_FLOAT64, {}};
    if (v.kind == formats::Value::Kind::boolean) {
      n.value.float64 = v.text == "true";
      return n;
    }
    MLNumber read;
    REQUIRE(!formats::from_value(v, read));
    return Given()(read);
  }
  static bool is_number(const formats::Value& v) {
    return v.kind == formats::Value::Kind::number || v.kind == formats::Value::Kind::boolean;
  }
  void add(std::string_view name, const formats::Value& v) {
    webnn_attribute a{{name.data(), name.size()}, WEBNN_ATTRIBUTE_NUMBER, 0, {}};
    if (v.kind == formats::Value::Kind::null) return;
    if (is_number(v)) a.value.number = number(v);
    else if (v.is_text()) {
      a.kind = WEBNN_ATTRIBUTE_STRING;
      a.value.string = text(v.text);
    } else if (v.items.empty() || is_number(v.items[0])) {
      auto& list = numbers.emplace_back();
      for (const auto& item : v.items) list.push_back(number(item));
      a.kind = WEBNN_ATTRIBUTE_NUMBERS;
      a.length = list.size();
      a.value.numbers = list.data();
    } else {
      auto& list = strings.emplace_back();
      for (const auto& item : v.items) list.push_back(text(item.text));
      a.kind = WEBNN_ATTRIBUTE_STRINGS;
      a.length = list.size();
      a.value.strings = list.data();
    }
    all.push_back(a);
  }
};

Called by_name(Given& given, const Node& node) {
  using Form = formats::OperatorRow::Form;
  const formats::OperatorRows& rows = formats::rows_of(node.kind());
  Attributes attributes;
  std::vector<webnn_operand*> operands;
  for (const formats::OperatorRow& row : rows.rows) {
    if (row.is_attribute()) {
      attributes.add(row.name, row.value(node.op()));
      continue;
    }
    for (const MLOperand& x : formats::operands_of(row, node.op()))
      if (row.form == Form::optional_operand) {
        webnn_attribute a{{row.name.data(), row.name.size()}, WEBNN_ATTRIBUTE_OPERAND, 0, {}};
        a.value.operand = given(x);
        attributes.all.push_back(a);
      } else operands.push_back(given(x));
  }
  attributes.add("label", formats::Value::string(std::string(node.label())));
  Called y;
  y.status = webnn_builder_op(given.builder, {node.name().data(), node.name().size()},
                              operands.data(), operands.size(), attributes.all.data(),
                              attributes.all.size(), y.outputs, 64, &y.length, &y.error);
  return y;
}

/// A graph made again through the C interface.
struct Copied {
  webnn_graph* graph = nullptr;

  Copied(webnn_context* context, const Graph& from, Called (*append)(Given&, const Node&)) {
    Given given;
    webnn_error* error = nullptr;
    require(webnn_builder_create(context, &given.builder, &error), error);
    for (std::size_t i = 0; i < from.operand_count(); ++i) add_leaf(given, from.operand(i));
    for (std::size_t i = 0; i < from.size(); ++i) {
      const Node node = from.node(i);
      const Called y = append(given, node);
      require(y.status, y.error);
      REQUIRE(y.length == node.outputs().size());
      for (std::size_t k = 0; k < y.length; ++k)
        given.operands[&node.output(k).record()] = y.outputs[k];
    }
    std::vector<webnn_named_operand> outputs;
    for (const auto& [name, x] : from.outputs()) outputs.push_back({given(name), given(x)});
    require(
        webnn_builder_build(given.builder, outputs.data(), outputs.size(), nullptr, &graph, &error),
        error);
    for (const auto& [record, operand] : given.operands) webnn_operand_release(operand);
    webnn_builder_release(given.builder);
  }
  ~Copied() { webnn_graph_release(graph); }

  std::string text() const {
    webnn_text* text = nullptr;
    webnn_error* error = nullptr;
    require(webnn_graph_text(graph, &text, &error), error);
    const std::string s(view(webnn_text_string(text)));
    webnn_text_release(text);
    return s;
  }

 private:
  static void add_leaf(Given& given, const MLOperand& x) {
    const OperandRecord& r = x.record();
    if (r.kind == OperandKind::result) return;
    webnn_operand*& made = given.operands[&r];
    webnn_error* error = nullptr;
    if (x.is_open()) {
      std::vector<webnn_dimension> all;
      const MLDimensions dimensions = *x.dimensions();
      for (const MLDimension& n : dimensions)
        if (n.is_open())
          all.push_back({given(n.dynamic().name), 0, n.dynamic().minSize, n.dynamic().maxSize});
        else all.push_back({{}, n.size(), 0, 0});
      require(webnn_builder_input_dimensions(given.builder, given(r.name), given(x.dataType()),
                                             all.data(), all.size(), &made, &error),
              error);
      return;
    }
    const webnn_descriptor d{given(x.dataType()), given(x.shape())};
    if (r.kind == OperandKind::input) {
      require(webnn_builder_input(given.builder, given(r.name), &d, &made, &error), error);
      return;
    }
    const auto bytes = x.constant()->bytes();
    require(webnn_builder_constant(given.builder, &d, bytes.data(), bytes.size(), &made, &error),
            error);
  }
};

using Bytes = std::vector<std::vector<std::byte>>;

Bytes results(const MLContext& context, const MLGraph& graph, const Inputs& inputs) {
  std::vector<NamedInput> in;
  for (const auto& [name, t] : graph.inputs()) in.push_back({name, inputs.at(name).bytes});
  Bytes all;
  for (const auto& [name, d] : graph.outputs()) all.emplace_back(byte_length(d));
  std::vector<NamedOutput> out;
  for (std::size_t i = 0; i < all.size(); ++i)
    out.push_back({graph.outputs()[i].name, std::span(all[i])});
  MLContext(context).compute(graph, in, out);
  return all;
}
Bytes results(webnn_context* context, const Copied& copied, const Inputs& inputs) {
  std::vector<webnn_input_view> in;
  std::vector<webnn_output_view> out;
  Bytes all(webnn_graph_output_count(copied.graph));
  webnn_named_descriptor d;
  for (std::size_t i = 0; webnn_graph_input(copied.graph, i, &d); ++i) {
    const Tensor& t = inputs.at(std::string(view(d.name)));
    in.push_back({d.name, t.bytes.data(), t.bytes.size()});
  }
  webnn_error* error = nullptr;
  for (std::size_t i = 0; webnn_graph_output(copied.graph, i, &d); ++i) {
    std::uint64_t bytes = 0;
    require(webnn_byte_length(&d.descriptor, &bytes, &error), error);
    all[i].resize(bytes);
    out.push_back({d.name, all[i].data(), all[i].size()});
  }
  require(webnn_context_compute(context, copied.graph, in.data(), in.size(), out.data(), out.size(),
                                nullptr, &error),
          error);
  return all;
}

void check_all_operators(Called (*append)(Given&, const Node&)) {
  const MLContext cpp({.threads = 1, .keepConstants = true});
  webnn_context* c = nullptr;
  webnn_error* error = nullptr;
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  options.threads = 1;
  options.keep_constants = 1;
  require(webnn_context_create(&options, &c, &error), error);
  for (std::size_t kind = 0; kind < ops::AllOps::size; ++kind)
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      CAPTURE(ops::AllOps::names[kind], seed);
      MLGraphBuilder b(cpp);
      const RandomGraph random = random_operator(b, kind, seed);
      const MLGraph graph = b.build(random.outputs);
      const Copied copied(c, graph.graph(), append);
      CHECK(copied.text() == to_text(graph.graph()));
      CHECK(results(c, copied, random.inputs) == results(cpp, graph, random.inputs));
    }
  webnn_context_release(c);
}

/// A graph with each operator on shapes; x is [batch, 1, n, 6].
MLGraph shape_operators(const MLContext& context) {
  MLGraphBuilder b(context);
  const MLOperand x =
      b.input("x", {float32, {"batch", 1, MLDynamicDimension{.name = "n", .maxSize = 64}, 6}});
  const auto integers = [&](const std::vector<std::uint32_t>& v) {
    return b.constant({uint32, {static_cast<std::uint32_t>(v.size())}}, v);
  };
  const MLOperand n = b.dimension(x, 2, {.label = "n"});
  const MLOperand rows = b.reshape(n, {1}), squeezed = b.squeeze(x, {.axes = {{1}}});
  const MLOperand sizes = b.concat({rows, integers({6})}, 0);
  const MLOperand range = b.range(b.constant(uint32, 0), n, b.constant(uint32, 1));
  const auto parts = b.splitDynamic(x, integers({2, 4}), {.axis = 3});
  const MLOperand window = b.concat({integers({1, 1}), sizes}, 0);
  return b.build({{"shape", b.identity(b.shape(x))},
                  {"rank", b.identity(b.rank(x))},
                  {"range", range},
                  {"squeeze", squeezed},
                  {"unsqueeze", b.unsqueeze(squeezed, {0, 2})},
                  {"reshapeTo2d", b.reshapeTo2d(x, {.axis = 2})},
                  {"reshapeDynamic", b.reshapeDynamic(b.reshapeTo2d(x), b.shape(squeezed))},
                  {"expandDynamic", b.expandDynamic(b.constant(float32, 7), b.shape(x))},
                  {"tileDynamic", b.tileDynamic(x, integers({1, 2, 1, 3}))},
                  {"sliceDynamic", b.sliceDynamic(x, integers({0, 0, 0, 0}), window)},
                  {"padDynamic",
                   b.padDynamic(x, integers({0, 1, 0, 0}), integers({0, 0, 2, 0}), {.value = 3})},
                  {"resample2dDynamic", b.resample2dDynamic(x, {.sizes = sizes})},
                  {"first", parts.at(0)},
                  {"second", parts.at(1)}});
}

void check_operators_on_shapes(Called (*append)(Given&, const Node&)) {
  const MLContext cpp({.threads = 1, .keepConstants = true});
  webnn_context* c = nullptr;
  webnn_error* error = nullptr;
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  options.threads = options.keep_constants = 1;
  require(webnn_context_create(&options, &c, &error), error);
  const MLGraph graph = shape_operators(cpp);
  {
    const Copied copied(c, graph.graph(), append);
    CHECK(copied.text() == to_text(graph.graph()));
    for (const std::uint32_t n : {1u, 5u}) {
      const Dims shape{2, 1, n, 6};
      const webnn_named_dims given{{"x", 1}, {shape.data(), shape.size()}};
      webnn_shapes* shapes = nullptr;
      require(webnn_graph_compute_shapes(copied.graph, &given, 1, &shapes, &error), error);
      const NamedDescriptors expected = graph.computeShapes({{"x", shape}});
      REQUIRE(webnn_shapes_count(shapes) == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        webnn_named_descriptor d;
        REQUIRE(webnn_shapes_get(shapes, i, &d) == 1);
        const auto& [type, sizes] = d.descriptor;
        CHECK(view(d.name) == expected[i].name);
        CHECK(Dims(sizes.data, sizes.data + sizes.length) == expected[i].descriptor.shape);
        CHECK(type == static_cast<webnn_data_type>(expected[i].descriptor.dataType));
      }
      webnn_shapes_release(shapes);
    }
  }
  webnn_context_release(c);
}

}  // namespace

TEST_CASE("every operator on shapes by its function") { check_operators_on_shapes(&by_function); }
TEST_CASE("every operator on shapes by its name") { check_operators_on_shapes(&by_name); }
TEST_CASE("every operator by its function") { check_all_operators(&by_function); }
TEST_CASE("every operator by its name") { check_all_operators(&by_name); }
