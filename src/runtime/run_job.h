// What a job of the timeline does.
#pragma once

#include "src/runtime/timeline.h"

namespace webnn {

/// Never throws: a failure is kept by the tensors that should have been written.
void run_job(Job& job);
/// Whether it takes less time than a change of threads, as far as is known.
bool is_light(const Job& job);

}  // namespace webnn
