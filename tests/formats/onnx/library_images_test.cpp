// Nodes on images, random numbers and recurrent attention that become operators of the library, or
// are composed.
#include <cmath>

#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::onnx;
using namespace webnn::onnx::test;
using enum ElementType;

namespace {

Tensor f32(Dims shape, const Doubles& values) {
  return webnn::test::tensor(float32, std::move(shape), values);
}
Doubles counted(std::size_t n, double first = 0) {
  Doubles all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(first + static_cast<double>(i));
  return all;
}
/// What a model computes, imported, and imported again after it was written.
std::vector<Tensor> both(const Writer& w, const std::map<std::string, Tensor>& inputs) {
  const auto results = run(w.file(), inputs);
  MLContext context({.threads = 1, .backends = {"reference"}, .keepConstants = true});
  MLGraphBuilder b(context);
  const Model m = import_model(b, w.file());
  const auto again = run(export_model(b.build(m.outputs)), inputs);
  REQUIRE(again.size() == results.size());
  for (std::size_t i = 0; i < results.size(); ++i) CHECK(again[i].bytes == results[i].bytes);
  return results;
}
void near(const Tensor& y, const Doubles& expected) {
  REQUIRE(y.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(y[i] - expected[i]) < 1e-4);
  }
}

}  // namespace

TEST_CASE("onnx: CumProd and Det") {
  for (const auto& [exclusive, reverse, expected] :
       {std::tuple{0, 0, Doubles{1, 2, 6, 24, 120}}, std::tuple{1, 0, Doubles{1, 1, 2, 6, 24}},
        std::tuple{0, 1, Doubles{120, 120, 60, 20, 5}},
        std::tuple{1, 1, Doubles{120, 60, 20, 5, 1}}}) {
    Writer w;
    w.opset = 26;
    w.input("x", {"5"}).output("y").initializer(int64s("axis", {}, {0}));
    w.node("CumProd", {"x", "axis"}, {"y"},
           {attribute("exclusive", exclusive), attribute("reverse", reverse)});
    CHECK(elements(both(w, {{"x", f32({5}, counted(5, 1))}}).at(0)) == expected);
    if (exclusive) continue;
    w.opset = 25;
    CHECK_THAT(refusal(w), ContainsSubstring("in operator set 26 and later"));
  }
  Writer det;
  det.input("x", {"2", "2", "2"}).output("y").node("Det", {"x"}, {"y"});
  near(both(det, {{"x", f32({2, 2, 2}, {1, 2, 3, 4, 0, 1, 1, 0})}}).at(0), {-2, -1});
}

TEST_CASE("onnx: RoiAlign in both coordinate modes, and its default in each operator set") {
  const auto y = [](std::int64_t opset, const std::vector<Message>& attributes) {
    Writer w;
    w.opset = opset;
    w.input("x", {"1", "1", "4", "4"}).input("rois", {"1", "4"}).output("y");
    w.initializer(int64s("i", {1}, {0}));
    std::vector<Message> all = attributes;
    all.push_back(attribute("sampling_ratio", 1));
    w.node("RoiAlign", {"x", "rois", "i"}, {"y"}, all);
    return both(w, {{"x", f32({1, 1, 4, 4}, counted(16))}, {"rois", f32({1, 4}, {1, 1, 3, 3})}})
        .at(0);
  };
  near(y(10, {}), {10});
  near(y(16, {}), {7.5});
  near(y(16, {attribute("coordinate_transformation_mode", "output_half_pixel")}), {10});
  near(y(16, {attribute("output_height", 2), attribute("output_width", 1)}), {5.5, 9.5});
  near(y(16, {attribute("spatial_scale", 0.5f)}), {2.5});
  near(y(16, {attribute("mode", "max")}), {0.25 * 10});
}

TEST_CASE("onnx: MaxUnpool, with and without a shape") {
  Writer w;
  w.input("x", {"1", "1", "2", "2"}).input("i", {"1", "1", "2", "2"}, INT64);
  w.output("y").output("larger").initializer(int64s("shape", {4}, {1, 1, 5, 5}));
  const std::vector<Message> attributes{attribute("kernel_shape", Ints{2, 2}),
                                        attribute("strides", Ints{2, 2})};
  w.node("MaxUnpool", {"x", "i"}, {"y"}, attributes);
  w.node("MaxUnpool", {"x", "i", "shape"}, {"larger"}, attributes);
  const auto y = both(w, {{"x", f32({1, 1, 2, 2}, {1, 2, 3, 4})},
                          {"i", webnn::test::tensor(int64, {1, 1, 2, 2}, {5, 7, 13, 15})}});
  CHECK(elements(y.at(0)) == Doubles{0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4});
  CHECK(elements(y.at(1)) ==
        Doubles{0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 4, 0, 0, 0, 0, 0, 0});
  Writer wrong;
  wrong.input("x", {"1", "1", "1", "1"}).output("y").initializer(int64s("i", {1, 1, 1, 1}, {4}));
  wrong.node("MaxUnpool", {"x", "i"}, {"y"}, attributes);
  CHECK_THAT(refusal(wrong), ContainsSubstring("the index 4 is not within a dimension of 4"));
}

TEST_CASE("onnx: Col2Im") {
  Writer w;
  w.opset = 18;
  w.input("x", {"1", "5", "5"}).output("y");
  w.initializer(int64s("image", {2}, {5, 5})).initializer(int64s("block", {2}, {1, 5}));
  w.node("Col2Im", {"x", "image", "block"}, {"y"});
  Doubles columns;
  for (int i = 0; i < 25; ++i) columns.push_back(1 + i / 5 + i % 5 * 5);
  CHECK(elements(both(w, {{"x", f32({1, 5, 5}, columns)}}).at(0)) == counted(25, 1));
}

TEST_CASE("onnx: DeformConv") {
  Writer w;
  w.opset = 19;
  w.input("x", {"1", "1", "3", "3"}).input("offset", {"1", "8", "4", "4"}).output("y");
  w.initializer(floats("w", {1, 1, 2, 2}, {1, 1, 1, 1})).initializer(floats("b", {1}, {0}));
  w.node("DeformConv", {"x", "w", "offset", "b"}, {"y"}, {attribute("pads", Ints{1, 1, 1, 1})});
  Doubles offsets(8 * 16);
  offsets[0] = 0.5, offsets[5 * 16 + 6] = -0.1;
  near(
      both(w, {{"x", f32({1, 1, 3, 3}, counted(9))}, {"offset", f32({1, 8, 4, 4}, offsets)}}).at(0),
      {0, 1, 3, 2, 3, 8, 11.9, 7, 9, 20, 24, 13, 6, 13, 15, 8});
}

TEST_CASE("onnx: DeformConv with groups, a mask and a bias") {
  Writer w;
  w.opset = 19;
  w.input("x", {"1", "2", "2", "2"}).input("mask", {"1", "2", "2", "2"}).output("y");
  w.initializer(floats("w", {2, 1, 1, 1}, {10, 100})).initializer(floats("b", {2}, {0.5f, -0.5f}));
  w.initializer(floats("offset", {1, 4, 2, 2}, std::vector<float>(16)));
  w.node("DeformConv", {"x", "w", "offset", "b", "mask"}, {"y"},
         {attribute("group", 2), attribute("offset_group", 2)});
  const auto y = both(w, {{"x", f32({1, 2, 2, 2}, counted(8))},
                          {"mask", f32({1, 2, 2, 2}, {1, 1, 1, 0, 0.5, 1, 1, 1})}});
  near(y.at(0), {0.5, 10.5, 20.5, 0.5, 199.5, 499.5, 599.5, 699.5});
}

TEST_CASE("onnx: AffineGrid of two and three dimensions") {
  const auto grid = [](const Ints& size, bool corners, const Doubles& theta) {
    Writer w;
    w.opset = 20;
    const auto n = static_cast<std::uint32_t>(size.size() - 2);
    w.input("t", {"1", std::to_string(n), std::to_string(n + 1)}).output("y");
    w.initializer(int64s("size", {static_cast<std::int64_t>(size.size())}, size));
    w.node("AffineGrid", {"t", "size"}, {"y"}, {attribute("align_corners", corners ? 1 : 0)});
    return both(w, {{"t", f32({1, n, n + 1}, theta)}}).at(0);
  };
  near(grid({1, 3, 2, 2}, true, {1, 0, 0.5, 0, 2, 0}), {-0.5, -2, 1.5, -2, -0.5, 2, 1.5, 2});
  near(grid({1, 3, 2, 1}, false, {1, 0, 0, 0, 1, 0}), {0, -0.5, 0, 0.5});
  const Tensor y = grid({1, 1, 2, 2, 2}, true, {1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0});
  CHECK(y.shape == Dims{1, 2, 2, 2, 3});
  near(y, {-1, -2, -3, 1, -2, -3, -1, 2, -3, 1, 2, -3, -1, -2, 3, 1, -2, 3, -1, 2, 3, 1, 2, 3});
}

TEST_CASE("onnx: random numbers with seeds are the same in each run, and have the shapes") {
  Writer w;
  w.input("x", {"3", "n"}).output("a").output("b").output("c").output("d");
  w.node("RandomUniform", {}, {"a"},
         {attribute("shape", Ints{4, 5}), attribute("seed", 3.0f), attribute("low", -1.0f)});
  w.node("RandomNormalLike", {"x"}, {"b"}, {attribute("seed", 3.0f)});
  w.node("RandomNormal", {}, {"c"},
         {attribute("shape", Ints{2}), attribute("dtype", 10), attribute("seed", 4.0f)});
  w.node("RandomUniformLike", {"x"}, {"d"}, {attribute("seed", 5.0f)});
  const std::map<std::string, Tensor> inputs{{"x", f32({3, 7}, counted(21))}};
  const auto y = run(w.file(), inputs), again = run(w.file(), inputs);
  CHECK(y.at(0).shape == Dims{4, 5});
  CHECK(y.at(1).shape == Dims{3, 7});
  CHECK(y.at(2).type == float16);
  CHECK(y.at(3).shape == Dims{3, 7});
  for (std::size_t i = 0; i < 4; ++i) CHECK(y[i].bytes == again[i].bytes);
  CHECK(y[3][0] != y[3][1]);
}

TEST_CASE("onnx: random numbers without a seed differ from run to run") {
  Writer w;
  w.input("x", {"50"}).output("y").node("RandomNormalLike", {"x"}, {"y"});
  const std::map<std::string, Tensor> inputs{{"x", f32({50}, counted(50))}};
  CHECK(run(w.file(), inputs).at(0).bytes != run(w.file(), inputs).at(0).bytes);
}

TEST_CASE("onnx: Bernoulli and Multinomial follow probabilities") {
  Writer w;
  w.input("p", {"3000"}).input("l", {"2", "3"}).output("b").output("i").output("m");
  w.node("Bernoulli", {"p"}, {"b"}, {attribute("seed", 1.0f)});
  w.node("Bernoulli", {"p"}, {"i"}, {attribute("seed", 1.0f), attribute("dtype", 9)});
  w.node("Multinomial", {"l"}, {"m"},
         {attribute("seed", 2.0f), attribute("sample_size", 4000), attribute("dtype", 7)});
  Doubles p(3000, 0.25);
  for (std::size_t i = 0; i < 1000; ++i) p[i] = 0, p[i + 1000] = 1;
  const auto y = run(
      w.file(), {{"p", f32({3000}, p)},
                 {"l", f32({2, 3}, {std::log(0.25), std::log(0.5), std::log(0.25), 0, 50, 0})}});
  double ones = 0;
  for (std::size_t i = 0; i < 3000; ++i) {
    if (i < 2000) REQUIRE(y.at(0)[i] == (i < 1000 ? 0 : 1));
    else ones += y[0][i];
    REQUIRE(y.at(1)[i] == y[0][i]);
  }
  CHECK(y[1].type == uint8);
  CHECK(std::abs(ones / 1000 - 0.25) < 0.05);
  CHECK(y.at(2).type == int64);
  CHECK(y[2].shape == Dims{2, 4000});
  double counts[3] = {};
  for (std::size_t i = 0; i < 4000; ++i) {
    ++counts[static_cast<int>(y[2][i])];
    REQUIRE(y[2][4000 + i] == 1);
  }
  for (int c = 0; c < 3; ++c) CHECK(std::abs(counts[c] / 4000 - (c == 1 ? 0.5 : 0.25)) < 0.03);
}

TEST_CASE("onnx: CausalConvWithState of both domains") {
  for (const bool contrib : {false, true}) {
    Writer w;
    w.opset = contrib ? 17 : 27;
    if (contrib) w.domains = {{"com.microsoft", 1}};
    w.input("x", {"1", "1", "n"}).input("past", {"1", "1", "2"});
    w.output("y").output("present").output("z").output("later");
    w.initializer(floats("w", {1, 1, 3}, {1, 10, 100})).initializer(floats("b", {1}, {0.5f}));
    const std::string domain = contrib ? "com.microsoft" : "";
    w.node("CausalConvWithState", {"x", "w", "b", "past"}, {"y", "present"}, {}, domain);
    w.node("CausalConvWithState", {"x", "w"}, {"z", "later"}, {attribute("activation", "silu")},
           domain);
    const auto y =
        run(w.file(), {{"x", f32({1, 1, 4}, {1, 2, 3, 4})}, {"past", f32({1, 1, 2}, {5, 6})}});
    near(y.at(0), {165.5, 216.5, 321.5, 432.5});
    near(y.at(1), {3, 4});
    near(y.at(2), {100, 210, 321, 432});
    near(y.at(3), {3, 4});
  }
}

TEST_CASE("onnx: LinearAttention of both domains") {
  for (const bool contrib : {false, true}) {
    Writer w;
    w.opset = contrib ? 17 : 27;
    if (contrib) w.domains = {{"com.microsoft", 1}};
    const std::string domain = contrib ? "com.microsoft" : "";
    w.input("q", {"1", "2", "1"}).input("k", {"1", "2", "1"}).input("v", {"1", "2", "1"});
    w.input("s", {"1", "1", "1", "1"}).input("g", {"1", "2", "1"}).input("b", {"1", "2", "1"});
    for (const char* y : {"a", "as", "c", "cs", "d"}) w.output(y);
    const auto attributes = [](const char* rule) {
      return std::vector<Message>{attribute("q_num_heads", 1), attribute("kv_num_heads", 1),
                                  attribute("update_rule", rule), attribute("scale", 1.0f)};
    };
    w.node("LinearAttention", {"q", "k", "v"}, {"a", "as"}, attributes("linear"), domain);
    w.node("LinearAttention", {"q", "k", "v", "s", "g"}, {"c", "cs"}, attributes("gated"), domain);
    w.node("LinearAttention", {"q", "k", "v", "s", "", "b"}, {"d", ""}, attributes("delta"),
           domain);
    const auto y = both(w, {{"q", f32({1, 2, 1}, {1, 2})},
                            {"k", f32({1, 2, 1}, {3, 4})},
                            {"v", f32({1, 2, 1}, {5, 6})},
                            {"s", f32({1, 1, 1, 1}, {2})},
                            {"g", f32({1, 2, 1}, {std::log(0.5), std::log(0.5)})},
                            {"b", f32({1, 2, 1}, {0.5, 1})}});
    near(y.at(0), {15, 78});
    near(y.at(1), {39});
    near(y.at(2), {16, 64});
    near(y.at(3), {32});
    // 2 + 3 (5 - 6) / 2 = 0.5, then 0.5 + 4 (6 - 2) = 16.5.
    near(y.at(4), {0.5, 33});
  }
}
