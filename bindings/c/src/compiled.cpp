// Compiled graphs in files and in memory.
#include "webnn/compiled.h"

#include "bindings/c/src/values.h"
#include "src/formats/registry/format.h"

namespace webnn::inline v0_1::c {
namespace {

constexpr webnn_load_options default_load = WEBNN_LOAD_OPTIONS_INIT;
constexpr std::string_view load_name = "load";

webnn_graph* load(webnn_context* context, const registry::Source& source,
                  const webnn_load_options* options) {
  const webnn_load_options o = complete(options, default_load, load_name);
  compiled::Verify verify{};
  set({load_name, "verify"}, verify, o.verify);
  const registry::Format& format = registry::compiled_format(load_name, source.label);
  return new webnn_graph(format
                             .load(need(context, {load_name, "context"}).value, source,
                                   verify == compiled::Verify::full)
                             .graph);
}

}  // namespace
}  // namespace webnn::inline v0_1::c

using namespace webnn::c;

webnn_status webnn_graph_save(const webnn_graph* graph, webnn_string path, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "save";
    const std::string to = text(path, {name, "path"});
    webnn::registry::compiled_format(name, to).save({.graph = need(graph, {name, "graph"}).value},
                                                    to);
  });
}

webnn_status webnn_context_load_graph(webnn_context* context, webnn_string path,
                                      const webnn_load_options* options, webnn_graph** graph,
                                      webnn_error** error) {
  return guarded(error, [&] {
    need(graph, {load_name, "graph"});
    const std::string from = text(path, {load_name, "path"});
    *graph = load(context, {.path = from, .label = from}, options);
  });
}
webnn_status webnn_context_load_graph_bytes(webnn_context* context, const void* data, size_t length,
                                            const webnn_load_options* options, webnn_graph** graph,
                                            webnn_error** error) {
  return guarded(error, [&] {
    need(graph, {load_name, "graph"});
    const auto given = bytes(data, length, {load_name, "data"});
    auto copy = std::make_shared<const std::vector<std::byte>>(given.begin(), given.end());
    const std::span<const std::byte> view(*copy);
    *graph = load(context, {.owner = std::move(copy), .bytes = view}, options);
  });
}
