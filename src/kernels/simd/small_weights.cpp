#include "src/kernels/simd/small_weights.h"

#include <bit>
#include <cstring>

#include "src/kernels/common/convolution.h"
#include "src/kernels/common/lower_table.h"
#include "src/kernels/common/slot.h"
#include "src/kernels/simd/conv/windows.h"
#include "src/kernels/simd/conv/winograd.h"
#include "src/kernels/simd/product/bfloat16_small_product.h"
#include "src/kernels/simd/product/integer_words.h"
#include "src/kernels/simd/product/small_product.h"
#include "src/kernels/simd/vector/instruction_set.h"
#include "src/kernels/simd/vector/int8/activations.h"
#include "src/kernels/simd/weight_facts.h"
#include "webnn/float16.h"

namespace webnn::inline v0_1::simd {
namespace {

/// The index of an element among the weights, and that of its scale.
struct SmallElement {
  std::size_t weight = 0, scale = 0;
};
SmallElement operator+(const SmallElement& a, const SmallElement& b) {
  return {a.weight + b.weight, a.scale + b.scale};
}

/// A dimension of the weights.
struct SmallAxis {
  std::size_t size = 1, stride = 0;
  std::size_t block = 1;   ///< elements with the same scale
  std::size_t scales = 0;  ///< the stride between scales

  SmallElement operator[](std::size_t i) const { return {i * stride, i / block * scales}; }
};

/// Where the elements of a matrix lie. Those of a filter are counted block by block of the input
/// channels that have the same scale, so that it is the scale of many terms in a row.
struct SmallMatrix {
  SmallElement first{};
  std::array<SmallAxis, 4> k{};  ///< the terms of a sum: those along the last axis come first
  SmallAxis column{};

  SmallElement term(std::size_t i) const {
    SmallElement at = first;
    for (std::size_t d = k.size(); d-- > 0; i /= k[d].size) at = at + k[d][i % k[d].size];
    return at;
  }
  /// Terms of a sum that have the same scale, one after the other.
  std::size_t same_scale() const {
    std::size_t terms = 1;
    for (std::size_t d = k.size(); d-- > 0;) {
      terms *= k[d].block;
      if (k[d].block < k[d].size) break;
    }
    return terms;
  }
};

std::size_t stride_of(const Dims& shape, std::size_t dimension) {
  std::size_t stride = 1;
  for (std::size_t d = dimension + 1; d < shape.size(); ++d) stride *= shape[d];
  return stride;
}

SmallAxis axis_of(const SmallWeights& w, std::size_t dimension) {
  const std::size_t size = w.shape[dimension];
  SmallAxis axis{.size = size, .stride = stride_of(w.shape, dimension), .block = size};
  if (!w.scaled()) return axis;
  axis.block = size / w.scale_shape[dimension];
  axis.scales = stride_of(w.scale_shape, dimension);
  return axis;
}

SmallMatrix matrix_of(const SmallWeights& w, const WeightAxes& axes) {
  const SmallAxis k = axis_of(w, axes.k);
  SmallMatrix m{.k = {{{}, {}, {}, k}}, .column = axis_of(w, axes.column)};
  if (!axes.window) return m;
  const auto [height, width] = *axes.window;
  m.k = {{{.size = k.size / k.block, .stride = k.block * k.stride, .scales = k.scales},
          axis_of(w, height),
          axis_of(w, width),
          {.size = k.block, .stride = k.stride, .block = k.block}}};
  return m;
}

/// Matrix i of those that the last two dimensions are; of a filter there is only one.
SmallMatrix matrix_at(const SmallWeights& w, SmallMatrix m, std::size_t i) {
  if (i == 0) return m;
  m.first.weight = i * stride_of(w.shape, w.shape.size() - 3);
  for (std::size_t d = w.shape.size() - 2; w.scaled() && d-- > 0; i /= w.shape[d])
    m.first.scale += axis_of(w, d)[i % w.shape[d]].scale;
  return m;
}

constexpr std::size_t min_piece = 8;

/// Cuts the sums so that each block is whole pieces, and that a panel of floats stays in L1; false
/// if pieces would be too short.
bool cut(SmallPanels& p, std::size_t same_scale) {
  constexpr std::size_t max_block = 256, together = 8;  // int4 in a word
  PanelLayout& layout = p.layout;
  const std::size_t each = divide_up(layout.k, divide_up(layout.k, max_block));
  if (!p.scaled() || same_scale >= layout.k) {
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

class Packer {
 public:
  Packer(SmallWeights w, const SmallMatrix& first, const SmallPanels& p, float alpha)
      : w_(std::move(w)),
        m_(first),
        first_matrix_(first),
        p_(p),
        alpha_(alpha),
        offset_(p.type == SmallType::int6 ? 0 : offset_of(w_.type)) {}

  /// Block b of matrix i.
  void run(std::size_t i, std::size_t b, std::byte* bytes) {
    m_ = matrix_at(w_, first_matrix_, i);
    const PanelLayout& layout = p_.layout;
    for (int group = 0; group < layout.groups; ++group) {
      to_ = bytes + p_.offset(b, group);
      columns_ = to_size(layout.group_vectors(group) * layout.lanes);
      first_ = to_size(layout.first_column(group));
      count_ = std::min(columns_, to_size(layout.columns) - first_);
      std::size_t k = b * layout.block;
      if (p_.scale_form == ScaleForm::bytes) put_heads(k);
      for (std::size_t piece = 0; piece < p_.pieces(b); ++piece) {
        const std::size_t terms = p_.terms(b, piece);
        if (p_.scaled()) put_scales(k);
        put_weights(k, terms);
        k += terms;
      }
    }
  }

 private:
  std::size_t scale_at(std::size_t term, std::size_t c) const {
    const SmallAxis& column = m_.column;
    return term + (column.block == 1 ? (first_ + c) * column.scales : column[first_ + c].scale);
  }
  /// What the scales of a panel in bytes are multiplied by.
  void put_heads(std::size_t k) {
    const std::size_t term = m_.term(k).scale, count = p_.pieces(0);
    for (std::size_t c = 0; c < count_; ++c)
      put_at(c, heads_[c] = *common_factor(w_.scale.subspan(scale_at(term, c), count)));
    to_ += columns_ * sizeof(float);
  }
  void put_scales(std::size_t k) {
    const std::size_t term = m_.term(k).scale;
    const auto at = [&](std::size_t c) { return scale_at(term, c); };
    for (std::size_t c = 0; c < count_; ++c) {
      const float scale = alpha_ * w_.scale[at(c)];
      switch (p_.scale_form) {
        case ScaleForm::float32: put_at(c, scale * scale_factor(p_.type)); break;
        case ScaleForm::float16: put_at(c, float16_bits(scale)); break;
        case ScaleForm::bytes: put_at(c, static_cast<std::int8_t>(scale / heads_[c]));
      }
    }
    to_ += columns_ * p_.scale_bytes();
    if (!p_.zeros) return;
    for (std::size_t c = 0; c < count_; ++c) to_[c] = byte(w_.zero_at(at(c)) - offset_);
    to_ += columns_;
  }
  template <class T> void put_at(std::size_t column, T v) {
    std::memcpy(to_ + column * sizeof v, &v, sizeof v);
  }
  static std::byte byte(std::int32_t v) { return static_cast<std::byte>(v & 255); }

  void put_weights(std::size_t k, std::size_t terms) {
    if (p_.type == SmallType::int6) return put_six_bits(k, terms);
    const std::size_t together = p_.scaled() ? p_.terms_of_unit() : 1;
    const std::size_t done = put_words(k, terms);
    std::array<std::size_t, 8> at{};  // of the terms of a word, in column 0
    for (std::size_t i = done; i < terms; i += together) {
      const std::size_t count = std::min(together, terms - i);
      for (std::size_t t = 0; t < count; ++t) at[t] = m_.term(k + i + t).weight;
      for (std::size_t c = 0; c < count_; ++c)
        put(std::span(at).first(count), m_.column[first_ + c].weight, to_ + c * word_bytes());
      to_ += columns_ * p_.column_bytes(together);
    }
  }

  /// Whole units of integers of 6 bits.
  void put_six_bits(std::size_t k, std::size_t terms) {
    constexpr std::size_t together = 16;
    const bool in_rows =
        m_.k.back().stride == 1 && terms <= m_.k.back().size - k % m_.k.back().size;
    for (std::size_t i = 0; i < terms; i += together, to_ += 3 * 4 * columns_)
      for (std::size_t c = 0; c < count_; ++c) {
        std::array<std::byte, together> v;
        const std::size_t column = m_.column[first_ + c].weight;
        if (in_rows) {
          std::memcpy(v.data(), w_.bytes.data() + m_.term(k + i).weight + column, together);
        } else {
          for (std::size_t t = 0; t < together; ++t)
            v[t] = w_.bytes[m_.term(k + i + t).weight + column];
        }
        put_unit(v, to_ + 4 * c);
      }
  }
  void put_unit(const std::array<std::byte, 16>& terms, std::byte* to) const {
    std::array<std::uint32_t, 4> quads;
    std::memcpy(quads.data(), terms.data(), sizeof quads);
    for (std::uint32_t& q : quads)  // 32 more, in each byte
      q = ((q & 0x7f7f7f7f) + 0x20202020) ^ (q & 0x80808080);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t two_bits = quads[3] >> 2 * i & 0x03030303,
                          word = quads[i] | two_bits << 6;
      std::memcpy(to + 4 * i * columns_, &word, sizeof word);
    }
  }

  /// Whole words of integers, when the elements of a word lie together, or those of a few columns.
  /// Returns how many terms they are.
  std::size_t put_words(std::size_t k, std::size_t terms) {
    const SmallAxis& inner = m_.k.back();
    if (!p_.scaled() || std::endian::native != std::endian::little ||
        terms > inner.size - k % inner.size)
      return 0;
    return bits_of(w_.type) == 4 ? put_words_of<4>(k, terms) : put_words_of<8>(k, terms);
  }
  template <int Bits> std::size_t put_words_of(std::size_t k, std::size_t terms) {
    using Words = IntegerWords<Bits>;
    const Words source(w_.bytes.data(), offset_ == 0);
    const std::size_t words = terms / Words::each, first = m_.term(k).weight,
                      row = m_.k.back().stride, column = m_.column.stride;
    if (!Words::is_whole(first)) return 0;
    if (row == 1 && Words::is_whole(column)) {
      for (std::size_t c = 0; c < count_; ++c)
        source.copy(first + (first_ + c) * column, words, to_ + 4 * c, 4 * columns_);
    } else if (column == 1 && Words::is_whole(row) && count_ % Words::each == 0) {
      for (std::size_t i = 0; i < words; ++i)
        for (std::size_t c = 0; c < count_; c += Words::each)
          source.transpose(first + i * Words::each * row + first_ + c, row,
                           to_ + 4 * (i * columns_ + c));
    } else {
      return 0;
    }
    to_ += 4 * words * columns_;
    return words * Words::each;
  }
  std::size_t word_bytes() const { return p_.scaled() ? sizeof(std::uint32_t) : 2; }
  void put(std::span<const std::size_t> terms, std::size_t column, std::byte* to) const {
    if (!p_.scaled()) {
      std::memcpy(to, w_.bytes.data() + 2 * (terms[0] + column), 2);
      return;
    }
    const int bits = bits_of(p_.type);
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < terms.size(); ++i)
      word |=
          (static_cast<std::uint32_t>(w_.integer(terms[i] + column) - offset_) & ((1u << bits) - 1))
          << bits * static_cast<int>(i);
    std::memcpy(to, &word, sizeof word);
  }

  const SmallWeights w_;
  SmallMatrix m_;
  const SmallMatrix& first_matrix_;
  const SmallPanels& p_;
  float alpha_;
  std::int32_t offset_;
  std::byte* to_ = nullptr;
  std::size_t columns_ = 0, first_ = 0, count_ = 0;  ///< of the panel; of the columns that exist
  std::array<float, 3 * max_lanes> heads_{};
};

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
  if (!shape || shape->groups != 1) return Refusal{"not a product"};
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
    Packer(small_weights_of(expands), m, panels, alpha)
        .run(i, to_size(part) % blocks, to + i * panels.size());
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

}  // namespace

Lowering lower_small_weights(Chain chain, const Options& options) {
  const Chain rest = chain.subspan(1);
  if (rest.front().as<ops::gather>()) return lower_small_gather(chain);
  const SmallWeights weights = small_weights_form(chain.front());  // values when they are packed
  const SmallMatrix m = matrix_of(weights, weight_axes(rest.front()));
  GatheredRows rows;
  auto parsed = any_product(rest, m, options, rows);
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return *refusal;
  Product& p = std::get<Product>(parsed);
  const LaterInputs later{small_weights_inputs(chain.front()), inputs_of(rest).size()};
  if (later.count > LaterInputs::max_count) return Refusal{"too many operands"};
  if (!weights.scaled() && !rest.front().as<ops::conv2d>())
    if (auto k = bfloat16_product(p, chain.front(), later, options)) return *std::move(k);
  if (p.columns <= 2 * lanes()) return Refusal{"not a wide product"};
  if (!weights.scaled() && p.alpha != 1) return Refusal{"float16: alpha is not 1"};
  const WeightFacts facts =
      facts_of_weights(chain.front(), p.alpha, scales_of_panel(weights, m, p.k));
  if (!facts.ordinary_scales) return Refusal{"small weights: a scale is out of range"};
  SmallPanels panels{.type = !weights.scaled()            ? SmallType::float16
                             : bits_of(weights.type) == 4 ? SmallType::int4
                                                          : SmallType::int8,
                     .layout = PanelLayout(p.k, p.columns)};
  if (!cut(panels, m.same_scale())) return Refusal{"small weights: blocks are too short"};
  const bool in_units = panels.piece % 16 == 0 && panels.layout.block % 16 == 0 && p.k % 16 == 0;
  if (facts.six_bits && in_units &&
      (!options.int8_activations || has_native_products(options.dot_product())))
    panels.type = SmallType::int6;
  panels.zeros = facts.zeros;
  if (!facts.zeros && weights.scaled()) panels.zero = facts.zero - offset_of(weights.type);
  if (panels.type == SmallType::int6) panels.zero = 0;
  if (facts.half_scales) panels.scale_form = ScaleForm::float16;
  else if (facts.byte_scales) panels.scale_form = ScaleForm::bytes;
  if (p.bias) p.bias.slot = later.slot(p.bias.slot);
  return small_product(p, panels, panels_of(chain, m, panels, p), later, options, rows);
}

}  // namespace webnn::inline v0_1::simd
