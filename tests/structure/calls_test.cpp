// The layers of architecture, as the linker sees them: what an object needs is defined in the same
// layer or below. The test of includes cannot see a function that is declared below and defined
// above.
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/structure/layers.h"
#include "tests/structure/symbols.h"
#include "tests/support/catch.h"

namespace {

using namespace webnn::test;

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

  const std::vector<Symbol> symbols = symbols_of(nm, objects, WEBNN_BUILD_FOLDER);
  CHECK(symbols.size() > 5000);
  for (const std::string& call : wrong_calls(symbols)) FAIL_CHECK(call);
}
