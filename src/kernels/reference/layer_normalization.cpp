#include "src/kernels/reference/elementwise.h"
#include "src/kernels/reference/moments.h"
#include "src/kernels/reference/reduced_loops.h"

namespace webnn::inline v0_1::reference {
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
  const auto stride = static_cast<std::size_t>(loop.step[0]);
  SequenceMoments m(*x);
  loop.run(0, loop.rows, [&](auto, const auto& at) { m.add(x + at[0], loop.inner, stride); });
  const double mean = m.mean(count), factor = 1 / std::sqrt(m.variance(count) + epsilon);
  constexpr std::size_t block = 256;
  double values[block], others[block];
  loop.run(0, loop.rows, [&](std::size_t, const auto& at) {
    for (std::size_t k = 0; k < loop.inner; k += block) {
      const std::size_t n = std::min(block, loop.inner - k);
      Array<double> v(values, Index(n));
      const ConstArray<double> other(others, Index(n));
      const auto load = [&](const T* p, std::size_t t, double* to) {
        const auto step = static_cast<std::size_t>(loop.step[t]);
        widen(p + static_cast<std::size_t>(at[t]) + k * step, step, n, to);
        return p;
      };
      load(x, 0, values);
      v = (v - mean) * factor;
      if (scale && load(scale, 1, others)) v *= other;
      if (bias && load(bias, 2, others)) v += other;
      T* to = y + static_cast<std::size_t>(at[0]) + k * stride;
      if (stride == 1) store(v, to);
      else
        for (std::size_t i = 0; i < n; ++i) to[i * stride] = result_of<T>(values[i]);
    }
  });
}

}  // namespace

Candidate make(const ops::layerNormalization& op, const Node&) {
  const ReducedLoops<3> loops = loops_of(op, ops::axes_of(op));
  const double epsilon = coefficient(op.options.epsilon, op.input);
  const int scale = slot<&MLLayerNormalizationOptions::scale>(op);
  const int bias = slot<&MLLayerNormalizationOptions::bias>(op);
  const Partition c = partition(loops.outputs(), 12 * static_cast<double>(loops.terms()));
  return dispatch_type<types::floats>(op.input.dataType(), [&]<class T>() {
    return Candidate{.name = "eigen reduction",
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

}  // namespace webnn::inline v0_1::reference
