// The graphs of the tests with their constants in each place, programs around them, and what the
// exporter makes of them.
#include "tests/formats/executorch/cases.h"
#include "tests/fuzz/seeds.h"
#include "webnn/executorch.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::fuzz {
namespace {

/// Nothing where XNNPACK cannot express the graph.
std::vector<std::byte> exported(MLContext& context, std::span<const std::byte> file, bool program) {
  try {
    MLGraphBuilder builder(context);
    const executorch::Model m =
        executorch::import_model(builder, file, {.dynamic_quantization = false});
    return executorch::export_model(builder.build(m.outputs), {.program = program});
  } catch (const Error&) { return {}; }
}

}  // namespace

void write_seeds(const std::filesystem::path& folder) {
  using namespace executorch::test;
  MLContext context({.threads = 1, .backends = {"reference"}});
  for (const Case& c : all_cases()) {
    write_seed(folder / c.name, c.graph.file());
    for (const bool program : {false, true})
      if (const auto again = exported(context, c.graph.file(), program); !again.empty())
        write_seed(folder / (c.name + (program ? "_program" : "_exported")), again);
  }
  for (const Case& c : all_cases(Place::under_keys))
    write_seed(folder / (c.name + "_under_keys"), program_of(c.graph));
  for (Case& c : all_cases(Place::in_flatbuffer)) {
    c.graph.identifier = "XN00";
    write_seed(folder / (c.name + "_XN00"), c.graph.file());
  }
}

}  // namespace webnn::inline v0_1::fuzz
