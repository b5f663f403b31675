#include "src/lm/grammar/automaton.h"

#include <algorithm>
#include <array>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm {
namespace {

constexpr std::size_t max_nodes = 400'000, max_edges = 2'000'000;
using Id = std::uint32_t;

[[noreturn]] void refuse_size() {
  raise(fail("it is too large: with all repetitions it has more than {} parts", max_nodes),
        "grammar");
}

/// Automata with edges that read nothing.
class Parts {
 public:
  struct Node {
    std::vector<Automaton::ByteEdge> bytes{};
    std::vector<Automaton::Call> calls{};
    std::vector<Id> empty{};
  };

  explicit Parts(const std::bitset<256>& bytes) : bytes_(bytes) {}

  Id add() {
    if (nodes.size() == max_nodes) refuse_size();
    nodes.emplace_back();
    return static_cast<Id>(nodes.size() - 1);
  }
  /// From one node to the other.
  void put(const Expression& e, Id from, Id to) {
    switch (e.kind) {
      case Expression::Kind::text: return put_text(e.text, from, to);
      case Expression::Kind::characters:
        for (const CharacterRange& r : e.ranges) put_range(r, from, to);
        return;
      case Expression::Kind::rule: return nodes[from].calls.push_back({e.rule, to});
      case Expression::Kind::choice:
        for (const Expression& part : e.parts) {
          const Id begin = add();
          nodes[from].empty.push_back(begin);
          put(part, begin, to);
        }
        return;
      case Expression::Kind::sequence: {
        for (const Expression& part : e.parts) {
          const Id next = add();
          put(part, from, next);
          from = next;
        }
        nodes[from].empty.push_back(to);
        return;
      }
      case Expression::Kind::repeat: return put_repeat(e, from, to);
    }
  }

  std::vector<Node> nodes{};

 private:
  void put_text(std::string_view text, Id from, Id to) {
    for (const char c : text) {
      const auto byte = static_cast<std::uint8_t>(c);
      const Id next = add();
      put_bytes(from, byte, byte, next);
      from = next;
    }
    nodes[from].empty.push_back(to);
  }
  void put_repeat(const Expression& e, Id from, Id to) {
    const Expression& part = e.parts.front();
    for (std::uint32_t i = 0; i < e.least; ++i) {
      const Id next = add();
      put(part, from, next);
      from = next;
    }
    if (e.most == Expression::endless) {
      const Id loop = add(), back = add();
      nodes[from].empty.push_back(loop);
      nodes[loop].empty.push_back(to);
      put(part, loop, back);
      nodes[back].empty.push_back(loop);
      return;
    }
    for (std::uint32_t i = e.least; i < e.most; ++i) {
      const Id next = add();
      nodes[from].empty.push_back(to);
      put(part, from, next);
      from = next;
    }
    nodes[from].empty.push_back(to);
  }
  void put_bytes(Id from, std::uint8_t first, std::uint8_t last, Id to) {
    for (int b = first; b <= last;) {
      const int begin = b;
      while (b <= last && bytes_[static_cast<std::size_t>(b)]) ++b;
      if (b > begin)
        nodes[from].bytes.push_back(
            {static_cast<std::uint8_t>(begin), static_cast<std::uint8_t>(b - 1), to});
      while (b <= last && !bytes_[static_cast<std::size_t>(b)]) ++b;
    }
  }

  /// Ranges of characters whose UTF-8 has the same number of bytes.
  void put_range(const CharacterRange& r, Id from, Id to) {
    constexpr std::array<char32_t, 4> lasts{0x7f, 0x7ff, 0xffff, 0x10ffff};
    char32_t first = r.first;
    for (const char32_t last : lasts) {
      if (first > r.last) return;
      if (first > last) continue;
      std::string low, high;
      append(low, first);
      append(high, std::min(last, r.last));
      put_between(low, high, from, to);
      first = std::min(last, r.last) + 1;
    }
  }
  /// Texts of equal length from `low` to `high` whose bytes after the first are 0x80 to 0xbf.
  void put_between(std::string_view low, std::string_view high, Id from, Id to) {
    const auto a = static_cast<std::uint8_t>(low[0]), b = static_cast<std::uint8_t>(high[0]);
    if (low.size() == 1) return put_bytes(from, a, b, to);
    const std::string_view low_rest = low.substr(1), high_rest = high.substr(1);
    const std::string least(low_rest.size(), '\x80'), most(low_rest.size(), '\xbf');
    const auto through = [&](std::uint8_t first, std::uint8_t last, std::string_view l,
                             std::string_view h) {
      const Id next = add();
      put_bytes(from, first, last, next);
      put_between(l, h, next, to);
    };
    if (a == b) return through(a, b, low_rest, high_rest);
    const bool low_is_least = low_rest == least, high_is_most = high_rest == most;
    if (!low_is_least) through(a, a, low_rest, most);
    const auto begin = static_cast<std::uint8_t>(low_is_least ? a : a + 1);
    const auto end = static_cast<std::uint8_t>(high_is_most ? b : b - 1);
    if (begin <= end) through(begin, end, least, most);
    if (!high_is_most) through(b, b, least, high_rest);
  }

  const std::bitset<256>& bytes_;
};

class Builder {
 public:
  Builder(const GrammarRules& rules, const std::bitset<256>& bytes)
      : rules_(rules), parts_(bytes) {}

  Automaton run() {
    for (const GrammarRule& rule : rules_) {
      const Id from = parts_.add(), to = parts_.add();
      starts_.push_back(from);
      ends_.push_back(to);
      parts_.put(rule.expression, from, to);
    }
    remove_empty_edges();
    find_productive();
    remove_dead();
    check_left_recursion();
    return std::move(a_);
  }

 private:
  void remove_empty_edges() {
    is_end_.resize(parts_.nodes.size());
    for (const Id e : ends_) is_end_[e] = true;
    now_.assign(parts_.nodes.size(), 0);
    for (const Id s : starts_) a_.starts.push_back(place_of(s));
    for (std::size_t i = 0; i < order_.size(); ++i) fill(i);
  }
  Id place_of(Id part) {
    if (now_[part] == 0) {
      order_.push_back(part);
      now_[part] = static_cast<Id>(order_.size());
      a_.nodes.emplace_back();
    }
    return now_[part] - 1;
  }
  void fill(std::size_t i) {
    std::vector<Id> open{order_[i]};
    seen_.resize(parts_.nodes.size());
    Automaton::Node node;
    for (std::size_t k = 0; k < open.size(); ++k) {
      const Parts::Node& part = parts_.nodes[open[k]];
      node.is_final = node.is_final || is_end_[open[k]];
      for (const auto& e : part.bytes) node.bytes.push_back({e.first, e.last, place_of(e.to)});
      for (const auto& c : part.calls) node.calls.push_back({c.rule, place_of(c.to)});
      for (const Id next : part.empty)
        if (seen_[next] != i + 1) seen_[next] = i + 1, open.push_back(next);
    }
    edges_ += node.bytes.size() + node.calls.size() + open.size();
    if (edges_ > max_edges) refuse_size();
    a_.nodes[i] = std::move(node);
  }

  /// Nodes that lead to the end of their rule, and rules that accept a text.
  void find_productive() {
    struct Edge {
      Id from, rule;
    };
    constexpr Id no_rule = 0xffff'ffff;
    std::vector<std::vector<Edge>> to(a_.nodes.size());
    std::vector<std::vector<std::pair<Id, Id>>> calls(rules_.size());  // from, to
    for (Id i = 0; i < a_.nodes.size(); ++i) {
      for (const auto& e : a_.nodes[i].bytes) to[e.to].push_back({i, no_rule});
      for (const auto& c : a_.nodes[i].calls) {
        to[c.to].push_back({i, c.rule});
        calls[c.rule].emplace_back(i, c.to);
      }
    }
    std::vector<std::vector<Id>> rules_at(a_.nodes.size());  // that begin at a node
    for (Id r = 0; r < rules_.size(); ++r) rules_at[a_.starts[r]].push_back(r);
    leads_.assign(a_.nodes.size(), false);
    accepts_.assign(rules_.size(), false);
    std::vector<Id> open;
    const auto mark = [&](Id node) {
      if (!leads_[node]) leads_[node] = true, open.push_back(node);
    };
    for (Id i = 0; i < a_.nodes.size(); ++i)
      if (a_.nodes[i].is_final) mark(i);
    while (!open.empty()) {
      const Id node = open.back();
      open.pop_back();
      for (const Edge& e : to[node])
        if (e.rule == no_rule || accepts_[e.rule]) mark(e.from);
      for (const Id r : rules_at[node]) {
        if (accepts_[r]) continue;
        accepts_[r] = true;
        for (const auto& [from, after] : calls[r])
          if (leads_[after]) mark(from);
      }
    }
    if (!accepts_[0])
      raise(fail("it accepts no text: rule {} never ends, or needs bytes that no token has",
                 in_quotes(rules_[0].name)),
            "grammar");
  }
  void remove_dead() {
    for (Automaton::Node& n : a_.nodes) {
      std::erase_if(n.bytes, [&](const auto& e) { return !leads_[e.to]; });
      std::erase_if(n.calls, [&](const auto& c) { return !leads_[c.to] || !accepts_[c.rule]; });
    }
  }

  void check_left_recursion() {
    find_nullable();
    std::vector<std::vector<Id>> begins(rules_.size());  // rules that a rule may begin with
    for (Id r = 0; r < rules_.size(); ++r)
      if (accepts_[r])
        for_each_first(r, [&](const Automaton::Call& c) { begins[r].push_back(c.rule); });
    std::vector<std::uint8_t> color(rules_.size());  // 1: on the path, 2: done
    for (Id r = 0; r < rules_.size(); ++r) {
      std::vector<std::pair<Id, std::size_t>> path{{r, 0}};
      if (color[r] == 0) color[r] = 1;
      else continue;
      while (!path.empty()) {
        auto& [rule, next] = path.back();
        if (next == begins[rule].size()) {
          color[rule] = 2;
          path.pop_back();
          continue;
        }
        const Id to = begins[rule][next++];
        if (color[to] == 1) refuse_left(path, to);
        if (color[to] == 0) color[to] = 1, path.emplace_back(to, 0);
      }
    }
  }
  [[noreturn]] void refuse_left(const std::vector<std::pair<Id, std::size_t>>& path, Id to) const {
    std::string names;
    bool is_on = false;
    std::size_t count = 0;
    for (const auto& [rule, next] : path) {
      is_on = is_on || rule == to;
      if (is_on && ++count <= 8) names += rules_[rule].name + " -> ";
    }
    if (count > 8) names += "... -> ";
    raise(fail("rule {} begins with itself, which is left recursion: {}",
               in_quotes(rules_[to].name), names + rules_[to].name),
          "grammar");
  }
  /// f(call) for the calls before which a rule may have read nothing.
  template <class F> void for_each_first(Id rule, F f) {
    std::vector<Id> open{a_.starts[rule]};
    if (first_seen_.empty()) first_seen_.assign(a_.nodes.size(), 0xffff'ffff);
    for (std::size_t k = 0; k < open.size(); ++k)
      for (const auto& c : a_.nodes[open[k]].calls) {
        f(c);
        if (nullable_[c.rule] && first_seen_[c.to] != rule)
          first_seen_[c.to] = rule, open.push_back(c.to);
      }
  }
  /// Rules that accept the empty text.
  void find_nullable() {
    nullable_.assign(rules_.size(), false);
    std::vector<bool> empty(a_.nodes.size());  // the end can be reached without a byte
    std::vector<std::vector<std::pair<Id, Id>>> to(a_.nodes.size()), calls(rules_.size());
    for (Id i = 0; i < a_.nodes.size(); ++i)
      for (const auto& c : a_.nodes[i].calls) {
        to[c.to].emplace_back(i, c.rule);
        calls[c.rule].emplace_back(i, c.to);
      }
    std::vector<std::vector<Id>> rules_at(a_.nodes.size());
    for (Id r = 0; r < rules_.size(); ++r) rules_at[a_.starts[r]].push_back(r);
    std::vector<Id> open;
    const auto mark = [&](Id node) {
      if (!empty[node]) empty[node] = true, open.push_back(node);
    };
    for (Id i = 0; i < a_.nodes.size(); ++i)
      if (a_.nodes[i].is_final) mark(i);
    while (!open.empty()) {
      const Id node = open.back();
      open.pop_back();
      for (const auto& [from, rule] : to[node])
        if (nullable_[rule]) mark(from);
      for (const Id r : rules_at[node]) {
        if (nullable_[r]) continue;
        nullable_[r] = true;
        for (const auto& [from, after] : calls[r])
          if (empty[after]) mark(from);
      }
    }
  }

  const GrammarRules& rules_;
  Parts parts_;
  Automaton a_{};
  std::vector<Id> starts_{}, ends_{}, order_{}, now_{}, first_seen_{};
  std::vector<std::size_t> seen_{};
  std::vector<bool> is_end_{}, leads_{}, accepts_{}, nullable_{};
  std::size_t edges_ = 0;
};

}  // namespace

Automaton automaton_of(const GrammarRules& rules, const std::bitset<256>& bytes) {
  return Builder(rules, bytes).run();
}

}  // namespace webnn::inline v0_1::lm
