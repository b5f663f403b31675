// A program, or a graph of the delegate, in the words of its file.
#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "src/formats/common/mapped_file.h"
#include "src/formats/executorch/embedded_schema.h"
#include "src/formats/executorch/import/kernels.h"
#include "src/formats/executorch/import/node.h"
#include "src/formats/executorch/import/plan.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::executorch {
namespace {

using formats::FileGraph;
using formats::FileOperator;
using formats::FileValue;
using formats::FileView;

constexpr std::string_view no_counterpart = "it has no WebNN counterpart";

std::string text_of_bytes(std::string_view text) {
  return std::string(truncated(text, formats::max_view_text));
}
std::string counted_bytes(std::size_t n) { return std::to_string(n) + " bytes"; }

template <class Sizes> std::string shape_of(const Sizes& sizes) {
  std::vector<std::int64_t> shape;
  for (const auto d : sizes)
    if (shape.size() < 64) shape.push_back(static_cast<std::int64_t>(d));
  return formats::view_shape(shape);
}

// The graph of a delegate.

std::string type_of(const xnn::TensorValue& t) {
  const char* type = xnn::EnumNameDataType(t.datatype());
  return (*type ? std::string(type) : "type " + std::to_string(static_cast<int>(t.datatype()))) +
         ' ' + shape_of(elements_of(t.dims()));
}

class DelegateViewer {
 public:
  explicit DelegateViewer(const Blob& blob) : graph_(*blob.graph) {
    std::map<std::uint32_t, std::string_view> names;
    for (const ValueName& n : value_names(blob)) names.emplace(n.id, n.name);
    for (fb::uoffset_t i = 0; i < size_of(graph_.xvalues()); ++i) {
      const xnn::Value& v = *graph_.xvalues()->Get(i);
      const xnn::TensorValue* t = v.value_as_TensorValue();
      if (const auto* q = v.value_as_QuantizedTensorValue()) t = q->tensor_value();
      if (!t) continue;
      const std::size_t at = place_of(t->id_out());
      FileValue& value = view_.values[at];
      if (const auto name = names.find(t->id_out()); name != names.end())
        value.name = text_of_bytes(name->second);
      value.type = type_of(*t);
      value.is_constant = t->constant_buffer_idx() != 0;
      if (t->flags() & external_input) view_.inputs.push_back(at);
      if (t->flags() & external_output) view_.outputs.push_back(at);
    }
  }

  FileGraph run(std::string title) {
    view_.title = std::move(title);
    const formats::EmbeddedSchema& embedded = embedded_schema();
    const formats::FieldReader reader(embedded);
    const auto* object = embedded.object("webnn_schema.executorch.xnn.Node");
    for (fb::uoffset_t i = 0; i < size_of(graph_.xnodes()); ++i) {
      const xnn::Node& node = *graph_.xnodes()->Get(i);
      FileOperator op{.index = i, .type = std::string(name_of_kind(node.node_type()))};
      if (!handler_of(node.node_type())) op.refusal = no_counterpart;
      if (object) {
        const auto& table = reinterpret_cast<const fb::Table&>(node);
        for (auto& [name, value] : reader.union_fields(*object, table, "node"))
          add_field(op, name, std::move(value));
        if (const auto* m = node.output_min_max()) {
          op.attributes.emplace_back("output_min",
                                     formats::view_number(static_cast<double>(m->output_min())));
          op.attributes.emplace_back("output_max",
                                     formats::view_number(static_cast<double>(m->output_max())));
        }
      }
      if (!op.outputs.empty()) op.name = view_.values[op.outputs[0].value].name;
      view_.operators.push_back(std::move(op));
    }
    return std::move(view_);
  }

 private:
  std::size_t place_of(std::uint32_t id) {
    const auto [at, is_new] = places_.emplace(id, view_.values.size());
    if (is_new) view_.values.push_back({.name = "value " + std::to_string(id)});
    return at->second;
  }
  /// What ends in "_id" names a value.
  void add_field(FileOperator& op, const std::string& name, std::string value) {
    if (!name.ends_with("_id")) {
      op.attributes.emplace_back(name, std::move(value));
      return;
    }
    const auto id = static_cast<std::uint32_t>(std::strtoull(value.c_str(), nullptr, 10));
    if (id == no_value) return;
    const std::string role = name.substr(0, name.size() - 3);
    (role.starts_with("output") ? op.outputs : op.inputs).push_back({role, place_of(id)});
  }

  const xnn::Graph& graph_;
  FileGraph view_;
  std::map<std::uint32_t, std::size_t> places_;
};

// A method of a program.

class MethodViewer {
 public:
  MethodViewer(FileView& view, const Program& program, const pte::ExecutionPlan& plan)
      : view_(view), program_(program), plan_(plan) {}

  void run() {
    const std::size_t at = view_.graphs.size();
    view_.graphs.emplace_back();
    graph_.title = "method " + text_of_bytes(text_of(plan_.name()));
    for (fb::uoffset_t i = 0; i < size_of(plan_.values()); ++i)
      graph_.values.push_back(value(*plan_.values()->Get(i), i));
    for (const std::int32_t v : elements_of(plan_.inputs()))
      if (is_tensor(v)) {
        graph_.inputs.push_back(static_cast<std::size_t>(v));
        write(v);
      }
    for (fb::uoffset_t i = 0; i < size_of(plan_.chains()); ++i) {
      const auto* instructions = plan_.chains()->Get(i)->instructions();
      for (fb::uoffset_t k = 0; k < size_of(instructions); ++k) add(*instructions->Get(k));
    }
    for (const std::int32_t v : elements_of(plan_.outputs()))
      if (is_tensor(v)) graph_.outputs.push_back(source_of(v));
    view_.graphs[at] = std::move(graph_);
  }

 private:
  const pte::Tensor* tensor(std::int32_t v) const {
    return v >= 0 && static_cast<std::size_t>(v) < size_of(plan_.values())
               ? plan_.values()->Get(static_cast<fb::uoffset_t>(v))->val_as_Tensor()
               : nullptr;
  }
  bool is_tensor(std::int32_t v) const { return tensor(v) != nullptr; }

  static FileValue value(const pte::EValue& v, std::size_t index) {
    FileValue out{.name = "value " + std::to_string(index)};
    const pte::Tensor* t = v.val_as_Tensor();
    if (!t) return out;
    const char* type = pte::EnumNameScalarType(t->scalar_type());
    out.type = *type ? formats::lower_case(type)
                     : "type " + std::to_string(static_cast<int>(t->scalar_type()));
    out.type += ' ' + shape_of(elements_of(t->sizes()));
    out.is_constant = t->data_buffer_idx() != 0;
    const auto* more = t->extra_tensor_info();
    if (more && more->fully_qualified_name()) {
      out.name = text_of_bytes(text_of(more->fully_qualified_name()));
      out.is_constant |= more->location() == pte::TensorDataLocation::EXTERNAL;
    }
    return out;
  }

  using Place = std::pair<std::uint32_t, std::uint64_t>;
  std::optional<Place> memory_of(std::int32_t v) const {
    const pte::Tensor* t = tensor(v);
    const auto* a = t ? t->allocation_info() : nullptr;
    if (!a) return std::nullopt;
    return Place{a->memory_id(),
                 std::uint64_t{a->memory_offset_high()} << 32 | a->memory_offset_low()};
  }
  void write(std::int32_t v) {
    written_.insert(v);
    if (const auto place = memory_of(v)) last_[*place] = v;
  }
  /// A view of a tensor may have no instruction: it is a value in the same memory.
  std::size_t source_of(std::int32_t v) const {
    const auto place = memory_of(v);
    const auto at = place && !written_.count(v) ? last_.find(*place) : last_.end();
    return static_cast<std::size_t>(at == last_.end() ? v : at->second);
  }

  /// A number, a text or a list; `depth` ends lists of lists, which there are not.
  std::string text(std::int64_t index, int depth = 0) const {
    if (index < 0 || static_cast<std::uint64_t>(index) >= size_of(plan_.values())) return "?";
    const pte::EValue& v = *plan_.values()->Get(static_cast<fb::uoffset_t>(index));
    if (const auto* i = v.val_as_Int()) return std::to_string(i->int_val());
    if (const auto* b = v.val_as_Bool()) return b->bool_val() ? "true" : "false";
    if (const auto* d = v.val_as_Double()) return formats::view_number(d->double_val());
    if (const auto* s = v.val_as_String()) return text_of_bytes(text_of(s->string_val()));
    if (const auto* l = v.val_as_IntList(); l && l->items() && depth == 0) {
      std::vector<std::int64_t> items;
      for (fb::uoffset_t i = 0; i < size_of(l->items()) && i <= formats::max_view_elements; ++i) {
        std::int64_t item = 0;  // the verifier sees to the alignment of smaller ones only
        std::memcpy(&item, l->items()->Data() + std::size_t{i} * 8, 8);
        items.push_back(item);
      }
      return formats::view_list(items, [&](std::int64_t i) { return text(i, 1); });
    }
    if (v.val_as_Null()) return "none";
    return depth == 0 ? "a list" : "?";
  }

  void add(const pte::Instruction& instruction) {
    FileOperator op{.index = graph_.operators.size()};
    if (const auto* c = instruction.instr_args_as_KernelCall()) add_kernel(op, *c);
    else if (const auto* d = instruction.instr_args_as_DelegateCall()) add_delegate(op, *d);
    else if (const auto* m = instruction.instr_args_as_MoveCall()) {
      op.type = "move";
      add_arguments(op, std::vector{m->move_from(), m->move_to()});
    } else if (instruction.instr_args_as_JumpFalseCall()) {
      op.type = "jump if false";
      op.refusal = "it is control flow";
    } else {
      return;
    }
    if (!op.outputs.empty()) op.name = graph_.values[op.outputs[0].value].name;
    graph_.operators.push_back(std::move(op));
  }

  /// The last argument is the result.
  template <class Args> void add_arguments(FileOperator& op, const Args& args) {
    for (std::size_t i = 0; i < args.size(); ++i) {
      const std::int32_t v = args[i];
      if (i + 1 == args.size()) {
        if (is_tensor(v)) {
          op.outputs.push_back({{}, static_cast<std::size_t>(v)});
          write(v);
        }
      } else if (is_tensor(v)) {
        op.inputs.push_back({{}, source_of(v)});
      } else {
        add_tensors_or_value(op, v, i);
      }
    }
  }
  void add_tensors_or_value(FileOperator& op, std::int32_t v, std::size_t i) {
    const auto* value = v >= 0 && static_cast<std::size_t>(v) < size_of(plan_.values())
                            ? plan_.values()->Get(static_cast<fb::uoffset_t>(v))
                            : nullptr;
    const auto* list = value ? value->val_as_TensorList() : nullptr;
    if (!list) op.attributes.emplace_back("argument " + std::to_string(i), text(v));
    else
      for (const std::int32_t t : elements_of(list->items()))
        if (is_tensor(t)) op.inputs.push_back({{}, source_of(t)});
  }

  void add_kernel(FileOperator& op, const pte::KernelCall& call) {
    auto name = name_of_operator(plan_, call);
    op.type = name ? *name : "an operator that is not in the list";
    if (!name || !kernel_of(*name)) op.refusal = no_counterpart;
    add_arguments(op, elements_of(call.args()));
  }

  void add_delegate(FileOperator& op, const pte::DelegateCall& call) {
    const auto index = static_cast<fb::uoffset_t>(call.delegate_index());
    op.type = "delegate";
    if (call.delegate_index() < 0 || index >= size_of(plan_.delegates())) {
      op.refusal = "there is no such delegate";
      return;
    }
    const pte::BackendDelegate& d = *plan_.delegates()->Get(index);
    op.type = text_of_bytes(text_of(d.id()));
    op.attributes.emplace_back("delegate", std::to_string(index));
    if (auto bytes = program_.delegate_bytes(d))
      op.attributes.emplace_back("size", counted_bytes(bytes->size()));
    // What a delegate writes is what no instruction wrote before.
    const auto args = elements_of(call.args());
    std::vector<std::int32_t> outputs;
    for (const std::int32_t v : args)
      if (is_tensor(v)) {
        const bool known = written_.count(v) ||
                           graph_.values[static_cast<std::size_t>(v)].is_constant ||
                           source_of(v) != static_cast<std::size_t>(v);
        if (known) op.inputs.push_back({{}, source_of(v)});
        else outputs.push_back(v);
      }
    if (text_of(d.id()) != xnnpack_backend) op.refusal = "it is a delegate of another backend";
    else open_delegate(op, d, args, outputs);
    for (const std::int32_t v : outputs) {
      op.outputs.push_back({{}, static_cast<std::size_t>(v)});
      write(v);
    }
  }

  void open_delegate(FileOperator& op, const pte::BackendDelegate& d,
                     std::span<const std::int32_t> args, std::vector<std::int32_t>& outputs) {
    auto blob = program_.blob(d);
    if (!blob) {
      op.refusal = blob.failure().message;
      return;
    }
    FileGraph g =
        DelegateViewer(*blob).run("delegate " + op.attributes[0].second + " of " + graph_.title);
    // Its external ids are places in the arguments, so that it says what it writes.
    op.inputs.clear();
    outputs.clear();
    for (fb::uoffset_t i = 0; i < size_of(blob->graph->xvalues()); ++i) {
      const xnn::Value& v = *blob->graph->xvalues()->Get(i);
      const xnn::TensorValue* t = v.value_as_TensorValue();
      if (const auto* q = v.value_as_QuantizedTensorValue()) t = q->tensor_value();
      if (!t || t->external_id() >= args.size() || !is_tensor(args[t->external_id()])) continue;
      if (t->flags() & external_input) op.inputs.push_back({{}, source_of(args[t->external_id()])});
      if (t->flags() & external_output) outputs.push_back(args[t->external_id()]);
    }
    std::size_t refused = 0;
    for (const FileOperator& node : g.operators) refused += !node.refusal.empty();
    if (refused > 0)
      op.refusal = std::to_string(refused) + " of its nodes have no WebNN counterpart";
    op.graphs.push_back(view_.graphs.size());
    view_.graphs.push_back(std::move(g));
  }

  FileView& view_;
  const Program& program_;
  const pte::ExecutionPlan& plan_;
  FileGraph graph_;
  std::map<Place, std::int32_t> last_{};
  std::set<std::int32_t> written_{};
};

FileView view_program(const Program& program, const ImportOptions& options) {
  FileView view;
  const auto* plans = program.table().execution_plan();
  if (size_of(plans) > 1024)
    refuse(program.source(), fail("it has {} methods, more than 1024", size_of(plans)));
  view.properties.emplace_back("version", std::to_string(program.table().version()));
  const std::string_view wanted = options.method.empty() ? "forward" : options.method;
  std::vector<const pte::ExecutionPlan*> order;
  for (fb::uoffset_t i = 0; i < size_of(plans); ++i)
    order.insert(text_of(plans->Get(i)->name()) == wanted ? order.begin() : order.end(),
                 plans->Get(i));
  for (const pte::ExecutionPlan* plan : order) MethodViewer(view, program, *plan).run();
  return view;
}

}  // namespace

FileView view_file(const formats::ViewedFile& f, const webnn::ImportOptions& given) {
  const ImportOptions options{.method = given.signature,
                              .shapes = given.shapes,
                              .outputs = given.outputs,
                              .max_bytes = given.max_bytes};
  Source source{{f.owner, f.bytes}, f.label};
  if (!f.path.empty()) {
    auto file = formats::map_file(f.path);
    if (!file) raise(file.failure(), "executorch", f.path);
    source = {{std::move(file->owner), file->bytes}, f.path};
  }
  FileView view;
  if (is_program(source.bytes)) {
    view = view_program(Program(source), options);
  } else {
    auto blob = open_blob(source, {});
    if (!blob) refuse(source, blob.failure());
    view.graphs.push_back(DelegateViewer(*blob).run("graph"));
  }
  const bool is_noted = std::ranges::any_of(view.graphs, [](const FileGraph& g) {
    return std::ranges::any_of(g.operators,
                               [](const FileOperator& op) { return !op.refusal.empty(); });
  });
  if (is_noted) return view;
  MLGraphBuilder builder(formats::view_context());
  try {
    import_model(builder, source.owner, source.bytes, options, source.label);
  } catch (const Error& e) { view.refusals.push_back(e.reason()); }
  return view;
}

}  // namespace webnn::inline v0_1::executorch
