// One input from one file. Private to data/.
#pragma once

#include "tools/webnn/data/inputs.h"

namespace webnn::inline v0_1::tool {

/// The bytes of an operand; `from` gets what to say about where they come from.
std::vector<std::byte> from_npy(const std::filesystem::path& path, const MLOperandDescriptor& d,
                                const std::optional<Quantization>& q, std::string& from);
std::vector<std::byte> from_raw(const std::filesystem::path& path, const MLOperandDescriptor& d,
                                std::string& from);
std::vector<std::byte> from_image(const std::filesystem::path& path, const MLOperandDescriptor& d,
                                  const std::optional<Quantization>& q, const InputOptions& options,
                                  std::string& from);

}  // namespace webnn::inline v0_1::tool
