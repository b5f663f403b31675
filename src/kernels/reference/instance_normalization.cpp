#include "src/kernels/reference/elementwise.h"
#include "src/kernels/reference/lanes.h"
#include "src/kernels/reference/moments.h"

namespace webnn::inline v0_1::reference {
namespace {

struct Settings {
  std::size_t channels;
  double epsilon;
  int scale, bias;  // where they are among the inputs
};

template <class T> struct Normalize {
  const Lanes& lanes;
  const Settings& s;
  const Buffers& b;

  /// The values of N neighboring lanes.
  template <int N> Fixed<double, N> values(int input, std::size_t lane, double absent) const {
    Fixed<double, N> v;
    for (std::size_t i = 0; i < N; ++i)
      v[Index(i)] = input < 0 ? absent : wide(b.in<T>(std::size_t(input))[(lane + i) % s.channels]);
    return v;
  }
  /// One lane alone is contiguous.
  void one(std::size_t at, std::size_t lane) const {
    const T* x = b.in<T>() + at;
    const auto count = static_cast<double>(lanes.size);
    SequenceMoments m(*x);
    m.add(x, lanes.size, 1);
    const double factor = values<1>(s.scale, lane, 1)[0] / std::sqrt(m.variance(count) + s.epsilon);
    const double mean = m.mean(count), bias = values<1>(s.bias, lane, 0)[0];
    store((array<double>(x, lanes.size) - mean) * factor + bias, b.out<T>() + at);
  }
  template <int N> void several(std::size_t at, std::size_t lane) const {
    const T* x = b.in<T>() + at;
    T* y = b.out<T>() + at;
    const auto count = static_cast<double>(lanes.size);
    Moments<N> m{values<N>(-1, 0, 0)};
    for (std::size_t i = 0; i < N; ++i) m.first[Index(i)] = wide(x[i]);
    m.add(x, lanes.size, lanes.after);
    const Fixed<double, N> factor =
        values<N>(s.scale, lane, 1) / (m.variance(count) + s.epsilon).sqrt();
    const Fixed<double, N> mean = m.mean(count), bias = values<N>(s.bias, lane, 0);
    for (std::size_t j = 0; j < lanes.size; ++j, x += lanes.after, y += lanes.after) {
      const Eigen::Map<const Fixed<T, N>> row(x);
      store((row.unaryExpr([](T v) { return wide(v); }) - mean) * factor + bias, y);
    }
  }
  void operator()(std::size_t first, std::size_t lane, std::size_t n) const {
    std::size_t i = 0;
    if (lanes.after > 1) {
      for (; i + 16 <= n; i += 16) several<16>(first + i, lane + i);
      for (; i + 8 <= n; i += 8) several<8>(first + i, lane + i);
    }
    for (; i < n; ++i)
      if (lanes.after > 1) several<1>(first + i, lane + i);
      else one(first + i, lane + i);
  }
};

}  // namespace

Candidate make(const ops::instanceNormalization& op, const Node&) {
  const auto& o = op.options;
  const Dims& d = op.input.shape();
  // The pixels as one axis, before or after the channels; either way lanes are counted by image,
  // then by channel.
  const bool nhwc = o.layout == MLInputOperandLayout::nhwc;
  const Lanes lanes = nhwc ? Lanes(d[0], std::size_t{d[1]} * d[2], d[3])
                           : Lanes(std::size_t{d[0]} * d[1], std::size_t{d[2]} * d[3], 1);
  const Settings s{nhwc ? d[3] : d[1], coefficient(o.epsilon, op.input),
                   slot<&MLInstanceNormalizationOptions::scale>(op),
                   slot<&MLInstanceNormalizationOptions::bias>(op)};
  const Partition c =
      partition(lanes.count(), 6.0 * static_cast<double>(lanes.size), nhwc ? 16 : 1);
  return {.name = "eigen reduction",
          .tiles = c.tiles(),
          .in_place = {0},
          .run = dispatch_type<types::floats>(op.input.dataType(), [&]<class T>() -> Run {
            return [=](Range r, const Buffers& b, std::byte*) {
              lanes.run(c.begin(r), c.end(r), Normalize<T>{lanes, s, b});
            };
          })};
}

}  // namespace webnn::inline v0_1::reference
