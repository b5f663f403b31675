// Private: the draft's options repeat those of the current spec, and must not miss a member.
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1::draft2023 {

template <class Options, std::size_t N>
inline constexpr bool has_exactly =
    ops::has_members<Options, N> && !ops::has_members<Options, N + 1>;

}  // namespace webnn::inline v0_1::draft2023
