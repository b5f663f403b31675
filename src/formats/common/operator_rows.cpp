#include "src/formats/common/operator_rows.h"

#include "src/formats/common/custom_values.h"
#include "src/formats/common/loop_body_value.h"
#include "src/graph/failure.h"
#include "src/graph/fused/operators.h"

namespace webnn::inline v0_1::formats {
namespace {

using formats::from_value;
using formats::to_value;
Value to_value(const fused::OperatorForm& form);
Bad from_value(const Value& value, fused::OperatorForm& form);

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

/// The number of operands of each row, in a list, and the attributes that are not the default.
Value to_value(const fused::OperatorForm& form) {
  if (!form) return {};
  Value operands = Value::list(), attributes = Value::object(), v = Value::object();
  for (const OperatorRow& row : rows_of(form.kind()).rows) {
    if (!row.is_attribute())
      operands.items.push_back(Value::number(operands_of(row, form.get()).size()));
    else if (!row.is_default(form.get()))
      attributes.set(std::string(row.name), row.value(form.get()));
  }
  v.set("name", Value::string(std::string(form.name())));
  v.set("operands", std::move(operands));
  v.set("attributes", std::move(attributes));
  return v;
}

/// As many empty operands as a row has.
Bad add_operands(const OperatorRow& row, const Value* given, void* op) {
  constexpr std::uint64_t most = 1 << 12;
  std::uint64_t count = 0;
  if (!given) return fail("the number of the operands of {} is not given", row.name);
  if (auto bad = from_value(*given, count)) return bad;
  const bool list = row.form == OperatorRow::Form::operands,
             one = row.form == OperatorRow::Form::operand;
  if (count > (list ? most : 1) || (one && count == 0))
    return fail("{} operands of {} are not possible", count, row.name);
  if (list) static_cast<std::vector<MLOperand>*>(row.member(op))->resize(count);
  else if (!one && count) static_cast<std::optional<MLOperand>*>(row.member(op))->emplace();
  return std::nullopt;
}
Bad from_value(const Value& value, fused::OperatorForm& form) {
  const Value *name = value.find("name"), *operands = value.find("operands"),
              *attributes = value.find("attributes");
  const OperatorRows* rows = name && name->is_text() ? find_operator(name->text) : nullptr;
  if (!rows || !operands || !attributes) return fail("{} is not an operator", shown(value));
  const std::shared_ptr<void> op = rows->make();
  std::size_t k = 0;
  for (const OperatorRow& row : rows->rows) {
    if (!row.is_attribute()) {
      const Value* count = k < operands->items.size() ? &operands->items[k++] : nullptr;
      if (auto bad = add_operands(row, count, op.get())) return bad;
    } else if (const Value* given = attributes->find(row.name)) {
      if (auto bad = row.type->from_value(*given, row.member(op.get()))) return bad;
    }
  }
  const auto kind = static_cast<std::size_t>(rows - all_rows().data());
  form = fused::OperatorForm(kind, op.get());
  return std::nullopt;
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
