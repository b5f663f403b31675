// Operators: `y = softmax(x, axis=1)`.
#include "src/formats/common/operator_rows.h"
#include "src/formats/text/open_sizes.h"
#include "src/formats/text/other_programs.h"
#include "src/formats/text/types.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::text {
namespace {

using formats::OperatorRow;
using formats::OperatorRows;
using formats::Value;
using Form = OperatorRow::Form;

/// Other names that programs write for options.
std::string_view current_name(std::string_view op, std::string_view option) {
  if (op == "cast" && (option == "to" || option == "type")) return "dataType";
  if (option == "roundingType") return "outputShapeRounding";
  return option;
}

/// One operator under construction.
class Call {
 public:
  Call(Scope& scope, const Statement& s, const OperatorRows& rows)
      : scope_(scope), s_(s), rows_(rows), op_(rows.make()), given_(rows.rows.size()) {}

  std::vector<MLOperand> append() {
    for (const Argument& a : s_.arguments) a.name.empty() ? positional(a) : named(a);
    require_all();
    if (auto_pad_)
      if (const auto bad = set_auto_pad(rows_.name, op_.get(), *auto_pad_))
        refuse(auto_pad_->offset, fail("{}: {}", rows_.name, bad->message));
    std::string& label = rows_.label(op_.get());
    if (!has_label_ && s_.results.size() == 1) label = s_.results.front().text;
    try {
      return rows_.append(scope_.builder, op_.get());
    } catch (const TypeError& e) {
      refuse(s_.op.offset, fail("{}: {}", name_and_label(e.op(), e.label()), e.reason()));
    }
  }

 private:
  [[noreturn]] void refuse(std::size_t offset, const Failure& f) const {
    scope_.source.refuse(offset, f);
  }

  /// Arguments come first, operands of a list one after the other; operands that are left are
  /// options, as some programs write them.
  void positional(const Argument& a) {
    const bool is_operand = a.value.is_text() && scope_.find(a.value.text, a.value.offset);
    for (std::size_t i = 0; i < rows_.rows.size(); ++i) {
      const OperatorRow& row = rows_.rows[i];
      if (!row.required) continue;
      if (row.form == Form::operands && !list_ended_ && is_operand) {
        given_[i] = true;
        members(row).push_back(operand(a.value));
        return;
      }
      if (given_[i]) continue;
      list_ended_ = true;
      return give(i, a);
    }
    for (std::size_t i = 0; i < rows_.rows.size(); ++i)
      if (rows_.rows[i].form == Form::optional_operand && !given_[i] && is_operand)
        return give(i, a);
    refuse(a.offset, fail("{}: there are too many arguments", rows_.name));
  }

  void named(const Argument& a) {
    if (a.name == "metadata") return;  // says nothing about the operator
    if (a.name == "label") {
      if (const auto bad = from_value(a.value, rows_.label(op_.get())))
        refuse(a.value.offset, fail("{}: label: {}", rows_.name, bad->message));
      has_label_ = true;
      return;
    }
    if (a.name == "autoPad" && has_auto_pad(rows_.name) && !auto_pad_) {
      auto_pad_ = a.value;
      return;
    }
    const std::string_view name = current_name(rows_.name, a.name);
    for (std::size_t i = 0; i < rows_.rows.size(); ++i)
      if (rows_.rows[i].name == name) return give(i, a);
    std::vector<std::string_view> names;
    for (const OperatorRow& row : rows_.rows) names.push_back(row.name);
    refuse(a.offset,
           fail("{}: {} is not one of {}, label", rows_.name, in_quotes(a.name), joined(names)));
  }

  void give(std::size_t i, const Argument& a) {
    const OperatorRow& row = rows_.rows[i];
    if (given_[i]) refuse(a.offset, fail("{}: {} is given twice", rows_.name, row.name));
    given_[i] = true;
    void* member = row.member(op_.get());
    if (a.value.kind == Value::Kind::null && !row.required) return;
    switch (row.form) {
      case Form::operand: *static_cast<MLOperand*>(member) = operand(a.value, &row); return;
      case Form::optional_operand:
        *static_cast<std::optional<MLOperand>*>(member) = operand(a.value, &row);
        return;
      case Form::operands:
        if (a.value.kind != Value::Kind::list)
          refuse(a.value.offset,
                 fail("{}: {}: {} is not a list", rows_.name, row.name, shown(a.value)));
        for (const Value& item : a.value.items) members(row).push_back(operand(item));
        return;
      case Form::attribute: attribute(row, a.value, member); return;
    }
  }

  std::vector<MLOperand>& members(const OperatorRow& row) {
    return *static_cast<std::vector<MLOperand>*>(row.member(op_.get()));
  }
  /// Where sizes are operands, they may be written as a list.
  MLOperand operand(const Value& value, const OperatorRow* row = nullptr) const {
    if (row && row->name != "input" && value.kind == Value::Kind::list &&
        rows_.name.ends_with("Dynamic")) {
      const bool reshapes = rows_.name == "reshapeDynamic";
      const MLOperand& input = *static_cast<const MLOperand*>(rows_.find("input")->get(op_.get()));
      return sizes_operand(scope_, value, reshapes && input ? &input : nullptr);
    }
    if (!value.is_text()) refuse(value.offset, fail("{} is not an operand", shown(value)));
    return scope_.operand(value.text, value.offset);
  }

  void attribute(const OperatorRow& row, Value value, void* member) {
    fix_dimensions(scope_, value);
    if (rows_.name == "reshape")
      if (const auto bad = fix_new_shape(op_.get(), value))
        refuse(value.offset, fail("{}: {}", rows_.name, bad->message));
    if (row.name == "axes" && (rows_.name == "squeeze" || rows_.name == "unsqueeze"))
      if (value.kind == Value::Kind::number) value = Value::list({value});
    if (row.name == "axis" || row.name == "axes") fix_axes(value, rank(value));
    // Data types may have their short names, and names of another case.
    if (row.type->names.data() == enum_names<MLOperandDataType>.data() && value.is_text()) {
      if (const auto type = type_named(value.text)) value.text = name_of(*type);
      for (char& c : value.text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    if (const auto bad = row.type->from_value(value, member))
      refuse(value.offset, fail("{}: {}: {}", rows_.name, row.name, bad->message));
  }

  /// The rank of the first operand that is given, or of what unsqueeze makes of it; 0 where it is
  /// not known.
  std::uint32_t rank(const Value& axes) const {
    for (const OperatorRow& row : rows_.rows) {
      if (row.is_attribute()) continue;
      for (const MLOperand& x : formats::operands_of(row, op_.get()))
        if (x && x.dimensions()) {
          const std::size_t added = rows_.name == "unsqueeze" ? axes.items.size() : 0;
          return x.rank() + static_cast<std::uint32_t>(added);
        }
    }
    return 0;
  }

  void require_all() const {
    std::vector<std::string_view> missing;
    for (std::size_t i = 0; i < rows_.rows.size(); ++i)
      if (rows_.rows[i].required && !given_[i]) missing.push_back(rows_.rows[i].name);
    if (!missing.empty())
      refuse(s_.op.offset, fail("{}: there is no {}", rows_.name, joined(missing)));
  }

  Scope& scope_;
  const Statement& s_;
  const OperatorRows& rows_;
  std::shared_ptr<void> op_;
  std::vector<bool> given_;  // by row
  bool list_ended_ = false, has_label_ = false;
  std::optional<Value> auto_pad_{};
};

}  // namespace

void import_statement(Scope& scope, const Statement& s) {
  if (const auto reshape = as_reshape(scope, s)) return import_statement(scope, *reshape);
  std::vector<MLOperand> results;
  if (s.call && s.op.is("custom")) {
    results = import_custom(scope, s);
  } else if (s.call) {
    const OperatorRows* rows = formats::find_operator(s.op.text, true);
    if (!rows)
      scope.source.refuse(s.op.offset, fail("there is no operator {}", in_quotes(s.op.text)));
    results = Call(scope, s, form_of(scope, s, *rows)).append();
  } else {
    results = {scope.operand(s.op.text, s.op.offset)};
  }
  if (results.size() != s.results.size())
    scope.source.refuse(s.results.front().offset,
                        fail("{} has {} results, but {} names are given", s.op.text, results.size(),
                             s.results.size()));
  for (std::size_t i = 0; i < results.size(); ++i) scope.set(s.results[i], results[i], true);
}

}  // namespace webnn::inline v0_1::text
