// webnn graph: a drawing of a model.
#include <fmt/format.h>

#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/common/terminal.h"
#include "tools/webnn/model/model.h"
#include "tools/webnn/model/outputs.h"
#include "tools/webnn/model/sizes.h"
#include "tools/webnn/page/file_page.h"
#include "tools/webnn/page/page.h"
#include "webnn/error.h"
#include "webnn/passes.h"

namespace webnn::inline v0_1::tool {
namespace {

struct Options {
  ModelOptions model;
  ContextOptions context;
  InputOptions inputs;
  std::string output = "-";
  int runs = 20;
  bool html = false, optimized = false, file = false, no_time = false, values = false, json = false;
};

void check(const Options& o, bool html) {
  if (o.json && o.output == "-") throw Usage("--json needs --output: the page is the output");
  if (!html && o.values)
    throw Usage("--values needs a page: --html, or an --output whose name ends in .html");
  if (!o.values && !o.inputs.image.empty())
    throw Usage("--image " + escaped(o.inputs.image) + " needs --values");
}

/// Without the constants that are only kept for the page.
GraphMemory memory_of(const Options& o, const Model& m) {
  if (m.is_compiled) return m.compiled.memory();
  return build_graph(o.context.context(), m.graph()).memory();
}

void report(const Options& o, bool html, const std::string& text, std::size_t operators) {
  write_file(o.output, text);
  if (o.json)
    print_json(Json{{"model", o.model.path},
                    {"output", o.output},
                    {"format", html ? "html" : "graphviz"},
                    {"bytes", text.size()},
                    {"operators", operators}});
  else if (o.output != "-")
    print(fmt::format("{}: {}, {}\n", styled(shown(o.output), Style::strong),
                      counted(operators, "operator"),
                      bytes_text(static_cast<double>(text.size()))));
}

/// The operators of the file, where the model cannot be drawn as it runs.
int draw_file(const Options& o, bool html, const FileView& view, const std::string& why) {
  report(o, html, html ? html_page_of_file(view, o.model.path, why) : file_graphviz(view),
         view.graphs.front().operators.size());
  if (!why.empty()) print_error(why + " The drawing shows the operators of the file.");
  return Exit::ok;
}

/// The model; nothing where it can only be drawn as its file has it, and why.
std::optional<Model> loaded(const Options& o, bool html, std::optional<FileView>& view,
                            std::string& why) {
  const auto is_viewed = [&](const char* reason) {
    if (!view) view = file_view_if_readable(o.model);
    why = reason;
    return view.has_value();
  };
  try {
    return load(o.model, o.context.context(html), given_by(o.inputs));
  } catch (const TypeError&) {
    throw;  // of options
  } catch (const Error& e) {
    if (!is_viewed(e.what())) throw;
  } catch (const MissingSizes& e) {
    if (o.values || !is_viewed((std::string(e.what()) + '.').c_str())) throw;
  } catch (const CommandError& e) {
    if (!is_viewed(e.what())) throw;
  }
  return std::nullopt;
}

int draw(const Options& o) {
  const std::string extension = extension_of(o.output);
  const bool html = o.html || extension == "html" || extension == "htm";
  check(o, html);
  keep_model(o.model, o.output);
  std::optional<FileView> view;
  if (o.file && !html) {
    if (!(view = file_view(o.model)))
      throw Usage("--file: the operators of this format are those of WebNN");
    return draw_file(o, html, *view, "");
  }
  if (html) view = file_view_if_readable(o.model);
  std::string why;
  std::optional<Model> loaded_model = loaded(o, html, view, why);
  if (!loaded_model) return draw_file(o, html, *view, why);
  Model& m = *loaded_model;
  const Graph& graph = o.optimized ? m.compiled.optimized() : m.graph();
  std::string text;
  if (html) {
    PageContents c;
    std::vector<double> us;
    if (!o.no_time) us = m.context.profile(m.compiled, o.runs);
    c.microseconds = us;
    c.memory = memory_of(o, m);
    if (view) c.file = &*view;
    if (o.values) c.tensors = record_tensors(m, o.inputs);
    text = html_page(m, c);
  } else {
    text = to_graphviz(graph);
  }
  report(o, html, text, graph.size());
  return Exit::ok;
}

}  // namespace

Action add_graph(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  o->model.add_to(app);
  o->context.add_to(app);
  o->inputs.add_to(app);
  app.add_option("-o,--output", o->output, "The file to write; - is the standard output")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_flag("--html", o->html,
               "Write a page for the browser, which needs no network, in place of Graphviz. It has "
               "boxes to click, search, zoom, and export as SVG and PNG; ? lists its keys. An "
               "output whose name ends in .html is such a page, too");
  app.add_flag("--optimized", o->optimized, "With Graphviz, draw the graph after the passes");
  app.add_flag("--file", o->file,
               "With Graphviz, draw the operators as the file has them; a page always shows them. "
               "Models that cannot be imported are always drawn in this way, with operators that "
               "are not supported in red");
  app.add_option("--runs", o->runs, "With a page, how many times each step is measured")
      ->type_name("N")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_flag("--no-time", o->no_time, "With a page, do not time the steps");
  app.add_flag("--values", o->values,
               "With a page, run the model on the inputs below and show what its tensors hold: "
               "statistics, all elements if there are at most 64, and small images");
  add_json(app, o->json);
  app.footer(
      "Examples:\n  webnn graph net.tflite | dot -Tsvg >net.svg\n  webnn graph net.tflite -o "
      "net.html\n  webnn graph net.tflite -o net.html --values --image cat.png");
  return [o]() -> int { return draw(*o); };
}

}  // namespace webnn::inline v0_1::tool
