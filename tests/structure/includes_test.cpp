// The layers of architecture: every #include of the sources points to the same layer or down, and
// a third party's header is included in its adapter alone.
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/structure/headers_in.h"
#include "tests/structure/layers.h"
#include "tests/support/catch.h"
#include "tests/support/source_dir.h"

namespace {

namespace fs = std::filesystem;
using namespace webnn::test;

struct Include {
  std::string file, header;  // what is written
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
     {"src/formats/tflite/schema", "src/formats/tflite/options", "src/formats/executorch/schema",
      "src/formats/common/flatbuffers", "src/formats/common/flatbuffers_fields"}},
    {"embedded/", {"src/formats/tflite/embedded_schema", "src/formats/executorch/embedded_schema"}},
    {"schema_generated.h", {"src/formats/tflite/schema"}},
    {"program_generated.h", {"src/formats/executorch/schema"}},
    {"delegate_generated.h", {"src/formats/executorch/schema"}},
    {"pcre2.h", {"src/lm/tokenizer/regex"}},
    {"utf8proc.h", {"src/lm/tokenizer/unicode"}},
    {"nlohmann/", {"src/formats", "tools/webnn/common/output"}},
    {"fmt/", {"src/runtime/explain", "tools"}},
    {"protozero/", {"src/formats/onnx/fields", "src/formats/onnx/export/writer"}},
    {"CLI/", {"tools/webnn/common/options"}},
    {"png.h", {"tools/images/png"}},
    {"turbojpeg.h", {"tools/images/jpeg"}},
    {"napi.h", {"bindings/node/src"}},
    {"pybind11/", {"bindings/python/src"}},
};
const std::vector<std::string_view> system_headers = {
    "cpuid.h",    "fcntl.h",        "immintrin.h", "sched.h",       "sys/ioctl.h",
    "sys/mman.h", "sys/resource.h", "sys/stat.h",  "sys/syscall.h", "unistd.h"};

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
  if (!layer_of(target) && layer_of(i.file))
    return "the header is in no layer, nor a third party's in the list";
  return points_up(i.file, target);
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
  fine("src/kernels/another/backend.cpp", "src/kernels/another/backend.h");
  fine("src/passes/fold_constants.cpp", "src/kernels/reference/evaluate.h");
  fine("src/runtime/build.cpp", "src/builder/builder_state.h");
  fine("src/runtime/plan.cpp", "src/kernels/backends.h");
  fine("src/draft2023/builder.cpp", "src/builder/builder_state.h");
  fine("src/formats/tflite/export/lower.h", "src/formats/tflite/schema.h");
  fine("src/formats/tflite/import/import.cpp", "src/formats/common/mapped_file.h");
  fine("src/formats/common/mapped_file.cpp", "sys/mman.h");
  fine("bindings/node/src/convert.cpp", "convert.h");
  fine("tools/images/png.cpp", "png.h");

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
        "src/kernels/* is not above src/kernels/reference");
  CHECK(refused("src/kernels/simd/conv2d.cpp", "src/kernels/onednn/tile.h") ==
        "backends do not use each other");
  CHECK(refused("src/kernels/another/backend.cpp", "src/kernels/simd/backend.h") ==
        "backends do not use each other");
  CHECK(refused("src/kernels/another/backend.cpp", "src/passes/passes.h") ==
        "src/kernels/* is not above src/passes");
  CHECK(refused("src/kernels/common/loop.h", "src/kernels/backends.h") ==
        "src/kernels/common is not above src/kernels");
  CHECK(refused("src/runtime/plan.cpp", "src/formats/common/mapped_file.h") ==
        "src/runtime is not above src/formats");
  CHECK(refused("src/formats/tflite/schema.h", "src/formats/safetensors/header.h") ==
        "formats do not use each other");
  CHECK(refused("src/formats/common/mapped_file.h", "src/formats/tflite/schema.h") ==
        "formats do not use each other");
  CHECK(refused("src/draft2023/builder.cpp", "src/formats/tflite/schema.h") ==
        "src/draft2023 is not above src/formats");
  CHECK(refused("tools/webnn/main.cpp", "src/formats/tflite/schema.h") ==
        "tools is not above src/formats");
  CHECK(refused("bindings/node/src/addon.cpp", "tools/webnn/common/exit.h") ==
        "bindings/node is not above tools");
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
