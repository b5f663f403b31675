// Branches and loops that data decides.
#include "src/formats/common/control_values.h"
#include "src/formats/onnx/import/subgraph.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// Operations of a branch above which one branch at run time is faster than both of them.
constexpr double much = 1e5;

bool is_tensor(const Value& v) { return !v.empty && !v.sequence; }

bool is_alike(const Value& a, const Value& b) {
  if (!is_tensor(a) || !is_tensor(b) || a.boolean != b.boolean || a.narrow != b.narrow ||
      a.x.dataType() != b.x.dataType() || !a.x.dimensions() || !b.x.dimensions())
    return false;
  return std::ranges::equal(formats::sizes_of(a.x), formats::sizes_of(b.x),
                            [](const Size& m, const Size& n) { return m.same_as(n); });
}

/// The results of a branch that something reads.
std::vector<Value> results_of(Call& c, const GraphProto& branch, std::string_view name) {
  std::vector<Value> all = run_subgraph(c, branch, {}, name), read;
  if (all.size() != c.outputs())
    c.refuse(fail("{} has {} outputs, not {}", name, all.size(), c.outputs()));
  for (std::size_t i = 0; i < all.size(); ++i)
    if (c.has_output(i)) read.push_back(std::move(all[i]));
  return read;
}

std::vector<MLOperand> operands_of(const std::vector<Value>& values) {
  std::vector<MLOperand> all;
  for (const Value& v : values)
    if (is_tensor(v)) all.push_back(v.x);
  return all;
}

std::string type_text(const Value& v) {
  if (!is_tensor(v)) return v.sequence ? "a sequence" : "without elements";
  return fail("{} {}", v.x.dataType(), Call::shape_text(v.x)).message;
}

}  // namespace

void branch_on_data(Call& c, const GraphProto& then_branch, const GraphProto& else_branch) {
  SubgraphRecorder recorder(c.b);
  recorder.begin();
  const std::vector<Value> yes = results_of(c, then_branch, "then_branch");
  recorder.end(operands_of(yes));
  double work = recorder.operations();
  recorder.begin();
  const std::vector<Value> no = results_of(c, else_branch, "else_branch");
  recorder.end(operands_of(no));
  work = std::max(work, recorder.operations());
  for (std::size_t k = 0; k < yes.size(); ++k)
    if (!is_alike(yes[k], no[k]))
      c.unsupported(fail("its branches have results of different types or shapes: {} and {}",
                         type_text(yes[k]), type_text(no[k])));
  const MLOperand condition = scalar_of(c, 0, uint8);
  std::vector<MLOperand> made;
  if (work > much && !c.scope().import().partial)
    if (auto one = formats::add_recorded(c.b, recorder, {condition}, false, c.label()))
      made = std::move(*one);
  if (made.empty())
    for (std::size_t k = 0; k < yes.size(); ++k)
      made.push_back(c.b.where(condition, yes[k].x, no[k].x, {.label = c.label()}));
  for (std::size_t i = 0, k = 0; i < c.outputs(); ++i) {
    if (!c.has_output(i)) continue;
    c.set(i, {.x = made[k], .boolean = yes[k].boolean, .narrow = yes[k].narrow});
    ++k;
  }
}

void loop_on_data(Call& c, const GraphProto& body, std::size_t carried) {
  if (c.scope().import().partial)
    c.unsupported("its iterations follow from data, and the model has open dimensions");
  if (body.outputs.size() > carried + 1)
    c.unsupported("its iterations follow from data, and with them the sizes of scanned outputs");
  if (carried == 0) c.unsupported("it has no results");
  std::vector<MLOperand> first{c.has(0) ? scalar_of(c, 0, int64) : c.scalar(int64, INT64_MAX),
                               c.has(1) ? scalar_of(c, 1, uint8) : c.scalar(uint8, 1)};
  SubgraphRecorder recorder(c.b);
  // An iteration begins only where the condition is 1.
  std::vector<Value> inputs{{.x = recorder.iteration()},
                            {.x = c.scalar(uint8, 1), .boolean = true}};
  for (std::size_t k = 0; k < carried; ++k) {
    Value v = c.in(2 + k);
    if (!is_tensor(v)) c.unsupported(fail("state {} is {}", k, type_text(v)));
    first.push_back(c.x(2 + k));
    v.x = recorder.state(first.back());
    v.tensor = nullptr;
    v.computed = false;
    inputs.push_back(std::move(v));
  }
  recorder.begin();
  const std::vector<Value> outputs = run_subgraph(c, body, inputs, "the body");
  std::vector<MLOperand> next;
  for (std::size_t k = 0; k < carried; ++k) {
    const Value &before = inputs[2 + k], &after = outputs[1 + k];
    if (!is_alike(before, after))
      c.unsupported(
          fail("its iterations follow from data, and state {} is {} before one and {} "
               "after it",
               k, type_text(before), type_text(after)));
    next.push_back(after.x);
  }
  const Value& on = outputs[0];
  if (!is_tensor(on) || on.x.dataType() != uint8 || element_count(on.x.shape()) != 1)
    c.refuse(fail("the condition is not a scalar"));
  const Constant* known = on.x.constant();
  const bool has_condition = !known || known->bytes()[0] == std::byte{0};
  if (has_condition) next.push_back(c.reshaped(on.x, {}));
  recorder.end(std::move(next));
  auto made = formats::add_recorded(c.b, recorder, std::move(first), has_condition, c.label());
  if (!made) c.unsupported(made.failure());
  for (std::size_t k = 0; k < carried; ++k)
    c.set(k, {.x = (*made)[k], .boolean = inputs[2 + k].boolean, .narrow = inputs[2 + k].narrow});
}

}  // namespace webnn::inline v0_1::onnx
