#include "src/operators/control.h"

#include <algorithm>

#include "src/graph/custom.h"
#include "src/graph/graph_data.h"
#include "src/operators/tiles.h"

namespace webnn::inline v0_1::operators {
namespace {

/// infer() of an operator that holds subgraphs: by its type others know the operator.
struct InferResults {
  std::shared_ptr<const ControlForm> form;

  std::vector<MLOperandDescriptor> operator()(const CustomCall& call) const {
    const std::size_t first = form->first_operand();
    const auto require = [&](std::size_t i, const MLOperandDescriptor& d) {
      if (i >= call.inputs.size() || !(call.inputs[i] == d))
        refuse(fail("operand {} is not {} {}", i, d.dataType, d.shape));
    };
    if (form->kind == ControlForm::Kind::loop) require(0, {int64, {}});
    require(first - 1, {uint8, {}});
    for (const control::LoopBody& body : form->subgraphs) {
      const NamedOperands& inputs = body.graph().inputs;
      for (std::size_t i = 1; i < inputs.size(); ++i)
        require(first + i - 1, inputs[i].operand.record().descriptor);
      require_operands(call, first + inputs.size() - 1, first + inputs.size() - 1);
    }
    return results();
  }

  std::vector<MLOperandDescriptor> results() const {
    const control::LoopBody& body = form->subgraphs.front();
    std::vector<MLOperandDescriptor> all;
    for (const auto& [name, y] : body.graph().outputs) all.push_back(y.record().descriptor);
    if (body.has_condition()) all.pop_back();
    return all;
  }
};

/// The kernel that stands for it until the subgraphs are compiled. They have its constants.
Lowering lower(const ControlForm& form, const CustomCall& call) {
  Candidate kernel{.name = form.kind == ControlForm::Kind::loop ? "loop" : "if",
                   .run = [](Range, const Buffers&, std::byte*) {
                     throw std::logic_error("its subgraphs are not compiled");
                   }};
  WeightBlock constants;
  for (std::size_t i = form.first_operand() + form.states(); i < call.constants.size(); ++i)
    if (call.constants[i]) constants.inputs.push_back(static_cast<int>(i));
  if (!constants.inputs.empty()) kernel.weights.push_back(std::move(constants));
  return kernel;
}

bool is_pure_graph(const control::LoopBody& body) {
  return std::ranges::all_of(body.graph().nodes,
                             [](const NodeData& node) { return is_pure(node.op); });
}

}  // namespace

Definition control_operator(ControlForm form) {
  const bool loops = form.kind == ControlForm::Kind::loop;
  const bool pure = std::ranges::all_of(form.subgraphs, is_pure_graph);
  const auto shared = std::make_shared<const ControlForm>(std::move(form));
  CustomOperator o{.name = std::string(loops ? loop_name : choice_name),
                   .attributes = {{std::string(subgraphs_attribute), {}}},
                   .infer = InferResults{shared},
                   .lower = [shared](const CustomCall& call) { return lower(*shared, call); },
                   .pure = pure};
  if (loops) o.attributes.push_back({std::string(iterations_attribute), max_loop_iterations});
  return custom_operator(std::move(o));
}

const ControlForm* control_form(const CustomOperator& definition) {
  const auto* infer = definition.infer.target<InferResults>();
  return infer ? infer->form.get() : nullptr;
}

const ControlForm* control_form(const Node& node) {
  const auto* op = as<ops::custom>(node);
  return op && op->definition ? control_form(*op->definition) : nullptr;
}

const Definition& parameter() {
  static const Definition one = custom_operator(
      {.name = "webnn.Parameter",
       .infer =
           [](const CustomCall& call) {
             require_operands(call, 1, 1);
             return call.inputs;
           },
       .lower = [](const CustomCall&) -> Lowering { return Refusal{"it is of a subgraph"}; },
       .pure = false});
  return one;
}

}  // namespace webnn::inline v0_1::operators
