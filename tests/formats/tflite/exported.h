// What tests of the exporter share: a graph, what is exported of it, and who runs that.
#pragma once

#include "src/formats/tflite/schema.h"
#include "tests/support/catch.h"
#include "tests/support/run.h"
#include "tests/support/tflite_runtime.h"
#include "tests/support/thrown.h"
#include "webnn/tflite.h"

namespace webnn::inline v0_1::test {

struct Exported {
  Build build;
  std::vector<Tensor> inputs{};
  Tolerance tolerance{};
  std::vector<std::size_t> constants{};  ///< inputs that are constants
  Tolerance runtime{};                   ///< besides, for kernels of the runtime that round more
};

/// Only operators of these contexts' own: what is compared does not depend on the machine.
inline MLContext reference_context() {
  return MLContext({.threads = 1, .backends = {"reference"}});
}

inline MLGraph built(const Exported& c, const MLContext& context) {
  MLGraphBuilder b(context);
  std::vector<MLOperand> operands;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const bool constant = std::find(c.constants.begin(), c.constants.end(), i) != c.constants.end();
    const MLOperandDescriptor d = c.inputs[i].descriptor();
    operands.push_back(constant ? b.constant(d, c.inputs[i].bytes)
                                : b.input("x" + std::to_string(i), d));
  }
  NamedOperands outputs;
  for (const MLOperand& y : c.build.all(b, operands))
    outputs.push_back({"y" + std::to_string(outputs.size()), y});
  return b.build(outputs);
}

/// The inputs that the graph has, in its order.
inline std::vector<Tensor> inputs_of(const MLGraph& graph, const Exported& c) {
  std::vector<Tensor> out;
  for (const auto& [name, d] : graph.inputs()) out.push_back(c.inputs[std::stoul(name.substr(1))]);
  return out;
}

inline std::vector<Tensor> computed(MLContext context, const MLGraph& graph,
                                    std::span<const Tensor> inputs) {
  std::vector<NamedInput> in;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    in.push_back({graph.inputs()[i].name, inputs[i].bytes});
  std::vector<Tensor> results;
  for (const auto& [name, d] : graph.outputs())
    results.push_back({d.dataType, d.shape, std::vector<std::byte>(byte_length(d))});
  std::vector<NamedOutput> out;
  for (std::size_t i = 0; i < results.size(); ++i)
    out.push_back({graph.outputs()[i].name, results[i].bytes});
  context.compute(graph, in, out);
  return results;
}

inline void compare(const std::string& who, const std::vector<Tensor>& results,
                    const std::vector<Tensor>& expected, Tolerance tolerance,
                    const MLGraph& graph) {
  if (results.size() != expected.size()) {
    FAIL_CHECK(who << ": " << results.size() << " results\n" << to_text(graph.graph()));
    return;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string wrong = difference(results[i], expected[i], tolerance);
    if (!wrong.empty())
      FAIL_CHECK(who << ", result " << i << wrong << "\n" << to_text(graph.graph()));
    else SUCCEED();
  }
}

/// "CONV_2D ADD": the operators of a model, in order.
inline std::string operators_of(std::span<const std::byte> bytes) {
  namespace schema = tflite::schema;
  const auto* model = schema::GetModel(bytes.data());
  std::string names;
  for (const auto* op : *model->subgraphs()->Get(0)->operators()) {
    const auto* code = model->operator_codes()->Get(op->opcode_index());
    // Older files have the old field alone.
    const int number =
        std::max<int>(code->deprecated_builtin_code(), static_cast<int>(code->builtin_code()));
    names += (names.empty() ? "" : " ") +
             std::string(schema::EnumNameBuiltinOperator(schema::BuiltinOperator(number)));
  }
  return names;
}

/// Exports the graph; the reference runtime and the importer get from it what the graph itself
/// gives. The operators of the model.
inline std::string check_exported(const Exported& c) {
  const MLContext context = reference_context();
  const MLGraph graph = built(c, context);
  const std::vector<Tensor> inputs = inputs_of(graph, c);
  const std::vector<Tensor> expected = computed(context, graph, inputs);
  const std::vector<std::byte> bytes = tflite::export_model(graph);
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (!tflite::schema::VerifyModelBuffer(verifier)) FAIL_CHECK("the verifier refuses the model");

  if (const TfliteRuntime* runtime = TfliteRuntime::find()) {
    try {
      compare("the reference runtime", runtime->run(bytes, std::span(inputs)), expected,
              c.tolerance + c.runtime, graph);
    } catch (const std::runtime_error& e) {
      FAIL_CHECK(e.what() << "\n" << operators_of(bytes) << "\n" << to_text(graph.graph()));
    }
  }
  MLGraphBuilder b(context);
  const tflite::Model model = tflite::import_model(b, bytes);
  const MLGraph again = b.build(model.outputs);
  compare("the importer", computed(context, again, inputs_of(again, c)), expected, c.tolerance,
          again);
  return operators_of(bytes);
}

/// What export_model() says of a graph that it refuses.
inline std::string refusal_of(const Exported& c) {
  const MLContext context = reference_context();
  const MLGraph graph = built(c, context);
  return thrown([&] { tflite::export_model(graph); });
}

}  // namespace webnn::inline v0_1::test
