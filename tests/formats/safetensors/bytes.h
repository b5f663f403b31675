// Files for the tests of the reader, and what it says about them.
#pragma once

#include <cstring>

#include "tests/support/catch.h"
#include "webnn/error.h"
#include "webnn/safetensors.h"

namespace webnn::inline v0_1::safetensors {

using Bytes = std::vector<std::byte>;

inline Bytes file_of(std::string_view header, std::size_t data_length) {
  const std::uint64_t length = header.size();
  Bytes out(8 + header.size() + data_length);
  std::memcpy(out.data(), &length, 8);
  std::memcpy(out.data() + 8, header.data(), header.size());
  for (std::size_t i = 0; i < data_length; ++i)
    out[8 + header.size() + i] = static_cast<std::byte>(i);
  return out;
}

/// One tensor "w" whose entry is given.
inline std::string entry(std::string_view text) { return "{\"w\":{" + std::string(text) + "}}"; }
inline std::string entry(std::string_view dtype, std::string_view shape, std::string_view offsets) {
  return entry("\"dtype\":\"" + std::string(dtype) + "\",\"shape\":" + std::string(shape) +
               ",\"data_offsets\":" + std::string(offsets));
}

/// Why the bytes are refused; empty when they are not.
inline std::string refusal(Bytes bytes) {
  try {
    File::from_bytes(std::move(bytes), "a.safetensors");
  } catch (const DataError& e) {
    CHECK(e.op() == "safetensors");
    CHECK(e.label() == "a.safetensors");
    return e.reason();
  }
  return {};
}
inline std::string refusal(std::string_view header, std::size_t data_length) {
  return refusal(file_of(header, data_length));
}

inline const std::vector<float> six{1, 2, 3, 4, 5, 6};
inline const std::vector<std::uint8_t> three{7, 8, 9};

inline std::vector<NamedValues> two_tensors() {
  return {{"labels", {uint8, {3}}, three}, {"conv1.w", {float32, {2, 3}}, six}};
}

}  // namespace webnn::inline v0_1::safetensors
