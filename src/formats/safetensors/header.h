// The header of a .safetensors file: read and checked against the length of the data. Private.
#pragma once

#include "src/graph/text.h"
#include "webnn/error.h"
#include "webnn/safetensors.h"

namespace webnn::inline v0_1::safetensors {

struct Header {
  std::vector<TensorInfo> tensors{};     // in the order of their bytes
  std::vector<std::uint32_t> by_name{};  // their indices in the order of their names
  Metadata metadata{};
};

/// The JSON text, without its length, and the number of bytes that follow it. Failures are
/// DataErrors.
Result<Header> read_header(std::string_view json, std::uint64_t data_length);

}  // namespace webnn::inline v0_1::safetensors
