// The operator new of this executable counts, and fails on demand.
#pragma once

#include <cstdint>

namespace webnn::inline v0_1::test {

std::int64_t allocations();  ///< so far
std::int64_t alive();        ///< not freed yet
std::int64_t bytes_alive();  ///< how many bytes these have

/// While it lives, allocation n fails (from 0), and with `all` every one after it.
class FailingNew {
 public:
  explicit FailingNew(std::int64_t n, bool all = false);
  ~FailingNew();
  FailingNew(const FailingNew&) = delete;
  bool failed() const;  ///< whether it came so far
};

}  // namespace webnn::inline v0_1::test
