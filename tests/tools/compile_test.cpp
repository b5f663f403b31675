// webnn compile, and compiled graphs in the other subcommands.
#include "tests/support/catch.h"
#include "tests/tools/models.h"

using namespace webnn::test;

TEST_CASE("compile: a compiled graph runs as the model does") {
  const Folder folder;
  for (const std::string& model :
       {colors_model(folder), quantized_colors_model(folder), product_model(folder)}) {
    CAPTURE(model);
    const std::string net = folder.path("net.webnnc"), golden = folder.path("golden");
    const Outcome o = webnn_command({"compile", model, "-o", net, "--json"});
    REQUIRE(o.code == 0);
    CHECK(o.json()["output"] == net);
    CHECK(o.json()["load_ms"] > 0);
    CHECK(o.json()["bytes"] == std::filesystem::file_size(net));
    REQUIRE(webnn_command({"run", model, "--seed", "7", "--output-dir", golden}).code == 0);
    CHECK(webnn_command({"run", net, "--seed", "7", "--golden", golden, "--tolerance", "0"}).code ==
          0);
    CHECK(webnn_command({"run", net, "--seed", "8", "--golden", golden, "--tolerance", "0"}).code ==
          3);
    const Outcome info = webnn_command({"info", net, "--json"});
    REQUIRE(info.code == 0);
    const Json of_model = webnn_command({"info", model, "--json"}).json();
    CHECK(info.json()["format"] == "compiled");
    CHECK(info.json()["inputs"] == of_model["inputs"]);  // with their quantization
    CHECK(info.json()["outputs"] == of_model["outputs"]);
    CHECK(info.json()["steps"] == of_model["steps"]);
    CHECK(webnn_command({"bench", net, "--runs", "2", "--json"}).code == 0);
    const Outcome explained = webnn_command({"explain", net});
    CHECK(explained.code == 0);
  }
}

TEST_CASE("compile: what is refused") {
  const Folder folder;
  const std::string model = colors_model(folder), net = folder.path("net.webnnc");
  REQUIRE(webnn_command({"compile", model, "-o", net, "--backends", "reference"}).code == 0);
  const Outcome other = webnn_command({"run", net, "--seed", "7"});
  CHECK(webnn_command({"run", net, "--seed", "7", "--backends", "reference"}).code == 0);
  if (other.code != 0)  // this build has other backends
    CHECK(contains(other.err,
                   "net.webnnc]: it was compiled for backend order reference; this "
                   "context has "));
  const std::vector<std::string> same{"--backends", "reference"};
  CHECK(webnn_command({"run", net, "--shape", "pixels=1x4x4x3", same[0], same[1]}).code == 2);
  CHECK(webnn_command({"convert", model, folder.path("b.webnnc")}).code == 2);  // no model
  std::string bytes = folder.read("net.webnnc");
  bytes[5000] = static_cast<char>(bytes[5000] ^ 1);
  const std::string damaged = folder.write("damaged.webnnc", bytes);
  const Outcome o = webnn_command({"run", damaged, same[0], same[1]});
  CHECK(o.code == 1);
  CHECK(contains(o.err, "it is damaged: the checksum of its graph is wrong"));
  CHECK(webnn_command({"compile", folder.path("none.tflite")}).code == 1);
  CHECK(webnn_command({"compile", model, "-o", "-"}).code == 2);
}
