// How long sizes are looked for with which all operators of a graph agree. Private.
#pragma once

#include <cstddef>

namespace webnn::inline v0_1 {

inline constexpr std::size_t guided_tries = 40;         // of sizes that follow from a changed one
inline constexpr std::size_t max_searched = 2'000'000;  // operators of a graph: some seconds

}  // namespace webnn::inline v0_1
