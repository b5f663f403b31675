// How graphs run in the 2023 draft.
#include "src/graph/failure.h"
#include "src/runtime/dispatch_job.h"
#include "src/runtime/graph_state.h"
#include "webnn/draft2023.h"

namespace webnn::inline v0_1::draft2023 {

std::future<void> compute(MLContext context, const MLGraph& graph, ListView<NamedInput> inputs,
                          ListView<NamedOutput> outputs) {
  return as_data_error([&] { return context.compute_async(graph, inputs, outputs); });
}
void computeSync(MLContext context, const MLGraph& graph, ListView<NamedInput> inputs,
                 ListView<NamedOutput> outputs) {
  as_data_error([&] { context.compute(graph, inputs, outputs); });
}

struct MLCommandBuffer::Recording {
  struct Names {
    std::vector<std::string> names{};
    std::vector<MLTensor> tensors{};

    explicit Names(ListView<NamedTensor> list) {
      for (const auto& [name, tensor] : list) {
        names.emplace_back(name);
        tensors.push_back(tensor);
      }
    }
    std::vector<NamedTensor> list() const {
      std::vector<NamedTensor> all;
      for (std::size_t i = 0; i < names.size(); ++i) all.push_back({names[i], tensors[i]});
      return all;
    }
  };
  struct Run {
    MLGraph graph;
    Names inputs, outputs;
  };

  MLContext context;
  std::vector<MLGraph> initialized{};
  std::vector<Run> runs{};
};

void MLCommandBuffer::submit() const {
  const std::shared_ptr<ContextState> keep = detail::state_of(recording_->context);
  ContextState& context = *keep;
  if (context.lost) raise({"the context is lost", ErrorName::InvalidStateError}, "submit");
  std::vector<std::unique_ptr<Job>> jobs;
  for (const auto& run : recording_->runs)
    jobs.push_back(dispatch_job(context, run.graph, run.inputs.list(), run.outputs.list()));
  for (auto& job : jobs) context.timeline.push(std::move(job));
}

MLCommandEncoder::MLCommandEncoder(MLContext context)
    : recording_(new MLCommandBuffer::Recording{std::move(context)}) {
  if (recording_->context.lost())
    raise({"the context is lost", ErrorName::InvalidStateError}, "createCommandEncoder");
}

std::shared_ptr<MLCommandBuffer::Recording> MLCommandEncoder::open(std::string_view method) const {
  if (!recording_) raise({"the encoder is finished", ErrorName::OperationError}, method);
  return recording_;
}

void MLCommandEncoder::initializeGraph(const MLGraph& graph) {
  const auto recording = open("initializeGraph");
  as_data_error([&] { usable(graph, *detail::state_of(recording->context), "initializeGraph"); });
  recording->initialized.push_back(graph);
}

void MLCommandEncoder::dispatch(const MLGraph& graph, ListView<NamedTensor> inputs,
                                ListView<NamedTensor> outputs) {
  const auto recording = open("dispatch");
  as_data_error(
      [&] { dispatch_job(*detail::state_of(recording->context), graph, inputs, outputs); });
  const auto same = [&](const MLGraph& g) {
    return detail::state_of(g) == detail::state_of(graph);
  };
  if (std::none_of(recording->initialized.begin(), recording->initialized.end(), same))
    raise({"the graph was not initialized", ErrorName::OperationError}, "dispatch");
  using Names = MLCommandBuffer::Recording::Names;
  recording->runs.push_back({graph, Names(inputs), Names(outputs)});
}

MLCommandBuffer MLCommandEncoder::finish() {
  const auto recording = open("finish");
  recording_.reset();
  return MLCommandBuffer(recording);
}

}  // namespace webnn::inline v0_1::draft2023
