// Builds with WEBNN_OPERATORS link: what stays needs nothing that is only defined in files that are
// left out. This compares the symbols of this build's objects; only the files whose contents depend
// on the operators are compiled again, without those operators.
#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/structure/symbols.h"
#include "tests/support/catch.h"

namespace {

using namespace webnn::test;

std::set<std::string> split(const std::string& names) {
  std::set<std::string> all;
  std::istringstream stream(names);
  for (std::string name; std::getline(stream, name, ',');) all.insert(name);
  return all;
}

/// The files that a pattern matches are left out when all of these sections are.
struct Rule {
  std::set<std::string> sections;
  std::regex files;
};

/// A build without some sections; `objects` lists the objects of the files that depend on it, and
/// is empty where they were not compiled.
struct Selection {
  std::string left_out, objects;
};

struct Selections {
  std::vector<Rule> rules;
  std::set<std::string> dependent;
  std::vector<Selection> compiled;
};

/// Lines "rule SECTION,... REGEX", "dependent FILE" and "without SECTION,... OBJECTS".
Selections read_selections(std::istream& text) {
  Selections all;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string kind, first, second;
    words >> kind >> first;
    std::getline(words >> std::ws, second);
    if (kind == "rule") all.rules.push_back({split(first), std::regex(second)});
    if (kind == "dependent") all.dependent.insert(first);
    if (kind == "without") all.compiled.push_back({first, second});
  }
  return all;
}

std::set<std::string> files_left_out(const Selections& selections, const std::string& left_out,
                                     const std::set<std::string>& files) {
  const std::set<std::string> sections = split(left_out);
  std::set<std::string> found;
  for (const Rule& rule : selections.rules)
    if (std::includes(sections.begin(), sections.end(), rule.sections.begin(), rule.sections.end()))
      for (const std::string& file : files)
        if (std::regex_search(file, rule.files)) found.insert(file);
  return found;
}

/// What does not link in a build without some sections: one line for each symbol of a file.
/// `compiled` are the symbols of the files that depend on it.
std::set<std::string> undefined(const std::vector<Symbol>& symbols, const Selections& selections,
                                const std::string& left_out, const std::vector<Symbol>& compiled) {
  std::set<std::string> files;
  for (const Symbol& s : symbols) files.insert(s.file);
  const std::set<std::string> gone = files_left_out(selections, left_out, files);
  std::map<std::string, std::string> only_there;  // symbols, and a file
  for (const Symbol& s : symbols)
    if (s.is_defined && gone.contains(s.file)) only_there.emplace(s.name, s.file);
  std::vector<Symbol> kept = compiled;
  for (const Symbol& s : symbols)
    if (!gone.contains(s.file) && (s.is_defined || !selections.dependent.contains(s.file)))
      kept.push_back(s);
  for (const Symbol& s : kept)
    if (s.is_defined) only_there.erase(s.name);
  const std::string build = split(left_out).size() > 8 ? "any operator" : left_out;
  std::set<std::string> wrong;
  for (const Symbol& s : kept)
    if (const auto at = only_there.find(s.name); !s.is_defined && at != only_there.end())
      wrong.insert(s.file + " needs " + demangled(s.name) + " of " + at->second +
                   ", which builds without " + build + " leave out");
  return wrong;
}

TEST_CASE("symbols of files that are left out are found", "[structure]") {
  std::istringstream text(
      "rule pad ^src/kernels/simd/pad[.]cpp$\n"
      "rule gru,lstm ^src/kernels/simd.*(/recurrent)\n"
      "dependent src/kernels/simd/backend.cpp\n"
      "without gru,lstm /b/objects.txt\n");
  const Selections selections = read_selections(text);
  REQUIRE(selections.compiled.size() == 1);
  CHECK(selections.compiled[0].left_out == "gru,lstm");
  CHECK(selections.compiled[0].objects == "/b/objects.txt");
  const std::string pad = "src/kernels/simd/pad.cpp", backend = "src/kernels/simd/backend.cpp",
                    recurrent = "src/kernels/simd/recurrent.cpp",
                    other = "src/kernels/simd/softmax.cpp";
  const std::vector<Symbol> symbols{
      {pad, "pad", true},        {recurrent, "cell", true}, {recurrent, "inline", true},
      {backend, "inline", true}, {backend, "pad", false},   {backend, "cell", false},
      {other, "cell", false},    {other, "inline", false},  {pad, "cell", false}};
  CHECK(undefined(symbols, selections, "gru", {}).empty());
  CHECK(undefined(symbols, selections, "pad", {}).empty());
  const std::string end = " of src/kernels/simd/recurrent.cpp, which builds without ";
  CHECK(undefined(symbols, selections, "gru,lstm", {}) ==
        std::set{pad + " needs cell" + end + "gru,lstm leave out",
                 other + " needs cell" + end + "gru,lstm leave out"});
  CHECK(undefined(symbols, selections, "gru,lstm,pad", {{backend, "cell", false}}) ==
        std::set{backend + " needs cell" + end + "gru,lstm,pad leave out",
                 other + " needs cell" + end + "gru,lstm,pad leave out"});
}

TEST_CASE("builds with some of the operators link", "[structure]") {
  std::ifstream text(WEBNN_SELECTIONS);
  const Selections selections = read_selections(text);
  CHECK(selections.dependent.contains("src/kernels/reference/backend.cpp"));
  const std::vector<Symbol> symbols = symbols_of(WEBNN_NM, WEBNN_OBJECTS, WEBNN_BUILD_FOLDER);
  const auto check = [&](const std::string& left_out, const std::vector<Symbol>& compiled) {
    for (const std::string& line : undefined(symbols, selections, left_out, compiled))
      FAIL_CHECK(line);
  };
  CHECK(!selections.compiled.empty());
  for (const Selection& s : selections.compiled) {
    const std::vector<Symbol> compiled = symbols_of(WEBNN_NM, s.objects, WEBNN_BUILD_FOLDER);
    CHECK(!compiled.empty());
    check(s.left_out, compiled);
  }
  std::set<std::string> sections;
  for (const Rule& rule : selections.rules)
    sections.insert(rule.sections.begin(), rule.sections.end());
  CHECK(sections.contains("softmax"));
  for (const std::string& section : sections) check(section, {});
}

}  // namespace
