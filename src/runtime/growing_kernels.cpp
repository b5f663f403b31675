#include "src/runtime/growing_kernels.h"

#include <algorithm>
#include <cstring>

#include "src/graph/op.h"
#include "src/kernels/backends.h"
#include "src/runtime/joined_kernels.h"

namespace webnn::inline v0_1 {
namespace {

std::uint32_t id(const MLOperand& x) { return x.record().id; }
std::uint32_t place(const Node& node) { return node.output().record().producer; }

/// The dimension of a reshaped operand in which the rows are that it has along an axis.
std::optional<std::uint32_t> axis_after(const Dims& from, std::uint32_t axis, const Dims& to) {
  const auto product = [](auto begin, auto end) {
    std::uint64_t n = 1;
    for (; begin != end; ++begin) n *= *begin;
    return n;
  };
  const auto at = from.begin() + axis;
  for (auto d = to.begin(); d != to.end(); ++d)
    if (*d == *at && product(d, to.end()) == product(at, from.end()) &&
        product(to.begin(), d) == product(from.begin(), at))
      return static_cast<std::uint32_t>(d - to.begin());
  return std::nullopt;
}

/// How a state of that type lies which a cast makes float32.
std::optional<StoredAs> stored_as(MLOperandDataType type) {
  switch (type) {
    case float16: return StoredAs::float16;
    case bfloat16: return StoredAs::bfloat16;
    case int8: return StoredAs::int8;
    default: return std::nullopt;
  }
}

/// Writes new rows behind those that a state has.
struct AppendRows {
  GrowingRows rows;
  std::size_t outer = 1, row = 1, capacity = 0;

  void run(const Buffers& b) const {
    const std::size_t bytes = rows.fresh * row, past = b.in<GrowingSizes>(rows.slot)->past;
    for (std::size_t i = 0; i < outer; ++i)
      std::memcpy(b.outputs[0] + (i * capacity + past) * row, b.inputs[1] + i * bytes, bytes);
  }
};

}  // namespace

const GrowingKernels::State* GrowingKernels::state_of(const MLOperand& x) const {
  const auto found = states_.find(id(x));
  return found == states_.end() ? nullptr : &found->second;
}

bool GrowingKernels::is_given_mask(const MLOperand& x) const {
  return x.record().kind == OperandKind::input &&
         std::ranges::find(form_.masks, x.record().name) != form_.masks.end();
}
bool GrowingKernels::is_computed_mask(const MLOperand& x) const {
  if (x.record().kind != OperandKind::input) return false;
  const auto* result = form_.parts.values.find(x.record().name);
  return result && result->has_total();
}
bool GrowingKernels::has_spread_masks(const fused::attention& op) const {
  return (op.options.mask && is_computed_mask(*op.options.mask)) ||
         (op.options.condition && is_computed_mask(*op.options.condition));
}

bool GrowingKernels::replace(std::vector<Choice>& choices) {
  readers_.resize(graph_.operand_count());
  for (std::size_t i = 0; i < graph_.size(); ++i)
    for (const MLOperand& x : graph_.node(i).inputs())
      readers_[id(x)].push_back(static_cast<std::uint32_t>(i));
  if (!find_states() || !check_masks()) return false;
  return std::ranges::all_of(choices, [&](Choice& c) { return replace(c); });
}

bool GrowingKernels::find_states() {
  for (const NamedUpdate& u : updates_)
    if (u.axis && !find_state(u)) return false;
  return std::ranges::all_of(products_, [&](std::uint32_t i) { return replaced_.contains(i); }) &&
         std::ranges::all_of(attentions_, [&](std::uint32_t i) { return check_attention(i); });
}

/// The state is a concat of what it was and new rows, which attention alone reads.
bool GrowingKernels::find_state(const NamedUpdate& u) {
  const auto in = std::ranges::find(graph_.inputs(), u.input, &NamedOperand::name);
  const auto out = std::ranges::find(graph_.outputs(), u.output, &NamedOperand::name);
  if (in == graph_.inputs().end() || out == graph_.outputs().end()) return false;
  const MLOperand &past = in->operand, &present = out->operand;
  if (present.record().kind != OperandKind::result) return false;
  const Node node = graph_.node(present.record().producer);
  const auto* concat = node.as<ops::concat>();
  const bool appends = concat && concat->axis == *u.axis && concat->inputs.size() == 2 &&
                       concat->inputs[0].is(past) && !concat->inputs[1].is(past) &&
                       readers_[id(past)].size() == 1 &&
                       present.shape()[*u.axis] == form_.capacity &&
                       past.shape()[*u.axis] == form_.capacity - form_.fresh;
  const auto outputs = std::ranges::count_if(graph_.outputs(), [&](const NamedOperand& x) {
    return x.operand.is(present) || x.operand.is(past);
  });
  if (!appends || outputs != 1) return false;
  before_.insert(id(past));
  concats_.insert(place(node));
  const State state{*u.axis, place(node)};
  states_.emplace(id(present), state);
  return is_read_by_attention(present, state);
}

bool GrowingKernels::is_read_by_attention(const MLOperand& x, const State& s) {
  for (const std::uint32_t i : readers_[id(x)]) {
    const Node node = graph_.node(i);
    if (as<fused::attention>(node)) {
      if (s.is_spread) return false;
      attentions_.insert(i);
      continue;
    }
    const auto* cast = node.as<ops::cast>();
    const auto* product = node.as<ops::mul>();
    const auto* gather = node.as<ops::gather>();
    const auto* reshape = node.as<ops::reshape>();
    const bool is_output = std::ranges::any_of(
        graph_.outputs(), [&](const NamedOperand& o) { return o.operand.is(node.output()); });
    State next = s;
    if (reshape && !s.is_spread) {
      const auto axis = axis_after(x.shape(), s.axis, node.output().shape());
      if (!axis) return false;
      next.axis = *axis;
    } else if (cast && s.stored == StoredAs::float32 && !s.is_spread && cast->dataType == float32 &&
               stored_as(x.dataType())) {
      replaced_.insert(i);
      next.stored = *stored_as(x.dataType());
    } else if (product && s.is_spread) {
      products_.push_back(i);  // it is right if these are the scales of the other operand
      continue;
    } else if (gather && s.stored == StoredAs::float32 && !s.is_spread && s.axis + 1 < x.rank() &&
               x.dataType() == float32 && gather->input.is(x) && spreads_scales(x, *gather)) {
      replaced_.insert(i);
      next.is_spread = true;
    } else if (const auto y = product ? scaled(x, s, *product) : std::nullopt) {
      replaced_.insert(i);
      next = *y;
    } else {
      return false;
    }
    states_.emplace(id(node.output()), next);
    if (is_output || !is_read_by_attention(node.output(), next)) return false;
  }
  return true;
}

/// Whether each element of the scales is repeated for the elements of its block.
bool GrowingKernels::spreads_scales(const MLOperand& scales, const ops::gather& op) const {
  const OperandRecord& r = op.indices.record();
  const Dims& shape = op.indices.shape();
  if (op.options.axis + 1 != scales.rank() || shape.size() != 1 || !r.constant ||
      r.constant->released() || r.descriptor.dataType != int32 ||
      shape[0] != scales.shape().back() * stored_block)
    return false;
  const auto bytes = r.constant->bytes();
  for (std::uint32_t i = 0; i < shape[0]; ++i) {
    std::int32_t index = 0;
    std::memcpy(&index, bytes.data() + i * sizeof index, sizeof index);
    if (index != static_cast<std::int32_t>(i / stored_block)) return false;
  }
  return true;
}

/// The state int8 that a product makes with the scales of its blocks, another state.
std::optional<GrowingKernels::State> GrowingKernels::scaled(const MLOperand& x, const State& s,
                                                            const ops::mul& by) const {
  const MLOperand& factors = by.a.is(x) ? by.b : by.a;
  if (s.stored != StoredAs::int8 || s.scales || factors.shape() != x.shape() ||
      factors.record().kind != OperandKind::result)
    return std::nullopt;
  const Node maker = graph_.node(factors.record().producer);
  const auto* gather = maker.as<ops::gather>();
  if (!gather || s.axis + 1 >= x.rank() || !spreads_scales(gather->input, *gather))
    return std::nullopt;
  const MLOperand& scales = gather->input;
  const bool is_state = std::ranges::any_of(updates_, [&](const NamedUpdate& u) {
    const auto out = std::ranges::find(graph_.outputs(), u.output, &NamedOperand::name);
    return u.axis == s.axis && out != graph_.outputs().end() && out->operand.is(scales);
  });
  if (!is_state || scales.dataType() != float32 || scales.record().kind != OperandKind::result)
    return std::nullopt;
  State y = s;
  y.scales = scales.record().producer;
  return y;
}

bool GrowingKernels::check_attention(std::uint32_t i) {
  const Node node = graph_.node(i);
  const auto& op = *as<fused::attention>(node);
  const State *keys = state_of(op.keys), *values = state_of(op.values);
  if (!keys || !values || keys->stored != values->stored) return false;
  if (keys->stored == StoredAs::int8 && (!keys->scales || !values->scales)) return false;
  const std::uint32_t rank = op.keys.rank();
  const Dims& order = op.options.keysPermutation;
  if (keys->axis != (order.empty() ? rank - 1 : order.back()) ||
      values->axis + 2 != op.values.rank())
    return false;
  const auto is_fixed = [&](const std::optional<MLOperand>& x) {
    return !x || (!state_of(*x) && !before_.contains(id(*x)) && !is_mask(*x));
  };
  const auto has_terms = [](const std::optional<MLOperand>& x) {
    return x && x->rank() > 0 && x->shape().back() != 1;
  };
  const auto &mask = op.options.mask, &condition = op.options.condition;
  const bool spread = has_spread_masks(op);
  return is_fixed(op.queries) && is_fixed(op.options.leftOut) &&
         (has_terms(condition) ? is_computed_mask(*condition) : is_fixed(condition)) &&
         (has_terms(mask) ? spread ? is_computed_mask(*mask) : is_given_mask(*mask)
                          : is_fixed(mask));
}

/// Nothing but attention reads an input that has the size of the states after the run.
bool GrowingKernels::check_masks() const {
  return std::ranges::all_of(graph_.inputs(),
                             [&](const NamedOperand& x) {
                               return !is_mask(x.operand) ||
                                      std::ranges::all_of(
                                          readers_[id(x.operand)],
                                          [&](std::uint32_t i) { return attentions_.contains(i); });
                             }) &&
         std::ranges::none_of(graph_.outputs(),
                              [&](const NamedOperand& x) { return is_mask(x.operand); });
}

bool GrowingKernels::replace(Choice& c) const {
  const auto contains = [&](const std::unordered_set<std::uint32_t>& places) {
    return std::ranges::any_of(c.chain, [&](const Node& n) { return places.contains(place(n)); });
  };
  if (!contains(concats_) && !contains(replaced_) && !contains(attentions_)) return true;
  if (std::ranges::all_of(c.chain, [&](const Node& n) { return replaced_.contains(place(n)); }))
    return true;  // finish() drops the step
  if (c.chain.size() != 1) return false;
  const Node& node = c.chain.front();
  const std::size_t slot = inputs_of(c.chain).size();
  if (const auto* attention = as<fused::attention>(node)) {
    const auto backend =
        std::ranges::find(backends_, c.backend, [](const auto& b) { return b->name(); });
    const auto* own =
        backend == backends_.end() ? nullptr : dynamic_cast<const LibraryBackend*>(backend->get());
    const GrowingRows rows{slot, form_.fresh, state_of(attention->keys)->stored,
                           has_spread_masks(*attention)};
    auto kernel = own ? attention_kernel(*own, node, rows) : std::nullopt;
    if (!kernel) return false;
    c.kernel = std::move(*kernel);
  } else {
    c.kernel = append_kernel(node);
  }
  c.tuned.reset();
  c.others.clear();
  return true;
}

std::optional<Candidate> GrowingKernels::attention_kernel(const LibraryBackend& backend,
                                                          const Node& node,
                                                          const GrowingRows& rows) const {
  if (form_.sequences == 0) return backend.lower_growing(node, rows);
  std::vector<MLOperand> masks;
  for (const MLOperand& x : node.inputs())
    if (is_given_mask(x)) masks.push_back(x);
  return joined_attention(backend, node, rows, form_.sequences, masks);
}

Candidate GrowingKernels::append_kernel(const Node& node) const {
  const auto& op = *node.as<ops::concat>();
  const MLOperandDescriptor& d = node.output().descriptor();
  AppendRows append{{.slot = 2, .fresh = form_.fresh}};
  append.capacity = form_.capacity;
  append.row = static_cast<std::size_t>(bits_of(d.dataType)) / 8;
  for (std::uint32_t i = 0; i < d.shape.size(); ++i)
    if (i != op.axis) (i < op.axis ? append.outer : append.row) *= d.shape[i];
  if (form_.sequences > 0)
    return joined_append(append.rows, form_.sequences, append.outer, append.row, append.capacity);
  return {.name = "append rows",
          .in_place = {0},
          .run = [append](Range, const Buffers& b, std::byte*) { append.run(b); }};
}

void GrowingKernels::finish(Plan& plan) const {
  const Location sizes{Location::Kind::input, graph_.inputs().size(), 0};
  std::unordered_map<std::uint32_t, Location> at;  // by concat
  std::vector<Step> steps;
  for (Step& step : plan.steps) {
    const Node& node = step.choice.chain.front();
    const std::uint32_t i = place(node);
    if (replaced_.contains(i)) continue;
    if (concats_.contains(i)) at[i] = step.outputs.front();
    if (concats_.contains(i) || attentions_.contains(i)) step.inputs.push_back(sizes);
    if (attentions_.contains(i)) {
      const auto& op = *as<fused::attention>(node);
      const State &keys = *state_of(op.keys), &values = *state_of(op.values);
      step.inputs[1] = at[keys.concat];
      step.inputs[2] = at[values.concat];
      if (keys.stored == StoredAs::int8)
        for (const State* s : {&keys, &values}) step.inputs.push_back(at[*s->scales]);
    }
    steps.push_back(std::move(step));
  }
  plan.steps = std::move(steps);
  plan.reads_sizes = true;
}

}  // namespace webnn::inline v0_1
