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

TEST_CASE("explain: sizes are those of the report, in megabytes and kilobytes") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const std::vector<float> weights(500 * 700, 0.5f);
  const MLOperand x = b.input("x", {float32, {1000, 500}});
  const MLOperand y = b.gemm(x, b.constant({float32, {500, 700}}, weights));
  const MLGraph g = b.build({{"y", b.reverse(b.cumulativeSum(y, 0))}});
  const GraphReport r = g.report();
  CHECK(r.arena >= 1000 * 700 * 4);
  CHECK(r.packed >= weights.size() * 4);
  const auto megabytes = [](std::size_t bytes) {
    const std::size_t hundredths = (bytes + 5000) / 10000;
    const std::string digits = std::to_string(hundredths % 100);
    return std::to_string(hundredths / 100) + "." + (digits.size() < 2 ? "0" : "") + digits;
  };
  const std::string text = g.explain();
  INFO(text);
  CHECK(text.find("arena " + megabytes(r.arena) + " MB (at least " + megabytes(r.arena_at_least) +
                  ")") != std::string::npos);
  CHECK(text.find("weights " + megabytes(r.packed) + " MB packed") != std::string::npos);
  CHECK(text.find("scratch " + std::to_string((r.scratch + 500) / 1000) + " KB a thread") !=
        std::string::npos);
}
