// webnn run: a model on files, images or random numbers.
#include <fmt/format.h>

#include "src/graph/text.h"
#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/data/class_map.h"
#include "tools/webnn/data/golden.h"
#include "tools/webnn/data/labels.h"
#include "tools/webnn/data/npy.h"
#include "tools/webnn/data/values.h"
#include "tools/webnn/model/execute.h"
#include "tools/webnn/model/growth.h"
#include "tools/webnn/model/outputs.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tool {
namespace {

struct Options {
  ModelOptions model;
  ContextOptions context;
  InputOptions inputs;
  std::vector<std::string> outputs;
  std::string output_dir, labels, golden;
  std::optional<double> tolerance;
  std::size_t top = 0;
  bool json = false;
};

constexpr std::size_t values_shown = 8, rows_shown = 16;

struct Output {
  std::string name{}, file{};
  MLOperandDescriptor descriptor{};
  std::optional<Quantization> quantization{};
  std::span<const std::byte> bytes{};
};

std::vector<Output> outputs_of(const Model& m, const Results& results) {
  std::vector<Output> all;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& [name, d] = m.compiled.outputs()[i];
    all.push_back({name, "", d, m.output_quantization[i], results[i]});
  }
  return all;
}

void write(Output& o, const std::filesystem::path& path, const std::string& layout,
           const ModelOptions& model) {
  keep_model(model, path);
  if (extension_of(path) == "npy") write_file(path, npy_of(o.descriptor, o.bytes));
  else if (extension_of(path) == "png")
    write_file(path, picture_of(o.descriptor, o.bytes, o.quantization.has_value(), layout, o.name));
  else write_file(path, o.bytes);
  o.file = path.string();
}

void write_outputs(const Options& o, const Model& m, std::vector<Output>& outputs) {
  for (const std::string& argument : o.outputs) {
    const auto [name, path] = name_and_value(argument);
    if (path.empty()) throw Usage("--output " + escaped(argument) + ": there is no file name");
    Output* found = name.empty() && outputs.size() == 1 ? &outputs.front() : nullptr;
    for (Output& output : outputs)
      if (output.name == name) found = &output;
    if (!found) {
      std::string names;
      for (const Output& x : outputs) names += (names.empty() ? "" : ", ") + in_quotes(x.name);
      throw Usage("--output " + escaped(argument) + ": say which output, as in NAME=FILE; the " +
                  "model has " + names);
    }
    write(*found, path, o.inputs.layout, o.model);
  }
  if (o.output_dir.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(o.output_dir, error);
  if (error) throw CommandError(shown(o.output_dir) + ": " + error.message());
  const std::vector<std::string> names = file_names(m.compiled.outputs());
  for (std::size_t i = 0; i < outputs.size(); ++i)
    write(outputs[i], std::filesystem::path(o.output_dir) / (names[i] + ".npy"), "", o.model);
}

/// For --top-k: not of a table of two dimensions, whose rows are results of their own.
std::optional<ClassMap> map_of(const Options& o, const Output& out) {
  if (out.descriptor.shape.size() < 3) return std::nullopt;
  return class_map(out.descriptor, out.bytes, out.quantization.has_value(), o.inputs.layout);
}

std::vector<std::vector<Score>> scores_of(const Output& o, std::size_t k) {
  const Dims& s = o.descriptor.shape;
  // [1, classes, 1, 1] of a network with channels in front
  const bool front = s.size() == 4 && s[2] == 1 && s[3] == 1;
  const std::size_t classes = s.empty() ? 1 : front ? s[1] : s.back();
  std::vector<double> values = doubles_of(o.descriptor, o.bytes);
  for (double& v : values) v = dequantized(v, o.quantization);
  return top_scores(values, classes, k, rows_shown);
}

Json top_json(const Options& o, const Output& out, const Labels& labels) {
  const auto labeled = [&](Json entry, std::size_t index) {
    if (const std::string* label = labels.find(index)) entry["label"] = *label;
    return entry;
  };
  Json all = Json::array();
  if (const auto map = map_of(o, out)) {
    for (const auto& [index, pixels] : pixels_of_classes(*map))
      if (all.size() < o.top)
        all.push_back(labeled(
            {{"index", index},
             {"pixels", pixels},
             {"share", static_cast<double>(pixels) / static_cast<double>(map->classes.size())}},
            index));
    return Json{{"classes_of_pixels", std::move(all)}};
  }
  for (const auto& row : scores_of(out, o.top)) {
    Json list = Json::array();
    for (const Score& score : row)
      list.push_back(labeled({{"index", score.index}, {"score", score.value}}, score.index));
    all.push_back(std::move(list));
  }
  return Json{{"top", std::move(all)}};
}

Json as_json(const Options& o, const Model& m, const Feeds& feeds, std::vector<Output>& outputs,
             const Labels& labels, double us) {
  Json j{{"model", m.path}, {"microseconds", us}, {"warm", false}};
  for (const Feed& f : feeds) {
    Json input{{"name", f.name}};
    input.update(json_of(f.descriptor));
    input["from"] = f.from;
    j["inputs"].push_back(std::move(input));
  }
  for (const Output& out : outputs) {
    const Statistics s = statistics_of(out.descriptor, out.bytes);
    Json output{{"name", out.name}};
    output.update(json_of(out.descriptor));
    add_quantization(output, out.quantization);
    output.update(Json{{"min", dequantized(s.min, out.quantization)},
                       {"max", dequantized(s.max, out.quantization)},
                       {"mean", dequantized(s.mean, out.quantization)},
                       {"not_finite", s.not_finite}});
    if (!out.file.empty()) output["file"] = out.file;
    if (o.top) output.update(top_json(o, out, labels));
    j["outputs"].push_back(std::move(output));
  }
  return j;
}

std::string top_text(const Options& o, const Output& out, const Labels& labels) {
  std::string s;
  if (const auto map = map_of(o, out)) {
    Table t({">pixels", ">%", ">class", ""});
    std::size_t rows = 0;
    for (const auto& [index, pixels] : pixels_of_classes(*map)) {
      if (rows++ == o.top) break;
      const std::string* label = labels.find(index);
      t.add({fmt::format(">{}", pixels),
             fmt::format(">{:.1f}", 100 * static_cast<double>(pixels) /
                                        static_cast<double>(map->classes.size())),
             fmt::format(">{}", index), label ? escaped(*label) : ""});
    }
    return t.text("  ");
  }
  for (const auto& row : scores_of(out, o.top)) {
    Table t({">", ">score", ">class", ""});
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string* label = labels.find(row[i].index);
      t.add({fmt::format(">{}", i + 1), ">" + fmt::format("{:.4f}", row[i].value),
             fmt::format(">{}", row[i].index), label ? escaped(*label) : ""});
    }
    s += t.text("  ");
  }
  return s;
}

std::string summary_text(const Output& out) {
  const Statistics s = statistics_of(out.descriptor, out.bytes);
  std::string first;
  std::size_t shown_values = 0;
  for_each_value(out.descriptor.dataType, out.bytes, std::min(s.count, values_shown),
                 [&](std::size_t i, double v) {
                   first += (i ? ", " : "") + number_text(dequantized(v, out.quantization));
                   ++shown_values;
                 });
  return fmt::format("  min {}, max {}, mean {}{}\n  {}{}\n",
                     number_text(dequantized(s.min, out.quantization)),
                     number_text(dequantized(s.max, out.quantization)),
                     number_text(dequantized(s.mean, out.quantization)),
                     s.not_finite ? fmt::format(", {} not finite", s.not_finite) : "", first,
                     s.count > shown_values ? ", ..." : "");
}

std::string as_text(const Options& o, const Feeds& feeds, const std::vector<Output>& outputs,
                    const Labels& labels, double us) {
  std::string s;
  for (const Feed& f : feeds)
    s += fmt::format("input {}: {} from {}\n", escaped(f.name), type_text(f.descriptor), f.from);
  for (const Output& out : outputs) {
    s += fmt::format("output {}: {}", escaped(out.name), type_text(out.descriptor));
    if (out.quantization) s += ", " + quantization_text(out.quantization);
    s += out.file.empty() ? "\n" : " -> " + shown(out.file) + "\n";
    s += o.top ? top_text(o, out, labels) : summary_text(out);
  }
  return s + fmt::format(
                 "{:.3f} ms, the first run after the model was loaded; webnn bench "
                 "measures warm runs\n",
                 us / 1000);
}

int run(Options& o) {
  for (const std::string& argument : o.outputs)
    if (o.json && name_and_value(argument).second == "-")
      throw Usage("--json and the output - would be mixed");
  const Labels labels = o.labels.empty() ? Labels() : Labels::read(o.labels);
  if (!o.labels.empty() && o.top == 0) o.top = 5;
  const Model m = load(o.model, o.context.context(), given_by(o.inputs));
  const Feeds feeds = make_feeds(o.inputs, m);
  Runner runner(m.context, m.compiled, feeds);
  const double us = runner.timed_run();
  std::vector<Output> outputs = outputs_of(m, runner.results());
  for (const Output& out : outputs)
    if (!o.labels.empty() && !out.descriptor.shape.empty() &&
        out.descriptor.shape.back() != labels.size() && !map_of(o, out))
      print_error(fmt::format("{}: {}, but output {} has {}", shown(o.labels),
                              counted(labels.size(), "label"), in_quotes(out.name),
                              counted(out.descriptor.shape.back(), "class")));
  write_outputs(o, m, outputs);
  std::vector<GoldenOutput> golden;
  if (!o.golden.empty())
    golden = compare_golden(o.golden, m.compiled.outputs(), runner.results(), o.tolerance, [&] {
      return growth_of_outputs(o.model, o.inputs, feeds, m.context.threads());
    });
  if (o.json) {
    Json j = as_json(o, m, feeds, outputs, labels, us);
    if (!o.golden.empty()) j["golden"] = golden_json(golden);
    print_json(j);
  } else {
    const bool data =
        std::any_of(outputs.begin(), outputs.end(), [](const Output& x) { return x.file == "-"; });
    if (!data) print(as_text(o, feeds, outputs, labels, us) + golden_text(golden));
  }
  return agrees(golden) ? Exit::ok : Exit::differs;
}

}  // namespace

Action add_run(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  o->model.add_to(app);
  o->context.add_to(app);
  o->inputs.add_to(app);
  const std::string group = "Outputs";
  app.add_option("--output", o->outputs,
                 "The file of an output. A .npy file has its elements; a .png file shows one "
                 "channel in gray, or the classes of a segmentation in colors; a file with any "
                 "other extension has its bytes; - is the standard output")
      ->type_name("[NAME=]FILE")
      ->take_all()
      ->group(group);
  app.add_option("--output-dir", o->output_dir, "Write every output to a .npy file in this folder")
      ->type_name("DIR")
      ->group(group);
  app.add_option("--top-k", o->top,
                 "How many of the best classes of each output to print, or, for a segmentation, "
                 "how many of the classes with the most pixels; 5 with --labels")
      ->type_name("K")
      ->check(CLI::Range(1, 100000))
      ->group(group);
  app.add_option("--labels", o->labels, "A file with the name of a class in each line")
      ->type_name("FILE")
      ->group(group);
  add_golden(app, o->golden);
  add_tolerance(app, o->tolerance);
  add_json(app, o->json);
  app.footer(
      "Examples:\n  webnn run mobilenet.tflite --image cat.jpg --labels imagenet.txt\n  webnn run "
      "net.tflite --input x=x.npy --output y=y.npy\n  webnn run resnet.tflite --image cat.png "
      "--mean 123.7,116.3,103.5 --std 58.4,57.1,57.4 --top-k 3\n  webnn run deeplab.tflite --image "
      "street.jpg "
      "--output mask.png --top-k 5\n  webnn run net.tflite --seed 7 --output-dir golden\n  webnn "
      "run net.tflite --seed 7 --backends xnnpack,reference --golden golden");
  return [o]() -> int { return run(*o); };
}

}  // namespace webnn::inline v0_1::tool
