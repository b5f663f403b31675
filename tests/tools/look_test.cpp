// webnn info, explain, bench, convert.
#include "tests/support/catch.h"
#include "tests/tools/models.h"
#include "webnn/safetensors.h"

using namespace webnn::test;

namespace {

TEST_CASE("info: shapes, operators, parameters, work, and backends") {
  const Folder folder;
  const std::string model = colors_model(folder);
  const Outcome text = webnn_command({"info", model});
  REQUIRE(text.code == 0);
  CHECK(contains(text.out, "pixels"));
  CHECK(contains(text.out, "float32 [1, 4, 4, 3]"));
  CHECK(contains(text.out, "probabilities"));
  CHECK(contains(text.out, "reference"));
  const Outcome o = webnn_command({"info", model, "--json", "--backends", "reference"});
  REQUIRE(o.code == 0);
  const Json j = o.json();
  CHECK(j["format"] == "tflite");
  CHECK(j["inputs"][0]["shape"] == Json({1, 4, 4, 3}));
  CHECK(j["outputs"][0]["shape"] == Json({1, 3}));
  CHECK(j["macs"] == 16 * 9 + 9);           // a 1x1 convolution on 4x4 pixels, and a product
  CHECK(j["parameters"].get<int>() >= 21);  // 9 + 3 + 9
  CHECK(j["backends"] == Json({"reference"}));
  std::size_t counted = 0;
  for (const Json& kind : j["kinds"]) {
    CHECK(kind["supported_by"]["reference"] == kind["count"]);
    counted += kind["count"].get<std::size_t>();
  }
  CHECK(counted == j["operators_optimized"]);
  const Json q = webnn_command({"info", quantized_colors_model(folder), "--json"}).json();
  CHECK(q["inputs"][0]["quantization"]["scale"] == 1);
  CHECK(q["outputs"][0]["quantization"]["zero_point"] == 0);
}

TEST_CASE("explain: steps, kernels, refusals, and times unless they are not wanted") {
  const Folder folder;
  const std::string model = colors_model(folder);
  const Outcome text = webnn_command({"explain", model, "--runs", "2"});
  CHECK(text.code == 0);
  CHECK_FALSE(contains(text.out, "why not the others"));
  const Outcome why =
      webnn_command({"explain", model, "--no-time", "--why", "--backends", "simd,reference"});
  CHECK(why.code == 0);
  CHECK(contains(why.out, "why not the others:\n  1  "));
  CHECK(contains(why.out, "reference: later in the order"));
  CHECK(contains(text.out, "us"));
  const Json j =
      webnn_command({"explain", model, "--json", "--runs", "2", "--backends", "reference"}).json();
  REQUIRE(!j["steps"].empty());
  for (const Json& s : j["steps"]) {
    CHECK(s["backend"] == "reference");
    CHECK(s["microseconds"].get<double>() >= 0);
    CHECK(!s["operators"].empty());
  }
  CHECK(!j["passes"].empty());
  const Json still = webnn_command({"explain", model, "--json", "--no-time"}).json();
  CHECK_FALSE(still["steps"][0].contains("microseconds"));
}

TEST_CASE("bench: percentiles in order, and a table that adds up") {
  const Folder folder;
  const std::string model = colors_model(folder);
  const Outcome o = webnn_command({"bench", model, "--runs", "20", "--warmup", "0", "--json"});
  REQUIRE(o.code == 0);
  CHECK(o.err.empty());  // no progress bar where there is no terminal
  const Json j = o.json(), us = j["microseconds"];
  CHECK(j["runs"] == 20);
  CHECK(us["min"] <= us["median"]);
  CHECK(us["median"] <= us["p90"]);
  CHECK(us["p90"] <= us["p99"]);
  CHECK(us["p99"] <= us["max"]);
  CHECK(us["min"].get<double>() > 0);
  CHECK(j["macs"] == 153);
  CHECK(j["limit"]["float32_gflops"].get<double>() > 0.1);
  CHECK(j["limit"]["memory"][0]["read_gb_per_s"].get<double>() > 0.1);
  CHECK(j["limit"]["memory"][0]["write_gb_per_s"].get<double>() > 0.1);
  CHECK(j["of_limit"].get<double>() > 0);
  double share = 0;
  for (const Json& row : j["operators"]) share += row["share"].get<double>();
  CHECK(share == Approx(1));
  const Outcome text = webnn_command({"bench", model, "--seconds", "0.05", "--steps"});
  CHECK(text.code == 0);
  CHECK(contains(text.out, "GFLOP/s"));
  CHECK(contains(text.out, "median"));
  CHECK(webnn_command({"bench", model, "--runs", "0"}).code == 2);
}

TEST_CASE("convert: by extension, and by name") {
  const Folder folder;
  const std::string model = colors_model(folder);
  const auto convert = [&](const std::string& to) {
    return webnn_command({"convert", model, folder.path(to), "--json"});
  };
  const Outcome again = convert("again.tflite");
  REQUIRE(again.code == 0);
  CHECK(again.json()["format"] == "tflite");
  CHECK(webnn_command({"diff", model, folder.path("again.tflite"), "--tolerance", "0"}).code == 0);
  const std::string renamed = folder.write("again.bin", folder.read("again.tflite"));
  CHECK(webnn_command({"info", renamed}).code == 2);
  CHECK(webnn_command({"info", renamed, "--from", "tflite"}).code == 0);
  REQUIRE(convert("g.txt").code == 0);
  CHECK(contains(folder.read("g.txt"), "conv2d("));
  REQUIRE(convert("g.dot").code == 0);
  CHECK(contains(folder.read("g.dot"), "digraph"));
  REQUIRE(convert("w.safetensors").code == 0);
  const auto weights = webnn::safetensors::File::open(folder.path("w.safetensors"));
  std::size_t filters = 0;
  for (const auto& t : weights.tensors())
    filters += t.name.find(".filter") != std::string::npos && t.shape.size() == 4;
  CHECK(filters == 1);
  const Outcome out = webnn_command({"convert", model, "-", "--to", "text"});
  CHECK(out.out == folder.read("g.txt"));

  CHECK(convert("g.onnxx").code == 2);
  CHECK(webnn_command({"convert", model, "-"}).code == 2);
  CHECK(contains(webnn_command({"convert", model, "-", "--to", "clay"}).err, "tflite"));
  CHECK(webnn_command({"convert", model, "/no/such/folder/a.txt"}).code == 1);
}

TEST_CASE("convert: smaller weights, and their errors") {
  const Folder folder;
  const std::string model = product_model(folder), small = folder.path("small.webnn");
  const Outcome o = webnn_command({"convert", model, small, "--weights", "int8", "--json"});
  INFO(o.err);
  REQUIRE(o.code == 0);
  const Json row = o.json()["weights"].at(0);
  CHECK(row["block"] == 32);
  CHECK(row["relative_error"] > 0);
  CHECK(row["relative_error"] < 0.01);
  CHECK(webnn_command({"diff", model, small, "--tolerance", "0"}).code == 3);
  CHECK(webnn_command({"diff", model, small, "--tolerance", "0.05"}).code == 0);
  const Outcome text =
      webnn_command({"convert", model, small, "--weights", "int4", "--block", "16"});
  CHECK(text.code == 0);
  CHECK(contains(text.out, "signal to noise"));
  CHECK(contains(text.out, " dB"));
  CHECK(webnn_command({"convert", model, small, "--weights", "float16"}).code == 0);
  CHECK(webnn_command({"convert", model, small, "--weights", "uint8"}).code == 2);
}

}  // namespace
