#include "tools/webnn/model/sizes.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/graph/text.h"
#include "tools/webnn/common/exit.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tool {
namespace {

constexpr std::uint32_t window = 256;

std::vector<NamedShape> named(const ShapesByName& shapes) {
  std::vector<NamedShape> all;
  for (const auto& [name, shape] : shapes) all.push_back({name, shape});
  return all;
}

bool accepts(const MLGraph& graph, const SizesByName& sizes) {
  try {
    graph.computeShapes(named(shapes_at(graph.graph(), sizes)));
    return true;
  } catch (const TypeError&) { return false; }
}

std::string place_of(const OpenDimension& d) {
  return fmt::format("{} (dimension {} of input {})", in_quotes(d.name), d.axis,
                     in_quotes(d.input));
}

void set(SizesByName& sizes, const std::string& name, std::uint32_t size) {
  const auto [known, is_new] = sizes.emplace(name, size);
  if (!is_new && known->second != size)
    throw Usage(
        fmt::format("dimension {} is given as {} and as {}", in_quotes(name), known->second, size));
}

void add_shape(SizesByName& sizes, const Graph& graph, const std::string& input,
               const Dims& shape) {
  for (const auto& [name, x] : graph.inputs()) {
    if (name != input) continue;
    const MLDimensions own = x.dimensions().value_or(MLDimensions());
    bool fits = own.size() == shape.size();
    for (std::size_t i = 0; fits && i < own.size(); ++i)
      if (own[i].is_open()) set(sizes, own[i].dynamic().name, shape[i]);
      else fits = own[i].size() == shape[i];
    if (!fits)
      throw Usage(fmt::format("--shape {}: the shape does not fit the dimensions of the input",
                              escaped(input)));
    return;
  }
  throw Usage("--shape " + escaped(input) + ": there is no input of that name");
}

/// What numbers from `first` on, of which the model accepts these, have in common.
std::string rule_of(const std::vector<std::uint32_t>& accepted, std::uint32_t first,
                    std::uint32_t last, bool several) {
  if (accepted.size() == 1) return fmt::format("must be {}", accepted.front());
  std::uint32_t step = last - first + 1;
  for (std::size_t i = 1; i < accepted.size(); ++i)
    step = std::min(step, accepted[i] - accepted[i - 1]);
  const auto least = (first + step - 1) / step * step, most = last / step * step;
  const bool all = accepted.size() == (most - least) / step + 1 &&
                   std::ranges::all_of(accepted, [&](auto n) { return n % step == 0; });
  if (all && step > 1)
    return fmt::format("must be {} of {}", several ? "multiples" : "a multiple", step);
  if (step == 1 && accepted.size() == accepted.back() - accepted.front() + 1) {
    if (accepted.back() == last) return fmt::format("must be at least {}", accepted.front());
    if (accepted.front() == first) return fmt::format("must be at most {}", accepted.back());
    return fmt::format("must be {} to {}", accepted.front(), accepted.back());
  }
  std::string some;
  for (std::size_t i = 0; i < std::min<std::size_t>(accepted.size(), 4); ++i)
    some += (i ? ", " : "") + std::to_string(accepted[i]);
  return fmt::format("can be {}", some);
}

/// Tries one size for all of these dimensions.
std::string rule_for(const MLGraph& graph, const std::vector<OpenDimension>& dimensions,
                     const SizesByName& refused) {
  std::uint32_t first = 1, last = 0x7fffffff;
  for (const OpenDimension& d : dimensions) {
    first = std::max(first, d.min);
    last = std::min(last, d.max);
  }
  const std::uint32_t around = refused.at(dimensions.front().name);
  if (around > window / 2) first = std::max(first, around - window / 2);
  last = std::min(last, first + window - 1);
  if (first > last) return "";
  std::vector<std::uint32_t> accepted;
  for (std::uint32_t size = first; size <= last; ++size) {
    SizesByName sizes = refused;
    for (const OpenDimension& d : dimensions) sizes[d.name] = size;
    if (accepts(graph, sizes)) accepted.push_back(size);
  }
  if (accepted.empty()) return "";
  std::string names;
  for (std::size_t i = 0; i < dimensions.size(); ++i)
    names += (i == 0                       ? ""
              : i + 1 == dimensions.size() ? " and "
                                           : ", ") +
             escaped(dimensions[i].name);
  return names + ' ' + rule_of(accepted, first, last, dimensions.size() > 1);
}

}  // namespace

std::vector<OpenDimension> open_dimensions(const Graph& graph) {
  std::vector<OpenDimension> all;
  for (const auto& [input, x] : graph.inputs()) {
    const auto dimensions = x.dimensions();
    for (std::uint32_t i = 0; dimensions && i < dimensions->size(); ++i) {
      if (!(*dimensions)[i].is_open()) continue;
      const auto& [name, min, max] = (*dimensions)[i].dynamic();
      const auto known = std::ranges::find(all, name, &OpenDimension::name);
      if (known == all.end()) all.push_back({name, input, i, std::max(min, 1u), max, i == 0});
      else known->leads = known->leads && i == 0;
    }
  }
  return all;
}

bool is_batch(const OpenDimension& d) {
  std::string name = d.name;
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return d.leads && (name == "batch" || name == "batch_size" || name == "b" || name == "n");
}

ChosenSizes choose_sizes(const Graph& graph, const SizesByName& sizes, const ShapesByName& shapes) {
  ChosenSizes chosen{sizes};
  const std::vector<OpenDimension> all = open_dimensions(graph);
  for (const auto& [name, size] : sizes)
    if (std::ranges::find(all, name, &OpenDimension::name) == all.end())
      throw Usage("--dim " + escaped(name) + ": the model has no open dimension of that name");
  for (const auto& [input, shape] : shapes) add_shape(chosen.sizes, graph, input, shape);
  std::string missing, flags;
  for (const OpenDimension& d : all) {
    if (chosen.sizes.contains(d.name)) continue;
    if (is_batch(d)) {
      chosen.sizes[d.name] = std::clamp(1u, d.min, d.max);
      chosen.guessed.push_back(d.name);
      continue;
    }
    missing += (missing.empty() ? "" : ", ") + place_of(d);
    flags += " --dim " + escaped(d.name) + "=N";
  }
  if (!missing.empty())
    throw Usage(
        fmt::format("open dimensions need a size: {}; give it with{}, or the shapes of the "
                    "inputs with --shape INPUT=1x2x3",
                    missing, flags));
  return chosen;
}

ShapesByName shapes_at(const Graph& graph, const SizesByName& sizes) {
  ShapesByName all;
  for (const auto& [name, x] : graph.inputs()) {
    if (!x.is_open()) continue;
    Dims& shape = all[name];
    for (const MLDimension& d : x.dimensions().value_or(MLDimensions()))
      shape.push_back(d.is_open() ? sizes.at(d.dynamic().name) : d.size());
  }
  return all;
}

std::string accepted_sizes(const MLGraph& graph, const SizesByName& refused) {
  std::vector<OpenDimension> all = open_dimensions(graph.graph());
  for (const OpenDimension& d : all)
    if (std::string rule = rule_for(graph, {d}, refused); !rule.empty()) return rule;
  std::erase_if(all, is_batch);
  return all.size() > 1 ? rule_for(graph, all, refused) : "";
}

MLGraph sized(const MLGraph& graph, const SizesByName& sizes) {
  const ShapesByName shapes = shapes_at(graph.graph(), sizes);
  std::string why;
  try {
    return graph.prepare(named(shapes));
  } catch (const TypeError& e) { why = e.reason(); }
  const std::string rule = accepted_sizes(graph, sizes);
  throw CommandError(rule.empty() ? why : rule + ": " + why);
}

}  // namespace webnn::inline v0_1::tool
