#include "tools/webnn/model/formats.h"

#include <algorithm>

#include "src/formats/common/constant_names.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#if WEBNN_WITH_EXECUTORCH
#include "tools/webnn/common/output.h"
#include "webnn/executorch.h"
#endif
#if WEBNN_WITH_GRAPHINFO
#include "webnn/graphinfo.h"
#endif
#if WEBNN_WITH_SAFETENSORS
#include "webnn/safetensors.h"
#endif
#if WEBNN_WITH_TEXT
#include "webnn/text.h"
#endif
#if WEBNN_WITH_TFLITE
#include "webnn/tflite.h"
#endif
#if WEBNN_WITH_ONNX
#include "webnn/onnx.h"
#endif

namespace webnn::tool {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}
std::vector<std::byte> write_text(const MLGraph& g) { return bytes_of(to_text(g.graph())); }
std::vector<std::byte> write_graphviz(const MLGraph& g) { return bytes_of(to_graphviz(g.graph())); }

/// Writes a format that has one file.
template <std::vector<std::byte> (*Write)(const MLGraph&)>
std::vector<OutputFile> one_file(const MLGraph& graph, const std::filesystem::path& path) {
  return {{path, Write(graph)}};
}

#if WEBNN_WITH_SAFETENSORS
std::vector<std::byte> write_weights(const MLGraph& graph) {
  const auto all = formats::constants_of(graph.graph());
  std::vector<safetensors::NamedValues> tensors;
  for (const auto& [name, x] : all)
    tensors.push_back({name, x.descriptor(), x.constant()->bytes()});
  return safetensors::write(tensors);
}
#endif

#if WEBNN_WITH_TFLITE || WEBNN_WITH_EXECUTORCH
template <class Q>
std::vector<std::optional<Quantization>> converted(const std::vector<std::optional<Q>>& from) {
  std::vector<std::optional<Quantization>> all;
  for (const auto& q : from)
    all.push_back(q ? std::optional(Quantization{q->scale, q->zero_point}) : std::nullopt);
  return all;
}
#endif

#if WEBNN_WITH_TFLITE
Imported read_tflite(MLGraphBuilder& b, const std::filesystem::path& path, const ReadOptions& o) {
  tflite::Model m = tflite::import_model(
      b, path, {.signature = o.signature, .subgraph = o.subgraph, .shapes = o.shapes});
  return {std::move(m.inputs), std::move(m.outputs), converted(m.input_quantization),
          converted(m.output_quantization), std::move(m.description)};
}
std::vector<std::byte> write_tflite(const MLGraph& g) { return tflite::export_model(g); }
#endif

#if WEBNN_WITH_TEXT || WEBNN_WITH_GRAPHINFO
/// Two files, the second beside the first and with the name of weights.
std::vector<OutputFile> with_weights(const std::filesystem::path& path, const std::string& text,
                                     std::vector<std::byte> weights) {
  std::filesystem::path other = path;
  other.replace_extension(".safetensors");
  if (other == path) throw Usage(shown(path) + ": is the name of its weights");
  std::vector<OutputFile> all{{path, bytes_of(text)}};
  if (!weights.empty()) all.push_back({other, std::move(weights)});
  return all;
}
#endif

#if WEBNN_WITH_TEXT
Imported read_webnn(MLGraphBuilder& b, const std::filesystem::path& path, const ReadOptions& o) {
  text::ImportOptions options;
  options.shapes = o.shapes;
  options.dimensions = o.dimensions;
  text::Model m = text::import_model(b, path, options);
  return {std::move(m.inputs), std::move(m.outputs), {}, {}, std::move(m.name)};
}
std::vector<OutputFile> write_webnn(const MLGraph& g, const std::filesystem::path& path) {
  text::ExportOptions options;
  if (path.has_stem() && path != "-") options.name = path.stem().string();
  if (path == "-") return {{path, bytes_of(text::export_model(g, options))}};
  text::Files files = text::export_files(g, options);
  return with_weights(path, files.text, std::move(files.weights));
}
#endif

#if WEBNN_WITH_GRAPHINFO
Imported read_graphinfo(MLGraphBuilder& b, const std::filesystem::path& path, const ReadOptions&) {
  graphinfo::Model m = graphinfo::import_model(b, path);
  return {std::move(m.inputs), std::move(m.outputs), {}, {}, {}};
}
template <graphinfo::Schema Schema>
std::vector<OutputFile> write_graphinfo(const MLGraph& g, const std::filesystem::path& path) {
  const graphinfo::ExportOptions options{.schema = Schema};
  if (path == "-") return {{path, bytes_of(graphinfo::export_model(g, options))}};
  graphinfo::Files files = graphinfo::export_files(g, options);
  return with_weights(path, files.json, std::move(files.weights));
}
#endif

#if WEBNN_WITH_EXECUTORCH
Imported read_executorch(MLGraphBuilder& b, const std::filesystem::path& path,
                         const ReadOptions& o) {
  executorch::Model m =
      executorch::import_model(b, path, {.method = o.signature, .shapes = o.shapes});
  return {std::move(m.inputs), std::move(m.outputs), converted(m.input_quantization),
          converted(m.output_quantization), std::move(m.description)};
}
std::vector<std::byte> write_executorch(const MLGraph& g) {
  return executorch::export_model(g, {.program = true});
}
std::vector<std::byte> write_xnnpack(const MLGraph& g) { return executorch::export_model(g); }

Contents executorch_contents(const std::filesystem::path& path) {
  Contents parts;
  for (const executorch::MethodInfo& m : executorch::read_info(path).methods) {
    const std::string method = m.name.empty() ? "graph" : "method " + escaped(m.name);
    for (std::size_t i = 0; i < m.delegates.size(); ++i) {
      const executorch::DelegateInfo& d = m.delegates[i];
      std::string what = escaped(d.backend) + ", " + bytes_text(static_cast<double>(d.bytes));
      if (d.nodes > 0)
        what += ", " + std::to_string(d.nodes) + " nodes, " + std::to_string(d.constants) +
                " constants";
      parts.push_back({method + ", delegate " + std::to_string(i), what});
    }
    for (const executorch::CallInfo& c : m.operators)
      parts.push_back({method + ", outside", escaped(c.name) + ", " + std::to_string(c.count) +
                                                 (c.count == 1 ? " time" : " times")});
  }
  return parts;
}
#endif

#if WEBNN_WITH_ONNX
Imported read_onnx(MLGraphBuilder& b, const std::filesystem::path& path, const ReadOptions& o) {
  onnx::ImportOptions options{.dimensions = o.dimensions, .shapes = o.shapes};
  for (const auto& [name, v] : o.values) options.values[name] = {v.shape, v.bytes, v.type};
  onnx::Model m = onnx::import_model(b, path, options);
  return {std::move(m.inputs), std::move(m.outputs), {}, {}, std::move(m.description)};
}
#endif

using Direction = bool (*)(const Format&);
bool reads(const Format& f) { return f.read != nullptr; }
bool writes(const Format& f) { return f.write != nullptr; }

std::string extensions_of(Direction possible) {
  std::string s;
  for (const Format& f : formats())
    if (possible(f))
      for (std::string_view e : f.extensions) s += (s.empty() ? "." : ", .") + std::string(e);
  return s.empty() ? "none, for this webnn was built without any" : s;
}
std::string names_of(Direction possible) {
  std::string s;
  for (const Format& f : formats())
    if (possible(f)) s += (s.empty() ? "" : ", ") + std::string(f.name);
  return s;
}

/// By its name, which `option` gave, or by the extension of the path.
const Format& find(const std::filesystem::path& path, const std::string& name, Direction possible,
                   std::string_view option, std::string_view done) {
  if (!name.empty()) {
    for (const Format& f : formats())
      if (possible(f) && f.name == name) return f;
    throw Usage(std::string(option) + ' ' + escaped(name) + ": is not a format that can be " +
                std::string(done) + ": " + names_of(possible));
  }
  const std::string extension = extension_of(path);
  for (const Format& f : formats())
    if (possible(f) &&
        std::find(f.extensions.begin(), f.extensions.end(), extension) != f.extensions.end())
      return f;
  throw Usage(shown(path) + ": its extension is not one that can be " + std::string(done) + ": " +
              extensions_of(possible));
}

}  // namespace

std::span<const Format> formats() {
  static const std::vector<Format> all = {
#if WEBNN_WITH_TFLITE
    {"tflite", "TensorFlow Lite model", {"tflite", "lite"}, &read_tflite, &one_file<&write_tflite>},
#endif
#if WEBNN_WITH_EXECUTORCH
    {"executorch",
     "ExecuTorch program",
     {"pte"},
     &read_executorch,
     &one_file<&write_executorch>,
     &executorch_contents},
    {"xnnpack",
     "graph of ExecuTorch's XNNPACK delegate",
     {"xnnpack"},
     &read_executorch,
     &one_file<&write_xnnpack>,
     &executorch_contents},
#endif
#if WEBNN_WITH_ONNX
    {"onnx", "ONNX model", {"onnx"}, &read_onnx},
#endif
#if WEBNN_WITH_GRAPHINFO
    {"graphinfo",
     "Chromium's GraphInfo, with weights beside it",
     {"json"},
     &read_graphinfo,
     &write_graphinfo<graphinfo::Schema::v2026>},
    {"graphinfo2023", "the same, of 2023", {}, nullptr, &write_graphinfo<graphinfo::Schema::v2023>},
#endif
#if WEBNN_WITH_SAFETENSORS
    {"safetensors", "the weights alone", {"safetensors"}, nullptr, &one_file<&write_weights>},
#endif
#if WEBNN_WITH_TEXT
    {"webnn", "text, with weights beside it", {"webnn"}, &read_webnn, &write_webnn},
#endif
    {"text", "the graph to look at", {"txt"}, nullptr, &one_file<&write_text>},
    {"graphviz", "Graphviz source", {"dot", "gv"}, nullptr, &one_file<&write_graphviz>},
  };
  return all;
}

const Format& readable(const std::filesystem::path& path, const std::string& name) {
  return find(path, name, &reads, "--from", "read");
}

const Format& writable(const std::filesystem::path& path, const std::string& name) {
  return find(path, name, &writes, "--to", "written");
}

}  // namespace webnn::tool
