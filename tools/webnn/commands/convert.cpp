// webnn convert: a model in another format.
#include <fmt/format.h>

#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/model/model.h"

namespace webnn::tool {
namespace {

struct Options {
  ModelOptions model;
  std::string to, output;
  bool json = false;
};

std::string formats_text() {
  Table t({"  format", "read", "written", "extensions", ""});
  for (const Format& f : formats()) {
    std::string extensions;
    for (std::string_view e : f.extensions)
      extensions += (extensions.empty() ? "." : " .") + std::string(e);
    t.add({"  " + std::string(f.name), f.read ? "yes" : "no", f.write ? "yes" : "no", extensions,
           std::string(f.about)});
  }
  return t.text();
}

}  // namespace

Action add_convert(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  o->model.add_to(app);
  app.add_option("OUTPUT", o->output, "The file to write; - is the standard output")
      ->type_name("FILE")
      ->required();
  app.add_option("--to", o->to, "The format to write, if the extension does not say it")
      ->type_name("FORMAT");
  add_json(app, o->json);
  app.footer("Formats:\n" + formats_text() +
             "Examples:\n  webnn convert net.tflite smaller.tflite\n  webnn convert net.tflite "
             "weights.safetensors\n  webnn convert net.tflite - --to text");
  return [o]() -> int {
    if (o->json && o->output == "-") throw Usage("--json and the output - would be mixed");
    const std::filesystem::path output = o->output;
    const Format& format = writable(output, o->to);
    // Building a graph chooses kernels; the reference kernels do not pack weights.
    const Model m = load(o->model, MLContext({.threads = 1, .backends = {"reference"}}));
    const std::vector<std::byte> bytes = format.write(m.compiled);
    write_file(o->output, bytes);
    if (o->json)
      print_json(Json{{"model", m.path},
                      {"output", o->output},
                      {"format", format.name},
                      {"bytes", bytes.size()},
                      {"operators", m.graph().size()}});
    else if (o->output != "-")
      print(fmt::format("{}: {}, {} operators, {}\n", shown(o->output), format.name,
                        m.graph().size(), bytes_text(static_cast<double>(bytes.size()))));
    return Exit::ok;
  };
}

}  // namespace webnn::tool
