// A file format, as import_model(), export_model(), the command and the bindings see it: one file
// of the folder formats for each library of a format. Private.
#pragma once

#include <filesystem>

#include "src/formats/common/file_view.h"
#include "src/formats/common/write_file.h"
#include "webnn/models.h"

namespace webnn::inline v0_1::registry {

using Quantizations = std::vector<std::optional<ImportedModel::Quantization>>;

/// Where a model is.
struct Source {
  Path path{};                          ///< empty: in memory
  std::shared_ptr<const void> owner{};  ///< of the bytes
  std::span<const std::byte> bytes{};   ///< in memory
  std::string label{};                  ///< for messages: the path, or what the caller says

  bool in_memory() const { return path.empty(); }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

/// A graph that was compiled before; the quantizations are parallel to its inputs and outputs.
struct Loaded {
  MLGraph graph{};
  Quantizations input_quantization{}, output_quantization{};
  std::string description{};
};

/// A file to be written.
struct OutputFile {
  std::filesystem::path path{};
  std::vector<std::byte> bytes{};
};

/// Writes the files of a model, the model first, as formats::write_files() does.
std::optional<formats::FileFailure> write(std::span<const OutputFile> files);

/// What a file that several programs share consists of.
struct Part {
  std::string where{}, what{};  ///< "method forward, delegate 0", "XnnpackBackend, 12 nodes"
  std::optional<std::uint64_t> bytes{};  ///< its size, where that is known
};
using Contents = std::vector<Part>;

/// The options of an import that not every format has.
struct Accepts {
  bool dimensions = false, shapes = false, signature = false, subgraph = false, weights = false;
};

struct Format {
  std::string_view name;  ///< what `--from` and `--to` take
  std::string_view about;
  std::vector<std::string_view> extensions;
  Accepts accepts{};
  /// Whether bytes are the beginning of such a file; null: they do not tell.
  bool (*recognizes)(std::span<const std::byte> file) = nullptr;
  ImportedModel (*read)(MLGraphBuilder&, const Source&, const ImportOptions&) = nullptr;
  /// The file of that name, and perhaps others beside it, such as weights. For "-", the standard
  /// output, it is one file.
  std::vector<OutputFile> (*write)(const MLGraph&, const std::filesystem::path&) = nullptr;
  /// What a file holds besides a graph, also where it cannot be read; null: nothing else.
  Contents (*contents)(const std::filesystem::path&) = nullptr;
  /// The model in the words of its file, also where it cannot be imported; null: a format whose
  /// operators are WebNN's own.
  formats::FileView (*view)(const formats::ViewedFile&, const ImportOptions&) = nullptr;
  /// The usual form of a text; null: there is none. `label` begins messages.
  std::string (*formatted)(std::string_view text, std::string_view label) = nullptr;
  /// The loader of compiled graphs, in place of read and write. `all`: all checksums are compared.
  Loaded (*load)(const MLContext&, const Source&, bool all) = nullptr;
  void (*save)(const Loaded&, const std::filesystem::path&) = nullptr;

  /// Whether it is a format of models.
  bool converts() const { return read || write; }
};

/// Those that were built in.
std::span<const Format> formats();

/// In lower case, without the dot.
std::string extension_of(const std::filesystem::path& path);

/// The format that reads such content; null where none does, or the file cannot be read.
const Format* recognized(const Source& source);
/// The format of a file by its name, by the extension of the label, or by the content. Throws
/// NotSupportedError, which names those that there are.
const Format& readable(const Source& source, const std::string& format);
/// The format of a file to be written, by its name or by the extension. Throws NotSupportedError.
const Format& writable(const Path& path, const std::string& format);
/// The format of compiled graphs. Throws NotSupportedError in a build without it.
const Format& compiled_format(std::string_view function, std::string_view label);
/// Whether this build reads such a file as a compiled graph.
bool is_compiled(const Source& source, const std::string& format);

/// The bytes of a text.
inline std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}
/// Writes a format that has one file.
template <std::vector<std::byte> (*Write)(const MLGraph&)>
std::vector<OutputFile> one_file(const MLGraph& graph, const std::filesystem::path& path) {
  return {{path, Write(graph)}};
}
/// Reads a format whose functions have the usual parameters.
template <class Model, class Options>
Model read_with(Model (*from_path)(MLGraphBuilder&, const Path&, const Options&),
                Model (*from_memory)(MLGraphBuilder&, std::shared_ptr<const void>,
                                     std::span<const std::byte>, const Options&, std::string_view),
                MLGraphBuilder& builder, const Source& source, Options options,
                const std::optional<std::uint64_t>& max_bytes) {
  if (max_bytes) options.max_bytes = *max_bytes;
  if (!source.in_memory()) return from_path(builder, source.path, options);
  return from_memory(builder, source.owner, source.bytes, options, source.label);
}

}  // namespace webnn::inline v0_1::registry
