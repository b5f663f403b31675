// The graph of one delegate: header, flatbuffer and constants. Private.
#pragma once

#include <functional>

#include "src/formats/executorch/import/source.h"

namespace webnn::inline v0_1::executorch {

/// The bytes that a program has under a key; nothing for an unknown one.
using NamedData = std::function<Result<std::span<const std::byte>>(std::string_view key)>;

struct Blob {
  SharedBytes bytes{};  ///< all of it, aligned
  const xnn::Graph* graph = nullptr;
  std::string identifier{};                ///< XN00 or XN01
  bool header = false;                     ///< XH00
  std::span<const std::byte> constants{};  ///< behind the header XH00
  NamedData named{};                       ///< that of the program around it; empty without one
};

/// Verifies the bytes. A failure is a sentence about them.
Result<Blob> open_blob(SharedBytes bytes, NamedData named);

/// The bytes of an entry of the constants; index 0 is none of them.
Result<std::span<const std::byte>> constant_bytes(const Blob&, std::uint32_t index);

/// Names that a writer has left as the last constant, which no value refers to: by value id.
struct ValueName {
  std::uint32_t id;
  std::string_view name;
};
std::vector<ValueName> value_names(const Blob&);
inline constexpr std::string_view names_magic = "WebNN names 1\n";

}  // namespace webnn::inline v0_1::executorch
