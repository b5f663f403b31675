// Loops whose iterations follow from open sizes: the body is imported once, as that of an operator
// of the graph, which each combination of sizes unrolls.
#include "src/builder/loop_recorder.h"
#include "src/formats/onnx/import/subgraph.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// The inputs of the body, with these states.
using Inputs = std::function<std::vector<Value>(const std::vector<Value>& states)>;

/// The first axis of a state whose size is another one after the iteration, and is not known to be.
std::optional<std::uint32_t> changed_axis(Call& c, const MLOperand& before, const MLOperand& after,
                                          const std::vector<std::uint32_t>& known) {
  if (before.dataType() != after.dataType())
    c.unsupported(fail("a state is {} before an iteration and {} after it", before.dataType(),
                       after.dataType()));
  const SizeList a = formats::sizes_of(before), b = formats::sizes_of(after);
  if (a.size() != b.size())
    c.unsupported(
        fail("a state has rank {} before an iteration and {} after it", a.size(), b.size()));
  for (std::uint32_t d = 0; d < a.size(); ++d)
    if (!a[d].same_as(b[d]) && std::ranges::find(known, d) == known.end()) return d;
  return std::nullopt;
}

/// The outputs of the body, and the operands that stood for its states.
struct Recorded {
  std::vector<Value> outputs, states;
};

Recorded record(Call& c, LoopRecorder& recorder, const GraphProto& body,
                const std::vector<Value>& initial, const Inputs& inputs, std::size_t first) {
  constexpr int most = 16;  // attempts, each of which finds an axis
  std::vector<std::vector<std::uint32_t>> axes(initial.size());
  for (int attempt = 0; attempt < most; ++attempt) {
    recorder.begin();
    Recorded r;
    for (std::size_t k = 0; k < initial.size(); ++k) {
      Value v = initial[k];
      v.x = recorder.state(initial[k].x, axes[k]);
      r.states.push_back(std::move(v));
    }
    r.outputs = run_subgraph(c, body, inputs(r.states), "the body");
    bool changed = false;
    for (std::size_t k = 0; k < initial.size(); ++k) {
      const Value& next = r.outputs[first + k];
      if (next.empty) c.unsupported("a state has no elements");
      const auto axis = changed_axis(c, r.states[k].x, next.x, axes[k]);
      if (axis) axes[k].push_back(*axis);
      changed = changed || axis;
    }
    if (!changed) return r;
  }
  c.unsupported("the shapes of its states change in too many ways from iteration to iteration");
}

std::vector<Value> states_of(Call& c, std::size_t first, std::size_t n) {
  std::vector<Value> states;
  for (std::size_t i = first; i < first + n; ++i) {
    if (c.empty(i)) c.unsupported("a state has no elements before the first iteration");
    Value v = c.in(i);
    v.x = c.x(i);
    v.tensor = nullptr;
    v.computed = false;
    states.push_back(std::move(v));
  }
  return states;
}

void finish(Call& c, LoopRecorder& recorder, const Recorded& r, std::size_t states,
            std::size_t first, const std::optional<MLOperand>& condition) {
  std::vector<MLOperand> next, sequences;
  for (std::size_t i = first; i < r.outputs.size(); ++i) {
    const Value& v = r.outputs[i];
    if (v.empty) c.unsupported("a scanned output has no elements");
    if (next.size() < states) next.push_back(v.x);
    else sequences.push_back(c.with_one(v.x, 0));
  }
  const std::vector<MLOperand> made = recorder.finish(next, sequences, condition, c.label());
  for (std::size_t i = 0; i < made.size(); ++i) {
    const Value& v = r.outputs[first + i];
    c.set(i, {.x = made[i], .boolean = v.boolean, .narrow = v.narrow});
  }
}

}  // namespace

MLOperand scalar_of(Call& c, std::size_t i, MLOperandDataType type) {
  const SizeList sizes = c.sizes(i);
  const bool is_one = std::ranges::all_of(sizes, [](const Size& d) { return d.is(1); });
  if (sizes.size() > 1 && !is_one) c.refuse(fail("its input {} is not a scalar", i));
  return c.cast(c.reshaped(c.x(i), {}), type);
}

void loop_on_sizes(Call& c, const GraphProto& body, std::size_t carried) {
  const MLOperand trips =
      c.has(0) ? scalar_of(c, 0, int64) : c.scalar(int64, std::int64_t{INT64_MAX});
  const MLOperand going = c.has(1) ? scalar_of(c, 1, uint8) : c.scalar(uint8, 1);
  LoopRecorder recorder(c.b, trips, going);
  const std::vector<Value> initial = states_of(c, 2, carried);
  const Recorded r = record(
      c, recorder, body, initial,
      [&](const std::vector<Value>& states) {
        // An iteration begins only where the condition is 1.
        std::vector<Value> all{{.x = recorder.iteration()},
                               {.x = c.scalar(uint8, 1), .boolean = true}};
        all.insert(all.end(), states.begin(), states.end());
        return all;
      },
      1);
  const Value& on = r.outputs[0];
  if (on.empty || on.x.dataType() != uint8) c.refuse(fail("the condition is not a scalar"));
  std::optional<MLOperand> condition;
  if (!on.x.constant() || on.x.constant()->bytes()[0] == std::byte{0}) {
    if (!c.scope().import().partial->follows_from_shapes(on.x))
      c.unsupported("the condition of the loop does not follow from sizes");
    condition = c.reshaped(on.x, {});
  }
  finish(c, recorder, r, carried, 1, condition);
}

void scan_on_sizes(Call& c, const GraphProto& body, std::size_t states) {
  const Size steps = Size::dimension(c.x(states), 0);
  LoopRecorder recorder(c.b, steps.operand(c.b), c.scalar(uint8, 1));
  std::vector<Value> sequences;
  for (std::size_t i = states; i < c.inputs(); ++i) {
    const MLOperand x = c.x(i);
    if (x.rank() == 0 || Call::differ(Size::dimension(x, 0), steps))
      c.refuse(fail("the sequences have different lengths"));
    SizeList shape = formats::sizes_of(x);
    shape[0] = steps;
    sequences.push_back(
        {.x = c.reshaped(x, shape), .boolean = c.in(i).boolean, .narrow = c.in(i).narrow});
  }
  const Recorded r = record(
      c, recorder, body, states_of(c, 0, states),
      [&](const std::vector<Value>& before) {
        const Size at = Size::element(recorder.iteration(), 0);
        std::vector<Value> all = before;
        for (const Value& v : sequences) {
          all.push_back(v);
          all.back().x = c.without_one(c.sliced(v.x, 0, at, 1), 0);
        }
        return all;
      },
      0);
  finish(c, recorder, r, states, 0, {});
}

}  // namespace webnn::inline v0_1::onnx
