// Memory that goes back to the system. Private.
#pragma once

#include <cstddef>

namespace webnn::inline v0_1 {

/// Gives memory that was freed just now back to the system, if it was much: an allocator may keep
/// what lies between other blocks.
void trim_heap(std::size_t freed);

}  // namespace webnn::inline v0_1
