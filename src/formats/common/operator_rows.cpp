#include "src/formats/common/operator_rows.h"

#include "src/graph/failure.h"
#include "src/graph/fused/operators.h"

namespace webnn::inline v0_1::formats {
namespace {

template <class T> inline constexpr std::span<const std::string_view> names_in{};
template <NamedEnum E>
inline constexpr std::span<const std::string_view> names_in<E> = enum_names<E>;
template <class T>
inline constexpr std::span<const std::string_view> names_in<std::vector<T>> = names_in<T>;
template <class T>
inline constexpr std::span<const std::string_view> names_in<std::optional<T>> = names_in<T>;
template <class T>
inline constexpr std::span<const std::string_view> names_in<OptionalList<T>> = names_in<T>;

template <class T> inline constexpr bool is_list = requires { typename T::variant; };
template <class T> inline constexpr bool is_list<std::vector<T>> = true;
template <class T> inline constexpr bool is_list<OptionalList<T>> = true;

template <class T>
inline constexpr ValueType value_type{
    [](const void* value) { return to_value(*static_cast<const T*>(value)); },
    [](const Value& from, void* value) { return from_value(from, *static_cast<T*>(value)); },
    is_list<T>, names_in<T>};

template <class Op, auto M> void* member(void* op) { return &ops::get(*static_cast<Op*>(op), M); }
template <class Op, auto M> bool is_default(const void* op) {
  static const Op defaults{};
  return ops::get(*static_cast<const Op*>(op), M) == ops::get(defaults, M);
}

template <class Op> struct Collect {
  std::vector<OperatorRow>& rows;

  template <auto M> void operator()(const ops::Operand<M>& row) const {
    using Form = OperatorRow::Form;
    using T = typename ops::MemberPointer<decltype(M)>::Type;
    constexpr Form form = std::same_as<T, MLOperand>                ? Form::operand
                          : std::same_as<T, std::vector<MLOperand>> ? Form::operands
                                                                    : Form::optional_operand;
    rows.push_back({row.name, form, ops::is_required<Op>(M), &member<Op, M>});
  }
  template <auto M> void operator()(const ops::Attribute<M>& row) const {
    using T = typename ops::MemberPointer<decltype(M)>::Type;
    rows.push_back({row.name, OperatorRow::Form::attribute, ops::is_required<Op>(M), &member<Op, M>,
                    &value_type<T>, &is_default<Op, M>});
  }
  template <auto M> void operator()(const ops::Output<M>&) const {}
};

template <class Op> OperatorRows rows() {
  OperatorRows all{Op::declaration.name,
                   {},
                   []() -> std::shared_ptr<void> { return std::make_shared<Op>(); },
                   [](void* op) -> std::string& { return static_cast<Op*>(op)->options.label; },
                   []([[maybe_unused]] MLGraphBuilder& builder,
                      [[maybe_unused]] void* op) -> std::vector<MLOperand> {
                     [[maybe_unused]] Op& typed = *static_cast<Op*>(op);
                     if constexpr (!ops::DeclaredOps::contains<Op>()) return {};  // find_operator()
                     else if constexpr (ops::returns_list<Op>())
                       return builder.append(std::move(typed));
                     else return std::vector{builder.append(std::move(typed))};
                   }};
  ops::for_each_row<Op>(Collect<Op>{all.rows});
  return all;
}

const auto& all_rows() {
  static const auto all = []<class... Op>(ops::OpList<Op...>) {
    return std::array{rows<Op>()...};
  }(EveryOp{});
  return all;
}

bool equal_in_any_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

const OperatorRow* OperatorRows::find(std::string_view row) const {
  for (const OperatorRow& r : rows)
    if (r.name == row) return &r;
  return nullptr;
}

const OperatorRows& rows_of(std::size_t kind) { return all_rows()[kind]; }

const OperatorRows* find_operator(std::string_view name, bool any_case) {
  for (const OperatorRows& op : std::span(all_rows()).first(ops::DeclaredOps::size))
    if (op.name == name || (any_case && equal_in_any_case(op.name, name))) return &op;
  return nullptr;
}

std::vector<MLOperand> operands_of(const OperatorRow& row, const void* op) {
  const void* member = row.get(op);
  using Form = OperatorRow::Form;
  if (row.form == Form::operand) return {*static_cast<const MLOperand*>(member)};
  if (row.form == Form::operands) return *static_cast<const std::vector<MLOperand>*>(member);
  const auto& one = *static_cast<const std::optional<MLOperand>*>(member);
  return one ? std::vector{*one} : std::vector<MLOperand>();
}

}  // namespace webnn::inline v0_1::formats
