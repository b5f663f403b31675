#include "tools/webnn/model/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>

#include "src/graph/text.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/output.h"
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

/// The sizes of data that has the rank of its input; whether it fits is said when it is read.
void add_files(SizesByName& sizes, const Graph& graph, const ShapesByName& files) {
  for (const auto& [name, x] : graph.inputs()) {
    auto file = files.find(name);
    if (file == files.end() && graph.inputs().size() == 1) file = files.find("");
    const MLDimensions own = x.dimensions().value_or(MLDimensions());
    if (file == files.end() || file->second.size() != own.size()) continue;
    for (std::size_t i = 0; i < own.size(); ++i)
      if (own[i].is_open()) set(sizes, own[i].dynamic().name, file->second[i]);
  }
}

using Accepts = std::function<bool(std::uint32_t)>;

std::string multiple_of(std::uint32_t step, bool several) {
  return fmt::format("must be {} of {}", several ? "multiples" : "a multiple", step);
}

/// What is said of the only size in a window: others may be its multiples, or those of its divisor.
std::string rule_of_one(std::uint32_t size, std::uint32_t max, const Accepts& accepted,
                        bool several) {
  for (std::uint32_t step = 2; step <= size; ++step) {
    const auto fits = [&](std::uint32_t times) {
      return std::uint64_t{step} * times <= max && accepted(step * times);
    };
    const std::uint32_t times = size / step;
    if (size % step == 0 && fits(times + 1) && fits(times + 2) && (times == 1 || fits(times - 1)))
      return multiple_of(step, several);
  }
  return fmt::format("must be {}", size);
}

/// "can be a multiple of 32, or up to 3 less", where that is so of all sizes from `step` on. Models
/// that round up halves of sizes accept the sizes below, and some small sizes work by broadcasting.
std::string rule_of_period(const std::vector<std::uint32_t>& accepted, std::uint32_t first,
                           std::uint32_t last) {
  const auto is_accepted = [&](std::uint32_t n) { return std::ranges::binary_search(accepted, n); };
  for (std::uint32_t step = 2; step <= (last - first + 1) / 3; ++step) {
    const auto repeats = [&](std::uint32_t n) {
      return is_accepted(n) == is_accepted(n + step) ||
             (n < step && is_accepted(n) && n % step != 0);
    };
    bool fits = true, exact = true;
    for (std::uint32_t n = first; fits && n + step <= last; ++n) {
      fits = repeats(n) && (n % step != 0 || is_accepted(n));
      exact = exact && is_accepted(n) == is_accepted(n + step);
    }
    if (!fits) continue;
    // The sizes of a period that are accepted, from the multiple on in both directions.
    const std::uint32_t middle = (first + step - 1) / step * step + step;
    std::uint32_t count = 0, below = 0, above = 0;
    for (std::uint32_t n = middle; n < middle + step; ++n) count += is_accepted(n);
    while (below + 1 < step && is_accepted(middle - below - 1)) ++below;
    while (above + 1 < step && is_accepted(middle + above + 1)) ++above;
    exact = exact && count == 1 + below + above;
    std::string rule = fmt::format("{} be a multiple of {}", exact ? "must" : "can", step);
    if (below) rule += fmt::format(", or up to {} less", below);
    if (above) rule += fmt::format(", or up to {} more", above);
    return rule;
  }
  return "";
}

/// What the sizes from `first` to `last` that the model accepts have in common; it has refused one.
std::string rule_of(const std::vector<std::uint32_t>& accepted, std::uint32_t first,
                    std::uint32_t last, std::uint32_t refused, bool several) {
  std::uint32_t step = last - first + 1;
  for (std::size_t i = 1; i < accepted.size(); ++i)
    step = std::min(step, accepted[i] - accepted[i - 1]);
  const auto least = (first + step - 1) / step * step, most = last / step * step;
  const bool all = accepted.size() == (most - least) / step + 1 &&
                   std::ranges::all_of(accepted, [&](auto n) { return n % step == 0; });
  if (all && step > 1) return multiple_of(step, several);
  if (step == 1 && accepted.size() == accepted.back() - accepted.front() + 1) {
    if (refused < accepted.front() && accepted.back() == last)
      return fmt::format("must be at least {}", accepted.front());
    if (refused > accepted.back() && accepted.front() == first)
      return fmt::format("must be at most {}", accepted.back());
    return fmt::format("must be {} to {}", accepted.front(), accepted.back());
  }
  if (std::string rule = rule_of_period(accepted, first, last); !several && !rule.empty())
    return rule;
  std::string some;
  for (std::size_t i = 0; i < std::min<std::size_t>(accepted.size(), 4); ++i)
    some += (i ? ", " : "") + std::to_string(accepted[i]);
  return fmt::format("can be {}", some);
}

/// Tries one size for all of these dimensions.
std::string rule_for(const MLGraph& graph, const std::vector<OpenDimension>& dimensions,
                     const SizesByName& refused) {
  std::uint32_t min = 1, max = 0x7fffffff;
  for (const OpenDimension& d : dimensions) {
    min = std::max(min, d.min);
    max = std::min(max, d.max);
  }
  const std::uint32_t around = refused.at(dimensions.front().name);
  const std::uint32_t first = around > window / 2 ? std::max(min, around - window / 2) : min;
  if (first > max) return "";
  const std::uint32_t last = std::min(max - first, window - 1) + first;
  const Accepts accepted = [&](std::uint32_t size) {
    SizesByName sizes = refused;
    for (const OpenDimension& d : dimensions) sizes[d.name] = size;
    return accepts(graph, sizes);
  };
  std::vector<std::uint32_t> found;
  for (std::uint32_t size = first; size <= last; ++size)
    if (accepted(size)) found.push_back(size);
  if (found.empty()) return "";
  const bool several = dimensions.size() > 1;
  const std::string names = joined(std::span(dimensions).first(dimensions.size() - 1), ", ",
                                   [](const OpenDimension& d) { return escaped(d.name); }) +
                            (several ? " and " : "") + escaped(dimensions.back().name);
  return names + ' ' +
         (found.size() == 1 ? rule_of_one(found.front(), max, accepted, several)
                            : rule_of(found, first, last, around, several));
}

}  // namespace

std::vector<OpenDimension> open_dimensions(const Graph& graph) {
  std::vector<OpenDimension> all;
  for (const auto& [input, x] : graph.inputs()) {
    const auto dimensions = x.dimensions();
    for (std::uint32_t i = 0; dimensions && i < dimensions->size(); ++i) {
      if (!(*dimensions)[i].is_open()) continue;
      const auto& [name, min, max] = (*dimensions)[i].dynamic();
      const bool leads = i == 0 && dimensions->size() > 1;
      const auto known = std::ranges::find(all, name, &OpenDimension::name);
      if (known == all.end()) all.push_back({name, input, i, min, max, leads});
      else known->leads = known->leads && leads;
    }
  }
  return all;
}

bool is_batch(const OpenDimension& d) {
  std::string name = d.name;
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  if (name == "batch" || name == "batch_size" || name == "batchsize") return true;
  const bool made = d.name == d.input + "_axis0" || name.starts_with("unk__");
  return d.leads && (made || name == "b" || name == "n" || name.find("batch") != name.npos);
}

ChosenSizes choose_sizes(const Graph& graph, const SizesByName& sizes, const ShapesByName& shapes,
                         const ShapesByName& files) {
  ChosenSizes chosen{sizes};
  const std::vector<OpenDimension> all = open_dimensions(graph);
  for (const auto& [name, size] : sizes)
    if (std::ranges::find(all, name, &OpenDimension::name) == all.end())
      throw Usage("--dim " + escaped(name) + ": the model has no open dimension of that name");
  for (const auto& [input, shape] : shapes) add_shape(chosen.sizes, graph, input, shape);
  add_files(chosen.sizes, graph, files);
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
    throw MissingSizes(
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
  constexpr std::size_t max_in_pairs = 4;
  std::vector<OpenDimension> all = open_dimensions(graph.graph());
  for (const OpenDimension& d : all)
    if (std::string rule = rule_for(graph, {d}, refused); !rule.empty()) return rule;
  std::erase_if(all, is_batch);
  if (all.size() > 2 && all.size() <= max_in_pairs)
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = i + 1; j < all.size(); ++j)
        if (std::string rule = rule_for(graph, {all[i], all[j]}, refused); !rule.empty())
          return rule;
  return all.size() > 1 ? rule_for(graph, all, refused) : "";
}

void refuse_sizes(const MLGraph& graph, const SizesByName& refused, const std::string& why) {
  const std::string rule = accepted_sizes(graph, refused);
  throw CommandError(rule.empty() ? why : rule + ": " + why);
}

void say_guesses(const ChosenSizes& chosen) {
  for (const std::string& name : chosen.guessed)
    print_error(fmt::format("dimension {} is {}; --dim {}=N gives another size", in_quotes(name),
                            chosen.sizes.at(name), escaped(name)));
}

MLGraph sized(const MLGraph& graph, const SizesByName& sizes) {
  const ShapesByName shapes = shapes_at(graph.graph(), sizes);
  std::string why;
  try {
    return graph.prepare(named(shapes));
  } catch (const TypeError& e) { why = e.reason(); }
  refuse_sizes(graph, sizes, why);
}

}  // namespace webnn::inline v0_1::tool
