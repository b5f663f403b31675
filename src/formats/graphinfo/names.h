// How the schemas spell the names of operators, rows and enumerators. Private.
#pragma once

#include <string>
#include <string_view>

#include "src/formats/common/operator_rows.h"

namespace webnn::inline v0_1::graphinfo {

/// gatherND is gather_nd, keepDimensions is keep_dimensions, conv2d is conv2d.
std::string snake_case(std::string_view name);
/// nearest-neighbor is kNearestNeighbor, isNaN is kIsNaN.
std::string enumerator(std::string_view name);

/// How the schemas name an operator: element_wise_unary with the kind kCast. An operator of no
/// family has its own structure, without a kind.
struct Operation {
  std::string name{}, kind{};
};
const Operation& operation_of(std::size_t kind);
/// Null if there is none.
const formats::OperatorRows* find_operation(std::string_view name, std::string_view kind);

/// The field of an operand or attribute: input_operand_id, keep_dimensions.
std::string field_of(const formats::OperatorRows& op, const formats::OperatorRow& row);

/// Whether the schema of 2023 has that operation.
bool is_in_2023(const Operation& operation);

}  // namespace webnn::inline v0_1::graphinfo
