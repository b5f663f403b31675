// Machine translation: numbers from English to German, letter by letter: 24 is "twenty-four" and
// "vierundzwanzig". An encoder reads the text in both directions; the decoder writes, and looks
// back (attention) at what was read. Two graphs, because one runs once and the other for each
// letter.
#include <algorithm>
#include <cstdio>
#include <sstream>

#include "weights.h"

using namespace webnn;
using trained::Operand;

namespace {

constexpr std::uint32_t length = 44, hidden = 48, embedding = 24, letters = 34;
constexpr int begin_of_text = 1, end_of_text = 2;

MLGraph build_encoder(const MLContext& context, const safetensors::File& file) {
  MLGraphBuilder b(context);
  const trained::Layers layers{b, file};
  Operand text = b.input("text", {int32, {length}});
  Operand x = layers.weight("embedding").gather(text).reshape({length, 1, embedding});
  auto read = layers.gru(x, "encoder", hidden, std::nullopt, true);
  Operand last = read[0].reshape({1, 1, 2 * hidden});  // both directions
  return b.build({{"states", read[1].reshape({length, 2 * hidden})}, {"last", last}});
}

MLGraph build_decoder(const MLContext& context, const safetensors::File& file) {
  MLGraphBuilder b(context);
  const trained::Layers layers{b, file};
  Operand letter = b.input("letter", {int32, {1}});
  Operand state = b.input("state", {float32, {1, 1, 2 * hidden}});
  Operand states = b.input("states", {float32, {length, 2 * hidden}});
  Operand x = layers.weight("embedding").gather(letter).reshape({1, 1, embedding});
  Operand next = layers.gru(x, "decoder", 2 * hidden, state)[0];
  Operand out = next.reshape({1, 2 * hidden});
  Operand query = out.gemm(layers.weight("query.weight"), {.bTranspose = true});
  Operand attention = query.gemm(states, {.bTranspose = true}).softmax(1);
  Operand mixed = layers.linear(out.concat({attention.matmul(states)}, 1), "mix").tanh();
  Operand scores = layers.linear(mixed, "letters");
  return b.build({{"letter", scores.argMax(1, {.outputDataType = int32})}, {"next", next}});
}

struct Translator {
  MLContext context{{.threads = 1}};
  safetensors::File file = trained::open("translation");
  MLGraph encoder = build_encoder(context, file), decoder = build_decoder(context, file);

  std::string operator()(const std::string& english) {
    constexpr std::string_view alphabet = " -abcdefghijklmnopqrstuvwxyz";  // and then:
    constexpr const char* umlauts[] = {"\u00e4", "\u00f6", "\u00fc", "\u00df"};
    std::vector<std::int32_t> text(length);
    for (std::size_t i = 0; i < std::min<std::size_t>(english.size(), length - 1); ++i)
      text[i] = 3 + static_cast<std::int32_t>(alphabet.find(english[i]));
    text[std::min<std::size_t>(english.size(), length - 1)] = end_of_text;
    std::vector<float> states(length * 2 * hidden), state(2 * hidden), next(2 * hidden);
    context.compute(encoder, {{"text", text}}, {{"states", states}, {"last", state}});

    std::string german;
    std::vector<std::int32_t> letter = {begin_of_text}, written(1);
    for (std::uint32_t i = 0; i < length; ++i) {
      context.compute(decoder, {{"letter", letter}, {"state", state}, {"states", states}},
                      {{"letter", written}, {"next", next}});
      state.swap(next);
      letter.swap(written);
      if (letter[0] < 3) break;
      const auto found = static_cast<std::size_t>(letter[0] - 3);
      if (found < alphabet.size()) german += alphabet[found];
      else german += umlauts[found - alphabet.size()];
    }
    return german;
  }
};

}  // namespace

int main(int argc, char** argv) {
  Translator translate;
  for (int i = 1; i < argc; ++i) std::printf("%s\n", translate(argv[i]).c_str());
  if (argc > 1) return 0;
  std::istringstream tests(translate.file.metadata().at("tests"));  // numbers that were not trained
  std::size_t right = 0, all = 0;
  for (std::string english, german; getline(tests, english) && getline(tests, german); ++all) {
    const std::string found = translate(english);
    right += found == german;
    if (all < 12 || found != german)
      std::printf("%-42s %s%s\n", english.c_str(), found.c_str(),
                  found == german ? "" : "  (wrong)");
  }
  std::printf("%zu of %zu right, letter by letter\n", right, all);
  return right * 10 < all * 8;
}
