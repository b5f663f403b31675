// What quantize() measures, what it leaves in float, and what it refuses.
#include "tests/quantization/networks.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

/// In double, with the scales as floats.
std::vector<double> rounded(const std::vector<double>& v, double low, double high) {
  const double scale = static_cast<float>((high - low) / 255);
  const double zero = std::nearbyint(-low / scale);
  std::vector<double> y;
  for (double x : v)
    y.push_back(scale * (std::clamp(std::nearbyint(x / scale) + zero, 0.0, 255.0) - zero));
  return y;
}
std::pair<double, double> bounds(const std::vector<double>& v) {
  double low = 0, high = 0;
  for (double x : v) low = std::min(low, x), high = std::max(high, x);
  return {low, high};
}
std::vector<double> product(const std::vector<double>& x, const std::vector<double>& w,
                            std::size_t k, std::size_t columns) {
  std::vector<double> y(x.size() / k * columns);
  for (std::size_t r = 0; r < x.size() / k; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t i = 0; i < k; ++i) y[r * columns + c] += x[r * k + i] * w[i * columns + c];
  return y;
}
double ratio(const std::vector<double>& expected, const std::vector<double>& actual) {
  double signal = 0, noise = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    signal += expected[i] * expected[i];
    noise += (expected[i] - actual[i]) * (expected[i] - actual[i]);
  }
  return 10 * std::log10(signal / noise);
}
std::vector<double> doubles(const std::vector<float>& v) { return {v.begin(), v.end()}; }
std::vector<double> weights_of(const std::vector<double>& w) {
  double most = 0;
  for (double v : w) most = std::max(most, std::abs(v));
  const double scale = static_cast<float>(most / 127);
  std::vector<double> y;
  for (double v : w) y.push_back(scale * std::nearbyint(v / scale));
  return y;
}

/// Two products, the second of which has large weights beside small ones.
struct Two : FloatNet {
  std::vector<float> first_weights = wave(16 * 24), second = wave(24 * 8, 0.2f);
  Graph g = make();

  Graph make() {
    second[3] = 60;
    const MLOperand x = b.input("x", {float32, {4, 16}});
    const MLOperand h = b.gemm(x, b.constant({float32, {16, 24}}, first_weights), {.label = "a"});
    return graph({{"y", b.gemm(h, b.constant({float32, {24, 8}}, second), {.label = "b"})}});
  }
};

}  // namespace

TEST_CASE("quantize: the report has the errors of each operator") {
  Two net;
  const Samples samples(64, 1);
  const auto q = quantize(net.fast, net.g, samples.all);
  const auto x = doubles(samples.values[0]), wa = doubles(net.first_weights),
             wb = doubles(net.second);
  const auto h = product(x, wa, 16, 24), y = product(h, wb, 24, 8);
  const auto [x_low, x_high] = bounds(x);
  const auto [h_low, h_high] = bounds(h);
  const auto [y_low, y_high] = bounds(y);
  const auto hq =
      rounded(product(rounded(x, x_low, x_high), weights_of(wa), 16, 24), h_low, h_high);
  const auto alone =
      rounded(product(rounded(h, h_low, h_high), weights_of(wb), 24, 8), y_low, y_high);
  const auto yq = rounded(product(hq, weights_of(wb), 24, 8), y_low, y_high);
  REQUIRE(q.operators.size() == 2);
  // A few elements near a half of a step are rounded the other way in float32.
  CHECK(std::abs(row(q, "a").own_snr - ratio(h, hq)) < 0.3);
  CHECK(std::abs(row(q, "a").network_snr - row(q, "a").own_snr) < 1e-9);
  CHECK(std::abs(row(q, "b").own_snr - ratio(y, alone)) < 0.3);
  CHECK(std::abs(row(q, "b").network_snr - ratio(y, yq)) < 0.3);
  CHECK(std::abs(row(q, "a").weights_snr - ratio(wa, weights_of(wa))) < 1e-6);
  CHECK(std::abs(row(q, "b").weights_snr - ratio(wb, weights_of(wb))) < 1e-6);
  REQUIRE(q.outputs.size() == 1);
  CHECK(q.outputs[0].name == "y");
  CHECK(std::abs(q.outputs[0].snr - row(q, "b").network_snr) < 1e-9);
  double largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i) largest = std::max(largest, std::abs(y[i] - yq[i]));
  CHECK(std::abs(q.outputs[0].max_error - largest) < 0.02 * (y_high - y_low));
  CHECK(row(q, "b").own_snr < row(q, "a").own_snr);
}

TEST_CASE("quantize: operators stay in float by name, by kind, and by their errors") {
  Two net;
  const Samples samples(64);
  const auto of = [&](const QuantizationOptions& o) {
    const auto q = quantize(net.fast, net.g, samples.all, o);
    std::string kept;
    for (std::size_t i = 0; i < q.graph.size(); ++i)
      if (const Node node = q.graph.node(i); node.as<ops::gemm>() && node.input(1).constant())
        kept += node.label();
    for (const auto& r : q.operators)
      CHECK(r.quantized == (kept.find(r.name) == std::string::npos));
    return kept;
  };
  const auto all = quantize(net.fast, net.g, samples.all);
  const double between = (row(all, "a").own_snr + row(all, "b").own_snr) / 2;
  CHECK(of({}).empty());
  CHECK(of({.keep_float = {"a"}}) == "a");
  CHECK(of({.keep_float = {"b"}}) == "b");
  CHECK(of({.min_snr = between}) == "b");
  CHECK(of({.worst_in_float = 1}) == "b");
  CHECK(quantize(net.fast, net.g, samples.all, {.worst_in_float = 1}).outputs[0].snr >
        all.outputs[0].snr);
  FloatNet two;
  const Graph mixed =
      two.graph({{"y", two.b.sigmoid(two.b.reshape(two.conv(two.image(), 4, 8), {1, 512}))}});
  const auto kinds = [&](std::vector<std::string> names) {
    return quantize(two.fast, mixed, Samples(256).all, {.operators = std::move(names)})
        .operators.size();
  };
  CHECK(kinds({}) == 2);
  CHECK(kinds({"conv2d"}) == 1);
  CHECK(kinds({"conv2d", "sigmoid"}) == 1);  // the reshape between them is in float
  CHECK(kinds({"conv2d", "reshape", "sigmoid"}) == 2);
}

TEST_CASE("quantize: tensors that are not finite stay in float") {
  FloatNet net;
  const MLOperand x = net.b.input("x", {float32, {4, 16}});
  const MLOperand h = net.b.gemm(x, net.wavy({16, 16}), {.label = "a"});
  std::vector<float> mask(64, 0.f);
  mask[5] = -HUGE_VALF;
  const MLOperand masked =
      net.b.add(h, net.b.constant({float32, {4, 16}}, mask), {.label = "mask"});
  const Graph g = net.graph({{"y", net.b.softmax(masked, 1)}});
  const auto q = quantize(net.fast, g, Samples(64).all);
  CHECK(q.operators.size() == 1);
  CHECK(row(q, "a").quantized);
  CHECK(std::isfinite(q.outputs[0].snr));
}

TEST_CASE("quantize: progress, and an end on request") {
  Two net;
  const Samples samples(64);
  std::vector<std::string> stages;
  std::size_t last = 0, total = 0;
  quantize(net.fast, net.g, samples.all,
           {.calibration = CalibrationMethod::entropy, .progress = [&](const auto& p) {
              if (stages.empty() || stages.back() != p.stage)
                stages.emplace_back(p.stage), last = 0;
              CHECK(p.done > last);
              CHECK((p.total == 0 || p.done <= p.total));
              last = p.done;
              total = p.total;
            }});
  CHECK(stages == std::vector<std::string>{"calibration", "measurement"});
  CHECK(last == total);
  std::stop_source source;
  source.request_stop();
  CHECK(thrown([&] { quantize(net.fast, net.g, samples.all, {.stop = source.get_token()}); }) ==
        "AbortError quantize: it was canceled.");
}

TEST_CASE("quantize: what is refused") {
  Two net;
  const Samples samples(64);
  const auto refused = [&](const QuantizationOptions& o) {
    return thrown([&] { quantize(net.fast, net.g, samples.all, o); });
  };
  CHECK(refused({.activations = int32}) ==
        "TypeError quantize: activations (int32) is not int8 or uint8.");
  CHECK(refused({.weights = int4}) == "TypeError quantize: weights (int4) is not int8 or uint8.");
  CHECK(refused({.percentile = 50}) ==
        "TypeError quantize: percentile (50) is not above 50 and at most 100.");
  CHECK(refused({.percentile = NAN}) ==
        "TypeError quantize: percentile (nan) is not above 50 and at most 100.");
  CHECK(refused({.operators = {"exp"}}) ==
        "TypeError quantize: operators: \"exp\" is not the name of an operator that can be "
        "quantized.");
  CHECK(refused({.keep_float = {"c"}}) ==
        "TypeError quantize: keep_float: there is no operator \"c\".");
  CHECK(refused({.min_snr = NAN}) == "TypeError quantize: min_snr is NaN.");
  const std::string none =
      "TypeError quantize: the graph has no product or convolution of float32 that can be "
      "quantized.";
  CHECK(refused({.keep_float = {"a", "b"}}) == none);
  CHECK(refused({.operators = {"conv2d"}}) == none);
  CHECK(refused({.worst_in_float = 2}) == none);
  CHECK(thrown([&] { quantize(net.fast, net.g, CalibrationSamples()); }) ==
        "TypeError quantize: there are no samples to determine the scales from.");
  const std::vector<float> few(63);
  CHECK(thrown([&] {
          quantize(net.fast, net.g, std::vector<CalibrationSample>{{{"x", few}}});
        }).starts_with("TypeError quantize: sample 0: "));
  CHECK(thrown([&] {
          quantize(net.fast, net.g, std::vector<CalibrationSample>{{{"z", few}}});
        }).starts_with("TypeError quantize: sample 0: "));
  CHECK(thrown([&] {
          quantize(net.fast, net.g, std::vector<CalibrationSample>{{}});
        }).starts_with("TypeError quantize: sample 0: "));
  const auto q = quantize(net.fast, net.g, samples.all);
  CHECK(thrown([&] {
          quantize(net.fast, q.graph, samples.all);
        }).starts_with("TypeError quantize: the graph is quantized: it has the operator "));
}

TEST_CASE("quantize: the names of operators are sorted, each once") {
  const auto all = quantizable_operators();
  CHECK(std::is_sorted(all.begin(), all.end()));
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
  for (const char* name : {"conv2d", "gemm", "matmul", "concat", "reshape", "softmax"})
    CHECK(std::binary_search(all.begin(), all.end(), std::string_view(name)));
}
