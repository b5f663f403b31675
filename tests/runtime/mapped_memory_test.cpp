// Weights of a mapped file take no memory of their own once they are packed.
#include "src/graph/mapped_memory.h"

#include "tests/support/builder.h"
#include "tests/support/catch.h"

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace webnn;

namespace {

constexpr std::uint32_t size = 1024;
constexpr std::size_t bytes = std::size_t{size} * size * sizeof(float);

/// A file of the numbers 0 to 6, over and over, mapped.
std::shared_ptr<const void> mapped_file() {
  std::FILE* file = std::tmpfile();
  REQUIRE(file);
  std::vector<float> values(std::size_t{size} * size);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7);
  REQUIRE(std::fwrite(values.data(), 1, bytes, file) == bytes);
  std::fflush(file);
  void* address = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fileno(file), 0);
  std::fclose(file);
  REQUIRE(address != MAP_FAILED);
  return {static_cast<const void*>(address), Unmap{bytes}};
}

/// KiB of the mapping in memory; nothing where the system does not tell.
std::optional<std::uint64_t> resident(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  std::ostringstream begin;
  begin << std::hex << reinterpret_cast<std::uintptr_t>(address) << '-';
  std::string line;
  while (std::getline(maps, line) && line.find(begin.str()) != 0) {}
  while (std::getline(maps, line))
    if (line.rfind("Rss:", 0) == 0) return std::stoull(line.substr(4));
  return std::nullopt;
}

}  // namespace

TEST_CASE("mapped memory: weights that are packed take none, and can be read again") {
  MLContext context({.threads = 1, .keepConstants = true});
  MLGraphBuilder b(context);
  const auto owner = mapped_file();
  const std::span<const std::byte> view(static_cast<const std::byte*>(owner.get()), bytes);
  const MLOperand w = b.constant({float32, {size, size}}, Constant(owner, view));
  const MLGraph graph = b.build({{"y", b.matmul(b.input("x", {float32, {4, size}}), w)}});
  if (graph.memory().packed == 0 || !resident(owner.get())) return;
  CHECK(*resident(owner.get()) < bytes / 1024 / 4);
  float last;
  std::memcpy(&last, view.data() + bytes - sizeof last, sizeof last);
  CHECK(last == static_cast<float>((std::size_t{size} * size - 1) % 7));
  CHECK(*resident(owner.get()) > 0);
}

TEST_CASE("mapped memory: other memory keeps its bytes") {
  const auto values = std::make_shared<std::vector<std::byte>>(bytes, std::byte{5});
  const std::shared_ptr<const std::byte> owner(values, values->data());
  give_pages_back(owner, *values);
  CHECK(std::ranges::all_of(*values, [](std::byte b) { return b == std::byte{5}; }));
}
#endif
