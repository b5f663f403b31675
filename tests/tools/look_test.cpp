// webnn info, explain, bench, convert.
#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/tools/models.h"
#include "webnn/safetensors.h"

using namespace webnn::test;

namespace {

TEST_CASE("info: shapes, operators, parameters and work; built, also memory and backends") {
  const Folder folder;
  const std::string model = colors_model(folder);
  const Outcome text = webnn_command({"info", model});
  REQUIRE(text.code == 0);
  CHECK(contains(text.out, "pixels"));
  CHECK(contains(text.out, "float32 [1, 4, 4, 3]"));
  CHECK(contains(text.out, "probabilities"));
  CHECK_FALSE(contains(text.out, "reference"));
  const Json read = webnn_command({"info", model, "--json"}).json();
  const Outcome o = webnn_command({"info", model, "--json", "--build", "--backends", "reference"});
  REQUIRE(o.code == 0);
  const Json j = o.json();
  for (const char* key : {"operators_optimized", "steps", "memory", "build_ms", "backends"}) {
    CHECK_FALSE(read.contains(key));
    CHECK(j.contains(key));
  }
  for (const char* key : {"format", "inputs", "outputs", "operators", "parameters", "macs"})
    CHECK(read[key] == j[key]);
  std::size_t operators = 0;
  for (const Json& kind : read["kinds"]) operators += kind["count"].get<std::size_t>();
  CHECK(operators == read["operators"]);
  const Outcome built = webnn_command({"info", model, "--build", "--threads", "1"});
  CHECK(contains(built.out, "reference"));
  CHECK(contains(built.out, " for the thread\n"));
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

TEST_CASE("look: models whose constants are folded, and released after build") {
  const Folder folder;
  const std::string model = folder.write("folded.webnn", std::string(R"(webnn_graph "folded" v1 {
    inputs { x: f32[1, 256]; }
    consts { w: f32[256, 256] @scalar(0.5); }
    nodes { wt = transpose(w, permutation=[1, 0]); y = matmul(x, wt); }
    outputs { y; }
  })"));
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"info", model},
                                             {"info", model, "--build"},
                                             {"info", model, "--build", "--json"},
                                             {"verify", model},
                                             {"diff", model},
                                             {"diff", model, "--each"},
                                             {"diff", model, model},
                                             {"explain", model, "--no-time"},
                                             {"bench", model, "--runs", "1"},
                                             {"graph", model, "-o", folder.path("page.html")},
                                             {"convert", model, folder.path("other.webnn")}}) {
    const Outcome o = webnn_command(words);
    CAPTURE(words, o.out, o.err);
    CHECK(o.code == 0);
  }
  const Json j = webnn_command({"info", model, "--json"}).json();
  CHECK(j["parameters"] == 65536);
  CHECK(j["operators"] == 2);
  CHECK(contains(webnn_command({"diff", model}).out, "Within tolerance."));
  CHECK_FALSE(contains(webnn_command({"diff", model}).out, "outputs alone"));
}

TEST_CASE("info: memory is not taken for the weights") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return;  // they take memory themselves
#endif
  const Folder folder;
  const std::string net = folder.write("net.webnn", std::string(R"(webnn_graph "net" v1 {
    inputs { x: f32[1, 4096]; }
    consts { w: f32[4096, 3072]; }
    nodes { y = matmul(x, w); }
    outputs { y; }
  })"));
  const std::vector<float> w(4096 * 3072, 0.5f);
  webnn::safetensors::write(folder.path("net.safetensors"),
                            {{"w", {webnn::float32, {4096, 3072}}, w}});
  const auto within_40_mb = [&](const std::string& arguments) {
    return run_program({"sh", "-c",
                        "ulimit -d 40000; exec " + std::string(WEBNN_COMMAND) + ' ' + arguments +
                            " --threads 1 --json"});
  };
  const Outcome o = within_40_mb("info " + net);
  CAPTURE(o.err);
  REQUIRE(o.code == 0);
  CHECK(o.json()["weight_bytes"] == 4096 * 3072 * 4);
  CHECK(within_40_mb("explain --no-time " + net).code == 1);  // packs them
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
  CHECK(webnn_command({"info", renamed, "--json"}).json()["format"] == "tflite");  // its content
  CHECK(webnn_command({"info", folder.write("text.bin", std::string("text"))}).code == 2);
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

TEST_CASE("convert: where the model cannot be written, its weights are not either") {
  const Folder folder;
  const std::string model = product_model(folder);
  std::filesystem::create_directory(folder.path("net.webnn"));
  const Outcome o = webnn_command({"convert", model, folder.path("net.webnn")});
  CHECK(o.code == 1);
  CHECK(contains(o.err, "net.webnn: the file cannot be opened"));
  CHECK(!std::filesystem::exists(folder.path("net.safetensors")));
}

TEST_CASE("convert: the model itself, and weights beside it, are replaced when that is asked for") {
  const Folder folder;
  const std::string model = colors_model(folder), before = folder.read("colors.tflite");
  std::filesystem::create_symlink(model, folder.path("link.tflite"));
  for (const std::string& output :
       {model, folder.path("./colors.tflite"), folder.path("link.tflite")}) {
    const Outcome o = webnn_command({"convert", model, output, "--weights", "float16"});
    CAPTURE(output);
    CHECK(o.code == 2);
    CHECK(contains(
        o.err,
        output + ": this is the model itself, which would be replaced; --force replaces it"));
    CHECK(folder.read("colors.tflite") == before);
  }
  REQUIRE(webnn_command({"convert", model, model, "--weights", "float16", "--force"}).code == 0);
  CHECK(webnn_command({"info", model}).code == 0);

  const std::string net = folder.path("net.webnn"), weights = folder.path("net.safetensors");
  REQUIRE(webnn_command({"convert", product_model(folder), net}).code == 0);
  const std::string tensors = folder.read("net.safetensors");
  for (const std::string& output : {folder.path("net.json"), weights}) {
    const Outcome o = webnn_command({"convert", net, output});
    CHECK(o.code == 2);
    CHECK(contains(o.err, weights + ": this file may have the weights of " + net));
    CHECK(folder.read("net.safetensors") == tensors);
  }
  CHECK_FALSE(std::filesystem::exists(folder.path("net.json")));
  CHECK(webnn_command({"convert", net, folder.path("other.json")}).code == 0);
  CHECK(webnn_command({"convert", net, net, "--force"}).code == 0);
  CHECK(webnn_command({"info", net}).code == 0);
  CHECK(webnn_command({"graph", model, "-o", model}).code == 2);
  CHECK(webnn_command({"compile", model, "-o", model}).code == 2);
  CHECK(webnn_command({"tune", model, "-o", model}).code == 2);
  CHECK(webnn_command({"run", model, "--output", model}).code == 2);
  CHECK(webnn_command({"bench", model, "--runs", "1", "--trace", model}).code == 2);
}

TEST_CASE("convert: a file that cannot be written, with the reason of the system") {
  const Folder folder;
  const std::string model = colors_model(folder);
  const auto error = [&](const std::string& output) {
    const Outcome o = webnn_command({"convert", model, output, "--to", "text"});
    CHECK(o.code == 1);
    return o.err;
  };
  const std::string none = folder.path("none/a.txt"), below = folder.path("colors.tflite/a.txt");
  CHECK(error(none) ==
        "webnn: " + none + ": the file cannot be written: No such file or directory\n");
  CHECK(error(below) == "webnn: " + below + ": the file cannot be written: Not a directory\n");
  CHECK(error("/dev/full") ==
        "webnn: /dev/full: the file cannot be written: No space left on device\n");
  CHECK(contains(error(folder.path("")), "Is a directory"));
  const Outcome full = run_without_space({WEBNN_COMMAND, "convert", model, "-", "--to", "text"});
  CHECK(full.code == 1);
  CHECK(full.err == "webnn: the standard output cannot be written: No space left on device\n");
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

TEST_CASE("convert: smaller weights of a model with open dimensions") {
  const Folder folder;
  const std::string model = folder.path("open.webnn"), small = folder.path("small.webnn");
  std::ofstream(model) << R"(webnn_graph "g" v2 {
  inputs { x: f32[dyn("batch", 99), 64]; }
  consts { w: f32[64, 96] @scalar(0.5); }
  nodes { y = matmul(x, w); }
  outputs { y; }
}
)";
  const Outcome o = webnn_command({"convert", model, small, "--weights", "float16", "--json"});
  INFO(o.err);
  REQUIRE(o.code == 0);
  CHECK(o.json()["weights"].size() == 1);
  CHECK(contains(webnn_command({"info", small}).out, "batch"));
  // The weights are the same numbers; kernels add the products in another order.
  for (const char* batch : {"batch=1", "batch=7"})
    CHECK(webnn_command({"diff", model, small, "--dim", batch, "--tolerance", "1e-6"}).code == 0);
}

}  // namespace
