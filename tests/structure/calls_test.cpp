// The layers of architecture, as the linker sees them: what an object needs is defined in the same
// layer or below. The test of includes cannot see a function that is declared below and defined
// above.
#include <cxxabi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "tests/structure/layers.h"
#include "tests/support/catch.h"

namespace {

using namespace webnn::test;

struct Symbol {
  std::string file, name;  // the source file, the mangled name
  bool is_defined;
};

/// The source file of an object: "src/graph/CMakeFiles/x.dir/op.cpp.o" is "src/graph/op.cpp".
std::string source_of(std::string object, const std::string& build_folder) {
  if (object.starts_with(build_folder + '/')) object.erase(0, build_folder.size() + 1);
  const std::size_t cmake = object.find("CMakeFiles/"), dir = object.find(".dir/");
  if (cmake == std::string::npos || dir == std::string::npos) return object;
  const std::size_t ending = object.rfind('.');
  const std::string file = object.substr(0, cmake) + object.substr(dir + 5, ending - dir - 5);
  return std::filesystem::path(file).lexically_normal().string();
}

/// The symbols of `nm -P -A`: "object: name type value size".
std::vector<Symbol> symbols_in(std::istream& text, const std::string& build_folder) {
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

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return text ? text.get() : name;
}

/// Formats use each other's public functions; what they have in common uses none of them.
std::optional<std::string> calls_up(const std::string& file, const std::string& target) {
  if (!within(file, "src/formats") || !within(target, "src/formats"))
    return points_up(file, target);
  if (!within(file, "src/formats/common") || within(target, "src/formats/common"))
    return std::nullopt;
  return "what formats have in common is not above them";
}

/// What is needed and only defined above: one line for each symbol of a file.
std::set<std::string> wrong_calls(const std::vector<Symbol>& symbols) {
  std::map<std::string, std::set<std::string>> defined;  // in which files
  for (const Symbol& s : symbols)
    if (s.is_defined) defined[s.name].insert(s.file);
  std::set<std::string> wrong;
  for (const Symbol& s : symbols) {
    const auto at = defined.find(s.name);
    if (s.is_defined || at == defined.end()) continue;  // else of another library
    const bool fine = std::any_of(at->second.begin(), at->second.end(),
                                  [&](const auto& file) { return !calls_up(s.file, file); });
    if (fine) continue;
    const std::string& target = *at->second.begin();
    wrong.insert(s.file + " needs " + demangled(s.name) + " of " + target + ": " +
                 *calls_up(s.file, target));
  }
  return wrong;
}

}  // namespace

TEST_CASE("the rules of calls", "[structure]") {
  std::istringstream text(
      "/b/CMakeFiles/webnn.dir/src/graph/op.cpp.o: _ZN5webnn2upEv U\n"
      "/b/CMakeFiles/webnn.dir/src/graph/op.cpp.o: _ZN5webnn4downEv T 0 1\n"
      "/b/CMakeFiles/webnn.dir/src/graph/op.cpp.o: _ZN5webnn6inlineEv U\n"
      "/b/CMakeFiles/webnn.dir/src/graph/op.cpp.o: _ZN5webnn5localEv t 0 1\n"
      "/b/CMakeFiles/webnn.dir/src/graph/cost.cpp.o: _ZN5webnn6inlineEv W 0 1\n"
      "/b/CMakeFiles/webnn.dir/src/graph/cost.cpp.o: malloc U\n"
      "/b/CMakeFiles/webnn.dir/src/runtime/plan.cpp.o: _ZN5webnn2upEv T 0 1\n"
      "/b/CMakeFiles/webnn.dir/src/runtime/plan.cpp.o: _ZN5webnn4downEv U\n"
      "/b/CMakeFiles/webnn.dir/src/runtime/plan.cpp.o: _ZN5webnn6inlineEv W 0 1\n"
      "/b/src/formats/onnx/CMakeFiles/webnn_onnx.dir/import/import.cpp.o: _ZN5webnn2upEv U\n"
      "/b/src/formats/onnx/CMakeFiles/webnn_onnx.dir/import/import.cpp.o: onnx_part T 0 1\n"
      "/b/src/formats/text/CMakeFiles/webnn_text.dir/call.cpp.o: onnx_part U\n"
      "/b/src/formats/common/CMakeFiles/webnn_formats_common.dir/fold.cpp.o: onnx_part U\n"
      "\nnot a line\n");
  const std::vector<Symbol> symbols = symbols_in(text, "/b");
  REQUIRE(symbols.size() == 12);
  CHECK(symbols[0].file == "src/graph/op.cpp");
  CHECK(symbols[8].file == "src/formats/onnx/import/import.cpp");
  CHECK(wrong_calls(symbols) ==
        std::set<std::string>{
            "src/formats/common/fold.cpp needs onnx_part of src/formats/onnx/import/import.cpp: "
            "what formats have in common is not above them",
            "src/graph/op.cpp needs webnn::up() of src/runtime/plan.cpp: src/graph is not above "
            "src/runtime"});
}

TEST_CASE("no call points up", "[structure]") {
  const std::string objects = WEBNN_OBJECTS, nm = WEBNN_NM;
  std::set<std::string> layers_seen;
  std::ifstream list(objects);
  for (std::string object; std::getline(list, object);) {
    CAPTURE(object);
    const std::string file = source_of(object, WEBNN_BUILD_FOLDER);
    const Layer* layer = layer_of(file);
    CHECK(layer);
    if (layer) layers_seen.insert(std::string(layer->folder));
  }
  for (const char* layer : {"src/graph", "src/builder", "src/kernels", "src/kernels/common",
                            "src/kernels/reference", "src/passes", "src/runtime"}) {
    CAPTURE(layer);
    CHECK(layers_seen.contains(layer));
  }

  const std::string command = '"' + nm + "\" -P -A \"@" + objects + '"';
  const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "r"), pclose);
  REQUIRE(output);
  std::string text;
  std::array<char, 65536> part;
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), output.get()))
    text.append(part.data(), n);
  std::istringstream stream(text);
  const std::vector<Symbol> symbols = symbols_in(stream, WEBNN_BUILD_FOLDER);
  CHECK(symbols.size() > 5000);
  for (const std::string& call : wrong_calls(symbols)) FAIL_CHECK(call);
}
