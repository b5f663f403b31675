// Models in files, by the name of their format or by their extension.
#include <algorithm>
#include <filesystem>

#include "bindings/c/src/json.h"
#include "bindings/c/src/values.h"
#include "bindings/formats/formats.h"

struct webnn_model : webnn::c::Counted {
  webnn::tool::Imported value{};
};

namespace webnn::inline v0_1::c {
namespace {

constexpr webnn_import_options default_import = WEBNN_IMPORT_OPTIONS_INIT;

tool::ReadOptions read_options(const webnn_import_options* given) {
  constexpr std::string_view name = "import";
  const webnn_import_options o = complete(given, default_import, name);
  tool::ReadOptions out;
  for (const webnn_named_dims& s : list(o.shapes, o.shapes_length, {name, "shapes"}))
    set({name, "shapes"}, out.shapes[text(s.name, {name, "shapes"})], s.shape);
  for (const webnn_named_size& d : list(o.dimensions, o.dimensions_length, {name, "dimensions"}))
    out.dimensions[text(d.name, {name, "dimensions"})] = d.size;
  out.signature = text(o.signature, {name, "signature"});
  out.subgraph = o.subgraph;
  return out;
}

webnn_string name_at(const NamedOperands& all, std::size_t i) {
  return i < all.size() ? to_c(all[i].name) : webnn_string{};
}
webnn_operand* operand_at(const NamedOperands& all, std::size_t i) {
  try {
    return i < all.size() ? new webnn_operand(all[i].operand) : nullptr;
  } catch (...) { return nullptr; }
}

}  // namespace
}  // namespace webnn::inline v0_1::c

using namespace webnn::c;

webnn_status webnn_formats(webnn_text** text, webnn_error** error) {
  return guarded(error, [&] {
    need(text, {"formats", "json"});
    JsonWriter json;
    json.open('[');
    for (const webnn::tool::Format& f : webnn::tool::formats()) {
      if (!f.converts()) continue;
      json.open('{').key("name").string(f.name).key("about").string(f.about);
      json.key("extensions").open('[');
      for (const std::string_view e : f.extensions) json.string(e);
      json.close(']').key("reads").boolean(f.read).key("writes").boolean(f.write).close('}');
    }
    *text = new_text(json.close(']').text());
  });
}

webnn_status webnn_builder_import(webnn_builder* builder, webnn_string format, webnn_string path,
                                  const webnn_import_options* options, webnn_model** model,
                                  webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "import";
    need(model, {name, "model"});
    auto made = std::make_unique<webnn_model>();
    made->value = webnn::bindings::import_model(
        need(builder, {name, "builder"}).value, text(path, {name, "path"}),
        text(format, {name, "format"}), read_options(options));
    *model = made.release();
  });
}
size_t webnn_model_input_count(const webnn_model* model) {
  return model ? model->value.inputs.size() : 0;
}
webnn_string webnn_model_input_name(const webnn_model* model, size_t i) {
  return model ? name_at(model->value.inputs, i) : webnn_string{};
}
webnn_operand* webnn_model_input(const webnn_model* model, size_t i) {
  return model ? operand_at(model->value.inputs, i) : nullptr;
}
size_t webnn_model_output_count(const webnn_model* model) {
  return model ? model->value.outputs.size() : 0;
}
webnn_string webnn_model_output_name(const webnn_model* model, size_t i) {
  return model ? name_at(model->value.outputs, i) : webnn_string{};
}
webnn_operand* webnn_model_output(const webnn_model* model, size_t i) {
  return model ? operand_at(model->value.outputs, i) : nullptr;
}
webnn_model* webnn_model_retain(webnn_model* model) { return retain(model); }
void webnn_model_release(webnn_model* model) { release(model); }

webnn_status webnn_graph_export(const webnn_graph* graph, webnn_string format, webnn_string path,
                                webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "export";
    webnn::bindings::export_model(need(graph, {name, "graph"}).value, text(path, {name, "path"}),
                                  text(format, {name, "format"}));
  });
}
