// Outputs in a folder of .npy files: written by run --output-dir, compared by --golden.
#pragma once

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
/// Compares every output with its file in the folder. Throws CommandError for a file that is not
/// there, or has another shape or values that the output's type cannot have.
std::vector<GoldenOutput> compare_golden(const std::filesystem::path& folder,
                                         const NamedDescriptors& outputs, const Results& results,
                                         std::optional<double> tolerance);

bool agrees(const std::vector<GoldenOutput>& all);
std::string golden_text(const std::vector<GoldenOutput>& all);
Json golden_json(const std::vector<GoldenOutput>& all);

/// "--golden DIR"
void add_golden(CLI::App& app, std::string& folder);

}  // namespace webnn::inline v0_1::tool
