// Memory of mapped files, whose pages the system can give away and reads again when they are
// wanted.
#pragma once

#include <memory>
#include <span>

#include "webnn/operand.h"

namespace webnn::inline v0_1 {

/// Unmaps what mmap() has mapped. The owner of a mapped file has it as its deleter.
struct Unmap {
  std::size_t size;
  void operator()(const void* address) const;
};

/// Says that bytes were read which are wanted seldom from now on, as those of weights that are
/// packed: the pages of a mapped file that lie within them take no memory until they are read
/// again. Bytes of other memory, and few bytes, stay as they are.
void give_pages_back(const std::shared_ptr<const std::byte>& owner,
                     std::span<const std::byte> bytes);
void give_pages_back(const Constant& constant);

}  // namespace webnn::inline v0_1
