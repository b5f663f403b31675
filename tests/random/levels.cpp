#include "tests/random/levels.h"

#ifdef WEBNN_TEST_COMPILED
#include "webnn/compiled.h"
#endif
#ifdef WEBNN_TEST_SIMD
#include "src/kernels/simd/backend.h"
#endif

namespace webnn::inline v0_1::test {
namespace {

using Results = std::vector<Tensor>;

bool is_own(const BackendChoice& choice) {
  return std::holds_alternative<std::shared_ptr<const Backend>>(choice);
}

MLContextOptions with(MLContextOptions options, int threads, AccuracyLevel level) {
  options.threads = threads;
  options.accuracyLevel = level;
  options.keepConstants = true;  // an oracle reads those of the graph after the passes
  return options;
}

bool same_bits(const Results& a, const Results& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Tensor& x, const Tensor& y) { return x.bytes == y.bytes; });
}

std::vector<std::string> kernels_of(const MLGraph& graph) {
  std::vector<std::string> all;
  for (const StepReport& step : graph.report().steps) {
    all.push_back(step.backend + ' ' + step.kernel);
    for (const Node& node : step.operators) all.back() += ' ' + std::string(node.name());
  }
  return all;
}

MLGraph built(const MLContext& context, const Case& c) {
  return build_graph(context, c.graph, all_passes());
}

}  // namespace

Level::Level(std::string name, MLContextOptions options)
    : name_(std::move(name)),
      has_own_backend_(std::ranges::any_of(options.backends, is_own)),
      one_(with(options, 1, options.accuracyLevel)),
      float32_(with(has_own_backend_ ? MLContextOptions() : options, 1, AccuracyLevel::float32)) {
  for (const int threads : {2, 3})
    more_threads_.emplace_back(with(options, threads, options.accuracyLevel));
}

std::string Level::compare(const MLGraph& graph, const Results& results, const Case& c) {
  const OperandRoundings roundings = roundings_of(graph);
  const Graph optimized = graph.optimized();
  Oracle oracle(optimized, c.inputs, Rounding::everywhere, Form::same, roundings);
  std::string wrong;
  for (std::size_t i = 0; i < results.size() && wrong.empty(); ++i)
    if (wrong = oracle.difference(i, results[i]); !wrong.empty())
      wrong = " output " + optimized.outputs()[i].name + wrong;
  if (roundings.empty()) return wrong;
  ++statistics_.graphs;
  statistics_.elements.equal += oracle.counts().equal;
  statistics_.elements.bounded += oracle.counts().bounded;
  statistics_.elements.unknown += oracle.counts().unknown;
  for (const StepReport& step : graph.report().steps)
    if (step.kernel.starts_with("bfloat16 ") || step.kernel.starts_with("int8 x "))
      ++statistics_.kernels[step.kernel];
  return wrong;
}

std::string Level::check(const Case& c) {
  const MLGraph graph = built(one_, c);
  const Results results = computed(one_, graph, c.inputs);
  if (std::string wrong = compare(graph, results, c); !wrong.empty()) return wrong;
  for (const MLContext& context : more_threads_)
    if (!same_bits(computed(context, built(context, c), c.inputs), results))
      return " has other bits with " + std::to_string(context.threads()) + " threads";
  // A level only permits what it says: the same kernels compute the same bits.
  if (!has_own_backend_ && roundings_of(graph).empty()) {
    const MLGraph floats = built(float32_, c);
    if (kernels_of(floats) == kernels_of(graph) &&
        !same_bits(computed(float32_, floats, c.inputs), results))
      return " has other bits than at the level float32, with the same kernels";
  }
#ifdef WEBNN_TEST_COMPILED
  if (!has_own_backend_) {
    const auto file = std::make_shared<const std::vector<std::byte>>(compiled::bytes_of(graph));
    const MLGraph loaded = compiled::load(one_, file, *file, {}, "file");
    if (kernels_of(loaded) != kernels_of(graph)) return " has other kernels from a file";
    if (!same_bits(computed(one_, loaded, c.inputs), results)) return " has other bits from a file";
  }
#endif
  return {};
}

std::vector<Level> all_levels() {
  std::vector<Level> all;
  all.emplace_back("at int8", MLContextOptions{.accuracyLevel = AccuracyLevel::int8});
  all.emplace_back("at bfloat16", MLContextOptions{.accuracyLevel = AccuracyLevel::bfloat16});
#ifdef WEBNN_TEST_SIMD
  using enum simd::Bfloat16Products;
  const auto own = [](const simd::Options& options) {
    return MLContextOptions{.backends = {simd::make_backend(options), "reference"}};
  };
  if (simd::can_emulate_bfloat16()) {
    all.emplace_back("at bfloat16, emulated tiles", own({.bfloat16 = emulated_tiles}));
    if (simd::bfloat16_products() == none)
      all.emplace_back("at bfloat16, emulated", own({.bfloat16 = emulated}));
  }
  if (simd::make_backend())
    all.emplace_back("at int8, without the instruction",
                     own({.int8_dot_product = false, .int8_activations = true}));
#endif
  return all;
}

}  // namespace webnn::inline v0_1::test
