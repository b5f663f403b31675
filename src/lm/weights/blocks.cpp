#include "src/lm/weights/blocks.h"

#include <cstring>

#include "src/lm/weights/in_parallel.h"
#include "webnn/float16.h"

namespace webnn::inline v0_1::lm {
namespace {

using gguf::TensorType;
using Byte = std::uint8_t;

float half_at(const Byte* at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, 2);
  return float16_value(bits);
}

/// Where the parts of a block go.
struct Out {
  Byte* integers;
  float* scales;
  Byte* minima;
  float* minimum_scales;
  float* factor;
};

std::uint64_t eight_bytes(const Byte* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}
/// The lower four bits of eight bytes, in four bytes.
void put_nibbles(std::uint64_t bytes, Byte* to) {
  std::uint64_t w = bytes & 0x0f0f0f0f0f0f0f0f;
  w = (w | w >> 4) & 0x00ff00ff00ff00ff;
  w = (w | w >> 8) & 0x0000ffff0000ffff;
  const auto word = static_cast<std::uint32_t>(w | w >> 16);
  std::memcpy(to, &word, sizeof word);
}
/// 32 elements of 4 bits as WebNN has them, two that follow one another in a byte. The file has
/// elements i and i + 16 in a byte. With `flip` the integers become signed: v - 8.
void four_bits(const Byte* q, bool flip, Byte* to) {
  const std::uint64_t bits = flip ? 0x8888888888888888 : 0;
  for (int half = 0; half < 2; ++half) {
    const std::uint64_t w = eight_bytes(q + 8 * half) ^ bits;
    put_nibbles(w, to + 4 * half);
    put_nibbles(w >> 4, to + 8 + 4 * half);
  }
}
/// 32 elements, of which `high` has the fifth bits.
void five_bits(const Byte* q, const Byte* high, int minus, Byte* to) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, high, 4);
  for (int i = 0; i < 16; ++i) {
    to[i] = static_cast<Byte>(((q[i] & 15) | static_cast<int>(bits >> i & 1) << 4) - minus);
    to[i + 16] =
        static_cast<Byte>((q[i] >> 4 | static_cast<int>(bits >> (i + 16) & 1) << 4) - minus);
  }
}

void q4_0(const Byte* b, const Out& to) {
  *to.scales = half_at(b);
  four_bits(b + 2, true, to.integers);
}
void q8_0(const Byte* b, const Out& to) {
  *to.scales = half_at(b);
  std::memcpy(to.integers, b + 2, 32);
}
void q5_0(const Byte* b, const Out& to) {
  *to.scales = half_at(b);
  five_bits(b + 6, b + 2, 16, to.integers);
}
// y = d * q + m: the minimum is -m, of which the integer is -1.
void q4_1(const Byte* b, const Out& to) {
  *to.scales = half_at(b);
  *to.minima = 255;
  *to.minimum_scales = half_at(b + 2);
  four_bits(b + 4, false, to.integers);
}
void q5_1(const Byte* b, const Out& to) {
  *to.scales = half_at(b);
  *to.minima = 255;
  *to.minimum_scales = half_at(b + 2);
  five_bits(b + 8, b + 4, 0, to.integers);
}

/// Eight scales and minima of 6 bits in 12 bytes.
void scales_of_256(const Byte* b, const Out& to) {
  const Byte* s = b + 4;
  const float d = half_at(b);
  *to.factor = d;
  *to.minimum_scales = half_at(b + 2);
  for (int j = 0; j < 8; ++j) {
    const int scale = j < 4 ? s[j] & 63 : (s[j + 4] & 15) | (s[j - 4] >> 6) << 4;
    to.scales[j] = d * static_cast<float>(scale);
    to.minima[j] = static_cast<Byte>(j < 4 ? s[j + 4] & 63 : s[j + 4] >> 4 | (s[j] >> 6) << 4);
  }
}
void q4_k(const Byte* b, const Out& to) {
  scales_of_256(b, to);
  for (int part = 0; part < 4; ++part) {  // 64 elements: all low halves, then all high ones
    const Byte* q = b + 16 + part * 32;
    Byte* y = to.integers + part * 32;
    for (int eight = 0; eight < 4; ++eight) {
      const std::uint64_t w = eight_bytes(q + 8 * eight);
      put_nibbles(w, y + 4 * eight);
      put_nibbles(w >> 4, y + 16 + 4 * eight);
    }
  }
}
void q5_k(const Byte* b, const Out& to) {
  scales_of_256(b, to);
  for (int j = 0; j < 8; ++j) {
    const Byte *q = b + 48 + j / 2 * 32, *high = b + 16;
    Byte* y = to.integers + j * 32;
    for (int i = 0; i < 32; ++i)
      y[i] = static_cast<Byte>((j % 2 == 0 ? q[i] & 15 : q[i] >> 4) | (high[i] >> j & 1) << 4);
  }
}
void q6_k(const Byte* b, const Out& to) {
  const float d = half_at(b + 208);
  *to.factor = d;
  for (int j = 0; j < 16; ++j)
    to.scales[j] = d * static_cast<float>(static_cast<std::int8_t>(b[192 + j]));
  for (int part = 0; part < 8; ++part) {  // 32 elements
    const int quarter = part % 4;
    const Byte* low = b + part / 4 * 64 + quarter % 2 * 32;
    const Byte* high = b + 128 + part / 4 * 32;
    Byte* y = to.integers + part * 32;
    for (int i = 0; i < 32; ++i) {
      const int four = quarter < 2 ? low[i] & 15 : low[i] >> 4;
      y[i] = static_cast<Byte>((four | (high[i] >> quarter * 2 & 3) << 4) - 32);
    }
  }
}

struct Form {
  TensorType type;
  void (*unpack)(const Byte* block, const Out& to);
  MLOperandDataType integers;
  std::uint32_t block = 32;
  std::optional<MLOperandDataType> minima = std::nullopt;
  std::uint32_t minimum_block = 1;
};
constexpr Form forms[] = {
    {TensorType::Q4_0, &q4_0, MLOperandDataType::int4},
    {TensorType::Q8_0, &q8_0, MLOperandDataType::int8},
    {TensorType::Q5_0, &q5_0, MLOperandDataType::int8},
    {TensorType::Q4_1, &q4_1, MLOperandDataType::uint4, 32, MLOperandDataType::int8},
    {TensorType::Q5_1, &q5_1, MLOperandDataType::uint8, 32, MLOperandDataType::int8},
    {TensorType::Q4_K, &q4_k, MLOperandDataType::uint4, 32, MLOperandDataType::uint8, 8},
    {TensorType::Q5_K, &q5_k, MLOperandDataType::uint8, 32, MLOperandDataType::uint8, 8},
    {TensorType::Q6_K, &q6_k, MLOperandDataType::int8, 16},
};
const Form* form_of(TensorType type) {
  for (const Form& f : forms)
    if (f.type == type) return &f;
  return nullptr;
}

}  // namespace

std::optional<Integers> integer_form(TensorType type) {
  const Form* f = form_of(type);
  if (!f) return std::nullopt;
  Integers form{.type = f->integers, .block = f->block};
  if (f->minima) form.minimum_type = *f->minima, form.minimum_block = f->minimum_block;
  return form;
}

Integers integers_of(TensorType type, std::span<const std::byte> bytes, int threads) {
  constexpr std::size_t few = 1 << 20;  // bytes, for which other threads are not worth it
  const Form& f = *form_of(type);
  const gguf::BlockLayout layout = gguf::block_layout(type);
  const std::size_t count = bytes.size() / layout.bytes;
  Integers to = *integer_form(type);
  constexpr std::size_t of_k_quants = 256;  // elements
  if (layout.elements == of_k_quants) to.factors.resize(count);
  const std::size_t factors = to.factors.empty() ? 0 : 1;
  const std::size_t each = layout.elements * bits_of(f.integers) / 8,
                    scales = layout.elements / f.block, minima = f.minima ? scales : 0,
                    minimum_scales = minima / f.minimum_block;
  to.integers = Buffer<std::byte>(count * each);
  to.scales = Buffer<float>(count * scales);
  to.minima = Buffer<std::byte>(count * minima);
  to.minimum_scales = Buffer<float>(count * minimum_scales);
  const Out all{reinterpret_cast<Byte*>(to.integers.data()), to.scales.data(),
                reinterpret_cast<Byte*>(to.minima.data()), to.minimum_scales.data(),
                to.factors.data()};
  const Byte* blocks = reinterpret_cast<const Byte*>(bytes.data());
  in_parallel(bytes.size() < few ? 1 : threads, count, [=](std::size_t i, std::size_t last) {
    for (; i < last; ++i)
      f.unpack(blocks + i * layout.bytes,
               {all.integers + i * each, all.scales + i * scales, all.minima + i * minima,
                all.minimum_scales + i * minimum_scales, all.factor + i * factors});
  });
  return to;
}

}  // namespace webnn::inline v0_1::lm
