// Chromium's GraphInfo, and from each format that is read to each that is written.
#include "tests/support/catch.h"
#include "tests/tools/models.h"

using namespace webnn::test;

namespace {

TEST_CASE("graphinfo: a model becomes JSON and weights, and the other way") {
  const Folder folder;
  for (const std::string& model : {colors_model(folder), quantized_colors_model(folder)}) {
    const std::string net = folder.path("net.json"), back = folder.path("back.tflite");
    const Outcome o = webnn_command({"convert", model, net, "--json"});
    REQUIRE(o.code == 0);
    CHECK(o.json()["format"] == "graphinfo");
    const Json said = o.json();
    if (said.contains("beside"))  // the small constants of the other model are in the JSON
      CHECK(said["beside"][0]["output"] == folder.path("net.safetensors"));
    else CHECK(contains(model, "quantized"));
    CHECK(webnn_command({"diff", model, net, "--tolerance", "0", "--backends", "reference"}).code ==
          0);
    CHECK(webnn_command({"convert", net, back}).code == 0);
    CHECK(
        webnn_command({"diff", model, back, "--tolerance", "0", "--backends", "reference"}).code ==
        0);
  }
  const Outcome old =
      webnn_command({"convert", colors_model(folder), "-", "--to", "graphinfo2023"});
  CHECK(old.json()["schema"] == "2023");
  const Outcome refused =
      webnn_command({"convert", quantized_colors_model(folder), "-", "--to", "graphinfo2023"});
  CHECK(refused.code == 1);
  CHECK(contains(refused.err, "the schema of 2023 has no such operation"));
}

TEST_CASE("convert: from each format that is read to each of them, and back") {
  const Folder folder;
  const std::string model = colors_model(folder);
  const std::vector<std::string> extensions = {"tflite", "webnn", "json", "nnrt"};
  for (const std::string& from : extensions)
    for (const std::string& to : extensions) {
      CAPTURE(from, to);
      const std::string a = folder.path("a." + from), b = folder.path("b." + to);
      REQUIRE(webnn_command({"convert", model, a}).code == 0);
      REQUIRE(webnn_command({"convert", a, b}).code == 0);
      CHECK(webnn_command({"diff", model, b, "--tolerance", "0", "--backends", "reference"}).code ==
            0);
    }
}

}  // namespace
