// Quantized graphs from float ones: operators between dequantizeLinear and quantizeLinear, which
// run on integers of 8 bits, with scales that follow from samples of the inputs or from each run.
#pragma once

#include "webnn/context.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1 {

/// How the range of a tensor follows from its elements in all samples. Every range includes 0.
enum class CalibrationMethod {
  /// From the least to the largest element.
  min_max,
  /// Without the elements that are farthest outside: (100 - percentile) / 2 percent at either end.
  /// Elements are counted in 2048 bins between the least and the largest.
  percentile,
  /// Between -t and t, as far as there are elements, where t is the edge of one of up to 2048 bins
  /// of magnitudes, which have 16 elements on average at least, and the first as many as the
  /// second: t is chosen so that the distribution of the magnitudes up to t, with the larger ones
  /// in the last bin, has the least Kullback-Leibler divergence from itself in 128 steps (256 if no
  /// element is negative and the zero point is free).
  entropy
};
constexpr auto names_of(CalibrationMethod) { return names("min-max", "percentile", "entropy"); }

/// The progress of a quantization.
struct QuantizationProgress {
  std::string_view stage{};  ///< "calibration" or "measurement"
  std::size_t done = 0;      ///< how many of `total` runs of samples
  std::size_t total = 0;     ///< 0 in the first pass over the samples, which counts them
};

struct QuantizationOptions {
  /// Only products and convolutions with constant weights are quantized, except depthwise and
  /// transposed ones; their inputs are uint8, with the scale and the zero point of their range in
  /// each run. No samples are needed.
  bool dynamic = false;
  /// Whether weights have a scale for each output channel or column; otherwise they have one for
  /// all.
  bool per_channel = false;
  MLOperandDataType activations = uint8;  ///< uint8 or int8
  MLOperandDataType weights = int8;       ///< int8 with the zero point 0, or uint8
  bool symmetric = false;                 ///< the zero point of activations is 128, or 0 of int8
  /// Weights have 7 bits, for runtimes whose sums of two products saturate at 16 bits.
  bool reduce_range = false;
  CalibrationMethod calibration = CalibrationMethod::min_max;
  double percentile = 99.99;  ///< above 50, at most 100
  /// Only operators of these names are quantized, such as "conv2d"; empty: quantizable_operators().
  std::vector<std::string> operators{};
  /// Operators that stay in float: by their label, or by the name that the report has for them.
  std::vector<std::string> keep_float{};
  /// Operators whose own signal-to-noise ratio, in dB, is lower stay in float.
  std::optional<double> min_snr{};
  /// This many operators, those with the lowest signal-to-noise ratios, stay in float.
  std::size_t worst_in_float = 0;
  /// Called on the calling thread. What it throws ends the call.
  std::function<void(const QuantizationProgress&)> progress{};
  std::stop_token stop{};  ///< ends the call with AbortError, before the next run of a sample
};

/// The inputs of one run. An input with open dimensions has its shape: InputView(values, shape).
using CalibrationSample = std::vector<NamedInput>;
/// Returns the sample of that index, or nothing after the last one. It is called several times for
/// each sample, and must return the same each time; what it returns is valid until the next call.
using CalibrationSamples = std::function<std::optional<CalibrationSample>(std::size_t index)>;

/// A row for an operator that can be quantized and does more than rearrange elements. Ratios are 10
/// log10(signal / noise) over all samples, in dB: infinite where nothing differs, NaN where nothing
/// was measured. Signal is the sum of the squares of the float result, noise that of the
/// differences.
struct QuantizedOperator {
  std::string name;       ///< its label, or its name and index in the graph, as in "conv2d 3"
  std::string_view kind;  ///< its name, such as "conv2d"
  bool quantized = false;
  double own_snr = 0;      ///< of its result when it alone is quantized
  double network_snr = 0;  ///< of its result in the quantized graph, with all errors before it
  double weights_snr = 0;  ///< of its constant weights
};
struct QuantizedOutput {
  std::string name;      ///< an output of the graph, of floats
  double snr = 0;        ///< as above
  double max_error = 0;  ///< the largest difference of an element
};
struct QuantizedGraph {
  Graph graph;
  std::vector<QuantizedOperator> operators;
  std::vector<QuantizedOutput> outputs;
  std::size_t samples = 0;
};

/// The names of the operators that quantize() knows, sorted.
std::vector<std::string_view> quantizable_operators();

/// The graph with quantized operators: products, convolutions, and what lies between them. Where
/// results of operators are quantized, all readers get what dequantizeLinear makes of them.
/// Operators that rearrange elements, and maximum pooling, have one scale for their operands and
/// results, and relu and clamp directly after a product, a convolution or a sum become its bounds.
/// Biases are int32. Inputs and outputs of the graph stay float32.
///
/// Before that, a graph without open dimensions is simplified: batchNormalization and arithmetic
/// with constants become part of weights, products become gemm, and activations and normalizations
/// that are written out become operators. Tensors with elements that are not finite, and what reads
/// or makes them, stay in float. The context runs the graph on the samples.
///
/// Throws TypeError for options that are out of range, for no samples unless `dynamic`, for a
/// sample that does not fit the inputs, for an operator in `operators` or `keep_float` that does
/// not exist, for a graph that is already quantized, and for a graph in which nothing can be
/// quantized; InvalidStateError for a graph whose constants are released
/// (MLContextOptions::keepConstants); OperationError as build(); AbortError.
QuantizedGraph quantize(const MLContext& context, const Graph& graph,
                        const CalibrationSamples& samples, const QuantizationOptions& options = {});
/// The same with samples in memory.
QuantizedGraph quantize(const MLContext& context, const Graph& graph,
                        std::span<const CalibrationSample> samples,
                        const QuantizationOptions& options = {});

}  // namespace webnn::inline v0_1
