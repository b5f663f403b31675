// Loops whose number of iterations follows from open dimensions, without files.
#include "src/builder/loop_recorder.h"

#include "tests/support/builder.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/webnn.h"

using namespace webnn;
using namespace webnn::test;

namespace {

/// The sums of the rows of x [rows, 2] so far, and what is behind the last one.
struct Sums {
  MLContext context = plain_context();
  MLGraphBuilder b{context};
  MLOperand x = b.input("x", {float32, {"rows", 2}});
  MLOperand last{}, all{};

  Sums() {
    LoopRecorder loop(b, b.cast(b.dimension(x, 0), int64), b.constant(uint8, 1));
    loop.begin();
    const MLOperand sum = loop.state(b.constant({float32, {2}}, std::vector<float>{0.5f, 0}));
    const MLOperand next = b.add(sum, b.gather(x, loop.iteration()));
    const auto made = loop.finish({next}, {b.reshape(next, {1, 2})}, {}, "sums");
    last = made.at(0), all = made.at(1);
  }
};

}  // namespace

TEST_CASE("a loop over an open dimension: shapes and results") {
  Sums s;
  CHECK(s.last.shape() == Dims{2});
  const auto dimensions = s.all.dimensions();
  REQUIRE(dimensions.has_value());
  CHECK((dimensions->size() == 2 && dimensions->at(0) == MLDimension("rows")));
  const MLGraph graph = s.b.build({{"last", s.b.neg(s.last)}, {"all", s.all}});
  REQUIRE(graph.graph().size() > 1);
  for (const std::uint32_t n : {1u, 2u, 5u, 300u}) {
    std::vector<float> x(2 * n), last(2), all(2 * n);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 3;
    const Dims shape{n, 2};
    const std::vector<NamedInput> in{{"x", InputView(x, shape)}};
    s.context.compute(graph, in, std::vector<NamedOutput>{{"last", last}, {"all", all}});
    float sums[2] = {0.5f, 0};
    for (std::size_t i = 0; i < x.size(); ++i) {
      sums[i % 2] += x[i];
      CHECK(all[i] == sums[i % 2]);
    }
    CHECK((last[0] == -sums[0] && last[1] == -sums[1]));
  }
  const MLGraph fixed = graph.prepare({{"x", {3, 2}}});
  CHECK(to_text(fixed.graph()).find("loop") == std::string::npos);
  CHECK(to_text(graph.graph()).find("loop(") != std::string::npos);
  CHECK(to_text(graph.graph()).find("placeholder") == std::string::npos);
}

TEST_CASE("a loop over an open dimension: what is refused") {
  const MLContext context = plain_context();
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {"rows", 2}}), n = b.input("n", {int64, {}});
  const MLOperand one = b.constant(uint8, 1);
  const auto repeated = [&](const MLOperand& trips, const MLOperand& going) {
    LoopRecorder loop(b, trips, going);
    loop.begin();
    const MLOperand v = loop.state(x);
    loop.finish({b.add(v, v)}, {}, {}, "twice");
  };
  const MLOperand rows = b.cast(b.dimension(x, 0), int64);
  CHECK(thrown([&] { repeated(n, one); }) ==
        "TypeError loop [twice]: the number of iterations follows from the values of input \"n\", "
        "not from shapes and constants alone.");
  CHECK(thrown([&] { repeated(rows, b.cast(n, uint8)); }) ==
        "TypeError loop [twice]: the condition follows from the values of input \"n\", not from "
        "shapes and constants alone.");
  // The builder is as it was.
  repeated(rows, one);
  // An operator of the body that no size allows.
  LoopRecorder loop(b, rows, one);
  loop.begin();
  const MLOperand v = loop.state(x);
  CHECK(thrown([&] { b.reshape(v, {3, 5}); }).starts_with("TypeError reshape: "));
}
