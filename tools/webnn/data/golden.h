// Outputs in a folder of .npy files: written by run --output-dir, compared by --golden.
#pragma once

#include <functional>

#include "tools/webnn/data/tolerance.h"
#include "tools/webnn/model/execute.h"

namespace webnn::inline v0_1::tool {

/// The name of each output's file, without its folder and extension.
std::vector<std::string> file_names(const NamedDescriptors& outputs);

struct GoldenOutput {
  std::string name{}, file{};
  Distances distances{};
  Verdict verdict{};
};
/// What one unit of each quantized operator grows to, by output; empty where that is not known.
using GrowthOfOutputs = std::function<std::vector<double>()>;
/// Compares every output with its file in the folder. `growth` is called when one differs too much
/// for a single operator and no tolerance is given. Throws CommandError for a file that is not
/// there, or has another shape or values that the output's type cannot have.
std::vector<GoldenOutput> compare_golden(const std::filesystem::path& folder,
                                         const NamedDescriptors& outputs, const Results& results,
                                         std::optional<double> tolerance,
                                         const GrowthOfOutputs& growth);

bool agrees(const std::vector<GoldenOutput>& all);
std::string golden_text(const std::vector<GoldenOutput>& all);
Json golden_json(const std::vector<GoldenOutput>& all);

/// "--golden DIR"
void add_golden(CLI::App& app, std::string& folder);

}  // namespace webnn::inline v0_1::tool
