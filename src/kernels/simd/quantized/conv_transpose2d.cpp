// int8 transposed convolutions: each phase of the result is a product of the windows of rows.
#include <algorithm>
#include <cstring>

#include "src/kernels/common/partition.h"
#include "src/kernels/simd/conv/images.h"
#include "src/kernels/simd/conv/transposed_shape.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/quantized/lower.h"
#include "src/kernels/simd/quantized/product.h"

namespace webnn::inline v0_1::simd {
namespace {

/// The elements of the result of one phase down and one across.
struct Phase {
  int down, across;  // which one
  Int8Panels weights;
};

/// Items are quotients of rows, of all images.
struct Int8Transposed {
  TransposedShape t;
  std::uint8_t flip, zero;
  std::size_t slot;
  Int8Result result;
  std::vector<Phase> phases{};
  Partition c{};

  bool direct() const { return t.down.inside() && t.across.inside(); }
  /// The columns of the input that rows of the result read, from this one on.
  int first_column() const { return t.across.first() - t.across.max_taps() + 1; }
  std::size_t row() const {
    const int columns = t.across.count() + t.across.max_taps() - 1;
    return direct() ? t.in_row() : to_size(columns) * to_size(t.inputs);
  }
  std::size_t copied_bytes() const {
    constexpr std::size_t readable = 64;
    return direct() ? 0 : to_size(t.down.max_taps()) * row() + readable;
  }
  std::size_t scratch() const {
    std::size_t for_tiles = 0;
    for (const Phase& p : phases) for_tiles = std::max(for_tiles, p.weights.scratch());
    return copied_bytes() + for_tiles;
  }
  /// The pixels of a row of a phase.
  std::size_t rows_of(int across) const {
    return to_size(std::max(0, t.across.end(across) - t.across.begin(across)));
  }

  /// The rows of the input that end with row q, and their padding.
  void copy(int q, const std::uint8_t* image, std::uint8_t* to) const {
    const int left = std::max(0, -first_column()), from = std::max(0, first_column());
    const std::size_t pixel = to_size(t.inputs), before = to_size(left) * pixel;
    const int there = std::max(0, t.across.in - from);
    const std::size_t inside = std::min(to_size(there) * pixel, row() - std::min(row(), before));
    for (int i = q - t.down.max_taps() + 1; i <= q; ++i, to += row()) {
      std::memset(to, zero, row());
      if (i < 0 || i >= t.down.in) continue;
      std::memcpy(to + before, image + to_size(i) * t.in_row() + to_size(from) * pixel, inside);
    }
  }

  void run_phase(const Phase& p, int q, const std::uint8_t* x, const Buffers& b,
                 std::byte* for_tiles, std::uint8_t* y) const {
    if (q < t.down.begin(p.down) || q >= t.down.end(p.down)) return;
    const int begin = t.across.begin(p.across);
    const int skipped = t.down.max_taps() - t.down.taps(p.down);
    const int column = begin - t.across.taps(p.across) + 1 - (direct() ? 0 : first_column());
    Int8Gemm g = p.weights.gemm(b, for_tiles);
    g.readable = !direct();
    g.flip = flip;
    g.result = result;
    g.x_stride = to_size(t.inputs);
    g.y_stride = to_size(t.across.stride) * to_size(t.outputs);
    const int out_row = q * t.down.stride + p.down - t.down.padding;
    const int out_column = begin * t.across.stride + p.across - t.across.padding;
    int8_gemm(g, rows_of(p.across), 0, p.weights.panels(),
              x + to_size(skipped) * row() + to_size(column) * to_size(t.inputs),
              y + to_size(out_row) * t.out_row() + to_size(out_column) * to_size(t.outputs));
  }

  void run(Range range, const Buffers& b, std::uint8_t* scratch) const {
    std::byte* const for_tiles = reinterpret_cast<std::byte*>(scratch) + copied_bytes();
    const std::size_t in = to_size(t.down.in) * t.in_row(), out = to_size(t.down.out) * t.out_row();
    for_images(c.begin(range), c.end(range), to_size(t.down.count()),
               [&](std::size_t i, int begin, int end) {
                 const std::uint8_t* const image = b.in<std::uint8_t>(slot) + i * in;
                 for (int q = begin + t.down.first(); q < end + t.down.first(); ++q) {
                   const std::uint8_t* x = scratch;
                   if (direct()) x = image + to_size(q) * t.in_row();
                   else copy(q, image, scratch);
                   for (const Phase& p : phases)
                     run_phase(p, q, x, b, for_tiles, b.out<std::uint8_t>() + i * out);
                 }
               });
  }
};

/// The weights of a phase as [outputs][taps down][taps across][inputs], taps from the last to the
/// first: in the order in which the inputs lie.
std::vector<std::int32_t> phase_integers(const TransposedShape& t, const MLOperand& filter,
                                         const TransposedFilter& f, int down, int across) {
  const std::vector<std::int32_t> from = integers_of(filter);
  std::vector<std::int32_t> to;
  for (std::size_t o = 0; o < to_size(t.outputs); ++o)
    for (int i = t.down.taps(down); i-- > 0;)
      for (int j = t.across.taps(across); j-- > 0;)
        for (std::size_t c = 0; c < to_size(t.inputs); ++c)
          to.push_back(from[o * f.output + to_size(down + i * t.down.stride) * f.row +
                            to_size(across + j * t.across.stride) * f.column + c * f.input]);
  return to;
}

/// The scales of a filter are one or those of its outputs.
bool by_output(const QuantizedOperand& filter, MLConvTranspose2dFilterOperandLayout layout,
               int outputs) {
  using enum MLConvTranspose2dFilterOperandLayout;
  if (filter.q.per_tensor()) return true;
  if (filter.q.shape.size() != 4 || filter.q.scale.size() != to_size(outputs)) return false;
  return to_size(outputs) == filter.q.shape[layout == iohw ? 1 : layout == hwoi ? 2 : 0];
}

std::variant<Phase, Refusal> phase_of(const TransposedShape& t, const ops::convTranspose2d& op,
                                      const QuantizedChain& c, Int8DotProduct dot_product, int down,
                                      int across) {
  const QuantizedOperand& filter = c.operands[1];
  const std::size_t segments = to_size(t.down.taps(down)),
                    k = segments * to_size(t.across.taps(across)) * to_size(t.inputs);
  if (k == 0) return Refusal{"quantized: elements of the result read no weights"};
  auto made = int8_weights(to_size(t.outputs), k,
                           {filter, phase_text(" phase", t, op, down, across, 1),
                            [t, x = filter.x, f = filter_strides(op), down, across] {
                              return phase_integers(t, x, f, down, across);
                            }},
                           c, c.operands.size() > 2 ? &c.operands[2] : nullptr);
  if (const auto* refusal = std::get_if<Refusal>(&made)) return *refusal;
  const auto& weights = std::get<Int8Weights>(made);
  if (wasteful(weights, 1, segments)) return Refusal{"quantized: too few columns"};
  return Phase{down, across, int8_panels(weights, 1, segments, dot_product)};
}

}  // namespace

Lowering lower_quantized(const ops::convTranspose2d& op, const QuantizedChain& c,
                         Int8DotProduct dot_product) {
  constexpr std::uint32_t max_stride = 16;
  const auto& o = op.options;
  const QuantizedOperand &x = c.operands[0], &filter = c.operands[1];
  if (c.requantization == Requantization::fixedPoint)
    return Refusal{"quantized: only with one rounding"};
  if (o.inputLayout != MLInputOperandLayout::nhwc) return Refusal{"quantized: only nhwc"};
  if (o.groups != 1) return Refusal{"quantized: only one group"};
  if (o.dilations[0] != 1 || o.dilations[1] != 1) return Refusal{"quantized: no dilations"};
  if (o.strides[0] > max_stride || o.strides[1] > max_stride)
    return Refusal{"a stride is above 16"};
  if (!x.x || x.constant() || !x.q.is_activation())
    return Refusal{"quantized: the input is not of 8 bits"};
  if (!filter.x || !filter.constant()) return Refusal{"quantized: the filter is not constant"};
  if (c.operands.size() > 2 && c.operands[2].x && !c.operands[2].constant())
    return Refusal{"quantized: the bias is not constant"};
  const auto t = transposed_shape(op, c.op.output().shape());
  if (!t) return Refusal{"a size is above 2^24"};
  if (!by_output(filter, o.filterLayout, t->outputs))
    return Refusal{"quantized: the filter does not have one scale for each output channel"};
  Int8Transposed work{.t = *t,
                      .flip = x.q.flip(),
                      .zero = static_cast<std::uint8_t>(x.q.zero[0]),
                      .slot = to_size(x.slot),
                      .result = int8_result(c)};
  const double row = static_cast<double>(t->across.count() + t->across.max_taps()) * t->inputs;
  if (row * t->down.max_taps() > static_cast<double>(max_scratch) - 64)
    return Refusal{"needs too much scratch"};
  std::vector<WeightBlock> blocks;
  std::optional<Refusal> refusal;
  for_phases(*t, 1, [&](int down, int across) {
    if (refusal) return;
    auto made = phase_of(*t, op, c, dot_product, down, across);
    if (const auto* why = std::get_if<Refusal>(&made)) {
      refusal = *why;
      return;
    }
    auto& phase = std::get<Phase>(made);
    phase.weights.choose_tiles(work.rows_of(across));
    for (std::size_t i = 0; i < phase.weights.segments; ++i)
      phase.weights.offsets[i] = i * work.row();
    phase.weights.block = {blocks.size(), phase.weights.block.size()};
    std::move(phase.weights.weights.begin(), phase.weights.weights.end(),
              std::back_inserter(blocks));
    phase.weights.weights.clear();
    work.phases.push_back(std::move(phase));
  });
  if (refusal) return *refusal;
  const bool by_tiles = std::ranges::any_of(
      work.phases, [](const Phase& p) { return are_tiles(p.weights.dot_product); });
  dot_product = by_tiles ? dot_product : without_tiles(dot_product);
  const std::size_t items = to_size(t->batch) * to_size(t->down.count());
  const double macs = static_cast<double>(element_count(op.input.shape())) * t->outputs *
                      t->down.kernel * t->across.kernel;
  work.c = partition(items,
                     macs / static_cast<double>(items) / int8_macs_per_operation(dot_product) + 64);
  const std::size_t scratch = work.scratch();
  const auto w = std::make_shared<const Int8Transposed>(std::move(work));
  return Candidate{.name = by_tiles ? "int8 phases amx" : "int8 phases",
                   .tiles = w->c.tiles(),
                   .scratch = scratch,
                   .weights = std::move(blocks),
                   .run = [w](Range r, const Buffers& b, std::byte* memory) {
                     w->run(r, b, reinterpret_cast<std::uint8_t*>(memory));
                   }};
}

}  // namespace webnn::inline v0_1::simd
