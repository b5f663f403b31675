#include "tests/support/run.h"

#include <cmath>
#include <cstring>

#include "src/kernels/reference/kernels.h"
#include "tests/support/catch.h"

namespace webnn::inline v0_1::test {
namespace {

struct Built {
  MLContext context;
  MLGraph graph;
  std::vector<MLOperandDescriptor> outputs;
};

std::string name(char letter, std::size_t i) { return letter + std::to_string(i); }

Built build_graph(const Build& build, std::span<const Tensor> inputs,
                  std::vector<BackendChoice> order, std::span<const std::size_t> constants) {
  MLContext context({.backends = std::move(order), .keepConstants = true});
  MLGraphBuilder b(context);
  std::vector<MLOperand> operands;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool constant = std::find(constants.begin(), constants.end(), i) != constants.end();
    const MLOperandDescriptor d = inputs[i].descriptor();
    operands.push_back(constant ? b.constant(d, inputs[i].bytes) : b.input(name('x', i), d));
  }
  NamedOperands outputs;
  std::vector<MLOperandDescriptor> descriptors;
  for (const MLOperand& y : build.all(b, operands)) {
    descriptors.push_back(y.descriptor());
    outputs.push_back({name('y', outputs.size()), y});
  }
  MLGraph graph = b.build(outputs);
  return {context, graph, std::move(descriptors)};
}

/// Filled with a pattern, so that an element that is not written is seen.
std::vector<Tensor> unwritten(const std::vector<MLOperandDescriptor>& descriptors) {
  std::vector<Tensor> all;
  for (const MLOperandDescriptor& d : descriptors)
    all.push_back(
        {d.dataType, d.shape,
         std::vector<std::byte>(static_cast<std::size_t>(byte_length(d)), std::byte{0xcd})});
  return all;
}

std::vector<Tensor> compute(const Built& built, std::span<const Tensor> inputs) {
  std::vector<Tensor> results = unwritten(built.outputs);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::max(inputs.size(), results.size()); ++i) {
    names.push_back(name('x', i));
    names.push_back(name('y', i));
  }
  std::vector<NamedInput> in;
  for (const auto& [needed, d] : built.graph.inputs())
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (needed == names[2 * i]) in.push_back({names[2 * i], inputs[i].bytes});
  std::vector<NamedOutput> out;
  for (std::size_t i = 0; i < results.size(); ++i)
    out.push_back({names[2 * i + 1], results[i].bytes});
  MLContext context = built.context;
  context.compute(built.graph, in, out);
  return results;
}

/// The reference kernel of the only operator: all its tiles at once, and one after the other from
/// the last to the first.
void check_tiles(const Built& built, std::span<const Tensor> inputs) {
  const Graph& graph = built.graph.graph();
  if (graph.size() != 1) return;
  const Node node = graph.node(0);
  const Candidate kernel = reference::make_kernel(node);
  if (kernel.tiles == 1) return;
  std::vector<const std::byte*> in;
  for (const MLOperand& x : node.inputs()) {
    if (x.constant()) in.push_back(x.constant()->bytes().data());
    else in.push_back(inputs[std::stoul(x.record().name.substr(1))].bytes.data());
  }
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> scratch(kernel.scratch / 64 + 1);
  const auto pointers = [](std::vector<Tensor>& tensors) {
    std::vector<std::byte*> all;
    for (Tensor& t : tensors) all.push_back(t.bytes.data());
    return all;
  };
  std::vector<Tensor> whole = unwritten(built.outputs), parts = unwritten(built.outputs);
  const auto to_whole = pointers(whole), to_parts = pointers(parts);
  kernel.run({0, kernel.tiles}, {in, to_whole}, scratch.data()->bytes);
  for (int i = kernel.tiles; i-- > 0;)
    kernel.run({i, i + 1}, {in, to_parts}, scratch.data()->bytes);
  for (std::size_t i = 0; i < whole.size(); ++i)
    if (whole[i].bytes != parts[i].bytes) FAIL_CHECK(node.name() << ": other bits tile by tile");
}

std::string text_of(const std::vector<BackendChoice>& order) {
  std::string s;
  for (const BackendChoice& b : order) s += std::get<std::string>(b) + " ";
  return s.empty() ? "default" : s;
}

void check_results(const Case& c, const Built& built, const std::string& how) {
  const std::vector<Tensor> results = compute(built, c.inputs);
  if (results.size() != c.expected.size())
    FAIL(results.size() << " results instead of " << c.expected.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string wrong = difference(results[i], c.expected[i], c.tolerance);
    if (!wrong.empty())
      FAIL_CHECK("backends " << how << ", result " << i << wrong << "\n"
                             << to_text(built.graph.graph()));
    else SUCCEED();
  }
}

}  // namespace

std::vector<std::vector<BackendChoice>> backend_orders() {
  static const auto names = MLContext().backends();
  std::vector<std::vector<BackendChoice>> orders{{"reference"}};
  for (const std::string& b : names)
    if (b != "reference") orders.push_back({BackendChoice(b), "reference"});
  if (orders.size() > 2) orders.emplace_back();
  return orders;
}

std::vector<Tensor> run(const Build& build, std::span<const Tensor> inputs,
                        std::vector<BackendChoice> order, std::span<const std::size_t> constants) {
  return compute(build_graph(build, inputs, std::move(order), constants), inputs);
}

void check(const Case& c) {
  for (const auto& order : backend_orders()) {
    const Built built = build_graph(c.build, c.inputs, order, c.constants);
    check_results(c, built, text_of(order));
    if (order.size() != 1) continue;  // the reference alone
    check_tiles(built, c.inputs);
    // Passes let it compute float16 in float32; it has kernels for float16 all the same.
    const auto half = [](const Tensor& t) { return t.type == float16; };
    if (std::none_of(c.inputs.begin(), c.inputs.end(), half)) continue;
    setenv("WEBNN_PASSES", "none", 1);
    const Built plain = build_graph(c.build, c.inputs, order, c.constants);
    unsetenv("WEBNN_PASSES");
    check_results(c, plain, "reference, without passes");
  }
}

void check_same(const Build& build, const Build& other, const std::vector<Tensor>& inputs,
                Tolerance tolerance) {
  check({build, inputs, run(other, inputs), tolerance});
}

void check_elementwise(const Build& build, DataTypes types, std::string_view op,
                       const std::function<double(double)>& f, double low, double high) {
  Random random(7);
  for_each_type(types, [&](MLOperandDataType type) {
    for (const Dims& shape : {Dims{}, Dims{7}, Dims{2, 3, 1, 5}, Dims{3, 9973}}) {
      const Tensor x = random.tensor(type, shape, low, high);
      std::size_t i = 0;
      const Tensor y = generated(type, shape, [&](const Dims&) { return f(x[i++]); });
      check({build, {x}, {y}, tolerance_of(op, type)});
    }
  });
}

void check_values(const Build& build, DataTypes types, std::string_view op,
                  const std::vector<std::pair<double, double>>& values) {
  std::vector<double> x, y;
  for (const auto& [from, to] : values) {
    x.push_back(from);
    y.push_back(to);
  }
  const Dims shape{static_cast<std::uint32_t>(values.size())};
  for_each_type(types, [&](MLOperandDataType type) {
    check({build, {tensor(type, shape, x)}, {tensor(type, shape, y)}, tolerance_of(op, type)});
  });
}

void check_binary(const Build& build, DataTypes types, std::string_view op,
                  const std::function<double(double, double)>& f, double low, double high,
                  std::optional<MLOperandDataType> result) {
  Random random(11);
  for_each_type(types, [&](MLOperandDataType type) {
    for (int i = 0; i < 10; ++i) {
      Dims whole = i == 0 ? Dims{5, 4099} : random.shape(random.integer(0, 5));
      Dims a = i < 2 ? whole : random.broadcastable(whole);
      Dims b = i < 3 ? whole : random.broadcastable(whole);
      if (i == 3) b = {};
      if (i == 4) std::swap(a, b);
      const Tensor x = random.tensor(type, a, low, high), z = random.tensor(type, b, low, high);
      Dims shape(std::max(a.size(), b.size()), 1);
      for (const Dims& d : {a, b})
        for (std::size_t k = 0; k < d.size(); ++k)
          shape[shape.size() - d.size() + k] = std::max(shape[shape.size() - d.size() + k], d[k]);
      const Tensor y = generated(result.value_or(type), shape, [&](const Dims& at) {
        return f(x.broadcast_at(at), z.broadcast_at(at));
      });
      check({build, {x, z}, {y}, tolerance_of(op, type)});
    }
  });
}

}  // namespace webnn::inline v0_1::test
