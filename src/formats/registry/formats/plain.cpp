// A graph to be looked at.
#include "src/formats/registry/format.h"

namespace webnn::inline v0_1::registry {
namespace {

std::vector<std::byte> write_text(const MLGraph& g) { return bytes_of(to_text(g.graph())); }
std::vector<std::byte> write_graphviz(const MLGraph& g) { return bytes_of(to_graphviz(g.graph())); }

}  // namespace

std::vector<Format> plain_formats() {
  return {{.name = "text",
           .about = "the graph to look at",
           .extensions = {"txt"},
           .write = &one_file<&write_text>},
          {.name = "graphviz",
           .about = "Graphviz source",
           .extensions = {"dot", "gv"},
           .write = &one_file<&write_graphviz>}};
}

}  // namespace webnn::inline v0_1::registry
