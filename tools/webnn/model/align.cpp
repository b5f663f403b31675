#include "tools/webnn/model/align.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "src/graph/traits.h"
#include "src/kernels/common/checksum.h"
#include "tools/webnn/common/output.h"

namespace webnn::inline v0_1::tool {
namespace {

/// Numbers for what operands stand for: those of two graphs with one number are computed in the
/// same way from the same inputs and, unless their elements are not looked at, the same constants.
class Computations {
 public:
  explicit Computations(bool with_elements) : with_elements_(with_elements) {}

  /// By operand. `input_place` is that of an input among the inputs of the first graph.
  template <class Place> std::vector<std::size_t> of(const Graph& g, Place input_place) {
    std::vector<std::size_t> all(g.operand_count());
    for (std::size_t i = 0; i < g.inputs().size(); ++i) {
      const MLOperand& x = g.inputs()[i].operand;
      all[x.record().id] =
          number(fmt::format("input {} {}", input_place(i), type_text(x.descriptor())));
    }
    for (std::size_t i = 0; i < g.operand_count(); ++i)
      if (const MLOperand x = g.operand(i); x.constant()) all[i] = number(constant_text(x));
    for (std::size_t i = 0; i < g.size(); ++i) {
      const Node node = g.node(i);
      const std::string text = text_of(node, all);
      for (std::size_t k = 0; k < node.outputs().size(); ++k)
        all[node.output(k).record().id] =
            number(fmt::format("{} result {} {}", text, k, type_text(node.output(k).descriptor())));
    }
    return all;
  }

 private:
  std::size_t number(std::string text) {
    return numbers_.emplace(std::move(text), numbers_.size()).first->second;
  }
  std::string constant_text(const MLOperand& x) const {
    std::string s = "constant " + type_text(x.descriptor());
    if (with_elements_) s += fmt::format(" {:x}", checksum_of(x.constant()->bytes()));
    return s;
  }
  static std::string text_of(const Node& node, const std::vector<std::size_t>& numbers) {
    std::string s(node.name());
    for (const auto& [name, value] : node.attributes()) s += fmt::format(" {}={}", name, value);
    for (const auto& [name, x] : node.named_inputs())
      s += fmt::format(" {}:{}", name, numbers[x.record().id]);
    return s;
  }

  bool with_elements_;
  std::unordered_map<std::string, std::size_t> numbers_{};
};

/// Pairs the results that are in no pair yet.
class Pairing {
 public:
  Pairing(const Graph& a, const Graph& b)
      : a_(a), b_(b), paired_a_(a.operand_count()), paired_b_(b.operand_count()) {}

  void add(bool same_constants) {
    Computations computations(same_constants);
    const auto of_a = computations.of(a_, [](std::size_t i) { return i; });
    const auto of_b = computations.of(b_, [&](std::size_t i) { return place_in_a(i); });
    std::map<std::size_t, std::vector<std::pair<std::size_t, std::size_t>>> open;  // last first
    for (std::size_t k = b_.size(); k-- > 0;) {
      const Node node = b_.node(k);
      for (std::size_t output = node.outputs().size(); output-- > 0;)
        if (const auto id = node.output(output).record().id; !paired_b_[id])
          open[of_b[id]].emplace_back(k, output);
    }
    for (std::size_t i = 0; i < a_.size(); ++i) {
      const Node node = a_.node(i);
      for (std::size_t output = 0; output < node.outputs().size(); ++output) {
        const auto id = node.output(output).record().id;
        const auto found = paired_a_[id] ? open.end() : open.find(of_a[id]);
        if (found == open.end() || found->second.empty()) continue;
        const std::size_t k = found->second.back().first;
        found->second.pop_back();
        paired_a_[id] = paired_b_[b_.node(k).output(output).record().id] = true;
        pairs_.push_back({i, k, output, same_constants});
      }
    }
  }
  std::vector<Pair> finish() {
    std::stable_sort(pairs_.begin(), pairs_.end(), [](const Pair& x, const Pair& y) {
      return std::pair(x.node_a, x.output) < std::pair(y.node_a, y.output);
    });
    return std::move(pairs_);
  }

 private:
  std::size_t place_in_a(std::size_t place) const {
    for (std::size_t i = 0; i < a_.inputs().size(); ++i)
      if (a_.inputs()[i].name == b_.inputs()[place].name) return i;
    return place;
  }

  const Graph &a_, &b_;
  std::vector<bool> paired_a_, paired_b_;  // by operand
  std::vector<Pair> pairs_{};
};

bool alike(const Node& a, const Node& b) {
  if (a.kind() != b.kind() || a.outputs().size() != b.outputs().size() ||
      a.attributes() != b.attributes())
    return false;
  for (std::size_t k = 0; k < a.outputs().size(); ++k)
    if (a.output(k).descriptor() != b.output(k).descriptor()) return false;
  return true;
}

/// Beyond this the middle of two graphs is not compared: 256 MB of lengths.
constexpr std::size_t max_cells = std::size_t{1} << 26;

class Aligner {
 public:
  Aligner(const Graph& a, const Graph& b) : a_(a), b_(b) {}

  std::vector<Pair> run() {
    std::size_t begin = 0, end_a = a_.size(), end_b = b_.size();
    while (begin < end_a && begin < end_b && same(begin, begin)) {
      add(begin, begin);
      ++begin;
    }
    std::vector<std::pair<std::size_t, std::size_t>> tail;
    while (end_a > begin && end_b > begin && same(end_a - 1, end_b - 1))
      tail.emplace_back(--end_a, --end_b);
    middle(begin, end_a, end_b);
    std::reverse(tail.begin(), tail.end());
    for (const auto& [i, k] : tail) add(i, k);
    return pairs_;
  }

 private:
  bool same(std::size_t i, std::size_t k) const { return alike(a_.node(i), b_.node(k)); }
  void add(std::size_t i, std::size_t k) {
    const Node node = a_.node(i);
    for (std::size_t output = 0; output < node.outputs().size(); ++output)
      pairs_.push_back({i, k, output});
  }
  /// The longest common sequence, from the lengths of those of all suffixes.
  void middle(std::size_t begin, std::size_t end_a, std::size_t end_b) {
    const std::size_t rows = end_a - begin, columns = end_b - begin;
    if (rows == 0 || columns == 0 || rows > max_cells / (columns + 1)) return;
    std::vector<std::uint32_t> length((rows + 1) * (columns + 1));
    const auto at = [&](std::size_t i, std::size_t k) -> std::uint32_t& {
      return length[i * (columns + 1) + k];
    };
    for (std::size_t i = rows; i-- > 0;)
      for (std::size_t k = columns; k-- > 0;)
        at(i, k) = same(begin + i, begin + k) ? at(i + 1, k + 1) + 1
                                              : std::max(at(i + 1, k), at(i, k + 1));
    for (std::size_t i = 0, k = 0; i < rows && k < columns;) {
      if (same(begin + i, begin + k)) {
        add(begin + i, begin + k);
        ++i;
        ++k;
      } else if (at(i + 1, k) >= at(i, k + 1)) {
        ++i;
      } else {
        ++k;
      }
    }
  }

  const Graph &a_, &b_;
  std::vector<Pair> pairs_;
};

/// What integer kernels do on the way to quantizeLinear.
bool is_activation(const Node& n) {
  return traits_of(n).activation || n.as<ops::identity>() || n.as<ops::reshape>() ||
         n.as<ops::transpose>();
}

}  // namespace

std::vector<Pair> align(const Graph& a, const Graph& b) {
  Pairing pairing(a, b);
  pairing.add(true);
  pairing.add(false);
  return pairing.finish();
}

std::vector<Pair> align_quantized(const Graph& a, const Graph& b) { return Aligner(a, b).run(); }

std::vector<bool> observable(const Graph& graph) {
  std::vector<bool> visible(graph.operand_count(), true);
  std::vector<std::size_t> readers(graph.operand_count()), hidden_readers(graph.operand_count());
  for (std::size_t i = 0; i < graph.size(); ++i)
    for (const MLOperand& x : graph.node(i).inputs()) ++readers[x.record().id];
  for (const auto& [name, x] : graph.outputs()) ++readers[x.record().id];
  for (std::size_t i = graph.size(); i-- > 0;) {  // readers before what they read
    const Node node = graph.node(i);
    bool hides = node.as<ops::quantizeLinear>() != nullptr;
    for (const MLOperand& y : node.outputs()) {
      const auto id = y.record().id;
      if (node.as<ops::dequantizeLinear>()) visible[id] = false;
      else if (readers[id] > 0 && hidden_readers[id] == readers[id]) visible[id] = false;
    }
    hides = hides || (is_activation(node) && !visible[node.output().record().id]);
    if (!hides) continue;
    for (const MLOperand& x : node.inputs()) ++hidden_readers[x.record().id];
  }
  for (const auto& [name, x] : graph.outputs()) visible[x.record().id] = true;
  return visible;
}

}  // namespace webnn::inline v0_1::tool
