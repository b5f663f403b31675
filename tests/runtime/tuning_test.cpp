// Kernels chosen by measurement, or by a table of measurements.
#include "src/runtime/tuning.h"

#include <chrono>
#include <thread>

#include "src/runtime/graph_state.h"
#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"
#include "tests/support/environment.h"
#include "tests/support/temporary_file.h"
#include "tests/support/thrown.h"

using namespace webnn;
using test::TemporaryFile;
using test::thrown;

namespace {

float relu(float v) { return std::max(0.f, v); }

/// One kernel for relu, which sleeps so long and counts its runs.
struct TimedBackend {
  std::atomic<int> runs{0};
  std::chrono::microseconds sleep{0};
  std::string kernel = "test";
  bool refuses = false, throws = false;
  std::size_t packs = 0;  // bytes
  std::weak_ptr<std::vector<std::byte>> packed{};
  std::shared_ptr<test::OwnBackend> backend;

  TimedBackend(std::string name, int sleep_us) : sleep(sleep_us) {
    backend = test::own_backend([this](Chain chain) { return lower(chain); }, std::move(name));
  }

 private:
  Lowering lower(Chain chain) {
    if (refuses || chain.size() > 1 || !chain[0].as<ops::relu>()) return Refusal{"only relu"};
    Candidate k = test::float_kernel(chain, &relu, 1);
    k.name = kernel;
    const auto memory = std::make_shared<std::shared_ptr<std::vector<std::byte>>>();
    if (packs)
      k.weights = {{.bytes = packs, .fill = [this, memory](std::byte*, int) {
                      *memory = std::make_shared<std::vector<std::byte>>(packs);
                      packed = *memory;
                    }}};
    k.run = [this, memory, run = k.run](Range r, const Buffers& b, std::byte* scratch) {
      ++runs;
      if (throws) throw std::runtime_error("it does not want to");
      std::this_thread::sleep_for(sleep);
      run(r, b, scratch);
    };
    return k;
  }
};

/// A slow backend that is asked first, and a fast one.
struct Pair {
  TimedBackend slow{"slow", 2000}, fast{"fast", 0};

  MLContextOptions options(Tuning tuning, const std::string& file = "", int threads = 1) const {
    return {.threads = threads,
            .backends = {slow.backend, fast.backend, test::own_backend(test::refuse)},
            .tuning = tuning,
            .tuningFile = file};
  }
  MLContext context(Tuning tuning, const std::string& file = "", int threads = 1) const {
    return MLContext(options(tuning, file, threads));
  }
  int runs() const { return slow.runs + fast.runs; }
};

MLGraph relu_graph(const MLContext& context, std::uint32_t size = 4,
                   const BuildOptions& options = {}) {
  MLGraphBuilder b(context);
  return b.build({{"y", b.relu(b.input("x", {float32, {size}}))}}, options);
}
std::string chosen(const MLGraph& graph) { return graph.report().steps.at(0).backend; }
std::string chosen(const MLContext& context) { return chosen(relu_graph(context)); }

/// A table in which relu of 4 elements takes so long.
std::string table(std::uint64_t slow_ns, std::uint64_t fast_ns) {
  Pair p;
  const MLContext context = p.context(Tuning::once);
  relu_graph(context);
  std::string text = context.tuning_table();
  const auto replace = [&](const std::string& backend, std::uint64_t ns) {
    const std::size_t name = text.find('\t' + backend + '\t');
    const std::size_t begin = text.rfind('\n', name) + 2;
    text.replace(begin, name - begin, std::to_string(ns));
  };
  replace("slow", slow_ns);
  replace("fast", fast_ns);
  return text;
}

}  // namespace

TEST_CASE("without tuning the order decides, and nothing is run") {
  Pair p;
  const MLContext context = p.context(Tuning::off);
  CHECK(chosen(context) == "slow");
  CHECK(p.runs() == 0);
  CHECK(context.tuning_table() == "webnn tuning 1\nend\n");
}

TEST_CASE("tuning chooses the kernel that takes less time") {
  Pair p;
  MLContext context = p.context(Tuning::once);
  const MLGraph graph = relu_graph(context);
  CHECK(chosen(graph) == "fast");
  CHECK(p.slow.runs >= 2);
  CHECK(p.fast.runs >= 2);
  const std::array<float, 4> x{-1, 2, -3, 4};
  std::array<float, 4> y{};
  context.compute(graph, {{"x", x}}, {{"y", y}});
  CHECK(y == std::array{0.f, 2.f, 0.f, 4.f});
  const std::string text = graph.explain();
  CAPTURE(text);
  CHECK(text.find("\nchosen by measurement:\n  fast is ") != std::string::npos);
  CHECK(text.find(" times as fast as slow  (step 1)\n") != std::string::npos);
  CHECK(text.find("why not an earlier backend") == std::string::npos);
  const std::vector<std::string> others = graph.report().steps[0].others;
  REQUIRE(others.size() == 2);
  CHECK(others[0].starts_with("slow: tuned: fast is "));
  CHECK(others[1] == "own: later in the order");
}

TEST_CASE("each chain is measured once for a context") {
  Pair p;
  const MLContext context = p.context(Tuning::once);
  relu_graph(context);
  const int runs = p.runs();
  CHECK(chosen(context) == "fast");
  CHECK(p.runs() == runs);
  CHECK(chosen(relu_graph(context, 5)) == "fast");
  CHECK(p.runs() > runs);
}

TEST_CASE("a table is loaded and obeyed without measurements") {
  Pair p;
  const MLContext first = p.context(Tuning::once);
  relu_graph(first);
  const TemporaryFile file(first.tuning_table());
  const int runs = p.runs();
  for (const Tuning tuning : {Tuning::off, Tuning::once}) {
    const MLContext context = p.context(tuning, file.path);
    CHECK(chosen(context) == "fast");
    CHECK(context.tuning_table() == first.tuning_table());
  }
  {
    const test::Env env("WEBNN_TUNING", file.path.c_str());
    CHECK(chosen(p.context(Tuning::off)) == "fast");
    const TemporaryFile other(table(100, 200));
    CHECK(chosen(p.context(Tuning::off, other.path)) == "slow");  // the option wins
  }
  {
    const test::Env env("WEBNN_TUNING", "");
    CHECK(chosen(p.context(Tuning::off)) == "slow");
  }
  CHECK(p.runs() == runs);
}

TEST_CASE("what was measured with another number of threads is not used") {
  Pair p;
  const TemporaryFile file(table(200, 100));
  CHECK(chosen(p.context(Tuning::off, file.path, 1)) == "fast");
  CHECK(chosen(p.context(Tuning::off, file.path, 2)) == "slow");
  CHECK(p.runs() == 0);
  const MLContext context = p.context(Tuning::once, file.path, 2);
  CHECK(chosen(context) == "fast");
  CHECK(p.runs() > 0);
  const std::string text = context.tuning_table();  // now it has both
  CHECK(text.find(", 1 threads\n") != std::string::npos);
  CHECK(text.find(", 2 threads\n") != std::string::npos);
}

TEST_CASE("what was measured on another machine or for another shape is not used") {
  Pair p;
  std::string text = table(200, 100);
  const TemporaryFile file(text);
  CHECK(chosen(relu_graph(p.context(Tuning::off, file.path), 5)) == "slow");
  text.insert(text.find("caches"), "other ");
  file.write(text);
  CHECK(chosen(p.context(Tuning::off, file.path)) == "slow");
}

TEST_CASE("a kernel has to be faster by more than noise") {
  Pair p;
  const auto with = [&](std::uint64_t slow_ns, std::uint64_t fast_ns) {
    const TemporaryFile file(table(slow_ns, fast_ns));
    std::string backend = chosen(p.context(Tuning::off, file.path));
    CHECK(chosen(p.context(Tuning::off, file.path)) == backend);
    return backend;
  };
  CHECK(with(1000, 2000) == "slow");
  CHECK(with(1000, 1000) == "slow");
  CHECK(with(1000, 980) == "slow");
  CHECK(with(1000, 960) == "fast");
  CHECK(p.runs() == 0);
}

TEST_CASE("a kernel of the table that is not there any more gives way to the usual one") {
  const TemporaryFile file(table(200, 100));
  {
    Pair p;
    p.fast.refuses = true;
    CHECK(chosen(p.context(Tuning::off, file.path)) == "slow");
  }
  {
    Pair p;
    p.fast.kernel = "another";
    CHECK(chosen(p.context(Tuning::off, file.path)) == "slow");
  }
  {
    Pair p;
    p.slow.kernel = "another";  // which has no time to compare with
    CHECK(chosen(p.context(Tuning::off, file.path)) == "slow");
    CHECK(chosen(p.context(Tuning::once, file.path)) == "fast");
    CHECK(p.runs() > 0);
  }
  {
    Pair p;
    MLContext context({.backends = {p.slow.backend}, .tuningFile = file.path});
    CHECK(chosen(context) == "slow");
  }
  {
    Pair p;
    MLContextOptions options = p.options(Tuning::off, file.path);
    std::swap(options.backends[0], options.backends[1]);  // the same measurements, another order
    CHECK(chosen(MLContext(options)) == "fast");
    CHECK(p.runs() == 0);
  }
}

TEST_CASE("a kernel that throws is not chosen") {
  Pair p;
  p.fast.throws = true;
  const MLContext context = p.context(Tuning::once);
  CHECK(chosen(context) == "slow");
  CHECK(context.tuning_table().find("\t-\tfast\t\t\n") != std::string::npos);
  p.fast.throws = false;
  p.slow.throws = true;
  CHECK(chosen(p.context(Tuning::once)) == "slow");  // it fails when the graph runs
}

TEST_CASE("kernels that are not chosen give back what they packed") {
  Pair p;
  p.slow.packs = 100'000;
  p.fast.packs = 200'000;
  const MLGraph graph = relu_graph(p.context(Tuning::once));
  CHECK(chosen(graph) == "fast");
  CHECK(p.slow.packed.expired());
  CHECK_FALSE(p.fast.packed.expired());
  CHECK(graph.memory().packed == 200'000);
  CHECK(graph.memory().shared == 0);

  Pair q;
  q.fast.sleep = std::chrono::microseconds(4000);
  q.fast.packs = 100'000;
  const MLGraph other = relu_graph(q.context(Tuning::once));
  CHECK(chosen(other) == "slow");
  CHECK(q.fast.packed.expired());
  CHECK(other.memory().packed == 0);
}

TEST_CASE("with a limit of memory no kernel is chosen that packs more") {
  Pair p;
  p.slow.packs = 100'000;
  p.fast.packs = 200'000;
  MLContextOptions options = p.options(Tuning::once);
  options.memoryLimit = 10'000'000;
  CHECK(chosen(MLContext(options)) == "slow");
  p.fast.packs = 100'000;
  CHECK(chosen(MLContext(options)) == "fast");
}

TEST_CASE("a build can be stopped while it measures, and says how far it is") {
  Pair p;
  std::vector<std::string> stages;
  relu_graph(p.context(Tuning::once), 4, {.progress = [&](const BuildProgress& b) {
               if (b.stage == "tuning")
                 stages.push_back(std::to_string(b.done) + " of " + std::to_string(b.total));
             }});
  CHECK(stages == std::vector<std::string>{"1 of 1"});
  std::stop_source stop;
  TimedBackend stopping("stopping", 0);
  const auto backend = test::own_backend([&](Chain chain) -> Lowering {
    Lowering lowering = stopping.backend->lower(chain);
    if (auto* k = std::get_if<Candidate>(&lowering)) {
      k->rounds = 2;
      k->run = [&stop](Range, const Buffers&, std::byte*) { stop.request_stop(); };
    }
    return lowering;
  });
  const MLContext context(
      {.threads = 1, .backends = {backend, p.fast.backend}, .tuning = Tuning::once});
  CHECK(thrown([&] { relu_graph(context, 4, {.stop = stop.get_token()}); }) ==
        "AbortError build: it was canceled.");
}

TEST_CASE("a fallback is measured, too, and operands of every kind have memory") {
  TimedBackend slow("slow", 2000);
  const auto second = test::own_backend(
      [](Chain chain) -> Lowering {
        if (chain.size() > 1) return Refusal{"one at a time"};
        // Reads all operands and writes all results, in tiles and rounds, with scratch.
        Candidate k{.name = "touch", .tiles = 3, .rounds = 2, .scratch = 100, .shared = 64};
        std::vector<std::size_t> in, out;
        for (const MLOperand& x : inputs_of(chain)) in.push_back(byte_length(x.descriptor()));
        for (const MLOperand& y : chain.back().outputs())
          out.push_back(byte_length(y.descriptor()));
        k.fallback_reason = "it is only for tests";
        k.run = [in, out](Range r, const Buffers& b, std::byte* scratch) {
          scratch[99] = b.shared[0] = std::byte{1};
          unsigned sum = 0;
          for (std::size_t i = 0; i < in.size(); ++i)
            for (std::size_t k = 0; k < in[i]; ++k) sum += static_cast<unsigned>(b.inputs[i][k]);
          for (std::size_t i = 0; i < out.size(); ++i)
            std::fill_n(b.outputs[i], out[i],
                        r.begin == 0 ? static_cast<std::byte>(sum) : std::byte{0});
        };
        return k;
      },
      "second");
  const MLContext context(
      {.threads = 1, .backends = {slow.backend, "reference", second}, .tuning = Tuning::once});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2, 4}});
  const MLOperand i = b.input("i", {int64, {3}}), c = b.input("c", {uint8, {2, 4}});
  const MLOperand q = b.input("q", {int4, {3, 3}}), h = b.input("h", {float16, {5}});
  const std::vector<MLOperand> parts = b.split(b.relu(b.mul(x, x)), 2);
  const MLGraph graph =
      b.build({{"a", b.gather(x, i)},
               {"b", b.where(c, x, b.constant(float32, 1))},
               {"c", b.dequantizeLinear(q, b.constant({float32, {1, 1}}, {2.f}),
                                        b.constant({int4, {1, 1}}, std::vector<std::byte>(1)))},
               {"d", b.cast(h, int32)},
               {"e", parts[0]},
               {"f", b.tanh(parts[1])}});
  CHECK(graph.report().steps.size() >= 7);
  for (const StepReport& s : graph.report().steps) CHECK(s.backend != "slow");
}
