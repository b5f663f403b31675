// What a job of the timeline does.
#pragma once

#include "src/runtime/timeline.h"

namespace webnn::inline v0_1 {

/// Returns what a call has thrown. The failure of a dispatch is kept by the tensors that should
/// have been written. Allocates nothing but what kernels and calls do.
std::exception_ptr run_job(Job& job) noexcept;
/// Whether it takes less time than a thread switch, as far as is known.
bool is_light(const Job& job);

}  // namespace webnn::inline v0_1
