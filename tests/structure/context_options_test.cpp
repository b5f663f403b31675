// The options of a context, which all interfaces read from one list, are in their documents too.
#include <fstream>
#include <iterator>
#include <string>

#include "src/runtime/context_options.h"
#include "tests/support/catch.h"
#include "tests/support/source_dir.h"

using namespace webnn;

namespace {

std::string text_of(const char* path) {
  std::ifstream file(test::source_dir() / path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  INFO(path);
  REQUIRE(!text.empty());
  return text;
}

TEST_CASE("documents name each option of a context", "[structure]") {
  const std::string guide = text_of("docs/guide/options.md"),
                    node = text_of("bindings/node/README.md"),
                    python = text_of("bindings/python/README.md");
  for_each_context_option([&]<class Row>(const Row& row) {
    const std::string name(row.name);
    INFO(name);
    CHECK(row.about.ends_with('.'));
    const bool standard = name == "powerPreference" || name == "accelerated";
    if (Row::of != OptionOf::browsers && !standard && name != "uncaughtException")
      CHECK(guide.find("`MLContextOptions::" + name + '`') != std::string::npos);
    if (Row::of != OptionOf::all) return;
    CHECK(python.find('`' + name + '`') != std::string::npos);
    if (!standard) CHECK(node.find('`' + name + '`') != std::string::npos);
  });
}

}  // namespace
