// webnn quantize: a model of 8-bit integers from one of floats.
#include "webnn/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/graph/text.h"
#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/common/progress.h"
#include "tools/webnn/data/calibration.h"
#include "tools/webnn/model/compiled.h"
#include "tools/webnn/model/outputs.h"
#include "webnn/passes.h"

namespace webnn::inline v0_1::tool {
namespace {

constexpr std::size_t rows_shown = 12;

struct Options {
  ModelOptions model;
  ContextOptions context;
  CalibrationOptions calibration;
  QuantizationOptions quantization;
  std::string to, output, method{"min-max"}, activations, weights{"int8"};
  bool force = false, json = false;
};

/// Runtimes of the formats of mobile devices have int8 alone.
bool takes_int8_only(const Format& format) {
  for (const std::string_view name : {"tflite", "executorch", "xnnpack", "nnrt"})
    if (format.name.starts_with(name)) return true;
  return false;
}

QuantizationOptions quantization_of(const Options& o, const Format& format) {
  QuantizationOptions q = o.quantization;
  q.calibration = *enum_from<CalibrationMethod>(o.method);
  q.weights = *enum_from<MLOperandDataType>(o.weights);
  if (!o.activations.empty()) q.activations = *enum_from<MLOperandDataType>(o.activations);
  else if (takes_int8_only(format)) q.activations = int8;
  const auto known = quantizable_operators();
  for (const std::string& name : q.operators)
    if (!std::binary_search(known.begin(), known.end(), std::string_view(name)))
      throw Usage("--operators: " + escaped(name) + " is not one of " + joined(known));
  return q;
}

std::string decibels_text(double snr) {
  if (std::isnan(snr)) return "-";
  if (std::isinf(snr)) return snr > 0 ? "exact" : "-inf dB";
  return fmt::format("{:.1f} dB", snr);
}

/// The operators with the largest errors first.
std::string operators_text(const QuantizedGraph& q) {
  std::vector<const QuantizedOperator*> rows;
  for (const QuantizedOperator& row : q.operators) rows.push_back(&row);
  const auto rank = [](const QuantizedOperator* row) {
    return std::isnan(row->own_snr) ? row->weights_snr : row->own_snr;
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  Table t({"operator", "kind", ">by itself", ">in the network", ">weights", ""});
  for (std::size_t i = 0; i < std::min(rows.size(), rows_shown); ++i) {
    const QuantizedOperator& row = *rows[i];
    t.add({shortened(escaped(row.name)), std::string(row.kind), '>' + decibels_text(row.own_snr),
           '>' + decibels_text(row.network_snr), '>' + decibels_text(row.weights_snr),
           row.quantized ? "" : "stays in float"});
  }
  std::string s = t.text();
  if (rows.size() > rows_shown)
    s += fmt::format("{} with smaller errors; --json has all\n",
                     counted(rows.size() - rows_shown, "operator"));
  return s;
}

std::string as_text(const QuantizedGraph& q, const Format& format,
                    const std::vector<OutputFile>& files) {
  std::string s = "Signal to noise:\n" + operators_text(q);
  for (const QuantizedOutput& y : q.outputs)
    if (q.samples != 0)
      s += fmt::format("output {}: {}, largest error {}\n", escaped(y.name), decibels_text(y.snr),
                       number_text(y.max_error));
  const auto quantized = std::count_if(q.operators.begin(), q.operators.end(),
                                       [](const QuantizedOperator& row) { return row.quantized; });
  s += fmt::format("{} of {} quantized, {}\n", quantized, counted(q.operators.size(), "operator"),
                   q.samples ? counted(q.samples, "sample") : "no samples");
  for (const OutputFile& file : files)
    s += fmt::format("{}: {}{}\n", shown(file.path),
                     &file == &files.front() ? std::string(format.name) + ", " : "",
                     bytes_text(static_cast<double>(file.bytes.size())));
  return s;
}

Json number_or_null_of(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }

Json as_json(const Options& o, const QuantizedGraph& q, const Format& format,
             const std::vector<OutputFile>& files) {
  Json j{{"model", o.model.path},
         {"output", o.output},
         {"format", format.name},
         {"bytes", files.front().bytes.size()},
         {"samples", q.samples}};
  j["operators"] = Json::array();
  for (const QuantizedOperator& row : q.operators)
    j["operators"].push_back({{"name", row.name},
                              {"kind", row.kind},
                              {"quantized", row.quantized},
                              {"own_snr", number_or_null_of(row.own_snr)},
                              {"network_snr", number_or_null_of(row.network_snr)},
                              {"weights_snr", number_or_null_of(row.weights_snr)}});
  j["outputs"] = Json::array();
  for (const QuantizedOutput& y : q.outputs)
    j["outputs"].push_back({{"name", y.name},
                            {"snr", number_or_null_of(y.snr)},
                            {"max_error", number_or_null_of(y.max_error)}});
  for (std::size_t i = 1; i < files.size(); ++i)
    j["beside"].push_back({{"output", files[i].path.string()}, {"bytes", files[i].bytes.size()}});
  return j;
}

QuantizedGraph quantized(const Options& o, const Model& m, QuantizationOptions q) {
  Progress progress("calibrating", !o.json);
  Progress measuring("measuring", !o.json);
  std::size_t count = 1;
  q.progress = [&](const QuantizationProgress& p) {
    const double share =
        static_cast<double>(p.done) / static_cast<double>(p.total ? p.total : count);
    (p.stage == "calibration" ? progress : measuring).at(share);
  };
  const MLContext context = o.context.context();
  if (q.dynamic && o.calibration.sources.empty())
    return quantize(context, m.graph(), CalibrationSamples(), q);
  FileSamples samples(o.calibration, m);
  count = samples.count();
  if (const auto random = samples.random_inputs(); !random.empty())
    print_error(
        fmt::format("{} random in {}, so that the scales may not fit real data; "
                    "--calibrate gives samples",
                    random.size() == 1 ? "input " + in_quotes(random[0]) + " is"
                                       : counted(random.size(), "input") + " are",
                    counted(samples.count(), "sample")));
  return quantize(
      context, m.graph(), [&](std::size_t i) { return samples(i); }, q);
}

void add_quantization_to(CLI::App& app, const std::shared_ptr<Options>& o) {
  const std::string group = "Quantization";
  QuantizationOptions& q = o->quantization;
  app.add_flag("--dynamic", q.dynamic,
               "Quantize the inputs of products and convolutions by their range in each run; needs "
               "no samples")
      ->group(group);
  app.add_flag("--per-channel", q.per_channel,
               "Give weights a scale for each output channel, not one for all")
      ->group(group);
  app.add_option("--activations", o->activations,
                 "The type of activations; by default int8 for .tflite, .pte and .nnrt files, and "
                 "uint8 for others")
      ->check(CLI::IsMember({"uint8", "int8"}))
      ->type_name("TYPE")
      ->group(group);
  app.add_option("--weights", o->weights, "The type of weights")
      ->check(CLI::IsMember({"int8", "uint8"}))
      ->type_name("TYPE")
      ->capture_default_str()
      ->group(group);
  app.add_flag("--symmetric", q.symmetric,
               "Put the zero point of activations into the middle of their range")
      ->group(group);
  app.add_flag("--reduce-range", q.reduce_range,
               "Use 7 bits for weights, for runtimes whose sums saturate")
      ->group(group);
  app.add_option("--method", o->method, "How ranges follow from the samples")
      ->check(CLI::IsMember({"min-max", "percentile", "entropy"}))
      ->type_name("METHOD")
      ->capture_default_str()
      ->group(group);
  app.add_option("--percentile", q.percentile,
                 "With --method percentile, how many percent of the elements are in the range")
      ->check(CLI::Range(50.001, 100.0))
      ->type_name("X")
      ->capture_default_str()
      ->group(group);
  app.add_option("--operators", q.operators, "Quantize only operators of these kinds")
      ->delimiter(',')
      ->type_name("KIND,...")
      ->group(group);
  app.add_option("--keep-float", q.keep_float,
                 "The name, in the report, of an operator that stays in float")
      ->type_name("NAME")
      ->take_all()
      ->group(group);
  app.add_option("--min-snr", q.min_snr,
                 "Operators whose own ratio of signal to noise is lower stay in float")
      ->type_name("DB")
      ->group(group);
  app.add_option("--worst-in-float", q.worst_in_float,
                 "The N operators with the lowest ratios stay in float")
      ->type_name("N")
      ->group(group);
}

int quantize_model(const Options& o) {
  if (o.json && o.output == "-") throw Usage("--json and the output - would be mixed");
  const std::filesystem::path output = o.output;
  const Format& format = writable(output, o.to);
  const QuantizationOptions options = quantization_of(o, format);
  constexpr std::string_view hint = "--force replaces it";
  if (!o.force) keep_model(o.model, output, hint);
  Model m = load_all(o.model);
  if (m.compiled.is_open()) format.write(m.compiled, output);  // refuses what has no sizes, early
  const QuantizedGraph q = quantized(o, m, options);
  m.compiled = build_graph(m.context, q.graph, {});
  const std::vector<OutputFile> files = format.write(m.compiled, output);
  for (const OutputFile& file : files)
    if (!o.force) keep_model(o.model, file.path, hint);
  write_files(files);
  if (o.json) print_json(as_json(o, q, format, files));
  else if (o.output != "-") print(as_text(q, format, files));
  return Exit::ok;
}

}  // namespace

Action add_quantize(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  o->model.add_to(app);
  app.add_option("-o,--output", o->output, "The file to write; - is the standard output")
      ->type_name("FILE")
      ->required();
  app.add_option("--to", o->to, "The format to write, if the extension does not say it")
      ->type_name("FORMAT");
  o->calibration.add_to(app);
  add_quantization_to(app, o);
  o->context.add_without_tuning_to(app);
  app.add_flag("--force", o->force, "Let the output replace the model, and the weights beside it");
  add_json(app, o->json);
  app.footer(
      "Products, convolutions and what lies between them run on integers of 8 bits. For each of "
      "them the\nreport has the ratio of signal to noise: by itself, in the network with all "
      "errors "
      "before it, and of\nits weights.\nExamples:\n  webnn quantize net.onnx -o net_int8.onnx "
      "--calibrate pictures --scale 0.00392\n  webnn quantize net.onnx -o net_int8.tflite "
      "--calibrate x=samples --per-channel --method entropy\n  webnn quantize bert.onnx -o "
      "bert_int8.onnx --dynamic\n  webnn quantize net.onnx -o net_int8.onnx --calibrate pictures "
      "--min-snr 20");
  return [o]() -> int { return quantize_model(*o); };
}

}  // namespace webnn::inline v0_1::tool
