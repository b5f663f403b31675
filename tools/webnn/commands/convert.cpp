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

Json json_of(const Model& m, const Options& o, const Format& format,
             const std::vector<OutputFile>& files) {
  Json json{{"model", m.path},
            {"output", o.output},
            {"format", format.name},
            {"bytes", files.front().bytes.size()},
            {"operators", m.graph().size()}};
  for (std::size_t i = 1; i < files.size(); ++i)
    json["beside"].push_back(
        {{"output", files[i].path.string()}, {"bytes", files[i].bytes.size()}});
  return json;
}

std::string report(const Model& m, const Format& format, const std::vector<OutputFile>& files) {
  std::string s;
  for (const OutputFile& file : files) {
    s += shown(file.path) + ": ";
    if (s.find('\n') == std::string::npos)
      s += fmt::format("{}, {} operators, ", format.name, m.graph().size());
    s += bytes_text(static_cast<double>(file.bytes.size())) + '\n';
  }
  return s;
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
    const std::vector<OutputFile> files = format.write(m.compiled, output);
    for (std::size_t i = files.size(); i-- > 0;)  // the model last: what it refers to is there
      write_file(files[i].path, files[i].bytes);
    if (o->json) print_json(json_of(m, *o, format, files));
    else if (o->output != "-") print(report(m, format, files));
    return Exit::ok;
  };
}

}  // namespace webnn::tool
