// webnn diff: the first operator where the results of two models, or of one model on two orders of
// backends, differ.
#include <fmt/format.h>

#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/data/tolerance.h"
#include "tools/webnn/data/values.h"
#include "tools/webnn/model/align.h"
#include "tools/webnn/model/execute.h"
#include "webnn/error.h"
#include "webnn/passes.h"

namespace webnn::tool {
namespace {

struct Options {
  ModelOptions model;
  ContextOptions context;
  InputOptions inputs;
  std::string other, other_backends;
  std::optional<double> tolerance;
  bool every = false, all = false, json = false;
};

struct Compared {
  std::string name{}, op{};
  MLOperandDescriptor descriptor{};
  Distances distances{};
  Verdict verdict{};
};

struct Comparison {
  std::vector<Compared> outputs{}, operators{};
  std::size_t left_out = 0;  ///< results that were not compared
  const Compared* first() const {
    for (const Compared& c : operators)
      if (!c.verdict.agrees) return &c;
    return nullptr;
  }
  bool agrees() const {
    bool all = first() == nullptr;
    for (const Compared& c : outputs) all = all && c.verdict.agrees;
    return all;
  }
};

struct Side {
  MLContext context;
  MLGraph compiled;
  Feeds feeds;
};

/// The input of the other model: the same bytes, or the same values in its data type.
Feeds feeds_for(const Model& other, const Model& model, const Feeds& feeds) {
  const auto& inputs = other.compiled.inputs();
  if (inputs.size() != feeds.size())
    throw CommandError(
        fmt::format("the models have {} and {} inputs", feeds.size(), inputs.size()));
  Feeds all;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::size_t from = i;  // by name, else by place
    for (std::size_t k = 0; k < feeds.size(); ++k)
      if (feeds[k].name == inputs[i].name) from = k;
    const MLOperandDescriptor &d = inputs[i].descriptor, &theirs = feeds[from].descriptor;
    if (element_count(d.shape) != element_count(theirs.shape))
      throw CommandError(fmt::format("input {} is {} and {}", escaped(inputs[i].name),
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

Compared compare(std::string name, std::string op, const MLOperandDescriptor& d,
                 std::span<const std::byte> a, std::span<const std::byte> b, const Options& o) {
  Compared c{std::move(name), std::move(op), d, distances(d, a, b), {}};
  c.verdict = judge(d, c.distances, o.tolerance);
  return c;
}

std::vector<Compared> compare_outputs(const Side& a, const Side& b, const Options& o) {
  const auto &mine = a.compiled.outputs(), &theirs = b.compiled.outputs();
  if (mine.size() != theirs.size())
    throw CommandError(
        fmt::format("the models have {} and {} outputs", mine.size(), theirs.size()));
  const Results x = execute(a.context, a.compiled, a.feeds);
  const Results y = execute(b.context, b.compiled, b.feeds);
  std::vector<Compared> all;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    std::size_t k = i;
    for (std::size_t n = 0; n < theirs.size(); ++n)
      if (theirs[n].name == mine[i].name) k = n;
    if (mine[i].descriptor != theirs[k].descriptor)
      throw CommandError(fmt::format("output {} is {} and {}", escaped(mine[i].name),
                                     type_text(mine[i].descriptor),
                                     type_text(theirs[k].descriptor)));
    all.push_back(compare(mine[i].name, "", mine[i].descriptor, x[i], y[k], o));
  }
  return all;
}

/// Results are compared in groups of at most so much memory, or one by one.
constexpr std::uint64_t batch_bytes = std::uint64_t{1} << 28;

/// Graphs with the same results as outputs, run on both sides.
void compare_batch(std::span<const Pair> batch, const Side& a, const Side& b, const Options& o,
                   std::vector<Compared>& out) {
  const Graph &ga = a.compiled.graph(), &gb = b.compiled.graph();
  NamedOperands in_a, in_b;
  for (const Pair& p : batch) {
    in_a.emplace_back(fmt::format("{}.{}", p.node_a, p.output), ga.node(p.node_a).output(p.output));
    in_b.emplace_back(fmt::format("{}.{}", p.node_a, p.output), gb.node(p.node_b).output(p.output));
  }
  const MLGraph wide_a = build_graph(a.context, with_outputs(ga, in_a));
  const MLGraph wide_b = build_graph(b.context, with_outputs(gb, in_b));
  const Results x = execute(a.context, wide_a, a.feeds), y = execute(b.context, wide_b, b.feeds);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Node node = ga.node(batch[i].node_a);
    out.push_back(compare(name_of(ga, batch[i].node_a), std::string(node.name()),
                          node.output(batch[i].output).descriptor(), x[i], y[i], o));
  }
}

Comparison compare(const Side& a, const Side& b, const Options& o) {
  Comparison c;
  c.outputs = compare_outputs(a, b, o);
  const Graph &ga = a.compiled.graph(), &gb = b.compiled.graph();
  std::vector<Pair> pairs = align(ga, gb);
  if (!o.every) {
    const std::vector<bool> seen_a = observable(ga), seen_b = observable(gb);
    std::erase_if(pairs, [&](const Pair& p) {
      return !seen_a[ga.node(p.node_a).output(p.output).record().id] ||
             !seen_b[gb.node(p.node_b).output(p.output).record().id];
    });
  }
  std::size_t results = 0;
  for (std::size_t i = 0; i < ga.size(); ++i) results += ga.node(i).outputs().size();
  c.left_out = results - pairs.size();
  for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
    std::uint64_t bytes = 0;
    while (end < pairs.size()) {
      const Pair& p = pairs[end];
      bytes += byte_length(ga.node(p.node_a).output(p.output).descriptor());
      if (end > begin && bytes > batch_bytes) break;
      ++end;
    }
    compare_batch(std::span(pairs).subspan(begin, end - begin), a, b, o, c.operators);
  }
  return c;
}

Json json_of(const Compared& c) {
  const Distances& x = c.distances;
  Json j{{"name", c.name}};
  if (!c.op.empty()) j["operator"] = c.op;
  j.update(webnn::tool::json_of(c.descriptor));
  j.update(Json{{"agrees", c.verdict.agrees},
                {"elements", x.count},
                {"different", x.different},
                {"largest", number_or_null(x.largest)},
                {"largest_relative", number_or_null(x.largest_relative)},
                {"largest_ulp", number_or_null(x.largest_ulp)},
                {"where", x.where},
                {"values", {number_or_null(x.a), number_or_null(x.b)}}});
  j["ulp_histogram"] = Json::object();
  for (std::size_t i = 0; i < x.histogram.size(); ++i)
    if (x.histogram[i]) j["ulp_histogram"][bucket_name(i)] = x.histogram[i];
  return j;
}

Json as_json(const Comparison& c) {
  Json j{{"agrees", c.agrees()}, {"compared", c.operators.size()}, {"left_out", c.left_out}};
  j["first"] = c.first() ? json_of(*c.first()) : Json(nullptr);
  j["outputs"] = Json::array();
  for (const Compared& x : c.outputs) j["outputs"].push_back(json_of(x));
  j["operators"] = Json::array();
  for (const Compared& x : c.operators) j["operators"].push_back(json_of(x));
  return j;
}

std::string histogram_text(const Compared& c) {
  const Distances& x = c.distances;
  Table t({">ULPs apart", ">elements", ""});
  for (std::size_t i = 0; i < x.histogram.size(); ++i) {
    if (!x.histogram[i]) continue;
    const double share = static_cast<double>(x.histogram[i]) / static_cast<double>(x.count);
    t.add({">" + bucket_name(i), fmt::format(">{}", x.histogram[i]),
           std::string(static_cast<std::size_t>(std::ceil(share * 40)), '#')});
  }
  std::string s = t.text("  ");
  if (x.different)
    s += fmt::format("  furthest apart: element {}, {} and {}\n", x.where, number_text(x.a),
                     number_text(x.b));
  return s;
}

std::string as_text(const Comparison& c, bool all) {
  std::string s;
  if (all) {
    Table t({"operator", "", "type and shape", ">different", ">ULPs", ">relative", ""});
    for (const Compared& x : c.operators)
      t.add({shortened(x.name), x.op, type_text(x.descriptor),
             fmt::format(">{}", x.distances.different),
             fmt::format(">{:.0f}", x.distances.largest_ulp),
             fmt::format(">{:.2g}", x.distances.largest_relative),
             x.verdict.agrees ? "" : "PARTS"});
    s += t.text() + '\n';
  }
  for (const Compared& x : c.outputs)
    s += fmt::format("output {} {}: {}, {} of {} elements differ\n", escaped(x.name),
                     type_text(x.descriptor), x.verdict.agrees ? "agrees" : "DIFFERS",
                     x.distances.different, x.distances.count) +
         histogram_text(x);
  if (const Compared* first = c.first())
    s += fmt::format("\nThe first operator whose results part: {} ({}, {})\n", first->name,
                     first->op, type_text(first->descriptor)) +
         histogram_text(*first);
  else
    s += fmt::format("\nNo operator parts: {} results were compared, {} were not looked at.\n",
                     c.operators.size(), c.left_out);
  if (!c.first() && !c.agrees())
    s += "The outputs differ nevertheless: operators that are fused, or passes, make the "
         "difference. See webnn verify.\n";
  return s;
}

int diff(const Options& o) {
  const Model a = load(o.model, o.context.context(), known_values(o.inputs));
  const Feeds feeds = make_feeds(o.inputs, a);
  std::string order = o.other_backends;
  if (order.empty()) order = o.other.empty() ? "reference" : o.context.backends;
  const MLContext context = context_of(order, o.context.threads);
  Side mine{a.context, a.compiled, feeds};
  Side theirs{context, {}, feeds};
  if (o.other.empty()) {
    theirs.compiled = build_graph(context, a.graph());
  } else {
    ModelOptions other = o.model;
    other.path = o.other;
    const Model b = load(other, context, known_values(o.inputs));
    theirs.compiled = b.compiled;
    theirs.feeds = feeds_for(b, a, feeds);
  }
  const Comparison c = compare(mine, theirs, o);
  if (o.json) print_json(as_json(c));
  else print(as_text(c, o.all));
  return c.agrees() ? Exit::ok : Exit::differs;
}

}  // namespace

Action add_diff(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  o->model.add_to(app);
  app.add_option("OTHER", o->other, "Another model; without it the same on other backends")
      ->type_name("FILE");
  o->context.add_to(app);
  app.add_option("--other-backends", o->other_backends,
                 "Backends of the other side; reference if there is one model only")
      ->type_name("NAMES");
  o->inputs.add_to(app);
  add_tolerance(app, o->tolerance);
  app.add_flag("--all", o->all, "Print a line for every operator");
  app.add_flag("--every", o->every,
               "Also look between dequantizeLinear and quantizeLinear, which keeps integer kernels "
               "from running");
  add_json(app, o->json);
  app.footer(
      "Examples:\n  webnn diff net.tflite --backends simd,reference --other-backends "
      "xnnpack,reference\n  webnn diff net.tflite converted.tflite --tolerance 0\n  webnn "
      "diff net.tflite --image cat.png --all");
  return [o]() -> int { return diff(*o); };
}

}  // namespace webnn::tool
