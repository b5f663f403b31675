// Each section of operators has its tests, and each operator its lines in the benchmarks: what the
// compiler cannot miss.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/support/catch.h"
#include "tests/support/source_dir.h"
#include "webnn/ops/sections.h"

namespace {

using namespace webnn;

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  REQUIRE(stream);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The words of a text.
std::set<std::string> words_of(const std::string& text) {
  static const std::regex word("[A-Za-z0-9_]+");
  std::set<std::string> all;
  for (std::sregex_iterator i(text.begin(), text.end(), word), end; i != end; ++i)
    all.insert(i->str());
  return all;
}

/// The names of the types in ops::Sections.
std::set<std::string> section_types(const std::string& sections) {
  const std::string begin = "using Sections = SectionList<";
  const std::size_t at = sections.find(begin);
  REQUIRE(at != std::string::npos);
  const std::size_t from = at + begin.size();
  return words_of(sections.substr(from, sections.find('>', from) - from));
}

}  // namespace

TEST_CASE("structure: each section of operators has its tests") {
  const std::filesystem::path root = test::source_dir();
  const std::set<std::string> types = section_types(text_of(root / "include/webnn/ops/sections.h"));
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root / "include/webnn/ops")) {
    static const std::regex section("struct ([A-Za-z0-9]+Section) \\{");
    const std::string text = text_of(entry.path());
    std::smatch match;
    if (!std::regex_search(text, match, section) || !types.contains(match[1])) continue;
    ++found;
    const std::string name = entry.path().stem().string();
    CAPTURE(name);
    CHECK(std::filesystem::exists(root / "tests/ops" / (name + "_test.cpp")));
    CHECK(std::filesystem::exists(root / "tests/refusals" / (name + "_test.cpp")));
    CHECK(std::filesystem::exists(root / "src/kernels/reference" / (name + ".cpp")));
  }
  CHECK(found == types.size());
}

TEST_CASE("structure: the benchmarks have each operator") {
  for (const char* file : {"bench/compile_time/every_operator.cpp", "bench/reference_cases.cpp"}) {
    const std::set<std::string> words =
        words_of(text_of(std::filesystem::path(test::source_dir()) / file));
    for (std::string_view name : ops::AllOps::names) {
      INFO(file << " " << name);
      CHECK(words.contains(std::string(name)));
    }
  }
}
