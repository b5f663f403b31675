#include <cmath>

#include "src/kernels/reference/elementwise.h"
#include "src/kernels/reference/reduced_loops.h"

namespace webnn::reference {
namespace {

/// The input, scale and bias; the last two by their dimension in the list of axes. An absent one
/// goes along with the input, so that it does not keep dimensions from being joined.
ReducedLoops<3> loops_of(const ops::layerNormalization& op, const Dims& axes) {
  const Dims& shape = op.input.shape();
  std::array<Strides, 3> strides{strides_of(shape), strides_of(shape), strides_of(shape)};
  const std::optional<MLOperand>* const operands[] = {&op.options.scale, &op.options.bias};
  for (std::size_t k : {0, 1}) {
    if (!*operands[k]) continue;
    const auto own = strides_of((*operands[k])->shape());
    strides[k + 1].fill(0);
    for (std::size_t a = 0; a < axes.size(); ++a) strides[k + 1][axes[a]] = own[a];
  }
  return reduced_loops<3>(shape, axes, strides);
}

template <class T>
void normalize(const Loop<3>& loop, double epsilon, const T* x, const T* scale, const T* bias,
               T* y) {
  const auto count = static_cast<double>(loop.rows * loop.inner);
  const auto each = [&](auto&& f) {
    loop.run(0, loop.rows, [&](std::size_t, const auto& at) {
      for (std::size_t k = 0; k < loop.inner; ++k) {
        const auto s = static_cast<std::ptrdiff_t>(k);
        f(at[0] + s * loop.step[0], at[1] + s * loop.step[1], at[2] + s * loop.step[2]);
      }
    });
  };
  const auto value = [](const T* p, std::ptrdiff_t i) { return double{static_cast<float>(p[i])}; };
  double sum = 0, squares = 0;
  each([&](auto i, auto, auto) { sum += value(x, i); });
  const double mean = sum / count;
  each([&](auto i, auto, auto) { squares += (value(x, i) - mean) * (value(x, i) - mean); });
  const double factor = 1 / std::sqrt(squares / count + epsilon);
  each([&](auto i, auto j, auto k) {
    const double deviation = value(x, i) - mean;
    const double v =
        deviation * factor * (scale ? value(scale, j) : 1) + (bias ? value(bias, k) : 0);
    y[i] = static_cast<T>(static_cast<float>(v));
  });
}

Kernel make(const ops::layerNormalization& op, const Node&) {
  const ReducedLoops<3> loops = loops_of(op, ops::axes_of(op));
  const double epsilon = coefficient(op.options.epsilon, op.input);
  const int scale = slot<&MLLayerNormalizationOptions::scale>(op);
  const int bias = slot<&MLLayerNormalizationOptions::bias>(op);
  const Partition c = partition(loops.outputs(), 12 * static_cast<double>(loops.terms()));
  return dispatch_type<types::floats>(op.input.dataType(), [&]<class T>() {
    return Kernel{.name = "loop",
                  .tiles = c.tiles(),
                  .in_place = {0},
                  .run = [=](Range r, const Buffers& b, std::byte*) {
                    const auto optional = [&](int i) {
                      return i < 0 ? nullptr : b.in<T>(static_cast<std::size_t>(i));
                    };
                    const auto part = [&](std::size_t, const auto& at, std::size_t n) {
                      for (std::size_t k = 0; k < n; ++k) {
                        const std::ptrdiff_t o =
                            at[0] + static_cast<std::ptrdiff_t>(k) * loops.kept.step[0];
                        normalize(loops.reduced, epsilon, b.in<T>() + o, optional(scale),
                                  optional(bias), b.out<T>() + o);
                      }
                    };
                    loops.kept.run_elements(c.begin(r), c.end(r), part);
                  }};
  });
}

}  // namespace

Table<ops::LayerNormalizationSection> kernels(ops::LayerNormalizationSection) {
  return table<ops::LayerNormalizationSection>(
      [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
