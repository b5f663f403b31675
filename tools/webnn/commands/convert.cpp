// webnn convert: a model in another format.
#include <fmt/format.h>

#include <cmath>

#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/model/compiled.h"
#include "tools/webnn/model/outputs.h"
#include "webnn/passes.h"
#include "webnn/quantize_weights.h"

namespace webnn::inline v0_1::tool {
namespace {

struct Options {
  ModelOptions model;
  std::string to, output, weights;
  std::uint32_t block = 32;
  bool force = false, json = false;
};

constexpr std::string_view force_hint = "--force replaces it";

std::string formats_text() {
  Table t({"  format", "read", "written", "extensions", ""});
  for (const Format& f : formats()) {
    if (!f.converts()) continue;
    std::string extensions;
    for (std::string_view e : f.extensions)
      extensions += (extensions.empty() ? "." : " .") + std::string(e);
    t.add({"  " + std::string(f.name), f.read ? "yes" : "no", f.write ? "yes" : "no", extensions,
           std::string(f.about)});
  }
  return t.text();
}

/// The model with smaller weights, and what became of them.
std::vector<QuantizedWeights> quantize(Model& m, const Options& o) {
  std::vector<QuantizedWeights> report;
  if (o.weights.empty()) return report;
  const auto type = enum_from<MLOperandDataType>(o.weights);
  if (!type || (*type != int4 && *type != int8 && *type != float16))
    throw Usage("--weights: " + o.weights + " is not int4, int8 or float16");
  m.compiled = build_graph(
      m.context, quantize_weights(m.graph(), {.type = *type, .block = o.block}, &report), {});
  return report;
}

std::string percent(double share) { return fmt::format("{:.3f} %", 100 * share); }
std::string decibels(double share) {
  return share > 0 ? fmt::format("{:.1f} dB", -20 * std::log10(share)) : "exact";
}

std::string text_of(const std::vector<QuantizedWeights>& report) {
  if (report.empty()) return "";
  Table t({"weights of", "shape", "block", "size", "relative error", "signal to noise"});
  for (const QuantizedWeights& w : report)
    t.add({w.reader, type_text(w.weights), '>' + (w.block ? std::to_string(w.block) : "-"),
           '>' + bytes_text(static_cast<double>(w.bytes)), '>' + percent(w.relative_error),
           '>' + decibels(w.relative_error)});
  return t.text();
}

/// The files of the graph. A path that does not fit is a wrong command line.
std::vector<OutputFile> written(const Format& format, const MLGraph& graph,
                                const std::filesystem::path& output) {
  try {
    return format.write(graph, output);
  } catch (const TypeError& e) {
    if (e.op() != "export") throw;
    throw Usage(shown(output) + ": " + e.reason());
  }
}

Json json_of(const Model& m, const Options& o, const Format& format,
             const std::vector<QuantizedWeights>& weights, const std::vector<OutputFile>& files) {
  Json json{{"model", m.path},
            {"output", o.output},
            {"format", format.name},
            {"bytes", files.front().bytes.size()},
            {"operators", m.graph().size()}};
  for (const QuantizedWeights& w : weights)
    json["weights"].push_back({{"reader", w.reader},
                               {"before", tool::json_of(w.weights)},
                               {"block", w.block},
                               {"bytes", w.bytes},
                               {"relative_error", w.relative_error}});
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
      s += fmt::format("{}, {}, ", format.name, counted(m.graph().size(), "operator"));
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
  app.add_option("--weights", o->weights,
                 "Store the weights of products, 1x1 convolutions and tables as int4, int8 or "
                 "float16, and print their errors")
      ->type_name("TYPE");
  app.add_option("--block", o->block,
                 "With --weights, how many summed elements share a scale; 0: a whole column")
      ->capture_default_str();
  app.add_flag("--force", o->force, "Let the output replace the model, and the weights beside it");
  add_json(app, o->json);
  app.footer(
      "Formats:\n" + formats_text() +
      "Examples:\n  webnn convert net.tflite smaller.tflite\n  webnn convert net.tflite "
      "weights.safetensors\n  webnn convert net.tflite - --to text\n  webnn convert net.tflite "
      "small.webnn --weights int4 --block 32");
  return [o]() -> int {
    if (o->json && o->output == "-") throw Usage("--json and the output - would be mixed");
    const std::filesystem::path output = o->output;
    const Format& format = writable(output, o->to);
    if (!o->force) keep_model(o->model, output, force_hint);
    Model m = load_all(o->model);
    const std::vector<QuantizedWeights> weights = quantize(m, *o);
    const std::vector<OutputFile> files = written(format, m.compiled, output);
    for (const OutputFile& file : files)
      if (!o->force) keep_model(o->model, file.path, force_hint);
    write_files(files);
    if (o->json) print_json(json_of(m, *o, format, weights, files));
    else if (o->output != "-") print(text_of(weights) + report(m, format, files));
    return Exit::ok;
  };
}

}  // namespace webnn::inline v0_1::tool
