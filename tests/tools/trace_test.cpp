// Traces: that of webnn bench --trace, and that of any program with WEBNN_TRACE.
#include <map>
#include <set>

#include "tests/support/catch.h"
#include "tests/tools/models.h"

namespace webnn::inline v0_1::tool {
namespace {

using test::contains;
using test::Folder;
using test::Json;
using test::Outcome;
using test::webnn_command;

std::vector<Json> kernels_of(const Json& trace) {
  std::vector<Json> kernels;
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "X") kernels.push_back(e);
  return kernels;
}

/// How often each tile of each step was run, by "step first".
std::map<int, std::map<int, int>> tiles_of(const std::vector<Json>& kernels) {
  std::map<int, std::map<int, int>> runs;
  for (const Json& e : kernels) {
    const std::string tiles = e["args"]["tiles"];
    int first = 0, last = 0, all = 0;
    REQUIRE(std::sscanf(tiles.c_str(), "%d-%d of %d", &first, &last, &all) == 3);
    REQUIRE((1 <= first && first <= last && last <= all));
    auto& step = runs[e["args"]["step"].get<int>()];
    for (int t = 1; t <= all; ++t) step[t] += first <= t && t <= last;
  }
  return runs;
}

TEST_CASE("trace: every tile of every step once in each run, on the threads of the context") {
  const Folder folder;
  const std::string model = test::colors_model(folder), file = folder.path("trace.json");
  const Outcome o =
      webnn_command({"bench", model, "--runs", "2", "--threads", "2", "--trace", file, "--json"});
  INFO(o.err);
  REQUIRE(o.code == 0);
  const Json trace = Json::parse(folder.read("trace.json"));
  const std::vector<Json> kernels = kernels_of(trace);
  const auto runs = tiles_of(kernels);
  const Json steps = webnn_command({"explain", model, "--threads", "2", "--json"}).json()["steps"];
  REQUIRE(runs.size() == steps.size());
  for (const auto& [step, tiles] : runs)
    for (const auto& [tile, count] : tiles) {
      INFO("step " << step << ", tile " << tile);
      CHECK(count == 10);
    }
  std::set<int> threads, named;
  for (const Json& e : kernels) {
    threads.insert(e["tid"].get<int>());
    CHECK(e["dur"].get<double>() >= 0);
    CHECK(e["ts"].get<double>() >= 0);
    const Json& step = steps[e["args"]["step"].get<std::size_t>() - 1];
    CHECK(contains(e["args"]["kernel"], step["kernel"]));
    CHECK(e["args"]["GFLOP/s"].get<double>() >= 0);
    CHECK(e["args"]["GB/s"].get<double>() > 0);
  }
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "M" && e["name"] == "thread_name") named.insert(e["tid"].get<int>());
  CHECK(threads.size() <= 2);
  CHECK(named == threads);
}

TEST_CASE("trace: of any program, and into a file that cannot be written") {
  const Folder folder;
  const std::string model = test::colors_model(folder), file = folder.path("trace.json");
  const auto run = [&](const std::string& path) {
    return test::run_program({"env", "WEBNN_TRACE=" + path, WEBNN_COMMAND, "run", model});
  };
  REQUIRE(run(file).code == 0);
  CHECK_FALSE(kernels_of(Json::parse(folder.read("trace.json"))).empty());

  const Outcome missing = run(folder.path("no/such.json"));
  CHECK(missing.code != 0);
  CHECK(contains(missing.err, "WEBNN_TRACE: "));
  CHECK(contains(missing.err, "No such file or directory"));
  const Outcome full = run("/dev/full");
  CHECK(contains(full.err, "trace: \"/dev/full\" cannot be written: No space left on device."));
  const Outcome bench = webnn_command({"bench", model, "--runs", "1", "--trace", "/dev/full"});
  CHECK(bench.code != 0);
  CHECK(contains(bench.err, "No space left on device"));
}

}  // namespace
}  // namespace webnn::inline v0_1::tool
