#include "tests/random/compare.h"

#include <algorithm>
#include <random>

#include "src/builder/validate.h"
#include "src/graph/graph_data.h"
#include "src/graph/narrow_floats.h"
#include "src/runtime/fill.h"
#include "tests/random/exported.h"
#include "tests/random/levels.h"

namespace webnn::inline v0_1::test {
namespace {

using Results = std::vector<Tensor>;

NamedDescriptors descriptors(const NamedOperands& operands) {
  NamedDescriptors all;
  for (const auto& [name, x] : operands) all.push_back({name, x.descriptor()});
  return all;
}

/// Passes without which the same operations are done on the same values. Not fold_constants: other
/// passes rewrite what it leaves.
bool keeps_bits(const Pass& pass) {
  for (std::string_view name :
       {"remove_identity", "eliminate_common_subexpressions", "move_quantization",
        "recognize_dynamic_quantization", "recognize_attention", "recognize_rms_normalization",
        "recognize_rotary_embedding", "recognize_swish", "recognize_quantized_operators"})
    if (pass.name == name) return true;
  return false;
}

/// The pass without which narrow floats are rounded after every operator.
constexpr std::string_view widening = "narrow_to_float32";

Results unwritten(const MLGraph& graph) {
  Results all;
  for (const auto& [name, d] : graph.outputs())
    all.push_back({d.dataType, d.shape,
                   std::vector<std::byte>(static_cast<std::size_t>(byte_length(d)),
                                          std::byte{0xcd})});  // so that a gap is seen
  return all;
}

Results dispatched(MLContext context, const MLGraph& graph, const Inputs& inputs) {
  Results results = unwritten(graph);
  std::vector<NamedTensor> in, out;
  for (const auto& [name, d] : graph.inputs()) {
    in.push_back(
        {name, context.createTensor({.dataType = d.dataType, .shape = d.shape, .writable = true})});
    context.writeTensor(in.back().tensor, inputs.at(name).bytes);
  }
  for (const auto& [name, d] : graph.outputs())
    out.push_back(
        {name, context.createTensor({.dataType = d.dataType, .shape = d.shape, .readable = true})});
  context.dispatch(graph, in, out);
  for (std::size_t i = 0; i < results.size(); ++i)
    context.readTensor(out[i].tensor, results[i].bytes);
  return results;
}

bool same_bits(const Results& a, const Results& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Tensor& x, const Tensor& y) { return x.bytes == y.bytes; });
}

bool has_narrow_floats(const Graph& graph) {
  for (std::size_t i = 0; i < graph.operand_count(); ++i)
    if (is_narrow_float(graph.operand(static_cast<std::uint32_t>(i)).dataType())) return true;
  return false;
}
bool has_quantization(const Graph& graph) {
  for (std::size_t i = 0; i < graph.size(); ++i)
    if (graph.node(i).as<ops::dequantizeLinear>()) return true;
  return false;
}

}  // namespace

Results computed(MLContext context, const MLGraph& graph, const Inputs& inputs) {
  Results results = unwritten(graph);
  std::vector<NamedInput> in;
  std::vector<NamedOutput> out;
  for (const auto& [name, d] : graph.inputs()) in.push_back({name, inputs.at(name).bytes});
  for (std::size_t i = 0; i < results.size(); ++i)
    out.push_back({graph.outputs()[i].name, results[i].bytes});
  context.compute(graph, in, out);
  return results;
}

struct Comparison::Contexts {
  using Named = std::pair<std::string, MLContext>;
  MLContext plain{{.threads = 1, .backends = {"reference"}}};
  MLContext usual{{.threads = 1}};
  MLContext threads{{.threads = 2}};
  std::vector<Named> orders{};  // by what they are called
  std::vector<Level> levels{};

  explicit Contexts(Ways ways) {
    if (ways == Ways::levels) {
      levels = all_levels();
      return;
    }
    const std::vector<std::string> all = usual.backends();
    for (const std::string& first : all) {
      std::vector<BackendChoice> order{first};
      if (first == all.front()) continue;  // that is the usual order
      if (first != "reference")
        for (const std::string& next : all)
          if (next != first) order.emplace_back(next);
      orders.emplace_back(first == "reference" ? "reference alone" : first + " first",
                          MLContext({.threads = 1, .backends = order}));
    }
  }
};

/// The comparison of one graph.
class Comparison::Run {
 public:
  Run(const Case& c, Contexts& contexts, std::string only, bool all, Statistics& statistics)
      : case_(c),
        contexts_(contexts),
        only_(std::move(only)),
        all_(all),
        statistics_(statistics),
        narrow_(has_narrow_floats(c.graph)) {}

  std::vector<Mismatch> check() {
    for (Level& level : contexts_.levels) each(level.name(), [&] { return level.check(case_); });
    if (!contexts_.levels.empty()) return std::move(found_);
    each("passes", [&] { return check_passes(); });
    each("without passes", [&] { return check_plain(); });
    each("by default", [&] { return compare(by_default(), Rounding::documented); });
    each("with 2 threads", [&] { return check_threads(); });
    each("dispatched", [&] { return check_dispatch(); });
    for (const auto& order : contexts_.orders)
      each(order.first,
           [&] { return compare(run(order.second, all_passes()), Rounding::documented); });
    for (const Pass& pass : all_passes())
      each("without " + std::string(pass.name), [&] { return check_without(pass); });
    for (const Pass& pass : all_passes())
      each("with " + std::string(pass.name) + " alone", [&] { return check_alone(pass); });
    for (const FileFormat& format : file_formats())
      each("through " + std::string(format.name), [&] { return check_exported(format); });
    for (auto& oracle : oracles_)
      if (oracle) {
        statistics_.elements.equal += oracle->counts().equal;
        statistics_.elements.bounded += oracle->counts().bounded;
        statistics_.elements.unknown += oracle->counts().unknown;
      }
    return std::move(found_);
  }

 private:
  template <class F> void each(const std::string& variant, F&& f) {
    if (!only_.empty() && only_ != variant) return;
    if (!all_ && !found_.empty()) return;
    std::string text;
    try {
      text = f();
    } catch (const std::exception& e) { text = std::string(" throws ") + e.what(); } catch (...) {
      text = " throws something";
    }
    if (!text.empty()) found_.push_back({variant, text});
  }

  Results run(const MLContext& context, std::span<const Pass> passes) {
    ++statistics_.runs;
    return computed(context, build_graph(context, case_.graph, passes), case_.inputs);
  }
  Oracle& oracle(Rounding rounding) {
    if (!narrow_) rounding = Rounding::everywhere;  // then they are the same
    auto& o = oracles_[rounding == Rounding::everywhere];
    if (!o) o = std::make_unique<Oracle>(case_.graph, case_.inputs, rounding);
    return *o;
  }
  std::string compare(const Results& results, Rounding rounding) {
    return compare(results, oracle(rounding));
  }
  std::string compare(const Results& results, Oracle& expected) {
    return first_difference(results,
                            [&](std::size_t i) { return expected.difference(i, results[i]); });
  }
  /// The first output of which difference(i) says something, with that.
  template <class F> std::string first_difference(const Results& results, F&& difference) {
    const auto& outputs = case_.graph.outputs();
    if (results.size() != outputs.size()) return " has another number of outputs";
    for (std::size_t i = 0; i < results.size(); ++i)
      if (const std::string wrong = difference(i); !wrong.empty())
        return " output " + outputs[i].name + wrong;
    return {};
  }

  const MLGraph& usual_graph() {
    if (!usual_) usual_ = build_graph(contexts_.usual, case_.graph, all_passes());
    return usual_;
  }
  const Results& by_default() {
    if (usual_results_.empty()) {
      ++statistics_.runs;
      usual_results_ = computed(contexts_.usual, usual_graph(), case_.inputs);
    }
    return usual_results_;
  }

  /// After every pass the graph is one that a builder takes.
  std::string check_passes() {
    stages_.assign(1, case_.graph);
    for (const Pass& pass : all_passes()) {
      stages_.push_back(pass.run(stages_.back()));
      if (const auto bad = check_replacement(stages_.end()[-2], stages_.back()))
        return " " + std::string(pass.name) + " makes " + bad->message;
      if (descriptors(stages_.back().inputs()) != descriptors(case_.graph.inputs()))
        return " " + std::string(pass.name) + " changes the list of inputs";
    }
    return {};
  }
  /// The reference kernels, as they are: the same bits.
  std::string check_plain() { return check_bits(run(contexts_.plain, {})); }
  std::string check_bits(const Results& results) {
    Oracle& expected = oracle(Rounding::everywhere);
    return first_difference(results, [&](std::size_t i) -> std::string {
      if (results[i].bytes == expected.output(i).bytes) return {};
      const std::string where = expected.difference(i, results[i]);
      return where.empty() ? " in bits" : where;
    });
  }
  std::string check_threads() {
    if (same_bits(run(contexts_.threads, all_passes()), by_default())) return {};
    return " has other bits than with 1";
  }
  std::string check_dispatch() {
    if (same_bits(dispatched(contexts_.usual, usual_graph(), case_.inputs), by_default()))
      return {};
    return " has other bits than compute()";
  }
  std::string check_without(const Pass& left_out) {
    if (stages_.empty()) check_passes();
    std::vector<Pass> rest;
    Graph graph = case_.graph;
    bool needed = false;
    const auto passes = all_passes();
    for (std::size_t i = 0; i < passes.size(); ++i)
      if (passes[i].name == left_out.name)
        needed |= i + 1 >= stages_.size() || !(stages_[i] == stages_[i + 1]);
      else rest.push_back(passes[i]);
    // It did nothing, and will do nothing to weights that become floats.
    if (!needed && only_.empty() && !has_quantization(case_.graph)) return {};
    const auto& context = case_.seed % 2 ? contexts_.usual : contexts_.plain;
    return compare(run(context, rest),
                   left_out.name == widening ? Rounding::everywhere : Rounding::documented);
  }
  std::string check_alone(const Pass& pass) {
    if (only_.empty() && pass.run(case_.graph) == case_.graph) return {};
    const Results results = run(contexts_.plain, {&pass, 1});
    if (keeps_bits(pass)) return check_bits(results);
    return compare(results, pass.name == widening ? Rounding::documented : Rounding::everywhere);
  }
  std::string check_exported(const FileFormat& format) {
    const auto again =
        format.through(build_graph(contexts_.plain, case_.graph, {}), contexts_.plain);
    statistics_.by_format[format.name] += again.has_value();
    if (!again) return {};
    if (again->inputs() != descriptors(case_.graph.inputs())) return " has other inputs";
    if (again->outputs() != descriptors(case_.graph.outputs())) return " has other outputs";
    // Compositions of a format's operators overflow where one operator does not.
    if (oracle(Rounding::documented).has_extremes()) return {};
    const Results results = computed(contexts_.plain, *again, case_.inputs);
    Oracle documented(case_.graph, case_.inputs, Rounding::documented, Form::exported);
    std::optional<Oracle> everywhere;
    return first_difference(results, [&](std::size_t i) {
      std::string wrong = documented.difference(i, results[i]);
      if (wrong.empty() || !narrow_) return wrong;
      // Readers that compute what is constant round it operator by operator.
      if (!everywhere)
        everywhere.emplace(case_.graph, case_.inputs, Rounding::everywhere, Form::exported);
      return everywhere->difference(i, results[i]);
    });
  }

  const Case& case_;
  Contexts& contexts_;
  const std::string only_;
  const bool all_;
  Statistics& statistics_;
  const bool narrow_;
  std::unique_ptr<Oracle> oracles_[2];
  std::vector<Graph> stages_{};  // after each pass
  MLGraph usual_{};
  Results usual_results_{};
  std::vector<Mismatch> found_{};
};

Comparison::Comparison(Ways ways)
    : contexts_(std::make_unique<Contexts>(ways)), filled_(fills_memory()) {
  set_fills_memory(true);
}
Comparison::~Comparison() { set_fills_memory(filled_); }

void Comparison::add(const std::string& variant, const MLContext& context) {
  contexts_->orders.emplace_back(variant, context);
}
MLContext Comparison::context() const { return contexts_->plain; }
const std::vector<Level>& Comparison::levels() const { return contexts_->levels; }

Case case_of(const NamedOperands& outputs, const NamedOperands& listed, Inputs inputs,
             std::uint64_t seed) {
  // A copy, as build() makes it, which would also compile it.
  const GraphData& builder = *owner_of(outputs.front().operand);
  return {graph_of(copy(builder, outputs, {}, listed)), std::move(inputs), seed};
}
Case case_of(const NamedOperands& outputs, Inputs inputs, std::uint64_t seed) {
  // As a file declares them: in another order than they are read, and also where nothing does.
  NamedOperands listed;
  if (seed % 2) listed = owner_of(outputs.front().operand)->inputs;
  std::shuffle(listed.begin(), listed.end(), std::mt19937_64(seed));
  return case_of(outputs, listed, std::move(inputs), seed);
}

std::optional<Case> Comparison::generate(std::uint64_t seed, std::optional<Mismatch>& mismatch) {
  try {
    MLGraphBuilder builder(contexts_->plain);
    RandomGraph random =
        random_graph(builder, seed, contexts_->levels.empty() ? Operands::small : Operands::wide);
    const Case c = case_of(random.outputs, std::move(random.inputs), seed);
    ++statistics_.graphs;
    statistics_.operators += c.graph.size();
    for (std::size_t i = 0; i < c.graph.size(); ++i) ++statistics_.by_kind[c.graph.node(i).kind()];
    return c;
  } catch (const std::exception& e) {
    mismatch = {"built", std::string(" throws ") + e.what()};
  } catch (...) { mismatch = {"built", " throws something"}; }
  return std::nullopt;
}

std::optional<Mismatch> Comparison::check(const Case& c, const std::string& only) {
  auto found = Run(c, *contexts_, only, false, statistics_).check();
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}
std::vector<Mismatch> Comparison::check_all(const Case& c) {
  return Run(c, *contexts_, {}, true, statistics_).check();
}

}  // namespace webnn::inline v0_1::test
