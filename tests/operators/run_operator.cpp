#include "tests/operators/run_operator.h"

namespace webnn::inline v0_1::test {
namespace {

std::vector<Tensor> results_of(int threads, bool folded, const operators::Definition& definition,
                               const std::vector<Tensor>& operands,
                               const CustomAttributes& attributes) {
  MLContext context({.threads = threads});
  MLGraphBuilder b(context);
  std::vector<MLOperand> inputs;
  std::vector<NamedInput> given;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < operands.size(); ++i) names.push_back("x" + std::to_string(i));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Tensor& x = operands[i];
    if (folded) {
      inputs.push_back(b.constant(x.descriptor(), x.bytes));
      continue;
    }
    inputs.push_back(b.input(names[i], {x.type, x.shape}));
    given.push_back({names[i], x.bytes});
  }
  const auto made = b.custom(definition, inputs, {.attributes = attributes});
  NamedOperands outputs;
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const MLOperandDescriptor d = made[i].descriptor();
    results.push_back({d.dataType, d.shape, std::vector<std::byte>(byte_length(d))});
    outputs.push_back({"y" + std::to_string(i), b.identity(made[i])});
  }
  const MLGraph graph = b.build(outputs);
  std::vector<NamedOutput> taken;
  for (std::size_t i = 0; i < results.size(); ++i)
    taken.push_back({outputs[i].name, results[i].bytes});
  context.compute(graph, std::span<const NamedInput>(given), std::span<const NamedOutput>(taken));
  return results;
}

}  // namespace

std::vector<Tensor> run_operator(const operators::Definition& definition,
                                 const std::vector<Tensor>& operands,
                                 const CustomAttributes& attributes) {
  const auto results = results_of(1, false, definition, operands, attributes);
  const auto with_threads = results_of(3, false, definition, operands, attributes);
  const auto folded = results_of(1, true, definition, operands, attributes);
  for (std::size_t i = 0; i < results.size(); ++i) {
    CHECK(results[i].bytes == with_threads[i].bytes);
    CHECK(results[i].bytes == folded[i].bytes);
  }
  return results;
}

}  // namespace webnn::inline v0_1::test
