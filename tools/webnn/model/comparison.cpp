#include "tools/webnn/model/comparison.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "src/graph/text.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/data/values.h"
#include "tools/webnn/model/align.h"
#include "tools/webnn/model/compiled.h"
#include "tools/webnn/model/growth.h"
#include "tools/webnn/model/pieces.h"
#include "tools/webnn/model/results.h"
#include "webnn/error.h"
#include "webnn/passes.h"

namespace webnn::inline v0_1::tool {
namespace {

bool is_quantized(const Graph& g) {
  for (std::size_t i = 0; i < g.size(); ++i)
    if (g.node(i).as<ops::quantizeLinear>() || g.node(i).as<ops::dequantizeLinear>()) return true;
  return false;
}
/// Whether results are compared as a whole: rounding to 8 bits makes every element another.
bool by_cosine(const Side& a, const Side& b, const CompareOptions& o) {
  // Passes compute the weights of some quantized operators: a compiled graph is behind these.
  const auto graph = [&](const Side& s) {
    return a.is_compiled || b.is_compiled ? s.compiled.optimized() : s.compiled.graph();
  };
  return o.cosine || (!o.tolerance && is_quantized(graph(a)) != is_quantized(graph(b)));
}

/// Measures results that differ too much for one operator by the growth of one unit.
void allow_growth(std::span<Compared> all, const Graph& graph,
                  const std::vector<MLOperand>& results, const Feeds& feeds, int threads,
                  const CompareOptions& o) {
  if (o.tolerance || !has_quantized_results(graph) || !packed_operators(graph).empty()) return;
  std::vector<std::size_t> places;
  std::vector<MLOperand> differing;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].verdict.agrees) continue;
    places.push_back(i);
    differing.push_back(results[i]);
  }
  if (places.empty()) return;
  const std::vector<double> growth =
      growth_of(MLContext({.threads = threads}), graph, differing, feeds);
  for (std::size_t i = 0; i < places.size(); ++i)
    all[places[i]].verdict.allow(growth[i], all[places[i]].distances);
}

SameLargest same_largest(const MLOperandDescriptor& d, std::span<const double> a,
                         std::span<const double> b) {
  SameLargest all;
  if (!is_float(d.dataType) || d.shape.empty() || d.shape.back() < 2) return all;
  const std::size_t n = d.shape.back();
  const auto place = [n](std::span<const double> row) {
    return std::max_element(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n)) -
           row.begin();
  };
  for (std::size_t i = 0; i < a.size(); i += n, ++all.rows)
    all.same += place(a.subspan(i, n)) == place(b.subspan(i, n));
  return all;
}

Compared compare(std::string name, std::string op, const MLOperandDescriptor& d,
                 std::span<const std::byte> a, std::span<const std::byte> b,
                 const CompareOptions& o) {
  Compared c{std::move(name), std::move(op), d, distances(d, a, b), {}, {}};
  c.verdict = judge(d, c.distances, o.tolerance);
  const std::vector<double> x = doubles_of(d, a), y = doubles_of(d, b);
  c.similarity = similarity(x, y);
  c.largest = same_largest(d, x, y);
  return c;
}

/// Real numbers, whatever each side stores.
Compared compare_real(const NamedDescriptor& output, std::span<const std::byte> a,
                      const std::optional<Quantization>& qa, const MLOperandDescriptor& other,
                      std::span<const std::byte> b, const std::optional<Quantization>& qb) {
  const auto reals = [](const MLOperandDescriptor& d, std::span<const std::byte> bytes,
                        const std::optional<Quantization>& q) {
    std::vector<double> values = doubles_of(d, bytes);
    for (double& v : values) v = dequantized(v, q);
    return values;
  };
  const std::vector<double> x = reals(output.descriptor, a, qa), y = reals(other, b, qb);
  Compared c{output.name, "", output.descriptor, {}, {}, similarity(x, y)};
  c.largest = same_largest(output.descriptor, x, y);
  c.distances.count = x.size();
  for (std::size_t i = 0; i < x.size(); ++i) {
    c.distances.different += x[i] != y[i];
    if (std::abs(x[i] - y[i]) <= c.distances.largest) continue;
    c.distances = {x.size(), c.distances.different, 0, std::abs(x[i] - y[i]), 0, i, x[i], y[i], {}};
  }
  return c;
}

std::vector<Compared> compare_outputs(const Side& a, const Side& b, const CompareOptions& o) {
  const auto &mine = a.compiled.outputs(), &theirs = b.compiled.outputs();
  if (mine.size() != theirs.size())
    throw CommandError(
        fmt::format("the models have {} and {}", mine.size(), counted(theirs.size(), "output")));
  const Results x = execute(a.context, a.compiled, a.feeds);
  const Results y = execute(b.context, b.compiled, b.feeds);
  std::vector<Compared> all;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    std::size_t k = i;
    for (std::size_t n = 0; n < theirs.size(); ++n)
      if (theirs[n].name == mine[i].name) k = n;
    if (by_cosine(a, b, o) &&
        element_count(mine[i].descriptor.shape) == element_count(theirs[k].descriptor.shape)) {
      all.push_back(compare_real(mine[i], x[i], a.quantization[i], theirs[k].descriptor, y[k],
                                 b.quantization[k]));
      continue;
    }
    if (mine[i].descriptor != theirs[k].descriptor)
      throw CommandError(fmt::format("output {} is {} and {}", in_quotes(mine[i].name),
                                     type_text(mine[i].descriptor),
                                     type_text(theirs[k].descriptor)));
    all.push_back(compare(mine[i].name, "", mine[i].descriptor, x[i], y[k], o));
  }
  if (by_cosine(a, b, o)) return all;
  const Side& whole = packed_operators(a.compiled.graph()).empty() ? a : b;
  std::vector<MLOperand> results;
  for (const NamedDescriptor& d : mine) {
    const NamedOperands& outputs = whole.compiled.graph().outputs();
    const auto found = std::find_if(outputs.begin(), outputs.end(),
                                    [&](const NamedOperand& y) { return y.name == d.name; });
    results.push_back(found == outputs.end() ? outputs[results.size()].operand : found->operand);
  }
  allow_growth(all, whole.compiled.graph(), results, whole.feeds, a.context.threads(), o);
  return all;
}

/// Graphs with the same results as outputs, run on both sides.
void compare_group(std::span<const Pair> group, const Side& a, const Side& b,
                   const CompareOptions& o, std::vector<Compared>& out) {
  const Graph &ga = a.compiled.graph(), &gb = b.compiled.graph();
  std::vector<MLOperand> in_a, in_b;
  for (const Pair& p : group) {
    in_a.push_back(ga.node(p.node_a).output(p.output));
    in_b.push_back(gb.node(p.node_b).output(p.output));
  }
  const Results x = results_of(a.context, ga, in_a, a.feeds);
  const Results y = results_of(b.context, gb, in_b, b.feeds);
  const std::size_t before = out.size();
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Node node = ga.node(group[i].node_a);
    out.push_back(compare(name_of(ga, group[i].node_a), std::string(node.name()),
                          node.output(group[i].output).descriptor(), x[i], y[i], o));
    out.back().same_constants = group[i].same_constants;
  }
  if (!by_cosine(a, b, o))
    allow_growth(std::span(out).subspan(before), ga, in_a, a.feeds, a.context.threads(), o);
}

/// Every piece of b between results that are compared, on the values that a has there. So what
/// differs is what that piece computes, not what came before.
void compare_each(std::span<const Pair> pairs, const Side& a, const Side& b,
                  const CompareOptions& o, std::vector<Compared>& out) {
  const Graph &ga = a.compiled.graph(), &gb = b.compiled.graph();
  std::vector<MLOperand> watched;
  std::uint64_t bytes = 0;
  constexpr std::uint64_t most = std::uint64_t{1} << 33;
  for (const Pair& p : pairs) {
    watched.push_back(ga.node(p.node_a).output(p.output));
    bytes += byte_length(watched.back().descriptor());
  }
  if (bytes > most && !o.each) return;  // it was not asked for
  if (bytes > most)
    throw CommandError(fmt::format("--each: the results of all operators ({}) are more than {}",
                                   bytes_text(static_cast<double>(bytes)),
                                   bytes_text(static_cast<double>(most))));
  if (pairs.empty()) return;
  const Results values = results_of(a.context, ga, watched, a.feeds);
  std::vector<bool> cut(gb.operand_count());
  std::map<std::uint32_t, std::span<const std::byte>> known;  // by operand of b
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::uint32_t id = gb.node(pairs[i].node_b).output(pairs[i].output).record().id;
    cut[id] = true;
    known[id] = values[i];
  }
  for (const auto& [name, x] : gb.inputs())
    for (const Feed& f : b.feeds)
      if (f.name == name) known[x.record().id] = f.bytes;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Node node = gb.node(pairs[i].node_b);
    const Piece piece = piece_of(gb, node.output(pairs[i].output), cut);
    Feeds feeds;
    for (std::size_t k = 0; k < piece.inputs.size(); ++k) {
      const auto from = known.at(piece.inputs[k].record().id);
      feeds.push_back(
          {fmt::format("x{}", k), piece.inputs[k].descriptor(), {from.begin(), from.end()}, ""});
    }
    const Results y = execute(b.context, build_graph(b.context, piece.graph), feeds);
    out.push_back(compare(name_of(ga, pairs[i].node_a), std::string(node.name()),
                          node.output(pairs[i].output).descriptor(), values[i], y[0], o));
    out.back().same_constants = pairs[i].same_constants;
    if (!by_cosine(a, b, o))
      allow_growth({&out.back(), 1}, piece.graph, {piece.graph.outputs()[0].operand}, feeds,
                   a.context.threads(), o);
  }
}

/// Whether a result is within tolerance by what one unit grows to.
bool decided_by_growth(const Comparison& c) {
  const auto grown = [](const Compared& x) { return x.verdict.growth.has_value(); };
  return std::any_of(c.outputs.begin(), c.outputs.end(), grown) ||
         std::any_of(c.operators.begin(), c.operators.end(), grown);
}

/// In place of elements: the angle of all of them together.
void judge_by_cosine(Comparison& c, double least) {
  for (auto* list : {&c.outputs, &c.operators})
    for (Compared& x : *list)
      // An index, a mask or a quantized number is not a real number: of those nothing is said.
      x.verdict.agrees = x.similarity.cosine >= least ||
                         (list == &c.operators && !is_float(x.descriptor.dataType));
}

}  // namespace

Comparison compare(const Side& a, const Side& b, const CompareOptions& o) {
  Comparison c;
  c.by_cosine = by_cosine(a, b, o);
  c.outputs = compare_outputs(a, b, o);
  const Graph &ga = a.compiled.graph(), &gb = b.compiled.graph();
  std::vector<Pair> pairs;
  c.outputs_alone = !packed_operators(ga).empty() || !packed_operators(gb).empty();
  if (!c.outputs_alone)
    pairs = c.by_cosine && !o.same_model ? align_quantized(ga, gb) : align(ga, gb);
  else if (o.each)
    throw CommandError(
        "--each: operators are run by themselves, for which a compiled graph has no weights");
  if (!c.by_cosine && c.outputs_agree())
    std::erase_if(pairs, [](const Pair& p) { return !p.same_constants; });
  if (!o.every && !c.by_cosine) {
    const std::vector<bool> seen_a = observable(ga), seen_b = observable(gb);
    std::erase_if(pairs, [&](const Pair& p) {
      return !seen_a[ga.node(p.node_a).output(p.output).record().id] ||
             !seen_b[gb.node(p.node_b).output(p.output).record().id];
    });
  }
  std::size_t results = 0;
  for (std::size_t i = 0; i < ga.size(); ++i) {
    const Node node = ga.node(i);
    results += node.outputs().size();
  }
  c.left_out = results - pairs.size();
  if (o.each) compare_each(pairs, a, b, o, c.operators);
  std::vector<std::uint64_t> sizes;
  for (const Pair& p : pairs)
    sizes.push_back(byte_length(ga.node(p.node_a).output(p.output).descriptor()));
  for (std::size_t begin = 0, end = 0; begin < pairs.size() && !o.each; begin = end) {
    end = end_of_group(sizes, begin);
    compare_group(std::span(pairs).subspan(begin, end - begin), a, b, o, c.operators);
  }
  if (!o.each && c.agrees() && decided_by_growth(c)) compare_each(pairs, a, b, o, c.alone);
  if (c.by_cosine) judge_by_cosine(c, o.cosine.value_or(default_cosine));
  return c;
}

}  // namespace webnn::inline v0_1::tool
