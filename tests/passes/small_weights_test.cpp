// Weights that stay as small as they are stored: what the passes leave of them, and what runs.
#include <cstdlib>

#include "src/kernels/backends.h"
#include "tests/passes/small_graphs.h"
#include "tests/support/random.h"
#include "webnn/float16.h"

using namespace webnn;
using namespace webnn::test;

namespace {

constexpr std::uint32_t k = 64, n = 96;

struct SmallNet : Net {
  MLOperand integers(Dims shape, MLOperandDataType type = int4) {
    std::vector<std::byte> bytes(element_count(shape) * static_cast<std::size_t>(bits_of(type)) /
                                 8);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>((i * 37 + seed * 101) & 255);
    ++seed;
    return b.constant({type, std::move(shape)}, bytes);
  }
  MLOperand scales(Dims shape) {
    std::vector<float> v(element_count(shape));
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = 0.01f * static_cast<float>(1 + i % 7);
    return b.constant({float32, std::move(shape)}, v);
  }
  /// [rows, columns] with a scale for every 32 elements of the first dimension.
  MLOperand matrix(std::uint32_t rows = k, std::uint32_t columns = n) {
    const Dims blocks{rows / 32, columns};
    return b.dequantizeLinear(integers({rows, columns}), scales(blocks), integers(blocks));
  }
  MLOperand float16_values(Dims shape) {
    std::vector<Float16> v(element_count(shape));
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = Float16(static_cast<float>(i % 13) - 6);
    return b.constant({float16, std::move(shape)}, v);
  }
  MLOperand input(Dims shape, const std::string& name = "x") {
    return b.input(name, {float32, std::move(shape)});
  }
  std::size_t seed = 0;
};

std::vector<float> run(MLContext context, const MLGraph& g) {
  std::vector<std::vector<float>> x;
  std::vector<NamedInput> in;
  for (const auto& [name, d] : g.inputs()) {
    std::vector<float> v(element_count(d.shape));
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i % 11) * 0.125f - 0.5f;
    x.push_back(std::move(v));
  }
  for (std::size_t i = 0; i < x.size(); ++i) in.push_back({g.inputs()[i].name, x[i]});
  std::vector<float> y(element_count(g.outputs()[0].descriptor.shape));
  context.compute(g, in, {{"y", y}});
  return y;
}

bool has_simd() {
  const auto built = backend_names();
  return std::find(built.begin(), built.end(), "simd") != built.end() && simd_backend();
}

/// The graph of a build with the default backends, whose results are those of the reference
/// kernels on the graph as it is.
MLGraph built(const NamedOperands& outputs) {
  const Graph graph = test::graph_of(outputs);
  MLContext plain({.threads = 1, .backends = {"reference"}}), context({.threads = 2});
  const auto expected = run(plain, build_graph(plain, graph, {}));
  const MLGraph g = build_graph(context, graph);
  const auto actual = run(context, g);
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i)
    CHECK(std::abs(actual[i] - expected[i]) <= 1e-5f * (1 + std::abs(expected[i])));
  return g;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("small_weights: products keep their dequantizeLinear, and each has its own") {
  SmallNet net;
  const MLOperand w = net.matrix(), x = net.input({1, k});
  const MLOperand y = net.b.add(net.b.matmul(x, w), net.b.matmul(net.b.neg(x), w));
  CHECK(names(optimized({{"y", y}})) ==
        Names{"dequantizeLinear", "gemm", "neg", "dequantizeLinear", "gemm", "add"});
  const MLGraph g = built({{"y", y}});
  if (!has_simd()) return;
  INFO(g.explain());
  CHECK(contains(g.explain(), "simd float32 x int4 gemv"));
  CHECK(contains(g.explain(), "1x64 -> 1x96"));
}

TEST_CASE("small_weights: float16 weights, and those of float16 graphs, stay float16") {
  SmallNet net;
  CHECK(names(optimized({{"y", net.b.matmul(net.input({2, k}),
                                            net.b.cast(net.float16_values({k, n}), float32))}})) ==
        Names{"cast", "gemm"});
  const MLOperand h = net.b.input("h", {float16, {1, k}});
  const Graph g = optimized({{"y", net.b.gemm(h, net.float16_values({k, n}))}});
  CHECK(names(g) == Names{"cast", "cast", "gemm", "cast"});
}

TEST_CASE("small_weights: float16 scales, whose weights are rounded and cast") {
  const auto scales16 = [](SmallNet& net, Dims shape, float largest = 1) {
    std::vector<Float16> v(element_count(shape));
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = Float16(largest / static_cast<float>(3 + i % 41));
    return net.b.constant({float16, std::move(shape)}, v);
  };
  const auto matrix = [&](SmallNet& net, std::uint32_t rows, std::uint32_t columns, Dims blocks,
                          MLOperandDataType type = int4, float largest = 1) {
    return net.b.dequantizeLinear(net.integers({rows, columns}, type),
                                  scales16(net, blocks, largest), net.integers(blocks, type));
  };
  const auto check = [](const MLGraph& g, const Names& expected, const std::string& kernel) {
    INFO(g.explain());
    CHECK(names(g.optimized()) == expected);
    if (has_simd()) CHECK(contains(g.explain(), kernel));
  };
  const Names rounded{"dequantizeLinear", "cast", "gemm"};
  for (const std::uint32_t rows : {1u, 5u}) {
    SmallNet net;
    const MLOperand w = net.b.cast(matrix(net, k, n, {k / 32, n}), float32);
    const MLGraph g = built({{"y", net.b.matmul(net.input({rows, k}), w)}});
    check(g, rounded, rows == 1 ? "simd float32 x int4 gemv" : "simd float32 x int4 gemm");
    CHECK(g.memory().packed < k * n * 3 / 4);
  }
  for (const bool before : {false, true}) {  // the cast
    SmallNet net;
    const MLOperand w = matrix(net, n, k, {n, 2}, int8),
                    turned = before ? net.b.cast(net.b.transpose(w), float32)
                                    : net.b.transpose(net.b.cast(w, float32));
    check(built({{"y", net.b.matmul(net.input({1, k}), turned)}}), rounded,
          "simd float32 x int8 gemv");
  }
  {
    SmallNet net;  // a table that is the last matrix too, and is cast twice
    const MLOperand w = matrix(net, n, k, {n, 1}, uint4);
    const std::vector<std::int32_t> row{5};
    const MLOperand x = net.b.gather(net.b.cast(w, float32), net.b.constant({int32, {1}}, row));
    const MLOperand y =
        net.b.matmul(net.b.add(x, net.input({1, k})), net.b.transpose(net.b.cast(w, float32)));
    const MLGraph g = built({{"y", y}});
    INFO(g.explain());
    CHECK(count(g.optimized(), "dequantizeLinear") == 2);
    if (has_simd()) CHECK(contains(g.explain(), "simd uint4 gather"));
  }
  {
    SmallNet net;  // in a graph of float16, which the cast leaves and enters again
    const MLOperand h = net.b.input("x", {float32, {2, k}});
    const MLOperand w = net.b.cast(matrix(net, k, n, {1, n}), float32);
    const MLOperand y = net.b.cast(net.b.matmul(h, w), float16);
    check(built({{"y", net.b.cast(net.b.relu(y), float32)}}),
          Names{"dequantizeLinear", "cast", "gemm", "cast", "cast", "relu", "cast", "cast"},
          "simd float32 x int4 gemm");
  }
  {
    SmallNet net;  // products that are infinite
    const MLOperand w = net.b.cast(matrix(net, k, n, {k / 32, n}, int4, 65504), float32);
    const MLOperand y = net.b.matmul(net.input({1, k}), w);
    MLContext context({.threads = 2});
    const MLGraph g = build_graph(context, test::graph_of({{"y", y}}));
    INFO(g.explain());
    CHECK(count(g.optimized(), "dequantizeLinear") == 0);
    if (has_simd()) CHECK(contains(g.explain(), "small weights: a scale is out of range"));
  }
  {
    SmallNet net;  // other readers
    const MLOperand h = matrix(net, k, n, {k / 32, n}), w = net.b.cast(h, float32);
    CHECK(names(optimized({{"y", net.b.matmul(net.input({1, k}), w)}, {"w", w}})) == Names{"gemm"});
    CHECK(count(optimized({{"y", net.b.matmul(net.input({1, k}, "x2"), w)}, {"h", h}}),
                "dequantizeLinear") == 0);
  }
}

TEST_CASE("small_weights: bfloat16 and float8e4m3 stay as they are stored") {
  const auto narrow = [](SmallNet& net, MLOperandDataType type, Dims shape) {
    const Tensor t = Random(7).tensor(type, shape, -1, 1);
    return net.b.constant({type, std::move(shape)}, t.bytes);
  };
  const auto check = [](const MLGraph& g, const Names& expected, const std::string& kernel) {
    INFO(g.explain());
    CHECK(names(g.optimized()) == expected);
    if (has_simd()) CHECK(contains(g.explain(), kernel));
  };
  for (const MLOperandDataType type : {bfloat16, float8e4m3}) {
    const std::string name(name_of(type));
    SmallNet net;
    const MLOperand w = net.b.cast(narrow(net, type, {k, n}), float32);
    const MLGraph g = built({{"y", net.b.matmul(net.input({1, k}), w)}});
    check(g, Names{"cast", "gemm"}, "simd float32 x " + name + " gemv");
    CHECK(g.memory().packed < 1.1 * k * n * bits_of(type) / 8 + 4 * n);
    SmallNet other;  // a table that is the last matrix too
    const MLOperand table = other.b.cast(narrow(other, type, {n, k}), float32);
    const std::vector<std::int32_t> row{5};
    const MLOperand x = other.b.gather(table, other.b.constant({int32, {1}}, row));
    const MLOperand y =
        other.b.matmul(other.b.add(x, other.input({1, k})), other.b.transpose(table));
    const MLGraph h = built({{"y", y}});
    INFO(h.explain());
    if (!has_simd()) continue;
    CHECK(contains(h.explain(), "simd " + name + " gather"));
    CHECK(contains(h.explain(), "simd float32 x " + name + " gemv"));
  }
  for (const Dims& scales : {Dims{1, 1}, Dims{1, n}, Dims{k / 32, n}}) {
    SmallNet net;
    const MLOperand w = net.b.dequantizeLinear(
        narrow(net, float8e4m3, {k, n}), net.scales(scales),
        net.b.constant({float8e4m3, scales}, std::vector<std::byte>(element_count(scales))));
    check(built({{"y", net.b.matmul(net.input({5, k}), w)}}), Names{"dequantizeLinear", "gemm"},
          "simd float32 x float8e4m3 gemm");
  }
  SmallNet net;  // a graph of bfloat16
  const MLOperand h = net.b.input("h", {bfloat16, {1, k}});
  CHECK(names(optimized({{"y", net.b.gemm(h, narrow(net, bfloat16, {k, n}))}})) ==
        Names{"cast", "cast", "gemm", "cast"});
}

TEST_CASE("small_weights: what decides after a cast of float16 reads rounded values") {
  SmallNet net;
  const MLOperand h = net.b.input("h", {float16, {1, k}});
  const MLOperand y = net.b.cast(net.b.mul(h, h), float32);
  CHECK(count(optimized({{"y", y}}), "cast") == 3);
}

TEST_CASE("small_weights: a matrix that is transposed, and a table that is the last matrix too") {
  SmallNet net;
  const MLOperand table = net.b.dequantizeLinear(net.integers({n, k}, int8), net.scales({n, 1}),
                                                 net.integers({n, 1}, int8));
  const std::vector<std::int32_t> rows{5};
  const MLOperand x = net.b.gather(table, net.b.constant({int32, {1}}, rows));
  const MLOperand y = net.b.matmul(net.b.add(x, net.input({1, k})), net.b.transpose(table));
  const Graph g = optimized({{"y", y}});
  CHECK(count(g, "transpose") == 0);
  CHECK(count(g, "dequantizeLinear") == 2);
  const MLGraph m = built({{"y", y}});
  if (!has_simd()) return;
  CHECK(contains(m.explain(), "simd int8 gather"));
  CHECK(contains(m.explain(), "simd float32 x int8 gemv"));
}

TEST_CASE("small_weights: a matrix that is transposed with the scales of its blocks") {
  SmallNet net;
  const Dims blocks{n, 2};
  const MLOperand w =
      net.b.dequantizeLinear(net.integers({n, k}), net.scales(blocks), net.integers(blocks));
  const MLGraph g = built({{"y", net.b.matmul(net.input({1, k}), net.b.transpose(w))}});
  INFO(g.explain());
  CHECK(names(g.optimized()) == Names{"dequantizeLinear", "gemm"});
  if (has_simd()) CHECK(contains(g.explain(), "simd float32 x int4 gemv"));
}

TEST_CASE("small_weights: several matrices, also transposed") {
  for (bool transposed : {false, true}) {
    SmallNet net;
    const Dims shape = transposed ? Dims{3, n, k} : Dims{3, k, n},
               scales = transposed ? Dims{3, n, 1} : Dims{1, 1, n};
    MLOperand w = net.b.dequantizeLinear(net.integers(shape, int8), net.scales(scales),
                                         net.integers(scales, int8));
    if (transposed) w = net.b.transpose(w, {.permutation = Dims{0, 2, 1}});
    const MLOperand y = net.b.matmul(net.input({2, 3, 4, k}), w);
    CHECK(names(optimized({{"y", y}})) == Names{"dequantizeLinear", "matmul"});
    const MLGraph g = built({{"y", y}});
    INFO(g.explain());
    if (has_simd()) CHECK(contains(g.explain(), "simd float32 x int8 gemm"));
  }
}

TEST_CASE("small_weights: what is not worth it becomes float32") {
  SmallNet net;
  const MLOperand x = net.input({1, k});
  // Few elements, few columns, a scale that is read elsewhere, another operator.
  CHECK(names(optimized({{"y", net.b.matmul(x, net.matrix(k, 32))}})) == Names{"gemm"});
  CHECK(names(optimized({{"y", net.b.matmul(net.input({1, 32}, "x2"), net.matrix(32, 40))}})) ==
        Names{"gemm"});
  const MLOperand w = net.matrix();
  CHECK(names(optimized({{"y", net.b.matmul(x, w)}, {"w", w}})) == Names{"gemm"});
  CHECK(names(optimized({{"y", net.b.mul(net.input({k, n}, "x3"), net.matrix())}})) ==
        Names{"mul"});
}

TEST_CASE("small_weights: a filter of 1x1, unless what follows goes into its weights") {
  SmallNet net;
  constexpr std::uint32_t channels = 256;
  const auto conv = [&](const MLOperand& x) {
    const Dims one{channels, 1, 1, 1};
    return net.b.conv2d(x, net.b.dequantizeLinear(net.integers({channels, channels, 1, 1}, int8),
                                                  net.scales(one), net.integers(one, int8)));
  };
  const MLOperand x = net.input({1, channels, 2, 3});
  const MLOperand y = net.b.relu(conv(x));
  CHECK(count(optimized({{"y", y}}), "dequantizeLinear") == 1);
  CHECK(count(optimized({{"y", net.b.mul(conv(x), net.weights({channels, 1, 1}))}}),
              "dequantizeLinear") == 0);
  const MLGraph g = built({{"y", y}});
  if (has_simd()) CHECK(contains(g.explain(), "simd float32 x int8 gemm+clamp"));
}

TEST_CASE("small_weights: larger filters, of images of both layouts, on any number of threads") {
  constexpr std::uint32_t channels = 128, outputs = 96;
  for (const bool nhwc : {false, true})
    for (const std::uint32_t stride : {1u, 2u}) {
      SmallNet net;
      const Dims one{outputs, 1, 1, 1};
      const MLOperand filter = net.b.dequantizeLinear(net.integers({outputs, channels, 3, 3}),
                                                      net.scales(one), net.integers(one));
      const std::uint32_t size = stride == 1 ? 1 : 9;
      const MLOperand x =
          net.input(nhwc ? Dims{1, size, size, channels} : Dims{1, channels, size, size});
      const MLOperand y = net.b.relu(net.b.conv2d(
          x, filter,
          {.padding = {1, 1, 1, 1},
           .strides = {stride, stride},
           .inputLayout = nhwc ? MLInputOperandLayout::nhwc : MLInputOperandLayout::nchw}));
      const MLGraph g = built({{"y", y}});
      if (!has_simd()) return;
      INFO(g.explain());
      CHECK(contains(g.explain(), "simd float32 x int4 conv+clamp"));
      CHECK(g.memory().packed < 1.1 * channels * outputs * 9 / 2);
      std::vector<float> expected;
      for (int threads : {1, 2, 3, 5}) {
        MLContext context({.threads = threads});
        const auto results = run(context, build_graph(context, test::graph_of({{"y", y}})));
        if (threads == 1) expected = results;
        CHECK(results == expected);
      }
    }
}

TEST_CASE("small_weights: why a filter became float32 is explained") {
  if (!has_simd()) return;
  SmallNet net;
  const Dims one{128, 1, 1, 1};
  const MLOperand y = net.b.conv2d(net.input({1, 128, 28, 28}),
                                   net.b.dequantizeLinear(net.integers({128, 128, 3, 3}, int8),
                                                          net.scales(one), net.integers(one, int8)),
                                   {.padding = {1, 1, 1, 1}});
  MLContext context({.threads = 1});
  const MLGraph g = build_graph(context, test::graph_of({{"y", y}}));
  INFO(g.explain());
  CHECK(names(g.optimized()) == Names{"transpose", "conv2d", "transpose"});
  CHECK(contains(g.explain(), "winograd"));
  CHECK(contains(g.explain(),
                 "quantized, on floats: 1 x conv2d with small weights (simd: small weights: "
                 "Winograd's method on float32 is likely faster"));
}

TEST_CASE("small_weights: without the pass, or without a kernel, they become float32") {
  SmallNet net;
  const NamedOperands y{{"y", net.b.matmul(net.input({1, k}), net.matrix())}};
  setenv("WEBNN_PASSES", "-small_weights", 1);
  const MLGraph g = built(y);
  unsetenv("WEBNN_PASSES");
  CHECK(names(g.optimized()) == Names{"gemm"});
  CHECK(!contains(g.explain(), "int4"));
  MLContext reference({.threads = 1, .backends = {"reference"}});
  CHECK(names(build_graph(reference, test::graph_of(y)).optimized()) == Names{"gemm"});
  // Blocks of 4: a scale for every 4 weights.
  const Dims blocks{k / 4, n};
  const MLGraph refused =
      built({{"y", net.b.matmul(net.input({1, k}, "x2"),
                                net.b.dequantizeLinear(net.integers({k, n}), net.scales(blocks),
                                                       net.integers(blocks)))}});
  CHECK(names(refused.optimized()) == Names{"gemm"});
}

TEST_CASE("small_weights: accuracyLevel int8 quantizes activations, on any number of threads") {
  const auto result = [](MLContextOptions options, std::string& explained) {
    SmallNet net;
    const MLOperand hidden = net.b.relu(net.b.matmul(net.input({5, 512}), net.matrix(512, 256)));
    MLContext context(std::move(options));
    const MLGraph g =
        build_graph(context, test::graph_of({{"y", net.b.matmul(hidden, net.matrix(256, 512))}}));
    explained = g.explain();
    return run(context, g);
  };
  std::string plain, level, eight;
  const auto floats = result({.threads = 2}, plain),
             same = result({.threads = 2, .accuracyLevel = AccuracyLevel::float32}, level);
  CHECK(floats == same);
  CHECK(!contains(plain, "int8 x int4"));
  const auto one = result({.threads = 1, .accuracyLevel = AccuracyLevel::int8}, eight);
  for (int threads : {2, 3, 5}) {
    std::string other;
    CHECK(result({.threads = threads, .accuracyLevel = AccuracyLevel::int8}, other) == one);
  }
  if (!contains(eight, "int8 x int4")) return;  // the processor may not have them
  INFO(eight);
  CHECK(contains(eight, "simd int8 x int4 gemm+clamp"));
  CHECK(one != floats);
  float largest = 0;
  for (float v : floats) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < one.size(); ++i)
    CHECK(std::abs(one[i] - floats[i]) <= 0.01f * largest);
}

TEST_CASE("small_weights: graphs that pack the same weights share them") {
  if (!has_simd()) return;
  const auto decode = [](MLContext& context, std::uint32_t rows) {
    SmallNet net;
    return build_graph(
        context,
        test::graph_of({{"y", net.b.matmul(net.input({rows, 512}), net.matrix(512, 1024))}}));
  };
  MLContext context({.threads = 1});
  const MLGraph one = decode(context, 1), many = decode(context, 64);
  CHECK(one.memory().constants < 64 << 10);  // no weights
  CHECK(one.memory().packed > 512 * 1024 / 2);
  CHECK(one.memory().packed < 512 * 1024 / 2 * 1.4);
  CHECK(one.memory().shared > one.memory().packed * 9 / 10);
}
