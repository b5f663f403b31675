// Calls of other subgraphs, which are inlined: by name, branches and loops.
#include "src/builder/builder_state.h"
#include "src/formats/common/control_values.h"
#include "src/formats/common/model_inputs.h"
#include "src/formats/common/open_dimensions.h"
#include "src/formats/tflite/import/call.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

constexpr int max_call_depth = 16;
constexpr int max_iterations = 65536;
constexpr std::size_t max_unrolled = 4096;  // operators, beyond which a loop is not unrolled

/// The outputs of a subgraph, as stored, whose inputs are these.
std::vector<MLOperand> results_of(Call& c, std::int64_t subgraph, std::span<const MLOperand> given,
                                  std::size_t results) {
  Import& import = c.scope().import();
  if (subgraph < 0 ||
      subgraph >= static_cast<std::int64_t>(size_of(import.file.model->subgraphs())))
    c.refuse(fail("there is no subgraph {}", subgraph));
  if (c.scope().depth() == max_call_depth)
    c.refuse(fail("calls are nested more than {} deep", max_call_depth));
  Scope inner(import, static_cast<std::size_t>(subgraph), c.scope().depth() + 1);
  const auto inputs = elements_of(inner.table().inputs()),
             outputs = elements_of(inner.table().outputs());
  if (inputs.size() != given.size() || outputs.size() != results)
    c.refuse(fail("subgraph {} has {} inputs and {} outputs, but the call {} and {}", subgraph,
                  inputs.size(), outputs.size(), given.size(), results));
  for (std::size_t i = 0; i < inputs.size(); ++i) inner.set(inputs[i], given[i]);
  inner.import_operators({outputs.begin(), outputs.end()});
  std::vector<MLOperand> out;
  for (std::int32_t t : outputs) out.push_back(inner.value(t));
  return out;
}

std::vector<MLOperand> inputs_from(Call& c, std::size_t first) {
  std::vector<MLOperand> given;
  for (std::size_t i = first; i < c.inputs(); ++i) given.push_back(c.stored(i));
  return given;
}

void put_all(Call& c, const std::vector<MLOperand>& results) {
  for (std::size_t i = 0; i < results.size(); ++i) c.put_stored(results[i], i);
}

/// The value of a condition, if it follows from constants.
std::optional<bool> known_condition(Call& c, const MLOperand& x, std::string_view what) {
  if (x.dataType() != uint8) c.refuse(fail("{} is {}, not BOOL", what, x.dataType()));
  const auto known = x.constant() ? std::optional(x) : folded(x, c.b);
  if (!known) return std::nullopt;
  if (element_count(known->shape()) != 1)
    c.refuse(fail("{} has shape {}, not one element", what, known->shape()));
  return known->constant()->bytes()[0] != std::byte{0};
}

void call(Call& c) {
  const auto o = c.options<schema::CallOptionsT>();
  put_all(c, results_of(c, o.subgraph, inputs_from(c, 0), c.outputs()));
}

/// Both branches are computed and one is taken, or each run computes one where they have much to
/// compute.
std::vector<MLOperand> chosen(Call& c, const MLOperand& condition, const SubgraphRecorder& recorder,
                              double work, const std::vector<MLOperand>& yes,
                              const std::vector<MLOperand>& no) {
  constexpr double much = 1e5;  // operations of a branch
  std::vector<MLOperand> out;
  for (std::size_t i = 0; i < yes.size(); ++i)
    if (yes[i].dataType() != no[i].dataType() || yes[i].dimensions() != no[i].dimensions() ||
        !yes[i].dimensions())
      c.unsupported(
          fail("its condition follows from data, and result {} of its branches is {} {} and {} {}",
               i, yes[i].dataType(), formats::shape_text(yes[i].dimensions()), no[i].dataType(),
               formats::shape_text(no[i].dimensions())));
  if (work > much)
    if (auto one =
            formats::add_recorded(c.b, recorder, {c.reshaped(condition, {})}, false, c.label()))
      return std::move(*one);
  for (std::size_t i = 0; i < yes.size(); ++i)
    out.push_back(c.b.where(c.reshaped(condition, {}), yes[i], no[i], {.label = c.label()}));
  return out;
}

void branch(Call& c) {
  const auto o = c.options<schema::IfOptionsT>();
  const MLOperand condition = c.stored(0);
  const std::vector<MLOperand> given = inputs_from(c, 1);
  if (const auto known = known_condition(c, condition, "its condition"))
    return put_all(c, results_of(c, *known ? o.then_subgraph_index : o.else_subgraph_index, given,
                                 c.outputs()));
  SubgraphRecorder recorder(c.b);
  recorder.begin();
  const auto yes = results_of(c, o.then_subgraph_index, given, c.outputs());
  recorder.end(yes);
  double work = recorder.operations();
  recorder.begin();
  const auto no = results_of(c, o.else_subgraph_index, given, c.outputs());
  recorder.end(no);
  work = std::max(work, recorder.operations());
  put_all(c, chosen(c, condition, recorder, work, yes, no));
}

/// An operator that runs the iterations, as many as its condition asks for, from these states on.
std::vector<MLOperand> loop_on_data(Call& c, const schema::WhileOptionsT& o,
                                    const std::vector<MLOperand>& state) {
  const auto condition_of = [&](const std::vector<MLOperand>& of) {
    const MLOperand x = results_of(c, o.cond_subgraph_index, of, 1)[0];
    if (x.dataType() != uint8 || !x.dimensions() || x.is_open() || element_count(x.shape()) != 1)
      c.refuse(fail("the result of its condition is not one BOOL"));
    return c.reshaped(x, {});
  };
  std::vector<MLOperand> first{c.scalar(int64, INT64_MAX), condition_of(state)}, before;
  first.insert(first.end(), state.begin(), state.end());
  SubgraphRecorder recorder(c.b);
  for (const MLOperand& x : state) before.push_back(recorder.state(x));
  recorder.begin();
  std::vector<MLOperand> next = results_of(c, o.body_subgraph_index, before, state.size());
  for (std::size_t i = 0; i < next.size(); ++i)
    if (next[i].dataType() != before[i].dataType() ||
        next[i].dimensions() != before[i].dimensions() || !next[i].dimensions())
      c.unsupported(
          fail("its condition follows from data, and state {} is {} {} before an iteration "
               "and {} {} after it",
               i, before[i].dataType(), formats::shape_text(before[i].dimensions()),
               next[i].dataType(), formats::shape_text(next[i].dimensions())));
  next.push_back(condition_of(next));
  recorder.end(std::move(next));
  auto made = formats::add_recorded(c.b, recorder, std::move(first), true, c.label());
  if (!made) c.unsupported(made.failure());
  return std::move(*made);
}

/// The same for a long loop whose conditions are known, if its body can be imported once for all
/// iterations.
std::optional<std::vector<MLOperand>> long_loop(Call& c, const schema::WhileOptionsT& o,
                                                const std::vector<MLOperand>& state) {
  try {
    return loop_on_data(c, o, state);
  } catch (const Error&) { return std::nullopt; }
}

std::size_t operators_in(const Call& c) { return detail::state_of(c.b)->data.nodes.size(); }

/// Iterations one after the other, of which the conditions are known.
void loop(Call& c) {
  const auto o = c.options<schema::WhileOptionsT>();
  std::vector<MLOperand> state = inputs_from(c, 0);
  if (c.outputs() != state.size())
    c.refuse(fail("it has {} inputs and {} outputs", state.size(), c.outputs()));
  const std::size_t before = operators_in(c);
  bool is_long = false;
  for (int i = 0;; ++i) {
    if (!is_long && operators_in(c) - before > max_unrolled) {
      is_long = true;
      if (auto made = long_loop(c, o, state)) return put_all(c, *made);
    }
    if (i == max_iterations) c.unsupported(fail("it has more than {} iterations", max_iterations));
    const MLOperand condition = results_of(c, o.cond_subgraph_index, state, 1)[0];
    const auto more = known_condition(c, condition, "the result of its condition");
    if (!more) return put_all(c, loop_on_data(c, o, state));
    if (!*more) break;
    state = results_of(c, o.body_subgraph_index, state, state.size());
    for (MLOperand& x : state)
      if (auto known = x.constant() ? std::nullopt : folded(x, c.b)) x = std::move(*known);
  }
  put_all(c, state);
}

constexpr Handler handlers[] = {
    {Code::CALL, call, 0, many, 0, many},
    {Code::IF, branch, 1, many, 0, many},
    {Code::WHILE, loop, 1, many, 1, many},
};

}  // namespace

std::span<const Handler> subgraph_call_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
