// webnn diff and verify.
#include <cmath>
#include <limits>

#include "tests/support/catch.h"
#include "tests/tools/models.h"
#include "tools/webnn/data/tolerance.h"
#include "tools/webnn/model/align.h"
#include "tools/webnn/model/pieces.h"
#include "webnn/webnn.h"

using namespace webnn::test;

namespace {

TEST_CASE("diff: one model on two orders of backends") {
  const Folder folder;
  const std::string model = colors_model(folder);
  const Outcome o = webnn_command({"diff", model, "--json"});
  INFO(o.err);
  REQUIRE(o.code == 0);
  const Json j = o.json();
  CHECK(j["agrees"] == true);
  CHECK(j["first"].is_null());
  CHECK(j["compared"].get<int>() >= 4);
  CHECK(j["outputs"][0]["name"] == "probabilities");
  const Outcome text = webnn_command({"diff", model, "--all"});
  CHECK(text.code == 0);
  CHECK(contains(text.out, "Within tolerance. "));
  CHECK(contains(text.out, "ULPs apart"));
}

TEST_CASE("diff: the first operator whose results differ") {
  const Folder folder;
  const std::string a = colors_model(folder), b = other_colors_model(folder);
  const Outcome o = webnn_command({"diff", a, b, "--json"});
  REQUIRE(o.code == 3);
  const Json j = o.json();
  CHECK(j["agrees"] == false);
  CHECK(j["first"]["operator"] == "conv2d");
  CHECK(j["first"]["different"].get<int>() == 16);  // one channel of three
  std::size_t elements = 0;
  for (const auto& [bucket, n] : j["first"]["ulp_histogram"].items())
    elements += n.get<std::size_t>();
  CHECK(elements == 48);
  const Outcome text = webnn_command({"diff", a, b});
  CHECK(text.code == 3);
  CHECK(contains(text.out, "Not within tolerance. The first operator whose results differ: "));
  CHECK(contains(text.out, "; the models have other constants there"));
  CHECK(contains(text.out, "conv2d"));
}

TEST_CASE("diff: models that cannot be compared") {
  const Folder folder;
  const Outcome o = webnn_command({"diff", colors_model(folder), two_inputs_model(folder)});
  CHECK(o.code == 1);
  CHECK(contains(o.err, "the models have 1 and 2 inputs"));
}

TEST_CASE("diff: a float model and its quantized counterpart, as a whole") {
  const Folder folder;
  const std::string image = bmp(folder, "p.bmp", 4, 4, 11, 10, 9);
  // The probabilities of the counterpart are others: there is no matmul with 0.1.
  const std::vector<std::string> words = {"diff", colors_model(folder),
                                          quantized_colors_model(folder), "--image", image};
  const Outcome o = webnn_command(words);
  INFO(o.out << o.err);
  CHECK(o.code == 3);
  CHECK(contains(o.out, "DIFFERS, cosine 0."));
  CHECK(contains(o.out, "signal to noise"));
  std::vector<std::string> loose = words;
  loose.insert(loose.end(), {"--cosine", "0.5", "--json"});
  const Json j = webnn_command(loose).json();
  CHECK(j["by"] == "cosine");
  CHECK(j["outputs"][0]["agrees"] == true);
  // softmax of (11.5, 10.5, 9.5) / 10, and of (11, 10, 9) in steps of 1/256
  const double a[] = {std::exp(.1), 1, std::exp(-.1)}, b[] = {std::exp(1.), 1, std::exp(-1.)};
  double ab = 0, aa = 0, bb = 0;
  const double sum = b[0] + b[1] + b[2];
  for (int i = 0; i < 3; ++i) {
    const double q = std::nearbyint(b[i] / sum * 256);
    ab += a[i] * q;
    aa += a[i] * a[i];
    bb += q * q;
  }
  CHECK(j["outputs"][0]["cosine"].get<double>() == Approx(ab / std::sqrt(aa * bb)).margin(1e-5));
  // Equal data types are compared by elements, unless asked.
  CHECK(webnn_command({"diff", colors_model(folder), other_colors_model(folder), "--json"})
            .json()["by"] == "elements");
  CHECK(webnn_command({"diff", colors_model(folder), other_colors_model(folder), "--cosine", "0.5"})
            .code == 0);
}

TEST_CASE("diff --accuracy: a level beside float32 on the same backends") {
  const Folder folder;
  const std::string model = product_model(folder);
  const Outcome o = webnn_command({"diff", model, "--accuracy", "bfloat16", "--all"});
  INFO(o.out << o.err);
  CHECK(o.code == 0);
  CHECK(contains(o.out, "SNR dB"));
  CHECK(contains(o.out, "the largest element at the same place in 1 of 1 row"));
  const Json j = webnn_command({"diff", model, "--accuracy", "bfloat16", "--json"}).json();
  CHECK(j["by"] == "cosine");
  CHECK(j["outputs"][0]["rows"] == 1);
  CHECK(j["outputs"][0]["rows_with_same_largest"] == 1);
  const Outcome explained = webnn_command({"explain", model, "--accuracy", "bfloat16"});
  const Json alone =
      webnn_command({"diff", model, "--accuracy", "bfloat16", "--backends", "reference", "--json"})
          .json();
  CHECK(alone["outputs"][0]["different"] == 0);
  if (contains(explained.out, "simd bfloat16")) {
    CHECK(j["outputs"][0]["different"].get<int>() > 0);
    CHECK(j["outputs"][0]["signal_to_noise_db"].get<double>() > 30);
  } else {
    CHECK(contains(explained.out, "level   bfloat16 makes no difference: "));
    CHECK(j["outputs"][0]["different"] == 0);
  }
  // By elements, where a tolerance is given.
  CHECK(webnn_command({"diff", model, "--accuracy", "bfloat16", "--tolerance", "0.1", "--json"})
            .json()["by"] == "elements");
}

TEST_CASE("diff --each: the operator that is wrong, not those after it") {
  const Folder folder;
  const std::string a = colors_model(folder), b = other_colors_model(folder);
  const auto differing = [&](bool each) {
    std::vector<std::string> words = {"diff", a, b, "--json"};
    if (each) words.push_back("--each");
    const Outcome o = webnn_command(words);
    INFO(o.err);
    REQUIRE(o.code == 3);
    std::vector<std::string> names;
    const Json j = o.json();
    for (const Json& x : j["operators"])
      if (!x["agrees"]) names.push_back(x["operator"]);
    return names;
  };
  CHECK(differing(true) == std::vector<std::string>{"conv2d"});
  CHECK(differing(false).size() > 1);
  // Pieces of a quantized model run as they run in the whole: on integers.
  const std::string q = quantized_colors_model(folder);
  const Outcome same =
      webnn_command({"diff", q, "--each", "--tolerance", "0", "--json", "--backends", "reference"});
  CHECK(same.code == 0);
  CHECK(same.json()["compared"].get<int>() >= 2);
}

TEST_CASE("verify: every pass keeps the results") {
  const Folder folder;
  for (const std::string& model : {colors_model(folder), quantized_colors_model(folder)}) {
    const Outcome o = webnn_command({"verify", model, "--json"});
    INFO(o.out << o.err);
    REQUIRE(o.code == 0);
    const Json j = o.json();
    CHECK(j["agrees"] == true);
    std::size_t before = j["passes"][0]["before"];
    for (const Json& p : j["passes"]) {
      CHECK(p["before"] == before);
      before = p["after"];
    }
  }
  const Outcome text = webnn_command({"verify", colors_model(folder)});
  CHECK(contains(text.out, "fold_constants"));
  CHECK(contains(text.out, "All passes keep the results."));
}

using webnn::MLOperandDescriptor;

webnn::tool::Distances between(std::vector<float> a, std::vector<float> b) {
  const MLOperandDescriptor d{webnn::float32, {static_cast<std::uint32_t>(a.size())}};
  return webnn::tool::distances(d, std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
}

TEST_CASE("distances: units in the last place") {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  CHECK(between({1}, {std::nextafter(1.f, 2.f)}).largest_ulp == 1);
  CHECK(between({0.f}, {-0.f}).largest_ulp == 0);
  CHECK(between({1e-45f}, {-1e-45f}).largest_ulp == 2);
  CHECK(between({nan}, {nan}).different == 0);
  CHECK(between({nan}, {1}).largest_ulp == std::numeric_limits<double>::infinity());
  CHECK(between({inf}, {inf}).different == 0);
  CHECK(std::isinf(between({inf}, {1}).largest));
  const auto x = between({1, 2, 4}, {1, 2.5, 4});
  CHECK(x.different == 1);
  CHECK(x.where == 1);
  CHECK(x.largest == 0.5);
  CHECK(x.largest_relative == 0.125);
  CHECK(x.histogram[0] == 2);
  const std::int8_t p[] = {-128, 5}, q[] = {127, 5};
  const auto i = webnn::tool::distances({webnn::int8, {2}}, std::as_bytes(std::span(p)),
                                        std::as_bytes(std::span(q)));
  CHECK(i.largest == 255);
  CHECK(webnn::tool::judge({webnn::int8, {2}}, i, {}).agrees == false);
}

TEST_CASE("similarity: cosine and signal to noise") {
  using webnn::tool::similarity;
  const std::vector<double> a = {3, 4}, b = {4, 3}, zero = {0, 0}, half = {1.5, 2};
  CHECK(similarity(a, b).cosine == Approx(24. / 25));
  CHECK(similarity(a, b).signal_to_noise == Approx(10 * std::log10(25. / 2)));
  CHECK(similarity(a, half).cosine == Approx(1));
  CHECK(similarity(a, half).signal_to_noise == Approx(10 * std::log10(4)));
  CHECK(std::isinf(similarity(a, a).signal_to_noise));
  CHECK(similarity(zero, zero).cosine == 1);
  CHECK(similarity(zero, a).cosine == 0);
}

TEST_CASE("pieces: between the operands at which a graph is cut") {
  const webnn::MLContext context({.threads = 1, .backends = {"reference"}});
  webnn::MLGraphBuilder b(context);
  const auto x = b.input("x", {webnn::float32, {4}});
  const auto parts = b.split(b.neg(x), 2);
  const auto y = b.add(b.mul(parts[0], parts[1]), b.constant({webnn::float32, {1}}, {1.f}));
  const webnn::Graph g = b.build({{"y", y}}).graph();
  std::vector<bool> cut(g.operand_count());
  const webnn::Node split = g.node(1), last = g.node(g.size() - 1);
  REQUIRE(split.outputs().size() == 2);
  const auto all = webnn::tool::piece_of(g, last.output(), cut);
  CHECK(all.graph.size() == g.size());
  CHECK(all.inputs.size() == 1);
  cut[split.output(0).record().id] = true;  // the other half is still computed
  cut[last.output().record().id] = true;
  const auto piece = webnn::tool::piece_of(g, last.output(), cut);
  CHECK(piece.graph.size() == 4);
  REQUIRE(piece.inputs.size() == 2);
  CHECK(piece.inputs[1].is(split.output(0)) != piece.inputs[0].is(split.output(0)));
  cut[split.output(1).record().id] = true;
  CHECK(webnn::tool::piece_of(g, last.output(), cut).graph.size() == 2);
}

TEST_CASE("observable: not between dequantizeLinear and quantizeLinear") {
  webnn::MLGraphBuilder b(webnn::MLContext({.threads = 1, .backends = {"reference"}}));
  const auto s = b.constant({webnn::float32, {1, 1}}, {0.5f});
  const auto z = b.constant({webnn::int8, {1, 1}}, {std::int8_t{0}});
  const auto x = b.input("x", {webnn::int8, {2, 2}});
  const auto y = b.relu(b.neg(b.dequantizeLinear(x, s, z)));
  const auto q = b.quantizeLinear(y, s, z);
  const webnn::Graph g =
      b.build({{"q", b.neg(q)}, {"z", b.tanh(b.dequantizeLinear(q, s, z))}}).graph();
  const auto visible = webnn::tool::observable(g);
  for (std::size_t i = 0; i < g.size(); ++i) {
    const webnn::Node node = g.node(i);
    const bool expected = node.as<webnn::ops::quantizeLinear>() || node.as<webnn::ops::tanh>() ||
                          node.output().dataType() == webnn::int8;
    INFO(node.name());
    CHECK(visible[node.output().record().id] == expected);
  }
}

}  // namespace
