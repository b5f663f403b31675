#include "bindings/formats/memory.h"

#include <array>
#include <cstdio>

#if WEBNN_READS_COMPILED
#include "webnn/compiled.h"
#endif
#if WEBNN_READS_EXECUTORCH
#include "webnn/executorch.h"
#endif
#if WEBNN_READS_GRAPHINFO
#include "webnn/graphinfo.h"
#endif
#if WEBNN_READS_NNRT
#include "webnn/nnrt.h"
#endif
#if WEBNN_READS_ONNX
#include "webnn/onnx.h"
#endif
#if WEBNN_READS_TEXT
#include "webnn/text.h"
#endif
#if WEBNN_READS_TFLITE
#include "webnn/tflite.h"
#endif

namespace webnn::inline v0_1::bindings {
namespace {

using tool::Imported;
using tool::ReadOptions;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class Model> Imported imported(Model m) {
  Imported all{std::move(m.inputs), std::move(m.outputs), {}, {}, {}};
  if constexpr (requires { m.description; }) all.description = std::move(m.description);
  else if constexpr (requires { m.name; }) all.description = std::move(m.name);
  if constexpr (requires { m.input_quantization; }) {
    const auto convert = [](const auto& from) {
      std::vector<std::optional<tool::Quantization>> to;
      for (const auto& q : from) {
        to.emplace_back();
        if (!q) continue;
        if constexpr (requires { q->zero_point; }) to.back() = {q->scale, q->zero_point};
        else to.back() = {static_cast<float>(q->scale), q->zeroPoint};
      }
      return to;
    };
    all.input_quantization = convert(m.input_quantization);
    all.output_quantization = convert(m.output_quantization);
  }
  return all;
}

/// What every reader gets.
struct Reading {
  MLGraphBuilder& builder;
  const Contents& contents;
  std::string_view label;
  const ReadOptions& options;
};

struct Reader {
  std::string_view name;
  Imported (*read)(const Reading&);
};

constexpr auto readers = std::to_array<Reader>({
#if WEBNN_READS_TFLITE
  {"tflite",
   [](const Reading& r) {
     const tflite::ImportOptions o{.signature = r.options.signature,
                                   .subgraph = r.options.subgraph,
                                   .shapes = r.options.shapes};
     return imported(
         tflite::import_model(r.builder, r.contents.owner, r.contents.bytes, o, r.label));
   }},
#endif
#if WEBNN_READS_ONNX
      {"onnx",
       [](const Reading& r) {
         onnx::ImportOptions o{.dimensions = r.options.dimensions, .shapes = r.options.shapes};
         for (const auto& [name, v] : r.options.values) o.values[name] = {v.shape, v.bytes, v.type};
         return imported(
             onnx::import_model(r.builder, r.contents.owner, r.contents.bytes, o, r.label));
       }},
#endif
#if WEBNN_READS_EXECUTORCH
      {"executorch",
       [](const Reading& r) {
         const executorch::ImportOptions o{.method = r.options.signature,
                                           .shapes = r.options.shapes};
         return imported(
             executorch::import_model(r.builder, r.contents.owner, r.contents.bytes, o, r.label));
       }},
      {"xnnpack",
       [](const Reading& r) {
         const executorch::ImportOptions o{.method = r.options.signature,
                                           .shapes = r.options.shapes};
         return imported(
             executorch::import_model(r.builder, r.contents.owner, r.contents.bytes, o, r.label));
       }},
#endif
#if WEBNN_READS_NNRT
      {"nnrt",
       [](const Reading& r) {
         const nnrt::ImportOptions o{.shapes = r.options.shapes};
         return imported(
             nnrt::import_model(r.builder, r.contents.owner, r.contents.bytes, o, r.label));
       }},
#endif
#if WEBNN_READS_TEXT
      {"webnn",
       [](const Reading& r) {
         text::ImportOptions o;
         o.shapes = r.options.shapes;
         o.dimensions = r.options.dimensions;
         return imported(text::import_model(r.builder, text_of(r.contents.bytes), o, r.label));
       }},
#endif
#if WEBNN_READS_GRAPHINFO
      {"graphinfo",
       [](const Reading& r) {
         return imported(
             graphinfo::import_model(r.builder, text_of(r.contents.bytes), {}, r.label));
       }},
#endif
      {"", nullptr},
});

/// Whether they begin with a field of ONNX's ModelProto: ir_version, producer_name, and so on.
bool begins_onnx(std::string_view text) {
  return !text.empty() &&
         std::string_view("\x08\x12\x1a\x22\x28\x32\x3a\x42\x72").find(text[0]) != text.npos;
}

}  // namespace

std::string format_of(std::span<const std::byte> bytes) {
  const std::string_view text = text_of(bytes);
  const std::string_view identifier = text.size() >= 8 ? text.substr(4, 4) : std::string_view();
  if (text.starts_with("webnnc\r\n")) return "compiled";
  if (text.starts_with("NNRTMDL1")) return "nnrt";
  if (identifier == "TFL3") return "tflite";
  if (identifier.starts_with("ET1")) return "executorch";
  if (identifier.starts_with("XN0") || identifier == "XH00") return "xnnpack";
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{') return "graphinfo";
  if (text.substr(0, 4096).find("webnn_graph") != text.npos) return "webnn";
  if (begins_onnx(text)) return "onnx";
  throw DataError("import", "bytes",
                  "their format is not known by the first of them; the option format names it");
}

tool::Imported import_model(MLGraphBuilder& builder, const Contents& contents,
                            std::string_view label, const std::string& format,
                            const tool::ReadOptions& options) {
  const std::string name = format.empty() ? format_of(contents.bytes) : format;
  std::string known;
  for (const Reader& reader : readers) {
    if (!reader.read) continue;
    if (reader.name == name) return reader.read({builder, contents, label, options});
    known += (known.empty() ? "" : ", ") + std::string(reader.name);
  }
  if (name == "compiled")
    throw NotSupportedError("import", label, "a compiled graph is loaded, not imported");
  throw NotSupportedError(
      "import", label,
      "this library does not read the format \"" + escaped(name) + "\"; it reads " + known);
}

tool::Loaded load_graph(const MLContext& context, const Contents& contents, std::string_view label,
                        bool all) {
#if WEBNN_READS_COMPILED
  compiled::Metadata metadata;
  tool::Loaded m{
      .graph = compiled::load(
          context, contents.owner, contents.bytes,
          {.verify = all ? compiled::Verify::full : compiled::Verify::small, .metadata = &metadata},
          label)};
  const auto quantization = [&](const char* side, const std::string& name) {
    std::optional<tool::Quantization> found;
    tool::Quantization q;
    const auto at = metadata.find(std::string(side) + name);
    if (at != metadata.end() &&
        std::sscanf(at->second.c_str(), "%a %d", &q.scale, &q.zero_point) == 2)
      found = q;
    return found;
  };
  for (const auto& [name, d] : m.graph.inputs())
    m.input_quantization.push_back(quantization("input ", name));
  for (const auto& [name, d] : m.graph.outputs())
    m.output_quantization.push_back(quantization("output ", name));
  m.description = metadata["description"];
  return m;
#else
  static_cast<void>(context), static_cast<void>(contents), static_cast<void>(all);
  throw NotSupportedError("load", label,
                          "this library was built without compiled graphs (WEBNN_COMPILED)");
#endif
}

}  // namespace webnn::inline v0_1::bindings
