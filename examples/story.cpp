// Text from a language model, piece by piece: story MODEL.gguf "Once upon a time"
#include <webnn/lm.h>
#include <webnn/webnn.h>

#include <cstdio>

using namespace webnn;

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fprintf(stderr, "story MODEL PROMPT\n");
    return 2;
  }
  MLContext context;
  const lm::Model model = lm::load(context, argv[1]);
  std::printf("%s", argv[2]);
  lm::Generation text =
      model.generate(argv[2], {.maxTokens = 100, .temperature = 0.8f, .topP = 0.9f});
  for (const std::string_view piece : text) {
    std::fwrite(piece.data(), 1, piece.size(), stdout);
    std::fflush(stdout);
  }
  const lm::GenerationReport& report = text.report();
  std::printf("\n%zu tokens, %.1f tokens/s\n", report.tokens, report.tokens_per_second());
} catch (const Error& e) {
  std::fprintf(stderr, "story: %s\n", e.what());
  return 1;
}
