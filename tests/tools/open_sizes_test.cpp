// Models whose dimensions stay open: the sizes that subcommands take, guess and advise.
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "tests/tools/command.h"
#include "tools/webnn/data/npy.h"
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

TEST_CASE("open sizes: multiples, and the sizes below that are rounded up to them") {
  MLContext context;
  MLGraphBuilder b(context);
  const auto halved = [&](const MLOperand& x) {
    return b.maxPool2d(x,
                       {.windowDimensions = {{3, 3}}, .padding = {1, 1, 1, 1}, .strides = {2, 2}});
  };
  const MLOperand x = b.input("x", {float32, {1, 1, "height", 8}});
  const MLOperand once = halved(x);
  const MLOperand thrice = halved(halved(once));
  const MLGraph graph = b.build({{"y", b.add(once, b.resample2d(thrice, {.scales = {4, 4}}))}});
  using namespace webnn::tool;
  // Halves of 1 and 2 are one row, which is added to each of four.
  CHECK(accepted_sizes(graph, {{"height", 12}}) ==
        "height can be a multiple of 8, or up to 1 less");
  CHECK(accepted_sizes(graph, {{"height", 700}}) ==
        "height must be a multiple of 8, or up to 1 less");
}

TEST_CASE("open sizes: multiples of numbers that are far apart") {
  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {"length"}});
  const MLOperand rows = b.reshapeTo2d(b.averagePool2d(
      b.reshapeDynamic(x, b.concat({b.constant({uint32, {3}}, {1u, 1u, 1u}), b.shape(x)}, 0)),
      {.windowDimensions = {{1, 300}}, .strides = {1, 300}}));
  const MLOperand again = b.tileDynamic(rows, b.constant({uint32, {2}}, {1u, 300u}));
  const MLGraph graph = b.build({{"y", b.add(b.reshapeTo2d(x, {.axis = 0}), again)}});
  using namespace webnn::tool;
  CHECK(accepted_sizes(graph, {{"length", 310}}) == "length must be a multiple of 300");
  CHECK(accepted_sizes(graph, {{"length", 580}}) == "length must be a multiple of 300");
}

TEST_CASE("open sizes: two of several dimensions are found") {
  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {"batch", "a", "b", "c"}});
  const MLGraph graph = b.build({{"y", b.slice(x, {0, 0, 0, 0}, {1, 1, 6, 6})}});
  CHECK(webnn::tool::accepted_sizes(graph, {{"batch", 1}, {"a", 2}, {"b", 4}, {"c", 5}}) ==
        "b and c must be at least 6");
}

TEST_CASE("open sizes: what is a batch") {
  const MLContext context;
  const auto guessed = [&](const std::string& input, MLDimensions shape) {
    MLGraphBuilder b(context);
    const MLGraph g = b.build({{"y", b.relu(b.input(input, {float32, std::move(shape)}))}});
    const auto all = webnn::tool::open_dimensions(g.graph());
    return webnn::tool::is_batch(all.at(0));
  };
  for (const char* name : {"batch", "Batch_Size", "N", "b", "decoder_batch", "x_axis0", "unk__6"}) {
    CAPTURE(name);
    CHECK(guessed("x", {name, 2}));
  }
  CHECK(guessed("x", {3, "batch"}));
  CHECK_FALSE(guessed("x", {"N"}));
  CHECK_FALSE(guessed("x", {3, "N"}));
  CHECK_FALSE(guessed("x", {"sequence", 2}));
  CHECK_FALSE(guessed("x", {2, "x_axis1"}));
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
  CHECK(j["dimensions"].size() == 3);
  CHECK(j["dimensions"][1] == Json({{"name", "height"}, {"min", 1}, {"max", 2147483647}}));
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

TEST_CASE("open sizes: files of inputs have sizes, and caches may be empty") {
  const Folder folder;
  const std::string net = folder.write("cache.webnn", std::string(R"(webnn_graph "cache" v2 {
  inputs { past: f32[dyn("past", 8, 0), 2]; x: f32["rows", 2]; }
  nodes { y = concat(past, x, axis=0); }
  outputs { y; }
}
)"));
  CHECK(contains(webnn_command({"info", net}).out, "sizes       past 0 to 8\n"));
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const std::string rows =
      folder.write("rows.npy", tool::npy_of({float32, {3, 2}}, std::as_bytes(std::span(values))));
  Outcome o = webnn_command({"run", net, "--dim", "past=2", "--input", "x=" + rows, "--json"});
  INFO(o.err);
  REQUIRE(o.code == 0);
  CHECK(o.json()["outputs"][0]["shape"] == Json::array({5, 2}));
  o = webnn_command({"run", net, "--dim", "past=0", "--input", "x=" + rows, "--json"});
  INFO(o.err);
  REQUIRE(o.code == 0);
  CHECK(o.json()["outputs"][0]["shape"] == Json::array({3, 2}));
  o = webnn_command({"run", net, "--dim", "past=9", "--input", "x=" + rows});
  CHECK(o.code == 1);
  CHECK(contains(o.err, "past must be at most 8"));
  o = webnn_command({"run", net, "--dim", "past=1", "--dim", "rows=4", "--input", "x=" + rows});
  CHECK(o.code == 2);
  CHECK(contains(o.err, "dimension \"rows\" is given as 4 and as 3"));
}

TEST_CASE("open sizes: bench measures sizes that change") {
  const Folder folder;
  const std::string net = neck(folder);
  const std::vector<std::string> fixed{"bench", net, "--dim", "width=8", "--threads", "1"};
  const auto bench = [&](std::vector<std::string> more) {
    std::vector<std::string> all = fixed;
    all.insert(all.end(), more.begin(), more.end());
    return webnn_command(all);
  };
  Outcome o = bench({"--dim", "height=8..64:4", "--random", "--runs", "40", "--json"});
  INFO(o.err);
  REQUIRE(o.code == 0);
  CHECK(contains(o.err, "dimension \"batch\" is 1"));
  Json j = o.json();
  CHECK(j["sizes"] ==
        Json({{"batch", 1}, {"width", 8}, {"height", {{"first", 8}, {"last", 64}, {"step", 4}}}}));
  const int fresh = j["new_sizes"]["runs"].get<int>();
  CHECK(fresh > 5);
  CHECK(fresh <= 15);
  CHECK(j["microseconds"]["runs"] == 40);
  CHECK(j["known_sizes"]["runs"] == 40);  // each new one is run again
  CHECK(j["extra_of_new_sizes"]["runs"] == fresh);
  CHECK(j["new_sizes"]["median"].get<double>() > j["known_sizes"]["median"].get<double>());
  o = bench({"--dim", "height=8..20:4", "--runs", "6", "--json"});
  REQUIRE(o.code == 0);
  CHECK(o.json()["new_sizes"]["runs"] == 4);
  o = bench({"--dim", "height=8..20:4", "--runs", "6"});
  CHECK(contains(o.out, "height from 8 to 20 in steps of 4, in turn"));
  CHECK(contains(o.out, "first runs of new sizes"));
  o = bench({"--dim", "height=8..64", "--runs", "6"});
  CHECK(o.code == 1);
  CHECK(contains(o.err, "height must be a multiple of 4: concat [neck.3]"));
  for (const char* wrong : {"height=8..", "height=..8", "height=9..8", "height=8..16:0",
                            "height=8..16:", "=8..16", "height=0..4", "height=1..4294967296"}) {
    CAPTURE(wrong);
    o = bench({"--dim", wrong});
    CHECK(o.code == 2);
    CHECK(contains(o.err, "is not a name and sizes"));
  }
  CHECK(contains(bench({"--dim", "height=8", "--random"}).err, "--random: no --dim has a range"));
  CHECK(contains(bench({"--dim", "height=8..16:4", "--csv"}).err, "--csv needs one size"));
  CHECK(contains(bench({"--dim", "height=8..16:4", "--dim", "height=8"}).err, "is given twice"));
  CHECK(contains(bench({"--dim", "depth=8..16"}).err, "no open dimension of that name"));
  CHECK(contains(webnn_command({"run", net, "--dim", "height=8..16"}).err,
                 "is not a name and a size"));
}

TEST_CASE("open sizes: convert keeps them, or fixes those that are given") {
  const Folder folder;
  const std::string net = neck(folder), copy = folder.path("copy.webnn");
  CHECK(webnn_command({"convert", net, copy}).code == 0);
  CHECK(contains(folder.read("copy.webnn"), "dyn(\"height\", 2147483647)"));
  CHECK(webnn_command({"convert", net, folder.path("fixed.webnn"), "--shape", "x=1x1x8x8"}).code ==
        0);
  CHECK(contains(folder.read("fixed.webnn"), "x: f32[1, 1, 8, 8]"));
  CHECK(webnn_command({"convert", net, folder.path("some.webnn"), "--dim", "batch=1"}).code == 0);
  CHECK(contains(folder.read("some.webnn"), "x: f32[1, 1, dyn(\"height\", 2147483647)"));
  const Outcome refused = webnn_command({"convert", net, folder.path("net.nnrt")});
  CHECK(refused.code == 1);
  CHECK(contains(refused.err,
                 "input \"x\" has an open dimension, 0 (\"batch\"), which cannot be "
                 "written"));
}

TEST_CASE("open sizes: what webnn compile writes keeps them") {
  const Folder folder;
  const std::string model = neck(folder), net = folder.path("net.webnnc");
  const auto run = [](const std::string& path, const std::vector<std::string>& sizes) {
    std::vector<std::string> all{"run", path, "--seed", "7", "--json"};
    all.insert(all.end(), sizes.begin(), sizes.end());
    return webnn_command(all);
  };
  REQUIRE(webnn_command({"compile", model, "-o", net}).code == 0);
  for (const std::string size : {"8", "12"}) {
    const std::vector<std::string> sizes{"--dim", "height=" + size, "--dim", "width=8"};
    const Outcome compiled = run(net, sizes);
    REQUIRE(compiled.code == 0);
    CHECK(compiled.json()["outputs"] == run(model, sizes).json()["outputs"]);
  }
  CHECK(run(net, {}).code == 2);
  // Sizes that are given are those of the file.
  REQUIRE(webnn_command({"compile", model, "-o", net, "--dim", "batch=2", "--dim", "height=8",
                         "--dim", "width=8"})
              .code == 0);
  CHECK(run(net, {}).code == 0);
  const Outcome refused = run(net, {"--dim", "height=12"});
  CHECK(refused.code == 2);
  CHECK(contains(refused.err, "this compiled graph has no open dimensions"));
}
