// Programs of ExecuTorch in the command.
#include "tests/formats/executorch/writer.h"
#include "tests/support/catch.h"
#include "tests/tools/models.h"

using namespace webnn::test;
using namespace webnn::executorch::test;

namespace {

/// x + 1 in a delegate, and then an operator outside of it.
Bytes mixed_program() {
  GraphWriter g;
  const auto x = g.input({3}), one = g.floats({1}, {1}), y = g.output({3});
  g.binary(Kind::Add, x, one, y);
  ProgramWriter p;
  const int a = p.tensor({3}), b = p.tensor({3}), c = p.tensor({3});
  p.plan().inputs = {a};
  p.plan().outputs = {c};
  p.delegate(g, {a, b});
  p.kernel("aten::cumprod", "out", {b, c});
  return p.file();
}

}  // namespace

TEST_CASE("convert: to a program, and to the graph of a delegate") {
  Folder folder;
  const std::string model = colors_model(folder);
  for (const std::string name : {"colors.pte", "colors.xnnpack"}) {
    INFO(name);
    const std::string path = folder.path(name);
    REQUIRE(webnn_command({"convert", model, path}).code == 0);
    const Outcome info = webnn_command({"info", path, "--json"});
    REQUIRE(info.code == 0);
    const Json j = info.json();
    CHECK(j["format"] == (name == "colors.pte" ? "executorch" : "xnnpack"));
    CHECK(j["inputs"][0]["name"] == "pixels");
    CHECK(j["outputs"][0]["name"] == "probabilities");
    REQUIRE(j["contents"].size() == 1);
    CHECK(contains(j["contents"][0]["what"], "XnnpackBackend"));
    CHECK(contains(webnn_command({"info", path}).out, "delegate 0"));
    CHECK(webnn_command({"diff", model, path}).code == 0);
  }
}

TEST_CASE("info: what lies outside of XNNPACK delegates") {
  Folder folder;
  const std::string path = folder.write("mixed.pte", mixed_program());
  const Outcome info = webnn_command({"info", path});
  CHECK(info.code == 0);
  CHECK(contains(info.out, "method forward, delegate 0"));
  CHECK(contains(info.out, "aten::cumprod.out, 1 time"));
  CHECK(contains(info.out, "It cannot be imported: "));
  const Json j = webnn_command({"info", path, "--json"}).json();
  CHECK(j["contents"].size() == 2);
  CHECK(contains(j["not_supported"], "operators outside of XNNPACK delegates: aten::cumprod.out"));
  const Outcome run = webnn_command({"run", path});
  CHECK(run.code != 0);
  CHECK(contains(run.err, "aten::cumprod.out"));
}
