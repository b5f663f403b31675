#include "tools/webnn/page/overview.h"

#include <numeric>

#include "src/graph/cost.h"
#include "tools/webnn/model/weights.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tool {
namespace {

Json ports_json(const NamedDescriptors& ports, const std::vector<std::optional<Quantization>>& q,
                const std::map<std::string, std::size_t>& tensors) {
  Json list = Json::array();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto& [name, d] = ports[i];
    Json port{{"name", escaped(name)}, {"type", type_text(d)}};
    add_quantization(port, q[i]);
    if (const auto at = tensors.find(name); at != tensors.end()) port["tensor"] = at->second;
    list.push_back(std::move(port));
  }
  return list;
}

}  // namespace

Json overview_json(const Model& m, const GraphMemory& memory, std::span<const double> us,
                   const Tensors& tensors) {
  const GraphReport r = m.compiled.report();
  const Weights w = weights_of(m.graph());
  Json j{{"inputs", ports_json(m.compiled.inputs(), m.input_quantization, tensors.inputs)},
         {"outputs", ports_json(m.compiled.outputs(), m.output_quantization, tensors.outputs)},
         {"operators", m.graph().size()},
         {"optimized", m.compiled.optimized().size()},
         {"steps", r.steps.size()},
         {"constants", w.count},
         {"parameters", w.parameters},
         {"weight_bytes", w.bytes},
         {"macs", cost_of(m.graph()).macs},
         {"memory",
          {{"packed", memory.packed},
           {"constants", memory.constants},
           {"arena", memory.arena},
           {"scratch", memory.scratch},
           {"total", memory.total()}}},
         {"threads", r.threads},
         {"build_ms", r.build_ms}};
  if (!us.empty()) j["us"] = std::accumulate(us.begin(), us.end(), 0.0);
  return j;
}

}  // namespace webnn::inline v0_1::tool
