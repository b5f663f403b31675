#include "compute.h"

#include <cstring>
#include <deque>

#include "convert.h"
#include "object.h"
#include "older_forms.h"
#include "settler.h"

namespace webnn::inline v0_1::node {
namespace {

/// A record of views, and their memory.
template <class Named, auto Convert> struct Views {
  std::vector<std::pair<std::string, Napi::Value>> views;
  std::vector<Named> memory;

  Views(const Napi::Value& record, std::string_view method, std::string_view name) {
    for_each_entry(record, {method, name}, [&](std::string key, Napi::Value view) {
      if (!view.IsTypedArray()) Where{method, key}.reject("is not a view");
      views.emplace_back(std::move(key), view);
    });
    for (const auto& [key, view] : views) memory.push_back({key, Convert(view, {method, key})});
  }
};
using Inputs = Views<NamedInput, &to_input>;
using Outputs = Views<NamedOutput, &to_output>;

/// Memory in place of the caller's, which functions of custom operators may detach.
class Copies {
 public:
  std::vector<NamedInput> in{};
  std::vector<NamedOutput> out{};

  Copies(const MLGraph& graph, const Inputs& inputs, const Outputs& outputs,
         std::string_view method) {
    check_types(graph.inputs(), inputs.memory, method);
    check_types(graph.outputs(), outputs.memory, method);
    for (const NamedInput& x : inputs.memory) {
      const auto bytes = x.data.bytes();
      in.push_back({add(x.name), memory_.emplace_back(bytes.begin(), bytes.end())});
    }
    for (const NamedOutput& y : outputs.memory)
      out.push_back({add(y.name), memory_.emplace_back(y.data.size())});
  }
  Copies(const Copies&) = delete;

  /// Copies output i to the caller's view.
  void deliver(std::size_t i, const Napi::Value& view, std::string_view method) const {
    const std::string& name = names_[in.size() + i];
    const OutputView to = to_output(view, {method, name});
    const std::vector<std::byte>& from = memory_[in.size() + i];
    if (to.size() < from.size()) Where{method, name}.reject("was detached while the graph ran");
    std::memcpy(to.data(), from.data(), from.size());
  }
  const std::string& output(std::size_t i) const { return names_[in.size() + i]; }

 private:
  /// Copies are only bytes.
  template <class Named>
  static void check_types(const NamedDescriptors& all, const std::vector<Named>& given,
                          std::string_view method) {
    for (const Named& x : given)
      for (const auto& [name, d] : all)
        if (name == x.name && !x.data.views(d.dataType))
          Where{method, name}.reject("does not have elements of " +
                                     std::string(name_of(d.dataType)));
  }
  std::string_view add(std::string_view name) { return names_.emplace_back(name); }

  std::deque<std::string> names_{};
  std::deque<std::vector<std::byte>> memory_{};
};

/// Makes the calls of custom operators while it waits.
void compute_serving(Napi::Env env, MLContext& context, const MLGraph& graph, const Inputs& inputs,
                     const Outputs& outputs) {
  ScriptCalls& calls = *instance(env).calls;
  Copies copies(graph, inputs, outputs, "computeSync");
  std::exception_ptr failure;
  bool done = false;
  waiting_if(graph.is_open(), env, "computeSync", [&] {
    context.compute_async(graph, copies.in, copies.out, [&](std::exception_ptr f) {
      failure = std::move(f);
      calls.change([&] { done = true; });
    });
  });
  calls.serve_until([&] { return done; });
  if (failure) std::rethrow_exception(failure);
  for (std::size_t i = 0; i < outputs.views.size(); ++i)
    copies.deliver(i, outputs.views[i].second, "computeSync");
}

/// New views of the same memory; the caller's are detached.
Napi::Object transferred(Napi::Env env,
                         const std::vector<std::pair<std::string, Napi::Value>>& views) {
  Napi::Object record = Napi::Object::New(env);
  for (const auto& [name, view] : views) {
    Napi::Array buffers = Napi::Array::New(env, 1);
    buffers.Set(0u, view.As<Napi::Object>().Get("buffer"));
    Napi::Object options = Napi::Object::New(env);
    options.Set("transfer", buffers);
    record.Set(name, instance(env).structured_clone.Call({view, options}));
  }
  return record;
}

}  // namespace

MLGraph graph_of(const Napi::Value& value, std::string_view method) {
  const auto* n = native<MLGraph>(value);
  if (!n) Where{method, "graph"}.reject("is not an MLGraph");
  return n->value;
}

Napi::Value compute_sync(const Napi::CallbackInfo& info) {
  MLContext& context = self<MLContext>(info).value;
  require_arguments(info, "computeSync", 3);
  require_older_forms(context, "computeSync");
  const MLGraph graph = graph_of(info[0], "computeSync");
  const Inputs inputs(info[1], "computeSync", "inputs");
  const Outputs outputs(info[2], "computeSync", "outputs");
  if (instance(info.Env()).calls) compute_serving(info.Env(), context, graph, inputs, outputs);
  else context.compute(graph, inputs.memory, outputs.memory);
  return info.Env().Undefined();
}

Napi::Value compute(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  MLContext& context = self<MLContext>(info).value;
  require_arguments(info, "compute", 3);
  require_older_forms(context, "compute");
  const MLGraph graph = graph_of(info[0], "compute");
  const Inputs inputs(info[1], "compute", "inputs");
  const Outputs outputs(info[2], "compute", "outputs");
  Work work(env);
  Napi::Object result = Napi::Object::New(env);
  work.pending()->kept.push_back(Napi::Reference<Napi::Value>::New(result, 1));
  std::shared_ptr<Copies> copies;
  if (graph.is_open() && may_be_waited_for(env))
    copies = std::make_shared<Copies>(graph, inputs, outputs, "compute");
  const auto done = [context, copies, pending = work.pending(),
                     settler = instance(env).settler](std::exception_ptr failure) {
    pending->failure = failure;
    pending->result = [copies, p = pending.get()](Napi::Env) {
      const auto all = p->kept.front().Value().As<Napi::Object>();
      for (std::size_t i = 0; copies && i < copies->out.size(); ++i) {
        const auto views = all.Get("outputs").As<Napi::Object>();
        copies->deliver(i, views.Get(copies->output(i)), "compute");
      }
      return all;
    };
    settler->finish(pending);
  };
  if (copies)
    waiting(env, "compute", [&] { context.compute_async(graph, copies->in, copies->out, done); });
  else context.compute_async(graph, inputs.memory, outputs.memory, done);
  const Napi::Promise promise = work.started();
  result.Set("inputs", transferred(env, inputs.views));
  result.Set("outputs", transferred(env, outputs.views));
  return promise;
}

}  // namespace webnn::inline v0_1::node
