// What a job of the timeline does.
#pragma once

#include "src/runtime/timeline.h"

namespace webnn {

/// Never throws: a failure is kept by the tensors that should have been written.
void run_job(Job& job);

}  // namespace webnn
