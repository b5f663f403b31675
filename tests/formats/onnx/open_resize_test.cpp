// Resize of open dimensions.
#include "tests/formats/onnx/open.h"

using namespace webnn;
using namespace webnn::onnx::test;
using enum webnn::onnx::ElementType;
using webnn::test::thrown;

TEST_CASE("onnx: open dimensions: Resize to the size of another tensor, and by scales") {
  const auto resized = [](std::string_view mode, std::string_view coordinates, bool by_sizes) {
    Writer w = with_zeros();
    w.input("x", {"batch", "2", "height", "width"}).input("like", {"1", "1", "h", "w"}).output("y");
    std::vector<Message> attributes{attribute("mode", mode),
                                    attribute("coordinate_transformation_mode", coordinates)};
    if (mode == "nearest") attributes.push_back(attribute("nearest_mode", "floor"));
    if (by_sizes) {
      w.initializer(list("two", {2})).initializer(list("four", {4}));
      w.node("Shape", {"like"}, {"shape"}).node("Slice", {"shape", "two", "four"}, {"hw"});
      w.node("Shape", {"x"}, {"own"}).node("Slice", {"own", "zeros", "two"}, {"nc"});
      w.node("Concat", {"nc", "hw"}, {"sizes"}, {attribute("axis", 0)});
      w.node("Resize", {"x", "", "", "sizes"}, {"y"}, attributes);
    } else {
      w.initializer(floats("scales", {4}, {1, 1, 2, 0.6f}));
      w.node("Resize", {"x", "", "scales"}, {"y"}, attributes);
    }
    return w;
  };
  struct Rule {
    std::string_view mode, coordinates;
    std::function<double(double i, double in, double out, double scale)> coordinate;
  };
  const auto half = [](double i, double, double, double scale) { return (i + 0.5) / scale - 0.5; };
  const Rule rules[] = {
      {"nearest", "asymmetric", [](double i, double, double, double scale) { return i / scale; }},
      {"linear", "half_pixel", half},
      {"linear", "pytorch_half_pixel",
       [&](double i, double in, double out, double scale) {
         return out > 1 ? half(i, in, out, scale) : 0;
       }},
      {"linear", "align_corners",
       [](double i, double in, double out, double) {
         return out > 1 ? i * (in - 1) / (out - 1) : 0;
       }},
  };
  const std::array<Dims, 5> sizes{
      {{5, 7, 10, 14}, {5, 7, 3, 20}, {8, 8, 1, 1}, {1, 4, 6, 2}, {5, 7, 5, 7}}};
  for (const Rule& rule : rules)
    for (const bool by_sizes : {true, false}) {
      // The size of the result before it is rounded counts, which this oracle does not know.
      if (!by_sizes && rule.coordinates == "align_corners") continue;
      INFO(rule.mode << " " << rule.coordinates << (by_sizes ? " by sizes" : " by scales"));
      Imported graph(resized(rule.mode, rule.coordinates, by_sizes));
      for (const Dims& s : sizes) {
        const std::uint32_t h = s[0], w = s[1];
        const std::uint32_t oh = by_sizes ? s[2] : 2 * h;
        const std::uint32_t ow =
            by_sizes ? s[3] : static_cast<std::uint32_t>(0.6f * static_cast<float>(w));
        const double sh = by_sizes ? double(oh) / h : 2, sw = by_sizes ? double(ow) / w : 0.6f;
        const Tensor x = counted({3, 2, h, w});
        const auto at = [&](const Dims& p, double r, double c) {
          const auto inside = [](double v, std::uint32_t n) {
            return static_cast<std::uint32_t>(std::clamp(v, 0.0, n - 1.0));
          };
          return x.at({p[0], p[1], inside(r, h), inside(c, w)});
        };
        std::map<std::string, Tensor> inputs{{"x", x}};
        inputs["like"] = counted({1, 1, s[2], s[3]});
        check(graph.run(inputs)[0], {3, 2, oh, ow}, [&](const Dims& p) {
          const double r = rule.coordinate(p[2], h, oh, sh), c = rule.coordinate(p[3], w, ow, sw);
          // Whole numbers that the oracle misses by rounding.
          const double fr = std::floor(r + 1e-9), fc = std::floor(c + 1e-9);
          if (rule.mode == "nearest") return at(p, fr, fc);
          return (at(p, fr, fc) * (fc + 1 - c) + at(p, fr, fc + 1) * (c - fc)) * (fr + 1 - r) +
                 (at(p, fr + 1, fc) * (fc + 1 - c) + at(p, fr + 1, fc + 1) * (c - fc)) * (r - fr);
        });
      }
    }
}
