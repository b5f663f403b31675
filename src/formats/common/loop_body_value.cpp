#include "src/formats/common/loop_body_value.h"

#include <algorithm>

#include "src/builder/validate.h"
#include "src/formats/common/operator_rows.h"
#include "src/graph/failure.h"
#include "src/graph/graph_data.h"

namespace webnn::inline v0_1::formats {
namespace {

/// Its type, and its sizes and names; null in their place where the rank is not known.
Value record_value(const MLOperand& x) {
  const OperandRecord& r = x.record();
  Value all = Value::list({to_value(r.descriptor.dataType)}), dimensions = Value::list();
  if (r.open && !r.open->ranked) {
    all.items.push_back({});
    return all;
  }
  const MLDimensions shape = r.open ? r.open->dimensions : MLDimensions(r.descriptor.shape);
  for (const MLDimension& d : shape)
    dimensions.items.push_back(d.is_open() ? Value::string(d.dynamic().name)
                                           : Value::number(std::uint64_t{d.size()}));
  all.items.push_back(std::move(dimensions));
  return all;
}
Value number_of(const MLOperand& x) { return Value::number(std::uint64_t{x.record().id}); }
template <class List, class F> Value list_of(const List& list, F f) {
  Value all = Value::list();
  for (const auto& x : list) all.items.push_back(f(x));
  return all;
}

Value node_value(const NodeData& node) {
  Value v = Value::object(), rows = Value::list();
  for (const OperatorRow& row : rows_of(node.op.kind()).rows)
    if (!row.is_attribute())
      rows.items.push_back(list_of(operands_of(row, node.op.get()), number_of));
    else if (row.is_default(node.op.get())) rows.items.emplace_back();
    else rows.items.push_back(Value::list({row.value(node.op.get())}));
  v.set("name", Value::string(std::string(name_of_kind(node.op.kind()))));
  v.set("label", Value::string(std::string(label_of_kind(node.op.kind(), node.op.get()))));
  v.set("rows", std::move(rows));
  v.set("results", list_of(node.outputs, record_value));
  return v;
}

/// A member of an object that is a list.
Result<const std::vector<Value>*> list_in(const Value& v, std::string_view key) {
  const Value* list = v.find(key);
  if (!list || list->kind != Value::Kind::list) return fail("the body has no list {}", key);
  return &list->items;
}

Bad read_record(const Value& v, OperandRecord& r) {
  if (v.kind != Value::Kind::list || v.items.size() != 2) return fail("{} is not a type", shown(v));
  if (auto bad = from_value(v.items[0], r.descriptor.dataType)) return bad;
  OpenShape shape;
  shape.ranked = v.items[1].kind != Value::Kind::null;
  for (const Value& d : v.items[1].items) {
    std::uint32_t size = 0;
    if (d.is_text()) {
      if (d.text.empty()) return fail("a name is empty");
      shape.dimensions.emplace_back(d.text);
    } else if (auto bad = from_value(d, size)) {
      return bad;
    } else {
      shape.dimensions.emplace_back(size);
    }
  }
  r.descriptor.shape = shape.dimensions.sizes();
  Dims least = r.descriptor.shape;
  std::ranges::replace(least, 0u, 1u);
  if (auto bad = check_dimensions("an operand", r.descriptor.dataType, shape::sizes(least)))
    return bad;
  if (!shape.ranked || shape.dimensions.are_open())
    r.open = std::make_shared<const OpenShape>(std::move(shape));
  return std::nullopt;
}

Bad read_operand(const Value& v, const GraphData& data, MLOperand& x) {
  std::uint64_t number = 0;
  if (auto bad = from_value(v, number)) return bad;
  if (number >= data.operands.size()) return fail("an operator reads an operand that comes later");
  x = borrowed(data.operands[static_cast<std::size_t>(number)]);
  return std::nullopt;
}

Bad read_row(const Value& v, const OperatorRow& row, const GraphData& data, void* op) {
  using Form = OperatorRow::Form;
  void* member = row.member(op);
  if (row.is_attribute()) {
    if (v.kind == Value::Kind::null) return std::nullopt;
    if (v.items.size() != 1) return fail("{} is not a value of {}", shown(v), row.name);
    return row.type->from_value(v.items[0], member);
  }
  std::vector<MLOperand> operands(v.items.size());
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (auto bad = read_operand(v.items[i], data, operands[i])) return bad;
  if (row.form == Form::operands) {
    *static_cast<std::vector<MLOperand>*>(member) = std::move(operands);
    return std::nullopt;
  }
  if (operands.size() > 1 || (operands.empty() && row.form == Form::operand))
    return fail("{} operands of {} are not possible", operands.size(), row.name);
  if (row.form == Form::operand) *static_cast<MLOperand*>(member) = operands.front();
  else if (!operands.empty()) *static_cast<std::optional<MLOperand>*>(member) = operands.front();
  return std::nullopt;
}

/// The kind of an operator that a body may have.
std::optional<std::size_t> kind_in_body(const std::string& name, bool custom) {
  if (custom && name == ops::custom::declaration.name) return kind_of<ops::custom>;
  if (name == control::loop::declaration.name) return kind_of<control::loop>;
  const auto& names = ops::DeclaredOps::names;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

Bad read_node(const Value& v, GraphData& data, bool custom) {
  const Value *name = v.find("name"), *label = v.find("label");
  const auto kind = name && name->is_text() ? kind_in_body(name->text, custom) : std::nullopt;
  if (!kind || !label) return fail("{} is not an operator", name ? shown(*name) : "nothing");
  const auto values = list_in(v, "rows"), results = list_in(v, "results");
  if (!values) return values.failure();
  if (!results) return results.failure();
  const OperatorRows& rows = rows_of(*kind);
  if ((*values)->size() != rows.rows.size())
    return fail("{} has other operands and options", name->text);
  const std::shared_ptr<void> op = rows.make();
  rows.label(op.get()) = label->text;
  for (std::size_t i = 0; i < rows.rows.size(); ++i)
    if (auto bad = read_row((**values)[i], rows.rows[i], data, op.get())) return bad;
  if ((*results)->empty()) return fail("{} has no results", name->text);
  if (*kind == kind_of<control::loop>)
    if (auto bad = control::check_numbers(*static_cast<const control::loop*>(op.get()),
                                          (*results)->size()))
      return bad;
  std::vector<OperandRecord> records((*results)->size());
  std::vector<MLOperandDescriptor> descriptors;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (auto bad = read_record((**results)[i], records[i])) return bad;
    descriptors.push_back(records[i].descriptor);
  }
  const std::vector<MLOperand> made = data.add(Op(*kind, op), descriptors);
  for (std::size_t i = 0; i < made.size(); ++i)
    data.operands[made[i].record().id].open = records[i].open;
  return std::nullopt;
}

Bad read_body(const Value& value, control::LoopBody& body, bool custom) {
  const Value *states = value.find("states"), *condition = value.find("condition");
  if (!states || !condition) return fail("a loop has no body");
  std::uint32_t n = 0;
  bool has_condition = false;
  if (auto bad = from_value(*states, n)) return bad;
  if (auto bad = from_value(*condition, has_condition)) return bad;
  const auto inputs = list_in(value, "inputs"), operators = list_in(value, "operators"),
             outputs = list_in(value, "outputs");
  for (const auto* list : {&inputs, &operators, &outputs})
    if (!*list) return list->failure();
  auto data = std::make_shared<GraphData>();
  for (const Value& v : **inputs) {
    OperandRecord r{.kind = OperandKind::input};
    if (auto bad = read_record(v, r)) return bad;
    data->add(std::move(r));
  }
  for (const Value& v : **operators)
    if (auto bad = read_node(v, *data, custom)) return bad;
  for (const Value& v : **outputs) {
    NamedOperand& y = data->outputs.emplace_back();
    if (auto bad = read_operand(v, *data, y.operand)) return bad;
  }
  if (data->inputs.size() < std::size_t{n} + 1 ||
      data->outputs.size() < std::size_t{n} + has_condition)
    return fail("the body has too few inputs or outputs for {} states", n);
  body = {std::move(data), n, has_condition};
  return std::nullopt;
}

}  // namespace

Value to_value(const control::LoopBody& body) {
  if (!body) return {};
  const GraphData& data = body.graph();
  Value v = Value::object();
  v.set("states", Value::number(std::uint64_t{body.states()}));
  v.set("condition", Value::boolean(body.has_condition()));
  v.set("inputs",
        list_of(data.inputs, [](const NamedOperand& x) { return record_value(x.operand); }));
  v.set("operators", list_of(data.nodes, node_value));
  v.set("outputs",
        list_of(data.outputs, [](const NamedOperand& x) { return number_of(x.operand); }));
  return v;
}

Bad from_value(const Value& value, control::LoopBody& body) {
  return read_body(value, body, false);
}
Bad from_value_with_custom(const Value& value, control::LoopBody& body) {
  return read_body(value, body, true);
}

}  // namespace webnn::inline v0_1::formats
