#include "src/kernels/simd/quantized/depthwise.h"

#include <numeric>

#include "src/kernels/common/partition.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/quantized/lower.h"
#include "src/kernels/simd/quantized/padded_rows.h"
#include "src/kernels/simd/vector/int8/depthwise.h"

namespace webnn::inline v0_1::simd {
namespace {

constexpr std::size_t max_rows = 64;  // of a window

/// Items are rows of the result.
struct Int8DepthwiseRows {
  Convolution s;
  PaddedRows padded;
  std::uint8_t zero;  // of the input
  std::size_t slot;
  Int8Depthwise g{};
  ColumnArrays arrays{};  // at the beginning of the block; the weights follow
  bool asymmetric = false;
  PackedArray<std::byte> block{};
  std::vector<std::int32_t> ones{};
  std::vector<std::size_t> columns{};
  Partition c{};

  /// Whether quads have bytes of four columns of windows of one row.
  bool across() const {
    return s.kernel_height == 1 && s.kernel_width > 1 && to_size(s.kernel_width) <= max_rows - 3;
  }
  /// What quads have four bytes of, and the rest.
  std::size_t high() const { return to_size(across() ? s.kernel_width : s.kernel_height); }
  std::size_t wide() const { return across() ? 1 : to_size(s.kernel_width); }
  /// Whether two rows of the result share the quads of a window's rows.
  bool pairs() const {
    return !across() && s.stride_y == 1 && s.dilation_y == 1 && s.kernel_height % 4 != 0;
  }

  /// Rows [0, rows) of the result from rows that were copied.
  void run_rows(const Int8Depthwise& g, int rows, const std::uint8_t* x, std::uint8_t* y) const {
    const std::uint8_t* from[max_rows];
    const std::size_t last = padded.rows_for(rows) - 1;
    for (int r = 0; r < rows;) {
      const int results = pairs() && r + 2 <= rows ? 2 : 1;
      for (std::size_t i = 0; i < 4 * g.quads; ++i) {  // the last ones may have no weights
        const std::size_t down = across() ? 0 : i * to_size(s.dilation_y);
        from[i] = x + std::min(last, to_size(r) * to_size(s.stride_y) + down) * padded.row_bytes();
        if (across()) from[i] += padded.column(std::min(static_cast<int>(i), s.kernel_width - 1));
      }
      int8_depthwise(g, results, from, y + to_size(r) * g.row);
      r += results;
    }
  }
  Int8Depthwise with_weights(const Buffers& b) const {
    Int8Depthwise here = g;
    const std::byte* const from = block.in(b);
    here.w = reinterpret_cast<const std::int8_t*>(from + arrays.bytes());
    here.bias = arrays.bias(from);
    here.scale = arrays.scale(from);
    here.w_zero = asymmetric ? arrays.zero(from) : nullptr;
    return here;
  }
  void run(Range range, const Buffers& b, std::uint8_t* scratch) const {
    const std::size_t image = to_size(s.height) * to_size(s.width) * to_size(s.channels);
    const std::size_t height = to_size(s.out_height), end = c.end(range);
    const auto at_once = to_size(padded.rows_at_once());
    const Int8Depthwise here = with_weights(b);
    for (std::size_t row = c.begin(range); row < end;) {
      const std::size_t first = row % height;
      const std::size_t rows = std::min({end - row, height - first, at_once});
      padded.copy(b.in<std::uint8_t>(slot) + row / height * image, static_cast<int>(first),
                  static_cast<int>(rows), zero, scratch);
      run_rows(here, static_cast<int>(rows), scratch, b.out<std::uint8_t>() + row * g.row);
      row += rows;
    }
  }
};

/// The weights in the order of the vectors, for one row of the result and, a row further down,
/// for a second.
void pack(std::vector<WeightBlock>& weights, Int8DepthwiseRows& to, const Int8Weights& from) {
  const Convolution& s = to.s;
  const std::size_t lanes = to_size(int8_lanes()), bytes = 4 * lanes,
                    channels = to_size(s.channels);
  const std::size_t H = to.high(), W = to.wide();  // one of them is 1, or they are the filter's
  const std::size_t period = channels / std::gcd(channels, bytes), quads = (H + 3) / 4;
  const std::size_t results = to.pairs() ? 2 : 1, each = period * W * quads * 4 * bytes;
  to.arrays = ColumnArrays(period * bytes, from.requantization);
  to.asymmetric = from.asymmetric;
  to.ones.assign(results * quads, 0);
  const auto for_lanes = [=](auto f) {  // f(turn, vector, lane, channel)
    for (std::size_t turn = 0; turn < period; ++turn)
      for (std::size_t n = 0; n < 4; ++n)
        for (std::size_t lane = 0; lane < lanes; ++lane)
          f(turn, n, lane, (turn * bytes + lane / 4 * 16 + n * 4 + lane % 4) % channels);
  };
  const auto fill = [=, values = from.values, arrays = to.arrays, k = from.k](std::byte* block) {
    const Int8Values all = values();
    auto* const w = reinterpret_cast<std::int8_t*>(block + arrays.bytes());
    for_lanes([&](std::size_t turn, std::size_t n, std::size_t lane, std::size_t channel) {
      arrays.set(block, (turn * 4 + n) * lanes + lane, all.of_column[channel]);
      for (std::size_t r = 0; r < results; ++r)
        for (std::size_t y = 0; y < H; ++y)
          for (std::size_t x = 0; x < W; ++x)
            w[r * each + (((turn * W + x) * quads + (y + r) / 4) * 4 + n) * bytes + lane * 4 +
              (y + r) % 4] = all.w[channel * k + y * W + x];
    });
  };
  to.block = add_packed<std::byte>(
      weights, to.arrays.bytes() + results * each,
      layout_text("int8 depthwise/3", lanes, results, H, W) + from.text, {from.slot}, fill);
  for (std::size_t r = 0; r < results; ++r)
    for (std::size_t y = 0; y < H; ++y) to.ones[r * quads + (y + r) / 4] |= 1 << 8 * ((y + r) % 4);
  for (std::size_t x = 0; x < W; ++x) to.columns.push_back(to.padded.column(static_cast<int>(x)));
  to.g.second = each;
  to.g.ones = to.ones.data();
  to.g.period = period;
  to.g.quads = quads;
  to.g.kernel_w = W;
  to.g.columns = to.columns.data();
  to.g.row = to_size(s.out_width) * channels;
  // The next vectors of the same channels are a column further on, or two.
  const std::size_t step = period * bytes / channels;
  if (W == 3 && quads == 1 && s.dilation_x == 1) {
    if (step == 1 && s.stride_x <= 2) to.g.fresh = to_size(s.stride_x);
    if (step == 2 && s.stride_x == 1) to.g.fresh = 2;
  }
}

}  // namespace

Lowering int8_depthwise_convolution(const Convolution& s, const Int8Weights& weights,
                                    const QuantizedChain& c, Int8DotProduct dot_product) {
  if (to_size(s.kernel_height) > max_rows) return Refusal{"quantized: the filter is too large"};
  if (!PaddedRows::affordable(s)) return Refusal{"needs too much scratch"};
  const QuantizedOperand& x = c.operands[0];
  auto rows = std::make_shared<Int8DepthwiseRows>(
      Int8DepthwiseRows{.s = s,
                        .padded = PaddedRows(s, s.stride_x),
                        .zero = static_cast<std::uint8_t>(x.q.zero[0]),
                        .slot = to_size(x.slot)});
  const std::size_t scratch = rows->padded.bytes(rows->padded.rows_at_once());
  const std::size_t period = to_size(s.channels),
                    taps = to_size(s.kernel_height) * to_size(s.kernel_width);
  if (scratch > max_scratch || period * taps * 512 > max_scratch)
    return Refusal{"needs too much scratch"};
  std::vector<WeightBlock> blocks;
  pack(blocks, *rows, weights);
  rows->g.dot_product = dot_product;
  rows->g.flip = x.q.flip();
  rows->g.result = int8_result(c);
  const double macs = s.macs() / s.batch / s.out_height;
  rows->c = partition(to_size(s.batch) * to_size(s.out_height), macs / 4 + 64);
  return Candidate{.name = "int8 depthwise",
                   .tiles = rows->c.tiles(),
                   .grain = rows->c.each == 1 ? 2 : 1,
                   .scratch = scratch,
                   .weights = std::move(blocks),
                   .run = [rows](Range r, const Buffers& b, std::byte* scratch) {
                     rows->run(r, b, reinterpret_cast<std::uint8_t*>(scratch));
                   }};
}

}  // namespace webnn::inline v0_1::simd
