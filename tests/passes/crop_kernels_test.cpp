#include <cmath>
#include <limits>

#include "tests/passes/small_graphs.h"
#include "tests/support/filter_layout.h"
#include "tests/support/random.h"
#include "webnn/float16.h"
#include "webnn/passes.h"

using namespace webnn;
using namespace webnn::test;

namespace {

/// A square convolution of one channel.
struct Square {
  std::uint32_t size, kernel, padding, dilation = 1, stride = 1;
};
struct Crops : Net {
  MLOperand square(const Square& s) {
    const std::uint32_t p = s.padding;
    const MLOperand x = b.input("x" + std::to_string(inputs++), {float32, {1, 1, s.size, s.size}});
    return b.conv2d(x, weights({1, 1, s.kernel, s.kernel}),
                    {.padding = {p, p, p, p},
                     .strides = {s.stride, s.stride},
                     .dilations = {s.dilation, s.dilation}});
  }
  int inputs = 0;
};
const ops::conv2d& only_convolution(const Graph& g) {
  REQUIRE(names(g) == Names{"conv2d"});
  return *g.node(0).as<ops::conv2d>();
}
/// The kernel size, padding and dilation that remain.
Dims remaining(const Square& s) {
  Crops n;
  const Graph g = crop_kernels(graph_of({{"y", n.square(s)}}));
  const ops::conv2d& conv = only_convolution(g);
  CHECK(conv.filter.shape()[2] == conv.filter.shape()[3]);
  CHECK(conv.options.padding == Dims(4, conv.options.padding[0]));
  return {conv.filter.shape()[2], conv.options.padding[0], conv.options.dilations[0]};
}

/// One dimension of a random convolution.
struct Extent {
  std::uint32_t in, out, kernel, beginning, ending, stride, dilation;

  explicit Extent(Random& random) {
    do {
      in = random.integer(1, 6);
      kernel = random.integer(1, 5);
      beginning = random.integer(0, 9);
      ending = random.integer(0, 9);
      stride = random.integer(1, 4);
      dilation = random.integer(1, 7);
    } while ((kernel - 1) * dilation + 1 > in + beginning + ending);
    out = (in + beginning + ending - (kernel - 1) * dilation - 1) / stride + 1;
  }
  bool is_used(std::uint32_t tap) const {
    for (std::uint32_t o = 0; o < out; ++o) {
      const std::uint32_t at = o * stride + tap * dilation;  // counted from the padding on
      if (at >= beginning && at < beginning + in) return true;
    }
    return false;
  }
  /// How many taps remain, and how many are unused before them.
  std::array<std::uint32_t, 2> expected() const {
    std::uint32_t first = kernel, last = 0;
    for (std::uint32_t tap = 0; tap < kernel; ++tap)
      if (is_used(tap)) first = std::min(first, tap), last = tap + 1;
    if (last == 0) return {kernel, 0};
    while (first * dilation > beginning) --first;
    while ((kernel - last) * dilation > ending) ++last;
    return {last - first, first};
  }
};

/// A random convolution of whole numbers, whose sums are exact.
struct Case {
  Random random;
  Extent down{random}, across{random};
  MLOperandDataType type = random.integer(0, 3) ? float32 : float16;
  std::uint32_t groups = random.integer(1, 3), inputs = random.integer(1, 3),
                outputs = random.integer(1, 3);
  MLConv2dFilterOperandLayout layout = MLConv2dFilterOperandLayout(random.integer(0, 3));
  bool nhwc = random.integer(0, 1);

  explicit Case(std::uint64_t seed) : random(seed) {}

  MLOperand whole_numbers(MLGraphBuilder& b, const Dims& shape) {
    std::vector<float> v(element_count(shape));
    for (float& f : v) f = static_cast<float>(random.integer(1, 9)) - 5;
    if (type == float32) return b.constant({float32, shape}, v);
    return b.constant({float16, shape}, std::vector<Float16>(v.begin(), v.end()));
  }
  Graph graph(MLGraphBuilder& b) {
    const std::uint32_t channels = groups * inputs;
    const MLOperand x = b.neg(whole_numbers(
        b, nhwc ? Dims{2, down.in, across.in, channels} : Dims{2, channels, down.in, across.in}));
    MLConv2dOptions o{.padding = {down.beginning, down.ending, across.beginning, across.ending},
                      .strides = {down.stride, across.stride},
                      .dilations = {down.dilation, across.dilation},
                      .groups = groups,
                      .inputLayout = nhwc ? MLInputOperandLayout::nhwc : MLInputOperandLayout::nchw,
                      .filterLayout = layout};
    if (random.integer(0, 1)) o.bias = whole_numbers(b, {groups * outputs});
    const Dims filter = in_layout(layout, groups * outputs, inputs, down.kernel, across.kernel);
    return test::graph_of({{"y", b.conv2d(x, whole_numbers(b, filter), o)}});
  }
};

std::vector<std::byte> run(MLContext& context, const Graph& graph) {
  const MLGraph g = build_graph(context, graph, {});
  std::vector<std::byte> y(byte_length(g.outputs()[0].descriptor));
  context.compute(g, {}, {{"y", y}});
  return y;
}

}  // namespace

TEST_CASE("crop_kernels: taps that only read padding are removed") {
  CHECK(remaining({16, 3, 24, 24}) == Dims{1, 0, 1});
  CHECK(remaining({16, 3, 18, 18, 3}) == Dims{1, 0, 1});
  CHECK(remaining({1, 3, 1}) == Dims{1, 0, 1});
  CHECK(remaining({2, 5, 2}) == Dims{3, 1, 1});
  CHECK(remaining({4, 5, 4, 2}) == Dims{3, 2, 2});
  CHECK(remaining({16, 3, 32, 24}) == Dims{1, 8, 1});  // and results that are the bias
}

TEST_CASE("crop_kernels: what stays") {
  const auto stays = [](const Square& s) {
    Crops n;
    const Graph g = graph_of({{"y", n.square(s)}});
    return crop_kernels(g) == g;
  };
  CHECK(stays({16, 3, 12, 12}));
  CHECK(stays({16, 3, 1}));
  CHECK(stays({16, 1, 0}));
  CHECK(stays({14, 3, 6, 12}));   // the paddings would be negative
  CHECK(stays({1, 2, 4, 2, 3}));  // no tap is used: the image is between two windows
  Crops n;
  const MLOperand x = n.b.input("x", {float32, {1, 1, 1, 1}}),
                  w = n.b.input("w", {float32, {1, 1, 3, 3}});
  const Graph g = graph_of({{"y", n.b.conv2d(x, w, {.padding = {1, 1, 1, 1}})}});
  CHECK(crop_kernels(g) == g);
}

TEST_CASE("crop_kernels: height and width, the beginning and the end") {
  Crops n;
  std::vector<float> v(15);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i);
  const MLOperand x = n.b.input("x", {float32, {1, 1, 9, 2}});
  const MLOperand y =
      n.b.conv2d(x, n.b.constant({float32, {1, 1, 3, 5}}, v),
                 {.padding = {1, 1, 3, 1}, .bias = n.weights({1}, 7), .label = "the label"});
  const Graph g = crop_kernels(graph_of({{"y", y}}));
  const ops::conv2d& conv = only_convolution(g);
  CHECK(conv.filter.shape() == Dims{1, 1, 3, 3});
  CHECK(conv.options.padding == Dims{1, 1, 1, 1});
  CHECK(first(conv.filter) == 2);
  CHECK(first(*conv.options.bias) == 7);
  CHECK(conv.options.label == "the label");
}

TEST_CASE("crop_kernels: sizes beyond 32 bits") {
  Crops n;
  constexpr std::uint32_t max = std::numeric_limits<std::uint32_t>::max();
  const auto cropped = [&](std::uint32_t width, std::uint32_t dilation, std::uint32_t padding) {
    const MLOperand x = n.b.input("x" + std::to_string(n.inputs++), {float32, {1, 1, 1, width}});
    const Graph g = crop_kernels(graph_of(
        {{"y", n.b.conv2d(x, n.weights({1, 1, 1, 3}),
                          {.padding = {0, 0, padding, padding}, .dilations = {1, dilation}})}}));
    const ops::conv2d& conv = only_convolution(g);
    return Dims{conv.filter.shape()[3], conv.options.padding[2], conv.options.dilations[1]};
  };
  CHECK(cropped(4, max, max) == Dims{1, 0, 1});
  CHECK(cropped(4, max - 3, max) == Dims{1, 3, 1});
  CHECK(cropped(1 << 28, 1 << 28, 1 << 28) == Dims{1, 0, 1});
  CHECK(cropped(1 << 28, (1 << 28) - 1, 1 << 28) == Dims{3, 1 << 28, (1 << 28) - 1});
}

TEST_CASE("crop_kernels: a kernel that is not finite stays") {
  Crops n;
  const float inf = std::numeric_limits<float>::infinity();
  for (const float w : {1.0f, inf, std::nanf("")}) {
    std::vector<float> v(9, 1);
    v[0] = w;
    std::vector<Float16> narrow(v.begin(), v.end());
    for (const MLOperandDataType type : {float32, float16}) {
      const MLOperand x = n.b.input("x" + std::to_string(n.inputs++), {type, {1, 1, 1, 1}});
      const MLOperand filter = type == float32 ? n.b.constant({float32, {1, 1, 3, 3}}, v)
                                               : n.b.constant({float16, {1, 1, 3, 3}}, narrow);
      const Graph g =
          crop_kernels(graph_of({{"y", n.b.conv2d(x, filter, {.padding = {1, 1, 1, 1}})}}));
      CHECK(only_convolution(g).filter.shape()[3] == (w == 1 ? 1 : 3));
    }
  }
}

TEST_CASE("crop_kernels: random convolutions keep their values") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  int changed = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Case c(seed);
    MLGraphBuilder b(context);
    const Graph plain = c.graph(b), cropped = crop_kernels(plain);
    INFO("seed " << seed << "\n" << to_text(plain) << "became " << to_text(cropped));
    const auto& from = *plain.node(1).as<ops::conv2d>();
    const auto& to = *cropped.node(1).as<ops::conv2d>();
    const auto [height, above] = c.down.expected();
    const auto [width, before] = c.across.expected();
    REQUIRE(to.filter.shape() ==
            in_layout(c.layout, c.groups * c.outputs, c.inputs, height, width));
    const auto padding = [&](std::size_t i) {
      return from.options.padding[i] - to.options.padding[i];
    };
    REQUIRE(padding(0) == above * c.down.dilation);
    REQUIRE(padding(1) == (c.down.kernel - height - above) * c.down.dilation);
    REQUIRE(padding(2) == before * c.across.dilation);
    REQUIRE(padding(3) == (c.across.kernel - width - before) * c.across.dilation);
    const bool same = height == c.down.kernel && width == c.across.kernel;
    REQUIRE((cropped == plain) == same);
    changed += !same;
    if (!same) REQUIRE(run(context, cropped) == run(context, plain));
  }
  CHECK(changed > 500);
}

TEST_CASE("crop_kernels: with the other passes") {
  Crops n;
  const MLOperand x = n.b.input("x", {float32, {1, 1, 16, 16}});
  const MLOperand padded = n.b.pad(x, {0, 0, 24, 24}, {0, 0, 24, 24});
  const MLOperand y =
      n.b.batchNormalization(n.b.conv2d(padded, n.weights({2, 1, 3, 3}), {.dilations = {24, 24}}),
                             n.weights({2}), n.weights({2}));
  const Graph g = optimized({{"y", y}});
  CHECK(count(g, "conv2d") == 1);
  CHECK(count(g, "pad") == 0);
  CHECK(count(g, "batchNormalization") == 0);
  for (std::size_t i = 0; i < g.size(); ++i)
    if (const auto* conv = g.node(i).as<ops::conv2d>())
      CHECK(conv->filter.shape() == Dims{2, 1, 1, 1});
}

TEST_CASE("crop_kernels: quantized convolutions stay as they are") {
  Quantized n;
  const MLOperand filter = n.real(n.b.constant({int8, {2, 1, 3, 3}}, std::vector<std::int8_t>(18)));
  const MLOperand y = n.b.conv2d(n.real(n.input({1, 1, 1, 1})), filter, {.padding = {1, 1, 1, 1}});
  const Graph plain = graph_of({{"y", n.integers(y)}});
  CHECK(crop_kernels(plain) == plain);
  const Graph g = optimized({{"y", n.integers(y)}});
  CHECK(count(g, "dequantizeLinear") == 2);
  CHECK(count(g, "quantizeLinear") == 1);
}
