// The layers of architecture: every #include of the sources points to the same layer or down, and
// a third party's header is included in its adapter alone.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/source_dir.h"

namespace {

namespace fs = std::filesystem;

struct Include {
  std::string file, header;  // as written
};

/// A folder, or a file without its ending, and what files in it may include: the folder itself and
/// these. The longest folder that a file is in decides.
struct Layer {
  std::string_view folder;
  std::vector<std::string_view> below{};
};
const std::vector<Layer> layers = {
    {"include/webnn"},
    {"src/graph", {"include/webnn"}},
    {"src/builder", {"src/graph", "include/webnn"}},
    {"src/kernels", {"src/graph", "include/webnn"}},
    {"src/kernels/common", {"src/graph", "include/webnn"}},
    {"src/kernels/reference",  // backends.h declares what each backend defines
     {"src/kernels/backends", "src/kernels/common", "src/graph", "include/webnn"}},
    {"src/kernels/simd",
     {"src/kernels/backends", "src/kernels/reference/evaluate", "src/kernels/common", "src/graph",
      "include/webnn"}},
    {"src/kernels/onednn",
     {"src/kernels/backends", "src/kernels/reference/evaluate", "src/kernels/common", "src/graph",
      "include/webnn"}},
    {"src/kernels/xnnpack",
     {"src/kernels/backends", "src/kernels/reference/evaluate", "src/kernels/common", "src/graph",
      "include/webnn"}},
    {"src/passes", {"src/kernels", "src/graph", "include/webnn"}},
    {"src/runtime", {"src/passes", "src/kernels", "src/builder", "src/graph", "include/webnn"}},
    {"src/draft2023",
     {"src/runtime", "src/passes", "src/kernels", "src/builder", "src/graph", "include/webnn"}},
    {"src/formats",
     {"src/formats/common", "src/runtime", "src/passes", "src/kernels", "src/builder", "src/graph",
      "include/webnn"}},
    {"tools",
     {"src/formats/common", "src/runtime", "src/passes", "src/kernels", "src/builder", "src/graph",
      "include/webnn"}},
    {"docs",
     {"src/formats", "src/formats/common", "src/runtime", "src/passes", "src/kernels",
      "src/builder", "src/graph", "include/webnn"}},
    {"bindings",
     {"src/runtime", "src/passes", "src/kernels", "src/builder", "src/graph", "include/webnn"}},
    {"bindings/formats",  // the files of models that the command reads and writes
     {"tools", "src/formats/common", "src/graph", "include/webnn"}},
    {"bindings/c",
     {"bindings/formats", "docs", "src/formats/common", "src/runtime", "src/graph",
      "include/webnn"}},
    {"bindings/python",
     {"bindings/formats", "bindings/common", "tools", "docs", "src/formats/common", "src/runtime",
      "src/graph", "include/webnn"}},
};

/// The headers of other projects, by the beginnings of their names, and where each is included.
struct ThirdParty {
  std::string_view header;
  std::vector<std::string_view> places;
};
const std::vector<ThirdParty> third_parties = {
    {"hwy/", {"src/kernels/simd/vector"}},
    {"oneapi/dnnl", {"src/kernels/onednn/adapter"}},
    {"dnnl", {"src/kernels/onednn/adapter"}},
    {"xnnpack", {"src/kernels/xnnpack/adapter"}},
    {"pthreadpool", {"src/kernels/xnnpack/adapter"}},
    {"Eigen/", {"src/kernels/reference/eigen"}},
    {"flatbuffers/",
     {"src/formats/tflite/schema", "src/formats/executorch/schema",
      "src/formats/common/flatbuffers"}},
    {"schema_generated.h", {"src/formats/tflite/schema"}},
    {"program_generated.h", {"src/formats/executorch/schema"}},
    {"delegate_generated.h", {"src/formats/executorch/schema"}},
    {"nlohmann/", {"src/formats", "tools/webnn/common/output"}},
    {"fmt/", {"src/runtime/explain", "src/runtime/trace", "tools"}},
    {"protozero/", {"src/formats/onnx/model", "src/formats/onnx/export/writer"}},
    {"CLI/", {"tools/webnn/common/options"}},
    {"png.h", {"tools/webnn/data/png"}},
    {"turbojpeg.h", {"tools/webnn/data/jpeg"}},
    {"napi.h", {"bindings/node/src"}},
    {"pybind11/", {"bindings/python/src"}},
};
const std::vector<std::string_view> system_headers = {"cpuid.h",    "fcntl.h",    "immintrin.h",
                                                      "sched.h",    "sys/mman.h", "sys/resource.h",
                                                      "sys/stat.h", "unistd.h"};

/// Whether a file is in that folder, or is that file.
bool within(std::string_view file, std::string_view place) {
  return file.starts_with(place) &&
         (file.size() == place.size() || file[place.size()] == '/' || file[place.size()] == '.');
}
bool within_any(std::string_view file, const std::vector<std::string_view>& places) {
  return std::any_of(places.begin(), places.end(),
                     [&](std::string_view place) { return within(file, place); });
}

const Layer* layer_of(std::string_view file) {
  const Layer* found = nullptr;
  for (const Layer& layer : layers)
    if (within(file, layer.folder) && (!found || layer.folder.size() > found->folder.size()))
      found = &layer;
  return found;
}

/// Of two files in folders beside each other, such as two formats, neither includes the other's.
bool are_siblings(std::string_view file, std::string_view other, std::string_view parent) {
  const auto child = [&](std::string_view f) {
    const std::string_view rest = f.substr(parent.size() + 1);
    return rest.substr(0, rest.find('/'));
  };
  return within(file, parent) && within(other, parent) && child(file) != child(other);
}

/// What is wrong with an include; nothing when all is well.
std::optional<std::string> wrong(const Include& i) {
  const std::string& header = i.header;
  for (const ThirdParty& t : third_parties)
    if (header.starts_with(t.header)) {
      if (within_any(i.file, t.places)) return std::nullopt;
      return "only " + std::string(t.places.front()) + " includes it";
    }
  if (header.find_first_of("./") == std::string::npos) return std::nullopt;  // a standard header
  if (std::find(system_headers.begin(), system_headers.end(), header) != system_headers.end()) {
    if (!within(i.file, "include")) return std::nullopt;
    return "public headers include standard headers and webnn/";
  }
  std::string target = header;
  if (header.starts_with("webnn/")) target = "include/" + header;
  else if (header.find('/') == std::string::npos)
    target = i.file.substr(0, i.file.rfind('/') + 1) + header;  // of the same folder
  const Layer *from = layer_of(i.file), *to = layer_of(target);
  if (!from) return "the file is in no layer";
  if (!to) return "the header is in no layer, nor a third party's in the list";
  if (within(i.file, "src/formats") && within(target, "src/formats") &&
      are_siblings(i.file, target, "src/formats") && !within(target, "src/formats/common"))
    return "formats do not include each other";
  // src/kernels/backends.cpp includes every backend; a backend only what is named below it.
  const bool own = within(target, from->folder) && (to == from || from->folder == "src/kernels");
  if (own || within_any(target, from->below)) return std::nullopt;
  return std::string(from->folder) + " is not above " + std::string(to->folder);
}

/// The headers that a text includes.
std::vector<std::string> headers_in(std::istream& text) {
  std::vector<std::string> headers;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    char hash = 0;
    std::string word;
    if (!(words >> hash >> word) || hash != '#' || !word.starts_with("include")) continue;
    const std::size_t open = line.find_first_of("\"<");
    if (open == std::string::npos) continue;  // a macro
    const std::size_t close = line.find(line[open] == '<' ? '>' : '"', open + 1);
    if (close != std::string::npos) headers.push_back(line.substr(open + 1, close - open - 1));
  }
  return headers;
}

}  // namespace

TEST_CASE("the rules of includes", "[structure]") {
  const auto refused = [](std::string file, std::string header) {
    return wrong({std::move(file), std::move(header)}).value_or("");
  };
  const auto fine = [&](std::string file, std::string header) {
    const std::string reason = refused(file, header);
    INFO(file << " includes " << header << ": " << reason);
    CHECK(reason.empty());
  };
  fine("include/webnn/ops/relu.h", "webnn/ops/operator.h");
  fine("include/webnn/graph.h", "vector");
  fine("src/graph/op.cpp", "src/graph/op.h");
  fine("src/builder/rules.cpp", "src/graph/op.h");
  fine("src/kernels/simd/conv2d.cpp", "src/kernels/reference/evaluate.h");
  fine("src/kernels/simd/vector/int8/gemm.cpp", "hwy/highway.h");
  fine("src/kernels/backends.cpp", "src/kernels/backends.h");
  fine("src/kernels/onednn/backend.cpp", "src/kernels/backends.h");
  fine("src/passes/fold_constants.cpp", "src/kernels/reference/evaluate.h");
  fine("src/runtime/build.cpp", "src/builder/builder_state.h");
  fine("src/runtime/plan.cpp", "src/kernels/backends.h");
  fine("src/draft2023/builder.cpp", "src/builder/builder_state.h");
  fine("src/formats/tflite/export/lower.h", "src/formats/tflite/schema.h");
  fine("src/formats/tflite/import/import.cpp", "src/formats/common/mapped_file.h");
  fine("src/formats/common/mapped_file.cpp", "sys/mman.h");
  fine("bindings/node/src/convert.cpp", "convert.h");
  fine("tools/webnn/data/png.cpp", "png.h");

  CHECK(refused("include/webnn/graph.h", "src/graph/op.h") ==
        "include/webnn is not above src/graph");
  CHECK(refused("include/webnn/graph.h", "unistd.h") ==
        "public headers include standard headers and webnn/");
  CHECK(refused("include/webnn/error.h", "fmt/format.h") == "only src/runtime/explain includes it");
  CHECK(refused("src/graph/op.cpp", "src/builder/rules.h") == "src/graph is not above src/builder");
  CHECK(refused("src/builder/rules.cpp", "src/runtime/compile.h") ==
        "src/builder is not above src/runtime");
  CHECK(refused("src/builder/rules.cpp", "src/passes/passes.h") ==
        "src/builder is not above src/passes");
  CHECK(refused("src/passes/passes.cpp", "src/builder/rules.h") ==
        "src/passes is not above src/builder");
  CHECK(refused("src/kernels/backends.cpp", "src/passes/passes.h") ==
        "src/kernels is not above src/passes");
  CHECK(refused("src/kernels/common/loop.h", "src/kernels/reference/copy.h") ==
        "src/kernels/common is not above src/kernels/reference");
  CHECK(refused("src/kernels/simd/conv2d.cpp", "src/kernels/reference/copy.h") ==
        "src/kernels/simd is not above src/kernels/reference");
  CHECK(refused("src/kernels/simd/conv2d.cpp", "src/kernels/onednn/tile.h") ==
        "src/kernels/simd is not above src/kernels/onednn");
  CHECK(refused("src/kernels/common/loop.h", "src/kernels/backends.h") ==
        "src/kernels/common is not above src/kernels");
  CHECK(refused("src/runtime/plan.cpp", "src/formats/common/mapped_file.h") ==
        "src/runtime is not above src/formats");
  CHECK(refused("src/formats/tflite/schema.h", "src/formats/safetensors/header.h") ==
        "formats do not include each other");
  CHECK(refused("src/formats/common/mapped_file.h", "src/formats/tflite/schema.h") ==
        "formats do not include each other");
  CHECK(refused("src/draft2023/builder.cpp", "src/formats/tflite/schema.h") ==
        "src/draft2023 is not above src/formats");
  CHECK(refused("tools/webnn/main.cpp", "src/formats/tflite/schema.h") ==
        "tools is not above src/formats");
  CHECK(refused("bindings/node/src/addon.cpp", "tools/webnn/common/exit.h") ==
        "bindings is not above tools");
  CHECK(refused("src/kernels/simd/conv2d.cpp", "hwy/highway.h") ==
        "only src/kernels/simd/vector includes it");
  CHECK(refused("src/kernels/onednn/tile.cpp", "oneapi/dnnl/dnnl.hpp") ==
        "only src/kernels/onednn/adapter includes it");
  CHECK(refused("src/kernels/reference/gemm.cpp", "Eigen/Core") ==
        "only src/kernels/reference/eigen includes it");
  CHECK(refused("src/runtime/plan.cpp", "absl/strings/str_cat.h") ==
        "the header is in no layer, nor a third party's in the list");
  CHECK(refused("src/new_layer/file.cpp", "src/graph/op.h") == "the file is in no layer");

  std::istringstream text(
      "#include <vector>\n  #  include \"src/graph/op.h\" // why\n#include HWY_TARGET\n"
      "// #include <old>\n#pragma once\nint x;  #include <no>\n");
  CHECK(headers_in(text) == std::vector<std::string>{"vector", "src/graph/op.h"});
}

TEST_CASE("no include points up, and third parties are in their adapters", "[structure]") {
  const fs::path root = webnn::test::source_dir();
  std::size_t files = 0;
  for (const char* folder : {"include", "src", "tools", "bindings"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      const std::string file = entry.path().lexically_relative(root).generic_string();
      if (extension != ".h" && extension != ".cpp" && extension != ".in") continue;
      if (file.find("/node_modules/") != std::string::npos) continue;
      ++files;
      std::ifstream text(entry.path());
      for (std::string header : headers_in(text)) {
        if (const fs::path beside = entry.path().parent_path() / header; fs::exists(beside))
          header = beside.lexically_relative(root).generic_string();
        const auto reason = wrong({file, header});
        INFO(file << " includes " << header << ": " << reason.value_or(""));
        CHECK(!reason);
      }
    }
  }
  CHECK(files > 300);
}
