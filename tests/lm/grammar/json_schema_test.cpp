// JSON schemas: what a grammar lets tokens write is JSON that a validator of the test accepts, and
// what is valid can be written.
#include <algorithm>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>

#include "src/lm/grammar/constraint.h"
#include "tests/lm/tokenizer/json_of.h"

namespace webnn::inline v0_1::lm {
namespace {

using Json = nlohmann::ordered_json;
using test::thrown;

std::wstring wide(const std::string& text) {
  std::wstring all;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const int more = c < 0x80 ? 0 : c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
    unsigned v = more == 0 ? c : c & (0x3fu >> more);
    for (int k = 0; k < more; ++k) v = v << 6 | (static_cast<unsigned char>(text[++i]) & 0x3fu);
    all += static_cast<wchar_t>(v);
  }
  return all;
}

/// Whether a value is valid, for the keywords that this test uses.
class Validator {
 public:
  explicit Validator(Json schema) : root_(std::move(schema)) {}

  bool operator()(const Json& v) const { return valid(root_, v); }

 private:
  static bool has_type(const Json& v, const std::string& t) {
    if (t == "integer")
      return v.is_number_integer() ||
             (v.is_number() && v.get<double>() == std::floor(v.get<double>()));
    return (t == "object" && v.is_object()) || (t == "array" && v.is_array()) ||
           (t == "string" && v.is_string()) || (t == "number" && v.is_number()) ||
           (t == "boolean" && v.is_boolean()) || (t == "null" && v.is_null());
  }
  static std::size_t length(const std::string& s) {
    return static_cast<std::size_t>(
        std::count_if(s.begin(), s.end(), [](char c) { return (c & 0xc0) != 0x80; }));
  }
  bool any(const Json& list, const Json& v) const {
    return std::any_of(list.begin(), list.end(), [&](const Json& s) { return valid(s, v); });
  }
  bool valid(const Json& s, const Json& v) const {
    if (s.is_boolean()) return s.get<bool>();
    for (const auto& [key, k] : s.items())
      if (!holds(s, key, k, v)) return false;
    return true;
  }
  bool holds(const Json& s, const std::string& key, const Json& k, const Json& v) const {
    if (key == "$ref")
      return valid(root_.at(Json::json_pointer(k.get<std::string>().substr(1))), v);
    if (key == "type")
      return k.is_array()
                 ? std::any_of(k.begin(), k.end(), [&](const Json& t) { return has_type(v, t); })
                 : has_type(v, k);
    if (key == "const") return v == k;
    if (key == "enum") return std::find(k.begin(), k.end(), v) != k.end();
    if (key == "anyOf" || key == "oneOf") return any(k, v);
    if (key == "allOf")
      return std::all_of(k.begin(), k.end(), [&](const Json& x) { return valid(x, v); });
    if (v.is_object()) return holds_object(s, key, k, v);
    if (v.is_array()) return holds_array(s, key, k, v);
    if (v.is_string()) {
      if (key == "minLength") return length(v) >= k.get<std::size_t>();
      if (key == "maxLength") return length(v) <= k.get<std::size_t>();
      if (key == "pattern") return std::regex_search(wide(v), std::wregex(wide(k)));
    }
    if (v.is_number()) {
      if (key == "minimum") return v.get<double>() >= k.get<double>();
      if (key == "maximum") return v.get<double>() <= k.get<double>();
      if (key == "exclusiveMinimum") return v.get<double>() > k.get<double>();
      if (key == "exclusiveMaximum") return v.get<double>() < k.get<double>();
    }
    return true;
  }
  bool holds_object(const Json& s, const std::string& key, const Json& k, const Json& v) const {
    if (key == "required")
      return std::all_of(k.begin(), k.end(),
                         [&](const Json& n) { return v.contains(n.get<std::string>()); });
    if (key == "properties") {
      for (const auto& [name, x] : v.items())
        if (k.contains(name) && !valid(k[name], x)) return false;
    }
    if (key == "additionalProperties") {
      for (const auto& [name, x] : v.items())
        if (!(s.contains("properties") && s["properties"].contains(name)) && !valid(k, x))
          return false;
    }
    return true;
  }
  bool holds_array(const Json& s, const std::string& key, const Json& k, const Json& v) const {
    const std::size_t first = s.contains("prefixItems") ? s["prefixItems"].size() : 0;
    if (key == "minItems") return v.size() >= k.get<std::size_t>();
    if (key == "maxItems") return v.size() <= k.get<std::size_t>();
    if (key == "items") {
      for (std::size_t i = first; i < v.size(); ++i)
        if (!valid(k, v[i])) return false;
    }
    if (key == "prefixItems") {
      for (std::size_t i = 0; i < std::min(first, v.size()); ++i)
        if (!valid(k[i], v[i])) return false;
    }
    return true;
  }

  Json root_;
};

/// All bytes, and pieces of JSON that cross what a grammar has as its parts.
Tokenizer byte_tokenizer() {
  static const Tokenizer tokenizer = [] {
    std::vector<std::string> texts{"<unk>", "<s>", "</s>"};
    for (int i = 0; i < 256; ++i) {
      constexpr char digits[] = "0123456789ABCDEF";
      texts.push_back(std::string("<0x") + digits[i / 16] + digits[i % 16] + '>');
    }
    for (const char* s : {"\": ",
                          "\":",
                          "\", \"",
                          "\",\"",
                          "{\"",
                          "{\"a",
                          "\"}",
                          "}}",
                          "]}",
                          "}]",
                          "\"]",
                          "[[",
                          "[\"",
                          "true",
                          "false",
                          "null",
                          "tr",
                          "ue,",
                          "12",
                          "123",
                          "0.5",
                          "1e",
                          "-1",
                          ", ",
                          "  ",
                          "\\n",
                          "\\u00",
                          "\\\"",
                          "name",
                          "a\"",
                          "abc",
                          "ab",
                          "é",
                          "日",
                          "{ }",
                          "[]",
                          "{}",
                          "\xe2\x96\x81",
                          "\xe2\x96\x81name",
                          "\xe2\x96\x81{",
                          "\xe2\x96\x81[",
                          "\xe2\x96\x81\""})
      texts.emplace_back(s);
    return Tokenizer::from_json(
        bpe_json(texts, {},
                 R"(, "added_tokens": [{"id": 1, "content": "<s>", "special": true},
                     {"id": 2, "content": "</s>", "special": true}],
                    "decoder": {"type": "Sequence", "decoders": [
                      {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                      {"type": "ByteFallback"}, {"type": "Fuse"},
                      {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})",
                 R"(, "byte_fallback": true, "unk_token": "<unk>")"));
  }();
  return tokenizer;
}

struct Walk {
  std::string text;
  bool ended = false;
};
/// A random text, token by token; after `calm` tokens, those that end things are preferred.
Walk walk(const std::shared_ptr<TokenGrammar>& grammar, std::mt19937& random, int calm, int most) {
  const Tokenizer tokenizer = byte_tokenizer();
  Constraint c(grammar);
  Tokens tokens;
  for (int i = 0; i < most; ++i) {
    if (c.is_complete() || (c.accepts() && (i > calm || random() % 4 == 0)))
      return {tokenizer.decode(tokens), true};
    const std::vector<bool>& allowed = c.allowed();
    std::vector<Token> possible;
    for (std::size_t t = 0; t < allowed.size(); ++t)
      if (allowed[t]) possible.push_back(static_cast<Token>(t));
    REQUIRE(!possible.empty());  // no dead end
    Token next = possible[random() % possible.size()];
    if (i > calm)
      for (const char end : {'}', ']', '"'})
        if (const Token t = 3 + static_cast<unsigned char>(end);
            allowed[static_cast<std::size_t>(t)])
          next = t;
    c.take(next);
    tokens.push_back(next);
  }
  return {tokenizer.decode(tokens), c.accepts()};
}

std::shared_ptr<TokenGrammar> for_tokens(const Grammar& grammar) {
  static const auto texts =
      std::make_shared<const TokenTexts>(byte_tokenizer(), std::vector<Token>{2});
  return std::make_shared<TokenGrammar>(grammar, texts, byte_tokenizer().size() + 7);
}

const char* const schemas[] = {
    R"({})",
    R"({"type": "object"})",
    R"({"type": "string"})",
    R"({"type": "number"})",
    R"({"type": "integer"})",
    R"({"type": ["boolean", "null"]})",
    R"({"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 4})",
    R"({"type": "array", "minItems": 1, "items": {"enum": ["a", 1, null, {"b": [true]}]}})",
    R"({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": 1})",
    R"({"type": "array", "prefixItems": [{"const": "x"}], "items": {"type": "boolean"},
        "minItems": 2, "maxItems": 5})",
    R"({"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}}}, "required": ["name"],
        "additionalProperties": false})",
    R"({"type": "object", "properties": {"a": {"type": "boolean"}, "b": {"type": "null"},
        "c": {"type": "integer"}}})",
    R"({"type": "object", "properties": {"a": {"const": 1}, "ab": {"const": 2}},
        "required": ["ab"], "additionalProperties": {"type": "boolean"}})",
    R"({"type": "object", "additionalProperties": {"type": "integer"}})",
    R"({"type": "object", "required": ["x", "y"]})",
    R"({"type": "string", "minLength": 2, "maxLength": 5})",
    R"({"type": "string", "maxLength": 0})",
    R"({"type": "string", "pattern": "^[a-c]{2,3}(x|yz)?\\d+$"})",
    R"({"type": "string", "pattern": "^a\"\\\\b.?$"})",
    R"({"type": "string", "pattern": "^[^q]*|^c\\w*$"})",
    R"({"type": "integer", "minimum": -12, "maximum": 345})",
    R"({"type": "integer", "exclusiveMinimum": 99, "exclusiveMaximum": 1001})",
    R"({"type": "integer", "maximum": -7})",
    R"({"anyOf": [{"type": "integer"}, {"type": "object", "properties": {"k": {"type": "string",
        "enum": ["u", "v"]}}, "required": ["k"]}, {"type": "array", "items": {"const": "é日"}}]})",
    R"({"$defs": {"node": {"type": "object", "properties": {"value": {"type": "integer"},
        "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}}, "required":
        ["value", "next"], "additionalProperties": false}}, "$ref": "#/$defs/node"})",
    R"({"type": "object", "properties": {"l": {"$ref": "#"}, "r": {"$ref": "#"}}})",
    R"({"allOf": [{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
        {"properties": {"b": {"type": "string", "maxLength": 3}}, "required": ["b"]}]})",
    R"({"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"],
        "anyOf": [{"properties": {"x": {"type": "integer"}}, "required": ["x"]},
                  {"properties": {"y": {"type": "boolean"}}}]})",
};

std::string refusal_of(const std::string& schema) {
  return thrown([&] { Grammar::from_json_schema(schema); });
}

}  // namespace

TEST_CASE("json schema: all that tokens can write is valid, and has an end") {
  std::mt19937 random(1);
  for (const char* schema : schemas) {
    INFO(schema);
    const Grammar grammar = Grammar::from_json_schema(schema);
    const auto tokens = for_tokens(grammar);
    const Validator valid(Json::parse(schema));
    std::size_t ended = 0;
    for (int i = 0; i < 60; ++i) {
      const Walk w = walk(tokens, random, 5 + i % 40, 1500);
      INFO(w.text);
      CHECK(grammar.accepts_beginning(w.text));
      if (!w.ended) continue;
      ++ended;
      CHECK(grammar.accepts(w.text));
      Json value;
      REQUIRE_NOTHROW(value = Json::parse(w.text));
      CHECK(valid(value));
    }
    CHECK(ended > 50);
  }
}

TEST_CASE("json schema: masks are those of each token by itself") {
  std::mt19937 random(2);
  const Tokenizer tokenizer = byte_tokenizer();
  for (const char* schema : schemas) {
    INFO(schema);
    const Grammar grammar = Grammar::from_json_schema(schema);
    Constraint c(for_tokens(grammar));
    std::string text;
    Tokens tokens;
    for (int i = 0; i < 25 && !c.is_complete(); ++i) {
      const std::vector<bool> allowed = c.allowed();
      CHECK(allowed.size() == tokenizer.size() + 7);
      std::vector<Token> possible;
      for (std::size_t k = 0; k < allowed.size(); ++k) {
        const auto t = static_cast<Token>(k);
        if (allowed[k]) possible.push_back(t);
        if (k >= tokenizer.size() || tokenizer.is_special(t)) {
          CHECK(!allowed[k]);
          continue;
        }
        tokens.push_back(t);
        const std::string next = tokenizer.decode(tokens);
        tokens.pop_back();
        if (next.find("\xef\xbf\xbd") != std::string::npos) continue;  // not a whole character
        const bool follows = next.size() > text.size() && grammar.accepts_beginning(next);
        if (allowed[k] != follows) FAIL_CHECK(text << " and then " << tokenizer.text_of(t));
      }
      // Whole characters, so that the next texts can be compared.
      std::erase_if(possible, [&](Token t) {
        tokens.push_back(t);
        const bool is_part = tokenizer.decode(tokens).find("\xef\xbf\xbd") != std::string::npos;
        tokens.pop_back();
        return is_part;
      });
      REQUIRE(!possible.empty());
      tokens.push_back(possible[random() % possible.size()]);
      c.take(tokens.back());
      text = tokenizer.decode(tokens);
    }
  }
}

TEST_CASE("json schema: what is valid can be written") {
  const std::pair<const char*, std::vector<const char*>> cases[] = {
      {R"({})",
       {"1", "-0.5e+10", "\"a\\u00e9\\n\"", "[1, [], {\"a\": null}]",
        "{\n  \"a\": 1,\n  \"b\": [true]\n}"}},
      {R"({"type": "string", "maxLength": 2})", {R"("")", R"("ab")", R"("\n\"")", "\"日é\""}},
      {R"({"type": "integer", "minimum": 0})", {"0", "7", "10", "999999999999999"}},
      {R"({"type": "integer", "minimum": -12, "maximum": 345})",
       {"-12", "-9", "-1", "0", "1", "99", "100", "299", "345"}},
      {R"({"type": "string", "pattern": "^\\d{3}-[^x]+$"})", {R"("123-a b")", R"("000-\"\\")"}},
      {R"({"type": "string", "pattern": "b+"})", {R"("abc")", R"("b")", R"("\\bb\n")"}},
      {R"({"type": "string", "format": "date"})", {R"("2026-02-28")", R"("1999-12-01")"}},
      {R"({"type": "string", "format": "date-time"})", {R"("2026-02-28T23:59:00.5+01:00")"}},
      {R"({"type": "string", "format": "uuid"})", {R"("123e4567-e89b-12d3-a456-426614174000")"}},
      {R"({"properties": {"a": {"type": "integer"}, "b": {}, "c": true}, "required": ["b"]})",
       {R"({"b": 1})", R"({"a":1,"b":[]})", R"({"b": {}, "c": 0})",
        R"({"a": 2, "b": 1, "c": ""})"}},
      {R"({"properties": {"ab": {"const": 1}}, "additionalProperties": true})",
       {R"({})", R"({"ab":1})", R"({"a": 5, "abc": 6, "": 7})", R"({"ab": 1, "b": 2})"}},
      {R"({"const": {"a": [1, "\"\u0001"]}})", {R"({"a":[1,"\"\u0001"]})"}},
      {R"({"type": "array", "prefixItems": [{"const": 1}, {"const": 2}]})",
       {"[]", "[1]", "[1, 2]"}},
  };
  for (const auto& [schema, texts] : cases) {
    const Grammar grammar = Grammar::from_json_schema(schema);
    for (const char* text : texts) {
      INFO(schema << ' ' << text);
      CHECK(grammar.accepts(text));
    }
  }
  const auto accepts = [](const char* schema, const char* text) {
    return Grammar::from_json_schema(schema).accepts(text);
  };
  CHECK(!accepts(R"({"type": "integer", "minimum": -12, "maximum": 345})", "346"));
  CHECK(!accepts(R"({"type": "integer", "minimum": -12, "maximum": 345})", "-13"));
  CHECK(!accepts(R"({"type": "integer"})", "01"));
  CHECK(!accepts(R"({"type": "string"})", "\"\\ud800\""));
  CHECK(!accepts(R"({"properties": {"ab": {"const": 1}}, "additionalProperties": true})",
                 R"({"ab": 2})"));
  CHECK(!accepts(R"({"properties": {"a": {}}})", R"({"b": 2})"));
}

TEST_CASE("json schema: what is refused") {
  const auto refuses = [](const std::string& schema, const std::string& words) {
    const std::string what = refusal_of(schema);
    INFO(what);
    CHECK(what.find(words) != std::string::npos);
  };
  refuses("{", "TypeError grammar: the schema is not JSON");
  refuses("3", "#: a schema is an object or a boolean");
  refuses(R"({"type": "thing"})", "the type \"thing\" is not a type of JSON");
  refuses(R"({"not": {}})", "NotSupportedError grammar: #: the keyword \"not\" is not supported");
  refuses(R"({"properties": {"a": {"type": "array", "uniqueItems": true}}})",
          "#/properties/a: the keyword \"uniqueItems\" is not supported");
  refuses(R"({"$ref": "#/$defs/none"})", "there is no \"#/$defs/none\"");
  refuses(R"({"$ref": "https://example.org/x"})", "which does not name a place in the schema");
  refuses(R"({"$ref": "#"})", "it accepts no text");
  refuses(R"({"type": "number", "minimum": 1})", "a bound of numbers that are not integers");
  refuses(R"j({"type": "string", "pattern": "(?=a)"})j", "is not supported");
  refuses(R"({"type": "string", "pattern": "a{"})", "a number is expected");
  refuses(R"({"type": "string", "pattern": "(a"})", "a ( has no closing )");
  refuses(R"({"type": "string", "pattern": "\\1"})", "is not supported");
  refuses(R"({"minItems": -1})", "it is not a count");
  refuses(R"({"maxItems": 1e9})", "is more than 100000");
  refuses(R"(false)", "it accepts no text");
  refuses(R"({"type": "integer", "minimum": 5, "maximum": 3})", "it accepts no text");
  refuses(R"({"properties": {"a": {"$ref": "#"}}, "required": ["a"]})", "it accepts no text");
  refuses(R"({"allOf": [{"type": "string"}, {"type": "integer"}]})", "another type beside it");
}

TEST_CASE("json schema: hostile ones end soon") {
  const auto start = std::chrono::steady_clock::now();
  std::string nested = "{}", arrays = "{}";
  for (int i = 0; i < 30; ++i) arrays = R"({"items": )" + arrays + "}";
  CHECK(Grammar::from_json_schema(arrays).accepts("[[[], []]]"));
  for (int i = 0; i < 100; ++i) nested = R"({"items": )" + nested + "}";
  CHECK(refusal_of(nested).find("schemas are nested") != std::string::npos);
  CHECK(refusal_of(std::string(100000, '[')).find("not JSON") != std::string::npos);
  std::string doubled = R"({"$defs": {"a0": {"const": 1})";
  for (int i = 1; i < 60; ++i) {
    const std::string ref = R"({"$ref": "#/$defs/a)" + std::to_string(i - 1) + "\"}";
    doubled += ", \"a" + std::to_string(i) + R"(": {"anyOf": [)" + ref + ", " + ref + "]}";
  }
  CHECK(Grammar::from_json_schema(doubled + R"(}, "$ref": "#/$defs/a59"})").accepts("1"));
  CHECK(refusal_of(
            R"({"type": "array", "maxItems": 90000, "items": {"type": "array", "maxItems": 90000,
                    "items": {"const": "aaaaaaaa"}}})") != "");
  CHECK(refusal_of(R"({"type": "string", "pattern": "((a{999}){999}){999}"})").find("too large") !=
        std::string::npos);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  CHECK(took.count() < 60);
}

}  // namespace webnn::inline v0_1::lm
