// Every operator on the reference kernels, one thread, as CSV, so that two builds can be compared:
//   reference [--seconds s] [operator...]
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

#include "bench/reference_cases.h"
#include "bench/timing.h"

using namespace webnn;
using bench::Case, bench::median, bench::now_us;

namespace {

/// Tensors at places that are the same in every build: in huge pages where there are some, each so
/// many cache lines further into its page than the one before. How these lie modulo 4096 bytes
/// makes a kernel that only moves memory up to three times as slow, so several places are tried.
class Tensors {
 public:
  explicit Tensors(std::size_t lines) : step_(lines * 64) {}
  std::span<std::byte> add(const MLOperandDescriptor& d) {
    const auto size = static_cast<std::size_t>(byte_length(d));
    const std::size_t offset = blocks_.size() * step_ % 4096;
    const std::size_t whole = (size + offset + page - 1) / page * page;
    void* block = std::aligned_alloc(page, whole);
    if (!block) throw std::bad_alloc();
    blocks_.emplace_back(block, &std::free);
#if __has_include(<sys/mman.h>)
    madvise(block, whole, MADV_HUGEPAGE);
#endif
    return {static_cast<std::byte*>(block) + offset, size};
  }

 private:
  static constexpr std::size_t page = 2 << 20;
  std::size_t step_;
  std::vector<std::unique_ptr<void, void (*)(void*)>> blocks_;
};

/// Values between -1 and 1, or small integers.
void fill(std::span<std::byte> bytes, const MLOperandDescriptor& d, std::mt19937& random) {
  const std::size_t n = element_count(d.shape);
  const auto set = [&]<class T>(T, auto f) {
    for (std::size_t i = 0; i < n; ++i) {
      const T v = f();
      std::memcpy(bytes.data() + i * sizeof(T), &v, sizeof(T));
    }
  };
  const auto real = [&] { return std::uniform_real_distribution<float>(-1, 1)(random); };
  const auto small = [&] { return static_cast<std::uint8_t>(random() % 8); };
  switch (d.dataType) {
    case float32: set(float{}, real); break;
    case float16: set(Float16{}, [&] { return Float16(real()); }); break;
    case bfloat16: set(BFloat16{}, [&] { return BFloat16(real()); }); break;
    case int32:
    case uint32: set(std::int32_t{}, small); break;
    case int64:
    case uint64: set(std::int64_t{}, small); break;
    default:
      for (std::byte& b : bytes) b = static_cast<std::byte>(small());
  }
}

double microseconds(const Case& c, double seconds) {
  MLContext context({.threads = 1, .backends = {"reference"}});
  MLGraphBuilder b(context);
  std::vector<MLOperand> x;
  for (std::size_t i = 0; i < c.inputs.size(); ++i)
    x.push_back(b.input("x" + std::to_string(i), c.inputs[i]));
  NamedOperands y;
  for (const MLOperand& o : c.build(b, x)) y.emplace_back("y" + std::to_string(y.size()), o);
  const MLGraph graph = b.build(y);
  double best = std::numeric_limits<double>::infinity();
  for (const std::size_t lines : {17, 21, 33, 45}) {
    std::mt19937 random(1);
    Tensors memory(lines);
    std::vector<NamedInput> in;
    std::vector<NamedOutput> out;
    for (const auto& [name, d] : graph.inputs()) {
      const std::span<std::byte> x = memory.add(d);
      fill(x, d, random);
      in.push_back({name, x});
    }
    for (const auto& [name, d] : graph.outputs()) out.push_back({name, memory.add(d)});
    std::vector<double> times;
    const double end = now_us() + 1e6 * seconds / 4;
    for (int i = 0; i < 7 || now_us() < end; ++i) {
      const double start = now_us();
      context.compute(graph, in, out);
      if (i >= 2) times.push_back(now_us() - start);
    }
    best = std::min(best, median(std::move(times)));
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) try {
  double seconds = 0.03;
  std::vector<std::string_view> wanted;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) seconds = std::atof(argv[++i]);
    else wanted.push_back(argv[i]);
  }
  std::printf("operator;shape;microseconds\n");
  for (const Case& c : bench::reference_cases()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), c.name) == wanted.end())
      continue;
    std::printf("%s;%s;%.2f\n", c.name.c_str(), c.shape.c_str(), microseconds(c, seconds));
    std::fflush(stdout);
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "reference: %s\n", e.what());
  return 1;
}
