// Resize, nearest, by sizes: every pair of sizes up to 130 in every mode takes the element that
// exact arithmetic takes.
#include <numeric>

#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::onnx;
using namespace webnn::onnx::test;
using webnn::test::tensor;
using enum ElementType;

namespace {

/// A rational number in lowest terms, with a denominator above 0.
struct Rational {
  std::int64_t n, d;
  Rational(std::int64_t above, std::int64_t below = 1) : n(above), d(below) {
    const std::int64_t g = std::gcd(n, d) * (d < 0 ? -1 : 1);
    n /= g;
    d /= g;
  }
  friend Rational operator+(Rational a, Rational b) { return {a.n * b.d + b.n * a.d, a.d * b.d}; }
  friend Rational operator-(Rational a, Rational b) { return a + Rational(-b.n, b.d); }
  friend Rational operator*(Rational a, Rational b) { return {a.n * b.n, a.d * b.d}; }
  friend Rational operator/(Rational a, Rational b) { return a * Rational(b.d, b.n); }
  bool operator<(Rational b) const { return n * b.d < b.n * d; }
  std::int64_t floor() const { return n >= 0 ? n / d : -((-n + d - 1) / d); }
};

const Rational half(1, 2), region_start(-1, 4), region_end(5, 8);

/// The formulas of https://onnx.ai/onnx/operators/onnx__Resize.html
Rational coordinate(std::string_view mode, std::int64_t i, std::int64_t in, std::int64_t out) {
  const Rational x(i), scale(out, in), last(in - 1);
  if (mode == "half_pixel") return (x + half) / scale - half;
  if (mode == "half_pixel_symmetric") {
    const Rational adjustment = Rational(out) / (scale * Rational(in)),
                   center = Rational(in) * half;
    return center * (Rational(1) - adjustment) + (x + half) / scale - half;
  }
  if (mode == "pytorch_half_pixel") return out > 1 ? (x + half) / scale - half : Rational(0);
  if (mode == "align_corners") return out > 1 ? x * last / Rational(out - 1) : Rational(0);
  if (mode == "asymmetric") return x / scale;
  if (mode == "tf_half_pixel_for_nn") return (x + half) / scale;
  return out > 1 ? region_start * last + x * (region_end - region_start) * last / Rational(out - 1)
                 : half * (region_start + region_end) * last;
}
std::int64_t rounded(std::string_view mode, Rational x) {
  const std::int64_t low = x.floor();
  const Rational rest = x - Rational(low);
  if (mode == "floor") return low;
  if (mode == "ceil") return rest.n == 0 ? low : low + 1;
  const bool up = mode == "round_prefer_ceil" ? !(rest < half) : half < rest;
  return up ? low + 1 : low;
}

constexpr std::int64_t most = 130;

/// All results of one size of the input, one after the other.
std::vector<double> expected(std::string_view coordinates, std::string_view nearest,
                             std::int64_t in) {
  std::vector<double> all;
  for (std::int64_t out = 1; out <= most; ++out)
    for (std::int64_t i = 0; i < out; ++i) {
      // An axis that keeps its size is not resized, but cropped.
      const bool crops = coordinates == "tf_crop_and_resize";
      const Rational x = in == out && !crops ? Rational(i) : coordinate(coordinates, i, in, out);
      const bool outside = crops && (x.n < 0 || Rational(in - 1) < x);
      const std::int64_t at = std::clamp<std::int64_t>(rounded(nearest, x), 0, in - 1);
      all.push_back(outside ? -7 : static_cast<double>(at));
    }
  return all;
}
std::vector<double> imported(std::string_view coordinates, std::string_view nearest,
                             std::int64_t in) {
  Writer w;
  w.opset = 19;
  w.input("x", {std::to_string(in)}).output("y").output("same");
  std::vector<float> ramp(static_cast<std::size_t>(in));
  std::iota(ramp.begin(), ramp.end(), 0.0f);
  w.initializer(floats("ramp", {in}, ramp));
  w.initializer(floats("region", {2}, {-0.25f, 0.625f}));
  Names parts;
  for (std::int64_t out = 1; out <= most; ++out) {
    const std::string name = std::to_string(out);
    w.initializer(int64s("size" + name, {1}, {out}));
    w.node("Resize", {"ramp", "region", "", "size" + name}, {name},
           {attribute("coordinate_transformation_mode", coordinates),
            attribute("nearest_mode", nearest), attribute("extrapolation_value", -7.0f)});
    parts.push_back(name);
  }
  w.node("Concat", parts, {"y"}, {attribute("axis", 0)}).node("Identity", {"x"}, {"same"});
  return elements(run(w.file(), {{"x", tensor(float32, {static_cast<std::uint32_t>(in)},
                                              std::vector<double>(ramp.begin(), ramp.end()))}})
                      .at(0));
}

}  // namespace

TEST_CASE("onnx: the nearest elements of Resize by sizes are exact") {
  for (const std::string_view coordinates :
       {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
        "tf_half_pixel_for_nn", "tf_crop_and_resize"})
    for (const std::string_view nearest :
         {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})
      for (std::int64_t in = 1; in <= most; ++in) {
        CAPTURE(coordinates, nearest, in);
        CHECK(imported(coordinates, nearest, in) == expected(coordinates, nearest, in));
      }
}

TEST_CASE("onnx: Resize of an image by sizes and by scales") {
  // As resample2d, and as elements that are gathered: of two rows and 50 columns.
  std::vector<double> values(100);
  std::iota(values.begin(), values.end(), 0);
  for (const std::string_view coordinates : {"half_pixel", "align_corners"}) {
    Writer w;
    w.opset = 19;
    w.input("x", {"1", "1", "2", "50"}).output("y").initializer(int64s("sizes", {2}, {4, 7}));
    w.node("Resize", {"x", "", "", "sizes"}, {"y"},
           {attribute("coordinate_transformation_mode", coordinates),
            attribute("nearest_mode", coordinates == "half_pixel" ? "round_prefer_floor" : "floor"),
            attribute("axes", Ints{2, 3})});
    const Tensor y = run(w.file(), {{"x", tensor(float32, {1, 1, 2, 50}, values)}}).at(0);
    std::vector<double> rows{0, 0, 1, 1}, columns{3, 10, 17, 24, 32, 39, 46}, all;
    if (coordinates == "align_corners") {
      rows = {0, 0, 0, 1};
      columns = {0, 8, 16, 24, 32, 40, 49};
    }
    for (double r : rows)
      for (double c : columns) all.push_back(50 * r + c);
    CHECK(elements(y) == all);
  }
  Writer linear;
  linear.input("x", {"50"}).output("y").initializer(int64s("sizes", {1}, {7}));
  linear.node(
      "Resize", {"x", "", "", "sizes"}, {"y"},
      {attribute("coordinate_transformation_mode", "align_corners"), attribute("mode", "linear")});
  values.resize(50);
  const Tensor y = run(linear.file(), {{"x", tensor(float32, {50}, values)}}).at(0);
  CHECK(y[0] == 0);
  CHECK(y[3] == 24.5);
  CHECK(y[6] == 49);  // whole coordinates have no share of a neighbor
}

TEST_CASE("onnx: keep_aspect_ratio_policy rounds ties up") {
  // 0.5 * 3 = 1.5, and 7/10 * 5 = 3.5, which is below it as a product of floats.
  for (const auto& [in, sizes, out] :
       {std::tuple(Dims{10, 5}, Ints{7, 5}, Dims{7, 4}), {Dims{2, 3}, Ints{1, 3}, Dims{1, 2}}}) {
    Writer w;
    w.opset = 19;
    w.input("x", {std::to_string(in[0]), std::to_string(in[1])}).output("y");
    w.initializer(int64s("sizes", {2}, sizes));
    w.node("Resize", {"x", "", "", "sizes"}, {"y"},
           {attribute("keep_aspect_ratio_policy", "not_larger")});
    webnn::test::Builder b;
    CHECK(import_model(b, w.file()).output("y").shape() == out);
  }
}

TEST_CASE("onnx: a region of interest that integers do not hold") {
  const auto cropped = [](float start, float end) {
    Writer w;
    w.input("x", {"4"}).output("y").initializer(floats("region", {2}, {start, end}));
    w.initializer(int64s("sizes", {1}, {3}));
    w.node("Resize", {"x", "region", "", "sizes"}, {"y"},
           {attribute("coordinate_transformation_mode", "tf_crop_and_resize")});
    return refusal(w);
  };
  CHECK(cropped(0.1f, 0.9f) == "nothing");
  CHECK(cropped(1e-38f, 1) ==
        "NotSupportedError onnx: node 0 (Resize-17): a region of interest from "
        "9.999999350456404e-39 to 1, which differ too much in size.");
  CHECK(cropped(0, std::numeric_limits<float>::infinity()) ==
        "DataError onnx: node 0 (Resize-17): value 1 of its region is inf.");
}
