// Files by hand, in both schemas, and what is said of wrong ones.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/builder.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/graphinfo.h"

using namespace webnn;

namespace {

/// y = x + [1, 2], in the structures of that schema.
const std::string in_2023 = R"({
  "schema": "2023",
  "id_to_operand_map": {
    "2": {"kind": "kConstant", "descriptor": {"data_type": "kFloat32", "shape": [2]}},
    "1": {"kind": "kInput", "descriptor": {"data_type": "kFloat32", "shape": [2]}, "name": "x"},
    "3": {"kind": "kOutput", "descriptor": {"data_type": "kFloat32", "shape": [2]}, "name": "y"}
  },
  "input_operands": [1],
  "output_operands": [3],
  "operations": [{"element_wise_binary": {"kind": "kAdd", "lhs_operand_id": 1, "rhs_operand_id": 2,
                                          "output_operand_id": 3, "label": "sum"}}],
  "constant_id_to_buffer_map": {"2": {"base64": "AACAPwAAAEA="}}
})";
const std::string in_2026 = R"({
  "schema": "2026",
  "operands": [
    {"kind": "kInput", "descriptor": {"data_type": "kFloat32", "shape": [2]}, "name": "x"},
    {"kind": "kConstant", "descriptor": {"data_type": "kFloat32", "shape": [2],
                                         "pending_permutation": []}, "name": null},
    {"kind": "kOutput", "descriptor": {"data_type": "kFloat32", "shape": [2]}, "name": "y"}
  ],
  "input_operands": [{"id": 0}],
  "output_operands": [2],
  "operations": [{"element_wise_binary": {"kind": "kAdd", "lhs_operand_id": {"id": 0},
                                          "rhs_operand_id": 1, "output_operand_id": 2}}],
  "constant_operand_ids_to_handles": {"1": {"base64": "AACAPwAAAEA="}}
})";

std::string replaced(std::string s, const std::string& from, const std::string& to) {
  const std::size_t at = s.find(from);
  REQUIRE(at != std::string::npos);
  return s.replace(at, from.size(), to);
}
std::string message(const std::string& json, const graphinfo::ImportOptions& options = {}) {
  return test::thrown([&] {
    MLGraphBuilder b(test::plain_context());
    graphinfo::import_model(b, json, options, "t");
  });
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
/// The message for the file of 2026 with something else in it.
std::string wrong(const std::string& from, const std::string& to) {
  return message(replaced(in_2026, from, to));
}

}  // namespace

TEST_CASE("import: both schemas") {
  for (const std::string& json : {in_2023, in_2026}) {
    MLGraphBuilder b(test::plain_context());
    const auto model = graphinfo::import_model(b, json, {}, "t");
    CHECK((model.schema == graphinfo::Schema::v2023) == (json == in_2023));
    const MLGraph g = b.build({{"y", model.output("y")}});
    const float in[] = {10, 20};
    float out[2];
    test::plain_context().compute(g, {{"x", in}}, {{"y", out}});
    CHECK(out[0] == 11);
    CHECK(out[1] == 22);
  }
}

TEST_CASE("import: inputs of the builder") {
  MLGraphBuilder b(test::plain_context());
  graphinfo::ImportOptions o;
  o.inputs = {{"x", b.relu(b.input("before", {float32, {2}}))}};
  CHECK(b.build(graphinfo::import_model(b, in_2026, o, "t").outputs).graph().size() == 2);
  o.inputs = {{"q", {}}};
  CHECK(message(in_2026, o) ==
        "TypeError graphinfo [t]: there is no input \"q\"; the model has \"x\" (float32 [2]).");
}

TEST_CASE("import: messages name what is wrong") {
  CHECK(contains(message("{\"schema\": \"2026\""), "DataError graphinfo [t]: byte "));
  CHECK(contains(message("[]"), "graphinfo [t]: the file: there is no schema."));
  CHECK(contains(wrong("\"2026\"", "\"2025\""), "schema: \"2025\" is not one of 2023, 2026."));
  CHECK(contains(wrong("kInput\"", "kInputs\""), "operands[0]: kind \"kInputs\" is not one of"));
  CHECK(contains(wrong("kFloat32", "kFloat64"),
                 "operands[0]: data_type: \"kFloat64\" is not one of kFloat32, kFloat16,"));
  CHECK(contains(wrong("\"shape\": [2]", "\"shape\": [0]"), "operands[0]: "));
  CHECK(contains(wrong("\"shape\": [2]", "\"shape\": [-1]"),
                 "operands[0]: shape: -1 is not an integer from 0 to 4294967295."));
  CHECK(contains(wrong("[]", "[0]"), "operands[1]: pending_permutation is not empty"));
  CHECK(contains(wrong("{\"id\": 0}]", "{\"id\": 3}]"),
                 "input_operands[0]: there is no operand 3; ids are 0 to 2."));
  CHECK(contains(wrong("{\"id\": 0}]", "1]"), "the operand is not an input, or is in the list"));
  CHECK(contains(wrong("\"output_operands\": [2]", "\"output_operands\": [2, 2]"),
                 "output_operands[1]: output \"y\" is given twice."));
  CHECK(contains(wrong("\"output_operands\": [2]", "\"output_operands\": []"),
                 "the graph has no outputs."));
  CHECK(contains(wrong("element_wise_binary", "element_wise_ternary"),
                 "operations[0] (element_wise_ternary): there is no such operation"));
  CHECK(contains(wrong("kAdd", "kAdds"), "there is no such operation with the kind \"kAdds\"."));
  CHECK(contains(wrong("\"rhs_operand_id\": 1", "\"rhs_operand_id\": 2"),
                 "operations[0] (element_wise_binary): rhs_operand_id: the operand 2 has no value "
                 "before this operation."));
  CHECK(contains(wrong("\"rhs_operand_id\": 1,", ""), "rhs_operand_id: it is missing."));
  CHECK(contains(wrong("\"output_operand_id\": 2", "\"output_operand_id\": 1"),
                 "the operand 1 is not a result, or has a value already."));
  CHECK(contains(wrong("\"shape\": [2]}, \"name\": \"y\"", "\"shape\": [3]}, \"name\": \"y\""),
                 "its result is float32 [2], but the file says float32 [3]."));
  CHECK(contains(wrong("AACAPwAAAEA=", "AACAPwAAAE=="), "there are 7 bytes, but shape [2] of"));
  CHECK(contains(wrong("AACAPwAAAEA=", "AACAPwAAAE"), "this is not base64."));
  CHECK(contains(wrong("AACAPwAAAEA=", "AACAPwAA=EA="), "this is not base64."));
  CHECK(contains(wrong("{\"1\": {\"base64\"", "{\"4\": {\"base64\""),
                 "constant_operand_ids_to_handles: \"4\" is not an id from 0 to 2."));
  CHECK(contains(wrong("\"base64\": \"AACAPwAAAEA=\"", "\"tensor\": \"w\""),
                 "constants are needed, and no file with them is given."));
  CHECK(contains(message(replaced(in_2023, "element_wise_binary\": {\"kind\": \"kAdd\"",
                                  "element_wise_binary\": {\"kind\": \"kNotEqual\"")),
                 "the schema of 2023 has no such operation."));
}

TEST_CASE("import: open dimensions") {
  const auto open = [](const std::string& first, const std::string& last) {
    return replaced(replaced(in_2026, "\"shape\": [2]", "\"shape\": " + first),
                    "\"shape\": [2]}, \"name\": \"y\"",
                    "\"shape\": " + last + "}, \"name\": \"y\"");
  };
  for (const char* last : {"[\"other\", 2]", "[{\"name\": \"rows\"}, 2]", "null", "[7, 2]"}) {
    CAPTURE(last);
    MLGraphBuilder b(test::plain_context());
    const auto model = graphinfo::import_model(
        b, open("[{\"name\": \"rows\", \"min_size\": 2, \"max_size\": 9}, 2]", last), {}, "t");
    const MLGraph g = b.build({{"y", model.output("y")}});
    CHECK(g.computeShapes({{"x", {7, 2}}})[0].descriptor.shape == Dims{7, 2});
    CHECK(contains(test::thrown([&] { g.computeShapes({{"x", {10, 2}}}); }), "\"rows\""));
    CHECK(contains(test::thrown([&] { g.computeShapes({{"x", {1, 2}}}); }), "\"rows\""));
  }
  CHECK(contains(message(open("[\"rows\", 2]", "[\"rows\", 3]")),
                 "its result is float32 [rows, 2], but the file says float32 [rows, 3]."));
  CHECK(contains(message(open("[\"rows\", 2]", "[2]")), "but the file says float32 [2]."));
  CHECK(contains(message(open("[\"\", 2]", "[2]")),
                 "operands[0]: shape: the name of a dimension is empty."));
  CHECK(contains(message(open("[{\"max_size\": 3}]", "[2]")),
                 "operands[0]: shape: an object has no name"));
  CHECK(contains(message(open("[{\"name\": \"n\", \"max_size\": -3}]", "[2]")),
                 "operands[0]: shape: max_size: -3 is not an integer"));
  CHECK(contains(message(open("[{\"name\": \"n\", \"min_size\": 4, \"max_size\": 3}]", "[2]")),
                 "the bounds of dimension 0 (\"n\"), 4 and 3, are not between"));
  CHECK(contains(message(open("null", "[2]")), "operands[0]: shape: an input has a shape."));
  CHECK(contains(message(replaced(in_2026, "\"shape\": [2],", "\"shape\": [\"n\"],")),
                 "operands[1]: shape: a constant has no open dimensions."));
  CHECK(contains(message(replaced(in_2023, "\"shape\": [2]}, \"name\": \"x\"",
                                  "\"shape\": [\"n\"]}, \"name\": \"x\"")),
                 "shape: the schema of 2023 has no open dimensions."));
}

TEST_CASE("import: hostile files need little memory and time") {
  CHECK(contains(message(std::string(100000, '[')), "values are nested more than 32 deep"));
  graphinfo::ImportOptions o;
  o.max_bytes = 1 << 16;
  std::string many = "{\"schema\": \"2026\", \"operands\": [0";
  for (int i = 0; i < 10000; ++i) many += ",0";
  CHECK(contains(message(many, o), "reading needs more than the limit (65536) of bytes"));
  CHECK(contains(message("{\"a\": 1, \"a\": 2}"), "the key \"a\" is given twice"));
  for (std::size_t n = 0; n + 1 < in_2026.size(); ++n)
    CHECK(contains(message(in_2026.substr(0, n)), "DataError graphinfo [t]: "));
}

TEST_CASE("import: a failed import leaves the builder as it was") {
  MLGraphBuilder b(test::plain_context());
  const std::string broken =
      replaced(in_2026, "\"output_operands\": [2]", "\"output_operands\": []");
  CHECK_THROWS_AS(graphinfo::import_model(b, broken, {}, "t"), DataError);
  CHECK(graphinfo::import_model(b, in_2026, {}, "t").inputs.size() == 1);
}

TEST_CASE("graphinfo: weights beside the file, and links that lead elsewhere") {
  namespace fs = std::filesystem;
  const fs::path folder =
      fs::temp_directory_path() / ("webnn_graphinfo_weights_" + std::to_string(getpid()));
  fs::remove_all(folder);
  for (const char* name : {"blobs", "snapshot", "elsewhere"}) fs::create_directories(folder / name);
  std::ofstream(folder / "blobs/1")
      << replaced(in_2026, "\"base64\": \"AACAPwAAAEA=\"", "\"tensor\": \"k\"");
  const float good[] = {1, 2}, bad[] = {9, 9};
  safetensors::write((folder / "blobs/2").string(), {{"k", {float32, {2}}, good}});
  safetensors::write((folder / "elsewhere/2").string(), {{"k", {float32, {2}}, bad}});
  const fs::path net = folder / "snapshot/net.json", weights = folder / "snapshot/net.safetensors";
  fs::create_symlink("../blobs/1", net);
  const auto refusal = [&] {
    return test::thrown([&] {
      MLGraphBuilder b(test::plain_context());
      graphinfo::import_model(b, net.string());
    });
  };
  CHECK(contains(refusal(), "net.safetensors]: the file cannot be opened: No such file"));
  fs::create_symlink("../elsewhere/2", weights);
  CHECK(contains(refusal(),
                 "net.safetensors]: the file is not in the folder of the model or below."));
  fs::remove(weights);
  fs::create_symlink("../blobs/2", weights);
  CHECK(refusal() == "nothing");
  fs::remove_all(folder);
}

TEST_CASE("graphinfo: two keys for one operand") {
  const std::string twice = replaced(in_2023, "    \"3\": {", "    \"01\": {");
  CHECK(contains(test::thrown([&] {
                   MLGraphBuilder b(test::plain_context());
                   graphinfo::import_model(b, twice, {}, "t");
                 }),
                 "id_to_operand_map: \"01\" is not an id from 1 to 3"));
}
