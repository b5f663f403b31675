// Models of OpenHarmony's NNRt in the command.
#include "tests/support/catch.h"
#include "tests/tools/models.h"
#include "tests/tools/same_model.h"

using namespace webnn::test;

namespace {

TEST_CASE("nnrt: a model becomes one file, and the other way") {
  const Folder folder;
  for (const std::string& model : {colors_model(folder), quantized_colors_model(folder)}) {
    const std::string net = folder.path("net.nnrt");
    const Outcome o = webnn_command({"convert", model, net, "--json"});
    REQUIRE(o.code == 0);
    CHECK(o.json()["format"] == "nnrt");
    CHECK(folder.read("net.nnrt").starts_with("NNRTMDL1"));
    check_same_model(folder, model, net);
  }
}

TEST_CASE("nnrt: every subcommand reads it") {
  const Folder folder;
  const std::string net = folder.path("net.nnrt");
  REQUIRE(webnn_command({"convert", two_inputs_model(folder), net}).code == 0);
  const Outcome info = webnn_command({"info", net});
  CHECK(info.code == 0);
  CHECK(contains(info.out, "product"));
  CHECK(contains(info.out, "NODE_TYPE_MUL_FUSION"));
  const Json j = webnn_command({"info", net, "--json"}).json();
  CHECK(j["format"] == "nnrt");
  CHECK(j["inputs"][0]["name"] == "a");
  CHECK(webnn_command({"run", net}).code == 0);
  CHECK(contains(webnn_command({"graph", net}).out, "digraph"));
  CHECK(webnn_command({"verify", net}).code == 0);
}

TEST_CASE("nnrt: a broken file is refused with its name and the place") {
  const Folder folder;
  const std::string net = folder.path("net.nnrt");
  REQUIRE(webnn_command({"convert", two_inputs_model(folder), net}).code == 0);
  std::string text = folder.read("net.nnrt");
  const std::size_t at = text.find("NODE_TYPE_MUL_FUSION");
  text.replace(at, 9, "MODE_TYPE");
  const std::string broken = folder.write("broken.nnrt", text);
  for (const char* command : {"info", "run"}) {
    const Outcome o = webnn_command({command, broken});
    CHECK(o.code == 1);
    CHECK(contains(o.err, "nnrt [" + broken + "]: nodes["));
    CHECK(contains(o.err, "nodeType (byte " + std::to_string(at - 1) +
                              "): \"MODE_TYPE_MUL_FUSION\" is not an enumerator"));
  }
}

}  // namespace
