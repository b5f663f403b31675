#include "src/kernels/simd/product/small_packer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "src/kernels/simd/product/integer_words.h"
#include "src/kernels/simd/vector/instruction_set.h"
#include "src/kernels/simd/weight_facts.h"
#include "webnn/float16.h"

namespace webnn::inline v0_1::simd {
namespace {

class Packer {
 public:
  Packer(const SmallWeights& w, const ScaleFactors* factors, const SmallMatrix& m,
         const SmallPanels& p, float alpha)
      : w_(w),
        factors_(factors),
        m_(m),
        p_(p),
        alpha_(alpha),
        offset_(p.type == SmallType::int6 ? 0 : offset_of(w_.type)) {}

  void run(std::size_t b, std::byte* bytes) {
    const PanelLayout& layout = p_.layout;
    for (int group = 0; group < layout.groups; ++group) {
      to_ = bytes + p_.offset(b, group);
      columns_ = to_size(layout.group_vectors(group) * layout.lanes);
      first_ = to_size(layout.first_column(group));
      count_ = std::min(columns_, to_size(layout.columns) - first_);
      std::size_t k = b * layout.block;
      prefetch(b, k);
      if (p_.scale_form == ScaleForm::bytes) put_heads(k);
      for (std::size_t piece = 0; piece < p_.pieces(b); ++piece) {
        const std::size_t terms = p_.terms(b, piece);
        if (p_.scales) put_scales(k);
        put_weights(k, terms);
        k += terms;
      }
    }
  }

 private:
  /// The rows of the group that is next: they lie apart, where no processor looks for them.
  void prefetch(std::size_t block, std::size_t k) const {
    constexpr std::size_t line = 64, most = 8 * line;
    const std::size_t next = first_ + count_,
                      end = std::min(next + columns_, to_size(p_.layout.columns));
    if (m_.k.back().stride != 1) return;
    const std::size_t bits = to_size(bits_of(w_.type)), first = m_.term(k).weight,
                      bytes = std::min(p_.layout.block_size(block) * bits / 8, most);
    for (std::size_t c = next; c < end; ++c) {
      const std::byte* row = w_.bytes.data() + (first + m_.column[c].weight) * bits / 8;
      for (std::size_t at = 0; at < bytes; at += line) __builtin_prefetch(row + at);
    }
  }
  std::size_t scale_at(std::size_t term, std::size_t c) const {
    const SmallAxis& column = m_.column;
    return term + (column.block == 1 ? (first_ + c) * column.scales : column[first_ + c].scale);
  }
  /// What the scales of a panel in bytes are multiplied by.
  void put_heads(std::size_t k) {
    const std::size_t term = m_.term(k).scale, count = p_.pieces(0);
    for (std::size_t c = 0; c < count_; ++c) {
      const std::size_t at = scale_at(term, c);
      heads_[c] = factors_ ? factors_->values[at / count]
                           : *common_factor(w_.float_scales.subspan(at, count));
      put_at(c, heads_[c]);
    }
    to_ += columns_ * sizeof(float);
  }
  void put_scales(std::size_t k) {
    const std::size_t term = m_.term(k).scale;
    const auto at = [&](std::size_t c) { return scale_at(term, c); };
    for (std::size_t c = 0; c < count_; ++c) {
      const float scale = alpha_ * w_.scale(at(c));
      switch (p_.scale_form) {
        case ScaleForm::float32: put_at(c, scale * scale_factor(p_.type)); break;
        case ScaleForm::float16: put_at(c, float16_of(scale)); break;
        case ScaleForm::bytes: put_at(c, static_cast<std::int8_t>(scale / heads_[c]));
      }
    }
    to_ += columns_ * p_.scale_bytes();
    if (!p_.zeros) return;
    for (std::size_t c = 0; c < count_; ++c) to_[c] = byte(w_.zero_at(at(c)) - offset_);
    to_ += columns_;
  }
  /// Of a float that has one.
  static std::uint16_t float16_of(float v) {
    constexpr std::uint32_t least = 0x38800000, rebase = 0x38000000;
    const auto bits = std::bit_cast<std::uint32_t>(v), magnitude = bits & 0x7fffffff;
    if (magnitude < least) return float16_bits(v);
    return static_cast<std::uint16_t>((bits >> 16 & 0x8000) | (magnitude - rebase) >> 13);
  }
  template <class T> void put_at(std::size_t column, T v) {
    std::memcpy(to_ + column * sizeof v, &v, sizeof v);
  }
  static std::byte byte(std::int32_t v) { return static_cast<std::byte>(v & 255); }

  void put_weights(std::size_t k, std::size_t terms) {
    if (p_.type == SmallType::int6) return put_six_bits(k, terms);
    const std::size_t together = p_.has_integers() ? p_.terms_of_unit() : 1;
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
    if (std::endian::native != std::endian::little || terms > inner.size - k % inner.size) return 0;
    if (p_.type == SmallType::float8e4m3) return put_floats<1>(k, terms);
    if (!p_.has_integers()) return put_floats<2>(k, terms);
    return bits_of(w_.type) == 4 ? put_words_of<4>(k, terms) : put_words_of<8>(k, terms);
  }
  /// Floats of so many bytes: whole rows of columns, or words of terms of as many columns.
  template <std::size_t Size> std::size_t put_floats(std::size_t k, std::size_t terms) {
    constexpr std::size_t each = sizeof(std::uint64_t) / Size;
    const std::size_t row = m_.k.back().stride, column = m_.column.stride;
    const std::byte* const from = w_.bytes.data() + Size * (m_.term(k).weight + first_ * column);
    if (column == 1) {
      for (std::size_t i = 0; i < terms; ++i, to_ += Size * columns_)
        std::memcpy(to_, from + Size * i * row, Size * count_);
      return terms;
    }
    if (row != 1) return 0;
    const std::size_t whole = terms / each * each;
    for (std::size_t c = 0; c < count_; c += each) {
      const std::size_t columns = std::min(each, count_ - c);
      for (std::size_t i = 0; i < whole; i += each) {
        std::array<std::uint64_t, each> words{};
        for (std::size_t r = 0; r < columns; ++r)
          std::memcpy(&words[r], from + Size * ((c + r) * column + i), sizeof words[r]);
        transpose<Size>(words);
        for (std::size_t t = 0; t < each; ++t)
          std::memcpy(to_ + Size * ((i + t) * columns_ + c), &words[t], Size * columns);
      }
    }
    to_ += Size * whole * columns_;
    return whole;
  }
  /// Of a square of elements: exchanges the blocks beside the diagonal, ever smaller ones.
  template <std::size_t Size, std::size_t Each>
  static void transpose(std::array<std::uint64_t, Each>& m) {
    std::uint64_t mask = ~std::uint64_t{0};
    for (std::size_t block = Each / 2; block > 0; block /= 2) {
      const std::size_t shift = 8 * Size * block;
      mask ^= mask << shift;
      for (std::size_t i = 0; i < Each; ++i) {
        if (i & block) continue;
        const std::uint64_t other = (m[i] >> shift ^ m[i + block]) & mask;
        m[i + block] ^= other;
        m[i] ^= other << shift;
      }
    }
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
  std::size_t word_bytes() const {
    return p_.has_integers() ? sizeof(std::uint32_t) : to_size(bits_of(p_.type)) / 8;
  }
  void put(std::span<const std::size_t> terms, std::size_t column, std::byte* to) const {
    if (!p_.has_integers()) {
      std::memcpy(to, w_.bytes.data() + word_bytes() * (terms[0] + column), word_bytes());
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

  const SmallWeights& w_;
  const ScaleFactors* factors_;
  const SmallMatrix m_;
  const SmallPanels& p_;
  float alpha_;
  std::int32_t offset_;
  std::byte* to_ = nullptr;
  std::size_t columns_ = 0, first_ = 0, count_ = 0;  ///< of the panel; of the columns that exist
  std::array<float, 3 * max_lanes> heads_{};
};

}  // namespace

void pack_small_panel(const SmallWeights& weights, const ScaleFactors* factors,
                      const SmallMatrix& m, const SmallPanels& panels, float alpha,
                      std::size_t matrix, std::size_t block, std::byte* to) {
  Packer(weights, factors, matrix_at(weights, m, matrix), panels, alpha).run(block, to);
}

}  // namespace webnn::inline v0_1::simd
