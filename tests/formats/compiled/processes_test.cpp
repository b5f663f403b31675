// Processes that have loaded one file share its weights.
#if defined(__linux__)
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "src/kernels/common/checksum.h"
#include "tests/formats/compiled/mapping.h"
#include "tests/formats/compiled/networks.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

extern char** environ;

namespace {

/// A compiled_process, which ends with this.
class Process {
 public:
  explicit Process(const std::string& file) {
    int in[2], out[2];
    REQUIRE(pipe2(in, O_CLOEXEC) == 0);
    REQUIRE(pipe2(out, O_CLOEXEC) == 0);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in[0], 0);
    posix_spawn_file_actions_adddup2(&files, out[1], 1);
    std::string program = WEBNN_PROCESS, path = file;
    char* const argv[] = {program.data(), path.data(), nullptr};
    const int failed = posix_spawn(&pid_, argv[0], &files, nullptr, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    close(in[0]);
    close(out[1]);
    to_ = fdopen(in[1], "w");
    from_ = fdopen(out[0], "r");
    REQUIRE(failed == 0);
  }
  Process(const Process&) = delete;
  ~Process() {
    std::fclose(to_);  // ends it
    int status = 0;
    waitpid(pid_, &status, 0);
    std::fclose(from_);
    CHECK(status == 0);
  }

  void ask(const std::string& line) {
    std::fputs((line + '\n').c_str(), to_);
    std::fflush(to_);
  }
  /// The next line; nothing when the process has ended.
  std::string answer() {
    char line[256];
    if (!std::fgets(line, sizeof line, from_)) return "";
    std::string text = line;
    text.pop_back();
    return text;
  }

 private:
  pid_t pid_ = 0;
  std::FILE *to_ = nullptr, *from_ = nullptr;
};

Mapping mapping_from(const std::string& line) {
  std::istringstream words(line);
  Mapping kib{};
  for (std::uint64_t& n : kib) words >> n;
  return kib;
}

}  // namespace

TEST_CASE("processes: one file, the same results, shared weights") {
  if (access("/proc/self/smaps", R_OK) != 0) return;
  std::signal(SIGPIPE, SIG_IGN);  // a process may have ended
  const MLContext context({.threads = 1, .keepConstants = true});
  const MLGraph graph = built(context, {"products", &products});
  const auto path = std::filesystem::temp_directory_path() /
                    ("webnn-processes-" + std::to_string(getpid()) + ".webnnc");
  compiled::save(graph, path.string());
  constexpr int runs = 20;
  Checksum sum;
  for (int i = 0; i < runs; ++i)
    for (const auto& output : results(context, graph)) sum.add(output);
  {
    Process one(path), other(path);
    CHECK(one.answer() == "loaded");
    CHECK(other.answer() == "loaded");
    for (Process* p : {&one, &other}) p->ask("run " + std::to_string(runs));  // at the same time
    for (Process* p : {&one, &other}) CHECK(p->answer() == std::to_string(sum.value()));
    for (Process* p : {&one, &other}) {
      p->ask("map");
      const auto [rss, shared_clean, shared_dirty, private_dirty, anonymous] =
          mapping_from(p->answer());
      CAPTURE(rss, shared_clean, shared_dirty, private_dirty, anonymous);
      constexpr std::uint64_t weights = 17000 * 128 * sizeof(float) / 1024;
      CHECK(rss >= weights);
      CHECK(shared_clean + shared_dirty >= weights);
      CHECK(anonymous == 0);  // no page is a copy
      // In a file system in memory all pages are dirty, also those that one process has mapped.
      if (shared_dirty == 0) CHECK(private_dirty == 0);
    }
  }
  std::filesystem::remove(path);
}
#endif
