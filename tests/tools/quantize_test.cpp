// webnn quantize: a quantized model in a file, and what it says of it.
#include <filesystem>

#include "tests/support/catch.h"
#include "tests/tools/models.h"
#include "tools/webnn/data/npy.h"

using namespace webnn::test;

namespace {

void pictures(const Folder& folder) {
  std::filesystem::create_directory(folder.path("pictures"));
  for (int i = 0; i < 4; ++i)
    bmp(folder, "pictures/" + std::to_string(i) + ".bmp", 4, 4, 200 - 40 * i, 60 * i, 30 + 20 * i);
}

std::string explained(const std::string& model) {
  const Outcome o = webnn_command({"explain", model});
  REQUIRE(o.code == 0);
  return o.out;
}

}  // namespace

TEST_CASE("quantize: pictures calibrate, and the file runs on integers") {
  const Folder folder;
  const std::string model = colors_model(folder);
  pictures(folder);
  const std::string image = folder.path("pictures/1.bmp");
  const auto floats = webnn_command({"run", model, "--image", image, "--top-k", "3", "--json"})
                          .json()["outputs"][0]["top"][0];
  for (const std::string name : {"net.onnx", "net.tflite", "net.webnn", "net.json"}) {
    CAPTURE(name);
    const std::string out = folder.path(name);
    const Outcome o =
        webnn_command({"quantize", model, "-o", out, "--calibrate", folder.path("pictures"),
                       "--scale", "0.0039", "--per-channel"});
    INFO(o.err);
    REQUIRE(o.code == 0);
    CHECK(o.err.empty());
    CHECK(contains(o.out, "Signal to noise:"));
    CHECK(contains(o.out, "4 samples"));
    CHECK(contains(o.out, "output probabilities: "));
    CHECK(contains(explained(out), "int8"));
    const Outcome ran = webnn_command(
        {"run", out, "--image", image, "--scale", "0.0039", "--top-k", "3", "--json"});
    REQUIRE(ran.code == 0);
  }
  // The same scale of pixels in both.
  const Outcome plain = webnn_command({"quantize", model, "-o", folder.path("p.onnx"),
                                       "--calibrate", folder.path("pictures"), "--json"});
  REQUIRE(plain.code == 0);
  const auto top =
      webnn_command({"run", folder.path("p.onnx"), "--image", image, "--top-k", "3", "--json"})
          .json()["outputs"][0]["top"][0];
  CHECK(top[0]["index"] == floats[0]["index"]);
  CHECK(std::abs(top[0]["score"].get<double>() - floats[0]["score"].get<double>()) < 0.05);
  const Json j = plain.json();
  CHECK(j["samples"] == 4);
  CHECK(j["format"] == "onnx");
  CHECK(j["operators"].size() >= 2);
  for (const Json& row : j["operators"]) {
    CHECK(row["quantized"] == true);
    CHECK((row["own_snr"].is_null() || row["own_snr"].get<double>() > 10));
  }
  CHECK(j["outputs"][0]["name"] == "probabilities");
  CHECK(j["outputs"][0]["max_error"].get<double>() < 0.05);
}

TEST_CASE("quantize: .npy files of two inputs, types, and operators that stay in float") {
  const Folder folder;
  const std::string model = product_model(folder);
  std::filesystem::create_directory(folder.path("x"));
  for (int i = 0; i < 3; ++i) {
    std::vector<float> v(64);
    for (std::size_t k = 0; k < 64; ++k) v[k] = static_cast<float>((k * 7 + i) % 13) - 6;
    folder.write("x/" + std::to_string(i) + ".npy",
                 webnn::tool::npy_of({webnn::float32, {1, 64}}, std::as_bytes(std::span(v))));
  }
  const auto text = [&](std::vector<std::string> more) {
    const std::string out = folder.path("q.webnn");
    more.insert(more.begin(), {"quantize", model, "-o", out});
    const Outcome o = webnn_command(more);
    INFO(o.err);
    REQUIRE(o.code == 0);
    const Outcome printed = webnn_command({"convert", out, "-", "--to", "text"});
    REQUIRE(printed.code == 0);
    return printed.out;
  };
  const std::string named = "x=" + folder.path("x");
  CHECK(contains(text({"--calibrate", named}), "uint8 [1, 64]"));
  CHECK(contains(text({"--calibrate", named, "--activations", "int8"}), "int8 [1, 64]"));
  text({"--calibrate", named});
  const std::string scales = folder.read("q.safetensors");
  text({"--calibrate", named, "--method", "percentile", "--percentile", "80"});
  CHECK(folder.read("q.safetensors") != scales);
  text({"--calibrate", named, "--method", "min-max"});
  CHECK(folder.read("q.safetensors") == scales);
  CHECK(contains(text({"--dynamic"}), "reduceMin"));
  const Outcome counted = webnn_command({"quantize", model, "-o", folder.path("q.webnn"), "--json",
                                         "--calibrate", named, "--samples", "2"});
  CHECK(counted.json()["samples"] == 2);
  const std::string name = counted.json()["operators"][0]["name"];
  const Outcome none = webnn_command({"quantize", model, "-o", folder.path("n.webnn"),
                                      "--calibrate", named, "--keep-float", name});
  CHECK(none.code == 1);
  CHECK(contains(none.err, "no product or convolution"));
  CHECK_FALSE(std::filesystem::exists(folder.path("n.webnn")));
}

TEST_CASE("quantize: random samples are said, and what is refused") {
  const Folder folder;
  const std::string model = colors_model(folder);
  pictures(folder);
  std::filesystem::create_directory(folder.path("empty"));
  const std::string out = folder.path("q.onnx");
  const Outcome random = webnn_command({"quantize", model, "-o", out});
  CHECK(random.code == 0);
  CHECK(contains(random.err, "input \"pixels\" is random in 8 samples"));
  const auto refused = [&](std::vector<std::string> more, int code, const char* part) {
    more.insert(more.begin(), {"quantize", model});
    const Outcome o = webnn_command(more);
    INFO(o.err);
    CHECK(o.code == code);
    CHECK(contains(o.err, part));
  };
  refused({}, 2, "--output");
  refused({"-o", model}, 2, "is the model itself");
  refused({"-o", folder.path("q.unknown")}, 2, "q.unknown");
  refused({"-o", out, "--calibrate", folder.path("none")}, 1, "none");
  refused({"-o", out, "--calibrate", folder.path("empty")}, 1, "there are no files in this folder");
  refused({"-o", out, "--calibrate", "y=" + folder.path("pictures")}, 2,
          "there is no input of that name");
  refused({"-o", out, "--calibrate", "pixels="}, 2, "there is no file or folder");
  refused(
      {"-o", out, "--calibrate", folder.path("pictures"), "--calibrate", folder.path("pictures")},
      2, "are given twice");
  refused({"-o", out, "--method", "mean"}, 2, "--method");
  refused({"-o", out, "--activations", "int4"}, 2, "--activations");
  refused({"-o", out, "--operators", "conv3d"}, 2, "conv3d is not one of");
  refused({"-o", out, "--samples", "0"}, 2, "--samples");
  refused({"-o", out, "--keep-float", "nothing"}, 1, "there is no operator \"nothing\"");
  refused({"-o", "-", "--json", "--to", "onnx"}, 2, "would be mixed");
  const Outcome twice = webnn_command({"quantize", out, "-o", folder.path("r.onnx")});
  CHECK(twice.code == 1);
  CHECK(contains(twice.err, "the graph is quantized"));
}

TEST_CASE("quantize: sources of different lengths, and inputs without a source") {
  const Folder folder;
  pictures(folder);
  const std::string model = two_inputs_model(folder);
  const Outcome o = webnn_command({"quantize", model, "-o", folder.path("q.onnx"), "--calibrate",
                                   "a=" + folder.path("pictures"), "--calibrate",
                                   "b=" + folder.path("pictures/0.bmp")});
  CHECK(o.code == 1);
  CHECK(contains(o.err, "there are 1 samples, but 4 of another input"));
}
