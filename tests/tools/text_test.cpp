// .webnn texts: converted, read by every subcommand, formatted.
#include "tests/support/catch.h"
#include "tests/tools/models.h"
#include "tests/tools/same_model.h"

using namespace webnn::test;

namespace {

TEST_CASE("text: a model becomes text and weights, and the other way") {
  const Folder folder;
  for (const std::string& model : {colors_model(folder), quantized_colors_model(folder)}) {
    const std::string net = folder.path("net.webnn");
    const Outcome o = webnn_command({"convert", model, net, "--json"});
    REQUIRE(o.code == 0);
    CHECK(o.json()["format"] == "webnn");
    CHECK(o.json()["beside"][0]["output"] == folder.path("net.safetensors"));
    CHECK(contains(folder.read("net.webnn"), "webnn_graph \"net\" v1 {\n  inputs {\n"));
    check_same_model(folder, model, net);
  }
  // On the standard output it is one file, with the weights in it.
  const std::string model = colors_model(folder);
  const Outcome out = webnn_command({"convert", model, "-", "--to", "webnn"});
  CHECK(contains(out.out, "@bytes(["));
  const std::string copy = folder.write("copy.bin", out.out);
  CHECK(webnn_command({"diff", copy, "--from", "webnn", model}).code != 0);  // both are texts then
  CHECK(webnn_command({"info", copy, "--from", "webnn"}).code == 0);
  CHECK(webnn_command({"convert", model, folder.path("a.safetensors"), "--to", "webnn"}).code == 2);
}

TEST_CASE("text: every subcommand reads it, and names the place of what is wrong") {
  const Folder folder;
  const std::string net = folder.path("net.webnn");
  REQUIRE(webnn_command({"convert", two_inputs_model(folder), net}).code == 0);
  CHECK(contains(webnn_command({"info", net}).out, "product"));
  CHECK(webnn_command({"run", net}).code == 0);
  CHECK(contains(webnn_command({"graph", net}).out, "digraph"));
  CHECK(webnn_command({"verify", net}).code == 0);
  std::string text = folder.read("net.webnn");
  text.replace(text.find("add("), 4, "adds(");
  const std::string broken = folder.write("broken.webnn", text);
  const Outcome o = webnn_command({"info", broken});
  CHECK(o.code == 1);
  CHECK(contains(o.err, "text [" + broken + ":"));
  CHECK(contains(o.err, "]: there is no operator \"adds\".\n  "));
  CHECK(contains(o.err, "^"));
}

TEST_CASE("fmt: in place, to a file, and as a check") {
  const Folder folder;
  const std::string messy = "webnn_graph \"g\" v1 {inputs{x:f32[1];}nodes{y=relu(x);}outputs{y}}";
  const std::string a = folder.write("a.webnn", messy), b = folder.write("b.webnn", messy);
  CHECK(webnn_command({"fmt", "--check", a, b}).code == 3);
  CHECK(folder.read("a.webnn") == messy);
  const Outcome o = webnn_command({"fmt", a, "-o", "-"});
  CHECK(o.code == 0);
  CHECK(contains(o.out, "  nodes {\n    y = relu(x);\n  }\n\n  outputs { y; }\n}\n"));
  CHECK(webnn_command({"fmt", a, b, "--json"}).json()["files"][1]["changes"] == true);
  CHECK(folder.read("b.webnn") == o.out);
  CHECK(webnn_command({"fmt", "--check", a, b}).code == 0);
  CHECK(webnn_command({"fmt", folder.write("c.webnn", std::string("graph"))}).code == 1);
  CHECK(webnn_command({"fmt", a, b, "-o", "-"}).code == 2);
  CHECK(webnn_command({"fmt"}).code == 2);
}

}  // namespace
