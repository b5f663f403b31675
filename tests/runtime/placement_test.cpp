#include "src/runtime/placement.h"

#include <thread>

#include "tests/support/catch.h"

using namespace webnn;

TEST_CASE("placement: a thread knows its core") {
  CHECK(current_core() >= -1);  // -1 where the system does not name cores
  CHECK(current_core() < 1 << 20);
  CHECK(allowed_cores() >= 1);
}

TEST_CASE("placement: leaving a core keeps what the thread may run on") {
  std::thread([] {
    const int core = current_core(), before = allowed_cores();
    int left = 0;
    // The scheduler may bring the thread back at once, but not again and again.
    for (int i = 0; i < 100; ++i) {
      const int here = current_core();
      leave_core(here);
      left += current_core() != here;
    }
    CHECK(allowed_cores() == before);
    if (core >= 0 && before > 1) CHECK(left > 50);
    leave_core(-1);
    leave_core(1 << 30);
    CHECK(allowed_cores() == before);
  }).join();
}
