// How many cores a process may use: its affinity and the CPU quota of its control groups.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace webnn::inline v0_1 {

/// The contents of a file by its path, or nothing when it cannot be read.
using FileReader = std::function<std::optional<std::string>(const std::string& path)>;

/// The time that this process may run in a unit of time, in cores: the smallest quota of its
/// control groups and of those around them that are mounted here, version 1 (cpu.cfs_quota_us) and
/// version 2 (cpu.max). Nothing where no group has a quota.
/// https://docs.kernel.org/admin-guide/cgroup-v2.html
std::optional<double> cpu_quota(const FileReader& read);

/// The cores that the calling thread may run on, but no more than its quota, rounded up; at
/// least 1.
int usable_cores();
/// The same for so many cores and those files.
int usable_cores(int allowed, const FileReader& read);

}  // namespace webnn::inline v0_1
