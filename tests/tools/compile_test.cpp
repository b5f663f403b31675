// webnn compile, and compiled graphs in the other subcommands.
#include "tests/support/catch.h"
#include "tests/tools/models.h"
#include "webnn/tflite.h"

using namespace webnn;
using namespace webnn::test;

namespace {

/// "x" float32 [1, 160] times 120 KiB of weights -> "y" float32 [1, 192].
std::string large_product_model(const Folder& folder) {
  const MLContext context({.threads = 1, .backends = {"reference"}, .keepConstants = true});
  MLGraphBuilder b(context);
  std::vector<float> w(160 * 192);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i * 37 % 101) * 0.01f - 0.5f;
  const MLOperand x = b.input("x", {float32, {1, 160}});
  const MLOperand y = b.gemm(x, b.constant({float32, {192, 160}}, w), {.bTranspose = true});
  const std::string path = folder.path("large_product.tflite");
  tflite::export_model(b.build({{"y", y}}), path);
  return path;
}

}  // namespace

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
    const Json of_model = webnn_command({"info", model, "--build", "--json"}).json();
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
  const Outcome converted = webnn_command({"convert", model, folder.path("b.webnnc")});
  CHECK(converted.code == 2);
  CHECK(contains(converted.err, "b.webnnc: a compiled graph is written by webnn compile"));
  std::string bytes = folder.read("net.webnnc");
  bytes[5000] = static_cast<char>(bytes[5000] ^ 1);
  const std::string damaged = folder.write("damaged.webnnc", bytes);
  const Outcome o = webnn_command({"run", damaged, same[0], same[1]});
  CHECK(o.code == 1);
  CHECK(contains(o.err, "it is damaged: the checksum of its graph is wrong"));
  CHECK(webnn_command({"compile", folder.path("none.tflite")}).code == 1);
  CHECK(webnn_command({"compile", model, "-o", "-"}).code == 2);
}

TEST_CASE("compile: verify compares all checksums") {
  const Folder folder;
  const std::string net = folder.path("net.webnnc");
  REQUIRE(webnn_command({"compile", large_product_model(folder), "-o", net}).code == 0);
  const Outcome good = webnn_command({"verify", net});
  CHECK(good.code == 0);
  CHECK(contains(good.out, "net.webnnc: 1 step, "));
  const Json json = webnn_command({"verify", net, "--json"}).json();
  CHECK(json["agrees"] == true);
  CHECK(json["bytes"] == std::filesystem::file_size(net));
  std::string bytes = folder.read("net.webnnc");
  for (std::size_t at = 4100; at < bytes.size(); at += 1000) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    const std::string damaged = folder.write("damaged.webnnc", changed);
    const Outcome o = webnn_command({"verify", damaged});
    if (o.code == 0) continue;  // between sections
    CHECK(o.code == 1);
    CHECK(contains(o.err, "damaged.webnnc]: it is damaged: the checksum of its "));
  }
  CHECK(webnn_command({"verify", folder.path("none.webnnc")}).code == 1);
}

TEST_CASE("compile: diff compares a compiled graph with its model") {
  const Folder folder;
  const std::string net = folder.path("net.webnnc");
  for (const std::string& model :
       {colors_model(folder), quantized_colors_model(folder), product_model(folder)}) {
    CAPTURE(model);
    REQUIRE(webnn_command({"compile", model, "-o", net}).code == 0);
    for (const auto& [one, other] : {std::pair(model, net), std::pair(net, model)}) {
      const Outcome o = webnn_command({"diff", one, other, "--tolerance", "0", "--json"});
      CHECK(o.code == 0);
      CHECK(o.json()["agrees"] == true);
      CHECK(o.json()["by"] == "elements");
      CHECK(o.json()["outputs"].size() == 1);
    }
    CHECK(webnn_command({"diff", net, net}).code == 0);
  }
  const std::string other = other_colors_model(folder), model = colors_model(folder);
  REQUIRE(webnn_command({"compile", other, "-o", net}).code == 0);
  const Outcome differs = webnn_command({"diff", model, net});
  CHECK(differs.code == 3);
  CHECK(contains(differs.out, "DIFFERS"));
  // The shape is that of the model.
  CHECK(webnn_command({"diff", model, net, "--shape", "pixels=1x4x4x3"}).code == 3);
}

TEST_CASE("compile: weights that are packed alone") {
  const Folder folder;
  const std::string model = large_product_model(folder), net = folder.path("net.webnnc");
  if (webnn_command({"run", model, "--seed", "1", "--backends", "simd,reference"}).code == 2)
    return;  // this build has no kernels that pack weights
  const std::vector<std::string> simd{"--backends", "simd,reference"};
  REQUIRE(webnn_command({"compile", model, "-o", net, simd[0], simd[1]}).code == 0);
  const Outcome whole = webnn_command({"diff", model, net, simd[0], simd[1], "--tolerance", "0"});
  CHECK(whole.code == 0);
  CHECK(contains(whole.out, "The outputs alone were compared"));
  const Outcome json = webnn_command({"diff", net, model, simd[0], simd[1], "--json"});
  CHECK(json.json()["outputs_alone"] == true);
  CHECK(json.json()["compared"] == 0);
  const std::string why = " stored only in the packed form of their kernels; ";
  const Outcome alone = webnn_command({"diff", net, simd[0], simd[1]});
  CHECK(alone.code == 1);
  CHECK(contains(alone.err, "net.webnnc: the weights of gemm"));
  CHECK(contains(alone.err, why + "give the model that it was compiled from as OTHER"));
  const Outcome each = webnn_command({"diff", model, net, "--each", simd[0], simd[1]});
  CHECK(each.code == 1);
  CHECK(contains(each.err, "--each"));
  const Outcome converted = webnn_command({"convert", net, folder.path("again.webnn")});
  CHECK(converted.code == 1);
  CHECK(contains(converted.err, why + "convert the model that it was compiled from"));
  CHECK(!std::filesystem::exists(folder.path("again.webnn")));
}

TEST_CASE("compile: a compiled graph with all constants is converted") {
  const Folder folder;
  const std::string model = colors_model(folder), net = folder.path("net.webnnc"),
                    again = folder.path("again.tflite");
  const std::vector<std::string> backends{"--backends", "reference"};
  REQUIRE(webnn_command({"compile", model, "-o", net, backends[0], backends[1]}).code == 0);
  const Outcome o = webnn_command({"convert", net, again, "--json"});
  REQUIRE(o.code == 0);
  CHECK(o.json()["format"] == "tflite");
  CHECK(webnn_command({"diff", model, again, backends[0], backends[1]}).code == 0);
  // Its operators are compared, too, and on other backends.
  const Outcome diff = webnn_command({"diff", net, model, backends[0], backends[1], "--json"});
  CHECK(diff.code == 0);
  CHECK(diff.json()["outputs_alone"] == false);
  CHECK(diff.json()["compared"] > 0);
  CHECK(webnn_command({"diff", net, backends[0], backends[1]}).code == 0);
}
