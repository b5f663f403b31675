// A program that asks for the component lm: a tokenizer, a template, a sampler and a model.
#include <webnn/lm.h>
#include <webnn/webnn.h>

#include <cstdio>

using namespace webnn;

int main() {
  const auto tokenizer = lm::Tokenizer::from_json(
      R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}})");
  if (tokenizer.encode("abb") != std::vector<lm::Token>{2, 1}) return 1;
  if (lm::ChatTemplate("{{ messages[0].content }}!").apply({{"user", "hi"}}) != "hi!") return 1;
  const float logits[] = {1, 3, 2};
  if (lm::Sampler().sample(logits).token != 1) return 1;
  try {
    lm::Tokenizer::from_json("{}");
    return 1;
  } catch (const DataError&) {}  // thrown inside the library, caught outside
  try {
    lm::load(MLContext(), "none.gguf");
    return 1;
  } catch (const DataError&) {}
  std::printf("webnn::lm works\n");
}
