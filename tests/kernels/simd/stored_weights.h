// Weights of 4, 8 and 16 bits and what they stand for.
#pragma once

#include "tests/kernels/simd/support.h"
#include "webnn/float16.h"

namespace webnn::inline v0_1::test {

/// Weights as they are stored and what they stand for.
struct Stored {
  MLOperand operand;  ///< float32 [rows, columns]
  std::vector<double> values;
  std::size_t bytes = 0;  ///< the size of the weights, scales and zero points
};

/// What scales are multiples of: nothing; they are float16; small multiples of a number for each
/// 256 rows; or they are constants of float16, to which the weights are rounded.
enum class ScaleKind { floats, float16_values, multiples, float16_constants };

struct Form {
  MLOperandDataType type = int4;
  std::uint32_t row_block = 1, column_block = 1;  ///< elements with the same scale; 0: all
  bool zeros = true;
  bool six_bits = false;  ///< integers from -32 to 31, or to 31 without a sign; no zero points
  ScaleKind scales = ScaleKind::floats;
};

inline std::ostream& operator<<(std::ostream& s, const Form& f) {
  return s << name_of(f.type) << " blocks " << f.row_block << 'x' << f.column_block
           << (f.zeros ? " zeros" : "") << (f.six_bits ? " of 6 bits" : "") << " scales "
           << static_cast<int>(f.scales);
}

/// Elements of 4 or 8 bits.
inline MLOperand integers(MLGraphBuilder& b, MLOperandDataType type, const Dims& shape,
                          const std::vector<int>& values) {
  const bool four = bits_of(type) == 4;
  std::vector<std::byte> bytes(four ? (values.size() + 1) / 2 : values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (four) bytes[i / 2] |= static_cast<std::byte>((values[i] & 15) << (i % 2 * 4));
    else bytes[i] = static_cast<std::byte>(values[i] & 255);
  return b.constant({type, shape}, bytes);
}

inline int lowest(MLOperandDataType type) { return type == int4 ? -8 : type == int8 ? -128 : 0; }

inline Stored stored(ChainUnderTest& t, const Dims& shape, const Form& f, float scale = 0.01f,
                     bool transposed = false) {
  Stored s;
  const std::size_t count = element_count(shape);
  s.values.resize(count);
  if (f.type == float16) {
    std::vector<Float16> v(count);
    std::uniform_real_distribution<float> u(-1, 1);
    for (std::size_t i = 0; i < count; ++i) s.values[i] = v[i] = Float16(u(t.random));
    s.bytes = 2 * count;
    s.operand = t.b.cast(t.b.constant({float16, shape}, v), float32);
    return s;
  }
  const std::uint32_t rb = f.row_block ? f.row_block : shape[0],
                      cb = f.column_block ? f.column_block : shape[1];
  const Dims scales{shape[0] / rb, shape[1] / cb};
  const int range = 1 << bits_of(f.type);
  const auto draw = [&](int from, int n) {
    return from + static_cast<int>(t.random() % static_cast<unsigned>(n));
  };
  std::vector<int> v(count), zero(element_count(scales));
  std::vector<float> scale_values(zero.size());
  const bool has_sign = lowest(f.type) < 0;
  for (int& i : v)
    i = f.six_bits ? draw(has_sign ? -32 : 0, has_sign ? 64 : 32) : draw(lowest(f.type), range);
  const int middle = f.six_bits ? 0 : lowest(f.type) + range / 2;
  for (int& z : zero) z = f.zeros ? draw(lowest(f.type), range) : middle;
  for (float& e : scale_values) {
    e = scale * static_cast<float>(draw(50, 100)) / 100;
    if (f.scales == ScaleKind::float16_values || f.scales == ScaleKind::float16_constants)
      e = Float16(e);
  }
  if (f.scales == ScaleKind::multiples) {  // rows of the matrix are the terms of its sums
    const std::size_t lines = transposed ? scales[0] : scales[1], each = transposed ? cb : rb;
    for (std::size_t i = 0; i < scale_values.size(); ++i) {
      const std::size_t term = transposed ? i % scales[1] : i / scales[1],
                        line = transposed ? i / scales[1] : i % scales[1];
      const float of_256 =
          Float16(scale / static_cast<float>(40 + (line + term * each / 256) % 50));
      scale_values[i] = of_256 * static_cast<float>(draw(lines % 2 == 0 ? -128 : 0, 127) | 1);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t k = i / shape[1] / rb * scales[1] + i % shape[1] / cb;
    s.values[i] = (v[i] - zero[k]) * static_cast<double>(scale_values[k]);
    if (f.scales == ScaleKind::float16_constants)
      s.values[i] = Float16(static_cast<float>(s.values[i]));  // the product is a float
  }
  s.bytes = (count * static_cast<std::size_t>(bits_of(f.type)) + 7) / 8 + 4 * zero.size() +
            (f.zeros ? zero.size() * static_cast<std::size_t>(bits_of(f.type)) / 8 : 0);
  if (f.scales == ScaleKind::float16_constants) {
    const std::vector<Float16> rounded(scale_values.begin(), scale_values.end());
    s.operand = t.b.cast(t.b.dequantizeLinear(integers(t.b, f.type, shape, v),
                                              t.b.constant({float16, scales}, rounded),
                                              integers(t.b, f.type, scales, zero)),
                         float32);
    return s;
  }
  s.operand = t.b.dequantizeLinear(integers(t.b, f.type, shape, v),
                                   t.b.constant({float32, scales}, scale_values),
                                   integers(t.b, f.type, scales, zero));
  return s;
}

inline const std::vector<MLOperandDataType> small_types{int4, uint4, int8, uint8, float16};

}  // namespace webnn::inline v0_1::test
