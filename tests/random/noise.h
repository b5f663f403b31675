// How much operators may round.
#pragma once

#include "webnn/graph.h"

namespace webnn::test {

struct Noise {
  double operands = 0;   ///< units in the last place of each operand of floats
  double result = 0;     ///< units in the last place of each result of floats; of integers, units
  bool decides = false;  ///< whether the result jumps where an operand changes a little
  bool moves = false;    ///< whether results are elements of operands, with the signs of zeros
};
/// Of an operator whose floats have that type.
Noise noise_of(const Node& node, MLOperandDataType floats);

}  // namespace webnn::test
