// webnn info of a .gguf file.
#include "tests/formats/gguf/writer.h"
#include "tests/support/catch.h"
#include "tests/tools/models.h"

using namespace webnn::test;

namespace {

std::string text_of(const webnn::gguf::Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST_CASE("info: metadata and tensors of a .gguf file") {
  using namespace webnn::gguf;
  Writer w;
  w.value("general.name", std::string("a\tname"))
      .value("llama.block_count", std::uint32_t{2})
      .array("tokens", std::vector<std::string>(20, "t"))
      .array("sizes", std::vector<std::int32_t>{-1, 2})
      .tensor("a.weight", TensorType::Q4_K, {3, 512}, Bytes(6 * 144))
      .tensor("b.weight", TensorType::F32, {2}, Bytes(8));
  const Folder folder;
  for (const char* name : {"model.gguf", "model"}) {  // by the extension, by the content
    const std::string path = folder.write(name, text_of(w.bytes()));
    const Outcome o = webnn_command({"info", path});
    REQUIRE(o.code == 0);
    CHECK(contains(o.out, "GGUF version 3"));
    CHECK(contains(o.out, "a\\u0009name"));
    CHECK(contains(o.out, "20 values [\"t\", "));
    CHECK(contains(o.out, "[-1, 2]"));
    CHECK(contains(o.out, "Q4_K [3, 512], 864"));
    const Json j = webnn_command({"info", path, "--json"}).json();
    CHECK(j["format"] == "gguf");
    CHECK(j["file_bytes"] == w.bytes().size());
    CHECK(j["contents"].size() == 1 + 2 + 4 + 2);
    CHECK(j["contents"][1] ==
          Json({{"part", "tensors of type Q4_K"}, {"what", "1, 1536 elements, 864 B"}}));
  }
}

TEST_CASE("info: a broken .gguf file") {
  const Folder folder;
  const std::string path = folder.write("model.gguf", std::string("GGUF\3\0\0\0", 8));
  const Outcome o = webnn_command({"info", path});
  CHECK(o.code == 1);
  CHECK(contains(o.err, "the file ends at byte 8"));
}

}  // namespace
