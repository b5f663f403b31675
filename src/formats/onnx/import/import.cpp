#include <cstring>

#include "src/builder/savepoint.h"
#include "src/formats/common/model_inputs.h"
#include "src/formats/common/open_size.h"
#include "src/formats/common/unknown_values.h"
#include "src/formats/onnx/import/branches.h"
#include "src/formats/onnx/import/call.h"
#include "src/formats/onnx/import/given.h"

namespace webnn::inline v0_1::onnx {

void refuse(const File& file, const Failure& f) {
  raise({f.message, ErrorName::DataError}, "onnx", file.label);
}
void unsupported(const File& file, const Failure& f) {
  raise({f.message, ErrorName::NotSupportedError}, "onnx", file.label);
}
void wrong_option(const File& file, const Failure& f) {
  raise({f.message, ErrorName::TypeError}, "onnx", file.label);
}

namespace {

/// The inputs of the graph that are not tensors of the file too.
std::vector<const ValueInfo*> inputs_of(const Import& import) {
  std::set<std::string_view> tensors;
  for (const Tensor& t : import.model.graph.initializers) tensors.insert(t.name);
  std::vector<const ValueInfo*> inputs;
  for (const ValueInfo& info : import.model.graph.inputs)
    if (!tensors.count(info.name)) inputs.push_back(&info);
  return inputs;
}

/// Exporters write -1 for a dimension that is open.
bool is_open(const Dimension& d) { return !d.value || *d.value < 0; }

std::string type_text(const ValueInfo& info) {
  if (info.kind != "tensor") return std::string(info.kind);
  const auto size = [](const Dimension& d) {
    if (d.value) return std::to_string(*d.value);
    return d.name.empty() ? std::string("?") : in_quotes(d.name);
  };
  return shown_type(info.type) +
         (info.has_shape ? " [" + joined(info.shape, ", ", size) + ']' : "");
}

/// The name of an open dimension: that of the file, or else one that no other dimension has.
std::string dimension_name(const Import& import, const ValueInfo& info, std::size_t i) {
  if (!info.shape[i].name.empty()) return std::string(info.shape[i].name);
  std::string name = format("{}_axis{}", {info.name, i});
  const auto inputs = inputs_of(import);
  const auto is_taken = [&] {
    return std::ranges::any_of(inputs, [&](const ValueInfo* other) {
      return std::ranges::any_of(other->shape,
                                 [&](const Dimension& d) { return !d.value && d.name == name; });
    });
  };
  while (is_taken()) name += '_';
  return name;
}

void check_option_names(const Import& import) {
  const auto inputs = inputs_of(import);
  const auto check = [&](std::string_view name) {
    for (const ValueInfo* info : inputs)
      if (info->name == name) return;
    std::vector<formats::InputText> all;
    for (const ValueInfo* info : inputs) all.push_back({std::string(info->name), type_text(*info)});
    wrong_option(import.file, formats::no_input(name, all));
  };
  for (const auto& [name, shape] : import.options.shapes) check(name);
  for (const auto& [name, value] : import.options.constants) check(name);
  for (const auto& [name, x] : import.options.inputs)
    if (!is_result(import, name)) check(name);
  for (const auto& [name, size] : import.options.dimensions) {
    const bool found = std::ranges::any_of(inputs, [&](const ValueInfo* info) {
      for (std::size_t i = 0; i < info->shape.size(); ++i)
        if (is_open(info->shape[i]) && dimension_name(import, *info, i) == name) return true;
      return false;
    });
    if (!found)
      wrong_option(import.file, fail("no input has a dimension named {}", in_quotes(name)));
  }
}

[[noreturn]] void open_size(const File& file, const ValueInfo& info, std::string_view dimension,
                            const Failure& f) {
  throw formats::OpenSize("onnx", file.label, f, info.name, dimension);
}

bool names_cache(std::string_view name) {
  std::string lower;
  for (const char l : name) lower += l >= 'A' && l <= 'Z' ? static_cast<char>(l - 'A' + 'a') : l;
  return lower.find("past") != std::string::npos || lower.find("cache") != std::string::npos;
}

/// Whether a run may have size 0 there: it is the length of a cache, which decoders begin with an
/// empty one. No other input has a dimension of that name, or the name says it.
bool may_be_empty(const Import& import, const ValueInfo& info, std::string_view name) {
  if (names_cache(name)) return true;
  if (!names_cache(info.name)) return false;
  return std::ranges::none_of(inputs_of(import), [&](const ValueInfo* other) {
    return !names_cache(other->name) && std::ranges::any_of(other->shape, [&](const Dimension& d) {
      return !d.value && d.name == name;
    });
  });
}

/// A dimension of an input: what the file leaves open, the options decide or runs do.
MLDimension input_dimension(const Import& import, const ValueInfo& info, std::size_t i,
                            const std::vector<std::uint32_t>* given) {
  const File& file = import.file;
  const Dimension& d = info.shape[i];
  if (d.value && *d.value == 0)
    unsupported(file,
                fail("{}: its dimension {} is 0, which WebNN does not allow", subject_of(info), i));
  if (!is_open(d)) {
    if (*d.value > std::int64_t{max_tensor_byte_length})
      refuse(file, fail("{}: its dimension {} ({}) is above {}", subject_of(info), i, *d.value,
                        max_tensor_byte_length));
    if (given && *d.value != (*given)[i])
      wrong_option(file, fail("{}: dimension {} of the shape given is {}, but the file says {}",
                              subject_of(info), i, (*given)[i], *d.value));
    return *d.value;
  }
  if (given) return (*given)[i];
  std::string name = dimension_name(import, info, i);
  if (const auto size = import.options.dimensions.find(name);
      size != import.options.dimensions.end())
    return size->second;
  const std::uint32_t least = may_be_empty(import, info, name) ? 0 : 1;
  return MLDynamicDimension{.name = std::move(name), .minSize = least};
}

MLInputOperandDescriptor input_descriptor(const Import& import, const ValueInfo& info) {
  const File& file = import.file;
  const auto found = import.options.shapes.find(std::string(info.name));
  const auto* given = found == import.options.shapes.end() ? nullptr : &found->second;
  MLInputOperandDescriptor d{*input_type(import, info), {}};
  if (!info.has_shape) {
    if (!given)
      open_size(
          file, info, {},
          fail("{}: it has no shape in the file: give one in the option shapes", subject_of(info)));
    d.shape = Dims(*given);
    return d;
  }
  if (given && given->size() != info.shape.size())
    wrong_option(file, fail("{}: the shape given ({}) does not have the rank ({}) of the file",
                            subject_of(info), *given, info.shape.size()));
  for (std::size_t i = 0; i < info.shape.size(); ++i)
    d.shape.push_back(input_dimension(import, info, i, given));
  return d;
}

/// The sizes of an input that has no elements: there is one value for it.
std::optional<ops::Sizes> empty_shape(const ValueInfo& info) {
  bool empty = false;
  ops::Sizes sizes;
  for (const Dimension& d : info.shape) {
    if (!d.value || *d.value < 0) return std::nullopt;
    empty = empty || *d.value == 0;
    sizes.push_back(static_cast<std::uint64_t>(*d.value));
  }
  return empty ? std::optional(sizes) : std::nullopt;
}

void import_input(Import& import, Scope& scope, const ValueInfo& info, Model& model) {
  const File& file = import.file;
  const std::string name(info.name);
  if (info.kind != "tensor" || !input_type(import, info)) {
    import.refusals.push_back(
        info.kind == "tensor"
            ? format("{}: {}", {subject_of(info), no_type(info.type).message})
            : format("{}: it is a {}, not a tensor",
                     {subject_of(info), info.kind.empty() ? "value of no type" : info.kind}));
    scope.set(info.name, {.unavailable = true});
    return;
  }
  const auto& options = import.options;
  const auto constant = options.constants.find(name), value = options.values.find(name);
  const bool known = value != options.values.end() && import.known_inputs.count(name);
  if (constant != options.constants.end() || known) {
    const auto& given = known ? value->second : constant->second;
    scope.set(info.name, given_value(import, info, given));
    return;
  }
  if (const auto sizes = empty_shape(info)) {
    scope.set(info.name, {.boolean = info.type == ElementType::BOOL,
                          .narrow = narrow_type(info),
                          .empty = *sizes,
                          .type = *input_type(import, info)});
    return;
  }
  MLOperand x;
  if (const MLOperand* given = formats::find_operand(options.inputs, info.name)) {
    x = given_operand(import, info, *given);
  } else {
    MLInputOperandDescriptor d = input_descriptor(import, info);
    try {
      x = import.builder.input(name, std::move(d));
    } catch (const TypeError& e) { refuse(file, fail("{}: {}", subject_of(info), e.reason())); }
  }
  note_open(import, x);
  scope.set(info.name,
            {.x = x, .boolean = info.type == ElementType::BOOL, .narrow = narrow_type(info)});
  model.inputs.push_back({name, x});
}

std::vector<std::string_view> output_names(const Import& import) {
  std::vector<std::string_view> names;
  for (const std::string& name : import.options.outputs) names.push_back(name);
  if (names.empty())
    for (const ValueInfo& info : import.model.graph.outputs) names.push_back(info.name);
  if (names.empty()) refuse(import.file, fail("the graph has no outputs"));
  std::set<std::string_view> seen;
  for (std::string_view name : names)
    if (!seen.insert(name).second)
      refuse(import.file, fail("there are two outputs {}", in_quotes(name)));
  return names;
}

void take_outputs(Import& import, Scope& scope, std::span<const std::string_view> names,
                  Model& model) {
  std::vector<std::string> empty;
  for (std::string_view name : names) {
    Value* v = scope.find(name);
    if (v && v->empty && !v->sequence) {
      empty.push_back(in_quotes(name));
      continue;
    }
    if (!v) {
      const Failure f = fail("there is no value {}", in_quotes(name));
      if (!import.options.outputs.empty()) wrong_option(import.file, f);
      refuse(import.file, f);
    }
    MLOperand y = scope.operand(*v, name);
    if (y.record().kind != OperandKind::result)
      y = import.builder.identity(y, {.label = std::string(truncated(name, 256))});
    model.outputs.push_back({std::string(name), y});
  }
  if (empty.empty()) return;
  constexpr std::size_t shown = 4;
  const std::size_t rest = empty.size() - std::min(empty.size(), shown);
  empty.resize(empty.size() - rest);
  if (rest > 0) empty.push_back(format("{} more outputs", {rest}));
  unsupported(import.file, fail("{}: these outputs have no elements, which WebNN does not allow; "
                                "the option outputs can name the other outputs alone",
                                joined(empty, ", ")));
}

/// All that WebNN cannot express, in one error.
void check_refusals(const Import& import) {
  if (import.refusals.empty()) return;
  constexpr std::size_t shown = 40;
  std::vector<std::string> list = import.refusals;
  if (list.size() > shown) {
    const std::size_t rest = list.size() - shown;
    list.resize(shown);
    list.push_back(format("{} more", {rest}));
  }
  if (!import.unknown_inputs.empty())
    throw formats::UnknownValues("onnx", import.file.label, joined(list, "; "),
                                 {import.unknown_inputs.begin(), import.unknown_inputs.end()});
  unsupported(import.file, {joined(list, "; ")});
}

/// Nothing when other inputs have to be known, which the next attempt does.
std::optional<Model> attempt(Import& import) {
  import.budget.spent = import.steps = 0;
  import.refusals.clear();
  import.wanted_inputs.clear();
  import.unknown_inputs.clear();
  import.quantized.clear();
  import.partial.reset();
  import.branches_met = 0;
  if (import.log) import.log->clear();
  const GraphProto& graph = import.model.graph;
  const std::size_t first_node = detail::state_of(import.builder)->data.nodes.size();
  Model model;
  model.description = import.model.description;
  Scope scope(import, graph.nodes, import.model.opsets, nullptr);
  if (graph.sparse_initializers)
    import.refusals.push_back("a tensor of the graph is sparse, which WebNN does not have");
  scope.add_initializers(graph.initializers);
  for (const ValueInfo* info : inputs_of(import)) import_input(import, scope, *info, model);
  set_given_results(import, scope);
  const auto outputs = output_names(import);
  scope.import_nodes(outputs);
  if (!import.wanted_inputs.empty()) return std::nullopt;
  check_refusals(import);
  take_outputs(import, scope, outputs, model);
  if (import.partial) keep_sources(import.builder, *import.partial, first_node, model.outputs);
  return model;
}

Model import_file(MLGraphBuilder& builder, File file, const ImportOptions& options,
                  const GivenAttention* attention = nullptr) {
  const std::uint64_t size = file.bytes.size();
  Import import{builder, std::move(file), options, {}, {}, {options.max_bytes, size}};
  import.attention = attention;
  try {
    read(import);
    return import_read(import);
  } catch (const std::bad_alloc&) {
    raise({"out of memory", ErrorName::OperationError}, "onnx", import.file.label);
  }
}

}  // namespace

void read(Import& import) {
  try {
    import.model = read_model(import.file.bytes, import.limits);
  } catch (const Broken& e) { refuse(import.file, {e.text(import.file.bytes)}); }
  if (!import.model.has_graph)
    refuse(import.file, fail("the file has no graph: it is not an ONNX model"));
}

Model import_read(Import& import) {
  BuilderState& state = *detail::state_of(import.builder);
  try {
    check_option_names(import);
    for (;;) {
      try {
        Savepoint savepoint(state);
        if (auto model = attempt(import)) {
          savepoint.keep();
          return std::move(*model);
        }
      } catch (const NeedsBranches&) {
        import.branches.clear();
        choose_branches(import, [&] {
          const Savepoint savepoint(state);
          attempt(import);
        });
        continue;
      }
      const std::size_t before = import.known_inputs.size();
      import.known_inputs.merge(import.wanted_inputs);
      import.branches.clear();
      if (import.known_inputs.size() == before)
        refuse(import.file, fail("an input whose value is given is not known"));
    }
  } catch (const Broken& e) { refuse(import.file, {e.text(import.file.bytes)}); }
}

const MLOperand& Model::input(std::string_view name) const {
  return formats::operand_named(inputs, name, "input", "onnx");
}
const MLOperand& Model::output(std::string_view name) const {
  return formats::operand_named(outputs, name, "output", "onnx");
}

namespace {

Model import_path(MLGraphBuilder& builder, const Path& path, const ImportOptions& options,
                  const GivenAttention* attention) {
  auto file = formats::map_model(path);
  if (!file) raise(file.failure(), "onnx", path);
  const auto& [owner, bytes] = file->contents;
  return import_file(builder, {owner, bytes, path, file->folder}, options, attention);
}

}  // namespace

Model import_model(MLGraphBuilder& builder, const Path& path, const ImportOptions& options) {
  return import_path(builder, path, options, nullptr);
}
Model import_model(MLGraphBuilder& builder, const Path& path, const ImportOptions& options,
                   const GivenAttention& attention) {
  return import_path(builder, path, options, &attention);
}

Model import_model(MLGraphBuilder& builder, std::shared_ptr<const void> owner,
                   std::span<const std::byte> bytes, const ImportOptions& options,
                   std::string_view label) {
  return import_file(builder, {std::move(owner), bytes, std::string(label), nullptr}, options);
}

Model import_model(MLGraphBuilder& builder, std::span<const std::byte> bytes,
                   const ImportOptions& options, std::string_view label) {
  auto copy = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  const std::span<const std::byte> view(*copy);
  return import_model(builder, std::move(copy), view, options, label);
}

}  // namespace webnn::inline v0_1::onnx
