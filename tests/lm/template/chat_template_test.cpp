// The language of templates, with what Jinja for Python gives.
#include "webnn/lm/chat_template.h"

#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::lm {
namespace {

const std::vector<Message> conversation{
    {"system", " sys "}, {"user", "banana"}, {"assistant", "ok"}};

std::string render(std::string_view text, const ChatOptions& options = {}) {
  return ChatTemplate(text).apply(conversation, options);
}
std::string refused(std::string_view text, const ChatOptions& options = {}) {
  return test::thrown([&] { render(text, options); });
}

struct Case {
  std::string_view text, result;
};

TEST_CASE("template: statements") {
  const Case cases[] = {
      {"{% for m in messages %}{{ loop.index }}{{ m.role }}:{{ m['content']|trim }}"
       "{% if not loop.last %}, {% endif %}{% endfor %}",
       "1system:sys, 2user:banana, 3assistant:ok"},
      {"{% for m in messages if m.role == 'user' %}{{ loop.index }}/{{ loop.length }}{{ m.content "
       "}}"
       "{% endfor %}",
       "1/1banana"},
      {"{% for i in [] %}x{% else %}empty{% endfor %}", "empty"},
      {"{% for i in range(10) %}{% if i == 3 %}{% continue %}{% elif i == 6 %}{% break %}{% endif "
       "%}"
       "{{ i }}{% endfor %}",
       "01245"},
      {"{% for k, v in {'a': 1, 'b': 2}.items() %}{{ k }}{{ v }}{% endfor %}", "a1b2"},
      {"{% for m in messages %}{{ loop.first }}{{ loop.revindex }}{{ loop.previtem.role if "
       "loop.index0 "
       "else '-' }}{{ loop.cycle('x', 'y') }} {% endfor %}",
       "True3-x False2systemy False1userx "},
      {"{% set x = 1 %}{% for i in [1] %}{% set x = 2 %}{% endfor %}{{ x }}", "1"},
      {"{% set ns = namespace(x=1) %}{% for i in [1, 2] %}{% set ns.x = ns.x + i %}{% endfor %}{{ "
       "ns.x }}",
       "4"},
      {"{% set a, b = 1, 2 %}{{ b }}{{ a }}", "21"},
      {"{% set x %}block {{ 1 + 1 }}{% endset %}[{{ x }}]", "[block 2]"},
      {"{% set x | upper %}ab{% endset %}{{ x }}", "AB"},
      {"{% macro f(a, b='x') %}<{{ a }}{{ b }}>{% endmacro %}{{ f(1) }}{{ f('q', b=2) }}",
       "<1x><q2>"},
      {"{% macro f(n) %}{{ n }}{% if n > 0 %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(3) }}",
       "3210"},
      {"{% macro w(t) %}[{{ caller() }}{{ t }}]{% endmacro %}{% call w(1) %}in{% endcall %}",
       "[in1]"},
      {"{% filter upper | replace('B', 'c') %}ab{% endfilter %}", "Ac"},
      {"{% generation %}a{% endgeneration %}", "a"},
      {"{% raw %}{{ x }}{% endraw %}", "{{ x }}"},
      {"{# comment #}x{#- c -#} y", "xy"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(render(c.text) == c.result);
  }
}

TEST_CASE("template: white space around tags") {
  const Case cases[] = {
      {"  {% if true %}\n  yes\n  {% endif %}\nend\n", "  yes\nend"},
      {"a\n   {%- if true %}   b\n{% endif -%}   c", "a   b\nc"},
      {"{{- 'x' -}}   y   {{- 'z' }} \n", "xyz "},
      {"a {% if true %} b {% endif %} c", "a  b  c"},
      {"  {%+ if true %}a{% endif +%}\nb", "  a\nb"},
      {"{{ 'x' }}\ny", "x\ny"},
      {"a\r\n{% if true %}\r\nb{% endif %}", "a\r\nb"},
      {"x\n\n", "x\n"},
      {"{ % {", "{ % {"},
      {"{", "{"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(render(c.text) == c.result);
  }
}

TEST_CASE("template: expressions") {
  const Case cases[] = {
      {"{{ 'a' ~ 1 ~ 2.5 ~ true ~ none }}", "a12.5TrueNone"},
      {"{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 2 + 3 * 4 }} {{ 2 ** 10 }} {{ 7.5 "
       "// 2 }}",
       "3 -4 2 3.5 14 1024 3.0"},
      {"{{ 10 / 2 }} {{ 0.1 + 0.2 }} {{ 1e20 }} {{ 1.5e-7 }} {{ 1.0 }}",
       "5.0 0.30000000000000004 1e+20 1.5e-07 1.0"},
      {"{{ 'abc'[1] }}{{ 'abc'[-1] }} {{ 'abcdef'[1:4] }} {{ 'abc'[::-1] }} {{ 'a\u00e9c'[1:] }}",
       "bc bcd cba \u00e9c"},
      {"{{ [1,2,3,4][-2:] }} {{ [1,2,3,4][::2] }} {{ (1,) }} {{ [1, 'a', none, true] }} {{ {'a': "
       "1} }}",
       "[3, 4] [1, 3] (1,) [1, 'a', None, True] {'a': 1}"},
      {"{{ 'x' if false else 'y' }}{{ 'x' if false }}", "y"},
      {"{{ 'a' in 'abc' }} {{ 4 in [1, 2] }} {{ 'role' in messages[0] }} {{ 'z' not in messages[0] "
       "}}",
       "True False True True"},
      {"{{ ('a' and '') or 'c' }} {{ not '' }} {{ not 1 == 2 }}", "c True True"},
      {"{{ 1 == 1.0 }} {{ 'a' != 'b' }} {{ 2 <= 2 }} {{ 3 <= 2 }} {{ 2 >= 3 }} {{ 'b' > 'a' }} {{ "
       "[1] < [2] }}",
       "True True True False False True True"},
      {"{{ 'ab' * 3 }} {{ [1] * 2 + [3] }} {{ -3|abs }} {{ - 3 }}", "ababab [1, 1, 3] 3 -3"},
      {"{{ 'a\\n\\u00e9\\x41' 'b' }}", "a\n\u00e9Ab"},
      {"{{ nope }}|{{ nope is defined }}|{{ messages[9] is defined }}|{{ messages[0].x is none }}",
       "|False|False|False"},
      {"{{ 3 is odd }} {{ 4 is divisibleby 2 }} {{ 1 is not string }} {{ [] is iterable }} {{ {} "
       "is mapping }} "
       "{{ 2 is in [1, 2] }} {{ 1.0 is float }} {{ true is boolean }} {{ 5 is gt 4 }} {{ 'a' is "
       "eq('a') }}",
       "True True True True True True True True True True"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(render(c.text) == c.result);
  }
}

TEST_CASE("template: filters and methods") {
  const Case cases[] = {
      {"{{ [1,2,3]|length }}{{ '\u00e9\U0001f600'|length }}{{ [3,1,2]|sort|join('-') }}",
       "321-2-3"},
      {"{{ messages|map(attribute='role')|join(',') }} {{ "
       "messages|selectattr('role','equalto','user')|list|length }} "
       "{{ messages|rejectattr('role','eq','user')|map(attribute='content')|join('|') }} {{ "
       "['a']|map('upper')|first }}",
       "system,user,assistant 1  sys |ok A"},
      {"{{ {'b': 1, 'a': {'c': [true, none, 1.5, '\u00e9\\n\"<']}}|tojson }}",
       "{\"b\": 1, \"a\": {\"c\": [true, null, 1.5, \"\u00e9\\n\\\"<\"]}}"},
      {"{{ {'b': [1, {}], 'a': []}|tojson(indent=2, sort_keys=true) }}",
       "{\n  \"a\": [],\n  \"b\": [\n    1,\n    {}\n  ]\n}"},
      {"{{ '\u00e9\U0001f600'|tojson(ensure_ascii=true) }}{{ [1,2]|tojson(separators=(',', ':')) "
       "}}",
       "\"\\u00e9\\ud83d\\ude00\"[1,2]"},
      {"{{ 'x'|default('y') }}{{ nope|default('y') }}{{ ''|default('z', true) }}{{ ''|d('z') }}",
       "xyz"},
      {"{{ 'hello wORLD'|title }} {{ 'hELLO'|capitalize }} {{ 'a\u00e9\u00df'|upper }} {{ "
       "'A\u00c9'.lower() }}",
       "Hello World Hello A\u00c9SS a\u00e9"},
      {"{{ 'a\\nb\\n\\nc'|indent(2) }}|{{ 'a\\nb'|indent(1, true) }}", "a\n  b\n\n  c| a\n b"},
      {"{{ '5'|int + 1 }} {{ 'x'|int }} {{ '2.5'|float }} {{ 2.7|int }} {{ 3|string ~ 'a' }} {{ "
       "2.5|round }}",
       "6 0 2.5 2 3a 2.0"},
      {"{{ [1,1,2]|unique|list }} {{ [1,2]|reverse|list }} {{ [1,2]|last }} {{ [3,9,4]|max }} {{ "
       "[3,9]|min }} {{ [1,2]|sum }}",
       "[1, 2] [2, 1] 2 9 3 3"},
      {"{{ {'b': 1, 'a': 2}|dictsort }} {{ {'b': 1}|items|list }} {{ '<&>'|escape }} {{ [0, "
       "1]|select|list }}",
       "[('a', 2), ('b', 1)] [('b', 1)] &lt;&amp;&gt; [1]"},
      {"{{ 'a,b,c'.split(',') }} {{ ' a  b '.split() }} {{ 'a,b,c'.split(',', 1) }} {{ "
       "'a,b,c'.rsplit(',', 1)[0] }}",
       "['a', 'b', 'c'] ['a', 'b'] ['a', 'b,c'] a,b"},
      {"{{ ' x '.strip() }}|{{ 'xxaxx'.strip('x') }}|{{ ' a'.lstrip() }}|{{ 'ab'.rstrip('b') }}",
       "x|a|a|a"},
      {"{{ 'abc'.startswith('ab') }} {{ 'abc'.endswith(('x', 'c')) }} {{ 'abcb'.find('b') }} {{ "
       "'abcb'.rfind('b') }} {{ 'aab'.count('a') }}",
       "True True 1 3 2"},
      {"{{ 'aaa'.replace('a', 'b', 2) }} {{ 'ab'.replace('', '-') }} {{ '-'.join(['a', 'b']) }} {{ "
       "'ab'.removeprefix('a') }}",
       "bba -a-b- a-b b"},
      {"{{ messages[0].get('role') }} {{ messages[0].get('no', 1) }} {{ messages[0].get('no') }} "
       "{{ {'a': 1}.keys() }} {{ {'a': 1}.values() }}",
       "system 1 None ['a'] [1]"},
      {"{{ 'a1'.isalnum() }} {{ '12'.isdigit() }} {{ 'AB'.isupper() }} {{ 'a\\nb'.splitlines() }}",
       "True True True ['a', 'b']"},
      {"{{ dict(a=1).a }} {{ range(5, 0, -2)|list }}", "1 [5, 3, 1]"},
      {"{{ 'a{}b{}'.format(1, 'x') }} {{ '{1}{0}{{}}'.format(1, 2) }} {{ '{k}'.format(k=none) }}",
       "a1bx 21{} None"},
      {"{{ {2: 'b', 10: 'c', 1: 'a'}|dictsort }} {{ {1: 'a'}[1] }} {{ {1: 'a'}['1'] is defined }} "
       "{{ 1 in {1: 2} }} {{ '1' in {1: 2} }} {{ {1: 2}.get(1) }} {{ {1: 2}|tojson }} {{ {1: 2} }} "
       "{{ none in {'None': 1} }} {{ {1: 2} == {'1': 2} }}",
       "[(1, 'a'), (2, 'b'), (10, 'c')] a False True False 2 {\"1\": 2} {1: 2} False False"},
      {"{{ none|selectattr('a')|list }} {{ none|map('upper')|list }} {{ none|reject|list }}",
       "[] [] []"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(render(c.text) == c.result);
  }
}

TEST_CASE("template: fields of str.format that are refused") {
  for (const char* text : {"{{ '{0'.format(1) }}", "{{ '}'.format(1) }}"})
    CHECK_THAT(refused(text), ContainsSubstring("a brace is not one of a pair"));
  CHECK_THAT(refused("{{ '{:>4}'.format(1) }}"),
             ContainsSubstring("str.format: the field \":>4\" is not supported"));
  CHECK_THAT(refused("{{ '{}{}'.format(1) }}"), ContainsSubstring("str.format has no argument 1"));
  CHECK_THAT(refused("{{ '{x}'.format(1) }}"),
             ContainsSubstring("str.format has no argument \"x\""));
  CHECK_THAT(refused("{{ '{99999999999999999999}'.format(1) }}"),
             ContainsSubstring("str.format has no argument"));
}

TEST_CASE("template: messages, tools, variables and the date") {
  const ChatTemplate all(
      "{{ bos_token }}{{ messages[0].role }}{{ messages[0].a.b }}{{ messages[1].content[0].text }}"
      "{{ tools | tojson }}{{ add_generation_prompt }}{{ think }}{{ eos_token }}");
  CHECK(
      all.apply({{"user", "x", R"({"a": {"b": [1, 2.5]}})"}, {"user", "", R"([{"text": "part"}])"}},
                {.addGenerationPrompt = false,
                 .tools = R"([{"z": 1, "a": "\u00e9"}])",
                 .variables = R"({"think": true})",
                 .bosToken = "<s>",
                 .eosToken = "</s>"}) ==
      "<s>user[1, 2.5]part[{\"z\": 1, \"a\": \"\u00e9\"}]FalseTrue</s>");
  CHECK(render("{{ tools is none }}{{ add_generation_prompt }}") == "TrueTrue");
  // Noon of July 20, 2025 in UTC: the same year and month everywhere.
  CHECK(render("{{ strftime_now('%Y-%m') }}", {.time = 1753012800}) == "2025-07");
  CHECK(render("{{ strftime_now('%Y') | int > 2024 }}") == "True");
  CHECK(ChatTemplate("{{ messages[0].content }}").apply({{"user", "a\xff"}}) == "a\ufffd");
  CHECK_THAT(refused("", {.tools = "{"}),
             ContainsSubstring("TypeError chat_template: the option tools"));
  CHECK(refused("", {.tools = "{}"}) ==
        "TypeError chat_template: the option tools: the text is not a JSON list.");
  CHECK_THAT(test::thrown([] {
               ChatTemplate("").apply({{"user", "", "1"}});
             }),
             ContainsSubstring("TypeError chat_template: message 0"));
  CHECK(refused("{{ raise_exception('Roles must alternate') }}") ==
        "TypeError chat_template: Roles must alternate.");
}

TEST_CASE("template: the template of a tokenizer") {
  const auto with = [](const std::string& config) {
    return Tokenizer::from_json(
        R"({"model": {"type": "BPE", "vocab": {"<s>": 0, "</s>": 1}, "merges": []}})", config);
  };
  CHECK(
      apply_chat_template(
          with(
              R"({"bos_token": "<s>", "chat_template": "{{ bos_token }}{{ messages[0].content }}"})"),
          {{"user", "hi"}}) == "<s>hi");
  CHECK(test::thrown([&] { apply_chat_template(with("{}"), {}); }) ==
        "InvalidStateError chat_template: the model has no template for messages.");
}

}  // namespace
}  // namespace webnn::inline v0_1::lm
