// Image captioning: what is in the scene? Convolutions turn the image into a grid of features; a
// GRU writes a sentence word by word, and attention says where in the grid it looks for each word.
// The first letter of "tree" and other kinds of things is printed where the network looked for the
// word. Two graphs, because one runs once and the other for each word.
#include <iterator>
#include <sstream>

#include "picture.h"
#include "weights.h"

using namespace webnn;
using namespace trained;

namespace {

constexpr std::uint32_t size = 32, grid = 8, channels = 32, features = channels + 2;
constexpr std::uint32_t hidden = 64, embedding = 16, length = 14;  // a sentence, with its end
constexpr std::size_t bytes = size * size / 2;                     // an image: 4 bits a pixel
constexpr std::uint8_t end = 0, begin = 1, first_kind = 7, last_kind = 12;  // among the words

/// An image -> "places", the features and coordinates of each place of the grid, and "state".
MLGraph build_encoder(const MLContext& context, const safetensors::File& file) {
  MLGraphBuilder b(context);
  const Layers layers{b, file};
  const auto conv = [&](Operand x, const char* name, std::uint32_t padding, std::uint32_t stride) {
    const Dims all(4, padding);
    return layers.conv2d(x, name, {.padding = all, .strides = {stride, stride}}).relu();
  };
  std::vector<float> x_and_y(2 * grid * grid);  // from -1 to 1
  for (std::size_t i = 0; i < grid * grid; ++i) {
    x_and_y[i] = static_cast<float>(i % grid) * 2 / (grid - 1) - 1;
    x_and_y[grid * grid + i] = static_cast<float>(i / grid) * 2 / (grid - 1) - 1;
  }
  Operand coordinates = b.constant({float32, {1, 2, grid, grid}}, x_and_y);
  Operand x = layers.pixels(b.input("image", {uint4, {1, 1, size, size}}));
  x = conv(conv(x - 0.5f, "conv1", 2, 2), "conv2", 1, 2);
  x = conv(x.concat({coordinates}, 1), "conv3", 1, 1);
  Operand coarse = x.maxPool2d({.windowDimensions = Dims{2, 2}, .strides = {2, 2}});
  Operand state = layers.linear(coarse.reshape({1, channels * grid * grid / 4}), "state").tanh();
  Operand places = x.concat({coordinates}, 1).reshape({features, grid * grid}).transpose();
  return b.build({{"places", places}, {"state", state.reshape({1, 1, hidden})}});
}

/// A word and the state -> "next_word", "next", the next state, and "place", which counted most.
MLGraph build_decoder(const MLContext& context, const safetensors::File& file) {
  MLGraphBuilder b(context);
  const Layers layers{b, file};
  Operand word = b.input("word", {int32, {1}});
  Operand state = b.input("state", {float32, {1, 1, hidden}});
  Operand places = b.input("places", {float32, {grid * grid, features}});
  Operand x = layers.weight("embedding").gather(word).reshape({1, 1, embedding});
  Operand next = layers.gru(x, "decoder", hidden, state)[0];
  Operand out = next.reshape({1, hidden});
  Operand query = out.gemm(layers.weight("query.weight"), {.bTranspose = true});
  Operand attention = query.gemm(places, {.bTranspose = true}).softmax(1);
  Operand mixed = layers.linear(out.concat({attention.matmul(places)}, 1), "mix").tanh();
  return b.build({{"next_word", layers.linear(mixed, "words").argMax(1, {.outputDataType = int32})},
                  {"next", next},
                  {"place", attention.argMax(1, {.outputDataType = int32})}});
}

}  // namespace

int main() {
  const auto file = open("image_captioning");
  const auto images = values<std::uint8_t>(file, "images"),
             captions = values<std::uint8_t>(file, "captions");
  std::istringstream list(file.metadata().at("words"));
  const std::vector<std::string> words(std::istream_iterator<std::string>(list), {});
  MLContext context({.threads = 1});
  const MLGraph encoder = build_encoder(context, file), decoder = build_decoder(context, file);
  std::vector<float> places(grid * grid * features), state(hidden), next(hidden);
  std::size_t right = 0, all = images.size() / bytes;
  for (std::size_t n = 0; n < all; ++n) {
    const auto image = std::span(images).subspan(n * bytes, bytes);
    context.compute(encoder, {{"image", image}}, {{"places", places}, {"state", state}});
    Picture picture(unpacked(image), size);
    std::string written, truth;
    for (std::size_t i = n * length; captions[i] != end; ++i) truth += words[captions[i]] + " ";
    std::vector<std::int32_t> word = {begin}, next_word(1), place(1);
    for (std::size_t i = 0; i < length; ++i) {
      context.compute(decoder, {{"word", word}, {"state", state}, {"places", places}},
                      {{"next_word", next_word}, {"next", next}, {"place", place}});
      state.swap(next), word.swap(next_word);
      if (word[0] == end) break;
      const std::string text = words[static_cast<std::size_t>(word[0])];
      written += text + " ";
      if (word[0] >= first_kind && word[0] <= last_kind)
        picture.set(
            {static_cast<float>(place[0] % grid * 4), static_cast<float>(place[0] / grid * 4)},
            text[0]);
    }
    right += written == truth;
    if (n < 3) show({picture});
    if (written != truth) written += " (wrong: " + truth + ")";
    std::puts(written.c_str());
  }
  std::printf("%zu of %zu sentences right, word by word\n", right, all);
  return right * 10 < all * 9;
}
