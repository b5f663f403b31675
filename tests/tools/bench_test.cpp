// webnn bench: callers, golden outputs, tables for programs, Ctrl-C, and what a machine can do.
#include <algorithm>
#include <cstring>

#include "tests/support/catch.h"
#include "tests/tools/models.h"
#include "tools/webnn/data/golden.h"
#include "tools/webnn/data/npy.h"
#include "tools/webnn/model/limits.h"
#include "tools/webnn/model/measure.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::tool {
namespace {

using test::contains;
using test::Folder;
using test::Json;
using test::Outcome;
using test::webnn_command;

TEST_CASE("bench: loading, the first run, memory, and several callers") {
  const Folder folder;
  const std::string model = test::colors_model(folder);
  const Outcome o =
      webnn_command({"bench", model, "--runs", "7", "--callers", "3", "--threads", "2", "--json"});
  INFO(o.err);
  REQUIRE(o.code == 0);
  const Json j = o.json();
  CHECK(j["callers"] == 3);
  CHECK(j["runs"] == 21);
  CHECK(j["interrupted"] == false);
  for (const char* name :
       {"read_ms", "build_ms", "first_microseconds", "runs_per_second", "peak_bytes"})
    CHECK(j[name].get<double>() > 0);
  CHECK(j["peak_bytes"].get<double>() > 1e6);
  CHECK_FALSE(j["limit"]["memory"].empty());
  const Outcome text = webnn_command({"bench", model, "--runs", "2", "--callers", "2"});
  CHECK(contains(text.out, "4 runs of 2 callers"));
  CHECK(contains(text.out, "first run "));
  CHECK(contains(text.out, "runs/s"));
  CHECK(webnn_command({"bench", model, "--callers", "0"}).code == 2);
}

TEST_CASE("bench: Ctrl-C prints what was measured") {
  const Folder folder;
  const std::string model = test::colors_model(folder);
  // Before the process handles SIGINT, which is the second bit, it measures nothing.
  const Outcome o = test::run_program(
      {"sh", "-c",
       "\"$@\" & p=$!; until grep -Eq '^(State:.Z|SigCgt:.*[2367abef]$)' /proc/$p/status; "
       "do sleep 0.01; done; kill -INT $p; wait $p",
       "sh", WEBNN_COMMAND, "bench", model, "--seconds", "600", "--warmup", "0"});
  INFO(o.out << o.err);
  CHECK(o.code == 130);
  CHECK(contains(o.out, ", interrupted\n"));
  CHECK(contains(o.out, "median "));
}

TEST_CASE("bench: a table for other programs") {
  const Folder folder;
  const std::string model = test::colors_model(folder);
  const Outcome o = webnn_command({"bench", model, "--runs", "3", "--csv", "--steps"});
  REQUIRE(o.code == 0);
  CHECK(o.out.rfind(
            "operators,label,kernel,count,microseconds,share,macs,gflops,of_limit\ngraph,,,", 0) ==
        0);
  std::size_t lines = 0;
  for (std::size_t at = 0, end; (end = o.out.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string line = o.out.substr(at, end - at);
    CHECK(std::count(line.begin(), line.end(), ',') == 8);
    ++lines;
  }
  CHECK(lines >= 4);
  CHECK(webnn_command({"bench", model, "--csv", "--json"}).code == 2);
}

TEST_CASE("golden: outputs are compared with files, by run and by bench") {
  const Folder folder;
  const std::string model = test::two_inputs_model(folder), golden = folder.path("golden");
  REQUIRE(webnn_command({"run", model, "--output-dir", golden}).code == 0);
  for (const char* command : {"run", "bench"}) {
    std::vector<std::string> words = {command, model, "--golden", golden};
    if (command == std::string("bench")) words.insert(words.end(), {"--runs", "2"});
    Outcome o = webnn_command(words);
    CHECK(o.code == 0);
    CHECK(contains(o.out, "sum.npy: the same, 0 of 6 elements differ"));
    words.insert(words.end(), {"--seed", "9"});
    o = webnn_command(words);
    CHECK(o.code == 3);
    CHECK(contains(o.out, "product.npy: DIFFERS"));
    words.push_back("--json");
    CHECK(webnn_command(words).json()["golden"][0]["agrees"] == false);
  }
  // Within tolerance, in words: the last element of an output by a millionth.
  std::string sum = folder.read("golden/sum.npy");
  float v = 0;
  std::memcpy(&v, sum.data() + sum.size() - 4, 4);
  v += 1e-6f;
  std::memcpy(sum.data() + sum.size() - 4, &v, 4);
  folder.write("golden/sum.npy", sum);
  CHECK(contains(webnn_command({"run", model, "--golden", golden}).out,
                 "sum.npy: within tolerance, 1 of 6 elements differ, by "));
  const std::vector<float> four(4);
  folder.write("golden/sum.npy", npy_of({float32, {2, 2}}, std::as_bytes(std::span(four))));
  Outcome o = webnn_command({"run", model, "--golden", golden});
  CHECK(o.code == 1);
  CHECK(contains(o.err, "its shape [2, 2] is not that of the output, [2, 3]"));
  const std::vector<std::int32_t> six(6);
  folder.write("golden/sum.npy", npy_of({int32, {2, 3}}, std::as_bytes(std::span(six))));
  o = webnn_command({"run", model, "--golden", golden});
  CHECK(contains(o.err, "its type int32 is not that of the output, float32"));
  o = webnn_command({"run", model, "--golden", folder.path("none")});
  CHECK(o.code == 1);
  CHECK(contains(o.err, "there is no such file"));
}

TEST_CASE("golden: the names of outputs as names of files") {
  const MLOperandDescriptor d{float32, {1}};
  CHECK(file_names({{"a/b", d}, {"a_b", d}, {"", d}, {"..", d}}) ==
        std::vector<std::string>{"a_b", "a_b_1", "output_2", "output_3"});
}

/// The cost of the only step of a graph.
Cost cost(const MLGraph& graph) { return cost_of(graph.graph()); }

TEST_CASE("cost: rows of a table of few bits are counted, not the table") {
  MLContext context({.backends = {"reference"}});
  MLGraphBuilder b(context);
  const MLOperand table =
      b.dequantizeLinear(b.constant({int8, {1000, 64}}, std::vector<std::int8_t>(64000, 3)),
                         b.constant({float32, {1000, 2}}, std::vector<float>(2000, 0.5f)),
                         b.constant({int8, {1000, 2}}, std::vector<std::int8_t>(2000, 0)));
  const MLGraph g = b.build({{"y", b.gather(table, b.input("i", {int32, {5}}))}});
  std::vector<Node> chain;
  for (std::size_t i = 0; i < g.graph().size(); ++i) chain.push_back(g.graph().node(i));
  REQUIRE(chain.size() == 2);
  const Cost c = cost_of(chain);
  CHECK(c.read == 5 * (64 + 2 * 4 + 2) + 5 * 4);
  CHECK(c.written == 5 * 64 * 4);
  CHECK(c.operations == 5 * 64);
}

TEST_CASE("cost: multiplications with padding are not counted for the limit") {
  const MLContext context({.threads = 1, .backends = {"reference"}});
  const std::vector<float> filter(3 * 3 * 2 * 4);
  const auto conv = [&](MLConv2dOptions options) {
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {1, 2, 5, 4}});
    return cost(b.build(
        {{"y", b.conv2d(x, b.constant({float32, {4, 2, 3, 3}}, filter), std::move(options))}}));
  };
  // Counted by hand along each dimension: a window at each edge has one element less.
  const Cost same = conv({.padding = {1, 1, 1, 1}});
  CHECK(same.macs == 5 * 4 * 9 * 2 * 4);
  CHECK(same.products == (3 * 5 - 2) * (3 * 4 - 2) * 2 * 4);
  const Cost valid = conv({});
  CHECK(valid.products == valid.macs);
  // Rows 0, 2, 4 with a padding of 2 in front: windows at -2, 0, 2 of 3 elements, dilation 1.
  const Cost strided = conv({.padding = {2, 0, 0, 0}, .strides = {2, 1}});
  CHECK(strided.products == (1 + 3 + 3) * (2 * 3) * 2 * 4);
  // A dilated window at -1 and 0: the outer elements of the first are at -1 and 3.
  const Cost dilated = conv({.padding = {1, 0, 0, 0}, .dilations = {2, 1}});
  CHECK(dilated.products == (2 + 3) * (2 * 3) * 2 * 4);
}

TEST_CASE("limits: the larger of three times, at the rates of the size") {
  const Limits l{100, 400, {{1000, 80, 40}, {8000, 50, 60}, {64000, 10, 5}}};
  CHECK(l.at(10).read == 80);     // what is smaller than all has the rate of the smallest
  CHECK(l.at(1000).write == 60);  // more memory is never faster
  CHECK(l.at(9000).read == 50);
  CHECK(l.at(1e9).write == 5);
  Cost c{.macs = 1e6, .products = 5e5};
  CHECK(least_microseconds(c, false, "direct", l) == 1e4);
  CHECK(least_microseconds(c, true, "direct", l) == 2500);
  CHECK(least_microseconds(c, false, "winograd 4x4+relu", l) == 2500);
  c.read = 6.4e5;
  CHECK(least_microseconds(c, true, "int8", l) == 6.4e4);
  c.written = 6.4e5;
  CHECK(least_microseconds(c, true, "int8", l) == 12.8e4);
}

TEST_CASE("limits: no kernel is faster than what this machine is said to do") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  // A product that reads weights, one that computes, a sum that reads, and a copy.
  const std::vector<float> weights(1024 * 1024, 0.5f);
  const MLOperand w = b.constant({float32, {1024, 1024}}, weights);
  const MLOperand row = b.input("row", {float32, {1, 1024}}),
                  rows = b.input("rows", {float32, {256, 1024}});
  const MLGraph graph = b.build({{"a", b.gemm(row, w)},
                                 {"b", b.gemm(rows, w)},
                                 {"c", b.reduceSum(rows, {.axes = {0, 1}})},
                                 {"d", b.abs(rows)}});
  const GraphReport report = graph.report();
  // Other programs make what is measured less: the best of some measurements, as many as it takes.
  Limits l = measure_limits(1, 1 << 22);
  std::string exceeded;
  for (int attempt = 0; attempt < 20; ++attempt) {
    l = best_of(l, measure_limits(1, 1 << 22));
    const std::vector<double> us = context.profile(graph, 20);
    exceeded.clear();
    for (std::size_t i = 0; i < report.steps.size(); ++i) {
      const StepReport& s = report.steps[i];
      const double least = least_microseconds(cost_of(s.operators), false, s.kernel, l);
      if (least > 1.5 * us[i])
        exceeded += s.backend + ' ' + s.kernel + ": " + std::to_string(us[i]) + " us, at least " +
                    std::to_string(least) + '\n';
    }
    if (exceeded.empty()) break;
  }
  CHECK(exceeded == "");
}

TEST_CASE("percentile: between the two nearest") {
  CHECK(percentile({1, 2, 3, 4, 5}, 0.5) == 3);
  CHECK(percentile({1, 2}, 0.25) == 1.25);
  CHECK(percentile({7}, 0.99) == 7);
}

}  // namespace
}  // namespace webnn::inline v0_1::tool
