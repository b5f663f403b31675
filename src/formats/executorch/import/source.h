// The bytes of a file, and failures that name it. Private.
#pragma once

#include <string>

#include "src/formats/common/aligned.h"
#include "src/formats/common/flatbuffers.h"
#include "src/formats/executorch/schema.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::executorch {

using formats::elements_of;
using formats::SharedBytes;
using formats::size_of;
using formats::text_of;

struct Source : SharedBytes {
  std::string label{};
};

/// Raise with the name of the file. `refuse`: the file is not as the format says; `unsupported`: it
/// is, but WebNN cannot express it; `wrong_option`: the caller's options do not fit.
[[noreturn]] void refuse(const Source&, const Failure&);
[[noreturn]] void unsupported(const Source&, const Failure&);
[[noreturn]] void wrong_option(const Source&, const Failure&);
/// By the failure's name.
[[noreturn]] void raise_named(const Source&, const Failure&);

/// The four bytes behind the first four.
std::string_view identifier_of(std::span<const std::byte> bytes);
/// Whether it is a program; else it may be a graph of the delegate.
bool is_program(std::span<const std::byte> bytes);

}  // namespace webnn::inline v0_1::executorch
