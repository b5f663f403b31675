#include "src/formats/compiled/graph.h"

#include <unordered_set>

#include "src/builder/validate.h"
#include "src/formats/common/operator_rows.h"
#include "src/graph/constant_facts.h"
#include "src/graph/graph_data.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::compiled {
namespace {

using formats::OperatorRow;
using formats::OperatorRows;
using formats::Value;
using Form = OperatorRow::Form;

constexpr std::size_t max_operators = 1 << 18, max_operands = 1 << 20, max_value_depth = 16;

void write_descriptor(Writer& to, const MLOperandDescriptor& d) {
  to.put(static_cast<std::uint8_t>(d.dataType));
  to.put(static_cast<std::uint8_t>(d.shape.size()));
  for (const std::uint32_t size : d.shape) to.put(size);
}
MLOperandDescriptor read_descriptor(Reader& from) {
  MLOperandDescriptor d{.dataType = static_cast<MLOperandDataType>(from.get<std::uint8_t>())};
  for (std::size_t rank = from.get<std::uint8_t>(); rank > 0; --rank)
    d.shape.push_back(from.get<std::uint32_t>());
  if (const auto bad = check_dimensions("an operand", d.dataType, shape::sizes(d.shape)))
    damaged(bad->message);
  return d;
}

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

/// The numbers of the operands: inputs, constants, results, each in the order of the graph.
class Numbers {
 public:
  explicit Numbers(const Graph& graph) : of_(graph.operand_count()) {
    for (const auto& [name, x] : graph.inputs()) add(x);
    for (std::size_t i = 0; i < graph.operand_count(); ++i)
      if (graph.operand(i).constant()) {
        constants_.push_back(graph.operand(i));
        add(constants_.back());
      }
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const Node node = graph.node(i);
      for (const MLOperand& y : node.outputs()) add(y);
    }
  }
  std::uint32_t of(const MLOperand& x) const { return of_[x.record().id]; }
  const std::vector<MLOperand>& constants() const { return constants_; }

 private:
  void add(const MLOperand& x) { of_[x.record().id] = next_++; }

  std::vector<std::uint32_t> of_;
  std::vector<MLOperand> constants_{};
  std::uint32_t next_ = 0;
};

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
    damaged("an operator has another number of operands");
  if (row.form == Form::operand) *static_cast<MLOperand*>(member) = operands.front();
  else if (!operands.empty()) *static_cast<std::optional<MLOperand>*>(member) = operands.front();
}

std::size_t kind_named(std::string_view name) {
  for (std::size_t kind = 0; kind < EveryOp::size; ++kind)
    if (EveryOp::names[kind] == name) return kind;
  damaged("there is no operator " + in_quotes(name));
}

void read_node(Reader& from, GraphData& data) {
  const std::size_t kind = kind_named(from.text());
  const OperatorRows& rows = formats::rows_of(kind);
  const std::shared_ptr<void> op = rows.make();
  rows.label(op.get()) = from.text();
  for (const OperatorRow& row : rows.rows) read_row(from, row, op.get(), data);
  auto made = validate(kind, op.get(), &data, Rules::specification);
  if (!made) made = validate(kind, op.get(), &data, Rules::tests2025);
  if (!made) damaged(std::string(rows.name) + ": " + made.failure().message);
  if (data.operands.size() + made->size() > max_operands) damaged("it has too many operands");
  data.add(Op(kind, op), *made);
}

/// A name that no other input, or output, has.
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

/// By input: whether a run may leave it out, which only those may be that no operator reads.
std::vector<bool> read_optional(Reader& from, const Graph& graph) {
  std::vector<bool> read(graph.operand_count()), optional;
  for (std::size_t i = 0; i < graph.size(); ++i)
    for (const MLOperand& x : graph.node(i).inputs()) read[x.record().id] = true;
  for (const auto& [name, x] : graph.inputs()) {
    optional.push_back(from.flag());
    if (optional.back() && read[x.record().id]) damaged("an input that is read may be left out");
  }
  return optional;
}

/// What is known of the values of a constant, which may not be in the file.
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

}  // namespace

void write_graph(Writer& to, const Graph& graph, const PlaceOf& place_of) {
  const Numbers numbers(graph);
  to.count(graph.inputs().size());
  for (const auto& [name, x] : graph.inputs()) {
    to.text(name);
    write_descriptor(to, x.descriptor());
  }
  to.count(numbers.constants().size());
  for (const MLOperand& x : numbers.constants()) {
    write_descriptor(to, x.descriptor());
    if (const auto place = place_of(x)) write_place(to, *place);
    else to.put(std::uint8_t{0});
    write_facts(to, *x.constant());
  }
  to.count(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    to.text(node.name());
    to.text(node.label());
    for (const OperatorRow& row : formats::rows_of(node.kind()).rows)
      write_row(to, row, node.op(), numbers);
  }
  to.count(graph.outputs().size());
  for (const auto& [name, x] : graph.outputs()) {
    to.text(name);
    to.put(numbers.of(x));
  }
}

Graph read_graph(Reader& from, const BytesAt& bytes_at) {
  const auto data = std::make_shared<GraphData>();
  std::unordered_set<std::string> inputs, outputs;
  for (std::size_t n = from.count(max_operands); n > 0; --n) {
    std::string name = read_name(from, inputs);
    data->add(
        {.descriptor = read_descriptor(from), .kind = OperandKind::input, .name = std::move(name)});
  }
  for (std::size_t n = from.count(max_operands); n > 0; --n) {
    MLOperandDescriptor d = read_descriptor(from);
    Constant values(nullptr, {});  // released
    if (const auto part = from.get<std::uint8_t>()) {
      const Place place = read_place(from, part);
      if (place.size != byte_length(d)) damaged("a constant has another size");
      values = bytes_at(place);
    }
    read_facts(from, values);
    data->add(
        {.descriptor = std::move(d), .kind = OperandKind::constant, .constant = std::move(values)});
  }
  for (std::size_t n = from.count(max_operators); n > 0; --n) read_node(from, *data);
  for (std::size_t n = from.count(max_operands); n > 0; --n) {
    std::string name = read_name(from, outputs);
    const auto number = from.get<std::uint32_t>();
    if (number >= data->operands.size()) damaged("an output is no operand");
    data->outputs.push_back({std::move(name), borrowed(data->operands[number])});
  }
  if (data->outputs.empty()) damaged("it has no outputs");
  return graph_of(data);
}

namespace {

/// The blocks that the kernels want, each once, by the constants and the layout.
void write_blocks(Writer& to, const GraphState& g, const BlockPlace& place_of) {
  struct Wanted {
    std::string layout;
    std::vector<std::uint32_t> constants;  // by their ids
    const PackedBlock* packed;
  };
  std::vector<Wanted> all;
  std::unordered_set<BlockKey, HashBlockKey> seen;
  for (const Step& step : g.plan.steps) {
    const Choice& c = step.choice;
    const std::vector<MLOperand> inputs = inputs_of(c.chain);
    for (std::size_t i = 0; i < c.blocks.size(); ++i) {
      const WeightBlock& block = c.kernel.weights[i];
      if (block.layout.empty()) continue;
      const auto [key, is_new] = seen.insert(BlockKey(c.backend, block, inputs));
      if (!is_new) continue;
      Wanted w{key->layout, {}, c.blocks[i].get()};
      for (const int input : block.inputs)
        w.constants.push_back(inputs[static_cast<std::size_t>(input)].record().id);
      all.push_back(std::move(w));
    }
  }
  const Numbers numbers(g.optimized);
  to.count(all.size());
  for (const Wanted& w : all) {
    to.text(w.layout);
    to.count(w.constants.size());
    for (const std::uint32_t id : w.constants) to.put(numbers.of(g.optimized.operand(id)));
    write_place(to, place_of(*w.packed));
  }
}

/// A block of a file.
std::pair<BlockKey, std::shared_ptr<const PackedBlock>> read_block(Reader& from,
                                                                   const BlockAt& block_at,
                                                                   const Graph& graph) {
  BlockKey key;
  key.layout = from.text();
  if (key.layout.empty()) damaged("a packed array has no layout");
  for (std::size_t n = from.count(); n > 0; --n) {
    const auto number = from.get<std::uint32_t>();
    const Constant* constant =
        number < graph.operand_count() ? graph.operand(number).constant() : nullptr;
    if (!constant) damaged("a packed array is not of constants");
    key.constants.push_back(facts_of(*constant));
  }
  const Place place = read_place(from, from.get<std::uint8_t>());
  key.bytes = place.size;
  return {std::move(key), block_at(place)};
}

}  // namespace

void write_plan(Writer& to, const GraphState& g, const BlockPlace& place_of,
                const Metadata& metadata) {
  const auto write = [&](const Choice& c) {
    to.count(c.chain.size());
    for (const Node& node : c.chain) to.put(static_cast<std::uint32_t>(compiled::place_of(node)));
    to.text(c.backend);
    to.texts(c.others);
  };
  to.count(g.plan.steps.size() + g.plan.in_place.size());
  for (const Step& step : g.plan.steps) write(step.choice);
  for (const Choice& c : g.plan.in_place) write(c);
  for (const bool optional : g.optional) to.put(static_cast<std::uint8_t>(optional));
  write_blocks(to, g, place_of);
  to.count(g.updates.size());
  for (const StateUpdate& u : g.updates) {
    to.put(static_cast<std::uint32_t>(u.input));
    to.put(static_cast<std::uint32_t>(u.output));
  }
  to.count(g.passes.size());
  for (const PassReport& p : g.passes) {
    to.text(p.name);
    to.put(std::uint64_t{p.before});
    to.put(std::uint64_t{p.after});
  }
  to.texts(g.in_float32);
  to.count(metadata.size());
  for (const auto& [name, value] : metadata) {
    to.text(name);
    to.text(value);
  }
}

void read_plan(Reader& from, const BlockAt& block_at, Compiled& to, Metadata& metadata) {
  for (std::size_t n = from.count(max_operators); n > 0; --n) {
    RecordedChoice& r = to.choices.emplace_back();
    for (std::size_t nodes = from.count(max_operators); nodes > 0; --nodes)
      r.places.push_back(from.get<std::uint32_t>());
    r.backend = from.text();
    r.others = from.texts();
  }
  to.optional = read_optional(from, to.graph);
  for (std::size_t n = from.count(); n > 0; --n)
    to.blocks.push_back(read_block(from, block_at, to.graph));
  const NamedOperands &inputs = to.graph.inputs(), &outputs = to.graph.outputs();
  std::unordered_set<std::size_t> updated, updating;
  for (std::size_t n = from.count(inputs.size()); n > 0; --n) {
    const std::size_t in = from.get<std::uint32_t>(), out = from.get<std::uint32_t>();
    if (in >= inputs.size() || out >= outputs.size() || !updated.insert(in).second ||
        !updating.insert(out).second || outputs[out].operand.record().kind != OperandKind::result ||
        inputs[in].operand.descriptor() != outputs[out].operand.descriptor())
      damaged("a state is updated by what does not fit");
    to.updates.push_back({inputs[in].name, outputs[out].name});
  }
  for (std::size_t n = from.count(); n > 0; --n) {
    const std::string name = from.text();
    const std::size_t before = from.get<std::uint64_t>(), after = from.get<std::uint64_t>();
    for (const Pass& pass : all_passes())
      if (pass.name == name) {
        to.passes.push_back({pass.name, before, after});
        break;
      }
  }
  to.in_float32 = from.texts();
  for (std::size_t n = from.count(); n > 0; --n) {
    std::string name = from.text();
    metadata[std::move(name)] = from.text();
  }
  from.end();
}

}  // namespace webnn::inline v0_1::compiled
