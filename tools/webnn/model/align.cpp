#include "tools/webnn/model/align.h"

#include <algorithm>

#include "src/graph/traits.h"

namespace webnn::inline v0_1::tool {
namespace {

bool alike(const Node& a, const Node& b) {
  if (a.kind() != b.kind() || a.outputs().size() != b.outputs().size()) return false;
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

std::vector<Pair> align(const Graph& a, const Graph& b) { return Aligner(a, b).run(); }

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
