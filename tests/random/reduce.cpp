#include "tests/random/reduce.h"

#include <cmath>
#include <set>

namespace webnn::inline v0_1::test {
namespace {

class Reducer {
 public:
  Reducer(Comparison& comparison, const Case& c, Mismatch& mismatch)
      : comparison_(comparison), case_(c), mismatch_(mismatch) {}

  Case run() {
    for (std::size_t before = 0; before != accepted_ + 1 && attempts_ > 0;) {
      before = accepted_ + 1;
      keep_one_output();
      cut_operands();
      bypass_operators();
      simplify_operators();
      shrink_dimensions();
      simplify_values();
    }
    return case_;
  }

 private:
  bool try_edit(const Edit& edit) {
    if (attempts_ == 0) return false;
    --attempts_;
    const auto smaller = rebuilt(comparison_, case_, edit);
    if (!smaller) return false;
    const auto mismatch = comparison_.check(*smaller, mismatch_.variant);
    if (!mismatch) return false;
    case_ = *smaller;
    mismatch_ = *mismatch;
    ++accepted_;
    return true;
  }

  void keep_one_output() {
    for (std::size_t i = 0; case_.graph.outputs().size() > 1 && i < case_.graph.outputs().size();
         ++i)
      if (try_edit({.outputs = {i}})) return;
    for (std::size_t i = case_.graph.outputs().size();
         case_.graph.outputs().size() > 1 && i-- > 0;) {
      Edit edit;
      for (std::size_t k = 0; k < case_.graph.outputs().size(); ++k)
        if (k != i) edit.outputs.push_back(k);
      try_edit(edit);
    }
  }

  /// Results become inputs, those near the outputs first.
  void cut_operands() {
    for (std::size_t i = case_.graph.size(); i-- > 0;) {
      if (i >= case_.graph.size()) continue;
      const Node node = case_.graph.node(i);
      Edit edit;
      try {
        const Oracle oracle(case_.graph, case_.inputs, Rounding::documented);
        for (const MLOperand& y : node.outputs()) edit.cut[y.record().id] = oracle.value(y);
      } catch (const std::exception&) { return; }
      if (try_edit(edit)) i = std::min(i + 1, case_.graph.size());
    }
  }

  void bypass_operators() {
    for (std::size_t i = case_.graph.size(); i-- > 0;) {
      if (i >= case_.graph.size()) continue;
      const Node node = case_.graph.node(i);
      if (node.outputs().size() != 1) continue;
      const auto inputs = node.inputs();
      for (std::size_t k = 0; k < inputs.size(); ++k)
        if (inputs[k].descriptor() == node.output().descriptor() &&
            try_edit({.bypassed = i, .bypass = k}))
          break;
    }
  }

  void simplify_operators() {
    constexpr std::size_t most_rows = 16;
    for (std::size_t i = 0; i < case_.graph.size(); ++i)
      for (std::size_t row = 0; row < most_rows && i < case_.graph.size(); ++row) {
        const Node node = case_.graph.node(i);
        if (node.attributes().empty() && node.named_inputs().size() < 2) break;
        const std::string before = to_text(case_.graph);
        const auto simpler = rebuilt(comparison_, case_, {.simplified = i, .row = row});
        if (simpler && to_text(simpler->graph) != before) try_edit({.simplified = i, .row = row});
      }
  }

  void shrink_dimensions() {
    std::set<std::uint32_t> sizes;
    for (std::size_t i = 0; i < case_.graph.operand_count(); ++i)
      for (std::uint32_t d : Dims(case_.graph.operand(static_cast<std::uint32_t>(i)).shape()))
        if (d > 1) sizes.insert(d);
    for (auto d = sizes.rbegin(); d != sizes.rend(); ++d)
      for (std::uint32_t to : {1u, 2u, *d / 2, *d - 1})
        if (to >= 1 && to < *d && try_edit({.from = *d, .to = to})) break;
  }

  void simplify_values() {
    for (std::uint32_t id = 0; id < case_.graph.operand_count(); ++id) {
      const MLOperand x = case_.graph.operand(id);
      if (x.record().kind == OperandKind::result) continue;
      const Tensor old = values_of(case_, x);
      const auto with = [&](const std::function<double(double)>& f, std::size_t begin,
                            std::size_t end) {
        const MLOperand now = case_.graph.operand(id);
        Tensor t = values_of(case_, now);
        bool differs = false;
        for (std::size_t i = begin; i < end; ++i) {
          const double v = f(t[i]);
          if (v == t[i] || (std::isnan(v) && std::isnan(t[i]))) continue;
          differs = true;
          t.set(i, v);
        }
        return differs && try_edit({.values = {{id, t}}});
      };
      const std::size_t n = old.size();
      if (with([](double) { return 0.0; }, 0, n)) continue;
      if (with([](double) { return 1.0; }, 0, n)) continue;
      if (is_float(old.type)) {
        with([](double v) { return std::nearbyint(v); }, 0, n) ||
            with([](double v) { return std::nearbyint(v * 8) / 8; }, 0, n);
      }
      for (std::size_t part = (n + 1) / 2; part > 0; part = part == 1 ? 0 : (part + 1) / 2)
        for (std::size_t i = 0; i < n && n <= 512; i += part)
          with([](double) { return 0.0; }, i, std::min(n, i + part));
    }
  }

  Comparison& comparison_;
  Case case_;
  Mismatch& mismatch_;
  std::size_t attempts_ = 3000, accepted_ = 0;
};

}  // namespace

Case reduced(Comparison& comparison, const Case& c, Mismatch& mismatch) {
  return Reducer(comparison, c, mismatch).run();
}

}  // namespace webnn::inline v0_1::test
