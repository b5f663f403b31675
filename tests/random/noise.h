// How much operators may round.
#pragma once

#include "webnn/graph.h"

namespace webnn::inline v0_1::test {

struct Noise {
  double operands = 0;     ///< units in the last place of each operand of floats
  double result = 0;       ///< units in the last place of each result of floats; of integers, units
  double absolute = 0;     ///< that of floats, relative to the largest result, at least to 1
  bool unbounded = false;  ///< whether a gate can be larger than all results
  double composed = 0;  ///< that of floats, relative to the largest operand or result, where a file
                        ///< format without the operator has a composition of others for it
  bool underflows = false;  ///< whether a zero can be a result that is too small for its type
  bool sums = false;        ///< whether products are summed, which can overflow on the way
  bool squares = false;     ///< whether squares are summed, which can overflow on the way, and in
                            ///< a file format's composition underflow
  bool has_poles = false;   ///< whether the result jumps from one infinity to the other
  bool pads = false;        ///< whether elements beyond the first operand count as 0
  bool regroups = false;    ///< whether passes may regroup it, so that what overflows here need not
  bool feeds_back = false;  ///< whether it reads its own results, step by step
  bool decides = false;     ///< whether the result jumps where an operand changes a little
  bool moves = false;       ///< whether results are elements of operands, with the signs of zeros
};
/// The noise of an operator whose floats have that type.
Noise noise_of(const Node& node, MLOperandDataType floats);

}  // namespace webnn::inline v0_1::test
