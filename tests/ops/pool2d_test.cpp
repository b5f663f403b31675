#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using Layout = MLInputOperandLayout;
enum Kind { average, l2, largest };
constexpr std::string_view names_by_kind[] = {"averagePool2d", "l2Pool2d", "maxPool2d"};

Build pool(Kind kind, const MLPool2dOptions& o) {
  return [=](MLGraphBuilder& b, Build::Operands x) {
    return kind == average ? b.averagePool2d(x[0], o)
           : kind == l2    ? b.l2Pool2d(x[0], o)
                           : b.maxPool2d(x[0], o);
  };
}

double pooled(Kind kind, const std::vector<double>& window) {
  double sum = 0, most = -INFINITY;
  for (double v : window) {
    sum += kind == l2 ? v * v : v;
    most = std::max(most, v);
  }
  if (kind == largest) return most;
  if (kind == l2) return std::sqrt(sum);
  return window.empty() ? 0 : sum / static_cast<double>(window.size());
}

/// The result of size [height, width], window by window.
Tensor pooled(Kind kind, const Tensor& x, const MLPool2dOptions& o, const Dims& size) {
  const bool nchw = o.layout == Layout::nchw;
  const std::size_t hd = nchw ? 2 : 1, wd = nchw ? 3 : 2;
  Dims shape = x.shape;
  shape[hd] = size[0], shape[wd] = size[1];
  const Dims window =
      o.windowDimensions ? Dims(*o.windowDimensions) : Dims{x.shape[hd], x.shape[wd]};
  return generated(x.type, shape, [&](const Dims& at) {
    std::vector<double> inside;
    for (std::int64_t kh = 0; kh < window[0]; ++kh)
      for (std::int64_t kw = 0; kw < window[1]; ++kw) {
        const std::int64_t h =
            std::int64_t{at[hd]} * o.strides[0] + kh * o.dilations[0] - o.padding[0];
        const std::int64_t w =
            std::int64_t{at[wd]} * o.strides[1] + kw * o.dilations[1] - o.padding[2];
        if (h < 0 || w < 0 || h >= x.shape[hd] || w >= x.shape[wd]) continue;
        Dims from = at;
        from[hd] = static_cast<std::uint32_t>(h), from[wd] = static_cast<std::uint32_t>(w);
        inside.push_back(x.at(from));
      }
    return pooled(kind, inside);
  });
}

Dims size_of(const Tensor& x, const MLPool2dOptions& o) {
  const std::size_t first = o.layout == Layout::nchw ? 2 : 1;
  Dims size;
  for (std::size_t d : {0, 1}) {
    const double in = x.shape[first + d], k = o.windowDimensions ? (*o.windowDimensions)[d] : in;
    const double real =
        (in - ((k - 1) * o.dilations[d] + 1) + o.padding[2 * d] + o.padding[2 * d + 1]) /
            o.strides[d] +
        1;
    size.push_back(static_cast<std::uint32_t>(
        o.outputShapeRounding == MLRoundingType::ceil ? std::ceil(real) : std::floor(real)));
  }
  return size;
}

void pools(Kind kind, const Tensor& x, const MLPool2dOptions& o) {
  const std::size_t first = o.layout == Layout::nchw ? 2 : 1;
  const double window = o.windowDimensions
                            ? double((*o.windowDimensions)[0]) * (*o.windowDimensions)[1]
                            : double(x.shape[first]) * x.shape[first + 1];
  check({pool(kind, o),
         {x},
         {pooled(kind, x, o, size_of(x, o))},
         tolerance_of(names_by_kind[kind], x.type, window)});
}

Tensor counted(const Dims& shape) {
  double next = 1;
  return generated(float32, shape, [&](const Dims&) { return next++; });
}
void golden(Kind kind, const Tensor& x, const MLPool2dOptions& o, const Dims& size,
            const std::vector<double>& y) {
  check({pool(kind, o),
         {x},
         {tensor(float32, {1, 1, size[0], size[1]}, y)},
         tolerance_of(names_by_kind[kind], float32, 16)});
}

}  // namespace

TEST_CASE("pooling: windows, strides, dilations and paddings in both layouts", "[pool2d]") {
  Random random(1);
  for (Kind kind : {average, l2, largest})
    for (auto type : {float32, float16, bfloat16})
      for (Layout layout : {Layout::nchw, Layout::nhwc})
        for (const Dims& strides : {Dims{1, 1}, Dims{2, 3}})
          for (const Dims& dilations : {Dims{1, 1}, Dims{2, 1}})
            for (auto rounding : {MLRoundingType::floor, MLRoundingType::ceil}) {
              const Dims shape = layout == Layout::nchw ? Dims{2, 3, 9, 8} : Dims{2, 9, 8, 37};
              pools(kind, random.tensor(type, shape, 0.1, 1),
                    {.windowDimensions = {3, 2},
                     .padding = {1, 0, 0, 1},
                     .strides = strides,
                     .dilations = dilations,
                     .layout = layout,
                     .outputShapeRounding = rounding});
            }
}

TEST_CASE("maxPool2d: every type, negative elements", "[pool2d]") {
  Random random(2);
  for_each_type(types::any, [&](MLOperandDataType type) {
    for (Layout layout : {Layout::nchw, Layout::nhwc})
      pools(largest, random.tensor(type, {1, 5, 6, 7}, -100, lowest_of(type) < 0 ? -1 : 100),
            {.windowDimensions = {2, 3}, .padding = {1, 1, 1, 1}, .layout = layout});
  });
  check({pool(largest, {}),
         {integers(int64, {1, 1, 1, 2}, {9007199254740993, 9007199254740992})},
         {integers(int64, {1, 1, 1, 1}, {9007199254740993})}});
}

TEST_CASE("pooling: the whole image by default, as a reduction", "[pool2d]") {
  Random random(3);
  for (Kind kind : {average, l2, largest}) {
    const Tensor x = random.tensor(float32, {2, 40, 31, 33}, 0.1, 1);
    pools(kind, x, {});
    pools(kind, random.tensor(float32, {2, 31, 33, 40}, 0.1, 1), {.layout = Layout::nhwc});
    const auto reduced = [kind](MLGraphBuilder& b, Build::Operands x) {
      const MLReduceOptions o{.axes = {2, 3}, .keepDimensions = true};
      return kind == average ? b.reduceMean(x[0], o)
             : kind == l2    ? b.reduceL2(x[0], o)
                             : b.reduceMax(x[0], o);
    };
    const auto window = tolerance_of(names_by_kind[kind], float32, 31 * 33);
    check_same(pool(kind, {}), reduced, {x}, window + window);
  }
}

TEST_CASE("pooling: golden windows", "[pool2d]") {
  const Tensor x = counted({1, 1, 5, 5});
  MLPool2dOptions o{.windowDimensions = {3, 3}, .padding = {1, 0, 0, 1}, .strides = {2, 2}};
  golden(average, x, o, {2, 2}, {4.5, 6.5, 12, 14});
  o.outputSizes = {2, 2};
  golden(average, x, o, {2, 2}, {4.5, 6.5, 12, 14});
  const std::vector<double> nine{4.5, 6.5, 7.5, 12, 14, 15, 19.5, 21.5, 22.5};
  o.outputSizes = {3, 3};
  golden(average, x, o, {3, 3}, nine);
  o.outputSizes = std::nullopt;
  o.outputShapeRounding = MLRoundingType::ceil;
  golden(average, x, o, {3, 3}, nine);
  golden(largest, x, o, {3, 3}, {8, 10, 10, 18, 20, 20, 23, 25, 25});
  golden(l2, x, o, {3, 3},
         {12.7671453, 17.1755640, 11.1803399, 38.1051177, 43.8178046, 26.9258240, 48.1975103,
          53.0565740, 32.0156212});
  golden(average, x, {.windowDimensions = {2, 2}, .dilations = {2, 2}}, {3, 3},
         {7, 8, 9, 12, 13, 14, 17, 18, 19});
}

TEST_CASE("averagePool2d: golden output sizes", "[pool2d]") {
  const Tensor x = counted({1, 1, 7, 7});
  MLPool2dOptions o{.windowDimensions = {4, 4}, .padding = {1, 1, 1, 1}, .strides = {2, 2}};
  o.outputSizes = {3, 3};
  golden(average, x, o, {3, 3}, {9, 10.5, 12.5, 19.5, 21, 23, 33.5, 35, 37});
  o.outputSizes = {4, 4};
  golden(average, x, o, {4, 4},
         {9, 10.5, 12.5, 13.5, 19.5, 21, 23, 24, 33.5, 35, 37, 38, 40.5, 42, 44, 45});
}

TEST_CASE("pooling: a window without elements", "[pool2d]") {
  const MLPool2dOptions o{.windowDimensions = {1, 1}, .padding = {2, 0, 0, 0}};
  const auto is = [&](Kind kind, MLOperandDataType type, double empty) {
    check({pool(kind, o),
           {tensor(type, {1, 1, 1, 1}, {5})},
           {tensor(type, {1, 1, 3, 1}, {empty, empty, 5})}});
  };
  is(average, float32, 0);
  is(l2, float16, 0);
  is(largest, float32, -INFINITY);
  is(largest, int8, -128);
  is(largest, uint32, 0);
}

TEST_CASE("pooling: enormous windows read only the input", "[pool2d]") {
  const MLPool2dOptions o{
      .windowDimensions = {0xffffffff, 1}, .padding = {0xfffffff0, 20, 0, 0}, .strides = {7, 1}};
  check({pool(average, o),
         {tensor(float32, {1, 1, 3, 1}, {1, 2, 6})},
         {tensor(float32, {1, 1, 2, 1}, {3, 3})}});
}

TEST_CASE("maxPool2d: NaN propagates", "[pool2d]") {
  check({pool(largest, {.windowDimensions = {1, 2}}),
         {tensor(float32, {1, 1, 1, 4}, {NAN, 1, 2, NAN})},
         {tensor(float32, {1, 1, 1, 3}, {NAN, 2, NAN})}});
}
