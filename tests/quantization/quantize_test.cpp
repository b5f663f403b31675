// The graphs that quantize() makes, their scales, and where they run.
#include "tests/quantization/networks.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

/// The quantizeLinear operators of a graph, in their order.
std::vector<const ops::quantizeLinear*> quantizations(const Graph& g) {
  std::vector<const ops::quantizeLinear*> all;
  for (std::size_t i = 0; i < g.size(); ++i)
    if (const auto* op = g.node(i).as<ops::quantizeLinear>()) all.push_back(op);
  return all;
}

/// The kernels of a graph that are neither for integers, nor move elements, nor are between floats
/// and integers.
std::string float_kernels(const MLContext& context, const Graph& g) {
  std::string others;
  for (const StepReport& s : build_graph(context, with_outputs(g, g.outputs())).report().steps) {
    const auto is = [&](const char* part) { return s.kernel.find(part) != std::string::npos; };
    if (!is("int8") && !is("quantize") && !is("copy")) others += s.kernel + '\n';
  }
  return others;
}

}  // namespace

TEST_CASE("quantize: a convolution, its bias, and relu as a bound") {
  FloatNet net;
  const Graph g = net.graph({{"y", net.b.relu(net.conv(net.image(), 4, 8, "stem"))}});
  const Samples samples(256);
  const QuantizedGraph q = quantize(net.fast, g, samples.all);
  CHECK(names(q.graph) == Names{"quantizeLinear", "dequantizeLinear", "dequantizeLinear",
                                "dequantizeLinear", "conv2d", "relu", "quantizeLinear",
                                "dequantizeLinear"});
  CHECK(!check_graph(q.graph));
  CHECK(q.samples == 3);
  // The range of the input, from the samples.
  float low = 0, high = 0;
  for (const auto& v : samples.values)
    for (float x : v) low = std::min(low, x), high = std::max(high, x);
  const auto made = quantizations(q.graph);
  const double scale = (double{high} - double{low}) / 255;
  CHECK(first(made[0]->scale) == static_cast<float>(scale));
  CHECK(zero_in(made[0]->zeroPoint) ==
        static_cast<int>(std::nearbyint(-double{low} / double{static_cast<float>(scale)})));
  CHECK(made[0]->scale.shape() == Dims{1, 1, 1, 1});
  CHECK(zero_in(made[1]->zeroPoint) == 0);  // behind relu
  // The weights, and the bias in units of both scales.
  const Node conv = q.graph.node(4);
  CHECK(conv.label() == "stem");
  const auto* w = q.graph.producer_of(conv.input(1)).as<ops::dequantizeLinear>();
  const auto* bias = q.graph.producer_of(conv.input(2)).as<ops::dequantizeLinear>();
  float most = 0;
  for (float v : wave(8 * 4 * 9)) most = std::max(most, std::abs(v));
  CHECK(first(w->scale) == static_cast<float>(double{most} / 127));
  CHECK(w->input.dataType() == int8);
  CHECK(zero_in(w->zeroPoint) == 0);
  CHECK(bias->input.dataType() == int32);
  CHECK(first(bias->scale) == first(w->scale) * first(made[0]->scale));
  std::int32_t unit = 0;
  std::memcpy(&unit, bias->input.constant()->bytes().data() + 4, 4);
  CHECK(unit == std::lrint(double{wave(8, 0.3f)[1]} / double{first(bias->scale)}));
}

TEST_CASE("quantize: a scale for each channel, in every layout of weights") {
  const auto scales = [](auto make) {
    FloatNet net;
    const MLOperand x = net.b.input("x", {float32, {1, 8, 8, 8}});
    const Graph g = net.graph({{"y", make(net, x)}});
    const auto q = quantize(net.fast, g, Samples(512).all, {.per_channel = true});
    CHECK(!check_graph(q.graph));
    for (std::size_t i = 0; i < q.graph.size(); ++i)
      if (const auto* op = q.graph.node(i).as<ops::dequantizeLinear>();
          op && op->input.constant() && op->input.dataType() == int8)
        return op->scale.shape();
    return Dims{};
  };
  using Filter = MLConv2dFilterOperandLayout;
  for (const auto& [layout, filter, shape] :
       {std::tuple{Filter::oihw, Dims{5, 8, 1, 1}, Dims{5, 1, 1, 1}},
        std::tuple{Filter::hwio, Dims{1, 1, 8, 5}, Dims{1, 1, 1, 5}},
        std::tuple{Filter::ohwi, Dims{5, 1, 1, 8}, Dims{5, 1, 1, 1}},
        std::tuple{Filter::ihwo, Dims{8, 1, 1, 5}, Dims{1, 1, 1, 5}}})
    CHECK(scales([&, layout = layout, filter = filter](FloatNet& net, const MLOperand& x) {
            return net.b.conv2d(x, net.wavy(filter), {.filterLayout = layout});
          }) == shape);
  using Transposed = MLConvTranspose2dFilterOperandLayout;
  for (const auto& [layout, filter, shape] :
       {std::tuple{Transposed::iohw, Dims{8, 5, 1, 1}, Dims{1, 5, 1, 1}},
        std::tuple{Transposed::hwoi, Dims{1, 1, 5, 8}, Dims{1, 1, 5, 1}},
        std::tuple{Transposed::ohwi, Dims{5, 1, 1, 8}, Dims{5, 1, 1, 1}}})
    CHECK(scales([&, layout = layout, filter = filter](FloatNet& net, const MLOperand& x) {
            return net.b.convTranspose2d(x, net.wavy(filter), {.filterLayout = layout});
          }) == shape);
  CHECK(scales([](FloatNet& net, const MLOperand& x) {
          return net.b.gemm(net.b.reshape(x, {64, 8}), net.wavy({5, 8}), {.bTranspose = true});
        }) == Dims{5, 1});
  CHECK(scales([](FloatNet& net, const MLOperand& x) {
          return net.b.gemm(net.b.reshape(x, {64, 8}), net.wavy({8, 5}));
        }) == Dims{1, 5});
}

TEST_CASE("quantize: biases beside small weights, and beside none") {
  for (const bool per_channel : {false, true})
    for (const float weight : {0.f, 1e-8f}) {
      CAPTURE(per_channel, weight);
      FloatNet net;
      const MLOperand x = net.b.input("x", {float32, {4, 16}});
      const Graph g = net.graph(
          {{"y", net.b.gemm(x, net.weights({16, 24}, weight), {.c = net.wavy({24}, 0.3f)})}});
      const Samples samples(64);
      const auto q = quantize(net.fast, g, samples.all, {.per_channel = per_channel});
      CHECK(q.outputs[0].snr > 40);
      const auto y = output_of(net.fast, q.graph, samples.values[0]);
      const auto bias = wave(24, 0.3f);
      for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::abs(y[i] - bias[i % 24]) < 0.02f);
    }
}

TEST_CASE("quantize: what only moves elements has one scale") {
  FloatNet net;
  const MLOperand x = net.image();
  const MLOperand y = net.conv(net.b.transpose(x, {.permutation = {0, 1, 3, 2}}), 4, 8);
  const MLOperand pooled = net.b.maxPool2d(net.b.pad(y, {0, 0, 1, 1}, {0, 0, 1, 1}),
                                           {.windowDimensions = {2, 2}, .strides = {2, 2}});
  const MLOperand all = net.b.concat({pooled, net.b.slice(pooled, {0, 0, 0, 0}, {1, 2, 5, 5})}, 1);
  const Graph g = net.graph({{"y", net.conv(all, 10, 4)}});
  const auto q = quantize(net.fast, g, Samples(256).all);
  CHECK(!check_graph(q.graph));
  const auto made = quantizations(q.graph);
  REQUIRE(made.size() == 8);  // x, transposed; y, padded, pooled, sliced, joined; the result
  std::map<std::pair<float, int>, int> scales;
  for (const auto* op : made) ++scales[{first(op->scale), zero_in(op->zeroPoint)}];
  std::vector<int> counts;
  for (const auto& [scale, n] : scales) counts.push_back(n);
  std::sort(counts.begin(), counts.end());
  CHECK(counts == std::vector<int>{1, 2, 5});
  if (net.fast.backends()[0] == "simd") CHECK(float_kernels(net.fast, q.graph) == "");
}

TEST_CASE("quantize: operators between products, and what stays in float") {
  FloatNet net;
  const MLOperand x = net.b.input("x", {float32, {4, 16}});
  const MLOperand before = net.b.mul(x, net.wavy({16}));  // of a float: stays
  MLOperand h = net.b.gemm(before, net.wavy({16, 16}));
  const MLOperand gate = net.b.sigmoid(h);
  h = net.b.mul(h, gate);
  h = net.b.add(h, net.b.gemm(h, net.wavy({16, 16})));
  const MLOperand normal = net.b.exp(h);  // has no form on integers
  const Graph g = net.graph({{"y", net.b.softmax(net.b.gemm(normal, net.wavy({16, 4})), 1)}});
  const auto q = quantize(net.fast, g, Samples(64).all, {.activations = int8});
  CHECK(!check_graph(q.graph));
  const std::map<std::string, int> kinds = [&] {
    std::map<std::string, int> all;
    for (const auto& r : q.operators) ++all[std::string(r.kind)];
    return all;
  }();
  CHECK(kinds == std::map<std::string, int>{
                     {"add", 1}, {"gemm", 3}, {"mul", 1}, {"sigmoid", 1}, {"softmax", 1}});
  // Softmax and sigmoid have the range of what they make.
  for (const auto* op : quantizations(q.graph)) {
    const auto maker =
        op->input.record().kind == OperandKind::result ? q.graph.producer_of(op->input).name() : "";
    if (maker != "softmax" && maker != "sigmoid") continue;
    CHECK(first(op->scale) == 1 / 256.f);
    CHECK(zero_in(op->zeroPoint) == -128);
  }
}

TEST_CASE("quantize: integer kernels run the result") {
  FloatNet net;
  if (net.fast.backends()[0] != "simd") return;
  const MLOperand x = net.b.input("x", {float32, {1, 16, 12, 12}});
  MLOperand y = net.b.relu(net.conv(x, 16, 32));
  y = net.b.relu(net.b.add(y, net.conv(y, 32, 32)));
  y = net.b.reduceMean(y, {.axes = {2, 3}});
  y = net.b.gemm(y, net.wavy({32, 40}), {.c = net.wavy({40})});
  const Graph g = net.graph({{"y", y}});
  for (const bool per_channel : {false, true})
    for (const MLOperandDataType type : {uint8, int8})
      for (const MLOperandDataType weights : {int8, uint8}) {
        CAPTURE(per_channel, name_of(type), name_of(weights));
        const Samples samples(16 * 144);
        const auto q =
            quantize(net.fast, g, samples.all,
                     {.per_channel = per_channel, .activations = type, .weights = weights});
        CHECK(float_kernels(net.fast, q.graph) == "");
        CHECK(q.outputs[0].snr > 25);
        // It is the graph that was measured: the reference kernels compute its composition.
        const auto a = output_of(net.fast, q.graph, samples.values[0]);
        const auto expected = output_of(net.context, g, samples.values[0]);
        double signal = 0, noise = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
          signal += double{expected[i]} * double{expected[i]};
          noise += std::pow(double{a[i]} - double{expected[i]}, 2);
        }
        CHECK(10 * std::log10(signal / noise) > 25);
      }
}

TEST_CASE("quantize: by the range in each run") {
  FloatNet net;
  const MLOperand x = net.b.input("x", {float32, {6, 64}});
  MLOperand y = net.b.relu(net.b.gemm(x, net.wavy({64, 96}), {.c = net.wavy({96}, 0.3f)}));
  const MLOperand other = net.b.gemm(x, net.wavy({64, 96}, 0.2f));  // reads the same integers
  y = net.b.gemm(net.b.add(y, other), net.wavy({96, 64}));
  const Graph g = net.graph({{"y", net.b.matmul(y, net.b.transpose(y))}});
  const auto q =
      quantize(net.fast, g, CalibrationSamples(), {.dynamic = true, .per_channel = true});
  CHECK(!check_graph(q.graph));
  CHECK(count(q.graph, "quantizeLinear") == 2);
  CHECK(q.operators.size() == 3);  // not the product of two results
  CHECK(std::isnan(q.operators[0].own_snr));
  CHECK(q.operators[0].weights_snr > 35);
  CHECK(q.samples == 0);
  const Graph fused = recognize_dynamic_quantization(q.graph);
  CHECK(count(fused, "dynamicQuantizeLinear") == 2);
  if (net.fast.backends()[0] == "simd") {
    std::string kernels;
    for (const auto& s :
         build_graph(net.fast, with_outputs(q.graph, q.graph.outputs())).report().steps)
      kernels += s.kernel + '\n';
    CAPTURE(kernels);
    std::size_t products = 0;
    for (std::size_t at = 0; (at = kernels.find("int8 gemm to float32", at)) != std::string::npos;
         ++at)
      ++products;
    CHECK(products == 3);
  }
  // With samples there is a report, and zeros do not divide by zero.
  const auto measured =
      quantize(net.fast, g, Samples(6 * 64).all, {.dynamic = true, .per_channel = true});
  CHECK(measured.graph == q.graph);
  CHECK(measured.outputs[0].snr > 30);
  for (float v : output_of(net.fast, q.graph, std::vector<float>(6 * 64))) CHECK(std::isfinite(v));
}

TEST_CASE("quantize: by the range in each run, convolutions") {
  FloatNet net;
  MLOperand y = net.b.relu(net.conv(net.b.input("x", {float32, {1, 16, 8, 8}}), 16, 32));
  y = net.b.conv2d(y, net.wavy({32, 1, 3, 3}), {.groups = 32});  // depthwise: stays
  y = net.b.convTranspose2d(y, net.wavy({32, 8, 2, 2}));         // stays
  const Graph g = net.graph({{"y", y}});
  const Samples samples(1024);
  const auto q = quantize(net.fast, g, samples.all, {.dynamic = true});
  CHECK(q.operators.size() == 1);
  CHECK(q.outputs[0].snr > 25);
  if (net.fast.backends()[0] != "simd") return;
  const std::string text =
      build_graph(net.fast, with_outputs(q.graph, q.graph.outputs())).explain();
  CHECK(text.find("int8 conv") != std::string::npos);
  CHECK(text.find("quantized, on floats") == std::string::npos);
}

TEST_CASE("quantize: batchNormalization and written-out operators are simplified first") {
  FloatNet net;
  const MLOperand x = net.image();
  MLOperand y = net.b.conv2d(x, net.wavy({8, 4, 3, 3}));
  y = net.b.batchNormalization(y, net.weights({8}, 0.25f), net.weights({8}, 2));
  const Graph g = net.graph({{"y", net.b.relu(y)}});
  const auto q = quantize(net.fast, g, Samples(256).all);
  CHECK(count(q.graph, "batchNormalization") == 0);
  CHECK(q.operators.size() == 1);
  CHECK(q.outputs[0].snr > 30);
}

TEST_CASE("quantize: open dimensions stay open") {
  for (const bool dynamic : {false, true}) {
    CAPTURE(dynamic);
    FloatNet net;
    const MLOperand x = net.b.input("x", {float32, {"rows", 32}});
    MLOperand y = net.b.add(net.b.matmul(x, net.wavy({32, 40})), net.wavy({40}));
    y = net.b.softmax(net.b.matmul(net.b.relu(y), net.wavy({40, 8})), 1);
    const Graph g = net.b.build({{"y", y}}).graph();
    const auto a = wave(5 * 32), c = wave(3 * 32, 0.4f);
    const std::vector<CalibrationSample> samples = {{{"x", InputView(a, {5, 32})}},
                                                    {{"x", InputView(c, {3, 32})}}};
    const auto q = quantize(net.fast, g, samples, {.dynamic = dynamic});
    CHECK(q.outputs[0].snr > 15);
    CHECK(q.graph.inputs()[0].operand.is_open());
    const MLGraph made = build_graph(net.fast, q.graph);
    REQUIRE(made.is_open());
    for (std::uint32_t rows : {1u, 7u}) {
      const auto in = wave(rows * 32, 0.3f);
      std::vector<float> out(rows * 8);
      net.fast.compute(made, {{"x", InputView(in, {rows, 32})}}, {{"y", out}});
      for (std::uint32_t r = 0; r < rows; ++r) {
        double sum = 0;
        for (std::size_t i = 0; i < 8; ++i) sum += double{out[8 * r + i]};
        CHECK(std::abs(sum - 1) < 0.02);
      }
    }
  }
}
