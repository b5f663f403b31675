// Models with every operator that can be expressed.
#include "tests/fuzz/seeds.h"
#include "tests/random/generator.h"
#include "webnn/nnrt.h"

namespace webnn::inline v0_1::fuzz {

void write_seeds(const std::filesystem::path& folder) {
  MLContext context({.threads = 1, .backends = {"reference"}});
  for (std::size_t kind = 0; kind < ops::AllOps::size; ++kind)
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      MLGraphBuilder b(context);
      const test::RandomGraph random = test::random_operator(b, kind, seed);
      try {
        write_seed(folder / (std::string(ops::AllOps::names[kind]) + std::to_string(seed)),
                   nnrt::export_model(b.build(random.outputs)));
      } catch (const NotSupportedError&) {}
    }
}

}  // namespace webnn::inline v0_1::fuzz
