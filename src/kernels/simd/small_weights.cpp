#include "src/kernels/simd/small_weights.h"

#include <cmath>
#include <cstring>

#include "src/kernels/common/convolution.h"
#include "src/kernels/common/lower_table.h"
#include "src/kernels/simd/small_product.h"

namespace webnn::simd {
namespace {

/// Where the element of a matrix lies: its index among the weights, and that of its scale.
struct SmallMatrix {
  std::size_t first_weight = 0, first_scale = 0;
  std::size_t stride_k = 0, stride_column = 0;
  std::size_t k_block = 1, column_block = 1;  ///< elements with the same scale
  std::size_t scale_k = 0, scale_column = 0;  ///< strides between scales

  std::size_t weight(std::size_t k, std::size_t column) const {
    return first_weight + k * stride_k + column * stride_column;
  }
  std::size_t scale(std::size_t k, std::size_t column) const {
    return first_scale + k / k_block * scale_k + column / column_block * scale_column;
  }
};

std::size_t stride_of(const Dims& shape, std::size_t dimension) {
  std::size_t stride = 1;
  for (std::size_t d = dimension + 1; d < shape.size(); ++d) stride *= shape[d];
  return stride;
}

SmallMatrix matrix_of(const SmallWeights& w, const WeightAxes& axes) {
  SmallMatrix m{.stride_k = stride_of(w.shape, axes.k),
                .stride_column = stride_of(w.shape, axes.column)};
  if (!w.scaled()) return m;
  m.k_block = w.shape[axes.k] / w.scale_shape[axes.k];
  m.column_block = w.shape[axes.column] / w.scale_shape[axes.column];
  m.scale_k = stride_of(w.scale_shape, axes.k);
  m.scale_column = stride_of(w.scale_shape, axes.column);
  return m;
}

/// Matrix i of those that the last two dimensions are; of a filter there is only one.
SmallMatrix matrix_at(const SmallWeights& w, SmallMatrix m, std::size_t i) {
  if (i == 0) return m;
  m.first_weight = i * stride_of(w.shape, w.shape.size() - 3);
  for (std::size_t d = w.shape.size() - 2; w.scaled() && d-- > 0; i /= w.shape[d])
    m.first_scale += i % w.shape[d] / (w.shape[d] / w.scale_shape[d]) * stride_of(w.scale_shape, d);
  return m;
}

/// Cuts the sums so that each block is whole pieces, and that a panel of floats stays in L1; false
/// if pieces would be too short.
bool cut(SmallPanels& p, std::size_t same_scale) {
  constexpr std::size_t max_block = 256, min_piece = 8, together = 8;  // int4 in a word
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

/// Integers without their signs' offset: those that are packed are signed.
std::int32_t offset_of(MLOperandDataType type) {
  return type == uint4 ? 8 : type == uint8 ? 128 : 0;
}

/// Far enough from the largest and the smallest floats for the sums of the kernels.
bool is_ordinary(float scale) {
  return scale == 0 || (std::abs(scale) >= 1e-28f && std::abs(scale) <= 1e30f);
}

/// What a kernel has to know about the values of the weights.
enum : std::uint8_t { extraordinary = 1, other_zeros = 2 };
std::uint8_t properties_of(const SmallWeights& w, float alpha) {
  std::uint8_t all = 0;
  for (float scale : w.scale)
    if (!is_ordinary(alpha * scale)) all |= extraordinary;
  for (std::int32_t z : w.zero)
    if (z != offset_of(w.type)) all |= other_zeros;
  return all;
}

class Packer {
 public:
  Packer(SmallWeights w, const SmallMatrix& first, const SmallPanels& p, float alpha)
      : w_(std::move(w)),
        m_(first),
        first_matrix_(first),
        p_(p),
        alpha_(alpha),
        offset_(offset_of(w_.type)) {}

  /// Matrix i.
  void run(std::size_t i, std::byte* bytes) {
    m_ = matrix_at(w_, first_matrix_, i);
    const PanelLayout& layout = p_.layout;
    for (std::size_t b = 0; b < layout.blocks(); ++b)
      for (int group = 0; group < layout.groups; ++group) {
        to_ = bytes + p_.offset(b, group);
        columns_ = to_size(layout.group_vectors(group) * layout.lanes);
        first_ = to_size(layout.first_column(group));
        count_ = std::min(columns_, to_size(layout.columns) - first_);
        std::size_t k = b * layout.block;
        for (std::size_t i = 0; i < p_.pieces(b); ++i) {
          const std::size_t terms = p_.terms(b, i);
          if (p_.scaled()) put_scales(k);
          put_weights(k, terms);
          k += terms;
        }
      }
  }

 private:
  void put_scales(std::size_t k) {
    for (std::size_t c = 0; c < count_; ++c) {
      const float scale = alpha_ * w_.scale[m_.scale(k, first_ + c)] * scale_factor(p_.type);
      std::memcpy(to_ + c * sizeof scale, &scale, sizeof scale);
    }
    to_ += columns_ * sizeof(float);
    if (!p_.zeros) return;
    for (std::size_t c = 0; c < count_; ++c)
      to_[c] = byte(w_.zero[m_.scale(k, first_ + c)] - offset_);
    to_ += columns_;
  }
  static std::byte byte(std::int32_t v) { return static_cast<std::byte>(v & 255); }
  std::int32_t integer(std::size_t k, std::size_t c) const {
    return w_.integer(m_.weight(k, first_ + c)) - offset_;
  }

  void put_weights(std::size_t k, std::size_t terms) {
    const std::size_t together = p_.scaled() ? p_.terms_of_word() : 1;
    for (std::size_t i = 0; i < terms; i += together) {
      for (std::size_t c = 0; c < count_; ++c) put(k + i, std::min(together, terms - i), c);
      to_ += columns_ * p_.column_bytes(together);
    }
  }
  void put(std::size_t k, std::size_t count, std::size_t c) {
    if (!p_.scaled()) {
      std::memcpy(to_ + 2 * c, w_.bytes.data() + 2 * m_.weight(k, first_ + c), 2);
      return;
    }
    const int bits = bits_of(p_.type);
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < count; ++i)
      word |= (static_cast<std::uint32_t>(integer(k + i, c)) & ((1u << bits) - 1))
              << bits * static_cast<int>(i);
    std::memcpy(to_ + c * sizeof word, &word, sizeof word);
  }

  const SmallWeights w_;
  SmallMatrix m_;
  const SmallMatrix& first_matrix_;
  const SmallPanels& p_;
  float alpha_;
  std::int32_t offset_;
  std::byte* to_ = nullptr;
  std::size_t columns_ = 0, first_ = 0, count_ = 0;  ///< of the panel; of the columns that exist
};

std::variant<Product, Refusal> pointwise_product(const ops::conv2d& op, Chain chain) {
  const auto stages = stages_of(chain);
  if (!stages || stages->size() > 1)
    return Refusal{"only a sum and an activation can follow a product"};
  const auto shape = convolution_of(op, chain.front().output());
  if (!shape || !shape->pointwise()) return Refusal{"not a product"};
  if (!shape->nhwc) return Refusal{"only nhwc"};
  if (op.options.bias && !op.options.bias->constant()) return Refusal{"the bias is not constant"};
  const std::size_t inputs = to_size(shape->channels);
  return Product{.rows = static_cast<int>(shape->pixels()),
                 .columns = shape->out_channels,
                 .k = inputs,
                 .a_row = inputs,
                 .bias = op.options.bias ? values_of(*op.options.bias) : Values(),
                 .epilogue = stages->front().epilogue};
}

std::variant<Product, Refusal> any_product(Chain chain) {
  const Node& node = chain.front();
  if constexpr (is_built<ops::gemm>)
    if (const auto* op = node.as<ops::gemm>()) return product_of(*op, chain);
  if constexpr (is_built<ops::matmul>)
    if (const auto* op = node.as<ops::matmul>()) return product_of(*op, chain);
  if (const auto* op = node.as<ops::conv2d>()) return pointwise_product(*op, chain);
  return Refusal{"small weights: no kernel for this operator"};
}

}  // namespace

Lowering lower_small_weights(Chain chain, const Options& options) {
  const Chain rest = chain.subspan(1);
  if (rest.front().as<ops::gather>()) return lower_small_gather(chain);
  auto parsed = any_product(rest);
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return *refusal;
  Product& p = std::get<Product>(parsed);
  const LaterInputs later{small_weights_inputs(chain.front()), inputs_of(rest).size()};
  if (later.count > LaterInputs::max_count) return Refusal{"too many operands"};
  if (p.columns <= 2 * lanes()) return Refusal{"not a wide product"};
  const SmallWeights weights = small_weights_form(chain.front());  // values when they are packed
  if (!weights.scaled() && p.alpha != 1) return Refusal{"float16: alpha is not 1"};
  const auto property = packed_number<std::uint8_t>(
      [&] { return properties_of(small_weights_of(chain.front()), p.alpha); });
  if (property & extraordinary) return Refusal{"small weights: a scale is out of range"};
  const SmallMatrix m = matrix_of(weights, weight_axes(rest.front()));
  SmallPanels panels{.type = !weights.scaled()            ? SmallType::float16
                             : bits_of(weights.type) == 4 ? SmallType::int4
                                                          : SmallType::int8,
                     .layout = PanelLayout(p.k, p.columns)};
  if (!cut(panels, m.k_block)) return Refusal{"small weights: blocks are too short"};
  panels.zeros = property & other_zeros;
  auto bytes = SharedArray<std::byte>::packed(p.b_matrices * panels.size(), [&](std::byte* to) {
    Packer packer(small_weights_of(chain.front()), m, panels, p.alpha);
    for (std::size_t i = 0; i < p.b_matrices; ++i) packer.run(i, to + i * panels.size());
  });
  return with_packed_inputs(
      small_product(p, panels, std::move(bytes), later, options), chain,
      {later.slot(0), p.epilogue.residual < 0 ? -1 : later.slot(p.epilogue.residual),
       p.c ? later.slot(static_cast<int>(p.c->slot)) : -1});
}

}  // namespace webnn::simd
