// The helpers for text: lists, and names in messages.
#include "src/graph/text.h"

#include "tests/support/catch.h"

using namespace webnn;

using Items = std::vector<std::string_view>;

TEST_CASE("text: joined and split") {
  CHECK(joined(Items{}) == "");
  CHECK(joined(Items{"a"}) == "a");
  CHECK(joined(Items{"", "b", ""}) == ", b, ");
  CHECK(joined(std::vector<std::string>{"a", "b"}, "; ") == "a; b");

  CHECK(split("") == Items{});
  CHECK(split("a") == Items{"a"});
  CHECK(split("a,b") == Items{"a", "b"});
  CHECK(split("  a b , c ") == Items{"a b", "c"});
  CHECK(split(",a,,") == Items{"", "a", "", ""});
  CHECK(split(" ") == Items{""});
  CHECK(split("a;b", ';') == Items{"a", "b"});
}

TEST_CASE("text: a character of UTF-8 is not divided") {
  CHECK(truncated("abc", 3) == "abc");
  CHECK(truncated("abc", 2) == "ab");
  CHECK(truncated("abc", 0) == "");
  const std::string two = "a\xc3\xa9z", three = "a\xe2\x82\xacz", four = "a\xf0\x9f\x98\x80z";
  CHECK(truncated(two, 2) == "a");
  CHECK(truncated(two, 3) == "a\xc3\xa9");
  for (std::size_t n : {1, 2, 3}) CHECK(truncated(three, n) == "a");
  CHECK(truncated(three, 4) == "a\xe2\x82\xac");
  for (std::size_t n : {1, 2, 3, 4}) CHECK(truncated(four, n) == "a");
  CHECK(truncated(four, 5) == "a\xf0\x9f\x98\x80");
  // What is not UTF-8 has no characters to keep.
  const std::string bytes(10, '\x80');
  CHECK(truncated(bytes, 7) == bytes.substr(0, 7));
}

TEST_CASE("text: names in quotes") {
  CHECK(in_quotes("conv") == "\"conv\"");
  CHECK(in_quotes("a\nb") == "\"a\\u000ab\"");
  CHECK(in_quotes(std::string(80, 'x')) == '"' + std::string(80, 'x') + '"');
  CHECK(in_quotes(std::string(81, 'x')) == '"' + std::string(80, 'x') + "...\"");
  CHECK(in_quotes(std::string(79, 'x') + "\xc3\xa9") == '"' + std::string(79, 'x') + "...\"");
}
