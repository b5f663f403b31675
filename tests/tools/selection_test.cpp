// webnn operators: the options of a build that has what a model needs.
#include "tests/support/catch.h"
#include "tests/tools/models.h"

using namespace webnn::test;

namespace {

bool has(const Json& list, const char* name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

TEST_CASE("operators: a model's operators, and those that the passes make, are listed once") {
  const Folder folder;
  const Outcome o = webnn_command({"operators", colors_model(folder), "--json"});
  CAPTURE(o.err);
  REQUIRE(o.code == 0);
  const Json json = o.json(), list = json["operators"];
  for (const char* name : {"conv2d", "relu", "reduce", "gemm", "softmax"}) {
    INFO(name);
    CHECK(has(list, name));
  }
  CHECK(!has(list, "lstm"));
  CHECK(!has(list, "custom"));
  CHECK(std::is_sorted(list.begin(), list.end()));
  CHECK(std::adjacent_find(list.begin(), list.end()) == list.end());
  CHECK(json["data_types"] == Json{"float32"});
  const Outcome small = webnn_command({"operators", two_inputs_model(folder), "--json"});
  CHECK(small.json()["operators"] == Json{"binary"});
  const Outcome quantized = webnn_command({"operators", quantized_colors_model(folder), "--json"});
  CHECK(has(quantized.json()["data_types"], "uint8"));
  CHECK(has(quantized.json()["operators"], "dequantize_linear"));
}

TEST_CASE("operators: the library's own operators are the section custom") {
  const Folder folder;
  const std::string model =
      folder.write("own.webnn", std::string("webnn_graph \"own\" v1 {\n  inputs { x: f32[4]; }\n"
                                            "  nodes { [y, places] = custom(\"webnn.TopK\", x, "
                                            "version=1, attributes={\"k\": 2}); }\n"
                                            "  outputs { y; places; }\n}\n"));
  const Outcome o = webnn_command({"operators", model, "--json"});
  CAPTURE(o.err);
  REQUIRE(o.code == 0);
  CHECK(has(o.json()["operators"], "custom"));
}

TEST_CASE(
    "operators: open dimensions are needed until they have sizes, with what computes shapes") {
  const Folder folder;
  const std::string model = folder.write(
      "open.webnn", std::string("webnn_graph \"open\" v2 {\n  inputs { x: f32[\"n\", 4]; }\n"
                                "  nodes { s = shape(x); y = expandDynamic(x, newShape=s); }\n"
                                "  outputs { y; }\n}\n"));
  const Outcome open = webnn_command({"operators", model, "--json"});
  CAPTURE(open.err);
  REQUIRE(open.code == 0);
  CHECK(open.json()["open_dimensions"] == true);
  CHECK(has(open.json()["operators"], "shape"));
  CHECK(has(open.json()["operators"], "expand_dynamic"));
  CHECK(webnn_command({"operators", model}).out.find("OPEN_DIMENSIONS") == std::string::npos);
  const Outcome sized = webnn_command({"operators", model, "--dim", "n=2", "--json"});
  CHECK(sized.json()["open_dimensions"] == false);
}

TEST_CASE("operators: the line can be given to a shell") {
  const Folder folder;
  CHECK(webnn_command({"operators", two_inputs_model(folder)}).out ==
        "-DWEBNN_OPERATORS=binary -DWEBNN_DATA_TYPES=float32 -DWEBNN_OPEN_DIMENSIONS=OFF\n");
}
