// Graphs with every operator, in both schemas, and some with open dimensions.
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
  for (std::size_t i = 0, count = 1; i < count; ++i) {  // graphs that are small enough to run
    MLGraphBuilder b(context);
    const NamedOperands outputs = test::open_example(b);
    count = outputs.size();
    const std::string json = graphinfo::export_model(b.build({outputs[i]}));
    write_seed(folder / ("open_" + outputs[i].name), std::as_bytes(std::span(json)));
  }
}

}  // namespace webnn::inline v0_1::fuzz
