// Where the project is, for tests that read its files.
#pragma once

#include <filesystem>

namespace webnn::inline v0_1::test {

/// The folder with README.md. One file has it, so that all others are compiled the same anywhere.
const std::filesystem::path& source_dir();

}  // namespace webnn::inline v0_1::test
