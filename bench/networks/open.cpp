#include "bench/networks/open.h"

#include <memory>

#include "bench/networks/mobilenet_v2.h"
#include "bench/networks/resnet.h"
#include "bench/networks/transformer.h"
#include "bench/networks/unet.h"
#include "bench/networks/weights.h"

namespace webnn::inline v0_1::bench {
namespace {

constexpr std::uint32_t seed = 7;

Matrices matrices(MLGraphBuilder& b) {
  const auto weights = std::make_shared<Weights>(b, seed, WeightSink());
  return [weights](MLGraphBuilder&, const std::string& name, std::uint32_t layer, std::uint32_t k,
                   std::uint32_t columns) {
    return weights->filter(name + std::to_string(layer), {k, columns}, 2 * k);
  };
}
constexpr Transformer minilm{6, 384, 12, 12, 1536, 0};
constexpr auto nchw = MLInputOperandLayout::nchw;

MLDimension cache(std::uint32_t least) { return MLDynamicDimension{"past", least, 4096}; }
Sizes image(std::uint32_t i) {
  return {{"height", 160 + 32 * (i % 16)}, {"width", 192 + 32 * (i / 16 % 16)}};
}

constexpr OpenNetwork networks[] = {
    {"mobilenet_v2",
     [](MLGraphBuilder& b) {
       return NamedOperands{{"y", mobilenet_v2(b, nchw, seed, {}, "height", "width")}};
     },
     image},
    {"resnet50",
     [](MLGraphBuilder& b) {
       return NamedOperands{{"y", resnet50(b, nchw, seed, {}, "height", "width")}};
     },
     image},
    {"unet",
     [](MLGraphBuilder& b) {
       return NamedOperands{{"y", unet(b, nchw, seed, {}, "height", "width")}};
     },
     image},
    {"minilm", [](MLGraphBuilder& b) { return encoder(b, minilm, "sequence", matrices(b)); },
     [](std::uint32_t i) {
       return Sizes{{"sequence", 96 + i}};
     }},
    {"prefill",
     [](MLGraphBuilder& b) { return decoder(b, decoder_135m, "sequence", 0, matrices(b)); },
     [](std::uint32_t i) {
       return Sizes{{"sequence", 64 + i}};
     }},
    {"step", [](MLGraphBuilder& b) { return decoder(b, decoder_135m, 1, cache(1), matrices(b)); },
     [](std::uint32_t i) {
       return Sizes{{"past", 128 + i}};
     }},
};

}  // namespace

std::span<const OpenNetwork> open_networks() { return networks; }

}  // namespace webnn::inline v0_1::bench
