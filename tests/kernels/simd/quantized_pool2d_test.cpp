#include "tests/kernels/simd/quantized.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using Operands = std::vector<QuantizedCase::Operand>;
using Values = std::span<const MLOperand>;

struct Form {
  Dims shape, window, padding{0, 0, 0, 0}, strides{1, 1}, dilations{1, 1};

  MLPool2dOptions options() const {
    return {.windowDimensions = window,
            .padding = padding,
            .strides = strides,
            .dilations = dilations,
            .layout = MLInputOperandLayout::nhwc};
  }
  /// f(place) for the elements of the window of a place of the result.
  template <class F> void for_window(const Dims& at, F f) const {
    for (std::uint32_t i = 0; i < window[0]; ++i)
      for (std::uint32_t k = 0; k < window[1]; ++k) {
        const auto row = std::int64_t{at[1]} * strides[0] + i * dilations[0] - padding[0];
        const auto column = std::int64_t{at[2]} * strides[1] + k * dilations[1] - padding[2];
        if (row < 0 || row >= shape[1] || column < 0 || column >= shape[2]) continue;
        f(Dims{at[0], static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column), at[3]});
      }
  }
};

const Form forms[] = {{{1, 7, 7, 80}, {7, 7}},
                      {{2, 5, 6, 3}, {2, 2}, {0, 0, 0, 0}, {2, 2}},
                      {{1, 9, 8, 17}, {3, 3}, {1, 1, 1, 1}, {2, 1}},
                      {{1, 9, 11, 130}, {2, 3}, {1, 0, 2, 1}, {1, 2}, {2, 2}}};

}  // namespace

TEST_CASE("int8 averagePool2d", "[quantized]") {
  std::uint64_t seed = 900;
  for (const Form& f : forms)
    for (const auto type : {int8, uint8}) {
      QuantizedCase c(++seed);
      const Operands x{c.operand(type, f.shape, 0.04, type == int8 ? -128 : 7, false)};
      const double scale = seed % 2 ? 0.04 : 0.03;
      double slack = 0;  // windows at the border have fewer elements
      for (std::uint32_t n = 1; n <= f.window[0] * f.window[1]; ++n)
        slack = std::max(slack, second_rounding(0.04 / scale / n));
      check_quantized(
          x, [&](auto& b, Values v) { return b.averagePool2d(v[0], f.options()); },
          {type, scale, type == int8 ? -128. : 7.},
          [&](const Dims& at) {
            double sum = 0, count = 0;
            f.for_window(at, [&](const Dims& p) { sum += x[0].at(p), ++count; });
            return sum / count;
          },
          "simd int8 average pool", slack + 1e-6);
    }
}

TEST_CASE("int8 maxPool2d", "[quantized]") {
  std::uint64_t seed = 950;
  for (const Form& f : forms)
    for (const auto type : {int8, uint8})
      for (const double scale : {0.04, 0.03}) {
        QuantizedCase c(++seed);
        const Operands x{c.operand(type, f.shape, 0.04, 7, false)};
        check_quantized(
            x, [&](auto& b, Values v) { return b.maxPool2d(v[0], f.options()); }, {type, scale, 7.},
            [&](const Dims& at) {
              double most = -1e9;
              f.for_window(at, [&](const Dims& p) { most = std::max(most, x[0].at(p)); });
              return most;
            },
            "simd int8 max pool");
      }
}

TEST_CASE("int8 reduceMean", "[quantized]") {
  std::uint64_t seed = 980;
  const Dims shape{2, 4, 5, 19};
  for (const auto type : {int8, uint8})
    for (const Dims& axes : {Dims{1, 2}, {3}, {0, 1, 2, 3}, {0}}) {
      QuantizedCase c(++seed);
      const Operands x{c.operand(type, shape, 0.04, 7, false)};
      double elements = 1;
      for (std::uint32_t a : axes) elements *= shape[a];
      check_quantized(
          x,
          [&](auto& b, Values v) {
            return b.reduceMean(v[0], {.axes = axes, .keepDimensions = true});
          },
          {type, 0.02, 20},
          [&](const Dims& at) {
            double sum = 0, count = 0;
            for_each_place(shape, [&](const Dims& p) {
              for (std::uint32_t d = 0; d < 4; ++d)
                if (p[d] != at[d] && std::find(axes.begin(), axes.end(), d) == axes.end()) return;
              sum += x[0].at(p), ++count;
            });
            return sum / count;
          },
          "simd int8 mean", second_rounding(2 / elements) + 1e-6);
    }
}
