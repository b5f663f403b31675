// Files with every type of metadata and of tensors, and the smallest ones.
#include "tests/formats/gguf/writer.h"
#include "tests/fuzz/seeds.h"
#include "webnn/error.h"

void webnn::fuzz::write_seeds(const std::filesystem::path& folder) {
  using namespace gguf;
  const auto save = [&](const std::string& name, const Writer& w) {
    write_seed(folder / name, w.bytes());
  };
  Writer metadata;
  metadata.value("general.architecture", std::string("llama"))
      .value("a", std::uint8_t{1})
      .value("b", std::int8_t{-1})
      .value("c", std::uint16_t{1})
      .value("d", std::int16_t{-1})
      .value("e", std::uint32_t{1})
      .value("f", std::int32_t{-1})
      .value("g", 1.f)
      .value("h", true)
      .value("i", std::uint64_t{1})
      .value("j", std::int64_t{-1})
      .value("k", 1.0)
      .array("l", std::vector<std::string>{"one", "two"})
      .array("m", std::vector<float>{1, 2})
      .array("n", std::vector<std::int32_t>{1, 2});
  Bytes nested;
  for (const std::uint32_t type : {9u, 9u}) put(nested, type);
  put(nested, std::uint64_t{1});
  put(nested, std::uint32_t{4});
  put(nested, std::uint64_t{1});
  put(nested, std::uint32_t{7});
  save("metadata", metadata.raw("nested", nested));
  for (std::uint32_t number = 0; number < 40; ++number) {
    const auto type = static_cast<TensorType>(number);
    BlockLayout layout;
    try {
      layout = block_layout(type);
    } catch (const TypeError&) { continue; }
    Writer w;
    w.value("general.alignment", std::uint32_t{32});
    w.tensor("a", type, {2, layout.elements}, Bytes(2 * layout.bytes, std::byte{1}));
    w.tensor("b.weight", type, {layout.elements}, Bytes(layout.bytes, std::byte{2}));
    save(std::string(name_of(type)), w);
  }
  save("empty", Writer());
}
