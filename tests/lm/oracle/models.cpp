// Small models with random weights and their logits, for models.mjs.
//   lm_models write FOLDER          prints the names of the files
//   lm_models embedding FILE COUNT  the tokens and their vector
//   lm_models logits FILE PROMPT    for a prompt of so many tokens and 64 steps: the tokens, int32,
//                                   and the logits after the prompt and after each step but one
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "tests/lm/model/random_model.h"
#include "webnn/lm/model.h"

using namespace webnn;
using gguf::TensorType;

namespace {

constexpr std::size_t steps = 64;

void write(const std::string& folder, const lm::RandomModel& model, const std::string& name) {
  const gguf::Bytes bytes = model.bytes();
  std::ofstream file(folder + '/' + name, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  std::printf("%s\n", name.c_str());
}

void write_all(const std::string& folder) {
  const TensorType types[] = {TensorType::F32,  TensorType::F16,  TensorType::BF16,
                              TensorType::Q8_0, TensorType::Q4_0, TensorType::Q5_0,
                              TensorType::Q4_1, TensorType::Q5_1, TensorType::Q4_K,
                              TensorType::Q5_K, TensorType::Q6_K};
  for (const TensorType type : types) {
    const lm::RandomModel model({.type = type});
    const std::string name(gguf::name_of(type));
    write(folder, model, "llama." + name + ".gguf");
    if (type != TensorType::F32)
      write(folder, model.as_float32(), "llama-of-" + name + ".F32.gguf");
  }
  write(folder, lm::RandomModel({.tied = true, .factors = true}), "llama-tied-factors.F32.gguf");
  for (const char* architecture : {"qwen2", "qwen3", "gemma3", "phi3", "gpt2"}) {
    lm::ModelForm form{.architecture = architecture};
    if (form.architecture == "gpt2") form.keyHeads = form.heads;
    if (form.architecture == "gemma3") form.layers = 7, form.window = 16, form.base = 1e6;
    write(folder, lm::RandomModel(form), form.architecture + ".F32.gguf");
  }
  write(folder, lm::RandomModel({.architecture = "bert", .keyHeads = 4}), "bert.F32.gguf");
}

void print_logits(const char* path, std::size_t prompt) {
  const lm::Model model = lm::load(MLContext(), path, {.cacheType = float32});
  std::mt19937 random(static_cast<std::uint32_t>(prompt));
  std::vector<lm::Token> tokens(prompt + steps);
  for (lm::Token& t : tokens) t = static_cast<lm::Token>(3 + random() % 509);
  lm::Cache cache = model.cache();
  std::fwrite(tokens.data(), sizeof(lm::Token), tokens.size(), stdout);
  std::span<const lm::Token> next(tokens.data(), prompt);
  for (std::size_t i = 0; i < steps; ++i) {
    const std::vector<float> logits = model.evaluate(cache, next);
    std::fwrite(logits.data(), sizeof(float), logits.size(), stdout);
    next = {tokens.data() + prompt + i, 1};
  }
}

void print_embedding(const char* path, std::size_t count) {
  const lm::Model model = lm::load(MLContext(), path);
  std::mt19937 random(static_cast<std::uint32_t>(count));
  std::vector<lm::Token> tokens(count);
  for (lm::Token& t : tokens) t = static_cast<lm::Token>(3 + random() % 509);
  const std::vector<float> vector = model.embed(tokens);
  std::fwrite(tokens.data(), sizeof(lm::Token), tokens.size(), stdout);
  std::fwrite(vector.data(), sizeof(float), vector.size(), stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 3 && std::strcmp(argv[1], "write") == 0) write_all(argv[2]);
  else if (argc == 4 && std::strcmp(argv[1], "embedding") == 0)
    print_embedding(argv[2], static_cast<std::size_t>(std::atoi(argv[3])));
  else if (argc == 4) print_logits(argv[2], static_cast<std::size_t>(std::atoi(argv[3])));
  else return 2;
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
