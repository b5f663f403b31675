// webnn bench where the system does not start threads.
#include "tests/faults/few_threads.h"
#include "tests/support/catch.h"
#include "tests/tools/command.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/model/measure.h"
#include "webnn/webnn.h"

#ifdef WEBNN_TEST_FEW_THREADS
#include <unistd.h>

#include <filesystem>

namespace webnn::inline v0_1::tool {
namespace {

using test::contains;
using test::FewThreads;

TEST_CASE("bench: callers that cannot be started are an error, with all of them joined") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  MLGraphBuilder b(context);
  const MLGraph graph = b.build({{"y", b.neg(b.input("x", {float32, {4}}))}});
  const Feeds feeds{
      {.name = "x", .descriptor = {float32, {4}}, .bytes = std::vector<std::byte>(16)}};
  Runner runner(context, graph, feeds);
  const MeasureOptions options{.warmup = 0, .runs = 3, .callers = 3};
  for (int n = 0; n < 2; ++n) {
    CAPTURE(n);
    const FewThreads few(n);
    std::string message;
    try {
      measure(context, graph, feeds, runner, options);
    } catch (const CommandError& e) { message = e.what(); }
    CHECK(contains(message, "thread " + std::to_string(n + 2) + " of 3 callers cannot be started"));
  }
  const FewThreads few(2);
  CHECK(measure(context, graph, feeds, runner, options).times.size() == 9);
}

TEST_CASE("bench: a limit of processes") {
  const test::Folder folder;
  const std::string model = folder.write("neg.webnn", std::string(R"(webnn_graph "neg" v1 {
  inputs { x: f32[4]; }
  nodes { y = neg(x); }
  outputs { y; }
})"));
  // Root has no such limit, and becomes someone who has.
  std::vector<std::string> words;
  if (geteuid() == 0) {
    std::filesystem::permissions(std::filesystem::path(model).parent_path(),
                                 std::filesystem::perms(0755));
    words = {"setpriv", "--reuid=65534", "--clear-groups"};
  }
  words.insert(words.end(), {"prlimit", "--nproc=1"});
  if (test::run_program({"sh", "-c", "command -v setpriv && command -v prlimit"}).code != 0) return;
  auto probe = words;
  probe.insert(probe.end(), {WEBNN_COMMAND, "--version"});
  if (test::run_program(probe).code != 0) return;  // it may not be run by others
  words.insert(words.end(),
               {WEBNN_COMMAND, "bench", model, "--runs", "5", "--threads", "4", "--json"});
  const test::Outcome one = test::run_program(words);
  INFO(one.err);
  REQUIRE(one.code == 0);
  CHECK(one.json()["threads"] == 1);
  CHECK(one.json()["threads_asked"] == 4);
  words.insert(words.end(), {"--callers", "3"});
  const test::Outcome several = test::run_program(words);
  CHECK(several.code == 1);
  CHECK(contains(several.err, "thread 2 of 3 callers cannot be started"));
}

}  // namespace
}  // namespace webnn::inline v0_1::tool
#endif
