// The notation GBNF: what it accepts, compared with a recognizer of its own, and what is refused.
#include <algorithm>
#include <chrono>
#include <random>
#include <set>

#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/error.h"
#include "webnn/lm/grammar.h"

namespace webnn::inline v0_1::lm {
namespace {

using test::thrown;

/// A grammar of random form, as text and as something that finds all ends of what it accepts.
class RandomGrammar {
 public:
  explicit RandomGrammar(std::uint32_t seed) : random_(seed) {
    rules_.resize(1 + random_() % 4);
    for (std::size_t i = 0; i < rules_.size(); ++i) rules_[i] = choice(i, 0);
  }
  std::string text() const {
    std::string all;
    for (std::size_t i = 0; i < rules_.size(); ++i)
      all += name(i) + " ::= " + text_of(rules_[i]) + "\n";
    return all;
  }
  bool accepts(std::string_view s) const { return ends(rules_[0], s, 0).contains(s.size()); }

 private:
  struct Part {
    char kind = 's';  // a text, a class, a sequence, a choice, a repetition, a rule
    std::string text{};
    std::vector<Part> parts{};
    std::size_t least = 0, most = 0, rule = 0;
  };
  static constexpr std::size_t endless = 1000;
  static std::string name(std::size_t i) { return i == 0 ? "root" : "r-" + std::to_string(i); }

  Part choice(std::size_t rule, int depth) {
    Part c{.kind = '|'};
    const std::size_t n = 1 + random_() % 3;
    for (std::size_t i = 0; i < n; ++i) {
      Part s{.kind = ','};
      const std::size_t count = 1 + random_() % 3;
      for (std::size_t k = 0; k < count; ++k) s.parts.push_back(part(rule, depth));
      c.parts.push_back(std::move(s));
    }
    return c;
  }
  Part part(std::size_t rule, int depth) {
    Part p;
    switch (random_() % (depth < 2 ? 6 : 3)) {
      case 0:
        p = {.kind = 's', .text = std::string(1, static_cast<char>('a' + random_() % 3))};
        break;
      case 1: p = {.kind = '[', .text = random_() % 2 ? "ab" : "bc"}; break;
      case 2: p = {.kind = 's', .text = random_() % 2 ? "ab" : "ca"}; break;
      case 3: p = choice(rule, depth + 1); break;
      case 4:  // of a later one, or behind a character, so that nothing is left recursive
        if (rule + 1 < rules_.size()) {
          p = {.kind = 'r', .rule = rule + 1 + random_() % (rules_.size() - rule - 1)};
          break;
        }
        [[fallthrough]];
      default: {
        const Part a{.kind = 's', .text = "b"}, b{.kind = 'r', .rule = random_() % rules_.size()};
        p = {.kind = ',', .parts = {a, b}};
      }
    }
    switch (random_() % 6) {
      case 0: return {.kind = '*', .parts = {p}, .least = 0, .most = endless};
      case 1: return {.kind = '*', .parts = {p}, .least = 1, .most = endless};
      case 2: return {.kind = '*', .parts = {p}, .least = 0, .most = 1};
      case 3: return {.kind = '*', .parts = {p}, .least = 1, .most = 2};
      default: return p;
    }
  }
  static std::string text_of(const Part& p) {
    std::string s;
    switch (p.kind) {
      case 's': return '"' + p.text + '"';
      case '[': return '[' + p.text.substr(0, 1) + '-' + p.text.substr(1) + ']';
      case 'r': return name(p.rule);
      case '*':
        s = '(' + text_of(p.parts[0]) + ')';
        if (p.most == endless) return s + (p.least == 0 ? "*" : "+");
        return s + (p.most == 1 ? "?" : "{1,2}");
      default:
        for (const Part& x : p.parts)
          s += (s.empty() ? "" : p.kind == '|' ? " | " : " ") + text_of(x);
        return '(' + s + ')';
    }
  }
  using Ends = std::set<std::size_t>;
  Ends ends(const Part& p, std::string_view s, std::size_t at) const {
    Ends all;
    switch (p.kind) {
      case 's':
        if (s.substr(at).starts_with(p.text)) all.insert(at + p.text.size());
        return all;
      case '[':
        if (at < s.size() && s[at] >= p.text[0] && s[at] <= p.text[1]) all.insert(at + 1);
        return all;
      case 'r': return ends(rules_[p.rule], s, at);
      case '|':
        for (const Part& x : p.parts) all.merge(ends(x, s, at));
        return all;
      case ',':
        all = {at};
        for (const Part& x : p.parts) {
          Ends next;
          for (const std::size_t from : all) next.merge(ends(x, s, from));
          all = std::move(next);
        }
        return all;
      default: {
        Ends now{at};
        if (p.least == 0) all = now;
        for (std::size_t i = 1; i <= p.most && !now.empty(); ++i) {
          Ends next;
          for (const std::size_t from : now) next.merge(ends(p.parts[0], s, from));
          const std::size_t before = all.size();
          if (i >= p.least) all.insert(next.begin(), next.end());
          if (p.most == endless && i > p.least && all.size() == before) break;
          now = std::move(next);
        }
        return all;
      }
    }
  }

  std::mt19937 random_;
  std::vector<Part> rules_{};
};

std::vector<std::string> words(std::size_t longest) {
  std::vector<std::string> all{""};
  for (std::size_t begin = 0, n = 0; n < longest; ++n) {
    const std::size_t end = all.size();
    for (; begin < end; ++begin)
      for (const char c : {'a', 'b', 'c'}) all.push_back(all[begin] + c);
  }
  return all;
}

std::string refusal(const std::string& grammar) {
  return thrown([&] { Grammar::from_gbnf(grammar); });
}

}  // namespace

TEST_CASE("grammar: random ones accept what another recognizer accepts") {
  const std::vector<std::string> all = words(6);
  std::size_t accepted = 0, grammars = 0;
  for (std::uint32_t seed = 1; seed <= 150; ++seed) {
    const RandomGrammar random(seed);
    INFO(random.text());
    std::optional<Grammar> grammar;
    try {
      grammar = Grammar::from_gbnf(random.text());
    } catch (const TypeError& e) {
      // Rules may never end, or call others with nothing before them.
      const std::string what = e.what();
      CHECK((what.find("left recursion") != std::string::npos ||
             what.find("it accepts no text") != std::string::npos));
      if (what.find("it accepts no text") != std::string::npos)
        for (std::size_t i = 0; i < 40; ++i) CHECK(!random.accepts(all[i]));
      continue;
    }
    try {
      for (const std::string& w : all) grammar->accepts(w);
    } catch (const OperationError&) { continue; }  // too many ways to read a word
    ++grammars;
    std::set<std::string> beginnings;
    for (const std::string& w : all) {
      const bool is = random.accepts(w);
      if (grammar->accepts(w) != is) FAIL_CHECK("differs at " << w);
      accepted += is;
      for (std::size_t n = 0; is && n <= w.size(); ++n) beginnings.insert(w.substr(0, n));
    }
    for (const std::string& b : beginnings) CHECK(grammar->accepts_beginning(b));
  }
  CHECK(grammars > 100);
  CHECK(accepted > 1000);
}

TEST_CASE("grammar: notation") {
  const Grammar g = Grammar::from_gbnf(
      "# arithmetic\n"
      "root  ::= (expr \"=\" ws term \"\\n\")+\n"
      "expr  ::= term ([-+*/] term)*  # a comment\n"
      "term  ::= ident | num |\n   \"(\" ws expr \")\" ws\n"
      "ident ::= [a-z] [a-z0-9_]* ws\n"
      "num   ::= [0-9]+ ws\n"
      "ws    ::= [ \\t\\n]*\n");
  CHECK(g.accepts("1 +(2 *x) =5\n"));
  CHECK(g.accepts("a=b\nc=d\n"));
  CHECK(!g.accepts("a=b"));
  CHECK(g.accepts_beginning("a=b"));
  CHECK(!g.accepts_beginning("="));

  const auto one = [](const std::string& e) { return Grammar::from_gbnf("root ::= " + e); };
  CHECK(one(R"("a\"\\\n\x41\u00e9\U0001F600")").accepts("a\"\\\nA\xc3\xa9\xf0\x9f\x98\x80"));
  CHECK(one("[^a-c]").accepts("\xe4\xb8\xad"));
  CHECK(!one("[^a-c]").accepts("b"));
  CHECK(!one("[^a-c]").accepts("dd"));
  CHECK(one("[\\]\\-^]+").accepts("]-^"));
  CHECK(one("[a-]+").accepts("a-a"));
  CHECK(one("\"ab\"{2}").accepts("abab"));
  CHECK(!one("\"ab\"{2}").accepts("ababab"));
  CHECK(one("\"a\"{2,}").accepts("aaaaa"));
  CHECK(!one("\"a\"{2,}").accepts("a"));
  CHECK(one("\"a\"{,2} \"b\"").accepts("aab"));
  CHECK(!one("\"a\"{,2} \"b\"").accepts("aaab"));
  CHECK(one("\"\"").accepts(""));
  CHECK(one("[é-中]").accepts("\xe4\xb8\x80"));
  CHECK(!one("[é-中]").accepts("e"));
  // All of Unicode, and nothing that is not UTF-8.
  const Grammar any = one(".*");
  for (const char* s : {"a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    CHECK(any.accepts(s));
  for (const char* s : {"\x80", "\xc1\x81", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                        "\xf4\x90\x80\x80", "\xff"})
    CHECK(!any.accepts_beginning(s));
}

TEST_CASE("grammar: what is refused") {
  CHECK(refusal("") == "TypeError grammar: line 1: it has no rule root.");
  CHECK(refusal("root ::= a") == "TypeError grammar: line 1: rule \"a\" is used, but not defined.");
  CHECK(refusal("root ::= \"a\"\nroot ::= \"b\"") ==
        "TypeError grammar: line 2: rule \"root\" is defined twice.");
  CHECK(refusal("root ::= \"a").find("no closing quote") != std::string::npos);
  CHECK(refusal("root ::= [a").find("no closing ]") != std::string::npos);
  CHECK(refusal("root ::= (\"a\"").find("\")\" is expected at the end") != std::string::npos);
  CHECK(refusal("root ::= [z-a]").find("ends before it begins") != std::string::npos);
  CHECK(refusal("root ::= *").find("nothing to repeat") != std::string::npos);
  CHECK(refusal("root ::= \"\\q\"").find("an escape is expected") != std::string::npos);
  CHECK(refusal("root ::= \"\\uD800\"").find("not a character") != std::string::npos);
  CHECK(refusal("root ::= \"a\"{3,2}").find("greater than its maximum") != std::string::npos);
  CHECK(refusal("root = \"a\"").find("\"::=\" is expected, not \"=\"") != std::string::npos);
  CHECK(refusal("root ::= <think>").find("not supported") != std::string::npos);
  CHECK(refusal("root ::= \"\xff\"").find("not UTF-8") != std::string::npos);
  CHECK(refusal("root ::= root \"a\" | \"b\"") ==
        "TypeError grammar: rule \"root\" begins with itself, which is left recursion: "
        "root -> root.");
  CHECK(refusal("root ::= a\na ::= b? c\nb ::= \"x\"\nc ::= a \"y\" | \"z\"").find("a -> c -> a") !=
        std::string::npos);
  CHECK(refusal("root ::= \"a\" root").find("it accepts no text") != std::string::npos);
  CHECK(refusal("root ::= []").find("it accepts no text") != std::string::npos);
}

TEST_CASE("grammar: hostile ones end soon") {
  const auto start = std::chrono::steady_clock::now();
  const auto many = [](const std::string& s, int n) {
    std::string all;
    for (int i = 0; i < n; ++i) all += s;
    return all;
  };
  CHECK(refusal("root ::= " + many("(", 100000)).find("nested") != std::string::npos);
  CHECK(refusal("root ::= \"a\"{1000000}").find("greater than 100000") != std::string::npos);
  CHECK(refusal("root ::= ((((\"a\"{1000}){1000}){1000}){1000}){1000}").find("too large") !=
        std::string::npos);
  CHECK(refusal("root ::= (\"\"{1000}){1000}").find("too large") != std::string::npos);
  CHECK(refusal("root ::= ((\"a\"?){90000}){90000}").find("too large") != std::string::npos);
  // As many ways as there are sequences of two calls.
  std::string ways = "root ::= r0\n";
  for (int i = 0; i < 60; ++i) {
    const std::string next = "r" + std::to_string(i + 1);
    ways += "r" + std::to_string(i) + " ::= " + next + " \"x\" | " + next + " \"y\"\n";
  }
  const Grammar wide = Grammar::from_gbnf(ways + "r60 ::= \"a\"\n");
  CHECK(thrown([&] { wide.accepts("a"); }).find("ways to read the text") != std::string::npos);
  const Grammar open = Grammar::from_gbnf("root ::= \"(\" root \")\" | \"x\" | \"x\" root");
  CHECK(open.accepts(many("(", 100000) + "x" + many(")", 100000)));
  CHECK(open.accepts(many("x", 1000000)));
  const Grammar both = Grammar::from_gbnf("root ::= \"a\" | \"a\" root root");
  CHECK(both.accepts(many("a", 301)));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  CHECK(took.count() < 60);
}

}  // namespace webnn::inline v0_1::lm
