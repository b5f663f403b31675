#include "src/formats/compiled/graph.h"

#include <unordered_set>

#include "src/builder/validate.h"
#include "src/formats/compiled/initial_state.h"
#include "src/formats/compiled/nodes.h"
#include "src/graph/constant_facts.h"
#include "src/graph/graph_data.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::compiled {
namespace {

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

void read_node(Reader& from, GraphData& data, const MLContext* context) {
  Op op = read_op(from, data, context);
  std::vector<MLOperandDescriptor> known;
  if (is_custom(op.kind()))
    for (std::size_t n = from.count(max_operands); n > 0; --n)
      known.push_back(read_descriptor(from));
  if (is_custom(op.kind()) && !context) {
    if (known.empty() || data.operands.size() + known.size() > max_operands)
      damaged("an operator has no results, or too many");
    data.add(std::move(op), known);
    return;
  }
  auto made = validate(op.kind(), op.get(), &data, Rules::specification);
  if (!made) made = validate(op.kind(), op.get(), &data, Rules::tests2025);
  if (!made) damaged(std::string(name_of_op(op.kind(), op.get())) + ": " + made.failure().message);
  if (is_custom(op.kind()) && *made != known)
    damaged(std::string(name_of_op(op.kind(), op.get())) +
            ": its infer() returns other results than when the graph was compiled");
  if (data.operands.size() + made->size() > max_operands) damaged("it has too many operands");
  data.add(std::move(op), *made);
}

/// By input: whether a run may leave it out, which only those may be that no operator reads.
std::vector<bool> read_optional(Reader& from, const Graph& graph) {
  std::vector<bool> read(graph.operand_count()), optional;
  for (std::size_t i = 0; i < graph.size(); ++i)
    for (const MLOperand& x : graph.node(i).inputs()) read[x.record().id] = true;
  for (const auto& [name, x] : graph.inputs()) {
    optional.push_back(from.flag());
    if (optional.back() && read[x.record().id])
      damaged("an input that an operator reads is marked as optional");
  }
  return optional;
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
    write_node(to, node, numbers);
    if (!is_custom(node.kind())) continue;
    to.count(node.outputs().size());
    for (const MLOperand& y : node.outputs()) write_descriptor(to, y.descriptor());
  }
  to.count(graph.outputs().size());
  for (const auto& [name, x] : graph.outputs()) {
    to.text(name);
    to.put(numbers.of(x));
  }
}

Graph read_graph(Reader& from, const BytesAt& bytes_at, const MLContext* context) {
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
  for (std::size_t n = from.count(max_operators); n > 0; --n) read_node(from, *data, context);
  for (std::size_t n = from.count(max_operands); n > 0; --n) {
    std::string name = read_name(from, outputs);
    const auto number = from.get<std::uint32_t>();
    if (number >= data->operands.size()) damaged("an output is not an operand");
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
      const WeightBlock& block = c.kernel->weights[i];
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
    if (!constant) damaged("a packed array is not made from constants");
    key.constants.push_back(facts_of(*constant));
  }
  const Place place = read_place(from, from.get<std::uint8_t>());
  key.bytes = place.size;
  return {std::move(key), block_at(place)};
}

/// Of a state that the graph keeps.
std::optional<Constant> initial_of(const GraphState& g, std::string_view input) {
  if (g.kept)
    for (const KeptStates::State& s : g.kept->states())
      if (s.state.input == input) return s.state.initial;
  return std::nullopt;
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
    write_initial(to, initial_of(g, g.inputs[u.input].name));
  }
  to.count(g.passes.size());
  for (const PassReport& p : g.passes) {
    to.text(p.name);
    to.put(std::uint64_t{p.before});
    to.put(std::uint64_t{p.after});
  }
  to.texts(g.in_float32);
  write_metadata(to, metadata);
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
      damaged("a state is updated by an operand that does not fit");
    to.updates.push_back(
        {inputs[in].name, outputs[out].name, {}, read_initial(from, inputs[in].operand.record())});
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
  metadata = read_metadata(from);
  from.end();
}

}  // namespace webnn::inline v0_1::compiled
