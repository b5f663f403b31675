// Fourier transforms against their definition, in complex doubles.
#include <cmath>
#include <complex>
#include <numbers>

#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace webnn;
using namespace webnn::onnx;
using namespace webnn::onnx::test;
using enum ElementType;

namespace {

using Complex = std::complex<double>;

std::vector<std::string> dims_of(const Dims& shape) {
  std::vector<std::string> all;
  for (const std::uint32_t d : shape) all.push_back(std::to_string(d));
  return all;
}
Complex turned(double sign, std::int64_t i, std::int64_t k, std::int64_t n) {
  const double angle =
      2 * std::numbers::pi * static_cast<double>(i * k % n) / static_cast<double>(n);
  return {std::cos(angle), sign * std::sin(angle)};
}
void check_near(double actual, double expected) {
  REQUIRE(std::abs(actual - expected) <= 2e-5 * std::max(1.0, std::abs(expected)));
}

struct Transform {
  Dims shape;
  std::int64_t axis = 1;
  std::int64_t length = 0;  // 0: none is given
  bool inverse = false, onesided = false;
};

void check(const Transform& t, std::int64_t opset) {
  CAPTURE(t.shape, t.axis, t.length, t.inverse, t.onesided, opset);
  webnn::test::Random random(7);
  const Tensor x = random.tensor(float32, t.shape, -1, 1);
  Writer w;
  w.opset = opset;
  w.input("x", dims_of(t.shape)).output("y");
  w.initializer(int64s("n", {}, {t.length})).initializer(int64s("axis", {}, {t.axis}));
  std::vector<Message> attributes = {attribute("inverse", int{t.inverse}),
                                     attribute("onesided", int{t.onesided})};
  Names inputs{"x", t.length ? "n" : ""};
  if (opset < 20) attributes.push_back(attribute("axis", t.axis));
  else inputs.push_back("axis");
  w.node("DFT", inputs, {"y"}, attributes);
  const Tensor y = run(w.file(), {{"x", x}}).at(0);

  const auto axis = static_cast<std::size_t>(
      t.axis < 0 ? t.axis + static_cast<std::int64_t>(t.shape.size()) : t.axis);
  const std::int64_t size = t.shape[axis], n = t.length ? t.length : size;
  Dims expected = t.shape;
  expected[axis] = static_cast<std::uint32_t>(t.onesided ? n / 2 + 1 : n);
  expected.back() = 2;
  REQUIRE(y.shape == expected);
  Dims places = expected;
  places.back() = 1;
  webnn::test::for_each_place(places, [&](const Dims& place) {
    Complex sum = 0;
    Dims at = place;
    for (std::int64_t i = 0; i < std::min(size, n); ++i) {
      at[axis] = static_cast<std::uint32_t>(i);
      at.back() = 0;
      Complex v = x.at(at);
      if (t.shape.back() == 2) at.back() = 1, v.imag(x.at(at));
      sum += v * turned(t.inverse ? 1 : -1, i, place[axis], n);
    }
    if (t.inverse) sum /= static_cast<double>(n);
    at = place;
    check_near(y.at(at), sum.real());
    at.back() = 1;
    check_near(y.at(at), sum.imag());
  });
}

}  // namespace

TEST_CASE("onnx: DFT along every axis, of every length") {
  for (const std::int64_t opset : {17, 20}) {
    check({{2, 8, 1}}, opset);
    check({{2, 9, 2}}, opset);
    check({{3, 5, 4, 1}, 1}, opset);
    check({{3, 5, 4, 2}, 2}, opset);
    check({{3, 5, 4, 2}, 0}, opset);
    check({{3, 5, 4, 2}, -2, 0, true}, opset);
    check({{2, 8, 1}, 1, 5}, opset);
    check({{2, 8, 2}, 1, 12}, opset);
    check({{2, 8, 2}, 1, 12, true}, opset);
    check({{2, 9, 1}, 1, 0, false, true}, opset);
    check({{2, 8, 1}, 1, 16, false, true}, opset);
    check({{300, 1}, 0}, opset);
    check({{7, 2}, 0}, opset);
  }
}

TEST_CASE("onnx: DFT that is refused") {
  const auto refused = [](const Dims& shape, const std::vector<Message>& attributes) {
    Writer w;
    w.input("x", dims_of(shape)).output("y").node("DFT", {"x"}, {"y"}, attributes, {}, "d");
    return refusal(w);
  };
  CHECK(refused({2, 8, 1}, {}) == "nothing");
  CHECK_THAT(refused({2, 8, 3}, {}), ContainsSubstring("its last dimension is not 1 or 2"));
  CHECK_THAT(refused({2, 8, 1}, {attribute("axis", 2)}),
             ContainsSubstring("axis (2) is the axis of"));
  CHECK_THAT(refused({2, 8, 2}, {attribute("onesided", 1)}), ContainsSubstring("one side"));
  CHECK_THAT(refused({2, 1 << 20, 1}, {}), ContainsSubstring("1048576"));
}

TEST_CASE("onnx: STFT of a signal, with and without a window, at any length") {
  webnn::test::Random random(3);
  for (const bool open : {false, true})
    for (const bool onesided : {true, false})
      for (const int given : {0, 1, 2}) {  // a length, a window, both
        constexpr std::uint32_t batch = 2, length = 37, n = 12, step = 5;
        const Tensor x = random.tensor(float32, {batch, length, 1}, -1, 1);
        std::vector<float> window(n, 1);
        for (std::size_t i = 0; given > 0 && i < n; ++i) window[i] = 0.1f * static_cast<float>(i);
        Writer w;
        w.input("x", {"2", open ? "samples" : "37", "1"}).output("y");
        w.initializer(int64s("step", {}, {step})).initializer(int64s("n", {}, {n}));
        w.initializer(floats("window", {n}, window));
        w.node("STFT", {"x", "step", given > 0 ? "window" : "", given == 1 ? "" : "n"}, {"y"},
               {attribute("onesided", int{onesided})});
        const Tensor y = run(w.file(), {{"x", x}}).at(0);
        const std::uint32_t bins = onesided ? n / 2 + 1 : n, frames = (length - n) / step + 1;
        REQUIRE(y.shape == Dims{batch, frames, bins, 2});
        webnn::test::for_each_place({batch, frames, bins}, [&](const Dims& p) {
          Complex sum = 0;
          for (std::uint32_t i = 0; i < n; ++i)
            sum += x.at({p[0], p[1] * step + i, 0}) * static_cast<double>(window[i]) *
                   turned(-1, i, p[2], n);
          check_near(y.at({p[0], p[1], p[2], 0}), sum.real());
          check_near(y.at({p[0], p[1], p[2], 1}), sum.imag());
        });
      }
}

TEST_CASE("onnx: MelWeightMatrix") {
  const auto model = [](std::int64_t bands, std::int64_t length, float high) {
    Writer w;
    w.input("x", {"1"}).output("y").output("z");
    w.initializer(int64s("bands", {}, {bands})).initializer(int64s("length", {}, {length}));
    w.initializer(int64s("rate", {}, {8192})).initializer(floats("low", {}, {0}));
    w.initializer(floats("high", {}, {high}));
    w.node("MelWeightMatrix", {"bands", "length", "rate", "low", "high"}, {"m"});
    w.node("Identity", {"m"}, {"y"}).node("Neg", {"x"}, {"z"});
    return w;
  };
  const Tensor y =
      run(model(8, 16, 4096).file(), {{"x", webnn::test::tensor(float32, {1}, {1})}}).at(0);
  REQUIRE(y.shape == Dims{9, 8});
  for (std::uint32_t band = 0; band < 8; ++band) {
    double sum = 0, largest = 0;
    for (std::uint32_t bin = 0; bin < 9; ++bin) {
      sum += y.at({bin, band});
      largest = std::max(largest, y.at({bin, band}));
    }
    CHECK(largest == 1);
    CHECK(sum >= 1);
  }
  CHECK_THAT(refusal(model(8, 16, 40960)), ContainsSubstring("beyond the 9 bins"));
  CHECK_THAT(refusal(model(0, 16, 4096)), ContainsSubstring("0 bands"));
}
