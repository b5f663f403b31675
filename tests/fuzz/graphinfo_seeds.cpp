// Graphs with every operator, in both schemas, and one with open dimensions.
#include "tests/fuzz/seeds.h"
#include "tests/random/generator.h"
#include "tests/random/open_example.h"
#include "webnn/graphinfo.h"

namespace webnn::inline v0_1::fuzz {

void write_seeds(const std::filesystem::path& folder) {
  MLContext context({.threads = 1, .backends = {"reference"}, .keepConstants = true});
  for (std::size_t kind = 0; kind < ops::AllOps::size; ++kind) {
    MLGraphBuilder b(context);
    const test::RandomGraph random = test::random_operator(b, kind, 1);
    const MLGraph graph = b.build(random.outputs);
    for (const auto schema : {graphinfo::Schema::v2023, graphinfo::Schema::v2026}) {
      const bool old = schema == graphinfo::Schema::v2023;
      try {
        const std::string json = graphinfo::export_model(graph, {.schema = schema});
        write_seed(folder / (std::string(ops::AllOps::names[kind]) + (old ? "_2023" : "_2026")),
                   std::as_bytes(std::span(json)));
      } catch (const NotSupportedError&) {}  // newer than that schema
    }
  }
  MLGraphBuilder open(context);
  const std::string json = graphinfo::export_model(open.build(test::open_example(open)));
  write_seed(folder / "open_example", std::as_bytes(std::span(json)));
}

}  // namespace webnn::inline v0_1::fuzz
