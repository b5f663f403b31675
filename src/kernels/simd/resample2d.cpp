// Resizing by tables of rows and columns. Linearly: the two rows that a row is made of have their
// columns resized first and are kept in scratch for the next row.
#include <cstring>

#include "src/kernels/common/partition.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/vector/float32/resample.h"

namespace webnn::inline v0_1::simd {
namespace {

constexpr std::uint32_t max_size = 1 << 16;  // of an axis: tables should not be large

/// Centers of elements lie at half coordinates, so the coordinate of element o is
/// ((2 o + 1) in - out) / (2 out), which integers hold exactly.
Samples samples_of(std::uint32_t from, std::uint32_t to, bool nearest) {
  const std::int64_t in = from, out = to;
  Samples s;
  for (std::int64_t o = 0; o < out; ++o) {
    const std::int64_t twice = (2 * o + 1) * in;
    std::int64_t low = std::min((twice - 1) / (2 * out), in - 1), rest = 0;  // halfway: the lower
    if (!nearest) {
      const std::int64_t above = std::max<std::int64_t>(twice - out, 0);
      low = std::min(above / (2 * out), in - 1);
      rest = low == in - 1 ? 0 : above - low * 2 * out;
    }
    const double t = static_cast<double>(rest) / (2.0 * static_cast<double>(out));
    s.low.push_back(static_cast<std::int32_t>(low));
    s.high.push_back(static_cast<std::int32_t>(low + (rest > 0)));
    s.low_weight.push_back(static_cast<float>(1 - t));
    s.high_weight.push_back(static_cast<float>(t));
  }
  return s;
}

/// The input as [before][rows][columns][after].
struct Resampling {
  Samples down, across;
  std::size_t in_rows, in_columns, after;
  bool nearest;

  std::size_t in_row() const { return in_columns * after; }
  std::size_t out_row() const { return across.size() * after; }
  const float* row(const float* x, std::size_t before, std::int32_t i) const {
    return x + (before * in_rows + static_cast<std::size_t>(i)) * in_row();
  }
  void run_nearest(std::size_t begin, std::size_t end, const float* x, float* y) const;
  void run_linear(std::size_t begin, std::size_t end, const float* x, float* y,
                  float* scratch) const;
};

void Resampling::run_nearest(std::size_t begin, std::size_t end, const float* x, float* y) const {
  const float* last = nullptr;
  for (std::size_t i = begin; i < end; ++i) {
    const float* from = row(x, i / down.size(), down.low[i % down.size()]);
    float* to = y + i * out_row();
    if (from == last) std::memcpy(to, to - out_row(), out_row() * sizeof(float));
    else take_nearest(across, after, from, to);
    last = from;
  }
}

void Resampling::run_linear(std::size_t begin, std::size_t end, const float* x, float* y,
                            float* scratch) const {
  // Rows of the input in scratch, with their columns resized.
  const float* rows[2] = {};
  const auto resized = [&](const float* from, const float* other) -> const float* {
    if (across.size() == in_columns) return from;
    int at = rows[0] == from ? 0 : rows[1] == from ? 1 : -1;
    if (at < 0) {
      at = rows[0] == other ? 1 : 0;
      rows[at] = from;
      take_linear(across, after, from, scratch + static_cast<std::size_t>(at) * out_row());
    }
    return scratch + static_cast<std::size_t>(at) * out_row();
  };
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t o = i % down.size();
    const float* low = row(x, i / down.size(), down.low[o]);
    const float* high = row(x, i / down.size(), down.high[o]);
    float* to = y + i * out_row();
    const float* a = resized(low, high);
    if (down.high_weight[o] == 0) std::memcpy(to, a, out_row() * sizeof(float));
    else blend(a, down.low_weight[o], resized(high, low), down.high_weight[o], out_row(), to);
  }
}

}  // namespace

Lowering lower(const ops::resample2d& op, Chain chain) {
  if (chain.size() > 1) return Refusal{"nothing is fused to a resampling"};
  const Dims &in = op.input.shape(), &out = chain.front().output().shape();
  const auto [first, last] = std::minmax(op.options.axes[0], op.options.axes[1]);
  if (last != first + 1) return Refusal{"only along two dimensions that follow one another"};
  for (std::uint32_t d : {first, last})
    if (in[d] > max_size || out[d] > max_size) return Refusal{"a size is above 2^16"};
  const bool nearest = op.options.mode == MLInterpolationMode::nearest_neighbor;
  std::size_t before = 1, after = 1;
  for (std::uint32_t d = 0; d < first; ++d) before *= in[d];
  for (std::uint32_t d = last + 1; d < 4; ++d) after *= in[d];
  const auto s = std::make_shared<const Resampling>(
      Resampling{samples_of(in[first], out[first], nearest),
                 samples_of(in[last], out[last], nearest), in[first], in[last], after, nearest});
  const std::size_t scratch = nearest ? 0 : 2 * s->out_row() * sizeof(float);
  if (scratch > max_scratch) return Refusal{"needs too much scratch"};
  const Partition c =
      partition(before * out[first], static_cast<double>(s->out_row()) / (nearest ? 4 : 2) + 8);
  return Candidate{.name = nearest ? "resize nearest" : "resize linear",
                   .tiles = c.tiles(),
                   .grain = nearest ? 1 : 4,
                   .scratch = scratch,
                   .run = [s, c](Range r, const Buffers& b, std::byte* scratch) {
                     if (s->nearest)
                       s->run_nearest(c.begin(r), c.end(r), b.in<float>(), b.out<float>());
                     else
                       s->run_linear(c.begin(r), c.end(r), b.in<float>(), b.out<float>(),
                                     reinterpret_cast<float*>(scratch));
                   }};
}

}  // namespace webnn::inline v0_1::simd
