// A model that was read, and compiled.
#pragma once

#include <chrono>

#include "tools/webnn/common/options.h"
#include "tools/webnn/common/output.h"
#include "tools/webnn/model/formats.h"

namespace webnn::inline v0_1::tool {

/// Milliseconds from then to now.
double ms_since(std::chrono::steady_clock::time_point start);

/// What is known of inputs before a model is read, by their names.
struct GivenInputs {
  std::map<std::string, KnownValue> values{};  ///< from which shapes may follow
  std::map<std::string, Dims> shapes{};        ///< that of the only input may have no name
};

struct Model {
  std::string path{}, format{}, description{};
  bool is_compiled = false;  ///< the file is a compiled graph
  std::uint64_t file_bytes = 0;
  double read_ms = 0;  ///< milliseconds to read the file and make the graph, without compiling it
  MLContext context;
  MLGraph compiled{};
  std::vector<std::optional<Quantization>> input_quantization{};   ///< parallel to inputs()
  std::vector<std::optional<Quantization>> output_quantization{};  ///< parallel to outputs()

  std::vector<std::string> constants{};  ///< inputs of the file whose given values became constants
  std::map<std::string, KnownValue> values{};  ///< of inputs that remain, and are always this
  std::vector<std::string> guessed{};  ///< open dimensions that are 1, for nothing was given

  Graph graph() const { return compiled.graph(); }
};

/// A model as its file has it, or as a compiled one was before the passes.
struct SourceModel {
  std::string path{}, format{}, description{};
  std::uint64_t file_bytes = 0;
  NamedOperands inputs{}, outputs{};
  std::vector<std::optional<Quantization>> input_quantization{};   ///< parallel to the inputs
  std::vector<std::optional<Quantization>> output_quantization{};  ///< parallel to the outputs
  Graph graph;
};
/// Reads a model without compiling it: no pass runs, and no weights are packed. Throws as load()
/// does, and Usage for a compiled graph.
SourceModel read_source(const ModelOptions& options, const MLContext& context);
SourceModel source_of(const Model& model);

/// Throws Usage for an extension that no reader has, and the library's errors.
/// Open dimensions have the sizes of the options and of the inputs that are given, or 1 for a
/// batch, which a line on the standard error says. Throws Usage for others, and CommandError for
/// sizes that the model does not accept.
Model load(const ModelOptions& options, const MLContext& context, const GivenInputs& given = {});
/// The same, but dimensions stay open for which the options give no size.
Model load_open(const ModelOptions& options, const MLContext& context);

std::string quantization_text(const std::optional<Quantization>& q);
void add_quantization(Json& json, const std::optional<Quantization>& q);

}  // namespace webnn::inline v0_1::tool
