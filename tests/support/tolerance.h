// The tolerances of the W3C tests, in one table. A test never has one of its own.
#pragma once

#include "tests/support/ulp.h"

namespace webnn::inline v0_1::test {

/// For an operator by its name in the spec. `n` is the number that the table's rule counts: the
/// terms of a sum, the elements of a window, the size of the axis.
Tolerance tolerance_of(std::string_view op, MLOperandDataType type, double n = 0);

}  // namespace webnn::inline v0_1::test
