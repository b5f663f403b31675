// Memory for operands, aligned to a page.
#pragma once

#include <cstddef>
#include <memory>

namespace webnn::inline v0_1 {

struct FreeAligned {
  void operator()(std::byte* p) const;
};
using AlignedBytes = std::unique_ptr<std::byte[], FreeAligned>;

/// At least `size` zeroed bytes, aligned to a page. Throws std::bad_alloc.
AlignedBytes aligned_bytes(std::size_t size);

}  // namespace webnn::inline v0_1
