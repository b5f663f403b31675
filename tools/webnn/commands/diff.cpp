// webnn diff: the first operator where the results of two models, or of one model on two orders of
// backends, differ; of a float model and its quantized counterpart, or of a model at another level
// of accuracy, how alike they are.
#include <fmt/format.h>

#include "src/graph/text.h"
#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/terminal.h"
#include "tools/webnn/data/values.h"
#include "tools/webnn/model/comparison.h"
#include "tools/webnn/model/compiled.h"
#include "webnn/error.h"
#include "webnn/passes.h"

namespace webnn::inline v0_1::tool {
namespace {

struct Options {
  ModelOptions model;
  ContextOptions context;
  InputOptions inputs;
  std::string other, other_backends;
  CompareOptions compare;
  bool all = false, json = false;
};

/// The input of the other model: the same bytes, or the same values in its data type.
Feeds feeds_for(const Model& other, const Model& model, const Feeds& feeds) {
  const auto& inputs = other.compiled.inputs();
  if (inputs.size() != feeds.size())
    throw CommandError(
        fmt::format("the models have {} and {}", feeds.size(), counted(inputs.size(), "input")));
  Feeds all;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::size_t from = i;  // by name, else by place
    for (std::size_t k = 0; k < feeds.size(); ++k)
      if (feeds[k].name == inputs[i].name) from = k;
    const MLOperandDescriptor &d = inputs[i].descriptor, &theirs = feeds[from].descriptor;
    if (element_count(d.shape) != element_count(theirs.shape))
      throw CommandError(fmt::format("input {} is {} and {}", in_quotes(inputs[i].name),
                                     type_text(theirs), type_text(d)));
    Feed f{inputs[i].name, d, feeds[from].bytes, feeds[from].from};
    if (d.dataType != theirs.dataType) {
      f.bytes.assign(byte_length(d), std::byte{});
      const auto &mine = other.input_quantization[i], &of = model.input_quantization[from];
      for_each_value(theirs.dataType, feeds[from].bytes, element_count(d.shape),
                     [&](std::size_t k, double v) {
                       v = dequantized(v, of);
                       if (mine) v = v / static_cast<double>(mine->scale) + mine->zero_point;
                       store(v, d.dataType, f.bytes, k);
                     });
    }
    all.push_back(std::move(f));
  }
  return all;
}

Json json_of(const Compared& c) {
  const Distances& x = c.distances;
  Json j{{"name", c.name}};
  if (!c.op.empty()) j["operator"] = c.op;
  j.update(webnn::tool::json_of(c.descriptor));
  j.update(Json{{"agrees", c.verdict.agrees},
                {"same_constants", c.same_constants},
                {"elements", x.count},
                {"different", x.different},
                {"largest", number_or_null(x.largest)},
                {"largest_relative", number_or_null(x.largest_relative)},
                {"largest_ulp", number_or_null(x.largest_ulp)},
                {"limit", c.verdict.growth ? *c.verdict.growth : c.verdict.limit},
                {"limit_of", c.verdict.growth   ? "growth"
                             : c.verdict.floats ? "relative"
                                                : "units"},
                {"cosine", number_or_null(c.similarity.cosine)},
                {"signal_to_noise_db", number_or_null(c.similarity.signal_to_noise)},
                {"rows", c.largest.rows},
                {"rows_with_same_largest", c.largest.same},
                {"where", x.where},
                {"values", {number_or_null(x.a), number_or_null(x.b)}}});
  j["ulp_histogram"] = Json::object();
  for (std::size_t i = 0; i < x.histogram.size(); ++i)
    if (x.histogram[i]) j["ulp_histogram"][bucket_name(i)] = x.histogram[i];
  return j;
}

Json as_json(const Comparison& c) {
  Json j{{"agrees", c.agrees()},
         {"by", c.by_cosine ? "cosine" : "elements"},
         {"compared", c.operators.size()},
         {"left_out", c.left_out},
         {"outputs_alone", c.outputs_alone}};
  j["first"] = c.first() ? json_of(*c.first()) : Json(nullptr);
  j["outputs"] = Json::array();
  for (const Compared& x : c.outputs) j["outputs"].push_back(json_of(x));
  for (const auto& [name, all] : {std::pair("operators", &c.operators), {"alone", &c.alone}}) {
    j[name] = Json::array();
    for (const Compared& x : *all) j[name].push_back(json_of(x));
  }
  return j;
}

std::string furthest_text(const Distances& x) {
  return fmt::format("  furthest apart: element {}, {} and {}\n", x.where, number_text(x.a),
                     number_text(x.b));
}

std::string histogram_text(const Compared& c) {
  const Distances& x = c.distances;
  Table t({is_float(c.descriptor.dataType) ? ">ULPs apart" : ">units apart", ">elements", ""});
  for (std::size_t i = 0; i < x.histogram.size(); ++i) {
    if (!x.histogram[i]) continue;
    const double share = static_cast<double>(x.histogram[i]) / static_cast<double>(x.count);
    t.add({">" + bucket_name(i), fmt::format(">{}", x.histogram[i]),
           std::string(static_cast<std::size_t>(std::ceil(share * 40)), '#')});
  }
  std::string s = t.text("  ");
  return x.different ? s + furthest_text(x) : s;
}

std::string similarity_text(const Similarity& s) {
  return fmt::format("cosine {:.6f}, signal to noise {:.1f} dB", s.cosine, s.signal_to_noise);
}

std::string largest_text(const SameLargest& x) {
  return x.rows == 0 ? ""
                     : fmt::format(", the largest element at the same place in {} of {}", x.same,
                                   counted(x.rows, "row"));
}

constexpr std::string_view outputs_alone =
    "The outputs alone were compared: a compiled graph has the weights of its operators packed.\n";

std::string name_text(const Compared& c) {
  return fmt::format("{} ({}, {})", c.name, c.op, type_text(c.descriptor));
}

/// What is said of a result, in the color of it.
std::string verdict_text(const Compared& c, std::string_view word) {
  return styled(word, c.verdict.agrees ? Style::good : Style::bad);
}

/// What was compared besides the outputs.
std::string extent_text(const Comparison& c) {
  if (c.outputs_alone) return std::string(outputs_alone);
  const std::string compared = counted(c.operators.size(), "result") + " of operators";
  return fmt::format("{} {} compared, {} {} not.\n", compared,
                     c.operators.size() == 1 ? "was" : "were", c.left_out,
                     c.left_out == 1 ? "was" : "were");
}
/// All that is to be said of what is right.
std::string agreement_text(const Comparison& c) {
  return fmt::format("\n{} {}", styled("Within tolerance.", Style::good), extent_text(c));
}
std::string disagreement_text(const Comparison& c) {
  return fmt::format("\n{} {}", styled("Not within tolerance.", Style::bad), extent_text(c));
}
std::string first_text(const Compared& c) {
  return fmt::format("\n{} The first operator whose results differ: {}{}\n",
                     styled("Not within tolerance.", Style::bad),
                     styled(name_text(c), Style::strong),
                     c.same_constants ? "" : "; the models have other constants there");
}

std::string as_text_by_cosine(const Comparison& c, bool all) {
  std::string s;
  Table t({"operator", "", "type and shape", ">cosine", ">SNR dB", ""});
  for (const Compared& x : c.operators)
    if (all && is_float(x.descriptor.dataType))
      t.add({shortened(x.name), x.op, type_text(x.descriptor),
             fmt::format(">{:.6f}", x.similarity.cosine),
             fmt::format(">{:.1f}", x.similarity.signal_to_noise),
             x.verdict.agrees ? "" : verdict_text(x, "DIFFERS")});
  if (all) s += t.text() + '\n';
  for (const Compared& x : c.outputs)
    s += fmt::format("output {} {}: {}, {}{}\n", in_quotes(x.name), type_text(x.descriptor),
                     verdict_text(x, x.verdict.agrees ? "within tolerance" : "DIFFERS"),
                     similarity_text(x.similarity), largest_text(x.largest)) +
         furthest_text(x.distances);
  if (c.agrees()) return s + agreement_text(c);
  if (const Compared* first = c.first())
    return s + first_text(*first) + "  " + similarity_text(first->similarity) + '\n';
  return s + disagreement_text(c);
}

std::string as_text(const Comparison& c, bool all) {
  if (c.by_cosine) return as_text_by_cosine(c, all);
  std::string s;
  if (all) {
    Table t({"operator", "", "type and shape", ">different", ">ULPs or units", ">relative", ""});
    for (const Compared& x : c.operators)
      t.add({shortened(x.name), x.op, type_text(x.descriptor),
             fmt::format(">{}", x.distances.different),
             fmt::format(">{:.0f}", x.distances.largest_ulp),
             fmt::format(">{:.2g}", x.distances.largest_relative),
             verdict_text(x, word_of(x.verdict, x.distances))});
    s += t.text() + '\n';
  }
  for (const Compared& x : c.outputs)
    s += fmt::format("output {} {}: {}, {}\n", in_quotes(x.name), type_text(x.descriptor),
                     verdict_text(x, word_of(x.verdict, x.distances)),
                     elements_text(x.verdict, x.distances)) +
         histogram_text(x);
  if (c.agrees()) return s + agreement_text(c);
  if (const Compared* first = c.first())
    return s + first_text(*first) + "  " + elements_text(first->verdict, first->distances) + '\n' +
           histogram_text(*first);
  s += disagreement_text(c);
  if (!c.outputs_alone)
    s += "No operator whose results were compared differs. The difference comes from operators "
         "that were not compared, from fused operators or from passes; see webnn verify.\n";
  return s;
}

int diff(const Options& o) {
  const Model a = load(o.model, o.context.context(true), given_by(o.inputs));
  const Feeds feeds = make_feeds(o.inputs, a);
  // A level is compared with float32 on the same backends, as a whole.
  const bool by_level = o.other.empty() && o.context.accuracy != name_of(AccuracyLevel::float32);
  CompareOptions compared = o.compare;
  compared.same_model = o.other.empty();
  if (by_level && !compared.tolerance && !compared.cosine) compared.cosine = default_cosine;
  std::string order = o.other_backends;
  if (order.empty()) order = o.other.empty() && !by_level ? "reference" : o.context.backends;
  const MLContext context = context_of(order, o.context.threads, true);
  Side mine{a.context, a.compiled, feeds, a.output_quantization, a.is_compiled};
  Side theirs{context, {}, feeds, a.output_quantization};
  if (o.other.empty()) {
    require_constants(a, "give the model that it was compiled from as OTHER");
    theirs.compiled = build_graph(context, a.graph());
  } else {
    ModelOptions other = o.model;
    other.path = o.other;
    if (is_compiled(other)) other = {.path = o.other, .from = other.from};  // it has its shapes
    const Model b = load(other, context, given_by(o.inputs));
    theirs.compiled = b.compiled;
    theirs.feeds = feeds_for(b, a, feeds);
    theirs.quantization = b.output_quantization;
    theirs.is_compiled = b.is_compiled;
  }
  const Comparison c = compare(mine, theirs, compared);
  if (o.json) print_json(as_json(c));
  else print(as_text(c, o.all));
  return c.agrees() ? Exit::ok : Exit::differs;
}

}  // namespace

Action add_diff(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  o->model.add_to(app);
  app.add_option("OTHER", o->other,
                 "Another model; without it, the same model runs on other backends")
      ->type_name("FILE");
  o->context.add_to(app);
  app.add_option("--other-backends", o->other_backends,
                 "The backends of the other side, which is at the level float32; by default "
                 "reference, if only one model and no level is given")
      ->type_name("NAMES");
  o->inputs.add_to(app);
  add_tolerance(app, o->compare.tolerance);
  app.add_option("--cosine", o->compare.cosine,
                 "Compare results as a whole: the least cosine of the angle between them. A float "
                 "model and a quantized one, and models with --accuracy, are compared in this way, "
                 "with 0.99, unless --tolerance is given")
      ->type_name("X")
      ->check(CLI::Range(-1.0, 1.0));
  app.add_flag("--each", o->compare.each,
               "Give each operator of the other side the inputs that it has on the first side, so "
               "that differences do not add up and the operator that is wrong is found");
  app.add_flag("--all", o->all, "Print a line for every operator");
  app.add_flag("--every", o->compare.every,
               "Also look between dequantizeLinear and quantizeLinear, which keeps integer kernels "
               "from running");
  add_json(app, o->json);
  app.footer(
      "Examples:\n  webnn diff net.tflite --backends simd,reference --other-backends "
      "xnnpack,reference\n  webnn diff net.tflite converted.tflite --tolerance 0\n  webnn "
      "diff net.tflite net.webnnc\n  webnn diff net.tflite --image cat.png --all\n  webnn diff "
      "net.tflite --backends simd,reference "
      "--other-backends reference --each\n  webnn diff float.tflite int8.tflite --image cat.png\n"
      "  webnn diff net.onnx --accuracy bfloat16 --all");
  return [o]() -> int { return diff(*o); };
}

}  // namespace webnn::inline v0_1::tool
