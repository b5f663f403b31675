#include "tools/webnn/model/execute.h"

#include <chrono>

#include "src/graph/text.h"
#include "tools/webnn/common/exit.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tool {

Runner::Runner(MLContext context, MLGraph graph, const Feeds& feeds)
    : context_(std::move(context)), graph_(std::move(graph)) {
  for (const auto& [name, d] : graph_.inputs()) {
    const Feed* found = nullptr;
    for (const Feed& f : feeds)
      if (f.name == name && f.descriptor == d) found = &f;
    if (!found) throw CommandError("there is no data for input " + in_quotes(name));
    in_.push_back({name, found->bytes});
  }
  for (const auto& [name, d] : graph_.outputs()) results_.emplace_back(byte_length(d));
  for (std::size_t i = 0; i < results_.size(); ++i)
    out_.push_back({graph_.outputs()[i].name, results_[i]});
}

void Runner::run() { context_.compute(graph_, in_, out_); }

double Runner::timed_run() {
  const auto start = std::chrono::steady_clock::now();
  run();
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  return took.count();
}

Results execute(const MLContext& context, const MLGraph& graph, const Feeds& feeds) {
  Runner runner(context, graph, feeds);
  runner.run();
  return runner.results();
}

}  // namespace webnn::inline v0_1::tool
