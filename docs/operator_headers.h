// What the headers of the sections say of their operators besides the declarations: docstrings,
// signatures, the comments of options. For programs that write documentation.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <stdexcept>

#include "webnn/ops/sections.h"

namespace webnn::inline v0_1::docs {

namespace fs = std::filesystem;

inline std::string read(const fs::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string one_line(const std::string& s) {
  return std::regex_replace(std::regex_replace(s, std::regex("\\s+"), " "), std::regex("^ | $"),
                            "");
}

/// A comment without its slashes, in one line.
inline std::string plain(const std::string& comment) {
  return one_line(std::regex_replace(comment, std::regex("///?"), ""));
}

inline std::size_t place_of(std::string_view op) {
  const auto& all = ops::DeclaredOps::names;
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), op) - all.begin());
}

/// The name of the struct behind an operator, which is that of the operator unless something else
/// has it.
template <class Op> std::string struct_name() {
  return std::same_as<Op, ops::shapeOf> ? "shapeOf" : std::string(Op::declaration.name);
}

struct Method {
  std::string name, signature, text;
};
struct Section {
  std::string file, title, url, notes, types, text;
  std::vector<Method> methods;
};

/// The text between two marks; empty without the first.
inline std::string between(const std::string& s, const std::string& from, const std::string& to) {
  const std::size_t begin = s.find(from);
  if (begin == std::string::npos) return {};
  return s.substr(begin + from.size(), s.find(to, begin) - begin - from.size());
}

inline std::vector<std::smatch> all_matches(const std::string& s, const std::regex& e) {
  return {std::sregex_iterator(s.begin(), s.end(), e), std::sregex_iterator()};
}

/// The dictionaries and enumerations of a header, verbatim.
inline std::string types_in(const std::string& text) {
  std::string all;
  for (const auto& m :
       all_matches(text, std::regex("(?:\n///[^\n]*)*\n(?:struct|enum class) ML"))) {
    const auto begin = static_cast<std::size_t>(m.position()) + 1;
    const std::size_t one_line = text.find("};\n", begin), several = text.find("\n};\n", begin);
    const bool short_one = text.find('\n', text.find("ML", begin)) > one_line;
    const std::size_t end = short_one ? one_line + 3 : several + 4;
    all += (all.empty() ? "" : "\n") + text.substr(begin, end - begin);
    if (all.back() != '\n') all += '\n';
  }
  return all;
}

/// The comments of the members of a dictionary, by their names.
inline std::map<std::string, std::string> member_comments(const std::string& types,
                                                          const std::string& dictionary) {
  static const std::regex member("(\\w+)(?:\\{[^;]*|\\s*=[^;]*)?;\\s*///< ([^\n]*)");
  std::map<std::string, std::string> all;
  const std::string members = between(types, "struct " + dictionary + " {", "\n};");
  for (const auto& m : all_matches(members, member)) all[m[1]] = m[2];
  return all;
}

inline Section section_in(const fs::path& path) {
  static const std::regex first("// (.*):\\s(?:// )?(https://\\S+)\n((?:// .*\n)*)");
  static const std::regex family("((?: *///.*\n)*) *template [^\n]* struct Methods \\{\n");
  static const std::regex method(
      "((?: *///.*\n)+) *((?:Out|std::vector<Out>) (\\w+)\\([^;]*?\\)) \\{");

  const std::string text = read(path);
  Section s{};
  s.file = path.filename().string();
  std::smatch m;
  if (!std::regex_search(text, m, first)) throw std::runtime_error(s.file + ": no address");
  s.title = m[1], s.url = m[2], s.notes = plain(m[3]);
  s.types = types_in(text);

  if (!std::regex_search(text, m, family)) throw std::runtime_error(s.file + ": no methods");
  s.text = plain(m[1]);
  const std::string options = one_line(between(text, "using Options = ", ";"));
  std::string methods = m.suffix();
  methods = methods.substr(0, methods.find("private:"));
  for (const auto& f : all_matches(methods, method)) {
    std::string signature = one_line(f[2]);
    signature = std::regex_replace(signature, std::regex("\\bOut\\b"), "MLOperand");
    signature = std::regex_replace(signature, std::regex("First\\.\\.\\."), "const MLOperand&");
    if (!options.empty())
      signature = std::regex_replace(signature, std::regex("\\bOptions\\b"), options);
    s.methods.push_back({f[3], signature, plain(f[1])});
  }
  if (s.methods.empty()) throw std::runtime_error(s.file + ": no methods");
  return s;
}

inline std::vector<Section> sections_in(const fs::path& folder) {
  std::vector<Section> all;
  for (const auto& entry : fs::directory_iterator(folder))
    if (read(entry.path()).find("using Operators = OpList") != std::string::npos)
      all.push_back(section_in(entry.path()));
  std::sort(all.begin(), all.end(), [](const Section& a, const Section& b) {
    return place_of(a.methods.at(0).name) < place_of(b.methods.at(0).name);
  });
  return all;
}

}  // namespace webnn::inline v0_1::docs
