#include "src/formats/common/control_values.h"

#include "src/builder/validate.h"
#include "src/formats/common/loop_body_value.h"
#include "src/formats/common/value_text.h"
#include "src/graph/custom.h"
#include "src/graph/failure.h"
#include "src/graph/graph_data.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::formats {
namespace {

using operators::ControlForm;

constexpr int max_depth = 4;  // each level doubles the quotes of the texts within it

int depth_of(const control::LoopBody& body) {
  int depth = 0;
  for (const NodeData& node : body.graph().nodes)
    if (const auto* form =
            operators::control_form(Node(node.op.kind(), node.op.get(), node.outputs)))
      for (const control::LoopBody& inner : form->subgraphs)
        depth = std::max(depth, depth_of(inner));
  return depth + 1;
}

/// The operator that a file means.
Result<std::shared_ptr<const CustomOperator>> found(const ops::custom& op,
                                                    const MLContext& context) {
  const std::string& name = op.definition->name;
  const std::uint32_t version = op.definition->version;
  if (is_control(name)) return control_definition(name, version, op.options.attributes, context);
  auto definition = version ? find_custom_operator(context, name, version) : nullptr;
  if (!definition)
    return fail("the option operators has no {} of version {}", in_quotes(name), version);
  return definition;
}

/// A subgraph of a file, of which each operator is checked. Its results are those that the file
/// says.
Result<control::LoopBody> checked(const control::LoopBody& body, const MLContext& context) {
  auto to = std::make_shared<GraphData>();
  const GraphData& from = body.graph();
  std::vector<MLOperand> copies(from.operands.size());
  for (const auto& [name, x] : from.inputs) {
    if (x.record().open) return fail("an input of a subgraph has open dimensions");
    copies[x.record().id] =
        to->add({.descriptor = x.record().descriptor, .kind = OperandKind::input});
  }
  for (const NodeData& node : from.nodes) {
    Op op = node.op.clone();
    for (MLOperand* x : op.operands()) *x = copies[x->record().id];
    if (is_custom(op.kind())) {
      ops::custom own = *op.as<ops::custom>();
      if (!own.definition) return fail("a custom operator has no name");
      auto definition = found(own, context);
      if (!definition) return definition.failure();
      auto attributes = completed(**definition, std::move(own.options.attributes));
      if (!attributes) return attributes.failure();
      own.definition = std::move(*definition);
      own.options.attributes = std::move(*attributes);
      op = Op::of(std::move(own));
    } else if (op.kind() >= ops::AllOps::size || is_fused(op.kind())) {
      return fail("a subgraph cannot have {}", name_of_kind(op.kind()));
    }
    const auto results = validate(op.kind(), op.get(), to.get(), Rules::specification);
    if (!results) return fail("{}: {}", name_of_op(op.kind(), op.get()), results.failure().message);
    std::vector<MLOperandDescriptor> said;
    for (const MLOperand& y : node.outputs) said.push_back(y.record().descriptor);
    if (*results != said)
      return fail("{} has other results than the file says", name_of_op(op.kind(), op.get()));
    const std::vector<MLOperand> made = to->add(std::move(op), *results);
    for (std::size_t i = 0; i < made.size(); ++i) copies[node.outputs[i].record().id] = made[i];
  }
  for (const auto& [name, y] : from.outputs) to->outputs.push_back({"", copies[y.record().id]});
  return control::LoopBody(std::move(to), body.states(), body.has_condition());
}

std::vector<MLOperandDescriptor> descriptors_of(const NamedOperands& list) {
  std::vector<MLOperandDescriptor> all;
  for (const auto& [name, x] : list) all.push_back(x.record().descriptor);
  return all;
}

/// What the subgraphs of a file have to be.
shape::Check check_form(const ControlForm& form) {
  const bool loops = form.kind == ControlForm::Kind::loop;
  if (form.subgraphs.size() != (loops ? 1u : 2u))
    return fail("it has {} subgraphs", form.subgraphs.size());
  for (const control::LoopBody& body : form.subgraphs) {
    const GraphData &graph = body.graph(), &first = form.subgraphs.front().graph();
    const auto inputs = descriptors_of(graph.inputs), outputs = descriptors_of(graph.outputs);
    const MLOperandDescriptor iteration{int64, {}}, condition{uint8, {}};
    if (inputs != descriptors_of(first.inputs) || outputs != descriptors_of(first.outputs))
      return fail("its subgraphs have different inputs or outputs");
    if (!(inputs.front() == iteration)) return fail("the first input is not an int64 scalar");
    if (!loops && (body.states() > 0 || body.has_condition()))
      return fail("its subgraphs have states");
    if (outputs.empty()) return fail("a subgraph has no outputs");
    if (!loops) continue;
    if (body.sequences() > 0 || body.states() == 0) return fail("a loop has only states");
    if (body.has_condition() && !(outputs.back() == condition))
      return fail("the condition is not a uint8 scalar");
    for (std::size_t k = 0; k < body.states(); ++k)
      if (!(inputs[k + 1] == outputs[k])) return fail("state {} changes its type or shape", k);
  }
  if (form.max_iterations < 1 || form.max_iterations > operators::max_loop_iterations)
    return fail("{} ({}) is not from 1 to {}", operators::iterations_attribute, form.max_iterations,
                operators::max_loop_iterations);
  return {};
}

}  // namespace

bool is_control(std::string_view name) {
  return name == operators::choice_name || name == operators::loop_name;
}

Result<std::vector<MLOperand>> add_control(MLGraphBuilder& b, ControlForm form,
                                           std::vector<MLOperand> inputs, std::string label) {
  std::vector<std::string> texts;
  for (const control::LoopBody& body : form.subgraphs) {
    if (depth_of(body) > max_depth)
      return fail("its subgraphs lie more than {} deep in each other", max_depth);
    texts.push_back(compact_text(to_value(body)));
  }
  if (auto bad = check_form(form)) return *bad;
  CustomOptions options{{{std::string(operators::subgraphs_attribute), std::move(texts)}},
                        std::move(label)};
  return b.custom(operators::control_operator(std::move(form)), std::move(inputs),
                  std::move(options));
}

Result<std::shared_ptr<const CustomOperator>> control_definition(std::string_view name,
                                                                 std::uint32_t version,
                                                                 const CustomAttributes& attributes,
                                                                 const MLContext& context) {
  if (version > 1) return fail("version {} of {} is not known", version, name);
  ControlForm form;
  if (name == operators::loop_name) form.kind = ControlForm::Kind::loop;
  for (const auto& [key, value] : attributes) {
    const auto* iterations = std::get_if<std::int64_t>(&value);
    if (key == operators::iterations_attribute && iterations) form.max_iterations = *iterations;
  }
  const CustomValue* given = attributes.find(operators::subgraphs_attribute);
  const auto* texts = given ? std::get_if<std::vector<std::string>>(given) : nullptr;
  if (!texts) return fail("{} has no attribute {}", name, operators::subgraphs_attribute);
  for (const std::string& text : *texts) {
    const auto value = from_compact_text(text);
    if (!value) return value.failure();
    control::LoopBody body;
    if (auto bad = from_value_with_custom(*value, body)) return *bad;
    auto made = checked(body, context);
    if (!made) return made.failure();
    form.subgraphs.push_back(std::move(*made));
  }
  if (auto bad = check_form(form)) return *bad;
  return operators::control_operator(std::move(form));
}

Result<std::vector<MLOperand>> add_recorded(MLGraphBuilder& b, const SubgraphRecorder& recorder,
                                            std::vector<MLOperand> first, bool has_condition,
                                            std::string label) {
  auto made = recorder.take(has_condition);
  if (!made) return made.failure();
  ControlForm form{
      .kind = made->subgraphs.size() == 1 ? ControlForm::Kind::loop : ControlForm::Kind::choice,
      .subgraphs = std::move(made->subgraphs)};
  first.insert(first.end(), made->shared.begin(), made->shared.end());
  return add_control(b, std::move(form), std::move(first), std::move(label));
}

}  // namespace webnn::inline v0_1::formats
