// Writes the seeds of the fuzzers: files made by the library's own writers, and the models of the
// tests.
//   webnn_fuzz_seeds FOLDER         into FOLDER/tflite and FOLDER/safetensors
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/formats/tflite/cases.h"
#include "webnn/safetensors.h"
#include "webnn/tflite.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

void write(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot be written: " + path.string());
}

/// What the exporter makes of a model; nothing where TFLite cannot express it.
std::vector<std::byte> exported(MLContext& context, std::span<const std::byte> model) {
  try {
    MLGraphBuilder builder(context);
    const tflite::Model m = tflite::import_model(builder, model);
    return tflite::export_model(builder.build(m.outputs));
  } catch (const Error&) { return {}; }
}

void write_models(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  MLContext context({.threads = 1, .backends = {"reference"}});
  for (tflite::test::Case& c : tflite::test::all_cases()) {
    const auto model = c.writer.file();
    write(folder / c.name, model);
    if (const auto again = exported(context, model); !again.empty())
      write(folder / (c.name + "_exported"), again);
  }
}

void write_weights(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const std::vector<std::byte> values(64, std::byte{1});
  for (const MLOperandDataType type :
       {float32, float16, int32, uint32, int64, uint64, int8, uint8}) {
    const auto width = static_cast<std::uint32_t>(64 / (bits_of(type) / 8));
    write(folder / name_of(type), safetensors::write({{"a", {type, {width}}, values},
                                                      {"b.c", {type, {2, width / 2}}, values}},
                                                     {{"made by", "libwebnn"}}));
  }
  write(folder / "scalar", safetensors::write({{"s", {uint8, {}}, std::span(values).first(1)}}));
  write(folder / "empty", safetensors::write(ListView<safetensors::NamedValues>{}));
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: webnn_fuzz_seeds FOLDER\n");
    return 2;
  }
  write_models(std::filesystem::path(argv[1]) / "tflite");
  write_weights(std::filesystem::path(argv[1]) / "safetensors");
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
