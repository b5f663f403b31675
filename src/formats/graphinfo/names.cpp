#include "src/formats/graphinfo/names.h"

#include <algorithm>
#include <array>
#include <map>

namespace webnn::inline v0_1::graphinfo {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
char lower(char c) { return is_upper(c) ? static_cast<char>(c + 32) : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

template <class Op> constexpr bool is_unary() {
  return ops::contains<Op>(ops::UnarySection::Operators{}) || std::same_as<Op, ops::cast> ||
         (ops::contains<Op>(ops::LogicalSection::Operators{}) && !requires(Op op) { op.b; });
}
template <class Op> constexpr bool is_binary() {
  return !is_unary<Op>() && (ops::contains<Op>(ops::BinarySection::Operators{}) ||
                             ops::contains<Op>(ops::ModulusSection::Operators{}) ||
                             ops::contains<Op>(ops::LogicalSection::Operators{}));
}

/// The members of a family share a structure; so do those that it gets later.
template <class Op> Operation operation() {
  const std::string_view name = Op::declaration.name;
  const auto without = [&](std::string_view prefix) {
    return enumerator(name.substr(name.starts_with(prefix) ? prefix.size() : 0));
  };
  if constexpr (is_unary<Op>()) return {"element_wise_unary", enumerator(name)};
  else if constexpr (is_binary<Op>()) return {"element_wise_binary", enumerator(name)};
  else if constexpr (ops::contains<Op>(ops::ReduceSection::Operators{}))
    return {"reduce", without("reduce")};
  else if constexpr (ops::contains<Op>(ops::ArgMinMaxSection::Operators{}))
    return {"arg_min_max", without("arg")};
  else if constexpr (ops::contains<Op>(ops::Pool2dSection::Operators{}))
    return {"pool2d", enumerator(name)};
  else if constexpr (std::same_as<Op, ops::conv2d>) return {"conv2d", "kDirect"};
  else if constexpr (std::same_as<Op, ops::convTranspose2d>) return {"conv2d", "kTransposed"};
  else return {snake_case(name), {}};
}

const auto& operations() {
  static const auto all = []<class... Op>(ops::OpList<Op...>) {
    return std::array{operation<Op>()...};
  }(ops::DeclaredOps{});
  return all;
}

}  // namespace

std::string snake_case(std::string_view name) {
  std::string s;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (i > 0 && is_upper(name[i]) && !is_upper(name[i - 1])) s += '_';
    s += lower(name[i]);
  }
  return s;
}

std::string enumerator(std::string_view name) {
  std::string s = "k";
  bool begins = true;
  for (char c : name) {
    if (c != '-') s += begins ? upper(c) : c;
    begins = c == '-';
  }
  return s;
}

const Operation& operation_of(std::size_t kind) { return operations()[kind]; }

const formats::OperatorRows* find_operation(std::string_view name, std::string_view kind) {
  static const auto by_name = [] {
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> all;
    for (std::size_t i = 0; i < operations().size(); ++i)
      all[{operations()[i].name, operations()[i].kind}] = i;
    return all;
  }();
  const auto found = by_name.find({name, kind});
  return found == by_name.end() ? nullptr : &formats::rows_of(found->second);
}

std::string field_of(const formats::OperatorRows& op, const formats::OperatorRow& row) {
  using Form = formats::OperatorRow::Form;
  std::string name = snake_case(row.name);
  if (row.is_attribute()) return name;
  if (row.form == Form::operands) {
    if (name.ends_with('s')) name.pop_back();
    return name + "_operand_ids";
  }
  const auto kind = static_cast<std::size_t>(
      std::find(ops::DeclaredOps::names.begin(), ops::DeclaredOps::names.end(), op.name) -
      ops::DeclaredOps::names.begin());
  const std::string& structure = operation_of(kind).name;
  if (structure == "element_wise_binary") name = name == "a" ? "lhs" : "rhs";
  if (structure == "element_wise_unary") name = "input";
  return name + "_operand_id";
}

bool is_in_2023(const Operation& operation) {
  // The union of that revision, and the enumerators that others got later.
  static constexpr std::string_view names[] = {"arg_min_max",
                                               "batch_normalization",
                                               "clamp",
                                               "concat",
                                               "conv2d",
                                               "element_wise_binary",
                                               "elu",
                                               "element_wise_unary",
                                               "expand",
                                               "gather",
                                               "gather_elements",
                                               "gelu",
                                               "gemm",
                                               "gru",
                                               "gru_cell",
                                               "hard_sigmoid",
                                               "hard_swish",
                                               "layer_normalization",
                                               "instance_normalization",
                                               "leaky_relu",
                                               "linear",
                                               "lstm",
                                               "lstm_cell",
                                               "matmul",
                                               "pad",
                                               "pool2d",
                                               "prelu",
                                               "reduce",
                                               "relu",
                                               "resample2d",
                                               "reshape",
                                               "sigmoid",
                                               "slice",
                                               "softmax",
                                               "softplus",
                                               "softsign",
                                               "split",
                                               "tanh",
                                               "transpose",
                                               "triangular",
                                               "where"};
  static constexpr std::string_view later[] = {"kNotEqual",   "kLogicalAnd",   "kLogicalOr",
                                               "kLogicalXor", "kRoundEven",    "kIsNaN",
                                               "kIsInfinite", "kModulusFloor", "kModulusTruncate"};
  const auto has = [](const auto& list, std::string_view name) {
    return std::find(std::begin(list), std::end(list), name) != std::end(list);
  };
  return has(names, operation.name) && !has(later, operation.kind);
}

}  // namespace webnn::inline v0_1::graphinfo
