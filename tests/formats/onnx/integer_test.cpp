// Products of integers: which kernels run the forms of quantized files, and their results.
#include <cmath>

#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace webnn;
using namespace webnn::onnx::test;
using webnn::test::tensor;
using enum webnn::onnx::ElementType;

namespace {

constexpr std::uint32_t rows = 3, depth = 300, columns = 10;

/// Weights, their zero points and scales, a bias, and x, as one set of numbers for all models.
struct Numbers {
  std::vector<std::int8_t> w{};
  std::vector<std::uint8_t> unsigned_w{};
  std::vector<float> scales{}, bias{};
  Tensor x;

  Numbers() : x(webnn::test::Random(7).tensor(float32, {1, rows, depth}, -1, 3)) {
    for (std::uint32_t i = 0; i < depth * columns; ++i) {
      w.push_back(static_cast<std::int8_t>(static_cast<int>(i * 37 % 255) - 127));
      unsigned_w.push_back(static_cast<std::uint8_t>(i * 41 % 256));
    }
    for (std::uint32_t i = 0; i < columns; ++i) {
      scales.push_back(std::ldexp(static_cast<float>(3 + i), -9));
      bias.push_back(0.25f * static_cast<float>(i) - 1);
    }
  }
  void add_to(Writer& f) const {
    f.initializer(onnx::test::tensor("w", INT8, {depth, columns}, w))
        .initializer(onnx::test::tensor("u", UINT8, {depth, columns}, unsigned_w))
        .initializer(onnx::test::tensor("u zero", UINT8, {}, std::vector<std::uint8_t>{113}))
        .initializer(floats("w scales", {columns}, scales))
        .initializer(floats("w scale", {}, {0.0078125}))
        .initializer(floats("bias", {columns}, bias));
  }

  /// What DynamicQuantizeLinear, a product, factors and a bias give.
  double at(std::uint32_t row, std::uint32_t column, bool is_unsigned, bool by_column,
            bool has_bias) const {
    double low = 0, high = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      low = std::min(low, x[i]);
      high = std::max(high, x[i]);
    }
    const float scale =
        static_cast<float>(static_cast<double>(static_cast<float>(high - low)) / 255);
    const double zero = std::nearbyint(static_cast<double>(static_cast<float>(-low / scale)));
    double sum = 0;
    for (std::uint32_t k = 0; k < depth; ++k) {
      const float quotient = static_cast<float>(x[row * depth + k] / static_cast<double>(scale));
      const double q =
          std::min(std::max(std::nearbyint(static_cast<double>(quotient)) + zero, 0.), 255.);
      const std::size_t i = k * columns + column;
      sum += (q - zero) * (is_unsigned ? unsigned_w[i] - 113. : w[i]);
    }
    const double factor = by_column ? static_cast<double>(scales[column]) : 0.0078125;
    return sum * static_cast<double>(scale) * factor +
           (has_bias ? static_cast<double>(bias[column]) : 0);
  }
};

bool has_simd() {
  const auto all = MLContext({.threads = 1}).backends();
  return std::find(all.begin(), all.end(), "simd") != all.end();
}

struct Outcome {
  std::vector<Tensor> results;
  std::string explained;
};
Outcome outcome(const Writer& w, const std::map<std::string, Tensor>& inputs,
                std::vector<BackendChoice> backends) {
  MLContext context({.threads = 1, .backends = std::move(backends)});
  MLGraphBuilder b(context);
  const onnx::Model model = onnx::import_model(b, w.file());
  Outcome o{run(b, model, inputs), {}};
  MLGraphBuilder again(context);
  const onnx::Model same = onnx::import_model(again, w.file());
  o.explained = again.build(same.outputs, {.inputs = same.inputs}).explain();
  return o;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// The results have the same bits on the vector kernels and on the reference kernels.
std::vector<Tensor> check(const Writer& w, const std::map<std::string, Tensor>& inputs,
                          const std::vector<std::pair<std::string, std::size_t>>& kernels) {
  Outcome plain = outcome(w, inputs, {"reference"});
  if (has_simd()) {
    const Outcome o = outcome(w, inputs, {"simd", "reference"});
    INFO(o.explained);
    for (const auto& [kernel, n] : kernels) CHECK(count(o.explained, kernel) == n);
    for (std::size_t i = 0; i < plain.results.size(); ++i)
      CHECK((o.results[i].bytes == plain.results[i].bytes));
  }
  return std::move(plain.results);
}

}  // namespace

TEST_CASE("onnx: DynamicQuantizeLinear and products that share its results are integer kernels") {
  const Numbers numbers;
  Writer w;
  w.input("x", {"1", "3", "300"}).output("a").output("b");
  numbers.add_to(w);
  w.node("DynamicQuantizeLinear", {"x"}, {"q", "scale", "zero"});
  w.node("MatMulInteger", {"q", "w", "zero"}, {"p"});
  w.node("Cast", {"p"}, {"p float"}, {attribute("to", 1)});
  w.node("Mul", {"scale", "w scales"}, {"scales"});
  w.node("Mul", {"p float", "scales"}, {"p scaled"});
  w.node("Add", {"bias", "p scaled"}, {"p biased"});
  w.node("Relu", {"p biased"}, {"a"});
  w.node("MatMulInteger", {"q", "u", "zero", "u zero"}, {"r"});
  w.node("Cast", {"r"}, {"r float"}, {attribute("to", 1)});
  w.node("Mul", {"scale", "w scale"}, {"one scale"});
  w.node("Mul", {"r float", "one scale"}, {"b"});
  const auto results = check(w, {{"x", numbers.x}},
                             {{"simd dynamic quantization", 1}, {"simd int8 gemm to float32", 2}});
  for (std::uint32_t i = 0; i < rows; ++i)
    for (std::uint32_t j = 0; j < columns; ++j) {
      const double a = std::max(numbers.at(i, j, false, true, true), 0.),
                   b = numbers.at(i, j, true, false, false);
      CHECK(results[0][i * columns + j] == Approx(a).epsilon(1e-6).margin(1e-5));
      CHECK(results[1][i * columns + j] == Approx(b).epsilon(1e-6).margin(1e-5));
    }
}

TEST_CASE("onnx: DynamicQuantizeMatMul and MatMulIntegerToFloat of com.microsoft") {
  const Numbers numbers;
  Writer w;
  w.domains.push_back({"com.microsoft", 1});
  w.input("x", {"1", "3", "300"}).output("a").output("b").output("c");
  w.input("s", {"10"});
  numbers.add_to(w);
  w.node("DynamicQuantizeMatMul", {"x", "w", "w scales", "", "bias"}, {"a"}, {}, "com.microsoft");
  w.node("DynamicQuantizeMatMul", {"x", "u", "w scale", "u zero"}, {"b"}, {}, "com.microsoft");
  w.node("DynamicQuantizeLinear", {"x"}, {"q", "scale", "zero"});
  w.node("MatMulIntegerToFloat", {"q", "u", "scale", "s", "zero", "u zero", "bias"}, {"c"}, {},
         "com.microsoft");
  const Tensor s =
      tensor(float32, {columns}, std::vector<double>(numbers.scales.begin(), numbers.scales.end()));
  const auto results = check(w, {{"x", numbers.x}, {"s", s}},
                             {{"simd dynamic quantization", 1}, {"simd int8 gemm to float32", 3}});
  for (std::uint32_t i = 0; i < rows; ++i)
    for (std::uint32_t j = 0; j < columns; ++j) {
      const std::size_t at = i * columns + j;
      CHECK(results[0][at] ==
            Approx(numbers.at(i, j, false, true, true)).epsilon(1e-6).margin(1e-5));
      CHECK(results[1][at] ==
            Approx(numbers.at(i, j, true, false, false)).epsilon(1e-6).margin(1e-5));
      CHECK(results[2][at] ==
            Approx(numbers.at(i, j, true, true, true)).epsilon(1e-6).margin(1e-5));
    }
}

TEST_CASE("onnx: ConvInteger with padding, strides and groups is an integer kernel") {
  for (const std::uint32_t groups : {1u, 2u}) {
    Writer w;
    w.input("x", {"1", "8", "7", "6"}).output("y");
    std::vector<std::int8_t> filter;
    for (std::uint32_t i = 0; i < 12 * (8 / groups) * 9; ++i)
      filter.push_back(static_cast<std::int8_t>(static_cast<int>(i * 29 % 255) - 127));
    w.initializer(onnx::test::tensor("w", INT8, {12, 8 / groups, 3, 3}, filter));
    w.initializer(floats("w scale", {}, {0.0078125}));
    w.node("DynamicQuantizeLinear", {"x"}, {"q", "scale", "zero"});
    w.node("ConvInteger", {"q", "w", "zero"}, {"p"},
           {attribute("pads", Ints{1, 2, 1, 0}), attribute("strides", Ints{2, 1}),
            attribute("group", static_cast<std::int64_t>(groups))});
    w.node("Cast", {"p"}, {"p float"}, {attribute("to", 1)});
    w.node("Mul", {"scale", "w scale"}, {"s"});
    w.node("Mul", {"p float", "s"}, {"y"});
    const Tensor x = webnn::test::Random(8).tensor(float32, {1, 8, 7, 6}, -2, 1);
    check(w, {{"x", x}}, {{"simd dynamic quantization", 1}, {"simd int8 conv to float32", 1}});
  }
}

TEST_CASE("onnx: MatMulInteger whose integers are read stays exact") {
  constexpr std::uint32_t k = 400;
  Writer w;
  w.input("x", {"1", "400"}, UINT8).output("p").output("f");
  w.initializer(onnx::test::tensor("w", UINT8, {k, 1}, std::vector<std::uint8_t>(k, 255)));
  w.node("MatMulInteger", {"x", "w"}, {"p"});
  w.node("Cast", {"p"}, {"f"}, {attribute("to", 1)});
  const auto results =
      check(w, {{"x", webnn::test::filled(uint8, {1, k}, 255)}}, {{"to float32", 0}});
  CHECK(results[0].type == int32);
  CHECK(results[0][0] == 400. * 255 * 255);  // beyond 2^24
  CHECK(results[1][0] == 400. * 255 * 255);
}

TEST_CASE("onnx: layers of ConvInteger are quantized by one kernel each, also in groups") {
  Writer w;
  w.input("x", {"1", "8", "7", "6"}).output("y");
  std::string from = "x";
  const auto layer = [&](const std::string& name, std::vector<std::int64_t> shape,
                         std::int64_t groups) {
    std::vector<std::int8_t> filter;
    for (std::int64_t i = 0; i < shape[0] * shape[1] * shape[2] * shape[3]; ++i)
      filter.push_back(static_cast<std::int8_t>(static_cast<int>(i * 29 % 255) - 127));
    const auto pad = shape[2] / 2;
    w.initializer(onnx::test::tensor(name + " w", INT8, shape, filter));
    w.initializer(floats(name + " scale", {}, {0.0078125}));
    w.node("DynamicQuantizeLinear", {from}, {name + " q", name + " s", name + " z"});
    w.node("ConvInteger", {name + " q", name + " w", name + " z"}, {name + " p"},
           {attribute("pads", Ints{pad, pad, pad, pad}), attribute("group", groups)});
    w.node("Cast", {name + " p"}, {name + " f"}, {attribute("to", 1)});
    w.node("Mul", {name + " s", name + " scale"}, {name + " factor"});
    w.node("Mul", {name + " f", name + " factor"}, {name + " y"});
    from = name + " r";
    w.node("Relu", {name + " y"}, {from});
  };
  layer("first", {12, 8, 3, 3}, 1);
  layer("second", {12, 1, 3, 3}, 12);
  layer("third", {12, 4, 3, 3}, 3);
  layer("fourth", {5, 12, 1, 1}, 1);
  w.node("Identity", {from}, {"y"});
  const Tensor x = webnn::test::Random(8).tensor(float32, {1, 8, 7, 6}, -2, 1);
  check(w, {{"x", x}},
        {{"simd dynamic quantization", 4},
         {"simd int8 conv", 2},
         {"simd depthwise 3x3", 1},
         {"simd grouped 4", 1}});
}

TEST_CASE("onnx: ConvInteger whose integers are read stays exact where floats would be rounded") {
  constexpr std::uint32_t side = 20, channels = 16, outputs = 24;
  Writer w;
  w.input("x", {"1", "16", "20", "20"}, UINT8).output("y");
  std::vector<std::uint8_t> filter;
  for (std::uint32_t i = 0; i < outputs * channels * 9; ++i)
    filter.push_back(static_cast<std::uint8_t>(i * 41 % 256));
  w.initializer(onnx::test::tensor("w", UINT8, {outputs, channels, 3, 3}, filter));
  w.node("ConvInteger", {"x", "w"}, {"y"}, {attribute("pads", Ints{1, 1, 1, 1})});
  const Tensor x = webnn::test::Random(9).tensor(uint8, {1, channels, side, side}, 0, 255);
  const auto results = check(w, {{"x", x}}, {{"winograd", 0}});
  REQUIRE(results[0].type == int32);
  std::size_t wrong = 0, at = 0;
  for (std::uint32_t o = 0; o < outputs; ++o)
    for (int row = 0; row < static_cast<int>(side); ++row)
      for (int column = 0; column < static_cast<int>(side); ++column, ++at) {
        double sum = 0;
        for (std::uint32_t i = 0; i < channels; ++i)
          for (int tap = 0; tap < 9; ++tap) {
            const int r = row + tap / 3 - 1, c = column + tap % 3 - 1;
            if (r < 0 || c < 0 || r >= static_cast<int>(side) || c >= static_cast<int>(side))
              continue;
            sum += x[(i * side + static_cast<std::uint32_t>(r)) * side +
                     static_cast<std::uint32_t>(c)] *
                   filter[(o * channels + i) * 9 + static_cast<std::uint32_t>(tap)];
          }
        wrong += results[0][at] != sum;
      }
  CHECK(wrong == 0);
}
