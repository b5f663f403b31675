// Labels and names in messages: as they are, but for what would deceive the reader.
#include "tests/support/builder.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"

using namespace webnn;
using test::thrown;

TEST_CASE("labels are printed as they are") {
  CHECK(escaped("") == "");
  CHECK(escaped("block_3/expand [1] \"\\") == "block_3/expand [1] \"\\");
  CHECK(escaped("gr\u00f6\u00dfe \u5c42 \U0001f600") == "gr\u00f6\u00dfe \u5c42 \U0001f600");
}

TEST_CASE("what is not UTF-8 is escaped byte by byte") {
  CHECK(escaped("a\xff"
                "b\x80") == "a\\xffb\\x80");
  CHECK(escaped("\xc3") == "\\xc3");  // cut off
  CHECK(escaped("\xe2\x82(") == "\\xe2\\x82(");
  CHECK(escaped("\xc0\xaf") == "\\xc0\\xaf");  // longer than needed
  CHECK(escaped("\xe0\x80\xaf") == "\\xe0\\x80\\xaf");
  CHECK(escaped("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // a surrogate
  CHECK(escaped("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
  CHECK(escaped("\xc2\n") == "\\xc2\\u000a");
  CHECK(escaped("\xe2\x80\n") == "\\xe2\\x80\\u000a");
  CHECK(escaped("\xf0\x9f\x98\x80") == "\xf0\x9f\x98\x80");
}

TEST_CASE("controls, marks and overrides of direction are escaped") {
  CHECK(escaped("a\nb\tc\x7f") == "a\\u000ab\\u0009c\\u007f");
  CHECK(escaped(std::string_view("a\0b", 3)) == "a\\u0000b");
  CHECK(escaped("\x1b[31mred") == "\\u001b[31mred");
  CHECK(escaped("a\u0085b\u009b") == "a\\u0085b\\u009b");
  CHECK(escaped("\u061c\u200e\u200f") == "\\u061c\\u200e\\u200f");
  CHECK(escaped("\u202a\u202b\u202c\u202d\u202e") == "\\u202a\\u202b\\u202c\\u202d\\u202e");
  CHECK(escaped("\u2066\u2067\u2068\u2069") == "\\u2066\\u2067\\u2068\\u2069");
  CHECK(escaped("a\u2028b\u2029") == "a\\u2028b\\u2029");
  CHECK(escaped("\u2027\u202f\u2065\u206a\u00a0") == "\u2027\u202f\u2065\u206a\u00a0");
}

TEST_CASE("messages escape labels and names") {
  test::Builder b;
  const MLOperand x = b.x({2});
  b.refuses("softmax [a\\u202eb]: axis (1) is not less than the rank (1) of input.",
            [&] { b.softmax(x, 1, {.label = "a\u202eb"}); });
  b.refuses("relu [l\\u000a]: input is missing.", [&] { b.relu({}, {.label = "l\n"}); });
  b.refuses("input [\\u2066]: dimension 0 (0) of the input is not between 1 and 2147483647.", [&] {
    b.input("\u2066", {float32, {0}});
  });
  b.refuses("build [\\u001b]: the output is an input or a constant; identity() makes it a result.",
            [&] {
              b.build({{"\x1b", x}});
            });
  try {
    b.softmax(x, 1, {.label = "a\u202eb"});
    FAIL("nothing was thrown");
  } catch (const TypeError& e) {
    CHECK(e.op() == "softmax");
    CHECK(e.label() == "a\u202eb");  // for programs: as it was given
    CHECK(e.reason() == "axis (1) is not less than the rank (1) of input");
  }
}
