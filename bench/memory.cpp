// What graphs hold, each case in a process of its own: resident memory, anonymous and of mapped
// files, after build and one run, beyond what the process had before it made its context.
//   memory [case]
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>

#include "bench/networks/transformer.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

struct Resident {
  double anonymous = 0, file = 0;  // MB
};
Resident resident() {
  Resident r;
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("RssAnon:")) r.anonymous = std::atof(line.c_str() + 8) * 1024 / 1e6;
    if (line.starts_with("RssFile:")) r.file = std::atof(line.c_str() + 8) * 1024 / 1e6;
  }
  return r;
}

/// A file of so many bytes, mapped, which is deleted with the mapping.
std::shared_ptr<const float> mapped(std::size_t bytes) {
  char name[] = "/tmp/webnn_memory_XXXXXX";
  const int file = mkstemp(name);
  if (file < 0) std::abort();
  unlink(name);
  std::vector<float> some(1 << 18);
  for (std::size_t at = 0; at < bytes; at += some.size() * 4) {
    for (std::size_t i = 0; i < some.size(); ++i)  // no two matrices are equal
      some[i] = static_cast<float>((at + i * 7919) % 1000003) * 2e-8f - 0.01f;
    const auto n = std::min(bytes - at, some.size() * 4);
    if (write(file, some.data(), n) != static_cast<ssize_t>(n)) std::abort();
  }
  void* at = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (at == MAP_FAILED) std::abort();
  return {static_cast<const float*>(at),
          [bytes](const float* p) { munmap(const_cast<float*>(p), bytes); }};
}

Constant part(const std::shared_ptr<const float>& all, std::size_t begin, std::size_t count) {
  return Constant(all, std::as_bytes(std::span(all.get() + begin, count)));
}

void run(MLContext& context, const MLGraph& graph) {
  std::vector<std::vector<float>> memory;
  std::vector<NamedInput> in;
  std::vector<NamedOutput> out;
  for (const auto& [name, d] : graph.inputs())
    in.push_back({name, memory.emplace_back(element_count(d.shape), 0.5f)});
  for (const auto& [name, d] : graph.outputs())
    out.push_back({name, memory.emplace_back(element_count(d.shape))});
  context.compute(graph, in, out);
}

// 390 MB of weights

constexpr std::uint32_t size = 1024, layers = 93;
constexpr std::size_t each = std::size_t{size} * size;
enum class From { mapped, heap, transposed };

MLGraph products(MLContext& context, From from) {
  const auto file = from == From::mapped ? mapped(layers * each * 4) : nullptr;
  MLGraphBuilder b(context);
  MLOperand x = b.input("x", {float32, {16, size}});
  const MLOperandDescriptor d{float32, {size, size}};
  for (std::uint32_t i = 0; i < layers; ++i) {
    std::vector<float> values;
    if (!file)
      for (std::size_t k = 0; k < each; ++k)
        values.push_back(static_cast<float>((k + i) % 997) * 1e-5f);
    MLOperand w = file ? b.constant(d, part(file, i * each, each)) : b.constant(d, values);
    if (from == From::transposed) w = b.transpose(w);
    x = b.matmul(x, w);
  }
  return b.build({{"y", x}});
}

MLGraph one_product(MLContext& context, const Constant& weights, std::uint32_t n) {
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {16, n}});
  return b.build({{"y", b.matmul(x, b.constant({float32, {n, n}}, weights))}});
}

// Transformers. Matrices are parts of one mapped file, the same ones for the same names.

class Weights {
 public:
  explicit Weights(std::size_t floats) : file_(mapped(floats * 4)) {}
  MLOperand operator()(MLGraphBuilder& b, const std::string& name, std::uint32_t layer,
                       std::uint32_t k, std::uint32_t columns) {
    const auto [found, is_new] = begins_.try_emplace(name + std::to_string(layer), end_);
    const std::size_t count = std::size_t{k} * columns;
    if (is_new) end_ += count;
    return b.constant({float32, {k, columns}}, part(file_, found->second, count));
  }

 private:
  std::shared_ptr<const float> file_;
  std::map<std::string, std::size_t> begins_{};
  std::size_t end_ = 0;
};

struct Case {
  const char* name;
  std::vector<MLGraph> (*build)(MLContext&);
};
constexpr Case cases[] = {
    {"390 MB mapped", [](MLContext& c) { return std::vector{products(c, From::mapped)}; }},
    {"390 MB on the heap", [](MLContext& c) { return std::vector{products(c, From::heap)}; }},
    {"390 MB transposed", [](MLContext& c) { return std::vector{products(c, From::transposed)}; }},
    {"3 graphs, one constant of 95 MB",
     [](MLContext& c) {
       constexpr std::uint32_t n = 4864;
       const auto file = mapped(std::size_t{n} * n * 4);
       std::vector<MLGraph> graphs;
       for (int i = 0; i < 3; ++i)
         graphs.push_back(one_product(c, part(file, 0, std::size_t{n} * n), n));
       return graphs;
     }},
    {"encoder like BERT-base",
     [](MLContext& c) {
       MLGraphBuilder b(c);
       return std::vector{b.build(
           bench::encoder(b, bench::bert_base, 128, Weights(bench::bert_base.parameters())))};
     }},
    {"decoder of 135M, decode",
     [](MLContext& c) {
       MLGraphBuilder b(c);
       return std::vector{b.build(bench::decoder(b, bench::decoder_135m, 1, 64,
                                                 Weights(bench::decoder_135m.parameters())))};
     }},
    {"the same with prefill",
     [](MLContext& c) {
       Weights w(bench::decoder_135m.parameters());
       const bench::Matrices matrix = [&](auto&&... a) { return w(a...); };
       std::vector<MLGraph> graphs;
       for (const std::uint32_t rows : {64u, 1u}) {
         MLGraphBuilder b(c);
         graphs.push_back(
             b.build(bench::decoder(b, bench::decoder_135m, rows, rows == 1 ? 64 : 0, matrix)));
       }
       return graphs;
     }},
};

void measure(const Case& c) {
  const Resident before = resident();
  MLContext context;
  const std::vector<MLGraph> graphs = c.build(context);
  GraphMemory held;
  for (const MLGraph& g : graphs) {
    run(context, g);
    const GraphMemory m = g.memory();
    held.packed += m.packed;
    held.shared += m.shared;
    held.constants += m.constants;
  }
  const Resident now = resident();
  const auto mb = [](std::size_t bytes) { return static_cast<double>(bytes) / 1e6; };
  std::printf("%-34s %9.0f %9.0f %9.0f %9.0f %9.0f\n", c.name, now.anonymous - before.anonymous,
              now.file - before.file, mb(held.packed), mb(held.shared), mb(held.constants));
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("%-34s %9s %9s %9s %9s %9s\n", "MB", "anonymous", "mapped", "packed", "shared",
              "constants");
  for (const Case& c : cases) {
    if (argc > 1 && std::strcmp(argv[1], c.name) != 0) continue;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      measure(c);
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 1;
  }
}
