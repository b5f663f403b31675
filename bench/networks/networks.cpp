#include "bench/networks/networks.h"

#include "bench/networks/mobilenet_v2.h"
#include "bench/networks/recurrent.h"
#include "bench/networks/resnet.h"
#include "bench/networks/style_transfer.h"
#include "bench/networks/transformer.h"
#include "bench/networks/unet.h"

namespace webnn::inline v0_1::bench {
namespace {

using Layout = MLInputOperandLayout;
constexpr std::uint32_t seed = 7;

NamedOperands style(MLGraphBuilder& b, Layout layout, Upsampling u, const WeightSink& sink) {
  return {{"output", style_transfer(b, layout, u, seed, sink)}};
}

/// Random weights for a transformer.
Matrices matrices(Weights& weights) {
  return [&](MLGraphBuilder&, const std::string& name, std::uint32_t layer, std::uint32_t k,
             std::uint32_t columns) {
    return weights.filter(name + std::to_string(layer), {k, columns}, 2 * k);
  };
}
constexpr Transformer small_encoder{4, 384, 12, 12, 1536, 0},
    small_decoder{8, 512, 8, 4, 1536, 8192};

NamedOperands small(MLGraphBuilder& b, const Transformer& t, const WeightSink& sink) {
  constexpr std::uint32_t tokens = 128, past = 255;
  Weights weights(b, seed, sink);
  return t.vocabulary ? decoder(b, t, 1, past, matrices(weights))
                      : encoder(b, t, tokens, matrices(weights));
}

constexpr Network all[] = {
    {"mobilenet_v2", "depthwise convolutions",
     [](auto& b, Layout l, auto& sink) {
       return NamedOperands{{"output", mobilenet_v2(b, l, seed, sink)}};
     }},
    {"resnet50", "residual network",
     [](auto& b, Layout l, auto& sink) {
       return NamedOperands{{"output", resnet50(b, l, seed, sink)}};
     }},
    {"unet", "encoder and decoder of images",
     [](auto& b, Layout l, auto& sink) {
       return NamedOperands{{"output", unet(b, l, seed, sink)}};
     }},
    {"style_transfer", "instance normalization",
     [](auto& b, Layout l, auto& sink) { return style(b, l, Upsampling::nearest, sink); }},
    {"style_transfer_transposed", "transposed convolutions",
     [](auto& b, Layout l, auto& sink) { return style(b, l, Upsampling::transposed, sink); }},
    {"encoder", "transformer, 128 tokens",
     [](auto& b, Layout, auto& sink) { return small(b, small_encoder, sink); }},
    {"decoder", "transformer, one token",
     [](auto& b, Layout, auto& sink) { return small(b, small_decoder, sink); }},
    {"gru", "recurrent, 100 steps", [](auto& b, Layout, auto& sink) { return gru(b, seed, sink); }},
    {"lstm", "recurrent, 100 steps",
     [](auto& b, Layout, auto& sink) { return lstm(b, seed, sink); }},
};

}  // namespace

std::span<const Network> networks() { return all; }

}  // namespace webnn::inline v0_1::bench
