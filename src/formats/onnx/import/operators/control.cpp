// Subgraphs: branches and loops that are known when a file is imported.
#include "src/builder/builder_state.h"
#include "src/formats/onnx/import/subgraph.h"

namespace webnn::inline v0_1::onnx {

std::vector<Value> run_subgraph(Call& c, const GraphProto& graph, std::span<const Value> inputs,
                                std::string_view what) {
  const File& file = c.scope().import().file;
  if (graph.inputs.size() != inputs.size())
    c.refuse(fail("{} has {} inputs, not {}", what, graph.inputs.size(), inputs.size()));
  if (graph.sparse_initializers) c.unsupported("a tensor of a subgraph is sparse");
  Scope inner(c.scope().import(), graph.nodes, c.scope().opsets(), &c.scope(),
              c.scope().attributes(), c.scope().depth() + 1);
  inner.add_initializers(graph.initializers);
  for (std::size_t i = 0; i < inputs.size(); ++i) inner.set(graph.inputs[i].name, inputs[i]);
  std::vector<std::string_view> names;
  for (const ValueInfo& info : graph.outputs) names.push_back(info.name);
  inner.import_nodes(names);
  std::vector<Value> outputs;
  for (std::string_view name : names) {
    Value* v = inner.find(name);
    if (!v) refuse(file, fail("{} has no value {}", what, in_quotes(name)));
    if (v->unavailable) throw NeedsInput();
    // Tensors of the subgraph end with it.
    if (!v->empty && !v->sequence) inner.operand(*v, name);
    Value out = *v;
    out.tensor = nullptr;
    outputs.push_back(std::move(out));
  }
  return outputs;
}

namespace {

std::vector<Value> run_branch(Call& c, std::string_view name) {
  const auto graph = c.graph(name);
  if (!graph) c.refuse(fail("it has no {}", name));
  std::vector<Value> outputs = run_subgraph(c, *graph, {}, name);
  if (outputs.size() != c.outputs())
    c.refuse(fail("{} has {} outputs, not {}", name, outputs.size(), c.outputs()));
  return outputs;
}

/// x in the runs in which the condition is 1. Others are refused, for their shapes have zeros.
MLOperand only_where(Call& c, const MLOperand& x, const MLOperand& condition,
                     std::string_view name) {
  const std::string label = format("{}: only its {} was imported", {c.label(), name});
  if (x.rank() == 0) return c.reshaped(only_where(c, c.reshaped(x, {1}), condition, name), {});
  const MLOperand sizes = formats::operand_of(c.b, formats::sizes_of(x));
  const MLOperand valid = c.reshaped(c.cast(condition, int64), {});
  return c.b.reshapeDynamic(x, c.b.mul(sizes, valid), {label});
}

/// Both branches are computed, and one is taken.
void put_both(Call& c, const MLOperand& condition) {
  const std::vector<Value> yes = run_branch(c, "then_branch"), no = run_branch(c, "else_branch");
  for (std::size_t i = 0; i < yes.size(); ++i) {
    if (!c.has_output(i)) continue;
    if (yes[i].empty || no[i].empty || yes[i].sequence || no[i].sequence ||
        yes[i].boolean != no[i].boolean || yes[i].x.dataType() != no[i].x.dataType() ||
        !yes[i].x.dimensions() || !no[i].x.dimensions() ||
        !std::ranges::equal(formats::sizes_of(yes[i].x), formats::sizes_of(no[i].x),
                            [](const Size& a, const Size& b) { return a.same_as(b); }))
      c.unsupported("its branches have results of different shapes");
    c.set(i, {.x = c.b.where(c.reshaped(condition, {}), yes[i].x, no[i].x, {.label = c.label()}),
              .boolean = yes[i].boolean});
  }
}

/// The condition follows from open sizes.
void branch_on_sizes(Call& c) {
  Import& import = c.scope().import();
  if (import.branches_met >= import.branches.size())
    throw NeedsBranches{
        format("{} (If): its condition follows from {}, and its branches have results of "
               "different shapes: {}",
               {in_quotes(c.label()), open_dimensions(c.x()), give_a_size})};
  const Branches branches = import.branches[import.branches_met++];
  const MLOperand condition = c.x();
  if (branches == Branches::both) return put_both(c, condition);
  const bool taken = branches == Branches::then_branch;
  const std::string_view name = taken ? "then_branch" : "else_branch";
  std::vector<Value> outputs = run_branch(c, name);
  const MLOperand valid = taken ? condition : c.b.logicalNot(condition);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Value& v = outputs[i];
    if (v.sequence) c.unsupported(fail("a result of its {} is a sequence", name));
    if (v.empty) c.unsupported(fail("a result of its {} has no elements", name));
    v.x = only_where(c, v.x, valid, name);
    c.set(i, std::move(v));
  }
}

constexpr std::string_view condition_name = "the condition, which chooses one of its branches,";

/// The condition follows from the data of inputs.
void branch_on_data(Call& c) {
  const auto yes = c.graph("then_branch"), no = c.graph("else_branch");
  if (!yes || !no) c.refuse(fail("it has no {}", yes ? "else_branch" : "then_branch"));
  try {
    branch_on_data(c, *yes, *no);
  } catch (const Error&) {
    c.known(c.x(), condition_name);  // says whose value is needed
    throw;
  }
}

void branch(Call& c) {
  c.ignore("then_branch");
  c.ignore("else_branch");
  if (c.follows_from_sizes(0) && c.type(0) == uint8) return branch_on_sizes(c);
  if (!c.can_be_known(0) && c.type(0) == uint8) return branch_on_data(c);
  if (c.empty(0) || element_count(c.x().shape()) != 1)
    c.refuse(fail("its condition does not have one element"));
  const Constant condition = c.known(c.x(), condition_name);
  const bool taken =
      std::ranges::any_of(condition.bytes(), [](auto b) { return b != std::byte{}; });
  std::vector<Value> outputs = run_branch(c, taken ? "then_branch" : "else_branch");
  for (std::size_t i = 0; i < outputs.size(); ++i) c.set(i, std::move(outputs[i]));
}

bool known_condition(Call& c, Value& v) {
  if (v.sequence || v.empty || element_count(v.x.shape()) != 1)
    c.refuse(fail("the condition is not a scalar"));
  const Constant bytes = c.known(v.x, "the condition of the loop");
  return bytes.bytes()[0] != std::byte{0};
}

std::size_t operators_in(const Call& c) { return detail::state_of(c.b)->data.nodes.size(); }

/// A long loop as an operator that runs its iterations, if its body can be imported once for all of
/// them.
bool loops_at_run_time(Call& c, const GraphProto& body, std::size_t carried) {
  if (c.scope().import().partial) return false;
  try {
    loop_on_data(c, body, carried);
    return true;
  } catch (const Error&) { return false; }
}

/// Iterations one after the other. The body has the inputs i, condition, carried..., and the
/// outputs condition, carried..., scanned...
void loop(Call& c) {
  constexpr std::int64_t most = 65536;
  constexpr std::size_t max_unrolled = 4096;  // operators, beyond which a loop is not unrolled
  const auto body = c.graph("body");
  if (!body) c.refuse(fail("it has no body"));
  const auto follows = [&](std::size_t i) { return c.has(i) && c.follows_from_sizes(i); };
  const bool open = follows(0) || follows(1);
  const std::size_t carried = c.inputs() > 2 ? c.inputs() - 2 : 0;
  if (body->outputs.size() < carried + 1)
    c.refuse(fail("the body has {} outputs", body->outputs.size()));
  const std::size_t scanned = body->outputs.size() - carried - 1;
  if (c.outputs() != carried + scanned)
    c.refuse(fail("it has {} outputs, not {}", c.outputs(), carried + scanned));
  if (open) return loop_on_sizes(c, *body, carried);
  const auto on_data = [&](std::size_t i) { return c.has(i) && !c.can_be_known(i); };
  if (on_data(0) || on_data(1)) return loop_on_data(c, *body, carried);
  std::vector<Value> state;
  for (std::size_t i = 0; i < carried; ++i) {
    Value v = c.in(i + 2);
    if (!v.empty && !v.sequence) v.x = c.x(i + 2);
    state.push_back(std::move(v));
  }
  const std::int64_t trips = c.has(0) ? c.integer(std::size_t{0}) : INT64_MAX;
  Value condition{.x = c.has(1) ? c.x(1) : c.scalar(uint8, 1), .boolean = true};
  std::vector<std::vector<MLOperand>> scans(scanned);
  std::vector<bool> boolean(scanned);
  const std::size_t before = operators_in(c);
  bool tried = scanned > 0;
  for (std::int64_t i = 0; i < trips; ++i) {
    if (condition.x && !c.can_be_known(condition.x)) return loop_on_data(c, *body, carried);
    if (!known_condition(c, condition)) break;
    if (!tried && operators_in(c) - before > max_unrolled) {
      tried = true;
      if (loops_at_run_time(c, *body, carried)) return;
    }
    if (i >= most) c.unsupported(fail("it has more than {} iterations", most));
    std::vector<Value> inputs{{.x = c.int64s({}, {i})}, condition};
    inputs.insert(inputs.end(), state.begin(), state.end());
    std::vector<Value> outputs = run_subgraph(c, *body, inputs, "the body");
    condition = outputs[0];
    for (std::size_t k = 0; k < carried; ++k) state[k] = outputs[1 + k];
    for (std::size_t k = 0; k < scanned; ++k) {
      const Value& v = outputs[1 + carried + k];
      if (v.empty || v.sequence)
        c.unsupported("a scanned output has no elements, or is a sequence");
      scans[k].push_back(c.with_one(v.x, 0));
      boolean[k] = v.boolean;
    }
  }
  for (std::size_t k = 0; k < carried; ++k) c.set(k, std::move(state[k]));
  for (std::size_t k = 0; k < scanned; ++k) {
    if (scans[k].empty()) c.unsupported("it has no iterations, and its results no elements");
    c.set(carried + k, {.x = c.b.concat(scans[k], 0), .boolean = boolean[k]});
  }
}

/// Whether Scan is along an open dimension.
bool has_open_steps(const Call& c, std::size_t states) {
  const MLOperand x = c.x(states);
  return x.is_open() && x.rank() > 0 && !Size::dimension(x, 0).is_known();
}

/// Raises when it is open.
std::uint32_t first_size(const Call& c, std::size_t i) {
  return formats::dims_of({Size::dimension(c.x(i), 0)})[0];
}

/// Scan-9: the body has the inputs states..., elements..., and the outputs states..., elements...
void scan(Call& c) {
  constexpr std::uint32_t most = 65536;
  if (c.version() < 9) c.unsupported("Scan of operator set 8");
  const auto body = c.graph("body");
  if (!body) c.refuse(fail("it has no body"));
  const std::int64_t n = c.integer("num_scan_inputs", 0);
  if (n < 1 || n > static_cast<std::int64_t>(c.inputs()))
    c.refuse(fail("num_scan_inputs is {}", n));
  const auto scans = static_cast<std::size_t>(n), states = c.inputs() - scans;
  if (c.outputs() < states || body->outputs.size() != c.outputs())
    c.refuse(fail("the body has {} outputs, not {}", body->outputs.size(), c.outputs()));
  for (std::string_view name :
       {"scan_input_axes", "scan_output_axes", "scan_input_directions", "scan_output_directions"})
    if (const auto list = c.ints(name))
      for (std::int64_t v : *list)
        if (v != 0) c.unsupported(fail("{} other than 0", name));
  if (has_open_steps(c, states)) return scan_on_sizes(c, *body, states);
  std::vector<Value> state;
  for (std::size_t i = 0; i < states; ++i)
    state.push_back({.x = c.x(i), .boolean = c.in(i).boolean});
  const std::uint32_t steps = c.x(states).rank() == 0 ? 0 : first_size(c, states);
  if (steps == 0 || steps > most) c.unsupported(fail("a scan of more than {} steps", most));
  std::vector<std::vector<MLOperand>> results(c.outputs() - states);
  std::vector<bool> boolean(results.size());
  for (std::uint32_t t = 0; t < steps; ++t) {
    std::vector<Value> inputs = state;
    for (std::size_t k = 0; k < scans; ++k) {
      const MLOperand x = c.x(states + k);
      if (x.rank() == 0 || first_size(c, states + k) != steps)
        c.refuse(fail("the sequences have different lengths"));
      inputs.push_back(
          {.x = c.without_one(c.sliced(x, 0, t, 1), 0), .boolean = c.in(states + k).boolean});
    }
    const std::vector<Value> outputs = run_subgraph(c, *body, inputs, "the body");
    for (std::size_t i = 0; i < states; ++i) state[i] = outputs[i];
    for (std::size_t k = 0; k < results.size(); ++k) {
      const Value& v = outputs[states + k];
      if (v.empty || v.sequence)
        c.unsupported("a scanned output has no elements, or is a sequence");
      results[k].push_back(c.with_one(v.x, 0));
      boolean[k] = v.boolean;
    }
  }
  for (std::size_t i = 0; i < states; ++i) c.set(i, std::move(state[i]));
  for (std::size_t k = 0; k < results.size(); ++k)
    c.set(states + k, {.x = c.b.concat(results[k], 0), .boolean = boolean[k]});
}

constexpr Handler handlers[] = {
    {"If", &branch, 1, 1, 1, many,
     "if the condition follows from data, the results of both branches must have the same shapes; "
     "both branches are computed, or, if they have much to compute, each run computes one of them; "
     "if the condition follows from open sizes, the shapes must be the same, or the model must be "
     "right with one branch alone, and sizes of the other branch are refused"},
    {"Loop", &loop, 1, 2, many, many,
     "if the number of iterations and the conditions are known, it is unrolled, unless it is long; "
     "if they follow from open sizes, it is unrolled for each combination of sizes, and states "
     "keep their ranks; if they follow from data, each run decides on the number of iterations, at "
     "most 1,048,576; states then keep their shapes, and there are no scanned outputs"},
    {"Scan", &scan, 8, 1, many, many,
     "since operator set 9; along the first axis, forward; it is unrolled, for each combination of "
     "sizes if sizes are open"},
};

}  // namespace

std::span<const Handler> control_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
