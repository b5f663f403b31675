// The generic checks, without templates: they see rows, not operators.
#include "src/builder/validate.h"

#include "src/graph/failure.h"
#include "src/graph/graph_data.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1 {
namespace {

std::string list_of(DataTypes set) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < enum_names<MLOperandDataType>.size(); ++i) {
    const auto type = static_cast<MLOperandDataType>(i);
    if (set.contains(type)) names.push_back(name_of(type));
  }
  return joined(names);
}

/// `earlier`: single operands and the first of each list, with which the others of it agree.
shape::Check check_one(const BoundOperand& x, std::span<const BoundOperand* const> earlier,
                       Rules rules) {
  const ops::Limits& l = *x.limits;
  const auto type = x.operand.dataType();
  const auto rank = x.operand.rank();
  if (l.type_row.empty() && !l.types.contains(type))
    return fail("the data type ({}) of {} is not one of {}", type, x.name(), list_of(l.types));
  if (l.ranks.min == l.ranks.max && rank != l.ranks.min)
    return fail("the rank ({}) of {} is not {}", rank, x.name(), l.ranks.min);
  if (rank < l.ranks.min)
    return fail("the rank ({}) of {} is less than {}", rank, x.name(), l.ranks.min);
  if (rank > l.ranks.max)
    return fail("the rank ({}) of {} is greater than {}", rank, x.name(), l.ranks.max);
  for (const BoundOperand* other : earlier) {
    const BoundOperand& y = *other;
    const bool first = l.alike && y.row == x.row && y.index == 0;
    if ((first || y.row == l.type_row) && type != y.operand.dataType())
      return fail("the data type ({}) of {} is not that of {} ({})", type, x.name(), y.name(),
                  y.operand.dataType());
    const bool fewer = l.fewer_in_tests && rules == Rules::tests2025 && rank < y.operand.rank();
    if ((first || y.row == l.rank_row) && rank != y.operand.rank() && !fewer)
      return fail("the rank ({}) of {} is not that of {} ({})", rank, x.name(), y.name(),
                  y.operand.rank());
  }
  return {};
}

}  // namespace

std::string BoundOperand::name() const {
  std::string s(row);
  return index < 0 ? s : s + '[' + std::to_string(index) + ']';
}

shape::Check check_owner(std::span<const BoundOperand> operands, const GraphData* owner) {
  for (const BoundOperand& x : operands) {
    if (!x.operand) return fail("{} is missing", x.name());
    if (owner_of(x.operand) != owner) return fail("{} belongs to another builder", x.name());
  }
  return {};
}

shape::Check check_limits(std::span<const BoundOperand> operands, Rules rules) {
  std::vector<const BoundOperand*> earlier;
  for (const BoundOperand& x : operands) {
    if (auto bad = check_one(x, earlier, rules)) return bad;
    if (x.index <= 0) earlier.push_back(&x);
  }
  return {};
}

Failure not_a_data_type(std::string_view name, MLOperandDataType type) {
  return fail("the data type ({}) of {} is not an enumerator of MLOperandDataType",
              static_cast<int>(type), name);
}

shape::Check check_dimensions(std::string_view name, MLOperandDataType type,
                              const ops::Sizes& shape) {
  if (!is_data_type(type)) return not_a_data_type(name, type);
  if (shape.size() > max_rank)
    return fail("the rank ({}) of {} is greater than {}", shape.size(), name, max_rank);
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!shape::valid_dimension(shape[i]))
      return fail("dimension {} ({}) of {} is not between 1 and {}", i, shape[i], name,
                  shape::max_dimension);
    count *= shape[i];
    if (!shape::valid_dimension(count))
      return fail("the number of elements of {} ({}) is greater than {}", name, shape,
                  shape::max_dimension);
  }
  const std::uint64_t bytes = (count * static_cast<std::uint64_t>(bits_of(type)) + 7) / 8;
  if (bytes > max_tensor_byte_length)
    return fail("the byte length ({}) of {} is greater than {}", bytes, name,
                max_tensor_byte_length);
  return {};
}

}  // namespace webnn::inline v0_1
