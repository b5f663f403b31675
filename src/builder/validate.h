// Everything that is checked before an operator enters a graph. Private.
#pragma once

#include "webnn/operand.h"
#include "webnn/shape/dims.h"

namespace webnn {

/// An operand together with the row that declares it; `index` counts within a list, else -1.
struct BoundOperand {
  std::string_view row;
  const ops::Limits* limits;
  int index;
  MLOperand operand;

  std::string name() const;
};

shape::Check check_owner(std::span<const BoundOperand>, const GraphData* owner);  // U-OWN
shape::Check check_limits(std::span<const BoundOperand>, Rules);  // the limit tables
shape::Check check_dimensions(std::string_view name, MLOperandDataType,
                              const ops::Sizes&);  // U-OUT

/// All checks for an operator of that kind except U-STATE, and the descriptors of its results.
Result<std::vector<MLOperandDescriptor>> validate(std::size_t kind, const void* op,
                                                  const GraphData* owner, Rules rules);

}  // namespace webnn
