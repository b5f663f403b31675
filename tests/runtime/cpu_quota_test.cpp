// The default number of threads: affinity and CPU quota, read from files of a test.
#include "src/runtime/cpu_quota.h"

#include <map>

#include "src/runtime/placement.h"
#include "tests/support/catch.h"
#include "webnn/context.h"

#ifdef __linux__
#include <sched.h>

#include <thread>
#endif

using namespace webnn;

namespace {

struct Files {
  std::map<std::string, std::string> all;

  std::optional<std::string> operator()(const std::string& path) const {
    const auto at = all.find(path);
    return at == all.end() ? std::nullopt : std::optional(at->second);
  }
};

const std::string version_2 =
    "22 27 0:20 / /proc rw,nosuid - proc proc rw\n"
    "36 25 0:32 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string version_1 =
    "33 25 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    "34 25 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid - cgroup cgroup rw,cpu,cpuacct\n"
    "35 25 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n";

/// Returns the files that a process sees in that version 2 control group with those quotas.
Files groups(const std::string& group, std::map<std::string, std::string> quotas) {
  Files files{{{"/proc/self/cgroup", "0::" + group + "\n"}, {"/proc/self/mountinfo", version_2}}};
  for (const auto& [path, text] : quotas) files.all["/sys/fs/cgroup" + path + "/cpu.max"] = text;
  return files;
}
Files groups_1(const std::string& group, std::map<std::string, std::string> quotas) {
  Files files{{{"/proc/self/cgroup", "5:cpuset:/\n4:cpu,cpuacct:" + group + "\n0::/other\n"},
               {"/proc/self/mountinfo", version_1}}};
  for (const auto& [path, text] : quotas) {
    files.all["/sys/fs/cgroup/cpu,cpuacct" + path + "/cpu.cfs_quota_us"] = text;
    files.all["/sys/fs/cgroup/cpu,cpuacct" + path + "/cpu.cfs_period_us"] = "100000\n";
  }
  return files;
}

}  // namespace

TEST_CASE("the quota of a control group of version 2 bounds the threads", "[threads]") {
  CHECK(usable_cores(8, groups("/", {{"", "300000 100000\n"}})) == 3);
  CHECK(usable_cores(8, groups("/a/b", {{"/a/b", "max 100000\n"}})) == 8);
  CHECK(usable_cores(8, groups("/a/b", {{"/a/b", "250000 100000\n"}})) == 3);  // rounded up
  CHECK(usable_cores(8, groups("/a/b", {{"/a/b", "1000 100000\n"}})) == 1);
  CHECK(usable_cores(8, groups("/a/b", {{"/a/b", "200000 50000\n"}})) == 4);
  CHECK(usable_cores(2, groups("/a/b", {{"/a/b", "800000 100000\n"}})) == 2);  // the affinity
  CHECK_FALSE(cpu_quota(groups("/a/b", {})));
  CHECK(cpu_quota(groups("/a", {{"/a", "150000 100000\n"}})) == 1.5);
}

TEST_CASE("of nested groups the smallest quota counts", "[threads]") {
  CHECK(usable_cores(8, groups("/a/b/c", {{"/a/b/c", "600000 100000\n"},
                                          {"/a/b", "max 100000\n"},
                                          {"/a", "200000 100000\n"}})) == 2);
  CHECK(usable_cores(
            8, groups("/a/b/c", {{"/a/b/c", "100000 100000\n"}, {"/a", "400000 100000\n"}})) == 1);
  CHECK(usable_cores(8, groups("/a", {{"/a/below", "100000 100000\n"},  // not of this process
                                      {"/b", "100000 100000\n"}})) == 8);
  CHECK(usable_cores(8, groups_1("/a/b", {{"/a/b", "500000\n"}, {"/a", "350000\n"}})) == 4);
}

TEST_CASE("the quota of a control group of version 1 bounds the threads", "[threads]") {
  CHECK(usable_cores(8, groups_1("/a", {{"/a", "200000\n"}})) == 2);
  CHECK(usable_cores(8, groups_1("/a", {{"/a", "-1\n"}, {"", "-1\n"}})) == 8);
  CHECK(usable_cores(8, groups_1("/", {{"", "450000\n"}})) == 5);

  // Both versions are mounted, and the controller is in one of them.
  Files both = groups_1("/a", {{"/a", "300000\n"}});
  both.all["/proc/self/mountinfo"] +=
      "40 25 0:40 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
  CHECK(usable_cores(8, both) == 3);
  both.all["/sys/fs/cgroup/unified/other/cpu.max"] = "200000 100000\n";
  CHECK(usable_cores(8, both) == 2);
}

TEST_CASE("a container sees its own group where others are mounted", "[threads]") {
  // The mount is that of the container's group, whose path outside the process still has.
  Files files = groups("/docker/1f2e/inner", {{"/inner", "max 100000\n"}, {"", "200000 100000\n"}});
  files.all["/proc/self/mountinfo"] =
      "36 25 0:32 /docker/1f2e /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
  CHECK(usable_cores(8, files) == 2);
  // It is another group, or outside of the name space: what is mounted is all that can be seen.
  files.all["/proc/self/cgroup"] = "0::/docker/1f2eff\n";
  CHECK(usable_cores(8, files) == 2);
  files.all["/proc/self/cgroup"] = "0::/../other\n";
  CHECK(usable_cores(8, files) == 2);

  files = groups("/a b", {});
  files.all["/proc/self/mountinfo"] = "36 25 0:32 / /my\\040groups rw - cgroup2 cgroup rw\n";
  files.all["/my groups/a b/cpu.max"] = "100000 100000\n";
  CHECK(usable_cores(8, files) == 1);
}

TEST_CASE("files that are missing or not understood are no quota", "[threads]") {
  CHECK(usable_cores(8, Files()) == 8);
  CHECK(usable_cores(0, Files()) == 1);
  for (const char* text : {"", "\n", "max\n", "100000\n", "abc 100000\n", "-100000 100000\n",
                           "100000 0\n", "99999999999999999999999 100000\n", "0 100000\n"}) {
    CAPTURE(text);
    CHECK(usable_cores(8, groups("/a", {{"/a", text}})) == 8);
  }
  for (const char* text : {"", "0", "0:", "0::", ":::::\n", "no lines"}) {
    Files files = groups("/a", {{"/a", "100000 100000\n"}});
    files.all["/proc/self/cgroup"] = text;
    CAPTURE(text);
    CHECK(usable_cores(8, files) == 8);
  }
  for (const char* text : {"", "- - - -\n", "36 25 0:32 / /sys/fs/cgroup rw - cgroup2\n", "\n\n"}) {
    Files files = groups("/a", {{"/a", "100000 100000\n"}});
    files.all["/proc/self/mountinfo"] = text;
    CAPTURE(text);
    CHECK(usable_cores(8, files) == 8);
  }
}

#ifdef __linux__
TEST_CASE("a context has no more threads than the affinity has cores", "[threads]") {
  const char* variable = std::getenv("WEBNN_NUM_THREADS");
  if (variable && *variable) return;
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(current_core(), &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(usable_cores() == 1);
    CHECK(MLContext().threads() == 1);
  }).join();
}
#endif
