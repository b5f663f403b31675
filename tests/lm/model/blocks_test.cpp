// Blocks as integers, scales and minima: their products are the values that dequantize() has.
#include "src/lm/weights/blocks.h"

#include "tests/lm/model/random_model.h"
#include "tests/support/catch.h"

namespace webnn::inline v0_1::lm {
namespace {

std::int32_t integer(MLOperandDataType type, const Buffer<std::byte>& bytes, std::size_t i) {
  const bool is_four = bits_of(type) == 4;
  const int v = static_cast<int>(bytes[is_four ? i / 2 : i]);
  const int bits = is_four ? (i % 2 == 0 ? v & 15 : v >> 4) : v;
  const int half = is_four ? 8 : 128;
  return (type == int4 || type == int8) && bits >= half ? bits - 2 * half : bits;
}

}  // namespace

TEST_CASE("lm: integers, scales and minima of blocks are exact") {
  using gguf::TensorType;
  std::mt19937 random(3);
  for (const TensorType type :
       {TensorType::Q8_0, TensorType::Q4_0, TensorType::Q5_0, TensorType::Q4_1, TensorType::Q5_1,
        TensorType::Q4_K, TensorType::Q5_K, TensorType::Q6_K}) {
    INFO(gguf::name_of(type));
    constexpr std::size_t count = 256 * 40;
    const gguf::Bytes blocks = random_model::random_blocks(type, count, random);
    std::vector<float> expected(count);
    gguf::dequantize(type, blocks, expected);
    const Integers q = integers_of(type, blocks);
    REQUIRE(q.scales.size() == count / q.block);
    bool same = true;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t block = i / q.block;
      const float product = static_cast<float>(integer(q.type, q.integers, i)) * q.scales[block];
      float minimum = 0;
      if (!q.minima.empty())
        minimum = static_cast<float>(integer(q.minimum_type, q.minima, block)) *
                  q.minimum_scales[block / q.minimum_block];
      same = same && product - minimum == expected[i];
    }
    CHECK(same);
  }
  CHECK(!integer_form(TensorType::F32));
  CHECK(!integer_form(TensorType::Q2_K));
}

}  // namespace webnn::inline v0_1::lm
