// What a process has mapped of a file, as it tells another one.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace webnn::inline v0_1::test {

/// Fields of /proc/PID/smaps.
inline constexpr std::array<std::string_view, 5> counted{"Rss", "Shared_Clean", "Shared_Dirty",
                                                         "Private_Dirty", "Anonymous"};
/// KiB.
using Mapping = std::array<std::uint64_t, counted.size()>;

}  // namespace webnn::inline v0_1::test
