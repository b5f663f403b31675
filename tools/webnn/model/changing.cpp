#include "tools/webnn/model/changing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <random>
#include <set>

#include "src/graph/text.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/interrupt.h"
#include "tools/webnn/common/progress.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tool {
namespace {

bool read_size(std::string_view text, std::uint32_t& size) {
  const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  return error == std::errc() && after == text.data() + text.size() && size > 0 &&
         size <= 0x7fffffffu;
}

SizeRange range_of(const std::string& argument) {
  auto [name, value] = name_and_value(argument);
  SizeRange range{std::move(name)};
  std::string_view text = value;
  const std::size_t colon = text.find(':');
  const bool step_fits =
      colon == std::string_view::npos || read_size(text.substr(colon + 1), range.step);
  text = text.substr(0, colon);
  const std::size_t dots = text.find("..");
  if (range.name.empty() || !step_fits || !read_size(text.substr(0, dots), range.first) ||
      !read_size(text.substr(dots + 2), range.last) || range.first > range.last)
    throw Usage("--dim " + escaped(argument) +
                ": it is not a name and sizes from 1 to 2147483647, as in sequence=1..512 or "
                "height=160..640:32");
  return range;
}

using Clock = std::chrono::steady_clock;

/// A graph, the sizes of its next run, and the data of that.
class Runs {
 public:
  Runs(const Model& model, std::uint64_t seed)
      : context_(model.context), graph_(model.compiled), open_(graph_.graph()), seed_(seed) {}

  void set_sizes(const SizesByName& sizes) {
    shapes_ = shapes_at(open_, sizes);
    names_.clear();
    for (const auto& [name, shape] : shapes_) names_.push_back({name, shape});
    try {
      outputs_ = graph_.computeShapes(names_);
    } catch (const TypeError& e) { refuse_sizes(graph_, sizes, e.reason()); }
    results_.clear();
    for (const auto& [name, d] : outputs_) results_.emplace_back(byte_length(d));
    out_.clear();
    for (std::size_t i = 0; i < results_.size(); ++i)
      out_.push_back({outputs_[i].name, results_[i]});
    fill();
  }
  double timed_run() {
    const auto start = Clock::now();
    context_.compute(graph_, in_, out_);
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  }

 private:
  void fill() {
    in_.clear();
    bytes_.clear();
    bytes_.reserve(open_.inputs().size());
    std::size_t place = 0;
    for (const auto& [name, x] : open_.inputs()) {
      const auto shape = shapes_.find(name);
      const MLOperandDescriptor d{x.dataType(), shape == shapes_.end() ? x.shape() : shape->second};
      const auto& bytes = bytes_.emplace_back(random_bytes(d, seed_, place++));
      if (shape == shapes_.end()) in_.push_back({name, bytes});
      else in_.push_back({name, InputView(bytes, std::span<const std::uint32_t>(shape->second))});
    }
  }

  MLContext context_;
  MLGraph graph_;
  Graph open_;
  std::uint64_t seed_;
  ShapesByName shapes_{};
  std::vector<NamedShape> names_{};
  NamedDescriptors outputs_{};
  std::vector<std::vector<std::byte>> bytes_{}, results_{};
  std::vector<NamedInput> in_{};
  std::vector<NamedOutput> out_{};
};

}  // namespace

std::vector<SizeRange> take_ranges(ModelOptions& o) {
  std::vector<SizeRange> ranges;
  std::erase_if(o.dimensions, [&](const std::string& argument) {
    if (name_and_value(argument).second.find("..") == std::string::npos) return false;
    ranges.push_back(range_of(argument));
    for (std::size_t i = 0; i + 1 < ranges.size(); ++i)
      if (ranges[i].name == ranges.back().name)
        throw Usage("--dim " + escaped(ranges[i].name) + ": it is given twice");
    return true;
  });
  return ranges;
}

ChangingTimings measure_changing(const Model& model, const SizesByName& fixed,
                                 std::span<const SizeRange> ranges, bool random, std::uint64_t seed,
                                 const MeasureOptions& o) {
  constexpr std::size_t least = 5, most = 10'000'000;
  const Interrupt interrupt;
  Progress progress("measuring", o.progress);
  Runs runs(model, seed);
  std::mt19937_64 draw(seed);
  std::set<SizesByName> seen;
  ChangingTimings t;
  const auto start = Clock::now();
  while (t.all.size() < most) {
    const double spent = std::chrono::duration<double>(Clock::now() - start).count();
    if (o.runs ? t.all.size() >= static_cast<std::size_t>(o.runs)
               : spent >= o.seconds && t.all.size() >= least)
      break;
    if (Interrupt::came() && !t.all.empty()) break;
    progress.at(o.runs ? static_cast<double>(t.all.size()) / o.runs : spent / o.seconds);
    SizesByName sizes = fixed;
    for (const SizeRange& r : ranges) {
      const auto place = random ? draw() % r.count() : t.all.size() % r.count();
      sizes[r.name] = r.first + static_cast<std::uint32_t>(place) * r.step;
    }
    runs.set_sizes(sizes);
    t.all.push_back(runs.timed_run());
    if (!seen.insert(sizes).second) {
      t.known.push_back(t.all.back());
      continue;
    }
    t.fresh.push_back(t.all.back());
    t.known.push_back(runs.timed_run());
    t.extra.push_back(t.fresh.back() - t.known.back());
  }
  t.interrupted = Interrupt::came();
  for (auto* times : {&t.all, &t.fresh, &t.known, &t.extra})
    std::sort(times->begin(), times->end());
  return t;
}

}  // namespace webnn::inline v0_1::tool
