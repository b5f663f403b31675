#include "src/runtime/state_updates.h"

#include <algorithm>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "webnn/state.h"

namespace webnn::inline v0_1 {
namespace {

bool is(const Location& x, Location::Kind kind, std::size_t index) {
  return x.kind == kind && x.index == index;
}

/// The place of a name in a list of operands; their number if they do not have it.
std::size_t place_of(const NamedOperands& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& x) { return x.name == name; });
  return static_cast<std::size_t>(found - all.begin());
}

/// Whether one step writes the output, over the input, which no other step reads then or later.
bool can_share(const StateUpdate& u, const Plan& plan) {
  const auto reads = [&](const Location& x) { return is(x, Location::Kind::input, u.input); };
  const auto writes = [&](const Location& x) { return is(x, Location::Kind::output, u.output); };
  for (const CopyOut& c : plan.copies)
    if (c.output == u.output || reads(c.from)) return false;
  std::size_t writer = plan.steps.size();
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const Step& step = plan.steps[s];
    const bool here = std::any_of(step.outputs.begin(), step.outputs.end(), writes);
    if (here && writer != plan.steps.size()) return false;
    if (here) writer = s;
    else if (writer != plan.steps.size() &&
             std::any_of(step.inputs.begin(), step.inputs.end(), reads))
      return false;
  }
  if (writer == plan.steps.size()) return false;
  const Step& step = plan.steps[writer];
  if (!writes(step.outputs.front()) || step.outputs.front().offset != 0) return false;
  const std::vector<int>& over = step.choice.kernel->in_place;
  int count = 0, slot = 0;
  for (std::size_t i = 0; i < step.inputs.size(); ++i)
    if (reads(step.inputs[i])) {
      ++count;
      slot = static_cast<int>(i);
    }
  return count == 1 && step.inputs[static_cast<std::size_t>(slot)].offset == 0 &&
         std::find(over.begin(), over.end(), slot) != over.end();
}

MLDimension dimension(const OperandRecord& r, std::size_t d) {
  return r.open ? r.open->dimensions[d] : MLDimension(r.descriptor.shape[d]);
}
/// "float32 [1, past, 64]"
std::string text_of(const OperandRecord& r) {
  if (r.open && !r.open->ranked) return format("{} of any rank", {Arg(r.descriptor.dataType)});
  std::vector<std::string> sizes;
  for (std::size_t d = 0; d < r.descriptor.shape.size(); ++d) {
    const MLDimension x = dimension(r, d);
    sizes.push_back(x.is_open() ? escaped(x.dynamic().name) : std::to_string(x.size()));
  }
  return format("{} [{}]", {Arg(r.descriptor.dataType), Arg(joined(sizes))});
}

}  // namespace

Result<std::optional<std::uint32_t>> growing_axis(const OperandRecord& in,
                                                  const OperandRecord& out) {
  const auto differ = [&] {
    return fail("state_out is {}, and state_in \"{}\" is {}", text_of(out), escaped(in.name),
                text_of(in));
  };
  const bool ranked = (!in.open || in.open->ranked) && (!out.open || out.open->ranked);
  if (!ranked || in.descriptor.dataType != out.descriptor.dataType ||
      in.descriptor.shape.size() != out.descriptor.shape.size())
    return differ();
  std::optional<std::uint32_t> axis;
  for (std::uint32_t d = 0; d < in.descriptor.shape.size(); ++d) {
    const MLDimension x = dimension(in, d), y = dimension(out, d);
    if (x.is_open() != y.is_open() || x.size() != y.size()) return differ();
    if (!x.is_open() || x.dynamic().name == y.dynamic().name) continue;
    if (axis)
      return fail("state_in \"{}\", {}, grows along two dimensions, {} and {}: state_out is {}",
                  escaped(in.name), text_of(in), *axis, d, text_of(out));
    axis = d;
    if (x.dynamic().maxSize == MLDynamicDimension().maxSize)
      return fail("the dimension {}, along which state_in \"{}\" grows, needs a bound: a maxSize",
                  in_quotes(x.dynamic().name), escaped(in.name));
    if (bits_of(in.descriptor.dataType) % 8 != 0)
      return fail("state_in \"{}\", {}, cannot grow: its elements are smaller than a byte",
                  escaped(in.name), text_of(in));
  }
  return axis;
}

std::vector<NamedUpdate> updates_of(const BuilderState& builder, const NamedOperands& outputs) {
  const std::lock_guard lock(builder.mutex);
  std::vector<NamedUpdate> named;
  for (const auto& [in, out, initial] : builder.updates) {
    const auto output = std::find_if(outputs.begin(), outputs.end(),
                                     [&out = out](const auto& x) { return x.operand.is(out); });
    const std::string& name = in.record().name;
    if (output == outputs.end())
      raise(fail("the updated state of input \"{}\" is not an output", escaped(name)), "build");
    const auto axis = growing_axis(in.record(), out.record());
    named.push_back({name, output->name, axis ? *axis : std::nullopt, initial});
  }
  return named;
}

std::vector<StateUpdate> state_updates(const std::vector<NamedUpdate>& named, const Graph& graph,
                                       const Plan& plan) {
  std::vector<StateUpdate> updates;
  for (const NamedUpdate& n : named) {
    StateUpdate u{place_of(graph.inputs(), n.input), place_of(graph.outputs(), n.output)};
    if (u.input == graph.inputs().size()) continue;
    u.in_place = can_share(u, plan);
    updates.push_back(u);
  }
  return updates;
}

namespace {

/// The value at first of a state that a graph keeps: that which is given, or zeros.
Constant initial_of(const OperandRecord& state, std::optional<Constant> given,
                    std::string_view method) {
  if (state.open)
    raise(fail("state_in \"{}\", {}, has open dimensions, so that a graph cannot keep it",
               escaped(state.name), text_of(state)),
          method);
  const std::size_t bytes = byte_length(state.descriptor);
  if (!given) return Constant::copy_of(std::vector<std::byte>(bytes));
  if (given->bytes().size() != bytes)
    raise(
        fail("the byte length ({}) of the initial value of state_in \"{}\" is not that of {} ({})",
             given->bytes().size(), escaped(state.name), text_of(state), bytes),
        method);
  return std::move(*given);
}

void declare(MLGraphBuilder& builder, const MLOperand& state_in, const MLOperand& state_out,
             bool keeps, std::optional<Constant> initial, std::string_view method) {
  BuilderState& b = *detail::state_of(builder);
  const std::lock_guard lock(b.mutex);
  if (b.built)
    raise({"the builder has already built a graph", ErrorName::InvalidStateError}, method);
  const auto belongs = [&](const MLOperand& x) { return x && owner_of(x) == &b.data; };
  if (!belongs(state_in) || state_in.record().kind != OperandKind::input)
    raise(fail("state_in is not an input of this builder"), method);
  if (!belongs(state_out) || state_out.record().kind != OperandKind::result)
    raise(fail("state_out is not a result of this builder"), method);
  if (const auto axis = growing_axis(state_in.record(), state_out.record()); !axis)
    raise(axis.failure(), method);
  for (const DeclaredUpdate& u : b.updates)
    if (u.in.is(state_in) || u.out.is(state_out))
      raise(fail("the state \"{}\" is declared already", escaped(u.in.record().name)), method);
  if (keeps) initial = initial_of(state_in.record(), std::move(initial), method);
  b.updates.push_back(
      {borrowed(state_in.record()), borrowed(state_out.record()), std::move(initial)});
}

}  // namespace

void update(MLGraphBuilder& builder, const MLOperand& state_in, const MLOperand& state_out) {
  declare(builder, state_in, state_out, false, std::nullopt, "update");
}

void keepState(MLGraphBuilder& builder, const MLOperand& state_in, const MLOperand& state_out,
               std::optional<Constant> initial) {
  declare(builder, state_in, state_out, true, std::move(initial), "keepState");
}

}  // namespace webnn::inline v0_1
