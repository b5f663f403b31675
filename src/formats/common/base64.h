// Bytes as text: https://www.rfc-editor.org/rfc/rfc4648#section-4 Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace webnn::inline v0_1::formats {

[[gnu::visibility("hidden")]] std::string to_base64(std::span<const std::byte> bytes);
/// Nothing for what is not complete base64.
[[gnu::visibility("hidden")]] std::optional<std::vector<std::byte>> from_base64(
    std::string_view text);

}  // namespace webnn::inline v0_1::formats
