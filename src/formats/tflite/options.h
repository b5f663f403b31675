// The options of custom operators in .tflite files: a map in FlexBuffers, or any bytes. Private.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "webnn/error.h"
#include "webnn/ops/custom.h"

namespace webnn::inline v0_1::tflite {

/// An operator that has an attribute of this name gets the bytes in it, as they are.
inline constexpr std::string_view options_attribute = "custom_options";

/// The keys and values of a map. Fails for bytes that are none, and for values of types that
/// attributes do not have.
Result<CustomAttributes> attributes_from(std::span<const std::byte> bytes);
/// Those bytes for attributes; nothing where there are none.
std::vector<std::uint8_t> bytes_from(const CustomAttributes& attributes);

}  // namespace webnn::inline v0_1::tflite
