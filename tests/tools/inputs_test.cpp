// The lists of inputs and outputs of a file, through every format and a compiled graph.
#include "tests/support/catch.h"
#include "tests/tools/command.h"

using namespace webnn::test;

namespace {

std::vector<std::string> names_in(const Json& ports) {
  std::vector<std::string> names;
  for (const Json& port : ports) names.push_back(port["name"]);
  return names;
}

void check(const std::string& path) {
  CAPTURE(path);
  const Outcome info = webnn_command({"info", path, "--json"});
  REQUIRE(info.code == 0);
  CHECK(names_in(info.json()["inputs"]) == std::vector<std::string>{"a", "b", "c"});
  CHECK(names_in(info.json()["outputs"]) == std::vector<std::string>{"z", "y"});
}

}  // namespace

TEST_CASE("inputs: convert and compile keep the lists of a file") {
  const Folder folder;
  std::string last = folder.write("net.webnn",
                                  "webnn_graph \"net\" v1 {\n"
                                  "  inputs { a: f32[2]; b: f32[2]; c: i32[3]; }\n"
                                  "  nodes { y = sub(b, a); z = mul(b, a); }\n"
                                  "  outputs { z; y; }\n}\n");
  check(last);
  for (const char* name :
       {"net.onnx", "net.tflite", "net.pte", "net.json", "net.nnrt", "again.webnn"}) {
    const std::string next = folder.path(name);
    REQUIRE(webnn_command({"convert", last, next}).code == 0);
    check(next);
    last = next;
  }
  const std::string compiled = folder.path("net.webnnc");
  REQUIRE(webnn_command({"compile", last, "-o", compiled}).code == 0);
  check(compiled);
  CHECK(webnn_command({"run", compiled}).code == 0);
  CHECK(webnn_command({"diff", folder.path("net.onnx"), compiled}).code == 0);
  const std::string c = folder.write("c.bin", std::string(12, '\0'));
  CHECK(webnn_command({"run", compiled, "--input", "c=" + c}).code == 0);
  const Outcome wrong =
      webnn_command({"run", compiled, "--input", "c=" + folder.write("d.bin", std::string("x"))});
  CHECK(wrong.code == 1);
  CHECK(contains(wrong.err, "input \"c\""));
}
