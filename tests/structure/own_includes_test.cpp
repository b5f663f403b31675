// A source includes the headers of what it names: a precompiled header, which the compiler reads
// first, hides that one is missing, and builds that have none (CMAKE_DISABLE_PRECOMPILE_HEADERS)
// fail.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/structure/headers_in.h"
#include "tests/support/catch.h"
#include "tests/support/source_dir.h"

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Adds a header and all that it includes of the project.
void add_reached(const fs::path& file, std::set<fs::path>& reached) {
  if (!reached.insert(file).second) return;
  const fs::path root = webnn::test::source_dir();
  std::ifstream text(file);
  for (const std::string& header : webnn::test::headers_in(text))
    for (const fs::path& folder : {root, root / "include", file.parent_path()})
      if (fs::is_regular_file(folder / header))
        add_reached((folder / header).lexically_normal(), reached);
}

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i)
    found.insert((*i)[1]);
  return found;
}

/// The types that a header declares outside of others.
std::set<std::string> types_in(const std::string& text) {
  std::set<std::string> types =
      matches(text, std::regex("(?:^|\n)(?:struct|class|enum class) (\\w+)(?= [:{]| final)"));
  types.merge(matches(text, std::regex("(?:^|\n)using (\\w+) =")));
  return types;
}

/// The words of a text without comments and strings, but for members and names of other namespaces.
std::set<std::string> words_in(const std::string& text) {
  const std::string code = std::regex_replace(text, std::regex("//[^\n]*|\"[^\"\n]*\""), "");
  return matches(code, std::regex("(?:^|[^\\w.:>])([A-Za-z_]\\w*)(?![\\w(:])"));
}

/// The types that a source names and a header declares, where the source does not include the
/// header.
std::set<std::string> named_without(const fs::path& source, const fs::path& header) {
  std::set<fs::path> reached;
  add_reached(source, reached);
  std::set<std::string> found;
  if (reached.count(header)) return found;
  const std::set<std::string> words = words_in(text_of(source));
  for (const std::string& type : types_in(text_of(header)))
    if (words.count(type)) found.insert(type);
  return found;
}

}  // namespace

TEST_CASE("the words and types of a text", "[structure]") {
  CHECK(types_in(
            "struct A {\n  struct B {};\n};\nclass C final : D {};\nusing E = int;\nclass F;\n") ==
        std::set<std::string>{"A", "C", "E"});
  CHECK(words_in("// A\nB c(D d) { e::F; g.H; \"I\"; }\n") ==
        std::set<std::string>{"B", "D", "d", "g"});
}

TEST_CASE("kernels and tests include what they name", "[structure]") {
  const fs::path root = webnn::test::source_dir();
  struct Rule {
    fs::path folder, header;  // the sources, what their precompiled header has
  };
  for (const Rule& rule : {Rule{"src/kernels", "include/webnn/backend.h"},
                           Rule{"src/kernels/reference", "src/kernels/reference/kernels.h"}}) {
    REQUIRE(types_in(text_of(root / rule.header)).size() > 1);
    for (const auto& entry : fs::recursive_directory_iterator(root / rule.folder)) {
      if (entry.path().extension() != ".cpp") continue;
      for (const std::string& type : named_without(entry.path(), root / rule.header)) {
        INFO(entry.path().lexically_relative(root).generic_string()
             << " names " << type << ", and does not include " << rule.header.generic_string());
        CHECK(false);
      }
    }
  }
}
