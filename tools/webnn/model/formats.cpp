#include "tools/webnn/model/formats.h"

#include <algorithm>

#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/model/weights.h"
#if WEBNN_WITH_TFLITE
#include "webnn/tflite.h"
#endif

namespace webnn::tool {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}
std::vector<std::byte> write_text(const MLGraph& g) { return bytes_of(to_text(g.graph())); }
std::vector<std::byte> write_graphviz(const MLGraph& g) { return bytes_of(to_graphviz(g.graph())); }

#if WEBNN_WITH_TFLITE
std::vector<std::optional<Quantization>> converted(
    const std::vector<std::optional<tflite::Quantization>>& from) {
  std::vector<std::optional<Quantization>> all;
  for (const auto& q : from)
    all.push_back(q ? std::optional(Quantization{q->scale, q->zero_point}) : std::nullopt);
  return all;
}

Imported read_tflite(MLGraphBuilder& b, const std::filesystem::path& path, const ReadOptions& o) {
  tflite::Model m = tflite::import_model(
      b, path, {.signature = o.signature, .subgraph = o.subgraph, .shapes = o.shapes});
  return {std::move(m.inputs), std::move(m.outputs), converted(m.input_quantization),
          converted(m.output_quantization), std::move(m.description)};
}
std::vector<std::byte> write_tflite(const MLGraph& g) { return tflite::export_model(g); }
#endif

std::string extensions_of(bool (*choose)(const Format&)) {
  std::string s;
  for (const Format& f : formats())
    if (choose(f))
      for (std::string_view e : f.extensions) s += (s.empty() ? "." : ", .") + std::string(e);
  return s.empty() ? "none, for this webnn was built without any" : s;
}

const Format* by_extension(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  for (const Format& f : formats())
    if (std::find(f.extensions.begin(), f.extensions.end(), extension) != f.extensions.end())
      return &f;
  return nullptr;
}

}  // namespace

std::span<const Format> formats() {
  static const std::vector<Format> all = {
#if WEBNN_WITH_TFLITE
    {"tflite", "TensorFlow Lite model", {"tflite", "lite"}, &read_tflite, &write_tflite},
#endif
#if WEBNN_WITH_SAFETENSORS
    {"safetensors", "the weights alone", {"safetensors"}, nullptr, &write_weights},
#endif
    {"text", "the graph to read", {"txt", "webnn"}, nullptr, &write_text},
    {"graphviz", "Graphviz source", {"dot", "gv"}, nullptr, &write_graphviz},
  };
  return all;
}

const Format& readable(const std::filesystem::path& path) {
  const Format* f = by_extension(path);
  if (f && f->read) return *f;
  throw Usage(shown(path) + ": its extension is not one that can be read: " +
              extensions_of([](const Format& x) { return x.read != nullptr; }));
}

const Format& writable(const std::filesystem::path& path, const std::string& name) {
  if (!name.empty()) {
    std::string known;
    for (const Format& f : formats()) {
      if (!f.write) continue;
      if (f.name == name) return f;
      known += (known.empty() ? "" : ", ") + std::string(f.name);
    }
    throw Usage("--to " + escaped(name) + ": is not a format that can be written: " + known);
  }
  const Format* f = by_extension(path);
  if (f && f->write) return *f;
  throw Usage(shown(path) + ": its extension is not one that can be written: " +
              extensions_of([](const Format& x) { return x.write != nullptr; }));
}

}  // namespace webnn::tool
