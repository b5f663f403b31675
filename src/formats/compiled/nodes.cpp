#include "src/formats/compiled/nodes.h"

#include "src/formats/common/control_values.h"
#include "src/formats/common/operator_rows.h"
#include "src/graph/constant_facts.h"
#include "src/graph/custom.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::compiled {
namespace {

using formats::OperatorRow;
using formats::OperatorRows;
using formats::Value;
using Form = OperatorRow::Form;

constexpr std::size_t max_value_depth = 128;  // bodies of loops lie in each other

void write_value(Writer& to, const Value& v) {
  to.put(static_cast<std::uint8_t>(v.kind));
  to.text(v.text);
  to.count(v.items.size());
  for (const Value& item : v.items) write_value(to, item);
}
Value read_value(Reader& from, std::size_t depth = 0) {
  if (depth > max_value_depth) damaged("a value is nested too deep");
  const auto kind = from.get<std::uint8_t>();
  if (kind > static_cast<std::uint8_t>(Value::Kind::object)) damaged("a value has no kind");
  Value v{.kind = static_cast<Value::Kind>(kind), .text = from.text()};
  for (std::size_t n = from.count(); n > 0; --n) v.items.push_back(read_value(from, depth + 1));
  return v;
}

void write_row(Writer& to, const OperatorRow& row, const void* op, const Numbers& numbers) {
  if (row.is_attribute()) {
    const bool given = !row.is_default(op);
    to.put(static_cast<std::uint8_t>(given));
    if (given) write_value(to, row.value(op));
    return;
  }
  const std::vector<MLOperand> operands = formats::operands_of(row, op);
  to.count(operands.size());
  for (const MLOperand& x : operands) to.put(numbers.of(x));
}

void read_row(Reader& from, const OperatorRow& row, void* op, const GraphData& data) {
  void* member = row.member(op);
  if (row.is_attribute()) {
    if (!from.flag()) return;
    if (const auto bad = row.type->from_value(read_value(from), member))
      damaged(std::string(row.name) + ": " + bad->message);
    return;
  }
  std::vector<MLOperand> operands;
  for (std::size_t n = from.count(); n > 0; --n) {
    const auto number = from.get<std::uint32_t>();
    if (number >= data.operands.size()) damaged("an operator reads an operand that comes later");
    operands.push_back(borrowed(data.operands[number]));
  }
  if (row.form == Form::operands) {
    *static_cast<std::vector<MLOperand>*>(member) = std::move(operands);
    return;
  }
  if (operands.size() > 1 || (operands.empty() && row.form == Form::operand))
    damaged("an operator has the wrong number of operands");
  if (row.form == Form::operand) *static_cast<MLOperand*>(member) = operands.front();
  else if (!operands.empty()) *static_cast<std::optional<MLOperand>*>(member) = operands.front();
}

std::size_t kind_named(std::string_view name) {
  for (std::size_t kind = 0; kind < EveryOp::size; ++kind)
    if (EveryOp::names[kind] == name) return kind;
  damaged("there is no operator " + in_quotes(name));
}

/// The definition of a custom operator, of which the file has the name and the version.
void find_definition(ops::custom& op, const MLContext* context) {
  if (!op.definition) damaged("a custom operator has no name");
  if (!context) return;
  const std::string name = op.definition->name;
  const std::uint32_t version = op.definition->version;
  if (formats::is_control(name)) {
    auto made = formats::control_definition(name, version, op.options.attributes, *context);
    if (!made) damaged(escaped(name) + ": " + made.failure().message);
    op.definition = std::move(*made);
  } else {
    op.definition = version ? find_custom_operator(*context, name, version) : nullptr;
  }
  if (!op.definition)
    raise({format("it has the custom operator {} of version {}, which the option operators does "
                  "not have",
                  {Arg(in_quotes(name)), Arg(version)}),
           ErrorName::DataError},
          "load");
  auto attributes = completed(*op.definition, std::move(op.options.attributes));
  if (!attributes) damaged(escaped(name) + ": " + attributes.failure().message);
  op.options.attributes = std::move(*attributes);
}

}  // namespace

void write_node(Writer& to, const Node& node, const Numbers& numbers) {
  to.text(name_of_kind(node.kind()));
  to.text(node.label());
  for (const OperatorRow& row : formats::rows_of(node.kind()).rows)
    write_row(to, row, node.op(), numbers);
}

Op read_op(Reader& from, const GraphData& data, const MLContext* context) {
  const std::size_t kind = kind_named(from.text());
  const OperatorRows& rows = formats::rows_of(kind);
  const std::shared_ptr<void> op = rows.make();
  rows.label(op.get()) = from.text();
  for (const OperatorRow& row : rows.rows) read_row(from, row, op.get(), data);
  if (is_custom(kind)) find_definition(*static_cast<ops::custom*>(op.get()), context);
  return Op(kind, op);
}

std::string read_name(Reader& from, std::unordered_set<std::string>& used) {
  std::string name = from.text();
  if (name.empty() || !used.insert(name).second) damaged("a name is empty or given twice");
  return name;
}

void write_place(Writer& to, const Place& p) {
  to.put(static_cast<std::uint8_t>(p.part));
  to.put(p.offset);
  to.put(p.size);
}
Place read_place(Reader& from, std::uint8_t part) {
  if (part != static_cast<std::uint8_t>(Part::small) &&
      part != static_cast<std::uint8_t>(Part::large))
    damaged("an array is in no section");
  const auto offset = from.get<std::uint64_t>();
  return {static_cast<Part>(part), offset, from.get<std::uint64_t>()};
}

void write_facts(Writer& to, const Constant& constant) {
  ConstantFacts& facts = *facts_of(constant);
  const std::lock_guard lock(facts.mutex);
  to.count(facts.numbers.size());
  for (const auto& [name, number] : facts.numbers) {
    to.text(name);
    to.put(number);
  }
}
void read_facts(Reader& from, const Constant& constant) {
  ConstantFacts& facts = *facts_of(constant);
  const std::lock_guard lock(facts.mutex);
  for (std::size_t n = from.count(); n > 0; --n) {
    std::string name = from.text();
    facts.numbers[std::move(name)] = from.get<std::uint64_t>();
  }
}

void write_metadata(Writer& to, const Metadata& metadata) {
  to.count(metadata.size());
  for (const auto& [name, value] : metadata) {
    to.text(name);
    to.text(value);
  }
}
Metadata read_metadata(Reader& from) {
  Metadata metadata;
  for (std::size_t n = from.count(); n > 0; --n) {
    std::string name = from.text();
    metadata[std::move(name)] = from.text();
  }
  return metadata;
}

}  // namespace webnn::inline v0_1::compiled
