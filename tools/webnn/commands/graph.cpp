// webnn graph: a drawing of a model.
#include <fmt/format.h>

#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/model/model.h"
#include "tools/webnn/page/page.h"

namespace webnn::tool {
namespace {

struct Options {
  ModelOptions model;
  ContextOptions context;
  std::string output = "-";
  int runs = 20;
  bool html = false, optimized = false, no_time = false, json = false;
};

int draw(const Options& o) {
  if (o.json && o.output == "-") throw Usage("--json needs --output: the page is the output");
  const std::string extension = extension_of(o.output);
  const bool html = o.html || extension == "html" || extension == "htm";
  Model m = load(o.model, o.context.context());
  std::vector<double> us;
  if (html && !o.no_time) us = m.context.profile(m.compiled, o.runs);
  const Graph& graph = o.optimized ? m.compiled.optimized() : m.graph();
  const std::string text = html ? html_page(m, us) : to_graphviz(graph);
  write_file(o.output, text);
  if (o.json)
    print_json(Json{{"model", m.path},
                    {"output", o.output},
                    {"format", html ? "html" : "graphviz"},
                    {"bytes", text.size()},
                    {"operators", graph.size()}});
  else if (o.output != "-")
    print(fmt::format("{}: {} operators, {}\n", shown(o.output), graph.size(),
                      bytes_text(static_cast<double>(text.size()))));
  return Exit::ok;
}

}  // namespace

Action add_graph(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  o->model.add_to(app);
  o->context.add_to(app);
  app.add_option("-o,--output", o->output, "The file to write; - is the standard output")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_flag("--html", o->html,
               "A page for the browser, which needs no network: zoom with the wheel, drag, click "
               "an operator for its shapes, weights and time. Also if the output is .html");
  app.add_flag("--optimized", o->optimized, "Graphviz: the graph after the passes");
  app.add_option("--runs", o->runs, "Page: how often each step is timed")
      ->type_name("N")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_flag("--no-time", o->no_time, "Page: do not run the model");
  add_json(app, o->json);
  app.footer(
      "Examples:\n  webnn graph net.tflite | dot -Tsvg >net.svg\n  webnn graph net.tflite -o "
      "net.html");
  return [o]() -> int { return draw(*o); };
}

}  // namespace webnn::tool
