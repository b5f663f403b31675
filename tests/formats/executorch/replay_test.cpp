// Each graph of the tests, and what the exporter makes of it, by XNNPACK itself.
#ifdef WEBNN_TEST_XNNPACK
#include "tests/formats/executorch/replay.h"

#include "tests/formats/executorch/cases.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::executorch::test;

namespace {

/// How far the same arithmetic may be apart: XNNPACK's own approximations of exp and its like, and
/// for quantized elements one step.
double tolerance_of(const Case& c, const Tensor& t) {
  return t.type == int8 || t.type == uint8 ? 1 : std::max(c.tolerance, 1e-5);
}

}  // namespace

TEST_CASE("executorch: XNNPACK's own subgraph API computes the same", "[executorch][replay]") {
  std::size_t replayed = 0;
  std::string skipped;
  for (const Case& c : all_cases()) {
    const Replay r = replay(c.graph.file(), c.inputs);
    if (!r.reason.empty()) {
      skipped += c.name + ": " + r.reason + "; ";
      continue;
    }
    ++replayed;
    const auto ours = run(c.graph.file(), c.inputs);
    REQUIRE(r.outputs.size() == ours.size());
    for (std::size_t k = 0; k < ours.size(); ++k)
      for (std::size_t i = 0; i < ours[k].size(); ++i)
        if (!(std::abs(ours[k][i] - r.outputs[k][i]) <= tolerance_of(c, ours[k])))
          FAIL_CHECK(c.name << ": output " << k << " element " << i << " is " << ours[k][i]
                            << ", but XNNPACK's is " << r.outputs[k][i]);
  }
  INFO(skipped);
  CHECK(replayed >= (WEBNN_TEST_XNNPACK_2024 ? 40 : 30));
}

TEST_CASE("executorch: XNNPACK computes what the exporter writes", "[executorch][replay]") {
  std::size_t replayed = 0;
  for (const Case& c : all_cases()) {
    if (c.name == "StaticResizeBilinear2D_8" || c.name == "StaticResizeBilinear2D_4") continue;
    MLGraphBuilder builder(webnn::test::plain_context());
    const auto m =
        executorch::import_model(builder, c.graph.file(), {.dynamic_quantization = false});
    const MLGraph graph = builder.build(m.outputs);
    const Bytes file = executorch::export_model(graph);
    std::vector<Tensor> inputs;  // in the order of the graph, which is that of the exported file
    for (const auto& [name, d] : graph.inputs())
      for (std::size_t k = 0; k < m.inputs.size(); ++k)
        if (m.inputs[k].name == name) inputs.push_back(c.inputs[k]);
    const Replay r = replay(file, inputs);
    if (!r.reason.empty()) continue;
    ++replayed;
    const auto ours = compute(webnn::test::plain_context(), graph, m, c.inputs);
    for (std::size_t k = 0; k < ours.size(); ++k)
      for (std::size_t i = 0; i < ours[k].size(); ++i)
        if (!(std::abs(ours[k][i] - r.outputs[k][i]) <= tolerance_of(c, ours[k])))
          FAIL_CHECK(c.name << ": output " << k << " element " << i << " is " << ours[k][i]
                            << ", but XNNPACK's is " << r.outputs[k][i]);
  }
  CHECK(replayed >= 30);
}
#endif
