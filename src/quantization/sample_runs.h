// Runs of a graph on the samples of a calibration.
#pragma once

#include <functional>
#include <span>

#include "webnn/quantize.h"

namespace webnn::inline v0_1 {

/// Counts runs for QuantizationOptions::progress, and ends them when they are to end.
class SampleRuns {
 public:
  SampleRuns(const MLContext& context, const CalibrationSamples& samples,
             const QuantizationOptions& options)
      : context_(context), samples_(samples), options_(options) {}

  /// How many samples there are: after the first pass over them.
  std::size_t count() const { return count_; }
  /// What follows has so many passes over the samples.
  void begin(std::string_view stage, std::size_t passes);

  using Take = std::function<void(std::size_t output, std::span<const float> values)>;
  /// Runs the graph on each sample. `take` gets its outputs, which are float32, and before them
  /// `inputs` the values of each input that is float32.
  void pass(const Graph& graph, const NamedOperands& outputs, const Take& take,
            const Take& inputs = {});

 private:
  void run(const Graph& graph, const MLGraph& compiled, const CalibrationSample& sample,
           const Take& take, const Take& inputs);

  MLContext context_;
  const CalibrationSamples& samples_;
  const QuantizationOptions& options_;
  std::string_view stage_{};
  std::size_t count_ = 0, done_ = 0, passes_ = 0;
};

}  // namespace webnn::inline v0_1
