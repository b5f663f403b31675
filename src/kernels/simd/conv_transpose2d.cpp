// Transposed convolutions: a row of the result of each phase at a time, or with large weights as
// products.
#include <cstring>

#include "src/kernels/common/convolution.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/common/slot.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/conv/images.h"
#include "src/kernels/simd/conv/transposed_panels.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/product/pack.h"
#include "src/kernels/simd/vector/float32/epilogue.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

std::ptrdiff_t offset(int v) { return v; }

/// The elements of the result of one phase down and one across (or of all phases across at once)
/// as a product.
struct Phase {
  int row_begin, row_end, column_begin, columns;  // quotients
  int taps_down, taps_across;
  std::ptrdiff_t pixel;  // where the element of the quotients 0 and 0 would be in an image
  Gemm gemm;             // without weights
  PackedWeights packed;
};

struct Transposed : TransposedShape {
  bool direct = false;              // the input is read where it is
  int together = 1;                 // rows of quotients that are computed together
  std::optional<Epilogue> later{};  // an activation of whole rows of the result
  std::vector<Phase> phases{};

  int columns() const { return across.count() + across.max_taps() - 1; }
  std::size_t row() const { return direct ? in_row() : to_size(columns()) * to_size(inputs); }
  int halo() const { return down.max_taps() - 1; }
  std::size_t scratch() const { return direct ? 0 : to_size(together + halo()) * row(); }

  /// Whether the pixels of the result may lie apart.
  bool is_apart() const { return phases.size() > 0 && phases[0].gemm.columns == outputs && !later; }
  void copy_rows(int row, int rows, const float* x, float* to) const;
  /// The pixels of y begin every `pitch` floats.
  void block(int begin, int end, const float* x, float* y, std::size_t pitch, const float* residual,
             const Buffers& b, float* scratch) const;
};

Transposed transposed_of(const TransposedShape& shape) {
  Transposed t{shape};
  t.direct = t.down.inside() && t.across.inside();
  // Rows that share the weights while these are in L1, as long as they leave room in L2.
  constexpr std::size_t budget = 128 << 10, max_rows = 8;
  t.together =
      static_cast<int>(std::clamp<std::size_t>(budget / (t.row() * sizeof(float)), 1, max_rows));
  return t;
}

bool is_narrow_phase(const Transposed& t, int down, int across, int count) {
  return is_narrow(count * t.outputs, to_size(t.down.taps(down)),
                   to_size(t.across.taps(across)) * to_size(t.inputs));
}

PackedWeights pack_phase(std::vector<WeightBlock>& weights, const Transposed& t,
                         const ops::convTranspose2d& op, int down, int across, int count) {
  const int n = count * t.outputs;
  const std::size_t k =
      to_size(t.down.taps(down)) * to_size(t.across.taps(across)) * to_size(t.inputs);
  const bool narrow = is_narrow_phase(t, down, across, count);
  const auto pack_weights = [=, shape = TransposedShape(t), &op](float* to) {
    const std::vector<float> matrix = phase_matrix(shape, op, down, across, count);
    (narrow ? pack_rows : pack_columns)({matrix.data(), k, n, to_size(n), 1}, to);
  };
  const auto pack_biases = [=, &op](float* to) {
    if (!op.options.bias) return;
    const auto bias = floats_of(*op.options.bias);
    std::vector<float> all;
    for (int p = 0; p < count; ++p) all.insert(all.end(), bias.begin(), bias.end());
    pack_bias(all.data(), n, to);
  };
  return {add_packed<float>(
              weights, k * (narrow ? to_size(n) : padded_columns(n)),
              phase_text(narrow ? "phase rows/1" : "phase columns/1", t, op, down, across, count),
              {slot<&ops::convTranspose2d::filter>(op)}, pack_weights),
          add_packed<float>(
              weights, padded_columns(n),
              op.options.bias ? layout_text("phase bias/1", lanes(), n, count) : "zeros/1",
              {slot<&MLConvTranspose2dOptions::bias>(op)}, pack_biases)};
}

Phase phase_of(const Transposed& t, const PackedWeights& p, const Epilogue& e, int down, int across,
               int count) {
  const int begin = t.across.begin(across), wide = t.across.taps(across);
  const std::size_t terms = to_size(wide) * to_size(t.inputs);
  const bool narrow = is_narrow_phase(t, down, across, count);
  return {
      .row_begin = t.down.begin(down),
      .row_end = t.down.end(down),
      .column_begin = begin,
      .columns = t.across.end(across) - begin,
      .taps_down = t.down.taps(down),
      .taps_across = wide,
      .pixel = offset(down - t.down.padding) * t.across.out + across - t.across.padding,
      .gemm = {.column_size = to_size(t.down.taps(down)) * terms * to_size(narrow ? 1 : lanes()),
               .k = terms,
               .segments = to_size(t.down.taps(down)),
               .segment_stride = t.row(),
               .x_stride = to_size(t.inputs),
               .columns = count * t.outputs,
               .epilogue = e,
               .narrow = narrow},
      .packed = p};
}

void add_phases(std::vector<WeightBlock>& weights, Transposed& t, const ops::convTranspose2d& op,
                Epilogue e) {
  if (!e.clamps() && t.outputs < lanes()) {  // a pixel does not fill a vector
    t.later = e;
    e.activation = Activation::none;
  }
  const int count = t.across.even() ? t.across.stride : 1;
  for_phases(t, count, [&](int down, int across) {
    const PackedWeights packed = pack_phase(weights, t, op, down, across, count);
    t.phases.push_back(phase_of(t, packed, e, down, across, count));
  });
}

/// `rows` rows of the input from `row` on, with the columns that the quotients read; zeros outside.
void Transposed::copy_rows(int row, int rows, const float* x, float* to) const {
  const int left = across.first() - (across.max_taps() - 1);  // the first column
  const int begin = std::clamp(-left, 0, columns());
  const int end = std::clamp(across.in - left, begin, columns());
  const std::size_t wide = to_size(inputs);
  for (int r = row; r < row + rows; ++r, to += this->row()) {
    const bool inside = r >= 0 && r < down.in;
    const int from = inside ? begin : columns(), until = inside ? end : columns();
    std::fill_n(to, to_size(from) * wide, 0.f);
    if (from < until)
      std::memcpy(to + to_size(from) * wide,
                  x + to_size(r) * in_row() + to_size(left + from) * wide,
                  to_size(until - from) * wide * sizeof(float));
    std::fill_n(to + to_size(until) * wide, to_size(columns() - until) * wide, 0.f);
  }
}

/// The rows of the quotients [begin, end) of one image.
void Transposed::block(int begin, int end, const float* x, float* y, std::size_t pitch,
                       const float* residual, const Buffers& b, float* scratch) const {
  int top = 0, left = 0;  // where x begins
  if (!direct) {
    top = begin - halo();
    left = across.first() - (across.max_taps() - 1);
    copy_rows(top, end - begin + halo(), x, scratch);
    x = scratch;
  }
  constexpr std::size_t l1 = 24 << 10;  // bytes of weights
  for (const Phase& p : phases) {
    Gemm g = p.gemm;
    g.w = p.packed.w.in(b);
    g.bias = p.packed.bias.in(b);
    g.y_stride = to_size(across.stride) * pitch;
    const std::size_t column = std::max<std::size_t>(1, p.gemm.column_size * sizeof(float));
    const int all = vector_columns(p.gemm.columns);
    const int group = std::max(2, static_cast<int>(std::min(l1 / column, to_size(all))) / 2 * 2);
    const int first = std::max(begin, p.row_begin), last = std::min(end, p.row_end);
    for (int c = 0; c < all; c += group)
      for (int q = first; q < last; ++q) {
        // Without taps nothing is read.
        const int row = p.taps_down ? q - (p.taps_down - 1) - top : 0;
        const int at = p.taps_across ? p.column_begin - (p.taps_across - 1) - left : 0;
        const std::ptrdiff_t to = (p.pixel + offset(q) * down.stride * across.out +
                                   offset(p.column_begin) * across.stride) *
                                  static_cast<std::ptrdiff_t>(pitch);
        gemm(g, p.columns, c, std::min(all, c + group),
             x + to_size(row) * this->row() + to_size(at) * to_size(inputs), y + to,
             residual ? residual + to : nullptr);
      }
  }
  if (!later) return;
  const auto row_of = [&](int q) {
    return std::clamp(q * down.stride - down.padding, 0, down.out);
  };
  const int row = row_of(begin);
  activate(*later, 1, to_size(row_of(end) - row) * out_row(), 0, y + to_size(row) * out_row());
}

}  // namespace

Lowering lower(const ops::convTranspose2d& op, Chain chain) {
  const auto stages = stages_of(chain);
  if (!stages || stages->size() > 1)
    return Refusal{"only a sum and an activation can follow a transposed convolution"};
  const auto& o = op.options;
  if (o.inputLayout != MLInputOperandLayout::nhwc) return Refusal{"only nhwc"};
  if (o.groups > 1) return Refusal{"only one group"};
  if (o.dilations != Dims{1, 1}) return Refusal{"no dilations"};
  constexpr std::uint32_t max_stride = 16;  // more phases than that have hardly any work each
  if (o.strides[0] > max_stride || o.strides[1] > max_stride)
    return Refusal{"a stride is above 16"};
  if (!op.filter.constant()) return Refusal{"the filter is not constant"};
  if (o.bias && !o.bias->constant()) return Refusal{"the bias is not constant"};
  const auto shape = transposed_shape(op, chain.front().output().shape());
  if (!shape) return Refusal{"a size is above 2^24"};
  const Epilogue& e = stages->front().epilogue;
  if (auto k = lower_transposed_panels(op, *shape, e)) return *std::move(k);
  Transposed made = transposed_of(*shape);
  const std::size_t scratch = made.scratch() * sizeof(float);
  if (scratch > max_scratch) return Refusal{"needs too much scratch"};
  std::vector<WeightBlock> weights;
  add_phases(weights, made, op, e);
  const auto t = std::make_shared<const Transposed>(std::move(made));
  const std::size_t per_image = to_size(t->down.count()), items = per_image * to_size(t->batch);
  const double macs = static_cast<double>(element_count(op.input.shape())) * t->outputs *
                      t->down.kernel * t->across.kernel;
  const Partition c =
      partition(items, macs / static_cast<double>(items) / macs_per_operation + 2 * t->across.out);
  return Candidate{
      .name = "phases" + e.text(),
      .tiles = c.tiles(),
      .scratch = scratch,
      .in_place = e.residual < 0 ? std::vector<int>{} : std::vector<int>{e.residual},
      .row = t->is_apart() ? e.row(to_size(t->outputs)) : 0,
      .weights = std::move(weights),
      .run = [=, residual = e.residual](Range r, const Buffers& b, std::byte* scratch) {
        const std::size_t in = to_size(t->down.in) * t->in_row();
        const std::size_t pixels = to_size(t->down.out) * to_size(t->across.out);
        const std::size_t pitch = b.pitch_of(to_size(t->outputs)), out = pixels * pitch;
        for_images(c.begin(r), c.end(r), per_image, [&](std::size_t i, int begin, int end) {
          const float* added = residual < 0 ? nullptr : b.in<float>(to_size(residual)) + i * out;
          begin += t->down.first();
          end += t->down.first();
          for (; begin < end; begin += t->together)
            t->block(begin, std::min(end, begin + t->together), b.in<float>() + i * in,
                     b.out<float>() + i * out, pitch, added, b, reinterpret_cast<float*>(scratch));
        });
      }};
}

}  // namespace webnn::inline v0_1::simd
