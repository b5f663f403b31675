#include "src/formats/common/static_graph.h"

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::formats {

std::optional<std::string> open_input(const Graph& graph) {
  for (const auto& [name, x] : graph.inputs()) {
    const auto dimensions = x.dimensions();
    for (std::size_t i = 0; dimensions && i < dimensions->size(); ++i)
      if ((*dimensions)[i].is_open())
        return "input " + in_quotes(name) + " has an open dimension, " + std::to_string(i) + " (" +
               in_quotes((*dimensions)[i].dynamic().name) + ")";
  }
  return std::nullopt;
}

Graph static_graph(const MLGraph& graph, std::string_view format) {
  Graph built = graph.graph();
  if (const auto open = open_input(built))
    raise({*open + ", which cannot be written: export what prepare() returns, or give a size when "
                   "the model is imported",
           ErrorName::NotSupportedError},
          format);
  return built;
}

}  // namespace webnn::inline v0_1::formats
