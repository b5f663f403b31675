// Where threads run: on Linux, a thread can see its core and leave it.
#pragma once

namespace webnn::inline v0_1 {

/// How many cores the calling thread may run on.
int allowed_cores();

/// The core that the caller runs on; -1 where the system does not say.
int current_core();

/// Moves the calling thread off `core` if it may run on another one. Only now: the scheduler is
/// free to move it again.
void leave_core(int core);

}  // namespace webnn::inline v0_1
