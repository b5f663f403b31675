// What explain() prints.
#include "tests/support/catch.h"
#include "webnn/webnn.h"

using namespace webnn;

TEST_CASE("explain: of a long label the end is shown, of whole characters") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  for (std::size_t ascii : {0u, 1u, 2u, 3u}) {
    MLGraphBuilder b(context);
    std::string label(ascii, 'a');
    for (int i = 0; i < 140; ++i) label += "\u20ac";  // three bytes
    const std::string text =
        b.build({{"y", b.neg(b.input("x", {float32, {2}}), {.label = label})}}).explain();
    const std::size_t cut = text.find("..");
    REQUIRE(cut != std::string::npos);
    CHECK(text.substr(cut + 2, 3) == "\u20ac");
    CHECK(text.find("\u20ac neg ") != std::string::npos);  // the operator is never cut
  }
}

TEST_CASE("explain: sizes are those of the report, in a unit of which there is one") {
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
    return std::to_string(hundredths / 100) + "." + (digits.size() < 2 ? "0" : "") + digits + " MB";
  };
  const std::string text = g.explain();
  INFO(text);
  CHECK(text.find("arena " + megabytes(r.arena) + " (at least " + megabytes(r.arena_at_least) +
                  ")") != std::string::npos);
  CHECK(text.find("weights " + megabytes(r.packed) + " packed") != std::string::npos);
  MLGraphBuilder other(context);
  const MLGraph small = other.build({{"y", other.neg(other.input("s", {float32, {700}}))}});
  CHECK(small.explain().find("constants 0 B") != std::string::npos);
}

TEST_CASE("explain: no line has more than 120 columns, and reasons are told once") {
  MLContext context({.threads = 1, .backends = {"simd", "onednn", "reference"}});
  MLGraphBuilder b(context);
  const std::string label(200, 'n');
  MLOperand x = b.input("x", {float32, {1, 1000, 1000, 1, 1, 1, 1, 2}});
  for (int i = 0; i < 3; ++i)
    x = b.reverse(b.transpose(x, {.permutation = Dims{1, 0, 2, 3, 4, 5, 6, 7}, .label = label}),
                  {.label = label});
  const std::string text = b.build({{"y", b.softplus(x, {.label = label})}}).explain();
  INFO(text);
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    CHECK(end - begin <= 120);
  CHECK(text.find("later in the order") == std::string::npos);
  const std::size_t why = text.find("why not an earlier backend:");
  if (text.find("reference ") != std::string::npos) {
    REQUIRE(why != std::string::npos);
    CHECK(text.find("(steps ", why) != std::string::npos);
  }
}
