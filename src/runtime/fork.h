// Threads do not survive fork(): what has threads asks whether it is still in its process.
#pragma once

#include <cstdint>

namespace webnn::inline v0_1 {

/// A number that fork() changes in the child.
std::uint32_t process_generation();

}  // namespace webnn::inline v0_1
