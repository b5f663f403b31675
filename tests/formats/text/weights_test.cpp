// Where weights are looked for, and in what forms they come.
#include <cstring>
#include <filesystem>
#include <fstream>

#include "src/kernels/common/sizes.h"
#include "tests/support/builder.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/text.h"

using namespace webnn;
namespace file = webnn::text;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("webnn_weights_" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }
  void remove(const std::string& name) const { fs::remove(path_ / name); }
  void weights(const std::string& name, const std::string& key, float value) const {
    const float v[] = {value, value};
    safetensors::write(path(name), {{key, {float32, {2}}, v}});
  }

 private:
  fs::path path_;
};

std::string graph(const std::string& type, const std::string& annotation) {
  return "webnn_graph \"g\" v1 { consts { w: " + type + annotation + "; } outputs { w; } }";
}

/// The elements of the constant w, as float32.
std::string values(const std::string& path, const file::ImportOptions& options = {}) {
  MLGraphBuilder b(test::plain_context());
  const auto model = file::import_model(b, path, options);
  const MLGraph g = b.build({{"w", b.cast(model.output("w"), float32)}});
  std::vector<float> out(to_size(element_count(g.outputs()[0].descriptor.shape)));
  test::plain_context().compute(g, {}, {{"w", out}});
  std::string s;
  for (const float v : out) s += std::to_string(static_cast<int>(v)) + ' ';
  return s;
}
std::string message(const std::string& path, const file::ImportOptions& options = {}) {
  return test::thrown([&] { values(path, options); });
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string floats(std::initializer_list<float> all) {
  return {reinterpret_cast<const char*>(all.begin()), 4 * all.size()};
}
std::string manifest(std::size_t begin, const std::string& key = "w") {
  return R"({"format": "wg-weights-manifest", "tensors": {")" + key + R"(": {"byteOffset": )" +
         std::to_string(begin) + R"(, "byteLength": 8}}})";
}

}  // namespace

TEST_CASE("weights: the files beside the text, in order") {
  const Folder f;
  const std::string net = f.path("net.webnn");
  f.write("net.webnn", graph("f32[2]", " @weights(\"w\")"));
  CHECK(contains(message(net),
                 "net.webnn:1:50]: weights are needed, and there is none of "
                 "net.safetensors, net.weights, model.safetensors, model.weights"));
  f.write("model.weights", floats({4, 4}));
  CHECK(contains(message(net), "needs a manifest, which is in neither"));
  f.write("manifest.json", manifest(0));
  CHECK(values(net) == "4 4 ");
  f.weights("model.safetensors", "w", 3);
  CHECK(values(net) == "3 3 ");
  f.write("net.weights", floats({5, 5, 2, 2}));
  f.write("net.manifest.json", manifest(8));
  CHECK(values(net) == "2 2 ");
  f.weights("net.safetensors", "w", 1);
  CHECK(values(net) == "1 1 ");
  file::ImportOptions o;
  o.weights_path = f.path("model.safetensors");
  CHECK(values(net, o) == "3 3 ");
  o.weights = safetensors::File::open(f.path("net.safetensors"));
  CHECK(values(net, o) == "1 1 ");
}

TEST_CASE("weights: links in the cache of a download, and links that lead elsewhere") {
  const Folder f;
  for (const char* folder : {"blobs", "snapshot", "elsewhere"})
    fs::create_directory(f.path(folder));
  f.write("blobs/1", graph("f32[2]", " @weights(\"w\")"));
  f.weights("blobs/2", "w", 3);
  f.write("blobs/3", floats({5, 5}));
  f.write("blobs/4", manifest(0));
  const std::string net = f.path("snapshot/net.webnn");
  const auto link = [&](const std::string& name, const std::string& target) {
    fs::remove(f.path("snapshot/" + name));
    fs::create_symlink(target, f.path("snapshot/" + name));
  };
  link("net.webnn", "../blobs/1");
  link("net.weights", "../blobs/3");
  link("manifest.json", "../blobs/4");
  CHECK(values(net) == "5 5 ");
  link("net.safetensors", "../blobs/2");
  CHECK(values(net) == "3 3 ");

  const std::string outside = ": the file is not in the folder of the model or below.";
  f.weights("elsewhere/2", "w", 9);
  f.write("elsewhere/4", manifest(0));
  link("net.safetensors", "../elsewhere/2");
  CHECK(contains(message(net), "snapshot/net.safetensors" + outside));
  fs::remove(f.path("snapshot/net.safetensors"));
  link("net.manifest.json", "../elsewhere/4");
  CHECK(contains(message(net), "snapshot/net.manifest.json" + outside));
  // What the caller names may be anywhere, and its manifest is beside it.
  file::ImportOptions o;
  o.weights_path = f.path("elsewhere/2");
  CHECK(values(net, o) == "9 9 ");
  fs::copy(f.path("blobs/3"), f.path("elsewhere/net.weights"));
  o.weights_path = f.path("elsewhere/net.weights");
  CHECK(message(net, o).find("needs a manifest, which is in neither") != std::string::npos);
  fs::copy(f.path("blobs/4"), f.path("elsewhere/manifest.json"));
  CHECK(values(net, o) == "5 5 ");
  o.weights_path = f.path("elsewhere/none.weights");
  CHECK(contains(message(net, o), "none.weights]: the file cannot be opened"));
}

TEST_CASE("weights: names") {
  const Folder f;
  f.write("net.webnn", graph("f32[2]", " @weights(\"onnx__a_b\")"));
  f.weights("net.safetensors", "onnx::a.b", 6);
  CHECK(values(f.path("net.webnn")) == "6 6 ");
  f.write("net.webnn", graph("f32[2]", ""));  // its own name
  CHECK(contains(message(f.path("net.webnn")), "there is no tensor \"w\" in"));
  f.weights("net.safetensors", "w", 7);
  CHECK(values(f.path("net.webnn")) == "7 7 ");
  const float v[] = {1, 1};
  safetensors::write(f.path("net.safetensors"),
                     {{"a.b", {float32, {2}}, v}, {"a_b", {float32, {2}}, v}});
  f.write("net.webnn", graph("f32[2]", " @weights(\"a_b\")"));
  CHECK(values(f.path("net.webnn")) == "1 1 ");
  f.write("net.webnn", graph("f32[2]", " @weights(\"a::b\")"));
  CHECK(contains(message(f.path("net.webnn")), "there is no tensor \"a::b\""));
}

TEST_CASE("weights: types and shapes") {
  const Folder f;
  const std::string net = f.path("net.webnn");
  f.weights("net.safetensors", "w", 1);
  f.write("net.webnn", graph("f32[3]", ""));
  CHECK(contains(message(net), "its shape is [2], not [3]"));
  f.write("net.webnn", graph("i32[2]", ""));
  CHECK(contains(message(net), "it is F32, not int32"));

  // BF16 is bfloat16, or is read as float32; BOOL is uint8.
  const std::string header = R"({"w":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]},)"
                             R"("b":{"dtype":"BOOL","shape":[2],"data_offsets":[4,6]}})";
  const std::uint64_t size = header.size();
  std::string bytes(reinterpret_cast<const char*>(&size), 8);
  bytes += header + std::string("\x80\x3f\x40\xc0\x01\x00", 6);
  f.write("net.safetensors", bytes);
  f.write("net.webnn", graph("f32[2]", ""));
  CHECK(values(net) == "1 -3 ");
  f.write("net.webnn", graph("f16[2]", ""));
  CHECK(contains(message(net), "it is BF16, not float16"));
  f.write("net.webnn", graph("u8[2]", " @weights(\"b\")"));
  CHECK(values(net) == "1 0 ");
}

TEST_CASE("weights: elements of four bits need a mark") {
  const Folder f;
  const std::string net = f.path("net.webnn");
  f.write("net.webnn", graph("i4[3]", ""));
  const std::uint8_t v[] = {0x21, 0x0f};
  safetensors::write(f.path("net.safetensors"), {{"w", {uint8, {2}}, v}});
  CHECK(contains(message(net),
                 "the file does not say that it has int4, with the metadata "
                 "rustnn.webnn.packed4=1"));
  safetensors::write(f.path("net.safetensors"), {{"w", {uint8, {2}}, v}},
                     {{"rustnn.webnn.packed4", "1"}});
  const auto dequantized = [](const std::string& type) {
    return "webnn_graph \"g\" v1 { consts { w: " + type +
           "; s: f32[3] @scalar(1); z: i4[3] "
           "@scalar(0); } nodes { d = dequantizeLinear(w, s, z); } outputs { d; } }";
  };
  f.write("net.webnn", dequantized("i4[3]"));
  MLGraphBuilder b(test::plain_context());
  const MLGraph g = b.build(file::import_model(b, net).outputs);
  float out[3];
  test::plain_context().compute(g, {}, {{"d", out}});
  CHECK(std::vector<float>(out, out + 3) == std::vector<float>{1, 2, -1});
  f.write("net.webnn", dequantized("i4[5]"));
  CHECK(contains(message(net), "it is U8 [2], not the bytes (3) of int4 [5]"));
}

TEST_CASE("weights: a manifest counts the header of the file, or does not") {
  const Folder f;
  const std::string net = f.path("net.webnn"), header("WGWT\1\0\0\0", 8);
  f.write("net.webnn", graph("f32[2]", ""));
  f.write("net.weights", header + floats({1, 2}));
  f.write("net.manifest.json", manifest(8));
  CHECK(values(net) == "1 2 ");
  f.write("net.manifest.json", manifest(0));
  CHECK(values(net) == "1 2 ");
  f.write("net.weights", header + floats({9, 9, 1, 2}));
  f.write("net.manifest.json", manifest(8));  // to the end behind the header
  CHECK(values(net) == "1 2 ");
  f.write("net.manifest.json", manifest(16));
  CHECK(values(net) == "1 2 ");
  f.write("net.manifest.json", manifest(24));
  CHECK(contains(message(net), "bytes 24 to 24 + 8 are beyond the 24 of"));
  f.write("net.manifest.json", manifest(18446744073709551615u));
  CHECK(contains(message(net), "are beyond"));
  f.write("net.manifest.json", "{\"tensors\": {\"w\": {\"byteOffset\": -1, \"byteLength\": 8}}}");
  CHECK(contains(message(net), "byteOffset: -1 is not an integer"));
  f.write("net.manifest.json", "{\"tensors\": {\"w\": {\"byteOffset\": 0}}}");
  CHECK(contains(message(net), "byteLength: it is missing"));
  f.write("net.manifest.json", "{\"tensors\": {\"w\"");
  CHECK(contains(message(net), "net.manifest.json: byte "));
}

TEST_CASE("weights: where the text cannot be written, they are not either") {
  const Folder f;
  MLGraphBuilder b(MLContext({.threads = 1, .keepConstants = true}));
  const std::vector<float> many(1000, 1.5f);
  const MLOperand w = b.constant({float32, {1000}}, std::span<const float>(many));
  const MLGraph g = b.build({{"y", b.add(b.input("x", {float32, {1000}}), w)}});
  fs::create_directory(f.path("net.webnn"));
  CHECK(contains(webnn::test::thrown([&] { file::export_model(g, f.path("net.webnn")); }),
                 "OperationError text export"));
  CHECK(!fs::exists(f.path("net.safetensors")));
}
