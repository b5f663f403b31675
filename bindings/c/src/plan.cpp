// The plan of a graph, its memory and its times, as structs.
#include <algorithm>
#include <cstring>

#include "bindings/c/src/values.h"

struct webnn_plan : webnn::c::Handle<const webnn::GraphReport> {
  using Handle::Handle;
};

using namespace webnn::c;

namespace webnn::inline v0_1::c {
namespace {

/// Stores as much of a struct as its caller knows.
template <class T> void store(T& out, T all, Where where) {
  const std::size_t size = out.struct_size;
  if (size < sizeof(std::size_t))
    where.reject("has no struct_size: begin with the INIT macro of its type");
  all.struct_size = size;
  std::memcpy(&out, &all, std::min(size, sizeof all));
}

const StepReport* step_at(const webnn_plan* plan, std::size_t i) {
  return plan && i < plan->value.steps.size() ? &plan->value.steps[i] : nullptr;
}

}  // namespace
}  // namespace webnn::inline v0_1::c

webnn_status webnn_graph_plan(const webnn_graph* graph, webnn_plan** plan, webnn_error** error) {
  return guarded(error, [&] {
    need(plan, {"plan", "plan"});
    *plan = new webnn_plan(need(graph, {"plan", "graph"}).value.report());
  });
}
webnn_status webnn_plan_get(const webnn_plan* plan, webnn_plan_summary* summary,
                            webnn_error** error) {
  return guarded(error, [&] {
    const webnn::GraphReport& r = need(plan, {"plan", "plan"}).value;
    const Where where{"plan", "summary"};
    store(need(summary, where),
          {0, r.steps.size(), r.passes.size(), r.arena, r.arena_at_least, r.packed, r.scratch,
           r.threads, r.threads_asked, r.build_ms},
          where);
  });
}
int32_t webnn_plan_get_step(const webnn_plan* plan, size_t i, webnn_plan_step* step) {
  const webnn::StepReport* s = step_at(plan, i);
  if (!s || !step) return 0;
  *step = {to_c(s->backend), to_c(s->kernel),     s->tiles,
           s->packed,        s->operators.size(), s->others.size()};
  return 1;
}
int32_t webnn_plan_get_operator(const webnn_plan* plan, size_t step, size_t i, webnn_string* name,
                                webnn_string* label) {
  const webnn::StepReport* s = step_at(plan, step);
  if (!s || i >= s->operators.size()) return 0;
  if (name) *name = to_c(s->operators[i].name());
  if (label) *label = to_c(s->operators[i].label());
  return 1;
}
webnn_string webnn_plan_other(const webnn_plan* plan, size_t step, size_t i) {
  const webnn::StepReport* s = step_at(plan, step);
  return s && i < s->others.size() ? to_c(s->others[i]) : webnn_string{};
}
int32_t webnn_plan_get_pass(const webnn_plan* plan, size_t i, webnn_plan_pass* pass) {
  if (!plan || !pass || i >= plan->value.passes.size()) return 0;
  const webnn::PassReport& p = plan->value.passes[i];
  *pass = {to_c(p.name), p.before, p.after};
  return 1;
}
webnn_plan* webnn_plan_retain(webnn_plan* plan) { return retain(plan); }
void webnn_plan_release(webnn_plan* plan) { release(plan); }

webnn_status webnn_graph_memory(const webnn_graph* graph, webnn_memory* memory,
                                webnn_error** error) {
  return guarded(error, [&] {
    const Where where{"memory", "memory"};
    const webnn::GraphMemory m = need(graph, {"memory", "graph"}).value.memory();
    store(need(memory, where), {0, m.packed, m.shared, m.constants, m.arena, m.scratch, m.runs},
          where);
  });
}
webnn_status webnn_context_profile_steps(webnn_context* context, webnn_graph* graph, int32_t runs,
                                         double* microseconds, size_t length, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "profile";
    const auto to = list(microseconds, length, {name, "microseconds"});
    webnn::MLContext& c = need(context, {name, "context"}).value;
    const webnn::MLGraph& g = need(graph, {name, "graph"}).value;
    if (const std::size_t steps = g.report().steps.size(); steps != length)
      Where{name, "microseconds"}.reject("(" + std::to_string(length) +
                                         " numbers) does not have one number for each of the " +
                                         std::to_string(steps) + " steps");
    std::ranges::copy(c.profile(g, runs), to.begin());
  });
}
