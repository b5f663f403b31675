#include "src/formats/compiled/open.h"

#include <algorithm>
#include <ranges>

#include "src/builder/validate.h"
#include "src/formats/compiled/initial_state.h"
#include "src/formats/compiled/nodes.h"
#include "src/runtime/context_state.h"

namespace webnn::inline v0_1::compiled {
namespace {

constexpr std::size_t max_dimensions = 1 << 16, max_prepared = 1024, max_results = 1 << 16;
enum class Tag : std::uint8_t { size, input, derived };  // what follows for a dimension

void write_dimension(Writer& to, const GraphData& data, const MLDimension& d) {
  const auto place = place_of(data, d);
  if (place) {
    to.put(Tag::input);
    to.count(*place);
  } else if (d.is_open()) {
    to.put(Tag::derived);
    to.text(d.dynamic().name);
  } else {
    to.put(Tag::size);
    to.put(d.size());
  }
}

void write_record(Writer& to, const GraphData& data, const OperandRecord& r) {
  to.put(static_cast<std::uint8_t>(r.descriptor.dataType));
  to.put(static_cast<std::uint8_t>(!r.open || r.open->ranked));
  if (r.open && !r.open->ranked) return;
  const MLDimensions shape = r.open ? r.open->dimensions : MLDimensions(r.descriptor.shape);
  to.put(static_cast<std::uint8_t>(shape.size()));
  for (const MLDimension& d : shape) write_dimension(to, data, d);
}

MLDimension read_dimension(Reader& from, const GraphData& data) {
  switch (from.get<std::uint8_t>()) {
    case static_cast<std::uint8_t>(Tag::size): {
      const auto size = from.get<std::uint32_t>();
      if (size == 0) damaged("a dimension is 0");
      return size;
    }
    case static_cast<std::uint8_t>(Tag::input): {
      const std::size_t place = from.get<std::uint32_t>();
      if (place >= data.dimensions.size()) damaged("there is no such open dimension");
      return data.dimensions[place];
    }
    case static_cast<std::uint8_t>(Tag::derived): {
      std::string name = from.text();
      if (name.empty()) damaged("a dimension has no name");
      return name;
    }
    default: damaged("a dimension is neither open nor a size");
  }
}

OperandRecord read_record(Reader& from, const GraphData& data, OperandKind kind) {
  OperandRecord r{};
  r.kind = kind;
  const auto type = from.get<std::uint8_t>();
  r.descriptor.dataType = static_cast<MLOperandDataType>(type);
  OpenShape shape;
  shape.ranked = from.flag();
  if (shape.ranked)
    for (std::size_t rank = from.get<std::uint8_t>(); rank > 0; --rank)
      shape.dimensions.push_back(read_dimension(from, data));
  r.descriptor.shape = shape.dimensions.sizes();
  Dims least = r.descriptor.shape;
  std::ranges::replace(least, 0u, 1u);
  if (const auto bad = check_dimensions("an operand", r.descriptor.dataType, shape::sizes(least)))
    damaged(bad->message);
  const bool open = !shape.ranked || shape.dimensions.are_open();
  if (kind != OperandKind::result && !shape.ranked) damaged("an input has no rank");
  if (open) r.open = std::make_shared<const OpenShape>(std::move(shape));
  return r;
}

void read_dimensions(Reader& from, GraphData& data) {
  std::unordered_set<std::string> names;
  for (std::size_t n = from.count(max_dimensions); n > 0; --n) {
    MLDynamicDimension d;
    d.name = read_name(from, names);
    d.minSize = from.get<std::uint32_t>();
    d.maxSize = from.get<std::uint32_t>();
    const auto typical = from.get<std::uint32_t>();
    if (d.minSize > d.maxSize || d.maxSize > shape::max_dimension || typical < d.minSize ||
        typical > d.maxSize)
      damaged("the bounds of a dimension are wrong");
    data.dimensions.push_back(std::move(d));
    data.typical.push_back(typical);
  }
  if (data.dimensions.empty()) damaged("it has no open dimensions");
}

void read_node(Reader& from, GraphData& data, const MLContext* context) {
  Op op = read_op(from, data, context);
  const auto* loop = op.as<control::loop>();
  if (is_fused(op.kind()) && !loop) damaged("an operator is not one of WebNN's");
  const std::size_t n = from.count(max_results);
  if (loop)
    if (const auto bad = control::check_numbers(*loop, n)) damaged("loop: " + bad->message);
  if (n == 0 || data.operands.size() + n > max_operands) damaged("it has too many operands");
  std::vector<OperandRecord> records;
  std::vector<MLOperandDescriptor> descriptors;
  for (std::size_t i = 0; i < n; ++i) {
    records.push_back(read_record(from, data, OperandKind::result));
    descriptors.push_back(records.back().descriptor);
  }
  data.add(std::move(op), descriptors);
  for (std::size_t i = 0; i < n; ++i)
    data.operands[data.operands.size() - n + i].open = records[i].open;
}

MLOperand read_operand(Reader& from, const GraphData& data) {
  const auto number = from.get<std::uint32_t>();
  if (number >= data.operands.size()) damaged("an output is not an operand");
  return borrowed(data.operands[number]);
}

void read_updates(Reader& from, OpenContents& to) {
  const GraphData& data = data_of(to.graph);
  std::unordered_set<std::size_t> updated, updating;
  for (std::size_t n = from.count(data.inputs.size()); n > 0; --n) {
    const std::size_t in = from.get<std::uint32_t>(), out = from.get<std::uint32_t>();
    if (in >= data.inputs.size() || out >= data.outputs.size() || !updated.insert(in).second ||
        !updating.insert(out).second)
      damaged("a state is updated by an operand that does not fit");
    const OperandRecord &state = data.inputs[in].operand.record(),
                        &result = data.outputs[out].operand.record();
    const auto axis = growing_axis(state, result);
    if (!axis || result.kind != OperandKind::result)
      damaged("a state is updated by an operand that does not fit");
    to.updates.push_back(
        {data.inputs[in].name, data.outputs[out].name, *axis, read_initial(from, state)});
  }
}

void write_weights(Writer& to, const StoredWeights& weights, const BlockPlace& place_of) {
  to.count(weights.size());
  for (const auto& [key, block] : weights) {
    to.text(key.layout);
    to.texts(key.constants);
    write_place(to, place_of(*block));
  }
}

void read_weights(Reader& from, StoredWeights& to, const BlockAt& block_at) {
  for (std::size_t n = from.count(max_operators); n > 0; --n) {
    StoredKey key;
    key.layout = from.text();
    if (key.layout.empty()) damaged("a packed array has no layout");
    for (std::size_t k = from.count(); k > 0; --k) key.constants.push_back(from.text());
    const Place place = read_place(from, from.get<std::uint8_t>());
    key.bytes = place.size;  // what a kernel wants has as many
    to.emplace(std::move(key), block_at(place));
  }
}

std::uint32_t index_of(const NamedOperands& all, const std::string& name) {
  return static_cast<std::uint32_t>(std::ranges::find(all, name, &NamedOperand::name) -
                                    all.begin());
}

}  // namespace

void write_open(Writer& to, const OpenContents& contents, const PlaceOf& place_of,
                const BlockPlace& place_of_block) {
  const Graph& graph = contents.graph;
  const GraphData& data = data_of(graph);
  const Numbers numbers(graph);
  to.put(static_cast<std::uint8_t>(data.relies_on_known_sizes));
  to.count(data.dimensions.size());
  for (std::size_t i = 0; i < data.dimensions.size(); ++i) {
    const MLDynamicDimension& d = data.dimensions[i];
    to.text(d.name);
    for (const std::uint32_t v : {d.minSize, d.maxSize, data.typical[i]}) to.put(v);
  }
  to.count(graph.inputs().size());
  for (const auto& [name, x] : graph.inputs()) {
    to.text(name);
    write_record(to, data, x.record());
  }
  to.count(numbers.constants().size());
  for (const MLOperand& x : numbers.constants()) {
    write_record(to, data, x.record());
    write_place(to, *place_of(x));
    write_facts(to, *x.constant());
  }
  to.count(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    write_node(to, node, numbers);
    to.count(node.outputs().size());
    for (const MLOperand& y : node.outputs()) write_record(to, data, y.record());
  }
  to.count(graph.outputs().size());
  for (const auto& [name, y] : graph.outputs()) {
    to.text(name);
    to.put(numbers.of(y));
  }
  to.count(contents.updates.size());
  for (const NamedUpdate& u : contents.updates) {
    to.put(index_of(graph.inputs(), u.input));
    to.put(index_of(graph.outputs(), u.output));
    write_initial(to, u.initial);
  }
  to.put(std::uint64_t{contents.max_bytes});
  to.count(std::min(contents.prepared.size(), max_prepared));
  for (const DimensionSizes& sizes : contents.prepared | std::views::take(max_prepared))
    for (const std::uint32_t size : sizes) to.put(size);
  write_weights(to, contents.weights, place_of_block);
}

OpenContents read_open(Reader& from, const BytesAt& bytes_at, const BlockAt& block_at,
                       const MLContext* context) {
  const auto data = std::make_shared<GraphData>();
  const bool relies = from.flag();
  std::unordered_set<std::string> inputs, outputs;
  read_dimensions(from, *data);
  for (std::size_t n = from.count(max_operands); n > 0; --n) {
    std::string name = read_name(from, inputs);
    OperandRecord r = read_record(from, *data, OperandKind::input);
    r.name = std::move(name);
    data->add(std::move(r));
  }
  for (std::size_t n = from.count(max_operands); n > 0; --n) {
    OperandRecord r = read_record(from, *data, OperandKind::constant);
    if (r.open) damaged("a constant has an open dimension");
    const Place place = read_place(from, from.get<std::uint8_t>());
    if (place.size != byte_length(r.descriptor)) damaged("a constant has another size");
    r.constant = bytes_at(place);
    read_facts(from, *r.constant);
    data->add(std::move(r));
  }
  for (std::size_t n = from.count(max_operators); n > 0; --n) read_node(from, *data, context);
  for (std::size_t n = from.count(max_operands); n > 0; --n) {
    std::string name = read_name(from, outputs);
    data->outputs.push_back({std::move(name), read_operand(from, *data)});
    if (data->outputs.back().operand.record().kind != OperandKind::result)
      damaged("an output is not a result");
  }
  if (data->outputs.empty()) damaged("it has no outputs");
  OpenContents all{.graph = graph_of(data)};
  read_updates(from, all);
  // That a state and its result have one shape is checked with the sizes of each run.
  data->relies_on_known_sizes = relies || !all.updates.empty();
  all.max_bytes = from.get<std::uint64_t>();
  for (std::size_t n = from.count(max_prepared); n > 0; --n) {
    DimensionSizes& sizes = all.prepared.emplace_back();
    for (std::size_t i = 0; i < data->dimensions.size(); ++i)
      sizes.push_back(from.get<std::uint32_t>());
  }
  read_weights(from, all.weights, block_at);
  from.end();
  return all;
}

std::shared_ptr<GraphState> restore_open(OpenContents contents, const MLContext& context) {
  const BuildOptions options{.specializationBytes = contents.max_bytes};
  try {
    auto g =
        compile(std::move(contents.graph), context, chosen_passes(), options, contents.updates,
                {.stored = std::make_shared<const StoredWeights>(std::move(contents.weights))});
    // The one used last is made last.
    for (auto sizes = contents.prepared.rbegin(); sizes != contents.prepared.rend(); ++sizes)
      g->open->at(*detail::state_of(context), *sizes, "load");
    return g;
  } catch (const TypeError& e) { raise({e.reason(), ErrorName::DataError}, "load", e.label()); }
}

}  // namespace webnn::inline v0_1::compiled
