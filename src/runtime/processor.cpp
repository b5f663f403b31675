#include "src/runtime/processor.h"

#include <array>
#include <cstring>
#include <fstream>

#include "src/graph/text.h"
#include "webnn/error.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#if defined(__unix__)
#include <unistd.h>
#endif

namespace webnn::inline v0_1 {
namespace {

#if defined(__x86_64__) || defined(__i386__)

std::string name() {
  constexpr unsigned first = 0x80000002, last = 0x80000004;
  std::array<char, 48> text{};
  for (unsigned leaf = first; leaf <= last; ++leaf) {
    unsigned r[4];
    if (!__get_cpuid(leaf, &r[0], &r[1], &r[2], &r[3])) return "";
    std::memcpy(text.data() + (leaf - first) * sizeof r, r, sizeof r);
  }
  return {text.data(), strnlen(text.data(), text.size())};
}

#else

/// What Linux says of the first processor, with the numbers of maker and part where it has no name.
std::string name() {
  std::ifstream file("/proc/cpuinfo");
  std::string all;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string_view key =
        std::string_view(line).substr(0, line.find_last_not_of(" \t:") + 1);
    const std::string value = line.substr(std::min(line.size(), colon + 2));
    if (key.starts_with("model name")) return value;
    if (key.starts_with("CPU implementer") || key.starts_with("CPU part"))
      all += (all.empty() ? "" : " ") + value;
  }
  return all;
}

#endif

std::string caches() {
  std::string all;
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  for (const int level : {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE})
    if (const long bytes = sysconf(level); bytes > 0) all += ' ' + std::to_string(bytes);
#endif
  return all.empty() ? " unknown" : all;
}

/// Without spaces around it.
std::string trimmed(const std::string& s) {
  const auto words = split(s, '\0');
  return words.empty() ? std::string() : std::string(words.front());
}

}  // namespace

std::string processor_text() {
  static const std::string text = [] {
    const std::string known = escaped(trimmed(name()));
    return (known.empty() ? "unknown processor" : known) + ", caches" + caches();
  }();
  return text;
}

}  // namespace webnn::inline v0_1
