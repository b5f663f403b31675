// Models whose dimensions stay open: the sizes that subcommands take, guess and advise.
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "tests/tools/command.h"
#include "tools/webnn/model/sizes.h"
#include "webnn/webnn.h"

using namespace webnn;
using namespace webnn::test;

namespace {

/// Halves the image twice, and doubles it twice to join it with itself: sizes are multiples of 4.
std::string neck(const Folder& folder) {
  return folder.write("neck.webnn", std::string(R"(webnn_graph "neck" v2 {
  inputs { x: f32["batch", 1, "height", "width"]; }
  nodes {
    down = maxPool2d(x, windowDimensions=[2, 2], strides=[2, 2]);
    deep = maxPool2d(down, windowDimensions=[2, 2], strides=[2, 2]);
    up = resample2d(deep, scales=[4.0, 4.0]);
    y = concat(x, up, axis=1, label="neck.3");
  }
  outputs { y; }
}
)"));
}

}  // namespace

TEST_CASE("open sizes: the sizes that a model accepts are found by trying") {
  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {"batch", 1, "height", "width"}});
  const MLOperand down = b.maxPool2d(x, {.windowDimensions = {{4, 4}}, .strides = {4, 4}});
  const MLGraph graph = b.build({{"y", b.concat({x, b.resample2d(down, {.scales = {4, 4}})}, 1)}});
  using namespace webnn::tool;
  CHECK(accepted_sizes(graph, {{"batch", 1}, {"height", 7}, {"width", 8}}) ==
        "height must be a multiple of 4");
  CHECK(accepted_sizes(graph, {{"batch", 1}, {"height", 700}, {"width", 7}}) ==
        "width must be a multiple of 4");
  CHECK(accepted_sizes(graph, {{"batch", 1}, {"height", 7}, {"width", 7}}) ==
        "height and width must be multiples of 4");
  MLGraphBuilder c(context);
  const MLOperand z = c.input("z", {float32, {"n", "length"}});
  const MLOperand w = c.constant({float32, {3, 2}}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f});
  const MLGraph fixed =
      c.build({{"y", c.matmul(c.slice(z, {0, 0}, {1, 3}), w)}, {"z", c.add(z, z)}});
  CHECK(accepted_sizes(fixed, {{"n", 1}, {"length", 2}}) == "length must be at least 3");
}

TEST_CASE("open sizes: info shows names and needs no sizes") {
  const Folder folder;
  const std::string net = neck(folder);
  const Outcome o = webnn_command({"info", net});
  CHECK(o.code == 0);
  CHECK(contains(o.out, "float32 [batch, 1, height, width]"));
  const Json j = webnn_command({"info", net, "--json"}).json();
  CHECK(j["inputs"][0]["shape"] == Json::array({"batch", 1, "height", "width"}));
  CHECK(j["macs"].is_null());
  CHECK(webnn_command(
            {"info", net, "--dim", "batch=1", "--dim", "height=8", "--dim", "width=8", "--json"})
            .json()["inputs"][0]["shape"] == Json::array({1, 1, 8, 8}));
}

TEST_CASE("open sizes: subcommands take sizes, guess a batch, and say what is missing") {
  const Folder folder;
  const std::string net = neck(folder);
  for (const std::string command : {"run", "explain", "graph", "verify", "diff"}) {
    CAPTURE(command);
    const Outcome o = webnn_command({command, net, "--dim", "height=8", "--dim", "width=12"});
    CHECK(o.code == 0);
    CHECK(contains(o.err, "dimension \"batch\" is 1; --dim batch=N gives another size"));
  }
  const Outcome given = webnn_command({"run", net, "--shape", "x=2x1x8x12", "--json"});
  CHECK(given.code == 0);
  CHECK(given.err.empty());
  CHECK(given.json()["outputs"][0]["shape"] == Json::array({2, 2, 8, 12}));
  const Outcome missing = webnn_command({"run", net});
  CHECK(missing.code == 2);
  CHECK(contains(missing.err,
                 "open dimensions need a size: \"height\" (dimension 2 of input \"x\"), \"width\" "
                 "(dimension 3 of input \"x\"); give it with --dim height=N --dim width=N"));
  const Outcome wrong = webnn_command({"run", net, "--dim", "height=7", "--dim", "width=8"});
  CHECK(wrong.code == 1);
  CHECK(contains(wrong.err, "height must be a multiple of 4: concat [neck.3]"));
  CHECK(contains(webnn_command({"run", net, "--dim", "depth=7"}).err,
                 "--dim depth: the model has no open dimension of that name"));
}

TEST_CASE("open sizes: convert keeps them, or fixes those that are given") {
  const Folder folder;
  const std::string net = neck(folder), copy = folder.path("copy.webnn");
  CHECK(webnn_command({"convert", net, copy}).code == 0);
  CHECK(contains(folder.read("copy.webnn"), "dyn(\"height\", 2147483647)"));
  CHECK(webnn_command({"convert", net, folder.path("fixed.webnn"), "--shape", "x=1x1x8x8"}).code ==
        0);
  CHECK(contains(folder.read("fixed.webnn"), "x: f32[1, 1, 8, 8]"));
}
