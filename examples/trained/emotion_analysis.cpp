// Emotion analysis: how does the friend feel who writes short messages? Words are gathered from a
// table, a GRU reads them in both directions, attention says which of them count, and the program
// shows the emotion and underlines the word that counted most.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <sstream>

#include "weights.h"

using namespace webnn;
using trained::Operand;

namespace {

constexpr std::uint32_t length = 24, hidden = 24, embedding = 24, emotions = 5;
constexpr const char* labels[emotions] = {"neutral", "joy", "anger", "sadness", "fear"};
constexpr const char* faces[emotions] = {"\U0001F610", "\U0001F600", "\U0001F620", "\U0001F622",
                                         "\U0001F628"};

/// Numbers of words, 0 behind the end -> "emotions", probabilities, and "attention" to each word.
MLGraph build(const MLContext& context, const safetensors::File& file) {
  MLGraphBuilder b(context);
  const trained::Layers layers{b, file};
  Operand text = b.input("text", {int32, {length}});
  Operand x = layers.weight("embedding").gather(text).reshape({length, 1, embedding});
  Operand states = layers.gru(x, "encoder", hidden, std::nullopt, true)[1];
  states = states.reshape({length, 2 * hidden});
  Operand scores = layers.linear(states, "attention").reshape({1, length});
  Operand end = (text == 0).cast(float32).reshape({1, length});
  Operand attention = (scores - 1e4f * end).softmax(1);
  Operand found = layers.linear(attention.matmul(states), "emotions").softmax(1);
  return b.build({{"emotions", found}, {"attention", attention}});
}

struct Message {
  std::vector<std::string> words;
  std::vector<float> emotion = std::vector<float>(emotions), attention = std::vector<float>(length);

  std::size_t strongest() const {
    return static_cast<std::size_t>(std::max_element(emotion.begin(), emotion.end()) -
                                    emotion.begin());
  }
  void show() const {
    const auto strongest_word =
        std::max_element(attention.begin(), attention.end()) - attention.begin();
    std::string line;
    for (std::ptrdiff_t i = 0; i < std::ssize(words); ++i)
      line += (i ? " " : "") + (i == strongest_word ? "_" + words[static_cast<std::size_t>(i)] + "_"
                                                    : words[static_cast<std::size_t>(i)]);
    const std::size_t best = strongest();
    std::printf("%s %-8s %-10s %s\n", faces[best], labels[best],
                std::string(static_cast<std::size_t>(emotion[best] * 10 + 0.5f), '#').c_str(),
                line.c_str());
  }
};

struct Reader {
  MLContext context{{.threads = 1}};
  safetensors::File file = trained::open("emotion_analysis");
  MLGraph graph = build(context, file);
  std::vector<std::string> known;  // 0 is the end, 1 a word that is not known

  Reader() {
    std::istringstream list(file.metadata().at("words"));
    for (std::string word; getline(list, word);) known.push_back(word);
  }
  /// Words, also . and !, have spaces between them.
  Message operator()(const std::string& message) {
    std::istringstream words(message);
    Message m{{std::istream_iterator<std::string>(words), {}}};
    m.words.resize(std::min<std::size_t>(m.words.size(), length));
    std::vector<std::int32_t> text(length);
    for (std::size_t i = 0; i < m.words.size(); ++i) {
      const auto at = std::find(known.begin() + 2, known.end(), m.words[i]);
      text[i] = at == known.end() ? 1 : static_cast<std::int32_t>(at - known.begin());
    }
    context.compute(graph, {{"text", text}}, {{"emotions", m.emotion}, {"attention", m.attention}});
    return m;
  }
};

}  // namespace

int main(int argc, char** argv) {
  Reader read;
  for (int i = 1; i < argc; ++i) read(argv[i]).show();
  if (argc > 1) return 0;
  std::istringstream tests(read.file.metadata().at("tests"));  // pairs that were not trained
  std::size_t right = 0, all = 0;
  for (std::string text, emotion; getline(tests, text) && getline(tests, emotion); ++all) {
    const Message m = read(text);
    right += labels[m.strongest()] == emotion;
    if (all < 16) m.show();
    else if (labels[m.strongest()] != emotion)
      m.show(), std::printf("   wrong: %s\n", emotion.c_str());
  }
  std::printf("%zu of %zu emotions right\n", right, all);
  return right * 10 < all * 9;
}
