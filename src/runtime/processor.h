// The processor of this machine, as far as times depend on it.
#pragma once

#include <string>

namespace webnn::inline v0_1 {

/// Its name and the bytes of its data caches, in one line: "AMD EPYC 7763, caches 32768 524288
/// 33554432".
std::string processor_text();

}  // namespace webnn::inline v0_1
