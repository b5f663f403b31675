// webnn diff, in parts: which operators are compared, and how far quantized results may differ.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/support/catch.h"
#include "tools/webnn/model/align.h"
#include "tools/webnn/model/comparison.h"
#include "tools/webnn/model/growth.h"
#include "webnn/backend.h"
#include "webnn/webnn.h"

namespace {

webnn::Graph chain(const std::string& operators) {
  webnn::MLGraphBuilder b(webnn::MLContext({.threads = 1, .backends = {"reference"}}));
  webnn::MLOperand x = b.input("x", {webnn::float32, {2, 2}});
  for (char c : operators) x = c == 'r' ? b.relu(x) : c == 't' ? b.tanh(x) : b.neg(x);
  return b.build({{"y", x}}).graph();
}
using Places = std::vector<std::pair<std::size_t, std::size_t>>;
Places places_of(const std::vector<webnn::tool::Pair>& pairs) {
  Places all;
  for (const auto& p : pairs) all.emplace_back(p.node_a, p.node_b);
  return all;
}

TEST_CASE("align: operators that compute the same thing") {
  const auto places = [](const std::string& a, const std::string& b) {
    return places_of(webnn::tool::align(chain(a), chain(b)));
  };
  CHECK(places("rtn", "rtn") == Places{{0, 0}, {1, 1}, {2, 2}});
  CHECK(places("rtn", "rn") == Places{{0, 0}});  // -relu(x) is not -tanh(relu(x))
  CHECK(places("nrt", "rrt").empty());
  CHECK(places("rrr", "rr") == Places{{0, 0}, {1, 1}});

  // Two branches in another order, with other attributes, and with other constants.
  const auto branches = [](bool swapped, float alpha, float weight) {
    webnn::MLGraphBuilder b(webnn::MLContext({.threads = 1, .backends = {"reference"}}));
    const auto x = b.input("x", {webnn::float32, {2, 2}});
    const auto p = b.constant({webnn::float32, {2, 2}}, {1.f, 2.f, 3.f, 4.f});
    const auto q = b.constant({webnn::float32, {2, 2}}, {weight, 1.f, 1.f, 1.f});
    const auto first = b.matmul(x, swapped ? q : p), second = b.matmul(x, swapped ? p : q);
    const auto y = swapped ? b.sub(second, first) : b.sub(first, second);
    return b.build({{"y", b.elu(y, {.alpha = alpha})}}).graph();
  };
  using webnn::tool::align;
  const webnn::Graph g = branches(false, 1, 5);
  const auto all = align(g, branches(true, 1, 5));
  REQUIRE(all.size() == 4);
  for (const auto& p : all) CHECK(p.same_constants);
  CHECK(all[0].node_b != all[1].node_b);
  const auto value_of = [](const webnn::Graph& graph, std::size_t node) {
    float v = 0;
    std::memcpy(&v, graph.node(node).input(1).constant()->bytes().data(), sizeof v);
    return v;
  };
  const webnn::Graph swapped = branches(true, 1, 5);
  for (std::size_t i : {0u, 1u})
    CHECK(value_of(g, all[i].node_a) == value_of(swapped, all[i].node_b));
  CHECK(align(g, branches(false, 2, 5)).size() == 3);
  std::size_t same = 0;
  const auto others = align(g, branches(false, 1, 6));
  REQUIRE(others.size() == 4);
  for (const auto& p : others) same += p.same_constants;
  CHECK(same == 1);
}

TEST_CASE("align: of a quantized counterpart a longest common sequence of operators") {
  const auto places = [](const std::string& a, const std::string& b) {
    return places_of(webnn::tool::align_quantized(chain(a), chain(b)));
  };
  CHECK(places("rtn", "rtn") == Places{{0, 0}, {1, 1}, {2, 2}});
  CHECK(places("rtn", "rn") == Places{{0, 0}, {2, 1}});
  CHECK(places("nrt", "trn").size() == 1);
  CHECK(places("rrr", "ttt").empty());
}

/// Quantized results, the first with the label "first", each other one twice the one before.
webnn::MLGraph doubling(const webnn::MLContext& context, int length) {
  webnn::MLGraphBuilder b(context);
  const auto s = b.constant({webnn::float32, {1}}, {1.f});
  const auto z = b.constant({webnn::int8, {1}}, {std::int8_t{0}});
  webnn::MLOperand x = b.input("x", {webnn::int8, {8}});
  for (int i = 0; i < length; ++i) {
    const auto real = b.dequantizeLinear(x, s, z);
    if (i) x = b.quantizeLinear(b.mul(real, b.constant({webnn::float32, {1}}, {2.f})), s, z);
    else x = b.quantizeLinear(b.neg(real), s, z, {.label = "first"});
  }
  return b.build({{"q", x}, {"y", b.dequantizeLinear(x, s, z)}});
}
const std::vector<std::int8_t> ones(8, 1);
webnn::tool::Feeds feeds_of_ones() {
  const auto bytes = std::as_bytes(std::span(ones));
  return {{"x", {webnn::int8, {8}}, {bytes.begin(), bytes.end()}, ""}};
}

TEST_CASE("growth: of one unit of each quantized operator") {
  const webnn::MLContext context({.threads = 1, .backends = {"reference"}});
  const webnn::MLGraph g = doubling(context, 4);
  std::vector<webnn::MLOperand> results;
  for (std::size_t i = 0; i < g.graph().size(); ++i)
    if (g.graph().node(i).as<webnn::ops::quantizeLinear>())
      results.push_back(g.graph().node(i).output());
  results.push_back(g.graph().outputs()[1].operand);
  // e(0) = 1, e(i) = 2 e(i - 1) + 1; the last is the same as a float.
  CHECK(webnn::tool::growth_of(context, g.graph(), results, feeds_of_ones()) ==
        std::vector<double>{1, 3, 7, 15, 15});
  const auto floats = chain("rt");
  CHECK(webnn::tool::growth_of(context, floats, {floats.outputs()[0].operand}, {}) ==
        std::vector<double>{0});
}

/// Quantizes, and is off by some units: in the operator with the label "first", and in others.
struct OffByUnits final : webnn::Backend {
  OffByUnits(int first, int others) : first_(first), others_(others) {}
  std::string_view name() const override { return "off"; }
  webnn::Lowering lower(webnn::Chain chain) const override {
    if (chain.size() != 1 || !chain.front().as<webnn::ops::quantizeLinear>())
      return webnn::Refusal{"not a quantizeLinear"};
    const int off = chain.front().label() == "first" ? first_ : others_;
    return webnn::Candidate{
        .name = "off", .run = [off](webnn::Range, const webnn::Buffers& b, std::byte*) {
          for (std::size_t i = 0; i < ones.size(); ++i)
            b.out<std::int8_t>()[i] =
                static_cast<std::int8_t>(std::lround(b.in<float>()[i] / *b.in<float>(1)) + off);
        }};
  }

 private:
  int first_, others_;
};

webnn::tool::Side side_of(const webnn::MLContext& context) {
  return {context, doubling(context, 4), feeds_of_ones(), {{}, {}}};
}

TEST_CASE("diff: quantized results by what one unit of each operator grows to") {
  const webnn::MLContext plain({.threads = 1, .backends = {"reference"}});
  const auto compared = [&](int first, int others, const webnn::tool::CompareOptions& o = {}) {
    const webnn::MLContext off(
        {.threads = 1, .backends = {std::make_shared<OffByUnits>(first, others), "reference"}});
    return webnn::tool::compare(side_of(plain), side_of(off), o);
  };
  const auto right = compared(1, 1);
  CHECK(right.agrees());
  REQUIRE(right.outputs.size() == 2);
  for (const auto& x : right.outputs) {
    CHECK(x.distances.largest == 15);
    CHECK(x.verdict.growth == 15);
    CHECK(webnn::tool::word_of(x.verdict, x.distances) == "within tolerance");
  }
  CHECK(
      webnn::tool::elements_text(right.outputs[0].verdict, right.outputs[0].distances) ==
      "8 of 8 elements differ, by 15 units at most; one unit for each quantized operator grows to "
      "15");
  CHECK(right.operators.size() == 5);  // four of quantizeLinear, and the float output
  CHECK(compared(1, 1, {.each = true}).agrees());
  CHECK_FALSE(compared(1, 1, {.tolerance = 1e-4}).agrees());  // what is asked for, and no more

  // An operator that is wrong is not hidden by those around it.
  const auto wrong = compared(2, 0);
  REQUIRE_FALSE(wrong.agrees());
  REQUIRE(wrong.first());
  CHECK(wrong.first()->name == "first");
  CHECK(wrong.first()->distances.largest == 2);
  CHECK(wrong.first()->verdict.growth == 1);
  const auto second = compared(0, 4);
  CHECK_FALSE(second.agrees());
  CHECK(second.first() == &second.operators[1]);
  // What could come from operators before is found where they are left out.
  const auto hidden = compared(0, 2);
  CHECK(std::all_of(hidden.operators.begin(), hidden.operators.end(),
                    [](const auto& x) { return x.verdict.agrees; }));
  CHECK_FALSE(hidden.agrees());
  REQUIRE(hidden.alone.size() == 5);
  CHECK(hidden.first() == &hidden.alone[1]);
  const auto each = compared(0, 2, {.each = true});
  CHECK_FALSE(each.agrees());
  CHECK(each.alone.empty());
  CHECK(each.first() == &each.operators[1]);
  CHECK_FALSE(compared(2, 0, {.each = true}).operators[0].verdict.agrees);
  CHECK(compared(2, 0, {.each = true}).operators[1].verdict.agrees);
}

}  // namespace
