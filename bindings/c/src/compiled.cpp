// Compiled graphs in files.
#include "webnn/compiled.h"

#include "bindings/c/src/values.h"
#include "bindings/formats/formats.h"

namespace webnn::inline v0_1::c {
namespace {

constexpr webnn_load_options default_load = WEBNN_LOAD_OPTIONS_INIT;

}  // namespace
}  // namespace webnn::inline v0_1::c

using namespace webnn::c;

webnn_status webnn_graph_save(const webnn_graph* graph, webnn_string path, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "save";
    webnn::bindings::save_graph({.graph = need(graph, {name, "graph"}).value},
                                text(path, {name, "path"}));
  });
}

webnn_status webnn_context_load_graph(webnn_context* context, webnn_string path,
                                      const webnn_load_options* options, webnn_graph** graph,
                                      webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "load";
    need(graph, {name, "graph"});
    const webnn_load_options o = complete(options, default_load, name);
    webnn::compiled::Verify verify{};
    set({name, "verify"}, verify, o.verify);
    *graph = new webnn_graph(webnn::bindings::load_graph(need(context, {name, "context"}).value,
                                                         text(path, {name, "path"}),
                                                         verify == webnn::compiled::Verify::full)
                                 .graph);
  });
}
