#include <cmath>

#include "src/builder/builder_state.h"
#include "src/formats/common/failures.h"
#include "src/formats/onnx/import/call.h"
#include "src/formats/onnx/import/node_order.h"
#include "src/formats/onnx/import/padded.h"

namespace webnn::inline v0_1::onnx {
namespace {

constexpr std::uint64_t max_steps = std::uint64_t{1} << 20;

/// What the builder, or a handler, said of a node, with the node before it.
[[noreturn]] void rethrow(const Error& e, const std::string& node, const File& file) {
  Failure f = formats::failure_of(e, "onnx");
  // The builder's rule is WebNN's, not one of the format, where it is about types and ranks.
  const std::string reason = e.reason();
  if (e.op() != "onnx" &&
      (reason.find("data type") != std::string::npos || reason.find("rank") != std::string::npos))
    f.name = ErrorName::NotSupportedError;
  raise({format("{}: {}", {node, f.message}), f.name}, "onnx", file.label);
}

}  // namespace

std::string name_of_node(const Node& node, std::size_t index, std::int64_t version) {
  const std::string type = escaped(truncated(node.op_type, 80));
  const std::string domain = escaped(truncated(node.domain, 80));
  return format("node {}{}{} ({}{}{}-{})",
                {index, node.name.empty() ? "" : " ", node.name.empty() ? "" : in_quotes(node.name),
                 domain, domain.empty() ? "" : ":", type, version});
}

std::int64_t version_of(std::span<const OpsetImport> opsets, std::string_view domain) {
  for (const OpsetImport& o : opsets)
    if (o.domain == domain) return o.version;
  return 0;
}

Scope::Scope(Import& import, std::span<const Node> nodes, std::span<const OpsetImport> opsets,
             const Scope* outer, std::span<const Attribute> attributes, int depth)
    : import_(import),
      nodes_(nodes),
      opsets_(opsets),
      outer_(outer),
      attributes_(attributes),
      depth_(depth) {
  if (depth > max_depth)
    refuse(import.file, fail("subgraphs and functions are deeper than {}", max_depth));
}

void Scope::add_initializers(std::span<const Tensor> tensors) {
  for (const Tensor& t : tensors) set(t.name, {.tensor = &t});
}

void Scope::set(std::string_view name, Value v) {
  if (v.tensor) {
    v.boolean = v.tensor->type == ElementType::BOOL;
    if (is_narrow(v.tensor->type)) v.narrow = v.tensor->type;
    if (is_empty(*v.tensor)) {
      v.empty = ops::Sizes(v.tensor->dims.begin(), v.tensor->dims.end());
      v.type = is_narrow(v.narrow) ? *wider_type_of(v.narrow)
                                   : data_type_of(v.tensor->type).value_or(float32);
    }
  }
  if (!values_.emplace(name, std::move(v)).second)
    refuse(import_.file, fail("the value {} is defined twice", in_quotes(name)));
}

Value* Scope::find(std::string_view name) const {
  for (const Scope* s = this; s; s = s->outer_)
    if (const auto v = s->values_.find(name); v != s->values_.end()) return &v->second;
  return nullptr;
}

MLOperand Scope::operand(Value& v, std::string_view name) const {
  if (v.x) return v.x;
  const auto stop = [&](const Failure& f) {
    const Failure named{format("the tensor {}: {}", {in_quotes(name), f.message}), f.name};
    if (f.name == ErrorName::NotSupportedError) unsupported(import_.file, named);
    refuse(import_.file, named);
  };
  if (v.sequence)
    unsupported(import_.file, fail("{} is a sequence, not a tensor", in_quotes(name)));
  if (v.empty)
    unsupported(import_.file,
                fail("{} has no elements, which WebNN does not allow", in_quotes(name)));
  if (!v.tensor) refuse(import_.file, fail("{} has no value", in_quotes(name)));
  auto d = descriptor_of(*v.tensor);
  if (!d) stop(d.failure());
  auto bytes = constant_of(import_, *v.tensor);
  if (!bytes) stop(bytes.failure());
  return v.x = import_.builder.constant(*d, std::move(*bytes));
}

const Attribute* Scope::resolve(const Attribute& a) const {
  if (a.reference.empty()) return &a;
  for (const Attribute& given : attributes_)
    if (given.name == a.reference) return &given;
  return nullptr;
}

const Function* function_of(const ModelProto& model, const Node& node) {
  for (const Function& f : model.functions)
    if (f.domain == node.domain && f.name == node.op_type && f.overload == node.overload) return &f;
  return nullptr;
}

namespace {

/// Refuses a node whose inputs are not available, if it would be refused with any.
void check_operator(const Scope& scope, const Node& node, std::size_t index) {
  const Import& import = scope.import();
  if (function_of(import.model, node) || handler_of(node.domain, node.op_type)) return;
  unsupported(import.file, {name_of_node(node, index, version_of(scope.opsets(), node.domain)) +
                            ": " + std::string(no_counterpart)});
}

}  // namespace

bool Scope::note(const Error& e, std::size_t index) {
  formats::ImportLog* log = depth_ == 0 ? import_.log : nullptr;
  if (!log && e.name() != ErrorName::NotSupportedError) return false;
  import_.refusals.push_back(e.reason());
  if (log) log->refusals.emplace(index, e.reason());
  return true;
}

void Scope::note_types(const Node& node) const {
  if (depth_ > 0 || !import_.log) return;
  for (std::string_view output : node.outputs) {
    const Value* v = find(output);
    if (output.empty() || !v || (!v->x && !v->empty)) continue;
    formats::ImportLog::Type& t = import_.log->types[std::string(output)];
    const MLOperandDataType type = v->x ? v->x.dataType() : v->type;
    t.element = v->boolean             ? "bool"
                : is_narrow(v->narrow) ? formats::lower_case(name_of(v->narrow))
                                       : std::string(webnn::name_of(type));
    t.shape = v->x ? formats::view_shape(v->x)
                   : '[' + joined(*v->empty, ", ", [](auto d) { return std::to_string(d); }) + ']';
  }
}

void Scope::import_nodes(std::span<const std::string_view> outputs) {
  NodeOrder order = order_of(import_, nodes_, opsets_, outputs);
  needed_ = std::move(order.names);
  read_as_they_are_ = std::move(order.read_as_they_are);
  for (const std::size_t i : order.nodes) {
    if (++import_.steps > max_steps)
      refuse(import_.file,
             fail("it has more than {} nodes, with those that loops repeat", max_steps));
    const std::size_t recorded = import_.refusals.size();
    bool available = true;
    for (std::string_view input : nodes_[i].inputs)
      if (const Value* v = input.empty() ? nullptr : find(input)) available &= !v->unavailable;
    try {
      if (available) {
        import_node(nodes_[i], i);
        note_types(nodes_[i]);
        continue;
      }
      check_operator(*this, nodes_[i], i);
    } catch (const Error& e) {
      if (!note(e, i)) throw;
    } catch (const NeedsInput&) {}
    if (depth_ > 0 && import_.refusals.size() > recorded) {
      // The node around it is refused, and names what is inside.
      const std::string reason = import_.refusals.back();
      import_.refusals.resize(recorded);
      unsupported(import_.file, {reason});
    }
    for (std::string_view output : nodes_[i].outputs)
      if (!output.empty() && !values_.count(output)) set(output, {.unavailable = true});
  }
}

namespace {

/// Inlines the call of a function of the model.
void import_call(Scope& scope, const Node& node, const Function& f) {
  Import& import = scope.import();
  std::vector<Attribute> attributes;
  for (const Attribute& a : node.attributes)
    if (const Attribute* given = scope.resolve(a)) {
      attributes.push_back(*given);
      attributes.back().name = a.name;
    }
  attributes.insert(attributes.end(), f.defaults.begin(), f.defaults.end());
  Scope inner(import, f.nodes, f.opsets, nullptr, attributes, scope.depth() + 1);
  for (std::size_t i = 0; i < f.inputs.size(); ++i) {
    if (i >= node.inputs.size() || node.inputs[i].empty()) {
      inner.set(f.inputs[i], {.absent = true});
      continue;
    }
    Value* v = scope.find(node.inputs[i]);
    if (!v) refuse(import.file, fail("its input {} has no value", in_quotes(node.inputs[i])));
    inner.set(f.inputs[i], *v);
  }
  const auto wanted = [&](std::size_t i) {
    return !node.outputs[i].empty() && scope.needs(node.outputs[i]);
  };
  std::vector<std::string_view> outputs;
  for (std::size_t i = 0; i < f.outputs.size() && i < node.outputs.size(); ++i)
    if (wanted(i)) outputs.push_back(f.outputs[i]);
  inner.import_nodes(outputs);
  for (std::size_t i = 0; i < f.outputs.size() && i < node.outputs.size(); ++i) {
    if (!wanted(i)) continue;
    Value* v = inner.find(f.outputs[i]);
    if (!v)
      refuse(import.file, fail("the function's output {} has no value", in_quotes(f.outputs[i])));
    scope.set(node.outputs[i], *v);
  }
}

void check_counts(const Call& call, const Handler& h) {
  const auto check = [&](std::string_view what, std::size_t n, std::uint32_t min,
                         std::uint32_t max) {
    if (n < min) call.refuse(fail("it has {} {}s, fewer than {}", n, what, min));
    if (n > max) call.refuse(fail("it has {} {}s, more than {}", n, what, max));
  };
  check("input", call.inputs(), h.min_inputs, h.max_inputs);
  check("output", call.outputs(), 1, h.max_outputs);
}

/// Integer kernels read the quantized constant, so that its numbers are not computed here.
bool is_dequantized(const MLOperand& x, const MLGraphBuilder& b) {
  if (x.record().kind != OperandKind::result) return false;
  const webnn::NodeData& node = detail::state_of(b)->data.nodes[x.record().producer];
  return node.op.kind() == ops::AllOps::index_of<ops::dequantizeLinear>();
}

bool has_subgraph(const Node& node) {
  return std::any_of(node.attributes.begin(), node.attributes.end(),
                     [](const Attribute& a) { return a.type == AttributeType::graph; });
}

bool is_computed(const Value& v) { return !v.x || v.x.constant() || v.computed; }

bool follows_from_constants(const Scope& scope, const Node& node) {
  for (std::string_view input : node.inputs) {
    if (input.empty()) continue;
    const Value* v = scope.find(input);
    if (!v) continue;
    if (!is_computed(*v)) return false;
    if (v->sequence && !std::ranges::all_of(*v->sequence, is_computed)) return false;
  }
  return true;
}

/// Results that follow from shapes become constants when no open size counts.
void fold_shapes(Scope& scope, const Node& node) {
  formats::PartialValues* partial = scope.import().partial.get();
  if (!partial) return;
  for (std::string_view output : node.outputs) {
    Value* v = output.empty() ? nullptr : scope.find(output);
    // Floats are computed when they have to be known: as without open dimensions.
    if (!v || !v->x || is_float(v->x.dataType())) continue;
    if (auto k = partial->constant(v->x)) v->x = std::move(*k);
  }
}

/// Results that follow from constants alone are computed at once, when they are small. All of them
/// take memory, however small the file is.
void fold(Scope& scope, const Node& node) {
  if (!follows_from_constants(scope, node)) return fold_shapes(scope, node);
  for (std::string_view output : node.outputs) {
    if (output.empty()) continue;
    Value* v = scope.find(output);
    // WebNN has no identity of 4 bits, with which a constant becomes an output.
    if (!v || !v->x || v->x.constant() || bits_of(v->x.dataType()) < 8) continue;
    if (is_dequantized(v->x, scope.import().builder)) continue;
    auto k = formats::folded(v->x, scope.import().builder);
    if (!k && has_subgraph(node)) continue;  // which may read inputs
    if (auto bad =
            scope.import().budget.spend(byte_length(v->x.descriptor()), "values that are computed"))
      refuse(scope.import().file, *bad);
    v->computed = true;
    if (k) v->x = std::move(*k);
  }
}

/// The handler read a size that is open.
[[noreturn]] void needs_size(const Scope& scope, const Node& node, const std::string& name) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Value* v = scope.find(node.inputs[i]);
    if (!v || !v->x || !v->x.is_open()) continue;
    unsupported(scope.import().file,
                fail("{}: a size has to be known, but its input {} has shape {}, which follows "
                     "from {}: {}",
                     name, in_quotes(node.inputs[i]), Call::shape_text(v->x), open_dimensions(v->x),
                     give_a_size));
  }
  unsupported(scope.import().file, fail("{}: a size has to be known: {}", name, give_a_size));
}

}  // namespace

void Scope::import_node(const Node& node, std::size_t index) {
  const File& file = import_.file;
  const std::int64_t version = version_of(opsets_, node.domain);
  try {
    if (const Function* f = function_of(import_.model, node)) {
      import_call(*this, node, *f);
      return;
    }
    if (auto own = custom_operator_of(import_, node, version)) {
      Call call(*this, node, version);
      refuse_padded(call);
      import_custom(call, std::move(own));
      fold(*this, node);
      return;
    }
    const Handler* handler = handler_of(node.domain, node.op_type);
    if (!handler) unsupported(file, {std::string(no_counterpart)});
    if (version < 1 || (node.domain.empty() && version > max_opset))
      unsupported(file, fail("the operator set ({}) is not one of 1 to {}", version, max_opset));
    if (version < handler->since)
      refuse(file, fail("the operator is in operator set {} and later", handler->since));
    Call call(*this, node, version);
    check_counts(call, *handler);
    if (!import_without_elements(call)) handler->import(call);
    call.check_all_read();
    for (std::string_view output : node.outputs)
      if (!output.empty() && needs(output) && !values_.count(output))
        unsupported(file, fail("its output {} has no counterpart in WebNN", in_quotes(output)));
    follow_padding(call);
    fold(*this, node);
  } catch (const InvalidStateError& e) {
    if (import_.partial) needs_size(*this, node, name_of_node(node, index, version));
    rethrow(e, name_of_node(node, index, version), file);
  } catch (const Error& e) {
    rethrow(e, name_of_node(node, index, version), file);
  } catch (const Broken& e) {
    refuse(file, {format("{}: {}", {name_of_node(node, index, version), e.text(file.bytes)})});
  }
}

}  // namespace webnn::inline v0_1::onnx
