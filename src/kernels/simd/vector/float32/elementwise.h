// Element-wise operators one after the other, a block at a time, so that what lies between two of
// them stays in L1.
#pragma once

#include "src/kernels/common/fused.h"
#include "src/kernels/common/loop.h"

namespace webnn::simd {

enum class Function {
  activation,  // those of Step::activation
  abs,
  ceil,
  erf,
  exp,
  floor,
  log,
  neg,
  reciprocal,
  round_even,
  sign,
  softplus,
  softsign,
  sqrt,
  square,
  add,  // of two operands from here
  sub,
  mul,
  div,
  max,
  min,
  prelu
};

/// A tensor from outside, broadcast to the elements of the result.
struct Source {
  enum class Access {
    whole,     ///< has all elements
    scalar,    ///< has one
    periodic,  ///< few elements, again and again: they are copied until a block is full
    loop
  };
  std::size_t input = 0;  ///< in Buffers
  Access access = Access::whole;
  MLOperandDataType type =
      MLOperandDataType::float32;  ///< of the head also int32, int8, uint8, float16
  Loop<1> loop{Dims{}, {}};
  std::size_t copies = 0;  ///< of `periodic`: where they are in scratch, in floats
};

struct Step {
  Function function{};
  Epilogue activation{};
  bool swapped = false;  ///< the source is the first operand
  std::optional<Source> source{};
};

struct Elementwise {
  static constexpr std::size_t block = 1024;

  Source head{};
  std::vector<Step> steps{};
  bool halves = false;                     ///< the result is float16
  std::size_t scratch_floats = 2 * block;  ///< what lies between two steps, a source, the copies
};

/// The elements [begin, end) of the result, counted in their order. The result may lie in the
/// memory of any source that has all elements.
void run_elementwise(const Elementwise& e, std::size_t begin, std::size_t end, const Buffers& b,
                     float* scratch);

}  // namespace webnn::simd
