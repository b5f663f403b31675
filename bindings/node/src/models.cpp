#include "models.h"

#include "src/formats/registry/format.h"
#include "webnn/compiled.h"

#include "convert.h"
#include "file_work.h"
#include "shape.h"

namespace webnn::inline v0_1::node {
namespace {

using registry::Source;

std::shared_ptr<const std::vector<std::byte>> copied(const InputView& view) {
  const auto bytes = view.bytes();
  return std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
}

/// A path, or a buffer or view, whose bytes are copied: scripts may change them.
Source source_of(const Napi::Value& value, std::string_view method) {
  const Where where{method, "path"};
  if (!value.IsObject()) {
    const std::string path = to_path(value, where);
    return {.path = path, .label = path};
  }
  const bool is_memory = value.IsArrayBuffer() || value.IsTypedArray() || value.IsDataView();
  std::shared_ptr<const std::vector<std::byte>> bytes;
  try {
    bytes = copied(to_input_bytes(value, where));
  } catch (const TypeError&) {  // a shared buffer is told from other objects by reading it
    if (!is_memory) to_path(value, where);
    throw;
  }
  const std::span<const std::byte> view(*bytes);
  return {.owner = std::move(bytes), .bytes = view};
}

std::map<std::string, ImportOptions::Value> values_of(const Napi::Value& given,
                                                      std::string_view method) {
  std::map<std::string, ImportOptions::Value> all;
  for_each_entry(given, {method, "values"}, [&](std::string name, Napi::Value entry) {
    const Where where{method, "values"};
    const auto value = to_dictionary(entry, where);
    ImportOptions::Value& to = all[std::move(name)];
    if (!value || !member(*value, "shape", to.shape, method) || !value->Has("data"))
      where.reject("has an entry without shape and data");
    const InputView data = to_input(value->Get("data"), where);
    to.bytes.assign(data.bytes().begin(), data.bytes().end());
    to.type = data.type();
  });
  return all;
}

struct Options {
  ImportOptions import{};
  compiled::Verify verify{};
  std::vector<std::string_view> names{};  // the options of an import that are given
};

Options options_of(const Napi::Value& given, std::string_view method) {
  Options all;
  ImportOptions& o = all.import;
  const auto dictionary = to_dictionary(given, {method, "options"});
  if (!dictionary) return all;
  const auto take = [&](std::string_view name, auto& out) {
    if (member(*dictionary, name, out, method)) all.names.push_back(name);
  };
  const auto record = [&](std::string_view name, auto convert_all) {
    const Napi::Value value = dictionary->Get(std::string(name));
    if (value.IsUndefined()) return;
    convert_all(value);
    all.names.push_back(name);
  };
  member(*dictionary, "format", o.format, method);
  member(*dictionary, "verify", all.verify, method);
  record("dimensions", [&](const Napi::Value& v) {
    for (auto& [name, size] : to_record<std::uint32_t>(v, {method, "dimensions"}))
      o.dimensions[name] = size;
  });
  record("shapes", [&](const Napi::Value& v) {
    for (auto& [name, shape] : to_record<Dims>(v, {method, "shapes"}))
      o.shapes[name] = std::move(shape);
  });
  record("values", [&](const Napi::Value& v) { o.values = values_of(v, method); });
  take("outputs", o.outputs);
  take("signature", o.signature);
  std::uint32_t subgraph = 0;
  take("subgraph", subgraph);
  o.subgraph = subgraph;
  take("weights", o.weights);
  if (double max_bytes = 0; member(*dictionary, "maxBytes", max_bytes, method)) {
    if (!(max_bytes >= 0 && max_bytes <= 0x1p53))
      Where{method, "maxBytes"}.reject("is not between 0 and 2^53");
    o.max_bytes = static_cast<std::uint64_t>(max_bytes);
    all.names.push_back("maxBytes");
  }
  return all;
}

ImportedModel imported(MLGraphBuilder& builder, const Source& source, const ImportOptions& o) {
  if (!source.in_memory()) return webnn::import_model(builder, source.path, o);
  return webnn::import_model(builder, source.owner, source.bytes, o);
}

MLGraph loaded(const MLContext& context, const Source& source, const Options& o) {
  if (registry::is_compiled(source, o.import.format)) {
    if (!o.names.empty())
      throw TypeError("loadGraph", source.label,
                      std::string(o.names.front()) + " is not an option of a compiled graph");
    return registry::compiled_format("load", source.label)
        .load(context, source, o.verify == compiled::Verify::full)
        .graph;
  }
  if (o.verify != compiled::Verify::small)
    throw TypeError("loadGraph", source.label, "verify is an option of compiled graphs");
  MLGraphBuilder builder(context);
  const ImportedModel model = imported(builder, source, o.import);
  return builder.build(model.outputs, {.inputs = model.inputs});
}

// JavaScript values

class OrderedMap {
 public:
  explicit OrderedMap(Napi::Env env)
      : map_(env.Global().Get("Map").As<Napi::Function>().New({})),
        set_(map_.Get("set").As<Napi::Function>()) {}
  void set(const std::string& name, const Napi::Value& value) {
    set_.Call(map_, {Napi::String::New(map_.Env(), name), value});
  }
  Napi::Object value() const { return map_; }

 private:
  Napi::Object map_;
  Napi::Function set_;
};

/// Open dimensions have their names. `operands` are those of the graph, or none: then they are 0.
Napi::Object to_js(Napi::Env env, const NamedDescriptors& all, const NamedOperands& operands) {
  OrderedMap map(env);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [name, d] = all[i];
    const Napi::HandleScope scope(env);
    Napi::Object object = Napi::Object::New(env);
    object.Set("dataType", std::string(name_of(d.dataType)));
    object.Set("shape", i < operands.size() ? shape_of(env, operands[i].operand)
                                            : Napi::Value(shape_array(env, d.shape)));
    map.set(name, object);
  }
  return map.value();
}
/// What a graph with open dimensions has; nothing for others, and when it is destroyed.
template <class Get> NamedOperands open_operands(const MLGraph& graph, Get get) {
  if (!graph.is_open()) return {};
  try {
    return get(graph.graph());
  } catch (const InvalidStateError&) { return {}; }
}
Napi::Object to_js(Napi::Env env, const NamedOperands& all) {
  OrderedMap map(env);
  for (const auto& [name, x] : all) map.set(name, make(env, x));
  return map.value();
}
Napi::Object to_js(Napi::Env env, const NamedOperands& ports,
                   const std::vector<std::optional<ImportedModel::Quantization>>& all) {
  OrderedMap map(env);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (!all[i]) continue;
    Napi::Object object = Napi::Object::New(env);
    object.Set("scale", static_cast<double>(all[i]->scale));
    object.Set("zeroPoint", all[i]->zero_point);
    map.set(ports[i].name, object);
  }
  return map.value();
}
Napi::Value to_js(Napi::Env env, const ImportedModel& model) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("format", std::string(model.format));
  object.Set("description", model.description);
  object.Set("inputs", to_js(env, model.inputs));
  object.Set("outputs", to_js(env, model.outputs));
  object.Set("inputQuantization", to_js(env, model.inputs, model.input_quantization));
  object.Set("outputQuantization", to_js(env, model.outputs, model.output_quantization));
  return object;
}

}  // namespace

Napi::Value load_graph(const Napi::CallbackInfo& info) {
  const MLContext context = self<MLContext>(info).value;
  constexpr std::string_view name = "loadGraph";
  require_arguments(info, name, 1);
  const Source source = source_of(info[0], name);
  const Options options = options_of(info[1], name);
  return FileWork::start(info.Env(), [context, source, options](Pending& pending) {
    const MLGraph graph = loaded(context, source, options);
    pending.result = [context, graph](Napi::Env env) -> Napi::Value {
      if (context.lost()) throw InvalidStateError("loadGraph", "", "the context is lost");
      return make_graph(env, graph);
    };
  });
}

/// Counts an import into a builder until it is destroyed, where functions of JavaScript may be
/// called by it.
std::shared_ptr<void> count_import(Napi::Env env, Native<MLGraphBuilder>& builder) {
  if (!may_be_waited_for(env)) return nullptr;
  if (!builder.imports) builder.imports = std::make_shared<int>(0);
  const auto calls = instance(env).calls;
  calls->change([&] { ++*builder.imports; });
  return {nullptr, [calls, count = builder.imports](void*) { calls->change([&] { --*count; }); }};
}

Napi::Value import_model(const Napi::CallbackInfo& info) {
  Native<MLGraphBuilder>& n = busy_self<MLGraphBuilder>(info);
  const MLGraphBuilder builder = n.value;
  constexpr std::string_view name = "importModel";
  require_arguments(info, name, 1);
  const Source source = source_of(info[0], name);
  const Options options = options_of(info[1], name);
  const auto counted = count_import(info.Env(), n);
  return FileWork::start(info.Env(), [builder, source, options, counted](Pending& pending) {
    MLGraphBuilder b = builder;
    pending.result = [model = imported(b, source, options.import)](Napi::Env env) -> Napi::Value {
      return to_js(env, model);
    };
  });
}

Napi::Value export_model(const Napi::CallbackInfo& info) {
  const MLGraph graph = self<MLGraph>(info).value;
  constexpr std::string_view name = "exportModel";
  require_arguments(info, name, 1);
  const std::string path = to_path(info[0], {name, "path"});
  ExportOptions options;
  if (const auto given = to_dictionary(info[1], {name, "options"}))
    member(*given, "format", options.format, name);
  return FileWork::start(info.Env(), [graph, path, options](Pending& pending) {
    webnn::export_model(graph, path, options);
    pending.result = [](Napi::Env env) { return env.Undefined(); };
  });
}

Napi::Value exported_bytes(const Napi::CallbackInfo& info) {
  const MLGraph graph = self<MLGraph>(info).value;
  constexpr std::string_view name = "exportedBytes";
  require_arguments(info, name, 1);
  const std::string format = to_string(info[0]);
  return FileWork::start(info.Env(), [graph, format](Pending& pending) {
    pending.result = [bytes = webnn::exported_bytes(graph, format)](Napi::Env env) -> Napi::Value {
      const auto* from = reinterpret_cast<const std::uint8_t*>(bytes.data());
      Napi::Uint8Array array = Napi::Uint8Array::New(env, bytes.size());
      std::copy_n(from, bytes.size(), array.Data());
      return array;
    };
  });
}

Napi::Value model_formats(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Napi::Array list = Napi::Array::New(env);
  for (const ModelFormat& f : webnn::model_formats()) {
    Napi::Array extensions = Napi::Array::New(env);
    for (const std::string_view e : f.extensions)
      extensions.Set(extensions.Length(), std::string(e));
    Napi::Object object = Napi::Object::New(env);
    object.Set("name", std::string(f.name));
    object.Set("about", std::string(f.about));
    object.Set("extensions", extensions);
    object.Set("imports", f.imports);
    object.Set("exports", f.exports);
    list.Set(list.Length(), object);
  }
  return list;
}

Napi::Value graph_inputs(const Napi::CallbackInfo& info) {
  const MLGraph& graph = self<MLGraph>(info).value;
  const auto get = [](const Graph& g) { return g.inputs(); };
  return to_js(info.Env(), graph.inputs(), open_operands(graph, get));
}
Napi::Value graph_outputs(const Napi::CallbackInfo& info) {
  const MLGraph& graph = self<MLGraph>(info).value;
  const auto get = [](const Graph& g) { return g.outputs(); };
  return to_js(info.Env(), graph.outputs(), open_operands(graph, get));
}

}  // namespace webnn::inline v0_1::node
