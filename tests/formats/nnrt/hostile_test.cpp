// Files that are wrong, and what the importer says of them: the name of the file, and where in it.
#include <cstring>

#include "tests/random/generator.h"
#include "tests/support/builder.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/nnrt.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using Bytes = std::vector<std::byte>;

std::string refusal(const Bytes& file, const nnrt::ImportOptions& o = {}) {
  MLGraphBuilder b(plain_context());
  return thrown([&] { nnrt::import_model(b, file, o, "net.nnrt"); });
}
const std::string wrong = "DataError nnrt [net.nnrt]: ";

/// y = x + k, with the tensors x, k and y.
nnrt::Model sum() {
  MLGraphBuilder b(plain_context());
  const MLOperand x = b.input("x", {float32, {3}});
  return nnrt::model_of(b.build({{"y", b.add(x, b.constant({float32, {3}}, {1.f, 2.f, 3.f}))}}));
}
/// A file whose JSON is this text.
Bytes file_with(const std::string& json) {
  Bytes file;
  const auto append = [&](const void* from, std::size_t size) {
    const auto* begin = static_cast<const std::byte*>(from);
    file.insert(file.end(), begin, begin + size);
  };
  const std::uint64_t size = json.size();
  append("NNRTMDL1", 8);
  append(&size, 8);
  append(json.data(), json.size());
  return file;
}
std::string json_of(const Bytes& file) {
  std::uint64_t size = 0;
  std::memcpy(&size, &file[8], 8);
  return std::string(reinterpret_cast<const char*>(&file[16]), static_cast<std::size_t>(size));
}
/// The file with one part of its JSON replaced by another of the same length.
Bytes replaced(Bytes file, const std::string& from, const std::string& to) {
  REQUIRE(from.size() == to.size());
  const std::string json = json_of(file);
  const std::size_t at = json.find(from);
  REQUIRE(at != std::string::npos);
  std::memcpy(&file[16 + at], to.data(), to.size());
  return file;
}
/// Where a part of the JSON begins in the file.
std::string byte_of(const Bytes& file, const std::string& part) {
  return "byte " + std::to_string(16 + json_of(file).find(part));
}

}  // namespace

TEST_CASE("hostile: truncated files") {
  const Bytes file = nnrt::write_model(sum());
  CHECK(refusal(file) == "nothing");
  CHECK(refusal({}) == wrong + "byte 0: the file does not begin with NNRTMDL1.");
  // The last bytes are those of the constant.
  for (std::size_t size = 0; size < file.size() - 52; ++size) {
    CAPTURE(size);
    const Bytes part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK(refusal(part).starts_with(wrong));
    CHECK(refusal(part).find("byte ") != std::string::npos);
  }
}

TEST_CASE("hostile: the length of the JSON") {
  Bytes file = nnrt::write_model(sum());
  file[15] = std::byte{0xff};
  CHECK(refusal(file).starts_with(wrong + "byte 8: the length of the JSON (1"));
  CHECK(refusal(file_with("{\"name\": ")).starts_with(wrong + "byte 26: "));
  CHECK(refusal(file_with(std::string(40, '['))) == wrong + "values are nested more than 32 deep.");
  CHECK(refusal(file_with("[]")) == wrong + "name is missing.");
}

TEST_CASE("hostile: fields of the JSON") {
  const Bytes file = nnrt::write_model(sum());
  const auto said = [&](const std::string& from, const std::string& to) {
    return refusal(replaced(file, from, to));
  };
  const std::string json = json_of(file);
  const std::string node = "byte " + std::to_string(16 + json.find('{', json.find("\"nodes\"")));
  CHECK(said("NODE_TYPE_ADD_FUSION", "NODE_TYPE_ADD_FUSIOM") ==
        wrong + "nodes[0] (" + node + "): nodeType (" + byte_of(file, "\"NODE_TYPE_ADD") +
            "): \"NODE_TYPE_ADD_FUSIOM\" is not an enumerator of its type.");
  CHECK(said("\"activationType\": \"ACTIVATION_TYPE_NO_ACTIVATION\"",
             "\"activationType\":                             0.5") ==
        wrong + "nodes[0] (" + node + "): nodeAttr (" + byte_of(file, "{\"activationType") +
            "): activationType (byte " +
            std::to_string(16 + json.find("\"activationType\": ") + 17 + 29) +
            "): 0.5 is not an enumerator of its type.");
  CHECK(said("\"dataSize\": 12", "\"dataSize\": 99").find("99 bytes at 0 exceed the ") !=
        std::string::npos);
  CHECK(said("\"dataSize\": 12", "\"dataSize\": 11").find(" has 11 bytes, but shape [3] of ") !=
        std::string::npos);
  CHECK(said("\"dims\": [3]", "\"dims\": [0]").find("dimension 0 is 0") != std::string::npos);
  CHECK(said("\"dims\": [3]", "\"dimz\": [3]").find("dims is missing") != std::string::npos);
}

TEST_CASE("hostile: indices, with the part of the file that has them") {
  const auto said = [](auto change) {
    nnrt::Model m = sum();
    change(m);
    return refusal(nnrt::write_model(m));
  };
  const auto has = [](const std::string& text, const std::string& a, const std::string& b) {
    CAPTURE(text, a, b);
    CHECK(text.starts_with(wrong));
    CHECK(text.find(a) != std::string::npos);
    CHECK(text.find(b) != std::string::npos);
  };
  has(said([](auto& m) { m.inputIndex = {9}; }), "inputIndex (byte ", "tensor 9");
  has(said([](auto& m) { m.inputIndex = {0, 0}; }), "inputIndex (byte ", "twice");
  has(said([](auto& m) { m.inputIndex = {1}; }), "inputIndex (byte ", "a constant");
  has(said([](auto& m) { m.outputIndex = {9}; }), "outputIndex (byte ", "tensor 9");
  has(said([](auto& m) { m.outputIndex = {}; }), "outputIndex (byte ", "no outputs");
  has(said([](auto& m) { m.subGraph[0].nodeIndices = {0, 0}; }), "subGraph (byte ", "twice");
  has(said([](auto& m) { m.subGraph[0].nodeIndices = {1}; }), "subGraph (byte ", "node 1");
  has(said([](auto& m) {
        m.nodes[0].inputIndex = {0, 9};
      }),
      "node 0 (NODE_TYPE_ADD_FUSION, byte ", "tensor 9");
  has(said([](auto& m) { m.nodes[0].inputIndex = {0}; }), "node 0 (NODE_TYPE_ADD_FUSION, byte ",
      "it has 1 inputs");
  has(said([](auto& m) { m.nodes[0].outputIndex = {0}; }), "node 0 (NODE_TYPE_ADD_FUSION, byte ",
      "written twice, or is an input or a constant");
  has(said([](auto& m) { m.allTensors[0].dims = {2}; }), "node 0 (NODE_TYPE_ADD_FUSION, byte ",
      "do not broadcast");
}

TEST_CASE("hostile: memory is limited before it is allocated") {
  const Bytes file = nnrt::write_model(sum());
  CHECK(refusal(file, {.max_bytes = 1000}) ==
        wrong + "reading needs more than the limit (1000) of bytes.");
  nnrt::Model m = sum();
  m.nodes[0].attributes = nnrt::Range{.start = 0, .limit = std::int64_t{1} << 50, .delta = 1};
  m.nodes[0].inputIndex = {0};
  m.allTensors[2].dataType = nnrt::DataType::DATA_TYPE_INT64;
  CHECK(refusal(nnrt::write_model(m)).find("memory for a range would exceed the limit of memory") !=
        std::string::npos);
}

TEST_CASE("hostile: constants that are not aligned are copied, within the limit") {
  Bytes file = nnrt::write_model(sum());
  for (std::size_t shift = 0; shift < 17; ++shift) {
    CAPTURE(shift);
    Bytes moved(file.size() + shift);
    std::copy(file.begin(), file.end(), moved.begin() + static_cast<std::ptrdiff_t>(shift));
    MLGraphBuilder b(plain_context());
    const auto m = nnrt::import_model(b, std::make_shared<int>(), std::span(moved).subspan(shift));
    CHECK(m.output("y").shape() == Dims{3});
  }
}

TEST_CASE("hostile: any byte of a file may be any other") {
  Random random(17);
  std::size_t accepted = 0, files = 0;
  for (std::size_t kind = 0; kind < ops::AllOps::size; ++kind) {
    CAPTURE(ops::AllOps::names[kind]);
    MLGraphBuilder b(plain_context());
    Bytes file;
    try {
      file = nnrt::export_model(b.build(random_operator(b, kind, 1).outputs));
    } catch (const NotSupportedError&) { continue; }
    ++files;
    for (int round = 0; round < 60; ++round) {
      Bytes changed = file;
      for (std::uint32_t n = random.integer(1, 3); n > 0; --n) {
        const auto at = random.integer(8, static_cast<std::uint32_t>(file.size()) - 1);
        changed[at] ^= static_cast<std::byte>(1u << random.integer(0, 7));
      }
      const std::string text = refusal(changed, {.max_bytes = 1 << 20});
      accepted += text == "nothing";
      if (text != "nothing" && !text.starts_with(wrong) &&
          !text.starts_with("NotSupportedError nnrt [net.nnrt]: "))
        FAIL(text);
    }
  }
  CHECK(files > 60);
  CHECK(accepted > 100);
}
