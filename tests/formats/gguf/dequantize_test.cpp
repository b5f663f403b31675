// Each type against arithmetic in double precision that finds the bits of one element by its index.
#include <cmath>
#include <limits>
#include <random>

#include "tests/formats/gguf/writer.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::gguf {
namespace {

/// A block as one large little-endian number.
struct Bits {
  const std::byte* bytes;

  std::uint32_t at(std::size_t first, std::size_t count) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t bit = first + i;
      value |= (std::to_integer<std::uint32_t>(bytes[bit / 8]) >> bit % 8 & 1) << i;
    }
    return value;
  }
  std::uint32_t byte(std::size_t i) const { return at(i * 8, 8); }
  int signed_byte(std::size_t i) const {
    return static_cast<int>(byte(i)) - (byte(i) > 127 ? 256 : 0);
  }
  double half(std::size_t byte) const {
    const auto mantissa = static_cast<double>(at(byte * 8, 10));
    const auto exponent = static_cast<int>(at(byte * 8 + 10, 5));
    const double sign = at(byte * 8 + 15, 1) == 1 ? -1 : 1;
    if (exponent == 0) return sign * std::ldexp(mantissa, -24);
    return sign * std::ldexp(mantissa + 1024, exponent - 25);
  }
};

/// The scales (first 0) or the minima (first 4) of K-quants: the low four bits of j = 0 ... 3 are
/// in byte first + j with two more, and those of j = 4 ... 7 in a half of byte 8 + j % 4, with two
/// more at the top of byte first + j % 4.
double six_bits(Bits b, std::size_t first, std::size_t j) {
  const std::size_t base = (4 + first + j % 4) * 8;
  if (j < 4) return b.at(base, 6);
  return b.at((12 + j % 4) * 8 + first, 4) + 16.0 * b.at(base + 6, 2);
}

double element(TensorType type, Bits b, std::size_t i) {
  const auto nibble = [&](std::size_t start, std::size_t width) {
    // Elements 0 ... width - 1 are low halves, the next ones are high halves of the same bytes.
    const std::size_t group = i / (2 * width), in_group = i % (2 * width);
    return b.at((start + group * width + in_group % width) * 8 + in_group / width * 4, 4);
  };
  switch (type) {
    case TensorType::Q8_0: return b.half(0) * b.signed_byte(2 + i);
    case TensorType::Q4_0: return b.half(0) * (nibble(2, 16) - 8.0);
    case TensorType::Q4_1: return b.half(0) * nibble(4, 16) + b.half(2);
    case TensorType::Q5_0: return b.half(0) * (nibble(6, 16) + 16.0 * b.at(16 + i, 1) - 16.0);
    case TensorType::Q5_1: return b.half(0) * (nibble(8, 16) + 16.0 * b.at(32 + i, 1)) + b.half(2);
    case TensorType::Q4_K:
      return b.half(0) * six_bits(b, 0, i / 32) * nibble(16, 32) -
             b.half(2) * six_bits(b, 4, i / 32);
    case TensorType::Q5_K: {
      const double high = b.at((16 + i % 32) * 8 + i / 32, 1);
      return b.half(0) * six_bits(b, 0, i / 32) * (nibble(48, 32) + 16 * high) -
             b.half(2) * six_bits(b, 4, i / 32);
    }
    case TensorType::Q6_K: {
      const std::size_t half = i / 128, in_half = i % 128;
      const double low = b.at((half * 64 + in_half % 64) * 8 + in_half / 64 * 4, 4);
      const double high = b.at((128 + half * 32 + in_half % 32) * 8 + in_half / 32 * 2, 2);
      return b.half(208) * b.signed_byte(192 + i / 16) * (low + 16 * high - 32);
    }
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

/// Where the float16 numbers of a block are.
std::vector<std::size_t> halves_of(TensorType type) {
  switch (type) {
    case TensorType::Q8_0:
    case TensorType::Q4_0:
    case TensorType::Q5_0: return {0};
    case TensorType::Q6_K: return {208};
    default: return {0, 2};
  }
}

TEST_CASE("gguf: quantized types are dequantized exactly, rounded once") {
  std::mt19937 random(1);
  for (const TensorType type :
       {TensorType::Q8_0, TensorType::Q4_0, TensorType::Q4_1, TensorType::Q5_0, TensorType::Q5_1,
        TensorType::Q4_K, TensorType::Q5_K, TensorType::Q6_K}) {
    CAPTURE(name_of(type));
    REQUIRE(can_dequantize(type));
    const BlockLayout layout = block_layout(type);
    constexpr std::size_t count = 200;
    Bytes blocks(count * layout.bytes);
    for (std::byte& b : blocks) b = static_cast<std::byte>(random() & 255);
    for (std::size_t i = 0; i < count; ++i)
      for (const std::size_t at : halves_of(type)) {  // finite: not all five bits of the exponent
        std::byte& top = blocks[i * layout.bytes + at + 1];
        if ((top & std::byte{0x7c}) == std::byte{0x7c}) top &= std::byte{0xbf};
      }
    std::vector<float> values(count * layout.elements);
    dequantize(type, blocks, values);
    std::size_t different = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Bits block{blocks.data() + i / layout.elements * layout.bytes};
      different += values[i] != static_cast<float>(element(type, block, i % layout.elements));
    }
    CHECK(different == 0);
  }
}

TEST_CASE("gguf: float types") {
  const auto one = [](TensorType type, std::uint32_t bits) {
    Bytes bytes;
    put(bytes, bits);
    bytes.resize(block_layout(type).bytes);
    float value = 0;
    dequantize(type, bytes, {&value, 1});
    return value;
  };
  CHECK(one(TensorType::F32, 0x40490fdb) == 3.14159274f);
  CHECK(one(TensorType::F16, 0x3c01) == 1.0009765625f);
  CHECK(one(TensorType::F16, 0x0001) == 0x1p-24f);
  CHECK(one(TensorType::BF16, 0x3f81) == 1.0078125f);
  CHECK(one(TensorType::BF16, 0xff80) == -std::numeric_limits<float>::infinity());
  CHECK(std::isnan(one(TensorType::BF16, 0x7fc0)));
}

TEST_CASE("gguf: dequantize refuses other sizes and types") {
  std::vector<float> values(32);
  const Bytes block(18);
  CHECK(test::thrown([&] { dequantize(TensorType::Q4_0, std::span(block).first(17), values); }) ==
        "TypeError gguf: 17 bytes are not whole blocks of 18 bytes.");
  CHECK(test::thrown([&] { dequantize(TensorType::Q4_0, block, std::span(values).first(31)); }) ==
        "TypeError gguf: there are 31 values for 1 blocks of 32 elements.");
  CHECK(test::thrown([&] { dequantize(TensorType::IQ4_NL, block, values); }) ==
        "NotSupportedError gguf: tensors of type IQ4_NL are not dequantized.");
  CHECK_FALSE(can_dequantize(TensorType::IQ4_NL));
}

}  // namespace
}  // namespace webnn::inline v0_1::gguf
