// A file format, as the command sees it: one file of this folder for each library of a format.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::tool {

/// The value of an element q is scale * (q - zero_point).
struct Quantization {
  float scale = 1;
  std::int32_t zero_point = 0;
};

/// What a reader adds to a builder; the vectors of quantizations are parallel to the operands.
struct Imported {
  NamedOperands inputs{}, outputs{};
  std::vector<std::optional<Quantization>> input_quantization{}, output_quantization{};
  std::string description{};
};

/// A graph that was compiled before; the vectors of quantizations are parallel to its inputs and
/// outputs.
struct Loaded {
  MLGraph graph{};
  std::vector<std::optional<Quantization>> input_quantization{}, output_quantization{};
  std::string description{};
};

/// The elements of an input. A dimension may be 0.
struct KnownValue {
  Dims shape{};
  std::vector<std::byte> bytes{};
  MLOperandDataType type = float32;
};

struct ReadOptions {
  std::map<std::string, Dims> shapes{};
  std::map<std::string, std::uint32_t> dimensions{};  ///< by the name that the file gives them
  std::map<std::string, KnownValue> values{};  ///< those of inputs, where shapes follow from them
  std::string signature{};
  std::size_t subgraph = 0;
};

/// A file to be written.
struct OutputFile {
  std::filesystem::path path{};
  std::vector<std::byte> bytes{};
};

/// What a file that several programs share consists of.
struct Part {
  std::string where,
      what;  ///< "method forward, delegate 0", "XnnpackBackend, 12 nodes", for example
};
using Contents = std::vector<Part>;

struct Format {
  std::string_view name;  ///< what `--from` and `--to` take
  std::string_view about;
  std::vector<std::string_view> extensions;
  Imported (*read)(MLGraphBuilder&, const std::filesystem::path&, const ReadOptions&) = nullptr;
  /// The file of that name, and perhaps others beside it, such as weights. For "-", the standard
  /// output, it is one file.
  std::vector<OutputFile> (*write)(const MLGraph&, const std::filesystem::path&) = nullptr;
  /// What a file holds besides a graph, also where it cannot be read; null: nothing else.
  Contents (*contents)(const std::filesystem::path&) = nullptr;
  /// The usual form of a text; null: there is none. `label` begins messages.
  std::string (*formatted)(std::string_view text, std::string_view label) = nullptr;
  /// Compiled graphs have these in place of read and write. `all`: all checksums are compared.
  Loaded (*load)(const MLContext&, const std::filesystem::path&, bool all) = nullptr;
  void (*save)(const Loaded&, const std::filesystem::path&) = nullptr;

  /// Whether it is a format of models.
  bool converts() const { return read || write; }
};

inline std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}
/// Writes a format that has one file.
template <std::vector<std::byte> (*Write)(const MLGraph&)>
std::vector<OutputFile> one_file(const MLGraph& graph, const std::filesystem::path& path) {
  return {{path, Write(graph)}};
}

}  // namespace webnn::inline v0_1::tool
