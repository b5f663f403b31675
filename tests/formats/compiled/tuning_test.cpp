// Graphs whose kernels were chosen by measurement: their results, and that files keep the choice.
#include <cmath>
#include <cstring>

#include "src/runtime/tuning_table.h"
#include "tests/formats/compiled/networks.h"
#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_file.h"

using namespace webnn;
using namespace webnn::test;

namespace {

/// A backend that computes relu.
std::shared_ptr<OwnBackend> relu_backend(const std::string& name) {
  return own_backend(
      [](Chain chain) -> Lowering {
        if (chain.size() > 1 || !chain[0].as<ops::relu>()) return Refusal{"only relu"};
        return float_kernel(chain, [](float v) { return std::max(0.f, v); });
      },
      name);
}

Network relu_network() {
  return {"relu", [](MLGraphBuilder& b) -> NamedOperands {
            return {{"y", b.relu(b.input("x", {float32, {7}}))}};
          }};
}

/// By more than the rounding of long sums, which other kernels add up in another order; softmax
/// makes more of it.
bool differ(const std::vector<std::byte>& a, const std::vector<std::byte>& b,
            const MLOperandDescriptor& d) {
  if (d.dataType != float32) return a != b;
  const auto floats = [](const std::vector<std::byte>& bytes) {
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  };
  const std::vector<float> x = floats(a), y = floats(b);
  float largest = 0, off = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) return true;
    largest = std::max(largest, std::abs(x[i]));
    off = std::max(off, std::abs(x[i] - y[i]));
  }
  constexpr float rounding = 1e-3f;
  return off > rounding * largest;
}

}  // namespace

TEST_CASE("a compiled graph keeps the kernels that a table has chosen") {
  const auto context = [](const std::string& file, Tuning tuning = Tuning::off) {
    return MLContext({.threads = 1,
                      .backends = {relu_backend("a"), relu_backend("b")},
                      .tuning = tuning,
                      .tuningFile = file});
  };
  const MLContext measuring = context("", Tuning::once);
  built(measuring, relu_network());
  std::string text = measuring.tuning_table();
  const std::size_t first = text.find("\n\t") + 2;
  text.insert(first, "9");  // so that the first one takes longer
  text.insert(first, "9");
  const TemporaryFile file(text);
  const MLContext tuned = context(file.path);
  const MLGraph graph = built(tuned, relu_network());
  REQUIRE(graph.report().steps[0].backend == "b");
  const MLContext plain = context("");
  CHECK(built(plain, relu_network()).report().steps[0].backend == "a");
  const MLGraph again = loaded(plain, compiled::bytes_of(graph));
  CHECK(again.report().steps[0].backend == "b");
  CHECK(again.report().steps[0].others == graph.report().steps[0].others);
  CHECK(again.explain().find("chosen by measurement:") != std::string::npos);
  CHECK(results(plain, again) == results(tuned, graph));
}

TEST_CASE("networks of each kind compute the same with measured kernels, and can be saved") {
  for (const Network& network : networks())
    for (const int threads : {1, 2}) {
      CAPTURE(network.name, threads);
      const MLContext usual({.threads = threads, .keepConstants = true});
      const MLContext measuring(
          {.threads = threads, .keepConstants = true, .tuning = Tuning::once});
      const MLGraph graph = built(usual, network), tuned = built(measuring, network);
      if (network.name != "parts")  // whose concat runs if a kernel does not write rows apart
        CHECK(tuned.report().steps.size() == graph.report().steps.size());
      const Results a = results(usual, graph), b = results(measuring, tuned);
      for (std::size_t i = 0; i < a.size(); ++i)
        if (network.name != "float16")  // whose results have few digits
          CHECK_FALSE(differ(a[i], b[i], graph.outputs()[i].descriptor));
      CHECK(results(usual, loaded(usual, compiled::bytes_of(tuned))) == b);
      // What the table says is what has been built.
      const TemporaryFile file(measuring.tuning_table());
      const MLContext obeying({.threads = threads, .keepConstants = true, .tuningFile = file.path});
      const MLGraph same = built(obeying, network);
      for (std::size_t i = 0; i < same.report().steps.size(); ++i)
        CHECK(same.report().steps[i].backend == tuned.report().steps[i].backend);
      CHECK(results(obeying, same) == b);
      CHECK(same.memory().packed == tuned.memory().packed);
      CHECK(obeying.tuning_table() == measuring.tuning_table());
    }
}
