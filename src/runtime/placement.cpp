#include "src/runtime/placement.h"

#include <algorithm>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

namespace webnn::inline v0_1 {

namespace {
int hardware_cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }
}  // namespace

#ifdef __linux__

int allowed_cores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed)) return hardware_cores();
  return CPU_COUNT(&allowed);
}

int current_core() { return sched_getcpu(); }

void leave_core(int core) {
  cpu_set_t allowed;
  if (core < 0 || core >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed)) return;
  cpu_set_t others = allowed;
  CPU_CLR(core, &others);
  if (CPU_COUNT(&others) && sched_setaffinity(0, sizeof others, &others) == 0)
    sched_setaffinity(0, sizeof allowed, &allowed);
}

#else

int allowed_cores() { return hardware_cores(); }
int current_core() { return -1; }
void leave_core(int) {}

#endif

}  // namespace webnn::inline v0_1
