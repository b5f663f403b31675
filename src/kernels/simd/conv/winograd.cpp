#include "src/kernels/simd/conv/winograd.h"

#include <algorithm>
#include <cmath>

#include "src/graph/constant_facts.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/common/slot.h"
#include "src/kernels/simd/product/pack.h"
#include "src/kernels/simd/vector/float32/winograd.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

/// How a convolution is scheduled. Either blocks of tiles go through all steps, so that their
/// transformed values stay in L2 and the weights are read once for each block; or all tiles go
/// through one step after the other, so that the weights are read once.
struct Schedule {
  int size = 0;
  bool blocks = true;
  std::size_t block = 0;  ///< the largest number of tiles at a time
  double cost = 0;
};

// Costs are in multiplications and additions that a core does in the same time.
constexpr double per_byte = 4;          // from beyond L2 ...
constexpr double per_fetched_byte = 2;  // ... with AVX-512, whose panels are fetched while others
                                        // are multiplied: 1.3 to 2.1 in networks
constexpr double per_transformed = 5;   // element of a transformed tile
constexpr double part_of_l2 = 512 << 10;

std::size_t tiles_of(const Convolution& c, int size) {
  return to_size(c.batch) * to_size(divide_up(c.out_height, size)) *
         to_size(divide_up(c.out_width, size));
}

/// Of sums of all products: with operands of bfloat16 twice as many products take the same time,
/// and weights have half the bytes.
double direct_cost(const Convolution& c, bool bfloat16) {
  constexpr double efficiency = 0.85;
  const double byte = bfloat16 ? per_fetched_byte : per_byte;
  const double weights = 9.0 * c.channels * static_cast<double>(padded_columns(c.out_channels));
  const double cost = static_cast<double>(c.pixels()) * weights / efficiency + byte * 4 * weights;
  return bfloat16 ? cost / 2 : cost;
}

Schedule schedule_of(const Convolution& c, int size, bool bfloat16 = false) {
  constexpr double efficiency = 0.85;
  constexpr std::size_t min_rows = 6;  // a product of fewer takes as long
  constexpr std::size_t min_block = 14;
  const std::size_t tiles = tiles_of(c, size);
  const double positions = (size + 2) * (size + 2),
               outputs = static_cast<double>(padded_columns(c.out_channels));
  const double weights = 4 * positions * c.channels * outputs;
  const double of_tile = 4 * positions * (c.channels + outputs);  // bytes
  const double all = static_cast<double>(tiles) * of_tile;
  const double products = static_cast<double>(std::max(tiles, min_rows)) * weights / 4 / efficiency;
  const double transforms = per_transformed * all / 4;
  Schedule schedule{.size = size};
  const auto fits = static_cast<std::size_t>(part_of_l2 / of_tile);
  schedule.block = std::min(std::max(fits, min_block), tiles);
  const double blocks = static_cast<double>(divide_up(tiles, schedule.block));
  const double by_blocks = weights > part_of_l2 ? weights * blocks : weights;
  const double by_steps = weights + (all > part_of_l2 ? 2 * all : 0);
  schedule.blocks = by_blocks <= by_steps;
  schedule.cost = products + transforms +
                  (bfloat16 ? per_fetched_byte : per_byte) * std::min(by_blocks, by_steps);
  return schedule;
}

/// By size 0 where the direct convolution is likely as fast. Transformed values are not rounded to
/// bfloat16: their errors are several times those of the values that they come from.
Schedule choose(const Convolution& c, Winograd3x3 rule, bool bfloat16) {
  constexpr int few_channels = 8;
  constexpr double gain = 1.1;           // for which its weights may be several times as large
  constexpr double max_bytes = 1 << 30;  // bytes of transformed weights or tiles
  const auto allowed = [&](const Schedule& schedule) {
    const double positions = (schedule.size + 2) * (schedule.size + 2);
    return 4 * positions * c.channels * c.out_channels < max_bytes;
  };
  Schedule best;
  if (c.kernel_height != 3 || c.kernel_width != 3 || c.stride_y != 1 || c.stride_x != 1 ||
      c.dilated() || c.groups != 1 || rule == Winograd3x3::off)
    return best;
  if (rule == Winograd3x3::tiles_4x4) return schedule_of(c, 4);
  if (rule == Winograd3x3::tiles_2x2) return schedule_of(c, 2);
  if (std::min(c.channels, c.out_channels) < few_channels) return best;
  best.cost = direct_cost(c, bfloat16) / gain;
  for (int size : {2, 4})
    if (const Schedule schedule = schedule_of(c, size, bfloat16);
        schedule.cost < best.cost && allowed(schedule))
      best = schedule;
  return best;
}

/// The filter, transformed: at each position a matrix in panels.
PackedArray<float> pack_filter(std::vector<WeightBlock>& weights, const ops::conv2d& op,
                               int filter_slot, const PanelLayout& p, int size) {
  const std::size_t positions = to_size((size + 2) * (size + 2));
  const auto layout = op.options.filterLayout;
  const FilterStrides s = filter_strides(ops::filter_sizes(op.filter.shape(), layout), layout);
  const auto pack_block = [=, &op](float* to, std::size_t block) {
    const float* filter = floats_of(op.filter).data();
    const std::size_t padded = p.padded_columns(), outputs = to_size(p.columns),
                      first = block * p.block;
    std::vector<float> taps(9 * padded);
    for (std::size_t i = first; i < first + p.block_size(block); ++i) {
      for (std::size_t t = 0; t < 9; ++t) {
        const float* from = filter + i * s.input + t / 3 * s.height + t % 3 * s.width;
        for (std::size_t o = 0; o < outputs; ++o) taps[t * padded + o] = from[o * s.output];
      }
      for (int g = 0; g < p.groups; ++g) {
        const std::size_t wide = to_size(p.group_vectors(g) * p.lanes);
        winograd_filter(size, taps.data() + p.first_column(g), padded, wide,
                        to + p.offset(block, g) + (i - first) * wide, p.size());
      }
    }
  };
  WeightBlock block{.bytes = positions * p.size() * sizeof(float),
                    .layout = layout_text("winograd panels/1", lanes(), size, p.k, p.columns,
                                          p.block, static_cast<int>(layout)),
                    .inputs = {filter_slot},
                    .kept = {filter_slot},  // some results are computed from the definition
                    .parts = static_cast<int>(p.blocks())};
  return add_packed<float>(weights, std::move(block), pack_block);
}

/// One convolution: its transforms, its products, and its definition.
struct Convolver {
  Winograd w;
  Convolution shape;
  FilterStrides strides;
  int filter_slot;
  Epilogue epilogue;
  PanelLayout layout{};
  CacheAligned<float> zeros{};
  PackedArray<float> weights{}, packed_bias{};

  /// The transforms with the memory of a run, from which results of the definition are computed.
  struct Definition {
    const Convolver& c;
    const float *filter, *bias;
  };
  Definition definition(const Buffers& b) const {
    return {*this, b.in<float>(to_size(filter_slot)), packed_bias.in(b)};
  }
  Winograd transforms(const Definition& d) const {
    Winograd here = w;
    here.bias = d.bias;
    here.context = &d;
    return here;
  }

  /// The products of the positions [first, last) of so many tiles, for groups of columns.
  void multiply(const float* matrices, std::size_t first, std::size_t last, std::size_t tiles,
                int first_group, int last_group, const WinogradRows& x,
                const WinogradRows& y) const {
    for (std::size_t p = first; p < last; ++p) {
      const PanelProduct g{.w = matrices + p * layout.size(),
                           .bias = zeros.data(),
                           .layout = layout,
                           .y_stride = y.row};
      multiply_panels(g, {x.data + p * x.position, x.row}, 0, tiles, first_group, last_group,
                      y.data + p * y.position, nullptr, nullptr);
    }
  }

  static void write(const void* self, std::size_t tile, const float* x, const float* residual,
                    float* y, std::size_t pixel) {
    const auto& [c, filter, bias] = *static_cast<const Definition*>(self);
    const Convolution& s = c.shape;
    const std::size_t each = c.w.tiles_of_image(), image = tile / each, in_image = tile % each;
    const std::size_t across = to_size(c.w.tiles_across());
    const int row = static_cast<int>(in_image / across) * c.w.size,
              column = static_cast<int>(in_image % across) * c.w.size;
    x += image * to_size(s.height) * to_size(s.width) * to_size(s.channels);
    for (int r = row; r < std::min(row + c.w.size, s.out_height); ++r)
      for (int k = column; k < std::min(column + c.w.size, s.out_width); ++k) {
        const std::size_t at =
            ((image * to_size(s.out_height) + to_size(r)) * to_size(s.out_width) + to_size(k)) *
            pixel;
        for (int o = 0; o < s.out_channels; ++o) {
          float v = convolved_at(s, x, filter, c.strides, bias, r, k, o);
          if (residual) v += residual[at + to_size(o)];
          if (v < c.epilogue.lo) v = c.epilogue.lo;
          if (v > c.epilogue.hi) v = c.epilogue.hi;
          y[at + to_size(o)] = v;
        }
      }
  }
};

std::shared_ptr<Convolver> convolver(std::vector<WeightBlock>& weights, const ops::conv2d& op,
                                     const Convolution& c, const Epilogue& e, int size) {
  const auto filter_layout = op.options.filterLayout;
  const PanelLayout layout(to_size(c.channels), c.out_channels);
  const std::size_t padded = layout.padded_columns();
  auto all = std::make_shared<Convolver>(Convolver{
      .w = {.size = size,
            .height = c.height,
            .width = c.width,
            .channels = c.channels,
            .out_height = c.out_height,
            .out_width = c.out_width,
            .out_channels = c.out_channels,
            .pad_top = c.pad_top,
            .pad_left = c.pad_left,
            .epilogue = e,
            .direct = &Convolver::write},
      .shape = c,
      .strides = filter_strides(ops::filter_sizes(op.filter.shape(), filter_layout), filter_layout),
      .filter_slot = slot<&ops::conv2d::filter>(op),
      .epilogue = e,
      .layout = layout,
      .zeros = CacheAligned<float>(padded)});
  all->weights = pack_filter(weights, op, all->filter_slot, layout, size);
  const int bias_slot = slot<&MLConv2dOptions::bias>(op);
  all->packed_bias =
      packed_bias(weights, op.options.bias ? values_of(*op.options.bias, bias_slot) : Values(),
                  c.out_channels, padded);
  return all;
}

const float* residual_of(const Epilogue& e, const Buffers& b) {
  return e.residual < 0 ? nullptr : b.in<float>(to_size(e.residual));
}

/// Blocks of tiles, in scratch.
void add_blocks(Candidate& k, std::shared_ptr<const Convolver> c, const Schedule& schedule,
                std::size_t tiles) {
  constexpr std::size_t max_parts = 128;
  const Partition parts{tiles, divide_up(tiles, max_parts)};
  const std::size_t positions = c->w.positions();
  const WinogradRows x(schedule.block, to_size(c->shape.channels)),
      products(schedule.block, to_size(c->shape.out_channels));
  k.tiles = parts.tiles();
  k.grain = static_cast<int>(divide_up(schedule.block, parts.each));
  k.scratch = (x.floats(positions) + products.floats(positions)) * sizeof(float);
  k.run = [=, pixel = to_size(c->shape.out_channels)](Range r, const Buffers& b,
                                                      std::byte* scratch) {
    const Convolver::Definition definition = c->definition(b);
    const Winograd w = c->transforms(definition);
    WinogradRows in = x, out = products;
    in.data = reinterpret_cast<float*>(scratch);
    out.data = in.data + in.floats(positions);
    const std::size_t begin = parts.begin(r), all = parts.end(r) - begin;
    const std::size_t blocks = divide_up(all, schedule.block);
    for (std::size_t i = 0; i < blocks; ++i) {
      const std::size_t first = begin + all * i / blocks, last = begin + all * (i + 1) / blocks;
      winograd_input(w, first, last, b.in<float>(), in);
      c->multiply(c->weights.in(b), 0, positions, last - first, 0, c->layout.groups, in, out);
      winograd_output(w, first, last, out, b.in<float>(), residual_of(c->epilogue, b),
                      b.out<float>(), b.pitch_of(pixel));
    }
  };
}

/// All tiles one step after the other, in shared memory.
void add_steps(Candidate& k, std::shared_ptr<const Convolver> c, std::size_t tiles) {
  const std::size_t positions = c->w.positions();
  const std::size_t parts = positions < 36 && c->layout.groups > 1 ? 2 : 1;
  const WinogradRows x(tiles, to_size(c->shape.channels)),
      products(tiles, to_size(c->shape.out_channels));
  const Partition items{positions * parts, 1};
  k.tiles = items.tiles();
  k.rounds = 3;
  k.shared = (x.floats(positions) + products.floats(positions)) * sizeof(float);
  k.run = [=, pixel = to_size(c->shape.out_channels)](Range r, const Buffers& b, std::byte*) {
    const Convolver::Definition definition = c->definition(b);
    const Winograd w = c->transforms(definition);
    WinogradRows in = x, out = products;
    in.data = reinterpret_cast<float*>(b.shared);
    out.data = in.data + in.floats(positions);
    const std::size_t begin = to_size(r.begin), end = to_size(r.end), all = items.count;
    const std::size_t first = tiles * begin / all, last = tiles * end / all;
    const int groups = c->layout.groups;
    if (r.round == 0) {
      in.data += first * in.row;
      winograd_input(w, first, last, b.in<float>(), in);
    } else if (r.round == 1) {
      for (std::size_t i = begin; i < end; ++i) {
        const int part = static_cast<int>(i % parts), n = static_cast<int>(parts);
        c->multiply(c->weights.in(b), i / parts, i / parts + 1, tiles, groups * part / n,
                    groups * (part + 1) / n, in, out);
      }
    } else {
      out.data += first * out.row;
      winograd_output(w, first, last, out, b.in<float>(), residual_of(c->epilogue, b),
                      b.out<float>(), b.pitch_of(pixel));
    }
  };
}

/// Whether all weights are integers. Their sums with other integers are exact as long as they are
/// small, which callers that compute with integers rely on; Winograd's fractions are rounded.
bool has_integers(const MLOperand& filter) {
  const auto all_integers = [&]() -> std::uint64_t {
    return std::ranges::all_of(floats_of(filter), [](float w) { return std::trunc(w) == w; });
  };
  return fact_of(*filter.constant(), "integers/1", all_integers) != 0;
}

}  // namespace

bool is_faster_by_winograd(const Convolution& c, Winograd3x3 rule) {
  return choose(c, rule, false).size != 0;
}

std::optional<Candidate> lower_winograd(const ops::conv2d& op, const Convolution& c,
                                        const Epilogue& epilogue, Winograd3x3 rule, bool bfloat16) {
  const Schedule schedule = choose(c, rule, bfloat16);
  if (schedule.size == 0 || has_integers(op.filter)) return std::nullopt;
  std::vector<WeightBlock> weights;
  const auto all = convolver(weights, op, c, epilogue, schedule.size);
  Candidate k{.name = (schedule.size == 4 ? "winograd 4x4" : "winograd 2x2") + epilogue.text(),
              .row = epilogue.row(to_size(c.out_channels)),
              .weights = std::move(weights)};
  if (epilogue.residual >= 0) k.in_place = {epilogue.residual};
  const std::size_t tiles = tiles_of(c, schedule.size);
  if (schedule.blocks) add_blocks(k, all, schedule, tiles);
  else add_steps(k, all, tiles);
  if (k.scratch > max_scratch || k.shared > max_scratch) return std::nullopt;
  return k;
}

}  // namespace webnn::inline v0_1::simd
