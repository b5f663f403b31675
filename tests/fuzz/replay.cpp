// Runs a fuzz target without libFuzzer, with any compiler: each file as it is, and then changed at
// random, in the same way in each run.
// webnn_fuzz_<format> RUNS FOLDER : RUNS changes of each file
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <vector>

// https://llvm.org/docs/LibFuzzer.html: what a target has, what it may have, and what it may call.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" [[gnu::weak]] std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                             std::size_t max, unsigned seed);
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max);

namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::size_t max_added = 64;

std::mt19937 numbers(1);
std::size_t below(std::size_t n) { return n ? numbers() % n : 0; }

Bytes changed(const Bytes& from) {
  Bytes bytes = from;
  bytes.resize(from.size() + max_added);
  const auto seed = static_cast<unsigned>(numbers());
  bytes.resize(LLVMFuzzerCustomMutator
                   ? LLVMFuzzerCustomMutator(bytes.data(), from.size(), bytes.size(), seed)
                   : LLVMFuzzerMutate(bytes.data(), from.size(), bytes.size()));
  return bytes;
}

void run(const Bytes& bytes) { LLVMFuzzerTestOneInput(bytes.data(), bytes.size()); }

}  // namespace

/// One to four changes: of a bit, a byte, or a number of four bytes to one at a limit; bytes that
/// are removed, repeated, or cut from the end.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max) {
  static constexpr std::uint32_t limits[] = {0, 1, 0x7f, 0xff, 0x7fffffff, 0x80000000, 0xffffffff};
  for (std::size_t n = 1 + below(4); n > 0; --n) {
    const std::size_t at = below(size), length = 1 + below(std::min(size - at, max_added));
    switch (below(6)) {
      case 0:
        if (size > 0) data[at] ^= static_cast<std::uint8_t>(1u << below(8));
        break;
      case 1:
        if (size > 0) data[at] = static_cast<std::uint8_t>(numbers());
        break;
      case 2:
        if (size - at >= 4) std::memcpy(data + at, &limits[below(std::size(limits))], 4);
        break;
      case 3:
        if (size - at < length) break;
        std::memmove(data + at, data + at + length, size - at - length);
        size -= length;
        break;
      case 4:
        if (size - at < length || size + length > max) break;
        std::memmove(data + at + length, data + at, size - at);
        size += length;
        break;
      default:
        if (below(4) == 0) size = at;
    }
  }
  return size;
}

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s RUNS FOLDER\n", argv[0]);
    return 2;
  }
  const int runs = std::atoi(argv[1]);
  // In the order of their names, which the file system does not keep.
  std::set<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(argv[2])) paths.insert(entry.path());
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const Bytes bytes(std::istreambuf_iterator<char>(file), {});
    if (!file) throw std::runtime_error("cannot be read: " + path.string());
    run(bytes);
    for (int i = 0; i < runs; ++i) run(changed(bytes));
  }
  std::printf("%zu files, %d changes of each\n", paths.size(), runs);
  return paths.empty();
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
