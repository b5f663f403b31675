#include "src/runtime/joined_states.h"

#include <algorithm>
#include <cstring>

#include "src/builder/validate.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/runtime/growing_states.h"
#include "webnn/state.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::string_view join = "joinStates";

std::uint32_t rows_of(const TensorState& t) { return t.descriptor.shape[t.growth->axis]; }
std::uint32_t longest(const TensorState& joined) {
  std::uint32_t most = 0;
  for (const auto& part : joined.parts) most = std::max(most, rows_of(*part));
  return most;
}

/// Throws TypeError if it cannot be joined with the first one.
void check_part(const MLTensor& state, std::size_t i, const TensorState& first) {
  const TensorState& t = *detail::state_of(state);
  if (t.destroyed()) raise(fail("states[{}] is destroyed", i), join);
  if (!t.growth) raise(fail("states[{}] is not a state that grows", i), join);
  if (!t.parts.empty()) raise(fail("states[{}] is joined itself", i), join);
  if (t.growth->axis == 0) raise(fail("states[{}] grows along dimension 0", i), join);
  if (t.descriptor.shape.front() != 1)
    raise(fail("dimension 0 ({}) of states[{}] is not 1", t.descriptor.shape.front(), i), join);
  Dims shape = t.descriptor.shape;
  if (first.growth && first.growth->axis < shape.size())
    shape[first.growth->axis] = first.descriptor.shape[first.growth->axis];
  if (t.descriptor.dataType != first.descriptor.dataType || shape != first.descriptor.shape ||
      t.growth->axis != first.growth->axis || t.growth->capacity != first.growth->capacity ||
      t.context.lock() != first.context.lock())
    raise(fail("states[{}] is of another type, shape, bound or context than states[0]", i), join);
}

}  // namespace

MLTensor joinStates(const std::vector<MLTensor>& states) {
  if (states.empty()) raise(fail("there are no states"), join);
  for (std::size_t i = 0; i < states.size(); ++i)
    if (!states[i]) raise(fail("states[{}] is empty", i), join);
  const TensorState& first = *detail::state_of(states.front());
  const auto context = first.context.lock();
  if (!context) raise({"the context is gone", ErrorName::InvalidStateError}, join);
  const std::lock_guard sizes(context->states);
  auto t = std::make_shared<TensorState>();
  for (std::size_t i = 0; i < states.size(); ++i) {
    check_part(states[i], i, first);
    const auto& part = detail::state_of(states[i]);
    if (std::ranges::find(t->parts, part) != t->parts.end())
      raise(fail("states[{}] is there twice", i), join);
    t->parts.push_back(part);
  }
  t->descriptor = first.descriptor;
  t->descriptor.shape.front() = static_cast<std::uint32_t>(states.size());
  MLOperandDescriptor whole = t->descriptor;
  whole.shape[first.growth->axis] = std::max(first.growth->capacity, 1u);
  if (auto bad = check_dimensions("the states", whole.dataType, shape::sizes(whole.shape)))
    raise(*bad, join);
  t->growth.emplace(whole, first.growth->axis, first.growth->capacity);
  t->descriptor.shape[t->growth->axis] = longest(*t);
  t->context = context;
  const std::lock_guard lock(context->registry);
  if (context->lost) raise({"the context is lost", ErrorName::InvalidStateError}, join);
  remember(context->tensors, t);
  return detail::make<MLTensor>(std::move(t));
}

JoinedStates::JoinedStates(ListView<NamedTensor> inputs, ListView<NamedTensor> outputs) {
  for (const auto& list : {inputs, outputs})
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i].tensor && !detail::state_of(list[i].tensor)->parts.empty()) add(list[i]);
}

void JoinedStates::add(const NamedTensor& x) {
  TensorState& t = *detail::state_of(x.tensor);
  const std::uint32_t most = longest(t);
  t.descriptor.shape[t.growth->axis] = most;
  const auto count = static_cast<std::uint32_t>(t.parts.size());
  const bool is_first = sequences == 0;
  if (is_first) {
    sequences = count;
    sizes.push_back({most});
  } else if (count != sequences) {
    raise(fail("the tensor of \"{}\" joins {} states, and another one joins {}", escaped(x.name),
               count, sequences),
          "dispatch");
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t rows = rows_of(*t.parts[i]);
    if (is_first) sizes.push_back({rows});
    if (rows != sizes[1 + i].past)
      raise(fail("state {} of \"{}\" has {} rows, and that of another tensor has {}", i,
                 escaped(x.name), rows, sizes[1 + i].past),
            "dispatch");
    if (rows == 0) raise(fail("state {} of \"{}\" is empty", i, escaped(x.name)), "dispatch");
    if (rows >= t.growth->capacity)
      raise(fail("state {} of \"{}\" has as many rows as its bound ({})", i, escaped(x.name),
                 t.growth->capacity),
            "dispatch");
  }
}

void use_parts(Job& job) {
  job.sorted.clear();
  for (const auto& x : job.inputs) {
    if (!x) continue;
    for (const auto& part : x->parts) {
      job.sorted.push_back(part.get());
      job.parts.emplace_back(part);
      if (!job.parts.back()) raise(fail("a state that is joined is destroyed"), "dispatch");
    }
  }
  std::ranges::sort(job.sorted);
  if (std::ranges::adjacent_find(job.sorted) != job.sorted.end())
    raise(fail("a state is in two of the joined tensors"), "dispatch");
}

void grow_parts(const Job& job, TensorState& joined, std::uint32_t fresh) {
  for (std::size_t i = 0; i < joined.parts.size(); ++i)
    joined.parts[i]->descriptor.shape[joined.growth->axis] = job.joined[1 + i].past + fresh;
}

std::size_t table_bytes(const TensorState& joined) {
  return joined.parts.size() * sizeof(std::byte*);
}

void put_addresses(const TensorState& joined, std::span<const GrowingSizes> sizes,
                   std::byte* table) {
  for (std::size_t i = 0; i < joined.parts.size(); ++i) {
    std::byte* const at = joined.parts[i]->change(sizes[i].past);
    std::memcpy(table, &at, sizeof at);
    table += sizeof at;
  }
}

}  // namespace webnn::inline v0_1
