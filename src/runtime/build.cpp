// The methods of MLGraphBuilder that need a runtime.
#include <new>

#include "src/builder/builder_state.h"
#include "src/graph/failure.h"
#include "src/kernels/reference/evaluate.h"
#include "src/runtime/compile.h"
#include "src/runtime/memory.h"
#include "src/runtime/tensor.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1 {

MLGraphBuilder::MLGraphBuilder(MLContext context) {
  const ContextState& c = *detail::state_of(context);
  state_.reset(new BuilderState{.context = std::move(context),
                                .lost = &c.lost,
                                .rules = c.options.rules,
                                .evaluate = &evaluate});
  state_->data.builder = state_.get();
  require_open("MLGraphBuilder");
}

MLOperand MLGraphBuilder::constant(const MLTensor& tensor) {
  const std::lock_guard lock(state_->mutex);
  auto bytes = constant_of(tensor, state_->context);
  if (!bytes) raise(bytes.failure(), "constant");
  require_open("constant");
  MLOperand x = constant(detail::state_of(tensor)->descriptor, *bytes);
  state_->tensors.push_back({borrowed(x.record()), [tensor] { return tensor.destroyed(); }});
  return x;
}

MLGraph MLGraphBuilder::build(const NamedOperands& outputs, const BuildOptions& options) {
  try {
    const std::vector<NamedUpdate> updates = updates_of(*state_, outputs);
    Graph graph = finish(outputs, options.inputs);
    release_constants(*state_);
    return detail::make<MLGraph>(
        compile(std::move(graph), state_->context, chosen_passes(), options, updates));
  } catch (const std::bad_alloc&) { raise({"out of memory", ErrorName::OperationError}, "build"); }
}

void MLGraphBuilder::build_async(const NamedOperands& outputs,
                                 std::function<void(std::exception_ptr, MLGraph)> done,
                                 BuildOptions options) {
  struct Build {
    Graph graph;
    MLContext context;
    BuildOptions options;
    std::vector<NamedUpdate> updates;
    MLGraph result{};
  };
  std::vector<NamedUpdate> updates = updates_of(*state_, outputs);
  Graph graph = finish(outputs, options.inputs);
  const auto build = std::make_shared<Build>(
      Build{std::move(graph), state_->context, std::move(options), std::move(updates)});
  release_constants(*state_);
  const std::shared_ptr<ContextState> context = detail::state_of(state_->context);
  auto job = context->timeline.take();
  job->kind = Job::Kind::call;
  job->call = [build] {
    build->result = detail::make<MLGraph>(compile(std::move(build->graph), build->context,
                                                  chosen_passes(), build->options, build->updates));
  };
  job->out_of_memory = context->failures.build;
  job->after = [build, done = std::move(done)](std::exception_ptr failure) {
    done(std::move(failure), std::move(build->result));
  };
  push(context, std::move(job));
}

std::future<MLGraph> MLGraphBuilder::build_async(const NamedOperands& outputs,
                                                 BuildOptions options) {
  const auto promise = std::make_shared<std::promise<MLGraph>>();
  const auto done = [promise](std::exception_ptr failure, MLGraph graph) {
    if (failure) promise->set_exception(failure);
    else promise->set_value(std::move(graph));
  };
  build_async(outputs, done, std::move(options));
  return promise->get_future();
}

}  // namespace webnn::inline v0_1
