// The blocks of the format as float32. Every product of a scale and a stored integer has at most 24
// bits, so that it is exact; a minimum is exact too, and one addition rounds.
#include <array>
#include <bit>
#include <cstring>

#include "src/formats/gguf/types.h"
#include "src/graph/failure.h"
#include "webnn/float16.h"

namespace webnn::inline v0_1::gguf {
namespace {

using Byte = std::uint8_t;

float half_at(const Byte* at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, 2);
  return float16_value(bits);
}
std::uint32_t word_at(const Byte* at) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, 4);
  return bits;
}

void f32(const Byte* b, float* y) { std::memcpy(y, b, 4); }
void f16(const Byte* b, float* y) { *y = half_at(b); }
void bf16(const Byte* b, float* y) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, b, 2);
  *y = std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

void q8_0(const Byte* b, float* y) {
  const float d = half_at(b);
  for (int i = 0; i < 32; ++i) y[i] = d * static_cast<float>(static_cast<std::int8_t>(b[2 + i]));
}
void q4_0(const Byte* b, float* y) {
  const float d = half_at(b);
  for (int i = 0; i < 16; ++i) {
    y[i] = d * static_cast<float>((b[2 + i] & 15) - 8);
    y[i + 16] = d * static_cast<float>((b[2 + i] >> 4) - 8);
  }
}
void q4_1(const Byte* b, float* y) {
  const float d = half_at(b), m = half_at(b + 2);
  for (int i = 0; i < 16; ++i) {
    y[i] = d * static_cast<float>(b[4 + i] & 15) + m;
    y[i + 16] = d * static_cast<float>(b[4 + i] >> 4) + m;
  }
}
/// The 32 integers of 5 bits: four of each are a half of a byte, the highest is a bit of a word.
std::array<int, 32> five_bits(const Byte* halves, std::uint32_t high) {
  std::array<int, 32> q{};
  for (int i = 0; i < 16; ++i) {
    q[i] = (halves[i] & 15) | static_cast<int>(high >> i & 1) << 4;
    q[i + 16] = halves[i] >> 4 | static_cast<int>(high >> (i + 16) & 1) << 4;
  }
  return q;
}
void q5_0(const Byte* b, float* y) {
  const float d = half_at(b);
  const auto q = five_bits(b + 6, word_at(b + 2));
  for (int i = 0; i < 32; ++i) y[i] = d * static_cast<float>(q[i] - 16);
}
void q5_1(const Byte* b, float* y) {
  const float d = half_at(b), m = half_at(b + 2);
  const auto q = five_bits(b + 8, word_at(b + 4));
  for (int i = 0; i < 32; ++i) y[i] = d * static_cast<float>(q[i]) + m;
}

/// The scale and the minimum of 32 elements: integers of 6 bits, eight of each in 12 bytes.
struct SubBlock {
  float scale, minimum;
};
SubBlock sub_block(const Byte* b, int j) {
  const Byte* s = b + 4;
  const int scale = j < 4 ? s[j] & 63 : (s[j + 4] & 15) | (s[j - 4] >> 6) << 4;
  const int minimum = j < 4 ? s[j + 4] & 63 : s[j + 4] >> 4 | (s[j] >> 6) << 4;
  return {half_at(b) * static_cast<float>(scale), half_at(b + 2) * static_cast<float>(minimum)};
}
void q4_k(const Byte* b, float* y) {
  for (int j = 0; j < 8; ++j) {
    const auto [scale, minimum] = sub_block(b, j);
    const Byte* q = b + 16 + j / 2 * 32;
    for (int i = 0; i < 32; ++i)
      *y++ = scale * static_cast<float>(j % 2 == 0 ? q[i] & 15 : q[i] >> 4) - minimum;
  }
}
void q5_k(const Byte* b, float* y) {
  const Byte* high = b + 16;
  for (int j = 0; j < 8; ++j) {
    const auto [scale, minimum] = sub_block(b, j);
    const Byte* q = b + 48 + j / 2 * 32;
    for (int i = 0; i < 32; ++i) {
      const int low = j % 2 == 0 ? q[i] & 15 : q[i] >> 4;
      *y++ = scale * static_cast<float>(low | (high[i] >> j & 1) << 4) - minimum;
    }
  }
}
void q6_k(const Byte* b, float* y) {
  const float d = half_at(b + 208);
  for (int part = 0; part < 8; ++part) {  // 32 elements each
    const int quarter = part % 4;
    const Byte* low = b + part / 4 * 64 + quarter % 2 * 32;
    const Byte* high = b + 128 + part / 4 * 32;
    for (int i = 0; i < 32; ++i) {
      const auto scale = static_cast<std::int8_t>(b[192 + part * 2 + i / 16]);
      const int four = quarter < 2 ? low[i] & 15 : low[i] >> 4;
      const int q = four | (high[i] >> quarter * 2 & 3) << 4;
      *y++ = d * static_cast<float>(scale) * static_cast<float>(q - 32);
    }
  }
}

using Decode = void (*)(const Byte* block, float* values);
Decode decode_of(TensorType type) {
  switch (type) {
    case TensorType::F32: return &f32;
    case TensorType::F16: return &f16;
    case TensorType::BF16: return &bf16;
    case TensorType::Q8_0: return &q8_0;
    case TensorType::Q4_0: return &q4_0;
    case TensorType::Q4_1: return &q4_1;
    case TensorType::Q5_0: return &q5_0;
    case TensorType::Q5_1: return &q5_1;
    case TensorType::Q4_K: return &q4_k;
    case TensorType::Q5_K: return &q5_k;
    case TensorType::Q6_K: return &q6_k;
    default: return nullptr;
  }
}

}  // namespace

bool can_dequantize(TensorType type) { return decode_of(type) != nullptr; }

void dequantize(TensorType type, std::span<const std::byte> blocks, std::span<float> values) {
  const BlockLayout layout = block_layout(type);
  const Decode decode = decode_of(type);
  if (!decode)
    throw NotSupportedError(
        "gguf", {}, "tensors of type " + std::string(name_of(type)) + " are not dequantized");
  const std::size_t count = blocks.size() / layout.bytes;
  if (blocks.size() % layout.bytes != 0)
    raise(fail("{} bytes are not whole blocks of {} bytes", blocks.size(), layout.bytes), "gguf");
  if (values.size() != count * layout.elements)
    raise(fail("there are {} values for {} blocks of {} elements", values.size(), count,
               layout.elements),
          "gguf");
  const Byte* block = reinterpret_cast<const Byte*>(blocks.data());
  float* y = values.data();
  for (std::size_t i = 0; i < count; ++i, block += layout.bytes, y += layout.elements)
    decode(block, y);
}

}  // namespace webnn::inline v0_1::gguf
