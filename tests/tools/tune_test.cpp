// webnn tune, and its file in other subcommands.
#include "tests/support/catch.h"
#include "tests/tools/models.h"

using namespace webnn;
using namespace webnn::test;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
  return n;
}

}  // namespace

TEST_CASE("tune: writes what it has measured, and adds to it") {
  const Folder folder;
  const std::string model = colors_model(folder), file = folder.path("t.txt");
  const std::vector<std::string> tune{"tune", model, "-o", file, "--threads", "1"};
  Outcome o = webnn_command(tune);
  CAPTURE(o.err);
  REQUIRE(o.code == 0);
  CHECK(contains(o.out, "several backends have a kernel: "));
  CHECK(contains(o.out, "written to " + file + ", for 1 thread\n"));
  const std::string first = folder.read("t.txt");
  CHECK(first.starts_with("webnn tuning 1\n"));
  CHECK(first.ends_with("\nend\n"));
  // The times are the same the second time: nothing is measured again.
  REQUIRE(webnn_command(tune).code == 0);
  CHECK(folder.read("t.txt") == first);
  // Another number of threads, another model.
  o = webnn_command({"tune", model, "-o", file, "--threads", "2", "--json"});
  REQUIRE(o.code == 0);
  CHECK(o.json()["threads"] == 2);
  CHECK(o.json()["measured"] <= o.json()["steps"]);
  const std::string second = folder.read("t.txt");
  REQUIRE(webnn_command({"tune", product_model(folder), "-o", file, "--threads", "1"}).code == 0);
  const std::string third = folder.read("t.txt");
  if (count(first, "chain ")) {
    CHECK(count(second, "machine ") == 2);
    CHECK(count(third, "chain ") > count(second, "chain "));
  }
  REQUIRE(webnn_command({"tune", model, "-o", file, "--threads", "1", "--again"}).code == 0);
  CHECK(count(folder.read("t.txt"), "chain ") == count(third, "chain "));
}

TEST_CASE("tune: run, bench, explain and compile take its file") {
  const Folder folder;
  const std::string model = colors_model(folder), file = folder.path("t.txt");
  REQUIRE(webnn_command({"tune", model, "-o", file, "--threads", "1"}).code == 0);
  const std::string golden = folder.path("golden");
  REQUIRE(webnn_command({"run", model, "--seed", "7", "--output-dir", golden}).code == 0);
  CHECK(webnn_command({"run", model, "--seed", "7", "--golden", golden, "--threads", "1",
                       "--tuning", file, "--tolerance", "1e-5"})
            .code == 0);
  CHECK(webnn_command({"bench", model, "--runs", "2", "--threads", "1", "--tuning", file}).code ==
        0);
  const Outcome tuned =
      webnn_command({"explain", model, "--threads", "1", "--no-time", "--json", "--tuning", file});
  REQUIRE(tuned.code == 0);
  const std::string net = folder.path("net.webnnc");
  REQUIRE(webnn_command({"compile", model, "-o", net, "--threads", "1", "--tuning", file}).code ==
          0);
  const Outcome compiled = webnn_command({"explain", net, "--threads", "1", "--no-time", "--json"});
  CHECK(compiled.json()["steps"] == tuned.json()["steps"]);
  const Outcome refused = webnn_command({"tune", net, "-o", file});
  CHECK(refused.code == 1);
  CHECK(contains(refused.err, "chosen already"));
}

TEST_CASE("tune: files that are not tables are refused, and stay as they are") {
  const Folder folder;
  const std::string model = colors_model(folder);
  const std::string file = folder.write("t.txt", "webnn tuning 1\nchain c\n");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"tune", model, "-o", file},
        {"tune", model, "-o", file, "--again"},
        {"run", model, "--seed", "1", "--tuning", file}}) {
    const Outcome o = webnn_command(command);
    CHECK(o.code == 1);
    CHECK(contains(o.err, file + "]: line 2: there is no machine before the first chain"));
  }
  CHECK(folder.read("t.txt") == "webnn tuning 1\nchain c\n");
  const Outcome missing = webnn_command({"run", model, "--tuning", folder.path("none")});
  CHECK(missing.code == 1);
  CHECK(contains(missing.err, "there is no such file"));
  CHECK(webnn_command({"tune", model}).code == 2);
  CHECK(webnn_command({"tune", model, "-o", "-"}).code == 2);
}
