// Compiled graphs for the fuzzer: the sections of a file without large weights, short enough for
// it.
#pragma once

#include <cstring>

#include "src/formats/compiled/file.h"
#include "src/formats/compiled/key.h"
#include "tests/fuzz/custom_example.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::fuzz {

using Bytes = std::vector<std::byte>;

/// Kernels that take packed weights from the file, where they were built in.
inline MLContext compiled_context() {
  MLContextOptions options{
      .threads = 1, .memoryLimit = 1 << 26, .keepConstants = true, .operators = custom_operators()};
  options.backends = {"simd", "reference"};
  try {
    return MLContext(options);
  } catch (const NotSupportedError&) {
    options.backends = {"reference"};
    return MLContext(options);
  }
}

/// The bytes of the graph, their number before them, and the small weights.
inline Bytes sections_of(std::span<const std::byte> file) {
  const compiled::Header header = *compiled::header_of(file);
  const auto graph = compiled::contents(file, header.sections[0]);
  const auto weights = compiled::contents(file, header.sections[1]);
  const auto size = static_cast<std::uint16_t>(graph.size());
  const auto count = std::as_bytes(std::span(&size, 1));
  Bytes all(count.begin(), count.end());
  all.insert(all.end(), graph.begin(), graph.end());
  all.insert(all.end(), weights.begin(), weights.end());
  return all;
}

/// The file of these, which has the key of the context and the right checksums.
inline Bytes file_of(std::span<const std::byte> sections, const MLContext& context) {
  std::uint16_t size = 0;
  if (sections.size() >= sizeof size) {
    std::memcpy(&size, sections.data(), sizeof size);
    sections = sections.subspan(sizeof size);
  }
  const auto graph = sections.first(std::min<std::size_t>(size, sections.size()));
  const auto weights = sections.subspan(graph.size());
  const auto pages = [](std::size_t n) {
    return (n + compiled::page - 1) / compiled::page * compiled::page;
  };
  compiled::Header h{.key = compiled::to_text(compiled::key_of(context))};
  h.sections[0] = {compiled::page, graph.size(), 0};
  h.sections[1] = {compiled::page + pages(graph.size()), weights.size(), 0};
  h.sections[2] = {h.sections[1].offset + pages(weights.size()), 0, 0};
  h.file_size = h.sections[2].offset;
  Bytes file = *compiled::to_bytes(h);
  file.resize(h.file_size);
  std::copy(graph.begin(), graph.end(), file.begin() + compiled::page);
  std::copy(weights.begin(), weights.end(),
            file.begin() + static_cast<std::ptrdiff_t>(h.sections[1].offset));
  compiled::repair_checksums(file);
  return file;
}

}  // namespace webnn::inline v0_1::fuzz
