// A graph to be looked at.
#include "tools/webnn/formats/format.h"

namespace webnn::inline v0_1::tool {
namespace {

std::vector<std::byte> write_text(const MLGraph& g) { return bytes_of(to_text(g.graph())); }
std::vector<std::byte> write_graphviz(const MLGraph& g) { return bytes_of(to_graphviz(g.graph())); }

}  // namespace

std::vector<Format> plain_formats() {
  return {{"text", "the graph to look at", {"txt"}, nullptr, &one_file<&write_text>},
          {"graphviz", "Graphviz source", {"dot", "gv"}, nullptr, &one_file<&write_graphviz>}};
}

}  // namespace webnn::inline v0_1::tool
