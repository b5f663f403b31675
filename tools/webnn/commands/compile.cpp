// webnn compile: a model with its kernels and packed weights in a file.
#include <fmt/format.h>

#include <chrono>

#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/model/model.h"
#include "tools/webnn/model/outputs.h"

namespace webnn::inline v0_1::tool {
namespace {

struct Options {
  ModelOptions model;
  ContextOptions context;
  std::string output;
  bool json = false;
};

const Format& compiled_format() {
  for (const Format& f : formats())
    if (f.save) return f;
  throw Usage("this webnn was built without compiled graphs");
}

/// How long the library takes to read it back, all of it.
double checked_load_ms(const Format& format, const MLContext& context,
                       const std::filesystem::path& path) {
  format.load(context, source_of(path), true);
  const auto start = std::chrono::steady_clock::now();
  format.load(context, source_of(path), false);
  return ms_since(start);
}

int run(const Options& o) {
  const Format& format = compiled_format();
  std::filesystem::path output = o.output;
  if (output.empty()) {
    output = std::filesystem::path(o.model.path).filename();
    output.replace_extension("webnnc");
  }
  if (o.output == "-") throw Usage("--output -: a compiled graph is read from a file");
  keep_model(o.model, output);
  // Some kernels are made from the constants when the graph is loaded.
  const MLContext context = o.context.context(true);
  const Model m = load_open(o.model, context);
  format.save({.graph = m.compiled,
               .input_quantization = m.input_quantization,
               .output_quantization = m.output_quantization,
               .description = m.description},
              output);
  const double load_ms = checked_load_ms(format, context, output);
  const auto bytes = std::filesystem::file_size(output);
  const GraphReport report = m.compiled.report();
  if (o.json)
    print_json({{"model", m.path},
                {"output", output.string()},
                {"bytes", bytes},
                {"steps", report.steps.size()},
                {"build_ms", m.read_ms + report.build_ms},
                {"load_ms", load_ms}});
  else
    print(fmt::format("{}: {}, {}; loads in {:.1f} ms, the model took {:.1f} ms\n", shown(output),
                      counted(report.steps.size(), "step"), bytes_text(static_cast<double>(bytes)),
                      load_ms, m.read_ms + report.build_ms));
  return Exit::ok;
}

}  // namespace

Action add_compile(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  o->model.add_to(app);
  o->context.add_to(app);
  app.add_option("-o,--output", o->output,
                 "The file to write; MODEL.webnnc in this folder if it is not given")
      ->type_name("FILE");
  add_json(app, o->json);
  app.footer(
      "The file is for this machine, this version of webnn and these backends: where they differ, "
      "it is refused with the reason. Dimensions that are open stay so, except those that --dim "
      "and "
      "--shape give a size.\nExamples:\n  webnn compile net.tflite -o net.webnnc\n  "
      "webnn bench net.webnnc\n  webnn compile net.onnx --backends onednn,reference -o net.webnnc");
  return [o]() -> int { return run(*o); };
}

}  // namespace webnn::inline v0_1::tool
