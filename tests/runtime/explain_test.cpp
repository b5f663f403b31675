// What explain() prints.
#include "tests/support/catch.h"
#include "webnn/webnn.h"

using namespace webnn;

TEST_CASE("explain: a long label is cut between characters") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  for (std::size_t ascii : {0u, 1u, 2u, 3u}) {
    MLGraphBuilder b(context);
    std::string label(ascii, 'a');
    for (int i = 0; i < 40; ++i) label += "\u20ac";  // three bytes
    const std::string text =
        b.build({{"y", b.neg(b.input("x", {float32, {2}}), {.label = label})}}).explain();
    const std::size_t cut = text.find("..");
    REQUIRE(cut != std::string::npos);
    CHECK(text.substr(cut - 3, 3) == "\u20ac");
  }
}
