#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "examples/digits/network.h"
#include "tests/support/catch.h"
#include "tests/support/source_dir.h"
#include "webnn/passes.h"
#include "webnn/quantize.h"

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

/// How many of the drawings that the network was not trained on a graph misreads.
int misread(MLContext context, const MLGraph& graph, std::span<const std::byte> pixels,
            std::span<const std::byte> labels) {
  int count = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::array<float, 10> ours;
    context.compute(graph, {{"pixels", pixels.subspan(64 * i, 64)}}, {{"probabilities", ours}});
    const auto best = std::max_element(ours.begin(), ours.end()) - ours.begin();
    count += best != std::to_integer<int>(labels[i]);
  }
  return count;
}

TEST_CASE("digits: a quantized network misreads one in a hundred more at most", "[examples]") {
  const auto test = safetensors::File::open(folder / "test.safetensors");
  const auto pixels = test.bytes("pixels"), labels = test.bytes("labels");
  MLContext context({.threads = 1, .keepConstants = true});
  const MLGraph graph =
      digits::build(context, safetensors::File::open(folder / "digits.safetensors"));
  const int before = misread(context, graph, pixels, labels);
  std::vector<CalibrationSample> samples;
  for (std::size_t i = 0; i < 64; ++i) samples.push_back({{"pixels", pixels.subspan(64 * i, 64)}});
  for (const CalibrationMethod method :
       {CalibrationMethod::min_max, CalibrationMethod::percentile, CalibrationMethod::entropy})
    for (const bool dynamic : {false, true})
      for (const bool per_channel : {false, true}) {
        CAPTURE(name_of(method), dynamic, per_channel);
        const QuantizedGraph q =
            quantize(context, graph.graph(), samples,
                     {.dynamic = dynamic, .per_channel = per_channel, .calibration = method});
        const MLGraph integers = build_graph(context, q.graph);
        if (context.backends()[0] == "simd")
          CHECK(integers.explain().find("int8") != std::string::npos);
        CHECK(q.outputs[0].snr > 15);
        CHECK(misread(context, integers, pixels, labels) <=
              before + static_cast<int>(labels.size()) / 100);
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
