// Models in files and in memory, by the name of their format, their extension or their content.
#include "webnn/models.h"

#include "bindings/c/src/json.h"
#include "bindings/c/src/values.h"
#include "webnn/state.h"

struct webnn_model : webnn::c::Counted {
  webnn::ImportedModel value{};
  std::vector<webnn::CacheNames> caches{};
};

namespace webnn::inline v0_1::c {
namespace {

constexpr webnn_import_options default_import = WEBNN_IMPORT_OPTIONS_INIT;
constexpr std::string_view import_name = "import";

ImportOptions import_options(const webnn_import_options* given, webnn_string format) {
  const webnn_import_options o = complete(given, default_import, import_name);
  const auto where = [](std::string_view member) { return Where{import_name, member}; };
  ImportOptions out{.format = text(format, where("format"))};
  for (const webnn_named_dims& s : list(o.shapes, o.shapes_length, where("shapes")))
    set(where("shapes"), out.shapes[text(s.name, where("shapes"))], s.shape);
  for (const webnn_named_size& d : list(o.dimensions, o.dimensions_length, where("dimensions")))
    out.dimensions[text(d.name, where("dimensions"))] = d.size;
  for (const webnn_named_values& v : list(o.values, o.values_length, where("values"))) {
    ImportOptions::Value& to = out.values[text(v.name, where("values"))];
    set(where("values"), to.shape, v.shape);
    const auto from = bytes(v.data, v.bytes, where("values"));
    to.bytes.assign(from.begin(), from.end());
  }
  for (const webnn_string& name : list(o.outputs, o.outputs_length, where("outputs")))
    out.outputs.push_back(text(name, where("outputs")));
  out.signature = text(o.signature, where("signature"));
  out.subgraph = o.subgraph;
  out.weights = text(o.weights, where("weights"));
  if (o.max_bytes) out.max_bytes = o.max_bytes;
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
int32_t quantization_at(const std::vector<std::optional<ImportedModel::Quantization>>& all,
                        std::size_t i, float* scale, int32_t* zero_point) {
  if (i >= all.size() || !all[i] || !scale || !zero_point) return 0;
  *scale = all[i]->scale;
  *zero_point = all[i]->zero_point;
  return 1;
}

}  // namespace
}  // namespace webnn::inline v0_1::c

using namespace webnn::c;

webnn_status webnn_formats(webnn_text** text, webnn_error** error) {
  return guarded(error, [&] {
    need(text, {"formats", "json"});
    JsonWriter json;
    json.open('[');
    for (const webnn::ModelFormat& f : webnn::model_formats()) {
      json.open('{').key("name").string(f.name).key("about").string(f.about);
      json.key("extensions").open('[');
      for (const std::string_view e : f.extensions) json.string(e);
      json.close(']').key("reads").boolean(f.imports).key("writes").boolean(f.exports).close('}');
    }
    *text = new_text(json.close(']').text());
  });
}

webnn_status webnn_builder_import(webnn_builder* builder, webnn_string format, webnn_string path,
                                  const webnn_import_options* options, webnn_model** model,
                                  webnn_error** error) {
  return guarded(error, [&] {
    need(model, {import_name, "model"});
    auto made = std::make_unique<webnn_model>();
    made->value =
        webnn::import_model(need(builder, {import_name, "builder"}).value,
                            text(path, {import_name, "path"}), import_options(options, format));
    *model = made.release();
  });
}
webnn_status webnn_builder_import_bytes(webnn_builder* builder, webnn_string format,
                                        const void* data, size_t length,
                                        const webnn_import_options* options, webnn_model** model,
                                        webnn_error** error) {
  return guarded(error, [&] {
    need(model, {import_name, "model"});
    auto made = std::make_unique<webnn_model>();
    made->value = webnn::import_model(need(builder, {import_name, "builder"}).value,
                                      bytes(data, length, {import_name, "data"}),
                                      import_options(options, format));
    *model = made.release();
  });
}

webnn_string webnn_model_format(const webnn_model* model) {
  return model ? to_c(model->value.format) : webnn_string{};
}
webnn_string webnn_model_description(const webnn_model* model) {
  return model ? to_c(model->value.description) : webnn_string{};
}
int32_t webnn_model_input_quantization(const webnn_model* model, size_t i, float* scale,
                                       int32_t* zero_point) {
  return model ? quantization_at(model->value.input_quantization, i, scale, zero_point) : 0;
}
int32_t webnn_model_output_quantization(const webnn_model* model, size_t i, float* scale,
                                        int32_t* zero_point) {
  return model ? quantization_at(model->value.output_quantization, i, scale, zero_point) : 0;
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
webnn_status webnn_builder_update_caches(webnn_builder* builder, webnn_model* model,
                                         uint32_t max_size, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "updateCaches";
    webnn_model& m = need(model, {name, "model"});
    m.caches = webnn::updateCaches(need(builder, {name, "builder"}).value, m.value.inputs,
                                   m.value.outputs, max_size);
  });
}
size_t webnn_model_cache_count(const webnn_model* model) {
  return model ? model->caches.size() : 0;
}
webnn_string webnn_model_cache_past(const webnn_model* model, size_t i) {
  return model && i < model->caches.size() ? to_c(model->caches[i].past) : webnn_string{};
}
webnn_string webnn_model_cache_present(const webnn_model* model, size_t i) {
  return model && i < model->caches.size() ? to_c(model->caches[i].present) : webnn_string{};
}
webnn_model* webnn_model_retain(webnn_model* model) { return retain(model); }
void webnn_model_release(webnn_model* model) { release(model); }

webnn_status webnn_graph_export(const webnn_graph* graph, webnn_string format, webnn_string path,
                                webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "export";
    webnn::export_model(need(graph, {name, "graph"}).value, text(path, {name, "path"}),
                        {.format = text(format, {name, "format"})});
  });
}
webnn_status webnn_graph_export_bytes(const webnn_graph* graph, webnn_string format,
                                      webnn_text** out, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "export";
    need(out, {name, "bytes"});
    const std::vector<std::byte> file =
        webnn::exported_bytes(need(graph, {name, "graph"}).value, text(format, {name, "format"}));
    *out = new_text({reinterpret_cast<const char*>(file.data()), file.size()});
  });
}
