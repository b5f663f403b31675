// Element-wise operators one after another, a block at a time, so that the values between two of
// them stay in L1.
#pragma once

#include "src/kernels/common/epilogue.h"
#include "src/kernels/common/loop.h"
#include "webnn/backend.h"
#include "webnn/ops/sections.h"

namespace webnn::inline v0_1::simd {

enum class Function {
  activation,  // of ElementwiseStep::parameters
  unary,       // of unary_functions.inc
  power,       // with the exponent parameters.alpha
  add,         // of two operands from here
  sub,
  mul,
  div,
  max,
  min,
  prelu,
  modulus_floor,
  modulus_truncate
};

/// A tensor from outside of the chain, broadcast to the elements of the result.
struct ElementwiseOperand {
  enum class Access {
    whole,     ///< has all elements
    scalar,    ///< has one
    periodic,  ///< a few elements that repeat, copied until they fill a block
    loop
  };
  std::size_t input = 0;  ///< in Buffers
  Access access = Access::whole;
  /// Of the head also int32, int8, uint8, and narrow floats.
  MLOperandDataType type = MLOperandDataType::float32;
  Loop<1> loop{Dims{}, {}};
  std::size_t copies = 0;  ///< of `periodic`: the offset of the copies in scratch, in floats
};

struct ElementwiseStep {
  Function function{};
  std::size_t kind = 0;   ///< of unary: the operator's index in ops::AllOps
  Epilogue parameters{};  ///< of activation; alpha and beta also of unary, alpha of power
  bool swapped = false;   ///< `source` is the first operand
  std::optional<ElementwiseOperand> source{};
};

struct Elementwise {
  static constexpr std::size_t block = 1024;

  ElementwiseOperand head{};
  std::vector<ElementwiseStep> steps{};
  /// A narrow float where a cast to it is the last.
  MLOperandDataType result = MLOperandDataType::float32;
  std::size_t scratch_floats = 2 * block;  ///< for values between steps, one operand, the copies
};

/// The elements [begin, end) of the result, counted in their order. The result may be in the
/// memory of any operand that has all elements.
void run_elementwise(const Elementwise& e, std::size_t begin, std::size_t end, const Buffers& b,
                     float* scratch);

}  // namespace webnn::inline v0_1::simd
