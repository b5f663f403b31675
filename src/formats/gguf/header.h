// The header of a .gguf file: read and checked against the length of the file. Private.
#pragma once

#include "webnn/error.h"
#include "webnn/gguf.h"

namespace webnn::inline v0_1::gguf {

struct Header {
  std::uint32_t version = 0;
  std::uint64_t alignment = 32;
  std::vector<MetadataEntry> metadata{};
  std::vector<TensorInfo> tensors{};
  // Indices in the order of the keys and of the names.
  std::vector<std::uint32_t> by_key{}, by_name{};
  std::uint64_t data = 0;  // where the bytes of the tensors begin
};

/// Texts are views of the bytes. Failures are DataErrors.
Result<Header> read_header(std::span<const std::byte> file);

}  // namespace webnn::inline v0_1::gguf
