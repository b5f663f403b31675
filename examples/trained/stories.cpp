// Stories from a language model of 381,600 weights. Each begins with a name and a thing that were
// never together in training, and has to keep both, and the pronoun, to its end. "stories PROMPT"
// continues another beginning.
#include <webnn/lm.h>
#include <webnn/webnn.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>

using namespace webnn;

namespace {

std::string continued(lm::Model& model, const std::string& prompt) {
  return model.generate(prompt, {.maxTokens = 200}).rest();
}

std::multiset<std::string> words_of(const std::string& text) {
  std::multiset<std::string> words;
  std::string word;
  for (const char c : text + ' ') {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) word += c;
    else if (!word.empty()) words.insert(std::exchange(word, {}));
  }
  return words;
}

constexpr std::array girls{"Mia", "Anna", "Lily", "Emma", "Sara", "Nora", "Ella", "Ruth"};
constexpr std::array boys{"Tom", "Ben", "Max", "Leo", "Sam", "Paul", "Finn", "Jack"};

/// Names the child, one friend and the thing again, nothing else that stories have in their place,
/// and ends.
bool is_consistent(const std::string& text, const std::string& name, const std::string& thing,
                   const std::string& color) {
  const auto words = words_of(text);
  for (const char* other : {"kite", "hat", "boat", "ball", "drum", "book", "scarf", "doll", "red",
                            "blue", "green", "yellow", "white"})
    if (other != thing && other != color && words.contains(other)) return false;
  const bool is_girl = std::find(girls.begin(), girls.end(), name) != girls.end();
  for (const char* pronoun :
       is_girl ? std::array{"he", "He", "his"} : std::array{"she", "She", "her"})
    if (words.contains(pronoun)) return false;
  int friends = 0;
  for (const auto& names : {girls, boys})
    for (const char* other : names) friends += other != name && words.count(other) >= 2 ? 1 : 0;
  return words.contains(name) && friends == 1 && words.count(thing) >= 2 && text.back() == '.';
}

}  // namespace

int main(int argc, char** argv) try {
  MLContext context({.threads = 1});
  lm::Model model = lm::load(context, TRAINED_FOLDER "/stories.gguf");
  if (argc > 1) {
    std::printf("%s\n", continued(model, argv[1]).c_str());
    return 0;
  }
  std::ifstream file(TRAINED_FOLDER "/stories.txt");
  int stories = 0, same = 0, consistent = 0;
  for (std::string values, prompt, recorded;
       std::getline(file, values) && std::getline(file, prompt) && std::getline(file, recorded);) {
    std::string name, thing, color;
    std::istringstream(values) >> name >> thing >> color;
    const std::string text = continued(model, prompt);
    if (stories++ < 2) std::printf("%s%s\n\n", prompt.c_str(), text.c_str());
    same += text == recorded;
    consistent += is_consistent(text, name, thing, color);
  }
  std::printf("%d of %d stories are consistent, %d are those of PyTorch\n", consistent, stories,
              same);
  return stories == 16 && consistent >= 14 && same == stories ? 0 : 1;
} catch (const Error& e) {
  std::fprintf(stderr, "stories: %s\n", e.what());
  return 1;
}
