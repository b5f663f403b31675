// NumPy's .npy files: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "webnn/operand.h"

namespace webnn::inline v0_1::tool {

/// An array in a file's bytes, which it does not own.
struct Array {
  /// 'f' float, 'i' integer, 'u' integer without sign, 'b' boolean; 'V' the bits of bfloat16 (2
  /// bytes) or of a float of 8 bits, which are read for inputs of that type alone.
  char kind = 'f';
  int item_bytes = 4;  ///< the size of an element, little-endian
  std::vector<std::uint64_t> shape{};
  std::uint64_t count = 1;  ///< the product of the shape
  std::span<const std::byte> bytes{};

  std::string type() const;              ///< NumPy's word: "float32"
  double at(std::uint64_t index) const;  ///< index < count; not for 'V'
};

/// Versions 1 to 3, row-major, little-endian numbers of 1 to 8 bytes (floats of 2, 4 and 8). Throws
/// CommandError, with `name` in front, for all else and for a file that is longer or shorter than
/// its header says.
Array parse_npy(std::span<const std::byte> bytes, const std::string& name);

/// The bytes of a file, version 1.0. int4 and uint4 become one byte for each element; bfloat16 and
/// float8e4m3 are elements of 2 and 1 bytes without a type, as NumPy writes those of ml_dtypes.
std::vector<std::byte> npy_of(const MLOperandDescriptor& d, std::span<const std::byte> bytes);

}  // namespace webnn::inline v0_1::tool
