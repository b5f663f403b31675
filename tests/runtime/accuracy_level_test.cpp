// The accuracy level bfloat16 in whole graphs: what runs, how far results are from float32, and
// that they do not depend on the number of threads.
#include <cmath>
#include <cstring>

#include "src/kernels/backends.h"
#include "tests/support/catch.h"
#include "webnn/bfloat16.h"
#include "webnn/float16.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

struct Net {
  explicit Net(const MLContext& context) : b(context) {}

  MLGraphBuilder b;
  std::uint32_t seed = 1;

  MLOperand constant(Dims shape, float scale) {
    std::vector<float> v(element_count(shape));
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = scale * std::sin(static_cast<float>(i * 7 % 1009 + 31 * seed));
    ++seed;
    return b.constant({float32, std::move(shape)}, std::span<const float>(v));
  }
  MLOperand input(Dims shape) { return b.input("x", {float32, std::move(shape)}); }
};

MLOperand perceptron(Net& n) {
  MLOperand x = n.input({24, 64});
  for (int i = 0; i < 3; ++i)
    x = n.b.gelu(n.b.gemm(x, n.constant({64, 64}, 0.2f), {.c = n.constant({64}, 0.1f)}));
  return n.b.add(n.b.matmul(x, n.constant({64, 40}, 0.2f)), n.constant({40}, 0.1f));
}

/// A convolution of images, a residual block and a dense layer.
MLOperand residual_network(Net& n) {
  const auto conv = [&](MLOperand x, std::uint32_t from, std::uint32_t to, std::uint32_t stride) {
    return n.b.conv2d(x, n.constant({to, from, 3, 3}, 0.15f),
                      {.padding = Dims{1, 1, 1, 1},
                       .strides = Dims{stride, stride},
                       .bias = n.constant({to}, 0.1f)});
  };
  const MLOperand x = n.b.relu(conv(n.input({1, 3, 20, 20}), 3, 32, 2));
  const MLOperand y = n.b.relu(n.b.add(x, conv(n.b.relu(conv(x, 32, 32, 1)), 32, 32, 1)));
  return n.b.matmul(n.b.reshape(n.b.averagePool2d(y), {1, 32}), n.constant({32, 50}, 0.3f));
}

/// A block of a transformer.
MLOperand attention_block(Net& n) {
  const MLOperand x = n.input({48, 64});
  const auto heads = [&](MLOperand p) {
    return n.b.transpose(n.b.reshape(p, {48, 2, 32}), {.permutation = Dims{1, 0, 2}});
  };
  const MLOperand q = heads(n.b.matmul(x, n.constant({64, 64}, 0.15f))),
                  k = heads(n.b.matmul(x, n.constant({64, 64}, 0.15f))),
                  v = heads(n.b.matmul(x, n.constant({64, 64}, 0.15f)));
  const MLOperand s = n.b.mul(n.b.matmul(q, n.b.transpose(k, {.permutation = Dims{0, 2, 1}})),
                              n.b.constant({float32, {1}}, {0.18f}));
  const MLOperand mixed = n.b.reshape(
      n.b.transpose(n.b.matmul(n.b.softmax(s, 2), v), {.permutation = Dims{1, 0, 2}}), {48, 64});
  return n.b.layerNormalization(n.b.add(x, n.b.matmul(mixed, n.constant({64, 64}, 0.15f))));
}

/// Products of activations that are not an attention.
MLOperand products_of_activations(Net& n) {
  const MLOperand x = n.input({3, 20, 36});
  return n.b.matmul(x, n.b.relu(n.b.transpose(x, {.permutation = Dims{0, 2, 1}})));
}

struct Outcome {
  std::vector<float> y{};
  std::string explained{};
};

Outcome run(MLOperand (*form)(Net&), MLContextOptions options) {
  MLContext context(std::move(options));
  Net n(context);
  const MLGraph g = n.b.build({{"y", form(n)}});
  std::vector<float> x(element_count(g.inputs()[0].descriptor.shape));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::cos(static_cast<float>(i * 5 % 991));
  Outcome o{std::vector<float>(element_count(g.outputs()[0].descriptor.shape)), g.explain()};
  context.compute(g, {{"x", x}}, {{"y", o.y}});
  return o;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr auto bfloat16_level = AccuracyLevel::bfloat16;

/// Whether this processor has products of bfloat16, as the version of the backend says.
bool multiplies_bfloat16() {
  const std::vector<BackendChoice> simd{"simd"};
  for (std::string_view name : backend_names())
    if (name == "simd") {
      const auto all = backends_for(simd, bfloat16_level);
      return contains(dynamic_cast<const VersionedBackend&>(*all.front()).version(), "bfloat16");
    }
  return false;
}

TEST_CASE("accuracy level bfloat16: networks, on any number of threads") {
  const bool has = multiplies_bfloat16();
  for (const auto form : {perceptron, residual_network, attention_block, products_of_activations}) {
    const Outcome floats = run(form, {.threads = 1}),
                  one = run(form, {.threads = 1, .accuracyLevel = bfloat16_level});
    INFO(one.explained);
    CHECK(!contains(floats.explained, "bfloat16"));
    for (int threads : {2, 3, 4})
      CHECK(run(form, {.threads = threads, .accuracyLevel = bfloat16_level}).y == one.y);
    if (!has) {
      CHECK(one.y == floats.y);
      CHECK(contains(one.explained, "level   bfloat16 makes no difference: "));
      continue;
    }
    CHECK(contains(one.explained, "level   bfloat16\n"));
    CHECK(contains(one.explained, "simd bfloat16 "));
    CHECK(one.y != floats.y);
    double signal = 0, noise = 0;
    for (std::size_t i = 0; i < one.y.size(); ++i) {
      signal += double{floats.y[i]} * floats.y[i];
      noise += std::pow(double{floats.y[i]} - one.y[i], 2);
    }
    CHECK(10 * std::log10(signal / noise) > 35);
  }
}

TEST_CASE("accuracy level bfloat16: packed weights take half the memory") {
  if (!multiplies_bfloat16()) return;
  const auto packed = [](AccuracyLevel level) {
    MLContext context({.threads = 1, .accuracyLevel = level});
    Net n(context);
    const MLGraph g =
        n.b.build({{"y", n.b.matmul(n.input({8, 512}), n.constant({512, 768}, 0.1f))}});
    return g.report().packed;
  };
  const auto floats = packed(AccuracyLevel::float32);
  CHECK(floats >= 512 * 768 * 4);
  CHECK(packed(bfloat16_level) * 100 < floats * 52);
}

TEST_CASE("accuracy level bfloat16: constants of float16 and bfloat16 are rounded, too") {
  if (!multiplies_bfloat16()) return;
  for (const MLOperandDataType type : {float16, bfloat16})
    for (const bool is_graph : {false, true}) {  // of that type, or only with such constants
      CAPTURE(name_of(type), is_graph);
      MLContext context({.threads = 1, .accuracyLevel = bfloat16_level});
      Net n(context);
      const auto narrow = [&](Dims shape) {
        std::vector<std::uint16_t> bits(element_count(shape));
        for (std::size_t i = 0; i < bits.size(); ++i) {
          const float v = static_cast<float>(i * 7 % 1009) / 5000 - 0.1f;
          bits[i] = type == float16 ? float16_bits(v) : bfloat16_bits(v);
        }
        const MLOperand x = n.b.constant({type, std::move(shape)}, std::as_bytes(std::span(bits)));
        return is_graph ? x : n.b.cast(x, float32);
      };
      const MLOperand x = n.b.cast(n.input({1, 6, 7, 256}), is_graph ? type : float32);
      const MLConv2dOptions in_nhwc{.inputLayout = MLInputOperandLayout::nhwc,
                                    .filterLayout = MLConv2dFilterOperandLayout::ohwi};
      const MLOperand y = n.b.conv2d(x, narrow({300, 1, 1, 256}), in_nhwc);
      const MLOperand z = n.b.matmul(n.b.reshape(y, {42, 300}), narrow({300, 200}));
      const MLGraph g = n.b.build({{"z", n.b.cast(z, float32)}});
      int kernels = 0;
      for (const StepReport& step : g.report().steps)
        kernels += step.kernel.starts_with("bfloat16 ");
      INFO(g.explain());
      CHECK(kernels == 2);
    }
}

TEST_CASE("accuracy level bfloat16: backends that know no level say so") {
  Outcome o =
      run(perceptron, {.threads = 1, .backends = {"reference"}, .accuracyLevel = bfloat16_level});
  CHECK(contains(o.explained,
                 "level   bfloat16 makes no difference: no backend of this context knows it\n"));
  CHECK(o.y == run(perceptron, {.threads = 1, .backends = {"reference"}}).y);
}

}  // namespace
