// The symbols of objects, as nm prints them.
#pragma once

#include <cxxabi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace webnn::inline v0_1::test {

struct Symbol {
  std::string file, name;  // the source file, the mangled name
  bool is_defined;
};

/// The source file of an object: "src/graph/CMakeFiles/x.dir/op.cpp.o" is "src/graph/op.cpp".
inline std::string source_of(std::string object, const std::string& build_folder) {
  if (object.starts_with(build_folder + '/')) object.erase(0, build_folder.size() + 1);
  const std::size_t cmake = object.find("CMakeFiles/"), dir = object.find(".dir/");
  if (cmake == std::string::npos || dir == std::string::npos) return object;
  const std::size_t ending = object.rfind('.');
  const std::string file = object.substr(0, cmake) + object.substr(dir + 5, ending - dir - 5);
  return std::filesystem::path(file).lexically_normal().string();
}

/// The symbols of `nm -P -A`: "object: name type value size".
inline std::vector<Symbol> symbols_in(std::istream& text, const std::string& build_folder) {
  std::vector<Symbol> all;
  for (std::string line; std::getline(text, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    std::istringstream words(line.substr(colon + 2));
    std::string name;
    char type = 0;
    if (!(words >> name >> type)) continue;
    const bool is_needed = type == 'U' || type == 'w' || type == 'v';
    if (!is_needed && (type == '?' || (type >= 'a' && type <= 'z' && type != 'u'))) continue;
    all.push_back({source_of(line.substr(0, colon), build_folder), name, !is_needed});
  }
  return all;
}

inline std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return text ? text.get() : name;
}

/// The symbols of the objects that a file lists, one on a line.
inline std::vector<Symbol> symbols_of(const std::string& nm, const std::string& list,
                                      const std::string& build_folder) {
  const std::string command = '"' + nm + "\" -P -A \"@" + list + '"';
  const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "r"), pclose);
  if (!output) throw std::runtime_error(command);
  std::string text;
  std::array<char, 65536> part;
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), output.get()))
    text.append(part.data(), n);
  std::istringstream stream(text);
  return symbols_in(stream, build_folder);
}

}  // namespace webnn::inline v0_1::test
