#include "src/kernels/simd/small_weights.h"

#include "src/kernels/common/convolution.h"
#include "src/kernels/common/lower_table.h"
#include "src/kernels/common/slot.h"
#include "src/kernels/simd/built.h"
#include "src/kernels/simd/conv/windows.h"
#include "src/kernels/simd/conv/winograd.h"
#include "src/kernels/simd/product/bfloat16_product.h"
#include "src/kernels/simd/product/bfloat16_small_product.h"
#include "src/kernels/simd/product/small_packer.h"
#include "src/kernels/simd/product/small_product.h"
#include "src/kernels/simd/vector/instruction_set.h"
#include "src/kernels/simd/vector/int8/activations.h"
#include "src/kernels/simd/weight_facts.h"

namespace webnn::inline v0_1::simd {
namespace {

constexpr std::size_t min_piece = 8;

/// Cuts the sums so that each block is whole pieces, and that a panel of floats stays in L1; false
/// if pieces would be too short.
bool cut(SmallPanels& p, std::size_t same_scale) {
  constexpr std::size_t max_block = 256, together = 8;  // int4 in a word
  PanelLayout& layout = p.layout;
  const std::size_t each = divide_up(layout.k, divide_up(layout.k, max_block));
  if (!p.scales || same_scale >= layout.k) {
    layout.block = p.piece = round_up(each, together);
  } else if (same_scale <= max_block) {
    p.piece = same_scale;
    layout.block = std::min(round_up(each, same_scale), max_block / same_scale * same_scale);
  } else {
    p.piece = max_block;
    while (same_scale % p.piece) --p.piece;
    layout.block = p.piece;
  }
  return p.piece >= min_piece;
}

/// Whether copying what so many pixels see takes more than a few percent of the time: it is done
/// once for all output channels, and float32 kernels do without. Measured on AVX-512, 3x3 filters:
/// 6 % for 128 output channels.
bool copies_too_much(const Convolution& s) {
  constexpr std::size_t many_pixels = 128;
  constexpr int few_outputs = 192;
  return s.pixels() >= many_pixels && s.out_channels < few_outputs;
}

/// A convolution whose rows, if it is not a product of matrices, are gathered as `rows` says.
std::variant<Product, Refusal> convolution(const ops::conv2d& op, Chain chain, const SmallMatrix& m,
                                           const Options& options, GatheredRows& rows) {
  const auto stages = stages_of(chain);
  if (!stages || stages->size() > 1)
    return Refusal{"only a sum and an activation can follow a product"};
  const auto shape = convolution_of(op, chain.front().output());
  if (!shape || shape->groups != 1) return Refusal{"it is not a product"};
  if (!shape->nhwc) return Refusal{"only nhwc"};
  if (op.options.bias && !op.options.bias->constant()) return Refusal{"the bias is not constant"};
  if constexpr (is_built<ops::conv2d>)
    if (is_faster_by_winograd(*shape, options.winograd))
      return Refusal{"small weights: Winograd's method on float32 is likely faster"};
  if (!shape->pointwise() && copies_too_much(*shape))
    return Refusal{"small weights: too few output channels for so many pixels"};
  const std::size_t k =
      to_size(shape->kernel_height) * to_size(shape->kernel_width) * to_size(shape->channels);
  const std::size_t part = m.k.back().size;
  if (part < std::min(min_piece, to_size(shape->channels)))
    return Refusal{"small weights: blocks are too short"};
  if (!shape->pointwise()) rows = gathered_windows(*shape, part);
  Product p;
  p.rows = static_cast<int>(shape->pixels());
  p.columns = shape->out_channels;
  p.k = p.a_row = k;
  if (op.options.bias) p.bias = values_of(*op.options.bias, slot<&MLConv2dOptions::bias>(op));
  p.epilogue = stages->front().epilogue;
  return p;
}

std::variant<Product, Refusal> any_product(Chain chain, const SmallMatrix& m,
                                           const Options& options, GatheredRows& rows) {
  const Node& node = chain.front();
  if constexpr (is_built<ops::gemm>)
    if (const auto* op = node.as<ops::gemm>()) return product_of(*op, chain);
  if constexpr (is_built<ops::matmul>)
    if (const auto* op = node.as<ops::matmul>()) return product_of(*op, chain);
  if (const auto* op = node.as<ops::conv2d>()) return convolution(*op, chain, m, options, rows);
  return Refusal{"small weights: no kernel for this operator"};
}

std::string text_of(const SmallWeights& w, const SmallMatrix& m, const SmallPanels& p,
                    const Product& product) {
  std::string text = layout_text(
      "small panels/3", static_cast<int>(w.type), static_cast<int>(p.type), p.layout.lanes,
      p.layout.k, p.layout.columns, p.layout.block, p.piece, static_cast<int>(p.zeros), p.zero,
      static_cast<int>(p.scale_form), product.alpha, product.b_matrices);
  const auto append = [&](const SmallAxis& a) {
    text += layout_text(",", a.size, a.stride, a.block, a.scales);
  };
  for (const SmallAxis& a : m.k) append(a);
  append(m.column);
  for (const Dims* shape : {&w.shape, &w.scale_shape}) {
    text += ';';
    for (const std::uint32_t size : *shape) text += layout_text("", size);
  }
  return text;
}

/// The weights of a chain in panels, one matrix after the other.
WeightBlock panels_of(Chain chain, const SmallMatrix& m, const SmallPanels& panels,
                      const Product& p) {
  const Node expands = chain.front();
  WeightBlock block{.bytes = p.b_matrices * panels.size(),
                    .layout = text_of(small_weights_form(expands), m, panels, p),
                    .parts = static_cast<int>(p.b_matrices * panels.layout.blocks())};
  for (int i = 0; i < small_weights_inputs(expands); ++i) block.inputs.push_back(i);
  block.fill = [expands, m, panels, alpha = p.alpha](std::byte* to, int part) {
    const std::size_t blocks = panels.layout.blocks(), i = to_size(part) / blocks;
    const auto factors =
        panels.scale_form == ScaleForm::bytes ? known_factors(expands, panels.pieces(0)) : nullptr;
    pack_small_panel(small_weights_of(expands), factors.get(), m, panels, alpha, i,
                     to_size(part) % blocks, to + i * panels.size());
  };
  return block;
}

/// How many scales that follow one another a panel has for each column; 0 if they do not.
std::size_t scales_of_panel(const SmallWeights& w, const SmallMatrix& m, std::size_t k) {
  constexpr std::size_t panel = 256;
  const SmallAxis& inner = m.k.back();
  const bool follow = w.scaled() && w.shape.size() == 2 && inner.size == k && inner.scales == 1 &&
                      k % panel == 0 && panel % inner.block == 0 && inner.block >= min_piece &&
                      inner.block < panel && m.column.block == 1;
  return follow ? panel / inner.block : 0;
}

SmallType panel_type_of(MLOperandDataType type) {
  switch (type) {
    case float16: return SmallType::float16;
    case bfloat16: return SmallType::bfloat16;
    case float8e4m3: return SmallType::float8e4m3;
    default: return bits_of(type) == 4 ? SmallType::int4 : SmallType::int8;
  }
}

}  // namespace

Lowering lower_small_weights(Chain chain, const Options& options) {
  const Chain rest = chain.subspan(expanding_operators(chain));
  if (rest.front().as<ops::gather>()) return lower_small_gather(chain);
  const SmallWeights weights = small_weights_form(chain.front());  // values when they are packed
  const SmallMatrix m = matrix_of(weights, weight_axes(rest.front()));
  GatheredRows rows;
  auto parsed = any_product(rest, m, options, rows);
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return *refusal;
  Product& p = std::get<Product>(parsed);
  const LaterInputs later{small_weights_inputs(chain.front()), inputs_of(rest).size()};
  if (later.count > LaterInputs::max_count) return Refusal{"too many operands"};
  if (bfloat16_built) {
    if (rest.front().as<ops::conv2d>()) {
      p.bfloat16 = options.bfloat16;
      if (!weights.scaled() && is_faster_in_bfloat16(p))
        return Refusal{"small weights: filters of float32 become bfloat16"};
    } else if (auto k = bfloat16_product(p, chain.front(), later, options)) {
      return *std::move(k);
    }
  }
  if (p.columns <= 2 * lanes()) return Refusal{"the product has too few columns"};
  if (!weights.scaled() && p.alpha != 1)
    return Refusal{std::string(name_of(weights.type)) + ": alpha is not 1"};
  const WeightFacts facts =
      facts_of_weights(chain.front(), p.alpha, scales_of_panel(weights, m, p.k));
  if (!facts.numbers) return Refusal{"float8e4m3: a weight is NaN"};
  if (!weights.has_integers() && facts.zeros) return Refusal{"float8e4m3: a zero point is not 0"};
  if (!facts.ordinary_scales) return Refusal{"small weights: a scale is out of range"};
  if (facts.rounds && p.alpha != 1) return Refusal{"float16 scales: alpha is not 1"};
  SmallPanels panels{.type = panel_type_of(weights.type), .layout = PanelLayout(p.k, p.columns)};
  panels.scales = weights.scaled();
  if (!cut(panels, m.same_scale())) return Refusal{"small weights: blocks are too short"};
  const bool in_units = panels.piece % 16 == 0 && panels.layout.block % 16 == 0 && p.k % 16 == 0;
  if (facts.six_bits && in_units &&
      (!options.int8_activations || has_native_products(options.dot_product())))
    panels.type = SmallType::int6;
  panels.rounds = facts.rounds;
  panels.zeros = facts.zeros;
  if (!facts.zeros && weights.has_integers()) panels.zero = facts.zero - offset_of(weights.type);
  if (panels.type == SmallType::int6) panels.zero = 0;
  if (facts.half_scales) panels.scale_form = ScaleForm::float16;
  else if (facts.byte_scales) panels.scale_form = ScaleForm::bytes;
  if (p.bias) p.bias.slot = later.slot(p.bias.slot);
  return small_product(p, panels, panels_of(chain, m, panels, p), later, options, rows);
}

}  // namespace webnn::inline v0_1::simd
