// Samples of the inputs of a model, for a calibration.
#pragma once

#include "tools/webnn/data/inputs.h"
#include "tools/webnn/model/sizes.h"
#include "webnn/quantize.h"

namespace webnn::inline v0_1::tool {

struct CalibrationOptions {
  std::vector<std::string> sources{};  ///< "NAME=PATH", or "PATH" where there is one input
  std::size_t max_samples = 100;
  InputOptions images{};

  void add_to(CLI::App& app);
};

/// Sample i has file i of each source, a file, or a folder whose files are sorted by their names.
/// Inputs without a source are random.
class FileSamples {
 public:
  /// The model outlives this. Throws Usage for names that there are not, CommandError for folders
  /// that cannot be read or are empty, and for sources with different numbers of files.
  FileSamples(const CalibrationOptions& options, const Model& model);

  std::size_t count() const { return count_; }
  /// The inputs that are random.
  std::vector<std::string> random_inputs() const;
  /// Throws CommandError for files that are broken or do not fit, Usage for open dimensions that
  /// have no size.
  std::optional<CalibrationSample> operator()(std::size_t index);

 private:
  Feeds read(std::size_t index) const;
  ShapesByName shapes_of(std::size_t index) const;

  const CalibrationOptions& options_;
  const Model& model_;
  std::vector<std::vector<std::filesystem::path>> files_{};  // by input; none where it is random
  std::size_t count_ = 0;
  std::vector<std::optional<Feeds>> kept_{};  // by sample, as long as they are not too large
  std::uint64_t kept_bytes_ = 0;
  Feeds last_{};
};

}  // namespace webnn::inline v0_1::tool
