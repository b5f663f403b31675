// The inline namespace that every file of the library is in has the version of the interface, also
// in the comment behind its end, which clang-format 14 does not understand.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "tests/support/catch.h"
#include "tests/support/source_dir.h"
#include "webnn/version.h"

namespace fs = std::filesystem;

TEST_CASE("structure: every file is in the namespace of the version of the interface") {
  const std::string wanted = "webnn::inline v" + std::to_string(WEBNN_VERSION_MAJOR) + "_" +
                             std::to_string(WEBNN_VERSION_MINOR);
  const std::regex opens("^\\s*namespace (webnn\\b[^{]*) \\{");
  const std::regex ends("^\\s*\\}  // namespace (webnn\\b.*)$");
  for (const char* folder : {"include", "src", "bindings", "tools", "tests", "bench", "examples"})
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(webnn::test::source_dir() / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp" && extension != ".in") continue;
      std::ifstream file(entry.path());
      std::multiset<std::string> open;
      for (std::string line; std::getline(file, line);) {
        std::smatch found;
        INFO(entry.path().string() << ": " << line);
        if (std::regex_search(line, found, opens)) {
          CHECK(found[1].str().rfind(wanted, 0) == 0);
          open.insert(found[1].str());
        } else if (std::regex_search(line, found, ends)) {
          const auto at = open.find(found[1].str());
          REQUIRE(at != open.end());
          open.erase(at);
        }
      }
      INFO(entry.path().string());
      CHECK(open.empty());
    }
}
