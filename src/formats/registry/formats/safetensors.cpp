// The constants of a graph.
#include "webnn/safetensors.h"
#include "src/formats/common/constant_names.h"
#include "src/formats/registry/format.h"

namespace webnn::inline v0_1::registry {
namespace {

std::vector<std::byte> write_weights(const MLGraph& graph) {
  const auto all = formats::constants_of(graph.graph());
  std::vector<safetensors::NamedValues> tensors;
  for (const auto& [name, x] : all)
    tensors.push_back({name, x.descriptor(), x.constant()->bytes()});
  return safetensors::write(tensors);
}

}  // namespace

std::vector<Format> safetensors_formats() {
  return {{.name = "safetensors",
           .about = "the weights alone",
           .extensions = {"safetensors"},
           .write = &one_file<&write_weights>}};
}

}  // namespace webnn::inline v0_1::registry
