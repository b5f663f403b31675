#include "webnn/quantize.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "src/builder/validate.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/quantization/prepare.h"
#include "src/quantization/sample_runs.h"
#include "src/quantization/writer.h"

namespace webnn::inline v0_1 {
namespace {

/// Bytes of results that are looked at in one run of a sample, as far as sizes are known.
constexpr std::uint64_t bytes_at_once = std::uint64_t{256} << 20;
constexpr std::size_t open_at_once = 64;
constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

std::uint32_t id(const MLOperand& x) { return x.record().id; }
std::uint64_t bytes_of(const MLOperand& x) {
  return x.is_open() ? bytes_at_once / open_at_once : byte_length(x.descriptor());
}

void check(const QuantizationOptions& o) {
  const auto refuse = [](const Failure& why) { raise(why, "quantize"); };
  for (const auto& [name, type] :
       {std::pair("activations", o.activations), std::pair("weights", o.weights)})
    if (type != int8 && type != uint8) refuse(fail("{} ({}) is not int8 or uint8", name, type));
  if (static_cast<std::size_t>(o.calibration) >= enum_names<CalibrationMethod>.size())
    refuse(fail("calibration is not a method"));
  if (!(o.percentile > 50 && o.percentile <= 100))
    refuse(fail("percentile ({}) is not above 50 and at most 100", o.percentile));
  if (o.min_snr && std::isnan(*o.min_snr)) refuse(fail("min_snr is NaN"));
  const auto known = quantizable_operators();
  for (const std::string& name : o.operators)
    if (!std::binary_search(known.begin(), known.end(), std::string_view(name)))
      refuse(fail("operators: {} is not the name of an operator that can be quantized",
                  in_quotes(name)));
}

struct Error {
  double signal = 0, own = 0, network = 0, largest = 0;

  static void add(std::span<const float> expected, std::span<const float> actual, double* signal,
                  double& noise, double* largest = nullptr) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double e = double{expected[i]} - double{actual[i]};
      if (signal) *signal += double{expected[i]} * double{expected[i]};
      if (expected[i] == actual[i]) continue;  // infinities too
      noise += e * e;
      if (largest) *largest = std::max(*largest, std::abs(e));
    }
  }
};

class Quantization {
 public:
  Quantization(const MLContext& context, const Graph& graph, const CalibrationSamples& samples,
               const QuantizationOptions& options)
      : options_(options), graph_(prepared(graph)), runs_(context, samples, options) {}

  QuantizedGraph run() {
    keep_named();
    plan_.selection = select(graph_, options_, kept_);
    require_products();
    if (!options_.dynamic) calibrate();
    report();
    if (keep_worst()) {
      plan_.selection = select(graph_, options_, kept_);
      require_products();
      if (!options_.dynamic) set_scales();
      report();
    }
    Writer writer(plan_);
    writer.write_quantized();
    NamedOperands outputs;
    for (const auto& [name, y] : graph_.outputs())
      outputs.push_back({name, writer.in_quantized(y)});
    const Graph graph = writer.finish(outputs);
    check_result(graph);
    return {.graph = graph,
            .operators = std::move(operators_),
            .outputs = std::move(outputs_),
            .samples = runs_.count()};
  }

 private:
  /// The sizes of an open graph are checked when it runs.
  static void check_result(const Graph& graph) {
    for (const auto& [name, x] : graph.inputs())
      if (x.is_open()) return;
    if (const auto bad = check_graph(graph))
      raise({"internal error: " + bad->message, ErrorName::OperationError}, "quantize");
  }
  void keep_named() {
    for (std::size_t i = 0; i < graph_.size(); ++i)
      if (graph_.node(i).as<ops::quantizeLinear>())
        raise(fail("the graph is quantized: it has the operator {}",
                   in_quotes(name_in_report(graph_, i))),
              "quantize");
    for (const std::string& name : options_.keep_float) {
      const std::size_t before = kept_.size();
      for (std::size_t i = 0; i < graph_.size(); ++i)
        if (name_in_report(graph_, i) == name) kept_.insert(i);
      if (kept_.size() == before)
        raise(fail("keep_float: there is no operator {}", in_quotes(name)), "quantize");
    }
  }
  void require_products() {
    for (const Unit& unit : plan_.selection.units)
      if (unit.role == Role::product) return;
    raise(fail("the graph has no product or convolution of float32 that can be quantized"),
          "quantize");
  }

  /// The ranges of all tensors that may be quantized. Where they are not finite, units stay.
  void calibrate() {
    std::set<std::uint32_t> wanted;
    std::vector<MLOperand> tensors;
    const auto want = [&](const MLOperand& x) {
      if (x.record().descriptor.dataType != float32 || x.constant() || !wanted.insert(id(x)).second)
        return;
      if (x.record().kind == OperandKind::result) tensors.push_back(x);
    };
    for (const Unit& unit : plan_.selection.units) {
      for (const MLOperand& x : graph_.node(unit.node).inputs()) want(x);
      const Node node = graph_.node(unit.node);
      for (const MLOperand& y : node.outputs()) want(y);
      for (std::size_t i : unit.tail) want(graph_.node(i).output());
    }
    found_.resize(graph_.operand_count());
    const bool counts = options_.calibration != CalibrationMethod::min_max;
    const auto chunks = chunks_of(tensors, [](const MLOperand& x) { return bytes_of(x); });
    runs_.begin("calibration", chunks.size() * (counts ? 2 : 1));
    for (const bool bins : {false, true}) {
      if (bins && !counts) break;
      const auto take = [&](const MLOperand& x, std::span<const float> values) {
        bins ? found_[id(x)].add_to_bins(values) : found_[id(x)].add_to_bounds(values);
      };
      for (const auto& chunk : chunks) {
        NamedOperands outputs;
        for (const MLOperand& x : chunk) outputs.push_back({std::to_string(id(x)), x});
        const auto first = [&](std::size_t i, std::span<const float> values) {
          take(graph_.inputs()[i].operand, values);
        };
        runs_.pass(
            graph_, outputs, [&](std::size_t i, auto values) { take(chunk[i], values); },
            &chunk == &chunks.front() ? SampleRuns::Take(first) : SampleRuns::Take());
        if (runs_.count() == 0)
          raise(fail("there are no samples to determine the scales from"), "quantize");
      }
    }
    keep_infinite();
    set_scales();
  }
  void keep_infinite() {
    const auto is_infinite = [&](const MLOperand& x) {
      return x.record().descriptor.dataType == float32 && !x.constant() &&
             !found_[id(x)].is_finite();
    };
    const std::size_t before = kept_.size();
    for (const Unit& unit : plan_.selection.units) {
      const Node node = graph_.node(unit.node), last = graph_.node(unit.last());
      const auto inputs = node.inputs();
      bool infinite = std::any_of(inputs.begin(), inputs.end(), is_infinite) ||
                      std::any_of(node.outputs().begin(), node.outputs().end(), is_infinite) ||
                      is_infinite(last.outputs()[0]);
      for (const MLOperand& x : inputs)
        if (x.constant() && x.record().descriptor.dataType == float32)
          infinite |= !has_finite_elements(x);
      if (infinite) kept_.insert(unit.node);
    }
    if (kept_.size() == before) return;
    plan_.selection = select(graph_, options_, kept_);
    require_products();
  }
  static bool has_finite_elements(const MLOperand& x) {
    std::vector<float> v(element_count(x.shape()));
    std::memcpy(v.data(), x.constant()->bytes().data(), v.size() * sizeof(float));
    Distribution d;
    d.add_to_bounds(v);
    return d.is_finite();
  }

  /// The range of what an operator makes that has the same bounds whatever it reads.
  std::optional<ValueRange> fixed_range(std::size_t node) const {
    const Node n = graph_.node(node);
    if (options_.symmetric) return std::nullopt;
    if (n.as<ops::softmax>() || n.as<ops::sigmoid>()) return ValueRange{0, 255.0 / 256};
    if (n.as<ops::tanh>()) return ValueRange{-1, 127.0 / 128};
    return std::nullopt;
  }
  void set_scales() {
    const Selection& s = plan_.selection;
    std::vector<ValueRange> ranges(graph_.operand_count());
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const MLOperand x = graph_.operand(i);
      ValueRange range;
      if (is_float_constant(x) && s.scale_as[i] != i) range = range_of_constant(x);
      else if (s.quantized[i]) range = range_of(found_[i], options_);
      if (s.made_by_integers[i])
        if (const auto fixed = fixed_range(x.record().producer)) range = *fixed;
      ranges[s.scale_as[i]].include(range);
    }
    plan_.scales.resize(ranges.size());
    for (std::size_t i = 0; i < ranges.size(); ++i)
      plan_.scales[i] = scale_of(ranges[s.scale_as[i]], options_.activations, options_.symmetric);
  }
  static ValueRange range_of_constant(const MLOperand& x) {
    std::vector<float> v(element_count(x.shape()));
    std::memcpy(v.data(), x.constant()->bytes().data(), v.size() * sizeof(float));
    Distribution d;
    d.add_to_bounds(v);
    return {d.low(), d.high()};
  }

  /// Lists of about as many bytes each; at least one, which may be empty of everything but one.
  template <class T, class Bytes>
  static std::vector<std::vector<T>> chunks_of(const std::vector<T>& all, Bytes bytes) {
    std::vector<std::vector<T>> chunks(1);
    std::uint64_t sum = 0;
    for (const T& x : all) {
      if (!chunks.back().empty() && sum + bytes(x) > bytes_at_once) chunks.emplace_back(), sum = 0;
      sum += bytes(x);
      chunks.back().push_back(x);
    }
    return chunks;
  }

  /// Measures the errors of what the plan has, and of the outputs.
  void report() {
    const std::vector<Unit>& units = plan_.selection.units;
    std::vector<std::size_t> rows(units.size(), Selection::none);
    for (QuantizedOperator& row : operators_) row.quantized = false;
    for (std::size_t u = 0; u < units.size(); ++u) {
      const Unit& unit = units[u];
      if (unit.role == Role::mover) continue;
      const auto [at, is_new] = row_of_.emplace(unit.node, operators_.size());
      if (is_new)
        operators_.push_back({.name = name_in_report(graph_, unit.node),
                              .kind = graph_.node(unit.node).name(),
                              .own_snr = not_measured});
      QuantizedOperator& row = operators_[at->second];
      row.quantized = true;
      row.network_snr = not_measured;
      row.weights_snr = Writer(plan_).weights_snr(unit);
      rows[u] = at->second;
    }
    outputs_.clear();
    measure(rows);
  }

  struct Item {
    std::size_t row = Selection::none;  // of the operators, or of the outputs
    bool is_output = false;
    const Unit* unit = nullptr;
    MLOperand y{};
  };
  void measure(const std::vector<std::size_t>& rows) {
    std::vector<Item> items;
    for (std::size_t u = 0; u < rows.size(); ++u)
      if (rows[u] != Selection::none) {
        const Unit& unit = plan_.selection.units[u];
        items.push_back({rows[u], false, &unit, graph_.node(unit.last()).output()});
      }
    for (const auto& [name, y] : graph_.outputs()) {
      if (y.record().descriptor.dataType != float32) continue;
      items.push_back({outputs_.size(), true, nullptr, y});
      outputs_.push_back({name, not_measured, not_measured});
    }
    const auto chunks = chunks_of(items, [](const Item& i) { return 3 * bytes_of(i.y); });
    runs_.begin("measurement", chunks.size());
    for (const auto& chunk : chunks) measure_chunk(chunk);
  }
  void measure_chunk(const std::vector<Item>& items) {
    Writer writer(plan_);
    writer.write_float();
    writer.write_quantized();
    NamedOperands outputs;
    struct Place {
      std::size_t item;
      int what;  // 0: in float; 1: in the network; 2: alone
    };
    std::vector<Place> places;
    const auto add = [&](std::size_t item, int what, const MLOperand& y) {
      if (y.record().kind != OperandKind::result) return;
      outputs.push_back({std::to_string(places.size()), y});
      places.push_back({item, what});
    };
    for (std::size_t i = 0; i < items.size(); ++i) {
      add(i, 0, writer.in_float(items[i].y));
      add(i, 1, writer.in_quantized(items[i].y));
      if (items[i].unit) add(i, 2, writer.write_alone(*items[i].unit)[0]);
    }
    if (outputs.empty()) return;
    std::vector<Error> errors(items.size());
    std::vector<float> expected;
    const Graph graph = writer.finish(outputs);
    runs_.pass(graph, graph.outputs(), [&](std::size_t place, std::span<const float> values) {
      const auto [item, what] = places[place];
      Error& e = errors[item];
      if (what == 0) expected.assign(values.begin(), values.end());
      else if (what == 1) Error::add(expected, values, &e.signal, e.network, &e.largest);
      else Error::add(expected, values, nullptr, e.own);
    });
    if (runs_.count() == 0) return;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Error& e = errors[i];
      if (items[i].is_output) {
        outputs_[items[i].row].snr = decibels(e.signal, e.network);
        outputs_[items[i].row].max_error = e.largest;
      } else {
        operators_[items[i].row].network_snr = decibels(e.signal, e.network);
        operators_[items[i].row].own_snr = decibels(e.signal, e.own);
      }
    }
  }

  /// Keeps operators with large errors in float. Returns whether there are any.
  bool keep_worst() {
    if ((!options_.min_snr && options_.worst_in_float == 0) || runs_.count() == 0) return false;
    std::vector<std::pair<double, std::size_t>> all;
    for (const auto& [node, row] : row_of_) {
      const double snr = operators_[row].own_snr;
      all.emplace_back(std::isnan(snr) ? -HUGE_VAL : snr, node);
    }
    std::stable_sort(all.begin(), all.end());
    const std::size_t before = kept_.size();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i < options_.worst_in_float || (options_.min_snr && all[i].first < *options_.min_snr))
        kept_.insert(all[i].second);
    return kept_.size() != before;
  }

  const QuantizationOptions& options_;
  const Graph graph_;
  SampleRuns runs_;
  Plan plan_{graph_, options_};
  std::set<std::size_t> kept_{};
  std::vector<Distribution> found_{};            // by operand
  std::map<std::size_t, std::size_t> row_of_{};  // by node
  std::vector<QuantizedOperator> operators_{};
  std::vector<QuantizedOutput> outputs_{};
};

}  // namespace

QuantizedGraph quantize(const MLContext& context, const Graph& graph,
                        const CalibrationSamples& samples, const QuantizationOptions& options) {
  check(options);
  return Quantization(context, graph, samples, options).run();
}

QuantizedGraph quantize(const MLContext& context, const Graph& graph,
                        std::span<const CalibrationSample> samples,
                        const QuantizationOptions& options) {
  return quantize(
      context, graph,
      [&](std::size_t i) -> std::optional<CalibrationSample> {
        if (i < samples.size()) return samples[i];
        return std::nullopt;
      },
      options);
}

}  // namespace webnn::inline v0_1
