// lm_files FOLDER: small language models with random weights, and what the library makes of them,
// for the tests of the bindings and of the command:
//   model.gguf, embeddings.gguf
//   greedy.txt, sampled.txt, biased.txt, chat.txt   texts; see below for the options
//   embeddings.f32                                  the vectors of two texts, one after the other
#include <cstdio>
#include <fstream>

#include "tests/lm/model/random_model.h"
#include "webnn/lm/model.h"

using namespace webnn;

namespace {

void write(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error(path + " cannot be written");
}
void write(const std::string& path, const std::string& text) {
  write(path, std::as_bytes(std::span(text)));
}

void write_models(const std::string& folder) {
  lm::ModelForm form{.width = 64, .heads = 2, .keyHeads = 2, .headSize = 32, .inner = 96};
  gguf::Writer w = lm::RandomModel(form).file();
  w.value("tokenizer.chat_template",
          std::string("{% if tools %}{{ tools[0].name + ' ' }}{% endif %}{% for m in messages %}"
                      "{% if m.role == 'bad' %}{{ raise_exception('no bad roles') }}{% endif %}"
                      "{{ m.role + ' ' + m.content + ' ' }}{% endfor %}"));
  write(folder + "/model.gguf", w.bytes());
  form.architecture = "bert";
  write(folder + "/embeddings.gguf", lm::RandomModel(form).bytes());
}

void write_texts(const std::string& folder) {
  const lm::Model model = lm::load(MLContext(), folder + "/model.gguf");
  lm::GenerateOptions o{.maxTokens = 24, .ignoreEnd = true};
  write(folder + "/greedy.txt", model.generate("w300 w301", o).rest());
  o = {.maxTokens = 48,
       .temperature = 2,
       .topK = 300,
       .topP = 0.9f,
       .minP = 0.001f,
       .repetitionPenalty = 1.25f,
       .seed = 7,
       .ignoreEnd = true};
  write(folder + "/sampled.txt", model.generate("w300 w301", o).rest());
  o.repetitionWindow = 8;
  o.bias = {{3 + 0xc3, 12.f}, {3 + 0xa9, 12.f}};  // the bytes of U+00E9
  o.stop = {"never", "w300w"};
  o.stopTokens = {511};
  write(folder + "/biased.txt", model.generate("w300 w301", o).rest());
  lm::Chat chat = model.chat({{"system", "w310"}});
  o = {.maxTokens = 8, .ignoreEnd = true};
  std::string text = chat.send("w300", o).rest() + '\n';
  text += chat.send("w301", o).rest();
  write(folder + "/chat.txt", text);
}

void write_vectors(const std::string& folder) {
  const lm::Model model = lm::load(MLContext(), folder + "/embeddings.gguf");
  std::vector<float> all;
  for (const std::vector<float>& v : model.embed({"w300 w301", "w7"}))
    all.insert(all.end(), v.begin(), v.end());
  write(folder + "/embeddings.f32", std::as_bytes(std::span(all)));
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return std::fprintf(stderr, "usage: lm_files FOLDER\n"), 2;
  write_models(argv[1]);
  write_texts(argv[1]);
  write_vectors(argv[1]);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
