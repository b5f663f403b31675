#include "src/runtime/growing_states.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "src/builder/validate.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/runtime/graph_state.h"
#include "webnn/state.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::string_view create = "createState";

struct DeclaredState {
  MLOperandDescriptor descriptor{};
  std::optional<std::uint32_t> axis{};
  std::uint32_t capacity = 0;
};

/// What a graph says of the state. The shape is complete, or empty.
DeclaredState declared(const GraphState& g, std::string_view input, const Dims& shape) {
  std::vector<NamedUpdate> updates = g.open ? g.open->updates() : std::vector<NamedUpdate>();
  for (const StateUpdate& u : g.updates)
    updates.push_back({g.inputs[u.input].name, g.outputs[u.output].name});
  const auto update = std::ranges::find(updates, input, &NamedUpdate::input);
  if (update == updates.end())
    raise(fail("input {} of the graph is not a state: update() declares one", in_quotes(input)),
          create);
  DeclaredState state{.axis = update->axis};
  if (!g.open) {
    const auto known = std::ranges::find(g.inputs, input, &NamedDescriptor::name);
    state.descriptor = known->descriptor;
    if (!shape.empty() && shape != state.descriptor.shape)
      raise(fail("the shape ({}) of state {} is not {}", std::span(shape), in_quotes(input),
                 std::span(state.descriptor.shape)),
            create);
    return state;
  }
  const Graph& graph = g.open->graph();
  const auto found = std::ranges::find(graph.inputs(), input, &NamedOperand::name);
  const OperandRecord& r = found->operand.record();
  state.descriptor = {r.descriptor.dataType, shape};
  const GivenShape given{.name = input, .shape = shape, .ranked = true};
  if (!shape.empty()) check_shape(graph, given, create);
  for (std::size_t d = 0; r.open && d < r.open->dimensions.size(); ++d) {
    const MLDimension& x = r.open->dimensions[d];
    const bool grows = state.axis && *state.axis == d;
    if (grows) state.capacity = x.dynamic().maxSize;
    if (shape.empty() && x.is_open() && !grows)
      raise(fail("dimension {} ({}) of state {} has no size: give its shape", d,
                 in_quotes(x.dynamic().name), in_quotes(input)),
            create);
  }
  if (shape.empty()) {
    state.descriptor.shape = r.descriptor.shape;
    if (state.axis)
      state.descriptor.shape[*state.axis] = r.open->dimensions[*state.axis].dynamic().minSize;
  }
  return state;
}

std::size_t byte_size(const MLOperandDescriptor& d) {
  return static_cast<std::size_t>(byte_length(d));
}

/// The tensor, which grows, and its context.
Use<TensorState> growing(const MLTensor& tensor, std::shared_ptr<ContextState>& context,
                         std::string_view method) {
  if (!tensor) raise(fail("the tensor is empty"), method);
  context = detail::state_of(tensor)->context.lock();
  if (!context) raise({"the context is gone", ErrorName::InvalidStateError}, method);
  Use<TensorState> t = usable(tensor, *context, method);
  if (!t->growth) raise(fail("the tensor is not a state that grows"), method);
  if (!t->parts.empty())
    raise(fail("the tensor joins states, each of which has rows of its own"), method);
  return t;
}

}  // namespace

std::unique_lock<std::recursive_mutex> lock_of(const TensorState& state, ContextState& context) {
  return state.growth ? std::unique_lock(context.states) : std::unique_lock<std::recursive_mutex>();
}

Constant gathered(const TensorState& t, std::uint32_t rows) {
  std::vector<std::byte> bytes(t.growth->outer * rows * t.growth->row);
  t.growth->gather(t.values(), rows, bytes.data());
  return Constant::copy_of(bytes);
}

void write_growing(std::shared_ptr<ContextState> context, Use<TensorState> state,
                   std::span<const std::byte> values) {
  auto job = context->timeline.take();
  job->kind = Job::Kind::call;
  struct Write {
    Use<TensorState> state;
    std::vector<std::byte> values;
    std::uint32_t rows;
  };
  const std::uint32_t rows = state->descriptor.shape[state->growth->axis];
  const auto write =
      std::make_shared<Write>(Write{std::move(state), {values.begin(), values.end()}, rows});
  job->call = [write] {
    const Use<TensorState> t = std::move(write->state);
    if (t->destroyed()) return;
    t->growth->scatter(write->values.data(), write->rows, t->overwrite());
    t->failure = nullptr;
  };
  push(std::move(context), std::move(job));
}

void read_growing(const std::shared_ptr<ContextState>& context, Use<TensorState> state,
                  std::span<std::byte> values, std::unique_lock<std::recursive_mutex> lock) {
  auto job = context->timeline.take();
  job->kind = Job::Kind::call;
  struct Read {
    Use<TensorState> state;
    std::exception_ptr failure{};
    std::uint32_t rows = 0;
    bool destroyed = false;
  };
  const auto read = std::make_shared<Read>(Read{.state = std::move(state)});
  read->rows = read->state->descriptor.shape[read->state->growth->axis];
  job->call = [read, values] {
    const Use<TensorState> t = std::move(read->state);
    read->destroyed = t->destroyed();
    read->failure = t->failure;
    if (!read->destroyed && !read->failure)
      t->growth->gather(t->values(), read->rows, values.data());
  };
  const Timeline::Ticket ticket = context->timeline.push(std::move(job), true);
  lock.unlock();
  context->timeline.wait(ticket);
  if (read->destroyed) std::rethrow_exception(context->failures.destroyed);
  if (read->failure) std::rethrow_exception(read->failure);
}

MLTensor createState(const MLGraph& graph, std::string_view input, const Dims& shape) {
  const Use<GraphState> g = usable(graph);
  const auto context = g->context.lock();
  if (!context) raise({"the context is gone", ErrorName::InvalidStateError}, create);
  DeclaredState d = declared(*g, input, shape);
  MLContext owner = detail::make<MLContext>(context);
  if (!d.axis)
    return owner.createTensor({d.descriptor.dataType, std::move(d.descriptor.shape), true, true});
  MLOperandDescriptor whole = d.descriptor;
  whole.shape[*d.axis] = std::max(d.capacity, 1u);
  if (auto bad = check_dimensions("the state", whole.dataType, shape::sizes(whole.shape)))
    raise(*bad, create);
  auto t = std::make_shared<TensorState>();
  t->growth.emplace(whole, *d.axis, d.capacity);
  t->descriptor = std::move(d.descriptor);
  t->context = context;
  t->readable = t->writable = true;
  try {
    t->memory = std::make_shared<TensorMemory>(
        byte_size(whole), memory_of(*context, MemoryPurpose::tensors), TensorMemory::Growing());
  } catch (const std::bad_alloc&) { raise({"out of memory", ErrorName::UnknownError}, create); }
  const std::lock_guard lock(context->registry);
  if (context->lost) raise({"the context is lost", ErrorName::InvalidStateError}, create);
  remember(context->tensors, t);
  return detail::make<MLTensor>(std::move(t));
}

void resizeState(const MLTensor& state, std::uint32_t size) {
  std::shared_ptr<ContextState> context;
  Use<TensorState> use = growing(state, context, "resizeState");
  TensorState& t = *use;
  if (size > t.growth->capacity)
    raise(fail("the size ({}) is beyond the bound of the state ({})", size, t.growth->capacity),
          "resizeState");
  const std::lock_guard lock(context->states);
  std::uint32_t& now = t.descriptor.shape[t.growth->axis];
  struct Resize {
    Use<TensorState> state;
    std::uint32_t before, after;
  };
  const auto resize = std::make_shared<Resize>(Resize{std::move(use), now, size});
  auto job = context->timeline.take();
  job->kind = Job::Kind::call;
  job->call = [resize] {
    const Use<TensorState> s = std::move(resize->state);
    if (s->destroyed()) return;
    if (s->failure && resize->after <= s->growth->intact) s->failure = nullptr;
    if (resize->after > resize->before)
      s->growth->clear(s->change(resize->before), resize->before, resize->after);
  };
  job->light = true;
  context->timeline.push(std::move(job));
  now = size;
}

void releaseRows(const MLTensor& state, std::uint32_t rows) {
  constexpr std::string_view method = "releaseRows";
  std::shared_ptr<ContextState> context;
  const auto use = std::make_shared<Use<TensorState>>(growing(state, context, method));
  const std::lock_guard lock(context->states);
  if (const std::uint32_t all = (*use)->descriptor.shape[(*use)->growth->axis]; rows > all)
    raise(fail("the number of rows ({}) is beyond that of the state ({})", rows, all), method);
  auto job = context->timeline.take();
  job->kind = Job::Kind::call;
  job->call = [use, rows] {
    const Use<TensorState> s = std::move(*use);
    if (s->destroyed() || !s->memory->pages ||
        s->memory->snapshots.load(std::memory_order_acquire) != 0)
      return;
    const Growth& g = *s->growth;
    for (std::size_t i = 0; i < g.outer; ++i) {
      const std::size_t begin = i * g.capacity * g.row;
      s->memory->pages->give_back({begin, begin + rows * g.row});
    }
  };
  job->light = true;
  context->timeline.push(std::move(job));
}

std::uint32_t stateCapacity(const MLTensor& state) {
  if (!state) raise(fail("the tensor is empty"), "stateCapacity");
  const auto& growth = detail::state_of(state)->growth;
  return growth ? growth->capacity : 0;
}

}  // namespace webnn::inline v0_1
