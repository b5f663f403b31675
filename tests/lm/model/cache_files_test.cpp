// Files of caches that are damaged, or of something else.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "tests/lm/model/load_random.h"
#include "tests/support/thrown.h"
#include "webnn/safetensors.h"

namespace webnn::inline v0_1::lm {
namespace {

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A file of a cache whose parts can be changed.
struct CacheFile {
  safetensors::Metadata metadata;
  struct Part {
    std::string name;
    MLOperandDescriptor descriptor;
    std::vector<std::byte> bytes;
  };
  std::vector<Part> parts{};

  explicit CacheFile(const std::string& path) {
    const auto file = safetensors::File::open(path);
    metadata = file.metadata();
    for (const std::string& name : file.names()) {
      const auto bytes = file.bytes(name);
      parts.push_back({name, file.descriptor(name), {bytes.begin(), bytes.end()}});
    }
  }
  Part& part(const std::string& name) { return *std::ranges::find(parts, name, &Part::name); }
  void write(const std::string& path) const {
    std::vector<safetensors::NamedValues> all;
    for (const Part& p : parts) all.push_back({p.name, p.descriptor, p.bytes});
    safetensors::write(path, all, metadata);
  }
};

}  // namespace

TEST_CASE("lm: files that are no cache of a model") {
  const Model model = load_random(RandomModel(small_form()));
  Cache cache = model.cache();
  model.evaluate(cache, random_tokens(7, 1));
  const test::TemporaryFile saved, file;
  cache.save(saved.path);
  const CacheFile whole(saved.path);
  const auto loaded = [&](auto change) {
    CacheFile changed = whole;
    change(changed);
    changed.write(file.path);
    return test::thrown([&] { model.load_cache(file.path); });
  };
  CHECK(loaded([](CacheFile&) {}) == "nothing");
  const auto refused = [&](std::string_view message, auto change) {
    const std::string error = loaded(change);
    INFO(error);
    CHECK(error.starts_with("DataError "));
    CHECK(error.find(message) != std::string::npos);
  };
  refused("not a cache of this model", [](CacheFile& f) { f.metadata.clear(); });
  refused("not a cache of this model", [](CacheFile& f) { f.metadata["model"] += '0'; });
  refused("not a cache of this model",
          [](CacheFile& f) { f.metadata["format"] = "webnn lm cache 2"; });
  refused("its tokens are not a list",
          [](CacheFile& f) { f.part("tokens").descriptor.dataType = uint32; });
  refused("token 512 is not below 512", [](CacheFile& f) {
    const Token wrong = 512;
    std::memcpy(f.part("tokens").bytes.data(), &wrong, sizeof wrong);
  });
  refused("token -1 is not below 512", [](CacheFile& f) {
    const Token wrong = -1;
    std::memcpy(f.part("tokens").bytes.data(), &wrong, sizeof wrong);
  });
  refused("past keys 0have another type or shape", [](CacheFile& f) {
    f.part("tokens").descriptor.shape = {6};
    f.part("tokens").bytes.resize(24);
  });
  refused("257 tokens are beyond the capacity (256)", [](CacheFile& f) {
    f.part("tokens").descriptor.shape = {257};
    f.part("tokens").bytes.assign(257 * 4, std::byte{1});
  });
  refused("past values 1", [](CacheFile& f) {
    std::erase_if(f.parts, [](const auto& p) { return p.name == "past values 1"; });
  });
  refused("past values 1have another type or shape", [](CacheFile& f) {
    CacheFile::Part& p = f.part("past values 1");
    p.descriptor = {uint8, {1, 1, 7, static_cast<std::uint32_t>(p.bytes.size() / 7)}};
  });

  // What is cut off, or changed in a byte, is refused or is a cache; nothing else happens.
  const std::string bytes = read_all(saved.path);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 400) {
    file.write(bytes.substr(0, i));
    CHECK(test::thrown([&] { model.load_cache(file.path); }).starts_with("DataError "));
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x81);
    file.write(changed);
    std::optional<Cache> other;
    const std::string error = test::thrown([&] { other.emplace(model.load_cache(file.path)); });
    if (error != "nothing") {
      CHECK(error.starts_with("DataError "));
      continue;
    }
    ++taken;
    CHECK(other->size() == 7);
    CHECK(model.evaluate(*other, Tokens{5}).size() == 512);
  }
  CHECK(taken > 50);
  for (const char* text : {"", "{}", "not a cache"}) {
    file.write(text);
    CHECK(test::thrown([&] { model.load_cache(file.path); }).starts_with("DataError "));
  }
  CHECK(test::thrown([&] { model.load_cache(file.path + ".none"); }).find(".none") !=
        std::string::npos);
  const Model other = load_random(RandomModel(small_form()), {.cacheType = float32});
  CHECK(test::thrown([&] { other.load_cache(saved.path); }).find("another type or shape") !=
        std::string::npos);
}

}  // namespace webnn::inline v0_1::lm
