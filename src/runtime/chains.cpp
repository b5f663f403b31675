#include "src/runtime/chains.h"

#include <algorithm>
#include <unordered_map>

#include "src/graph/failure.h"
#include "src/graph/op.h"
#include "src/graph/text.h"
#include "src/kernels/backends.h"
#include "src/kernels/common/custom.h"
#include "src/kernels/common/fused.h"
#include "src/kernels/common/small_weights.h"
#include "src/passes/quantized_operators.h"
#include "src/runtime/aliases.h"
#include "src/runtime/compositions.h"
#include "webnn/error.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t longest_chain = 12;
constexpr std::size_t max_operands = 16;  // a longer list of an operator in a chain is read once

using Backends = std::span<const std::shared_ptr<const Backend>>;

/// " (simd: why not; onednn: why not)"
std::string in_parentheses(Backends backends, const std::vector<std::string>& reasons) {
  if (backends.empty()) return "";
  std::vector<std::string> parts;
  for (std::size_t b = 0; b < backends.size(); ++b)
    parts.push_back(std::string(backends[b]->name()) + ": " + reasons[b]);
  return " (" + joined(parts, "; ") + ')';
}

class Cover {
 public:
  Cover(const Graph& graph, Backends backends, const ChoiceObserver& chosen, bool small_weights,
        std::vector<std::size_t>* to_expand = nullptr, const KnownChoices* known = nullptr)
      : graph_(graph),
        backends_(backends),
        observer_(chosen),
        small_weights_(small_weights),
        to_expand_(to_expand),
        known_(known),
        compositions_(graph),
        reads_(graph.operand_count()),
        computed_in_outputs_(computed_in_outputs(graph)),
        covered_(graph.size()) {
    for (const auto& [name, x] : graph.outputs()) reads_[x.record().id].is_output = true;
    nodes_.reserve(graph.size());
    chosen_.reserve(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) nodes_.push_back(graph.node(i));
    of_library_ = std::ranges::all_of(backends, [](const auto& backend) {
      return dynamic_cast<const LibraryBackend*>(backend.get()) != nullptr;
    });
  }

  std::vector<Choice> run() {
    cover();
    if (!failures_.empty()) raise_failures();
    return chosen();
  }

  using Recorded = std::unordered_map<std::size_t, const RecordedChoice*>;  // by the last place
  Result<std::vector<Choice>> run_again(const Recorded& recorded) {
    recorded_ = &recorded;
    cover();
    if (!failures_.empty()) return fail("{}", failures_.front());
    if (restored_ != recorded.size())
      return fail("{} of {} kernels are not of this graph", recorded.size() - restored_,
                  recorded.size());
    return chosen();
  }
  /// Those that are found again in the graph that is covered next are left out.
  std::vector<std::string> failures_in_float32() {
    if (to_expand_ && !to_expand_->empty()) return std::move(quantized_in_float32_);
    return std::move(small_in_float32_);
  }

 private:
  void cover() {
    count_reads();
    for (std::size_t i = 0; i < graph_.size(); ++i) aliases_.push_back(makes_aliases(i));
    if (refuses_attention()) return;
    take_quantized();
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (covered_[i] || is_alias(i)) continue;
      take_chain(i);
    }
  }
  /// Whether an attention is to be expanded. Nothing is fused to one by kernels of the library, so
  /// that this is known before all others are asked.
  bool refuses_attention() {
    if (!to_expand_ || !of_library_) return false;
    for (std::size_t i = 0; i < graph_.size(); ++i)
      if (as<fused::attention>(node(i))) choose({i}, 1);
    return !to_expand_->empty();
  }
  /// The chain from there on, or as much of it as a kernel does.
  void take_chain(std::size_t i) {
    const std::vector<std::size_t> places = chain_from(i);
    std::optional<Choice> choice = choose(places, 1);
    if (choice && choice->chain.size() == 1) note_small_weights(places);
    if (choice) take(places, std::move(*choice));
    else covered_[i] = true;
  }
  std::vector<Choice> chosen() {
    std::sort(chosen_.begin(), chosen_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Choice> all;
    all.reserve(chosen_.size());
    for (auto& [place, choice] : chosen_) all.push_back(std::move(choice));
    return all;
  }

  struct ReaderCount {
    std::size_t count = 0, node = 0;
    bool is_output = false;

    /// So many operators, and nobody else.
    bool only(std::size_t n) const { return count == n && !is_output; }
  };

  void take(const std::vector<std::size_t>& places, Choice choice) {
    const std::size_t length = choice.chain.size(), last = places[length - 1];
    for (std::size_t k = 0; k < length; ++k) covered_[places[k]] = true;  // reshapes too
    if (observer_) observer_(choice, last + 1);
    chosen_.emplace_back(last, std::move(choice));
  }

  /// Operators on integers, each with as much of what follows as a kernel does.
  void take_quantized() {
    for (std::size_t i = 0; i < graph_.size(); ++i)
      if (!covered_[i] && as<fused::quantizedOperator>(node(i))) take_chain(i);
  }

  /// A quantized operator that no backend supports, and why.
  void note_quantized(const Node& node, const std::vector<std::string>& reasons) {
    if (as<fused::quantizedOperator>(node))
      quantized_in_float32_.push_back(std::string(operator_name(node)) + in_parentheses(reasons));
  }

  /// Small weights that no backend reads, and why, if the chain begins with them.
  void note_small_weights(const std::vector<std::size_t>& places) {
    if (recorded_ || places.size() < 2) return;
    const std::size_t first = expanding_operators(nodes_at(places));
    if (first == 0) return;
    const Node& reader = node(places[first]);
    const MLOperand* weights = small_weights_operand(reader);
    if (weights && weights->is(node(places[first - 1]).output()))
      small_in_float32_.push_back(std::string(reader.name()) + " with small weights" +
                                  in_parentheses(first == 1 ? reasons_of_two_ : reasons_of_three_));
  }

  const Node& node(std::size_t i) const { return nodes_[i]; }

  void count_reads() {
    operand_counts_.resize(graph_.size());
    std::vector<const MLOperand*> operands;
    for (std::size_t i = graph_.size(); i-- > 0;) {
      operands.clear();
      append_operands(node(i).kind(), node(i).op(), operands);
      operand_counts_[i] = operands.size();
      for (const MLOperand* x : operands) {
        ReaderCount& r = reads_[x->record().id];
        ++r.count;
        r.node = i;
      }
    }
  }

  bool is_alias(std::size_t i) const { return aliases_[i]; }
  bool makes_aliases(std::size_t i) const {
    if (computed_in_outputs_[i]) return true;
    const Node& node = this->node(i);
    for (const MLOperand& x : node.outputs())
      if (reads_[x.record().id].is_output) return false;  // the caller's memory has to be written
    return !aliases_of(node).empty();
  }

  std::vector<std::size_t> chain_from(std::size_t i) const {
    std::vector<std::size_t> places{i};
    if (!small_weights_ && expands_small_weights(node(i))) return places;
    const bool quantized = as<fused::quantizedOperator>(node(i)) != nullptr;
    while (places.size() < longest_chain) {
      const Node& last = node(places.back());
      if (last.outputs().size() != 1) break;
      if (quantized && last.output().dataType() != float32) break;
      const ReaderCount& r = reads_[last.output().record().id];
      if (!r.only(1) || covered_[r.node]) break;
      if (operand_counts_[r.node] > max_operands) break;
      if (is_alias(r.node) && !node(r.node).as<ops::reshape>()) break;
      places.push_back(r.node);
    }
    while (is_alias(places.back())) places.pop_back();
    return places;
  }

  /// The choice for another graph, in which all that backends are offered is the same. One that
  /// decides what becomes of the graph is made again, and a kernel that keeps state has one graph.
  const Choice* known(const std::vector<std::size_t>& places) const {
    const Choice* c = known_ && of_library_ ? known_->at[places.front()] : nullptr;
    if (!c || c->followers != places.size() || c->kernel->exclusive || c->tuned) return nullptr;
    for (const std::size_t i : std::span(places).first(c->offered))
      if (known_->changed[i] || dequantizes_constants(node(i)) || expands_small_weights(node(i)))
        return nullptr;
    return c;
  }

  /// The choice of another graph, which this one may outlive.
  Choice of_this_graph(Choice choice, const std::vector<std::size_t>& places) const {
    const std::size_t length = choice.chain.size();
    choice.chain = nodes_at(places);
    choice.chain.erase(choice.chain.begin() + static_cast<std::ptrdiff_t>(length),
                       choice.chain.end());
    choice.known_inputs = nullptr;
    return choice;
  }

  /// A choice for the whole chain, else for what is left when its end is cut off, but no shorter
  /// than that.
  std::optional<Choice> choose(const std::vector<std::size_t>& places, std::size_t shortest) {
    if (const Choice* same = known(places)) return of_this_graph(*same, places);
    std::vector<std::string>& reasons = reasons_;
    reasons.assign(backends_.size(), {});
    if (recorded_) return choose_again(places, shortest);
    std::vector<Node> chain = nodes_at(places);
    if (of_library_)
      chain.erase(chain.begin() + static_cast<std::ptrdiff_t>(longest_in_library(chain)),
                  chain.end());
    std::optional<Choice> fallback;
    std::vector<std::string> reasons_of_whole;  // where the result is quantized
    for (std::size_t length = chain.size(); length >= shortest; --length) {
      if (length > 1 && is_alias(places[length - 1])) continue;  // runs by itself, costs nothing
      for (std::size_t b = 0; b < backends_.size(); ++b) {
        const Chain part = Chain(chain).first(length);
        Lowering lowering = lower_checked(*backends_[b], part);
        if (auto* refusal = std::get_if<Refusal>(&lowering)) {
          reasons[b] = std::move(refusal->reason);
          continue;
        }
        Candidate& kernel = std::get<Candidate>(lowering);
        const bool preferred = kernel.fallback_reason.empty();
        reasons[b] = kernel.fallback_reason;
        if (!preferred && fallback) continue;
        if (preferred && wanted_before(part, b)) return std::nullopt;
        Choice c{
            {part.begin(), part.end()}, std::move(kernel), std::string(backends_[b]->name()), {}};
        c.followers = places.size();
        c.offered = chain.size();
        if (preferred) return explained(std::move(c), reasons, b);
        fallback = std::move(c);
      }
      if (length == 2) reasons_of_two_ = reasons;
      if (length == 3) reasons_of_three_ = reasons;
      if (chain[length - 1].as<ops::quantizeLinear>()) reasons_of_whole = reasons;
    }
    if (shortest == 1 && to_expand_ && is_fused(chain.front().kind())) {
      to_expand_->push_back(places.front());
      note_quantized(chain.front(), reasons_of_whole.empty() ? reasons : reasons_of_whole);
      return std::nullopt;
    }
    std::string own_reason;
    if (shortest == 1 && is_custom(chain.front().kind()))
      if (auto own = own_kernel(chain.front(), own_reason); own && !(fallback && is_fallback(*own)))
        return explained(std::move(*own), reasons, backends_.size());
    if (fallback) return explained(std::move(*fallback), reasons, backends_.size());
    if (!own_reason.empty())
      failures_.push_back(name_and_label(chain.front()) + " (" + own_reason + ')');
    else if (shortest == 1) failures_.push_back(refused(chain.front(), reasons));
    return std::nullopt;
  }

  /// Whether a backend that is asked before backend b, and does not know fused operators, runs the
  /// whole composition of one in the chain. That one is to be expanded.
  bool wanted_before(Chain chain, std::size_t b) {
    if (!to_expand_) return false;
    const std::size_t before = to_expand_->size();
    for (const Node& node : chain)
      for (std::size_t earlier = 0; earlier < b && is_fused(node.kind()); ++earlier)
        if (!knows_fused(*backends_[earlier]) && compositions_.runs(*backends_[earlier], node)) {
          to_expand_->push_back(node.output().record().producer);
          break;
        }
    return to_expand_->size() != before;
  }

  static bool is_fallback(const Choice& c) { return !c.kernel->fallback_reason.empty(); }
  /// The kernel that a custom operator brings, or the reason why it has none.
  static std::optional<Choice> own_kernel(const Node& node, std::string& reason) {
    Lowering lowering = lower_custom_checked(node);
    if (auto* refusal = std::get_if<Refusal>(&lowering)) {
      reason = std::move(refusal->reason);
      return std::nullopt;
    }
    return Choice{
        {node}, std::get<Candidate>(std::move(lowering)), std::string(custom_backend), {}};
  }

  std::vector<Node> nodes_at(const std::vector<std::size_t>& places) const {
    std::vector<Node> chain;
    chain.reserve(places.size());
    for (std::size_t i : places) chain.push_back(node(i));
    return chain;
  }

  /// The recorded choice for the whole chain, or for a beginning of it.
  std::optional<Choice> choose_again(const std::vector<std::size_t>& places, std::size_t shortest) {
    for (std::size_t length = places.size(); length >= shortest; --length) {
      if (length > 1 && is_alias(places[length - 1])) continue;
      const auto found = recorded_->find(places[length - 1]);
      if (found == recorded_->end()) continue;
      if (std::ranges::equal(found->second->places, std::span(places).first(length)))
        return restored(*found->second);
    }
    if (shortest == 1) failures_.push_back(name_and_label(node(places.front())) + " has no kernel");
    return std::nullopt;
  }
  std::optional<Choice> restored(const RecordedChoice& r) {
    ++restored_;
    std::vector<Node> chain = nodes_at(r.places);
    const auto backend = std::find_if(backends_.begin(), backends_.end(),
                                      [&](const auto& b) { return b->name() == r.backend; });
    const bool own = r.backend == custom_backend && is_custom(chain.front().kind());
    Lowering lowering = own && chain.size() == 1 ? lower_custom_checked(chain.front())
                        : backend == backends_.end()
                            ? Lowering(Refusal{"there is no backend " + in_quotes(r.backend)})
                            : lower_checked(**backend, chain);
    if (const auto* refusal = std::get_if<Refusal>(&lowering)) {
      failures_.push_back(name_and_label(chain.front()) + " (" + refusal->reason + ')');
      return std::nullopt;
    }
    return Choice{std::move(chain), std::get<Candidate>(std::move(lowering)), r.backend, r.others};
  }

  Choice explained(Choice c, const std::vector<std::string>& reasons, std::size_t asked) const {
    for (std::size_t b = 0; b < backends_.size(); ++b) {
      const std::string name(backends_[b]->name());
      if (name == c.backend) continue;
      c.others.push_back(name + ": " + (b > asked ? "later in the order" : reasons[b]));
    }
    return c;
  }

  std::string refused(const Node& node, const std::vector<std::string>& reasons) const {
    return name_and_label(node) + in_parentheses(reasons);
  }
  std::string in_parentheses(const std::vector<std::string>& reasons) const {
    return webnn::in_parentheses(backends_, reasons);
  }

  [[noreturn]] void raise_failures() const {
    std::string s = "no backend supports " + failures_.front();
    for (std::size_t i = 1; i < failures_.size(); ++i) s += ", nor " + failures_[i];
    raise({std::move(s), ErrorName::OperationError}, "build");
  }

  const Graph& graph_;
  std::vector<Node> nodes_{};
  Backends backends_;
  const ChoiceObserver& observer_;
  bool small_weights_;
  bool of_library_ = false;              // all backends are
  std::vector<std::size_t>* to_expand_;  // fused operators, by their places
  const KnownChoices* const known_;
  Compositions compositions_;
  const Recorded* recorded_ = nullptr;
  std::size_t restored_ = 0;
  std::vector<ReaderCount> reads_;
  std::vector<std::size_t> operand_counts_{};  // by operator
  std::vector<bool> computed_in_outputs_;
  std::vector<bool> aliases_{};  // by operator
  std::vector<bool> covered_;
  std::vector<std::pair<std::size_t, Choice>> chosen_;  // by the last place
  std::vector<std::string> reasons_;  // each backend's, for the chain that was asked last
  // For the last chain of two operators, and of three.
  std::vector<std::string> reasons_of_two_, reasons_of_three_;
  std::vector<std::string> failures_, quantized_in_float32_, small_in_float32_;
};

}  // namespace

std::string refused_quantized(const Node& node, Backends backends) {
  std::vector<std::string> reasons;
  for (const auto& backend : backends) {
    const Lowering lowering = lower_checked(*backend, std::span(&node, 1));
    const auto* refusal = std::get_if<Refusal>(&lowering);
    reasons.push_back(refusal ? refusal->reason : "");
  }
  return std::string(operator_name(node)) + in_parentheses(backends, reasons);
}

std::vector<Choice> choose(const Graph& graph,
                           std::span<const std::shared_ptr<const Backend>> backends,
                           std::vector<std::string>* refused, const ChoiceObserver& chosen,
                           bool small_weights, std::vector<std::size_t>* to_expand,
                           const KnownChoices* known) {
  Cover cover(graph, backends, chosen, small_weights, to_expand, known);
  std::vector<Choice> choices = cover.run();
  if (refused)
    for (std::string& failure : cover.failures_in_float32()) refused->push_back(std::move(failure));
  return choices;
}

Result<std::vector<Choice>> choose_again(const Graph& graph,
                                         std::span<const std::shared_ptr<const Backend>> backends,
                                         std::span<const RecordedChoice> recorded,
                                         bool small_weights) {
  Cover::Recorded by_place;
  for (const RecordedChoice& r : recorded)
    if (r.places.empty() || !by_place.emplace(r.places.back(), &r).second)
      return fail("an operator has two kernels");
  const ChoiceObserver none;
  return Cover(graph, backends, none, small_weights).run_again(by_place);
}

}  // namespace webnn::inline v0_1
