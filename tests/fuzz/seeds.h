// A seed for each fuzzer: files of its format.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace webnn::inline v0_1::fuzz {

/// Writes the seeds of a format into a folder; in <format>_seeds.cpp.
void write_seeds(const std::filesystem::path& folder);

void write_seed(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace webnn::inline v0_1::fuzz
