// webnn_write_operators FOLDER: a .webnn text for each operator, with random operands and options,
// constants included, for the test that calls them from Python.
#include <filesystem>
#include <fstream>

#include "tests/random/generator.h"
#include "webnn/text.h"

int main(int argc, char** argv) {
  using namespace webnn;
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const MLContext context({.threads = 1, .backends = {"reference"}, .keepConstants = true});
  for (std::size_t kind = 0; kind < ops::AllOps::size; ++kind)
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      MLGraphBuilder b(context);
      const test::RandomGraph random = test::random_operator(b, kind, seed);
      const std::string name =
          std::string(ops::AllOps::names[kind]) + '_' + std::to_string(seed) + ".webnn";
      std::ofstream(folder / name) << text::export_model(b.build(random.outputs));
    }
}
