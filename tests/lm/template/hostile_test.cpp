// Templates that are broken, and those that would take all time or memory.
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/error.h"
#include "webnn/lm/chat_template.h"

namespace webnn::inline v0_1::lm {
namespace {

std::string refused(const std::string& text, const ChatOptions& options = {}) {
  return test::thrown([&] { ChatTemplate(text, "t").apply({{"user", "x"}}, options); });
}
std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

TEST_CASE("template: what is not a template") {
  const std::string begin = "DataError chat_template [t]: line ";
  CHECK(refused("\n\n{{ 1 + }}") == begin + "3: a value is expected before \"\".");
  CHECK(refused("{{ 'a }}") == begin + "1: the string has no end.");
  CHECK(refused("{{ a") == begin + "1: the tag has no end.");
  CHECK(refused("{# a") == begin + "1: the comment has no end.");
  CHECK(refused("{% if a %}x") == begin + "1: \"endif\" is expected.");
  CHECK(refused("{% endfor %}") == begin + "1: \"endfor\" has no beginning.");
  CHECK(refused("{% for x in y %}{% endif %}") == begin + "1: \"endfor\" is expected.");
  CHECK(refused("{% break %}") == begin + "1: \"break\" is outside of a loop.");
  CHECK(refused("{% raw %}x") == begin + "1: raw has no endraw.");
  CHECK(refused("{{ 99999999999999999999 }}") ==
        begin + "1: the number \"99999999999999999999\" is beyond 64 bits.");
  CHECK(refused("{{ a $ b }}") == begin + "1: the character \"$\" is not expected.");
  CHECK(refused("{% include 'x' %}") ==
        "NotSupportedError chat_template [t]: line 1: the statement \"include\" is not supported.");
  CHECK_THAT(refused(std::string((1 << 20) + 1, 'x')),
             ContainsSubstring("the template has 1048577 bytes"));
}

TEST_CASE("template: what fails while it runs") {
  const std::string begin = "DataError chat_template [t]: line ";
  CHECK(refused("{{ a.b }}") == begin + "1: \"a\" is undefined, and has no \"b\".");
  CHECK(refused("\n{{ a() }}") == begin + "2: \"a\" is undefined.");
  CHECK(refused("{{ 1 + 'a' }}") == begin + "1: there is no \"+\" of values of type int and str.");
  CHECK(refused("{{ 1 // 0 }}") == begin + "1: a number is divided by 0.");
  CHECK(refused("{{ 9223372036854775807 + 1 }}") == begin + "1: an int is beyond 64 bits.");
  CHECK(refused("{{ 3 ** 99999999999 }}") == begin + "1: an int is beyond 64 bits.");
  CHECK(refused("{{ x | odd_filter }}") == begin + "1: there is no filter \"odd_filter\".");
  CHECK(refused("{{ x is odd_test }}") == begin + "1: there is no test \"odd_test\".");
  CHECK(refused("{% set a.b = 1 %}") == begin + "1: \"a\" is not a namespace.");
  CHECK(refused("{% set a, b = [1] %}") == begin + "1: there are 1 values for 2 names.");
  CHECK(refused("{{ messages[0].append(1) }}") == begin + "1: \"append\" is undefined.");
  CHECK(refused("{{ range | tojson }}") ==
        begin + "1: a value of type function has a part that JSON does not have.");
}

TEST_CASE("template: limits of depth") {
  const std::string begin = "DataError chat_template [t]: line 1: ";
  CHECK_THAT(refused("{{ " + repeated("(", 100'000) + " }}"),
             ContainsSubstring("nested more than 100 deep"));
  CHECK_THAT(refused("{{ " + repeated("[", 100'000) + " }}"),
             ContainsSubstring("nested more than 100 deep"));
  CHECK_THAT(refused("{{ " + repeated("not ", 100'000) + "1 }}"),
             ContainsSubstring("nested more than 100 deep"));
  CHECK_THAT(refused("{{ " + repeated("-", 100'000) + "1 }}"),
             ContainsSubstring("nested more than 100 deep"));
  CHECK_THAT(refused("{{ 1" + repeated(" if 1 else 1", 50'000) + " }}"), ContainsSubstring("deep"));
  CHECK_THAT(refused("{{ 1" + repeated(" + 1", 50'000) + " }}"),
             ContainsSubstring("more than 300 deep"));
  CHECK_THAT(refused("{{ a" + repeated(".b", 50'000) + " }}"),
             ContainsSubstring("more than 300 deep"));
  CHECK_THAT(refused("{{ 1" + repeated("|abs", 50'000) + " }}"),
             ContainsSubstring("more than 300 deep"));
  CHECK_THAT(refused(repeated("{% if 1 %}", 50'000)),
             ContainsSubstring("nested more than 100 deep"));
  CHECK_THAT(refused("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"),
             ContainsSubstring("more than 500 deep"));
  CHECK(refused("{% set ns = namespace(x=1) %}{% for i in range(100) %}{% set ns.x = [ns.x] %}{% "
                "endfor %}") == begin + "lists and objects are more than 64 deep.");
  CHECK(refused("{% if 0 %}" + repeated("{% elif 0 %}", 50'000) + "{% endif %}") == "nothing");
}

TEST_CASE("template: limits of work and of the text") {
  const auto is_limited = [](const std::string& text) {
    CAPTURE(text);
    CHECK_THAT(refused(text),
               ContainsSubstring("OperationError chat_template [t]: line 1: the te"));
  };
  is_limited("{% for i in range(9999999999) %}{% endfor %}");
  is_limited("{% for i in range(10000) %}{% for j in range(10000) %}{% endfor %}{% endfor %}");
  is_limited(
      "{% set ns = namespace(x='ab') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% "
      "endfor %}");
  is_limited(
      "{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% "
      "endfor %}");
  is_limited("{% for i in range(100000) %}{{ 'x' * 10000 }}{% endfor %}");
  // Lists whose parts are the same list: 2 to the power of 60 values in 60 lists.
  const std::string twice =
      "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% "
      "endfor %}";
  for (const char* use :
       {"{{ ns.x }}", "{{ ns.x | tojson }}", "{{ ns.x == [ns.x[0], ns.x[1]] }}", "{{ ns.x ~ '' }}",
        "{{ ns.x in [ns.x] }}", "{{ ns.x is eq ns.x }}", "{{ [ns.x, ns.x] | sort | length }}",
        "{{ [ns.x, ns.x] | unique | list | length }}", "{{ [1].index(ns.x) }}", "{{ ns.x < ns.x }}",
        "{{ {ns.x: 1} }}", "{{ raise_exception(ns.x) }}", "{{ 'a' | replace('a', ns.x) }}",
        "{{ [ns.x] | join }}"})
    is_limited(twice + use);
  CHECK_THAT(refused("{{ 'x' * 99999999999 }}"),
             ContainsSubstring("a value is repeated 99999999999 times"));
  CHECK_THAT(refused("{{ 'abc' }}", {.maxBytes = 2}),
             ContainsSubstring("the text is longer than the limit of 2 bytes"));
  CHECK_THAT(refused("{{ 'abc' }}", {.maxSteps = 2}),
             ContainsSubstring("takes more steps than the limit"));
  // Namespaces that hold each other are freed, and a long chain of them too.
  CHECK(refused("{% set n = namespace() %}{% set n.n = n %}{{ n is defined }}") == "nothing");
  CHECK(
      refused(
          "{% set ns = namespace(x=1) %}{% for i in range(50000) %}{% set m = namespace(x=ns.x) %}"
          "{% set ns.x = m %}{% endfor %}") == "nothing");
  CHECK(refused("{% macro w() %}{% set ns.f = caller %}{% endmacro %}{% set ns = namespace() %}"
                "{% call w() %}x{% endcall %}{{ ns.f() }}") ==
        "DataError chat_template [t]: line 1: the caller has returned.");
}

}  // namespace
}  // namespace webnn::inline v0_1::lm
