// The commands of the documents run, and their links lead somewhere.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "tests/docs/blocks.h"
#include "tests/docs/files.h"
#include "tests/support/catch.h"
#include "tests/support/source_dir.h"

namespace webnn::inline v0_1::test {
namespace {

namespace fs = std::filesystem;

const fs::path root = webnn::test::source_dir();

std::vector<fs::path> pages_of(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

/// Commands of `webnn`, and what makes files for them, in a block for the shell; a line goes on
/// after a backslash.
std::vector<std::string> commands_of(const Block& block) {
  constexpr const char* beginnings[] = {"webnn ", "cp ", "printf ", "echo "};
  std::vector<std::string> all;
  std::istringstream lines(block.text);
  std::string line;
  bool goes_on = false;
  while (std::getline(lines, line)) {
    if (goes_on) all.back() += '\n' + line;
    else if (std::ranges::any_of(beginnings, [&](const char* b) { return line.rfind(b, 0) == 0; }))
      all.push_back(line);
    else continue;
    goes_on = !line.empty() && line.back() == '\\';
  }
  return all;
}

TEST_CASE("guide: every command of webnn ends as it says") {
  const std::string folder_of_command = fs::path(WEBNN_COMMAND).parent_path().string();
  std::size_t count = 0;
  for (const fs::path& page : pages_of(root / "docs" / "guide")) {
    const Folder folder;
    write_guide_files(folder);
    for (const Block& block : blocks_of(read_text(page.string()))) {
      if (block.language != "sh") continue;
      for (const std::string& command : commands_of(block)) {
        if (command.find("/usr/share/") != std::string::npos) continue;  // packaging/try_release.sh
        std::smatch said;
        const int expected = std::regex_search(command, said, std::regex("# exit code ([0-9]+)"))
                                 ? std::stoi(said[1])
                                 : 0;
        const Outcome o = run_program(
            {"sh", "-c",
             "cd '" + folder.path("") + "' && PATH='" + folder_of_command + "':$PATH\n" + command});
        INFO(page.filename().string() << ":" << block.line << ": " << command << "\n"
                                      << o.out << o.err);
        CHECK(o.code == expected);
        ++count;
      }
    }
  }
  CHECK(count >= 20);
}

/// The anchor that the usual sites make of a heading.
std::string anchor_of(const std::string& heading) {
  std::string s;
  for (char c : heading) {
    if (c >= 'A' && c <= 'Z') s += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-') s += c;
    else if (c == ' ') s += '-';
  }
  return s;
}
std::set<std::string> anchors_of(const std::string& page) {
  std::set<std::string> all;
  std::istringstream lines(page);
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t text = line.find_first_not_of('#');
    if (text == 0 || text == std::string::npos || line[text] != ' ') continue;
    all.insert(anchor_of(line.substr(text + 1)));
  }
  return all;
}

/// Without code, in which brackets are no links.
std::string without_code(const std::string& page) {
  std::string text;
  bool fenced = false, code = false;
  std::istringstream lines(page);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.rfind("```", 0) == 0) fenced = !fenced;
    else if (!fenced)
      for (char c : line) {
        if (c == '`') code = !code;
        else if (!code) text += c;
      }
    text += '\n';
  }
  return text;
}

TEST_CASE("documents: every relative link leads to a file, and to a heading of it") {
  std::vector<fs::path> pages = pages_of(root / "docs");
  for (const char* more : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"})
    pages.push_back(root / more);
  for (const fs::path& page : pages_of(root / "examples")) pages.push_back(page);
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  std::size_t count = 0;
  for (const fs::path& page : pages) {
    const std::string text = without_code(read_text(page.string()));
    for (std::sregex_iterator i(text.begin(), text.end(), link), end; i != end; ++i) {
      const std::string target = (*i)[1];
      if (target.find("://") != std::string::npos || target.rfind("mailto:", 0) == 0) continue;
      const std::size_t hash = target.find('#');
      const std::string path = target.substr(0, hash);
      const fs::path file = path.empty() ? page : page.parent_path() / path;
      INFO(page.lexically_relative(root).string() << ": " << target);
      REQUIRE(fs::exists(file));
      if (hash != std::string::npos && file.extension() == ".md")
        CHECK(anchors_of(read_text(file.string())).contains(target.substr(hash + 1)));
      ++count;
    }
  }
  CHECK(count > 50);
}

TEST_CASE("documents: the site has every page of the guide and of the formats") {
  const std::string site = read_text((root / "docs" / "mkdocs.yml").string());
  for (const char* folder : {"guide", "formats"})
    for (const fs::path& page : pages_of(root / "docs" / folder)) {
      const std::string path = page.lexically_relative(root).generic_string();
      INFO(path);
      CHECK(site.find(path) != std::string::npos);
    }
}

}  // namespace
}  // namespace webnn::inline v0_1::test
