// The bytes of a model after the flatbuffers verifier, and their buffers. Private.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "src/formats/common/flatbuffers.h"
#include "src/formats/tflite/schema.h"
#include "src/graph/text.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tflite {

struct File {
  std::shared_ptr<const void> owner{};
  std::span<const std::byte> bytes{};
  std::string label{};
  const schema::Model* model = nullptr;
};

/// Raises with the name of the file. `refuse`: the file is not as the format says; `unsupported`:
/// it is, but WebNN cannot express it.
[[noreturn]] void refuse(const File&, const Failure&);
[[noreturn]] void unsupported(const File&, const Failure&);

/// Verifies the bytes. They are copied when they are not aligned for the format.
File open_file(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
               std::string_view label);

/// The bytes of a buffer: in the flatbuffer or, for large models, elsewhere in the file. Empty for
/// a tensor without values.
Result<std::span<const std::byte>> buffer_bytes(const File&, std::uint32_t index);

using formats::elements_of;
using formats::size_of;
using formats::text_of;

}  // namespace webnn::inline v0_1::tflite
