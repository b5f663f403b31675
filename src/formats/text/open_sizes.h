// Lists of sizes, some of which are known when the graph runs. Private.
#pragma once

#include "src/formats/common/operator_rows.h"
#include "src/formats/text/scope.h"

namespace webnn::inline v0_1::text {

/// Replaces `dyn("batch", 8)` in a list, and in the lists in it, by its size where that is given.
void fix_dimensions(Scope& scope, formats::Value& value);

/// The operator whose lists of sizes are operands, reshapeDynamic for reshape, if a list of the
/// statement has a size that is known when the graph runs; else the operator itself.
const formats::OperatorRows& form_of(Scope& scope, const Statement& statement,
                                     const formats::OperatorRows& rows);

/// A list of sizes as an operand. `total`, if it is there, has as many elements as the sizes say,
/// and one of them may be -1.
MLOperand sizes_operand(Scope& scope, const formats::Value& list, const MLOperand* total);

}  // namespace webnn::inline v0_1::text
