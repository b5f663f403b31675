// Quantized operators on the vector kernels, beside the composition in double precision.
#pragma once

#include <functional>
#include <map>

#include "src/graph/requantization.h"
#include "tests/support/random.h"
#include "webnn/backend.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {

/// One scale and zero point, or one for each element of a shape.
struct Scales {
  Tensor scale, zero;
};

/// Builds dequantizeLinear and quantizeLinear around operators, and knows the real values.
class QuantizedCase {
 public:
  explicit QuantizedCase(std::uint64_t seed) : random(seed) {}

  struct Operand {
    Tensor integers;
    Scales scales;
    bool constant;
    /// The real value of an element.
    double at(const Dims& place) const;
  };
  /// Values from end to end of the type, or between the given.
  Operand operand(MLOperandDataType type, Dims shape, double scale, double zero, bool constant,
                  std::optional<std::pair<double, double>> range = std::nullopt);
  Operand operand(MLOperandDataType type, Dims shape, Scales scales, bool constant,
                  std::optional<std::pair<double, double>> range = std::nullopt);

  Random random;
};

struct QuantizedResult {
  MLOperandDataType type = uint8;
  double scale = 1, zero = 0;
  /// With Requantization::fixedPoint, at least; if it is negative, that is left out.
  double fixed_slack = 0.011;
};

using BuildReal = std::function<MLOperand(MLGraphBuilder&, std::span<const MLOperand>)>;

/// Runs quantizeLinear(build(dequantizeLinear(operands))) on the vector kernels for every
/// instruction set and 1, 2 and 8 threads, with each Requantization; each result must be as near to
/// real(place) as rounding allows, the same for any threads, and within one unit of the reference
/// kernels' composition; explain() must name the kernel. `slack` in units.
void check_quantized(std::span<const QuantizedCase::Operand> operands, const BuildReal& build,
                     const QuantizedResult& result, const std::function<double(const Dims&)>& real,
                     const std::string& kernel, double slack = 0.011);

/// How far the second of two roundings may take a product with a factor (fixed_point.h).
double second_rounding(double factor);

/// f(simd) for each instruction set of this machine, with all those that it contains: the backend
/// with the CPU's dot product instruction and without it, and with emulated tiles.
void for_int8_targets(const std::function<void(const std::shared_ptr<const Backend>&)>& f);

}  // namespace webnn::inline v0_1::test
