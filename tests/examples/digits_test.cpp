#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "examples/digits/network.h"
#include "tests/support/catch.h"
#include "tests/support/source_dir.h"

namespace webnn::inline v0_1 {
namespace {

const std::filesystem::path folder = webnn::test::source_dir() / "examples" / "digits";

struct Difference {
  double largest = 0;
  int misread = 0;
};

/// How far a context's probabilities are from those that PyTorch computed (train.py wrote them).
Difference from_torch(MLContext context) {
  const auto test = safetensors::File::open(folder / "test.safetensors");
  const auto pixels = test.bytes("pixels"), labels = test.bytes("labels");
  std::vector<float> torch(10 * labels.size());
  REQUIRE(test.descriptor("probabilities") ==
          MLOperandDescriptor{float32, {static_cast<std::uint32_t>(labels.size()), 10}});
  std::memcpy(torch.data(), test.bytes("probabilities").data(), 4 * torch.size());

  const MLGraph graph =
      digits::build(context, safetensors::File::open(folder / "digits.safetensors"));
  Difference out;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::array<float, 10> ours;
    context.compute(graph, {{"pixels", pixels.subspan(64 * i, 64)}}, {{"probabilities", ours}});
    for (std::size_t k = 0; k < 10; ++k) {
      const double difference = std::abs(double{ours[k]} - double{torch[10 * i + k]});
      out.largest = difference <= out.largest ? out.largest : difference;  // a NaN stays
    }
    const auto best = std::max_element(ours.begin(), ours.end()) - ours.begin();
    out.misread += best != std::to_integer<int>(labels[i]);
  }
  return out;
}

TEST_CASE("digits: every backend computes PyTorch's probabilities", "[examples]") {
  for (const std::string& backend : MLContext().backends()) {
    for (int threads : {1, 2}) {
      INFO(backend << ", threads " << threads);
      const Difference d =
          from_torch(MLContext({.threads = threads, .backends = {backend, "reference"}}));
      CHECK(d.largest < 1e-5);
      CHECK(d.misread == 1);
    }
  }
}

TEST_CASE("digits: the weights stay in the mapped file", "[examples]") {
  const auto weights = safetensors::File::open(folder / "digits.safetensors");
  const MLGraph graph = digits::build(MLContext(), weights);
  std::size_t shared = 0;
  for (std::size_t i = 0; i < graph.graph().operand_count(); ++i)
    if (const Constant* c = graph.graph().operand(static_cast<std::uint32_t>(i)).constant())
      for (const auto& t : weights.tensors())
        shared += c->bytes().data() == weights.bytes(t.name).data();
  CHECK(shared == weights.tensors().size());
}

}  // namespace
}  // namespace webnn::inline v0_1
