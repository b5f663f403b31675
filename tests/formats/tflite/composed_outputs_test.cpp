// What golden_outputs.txt does not have: operators that came later, int4, and options of the
// import.
#include <cmath>

#include "tests/formats/tflite/cases.h"
#include "tests/formats/tflite/run.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace webnn;
using namespace webnn::tflite::test;
using webnn::test::tensor;

namespace {

using Code = BuiltinOperator;
namespace fbs = tflite::schema;
constexpr auto f32 = TensorType::FLOAT32, i8 = TensorType::INT8;

template <class T> std::vector<double> values_of(const Writer& w, int tensor) {
  const auto& t = *w.model.subgraphs[0]->tensors[static_cast<std::size_t>(tensor)];
  const auto& bytes = w.model.buffers[t.buffer]->data;
  std::vector<double> out(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < out.size(); ++i) {
    T v;
    std::memcpy(&v, &bytes[i * sizeof v], sizeof v);
    out[i] = static_cast<double>(v);
  }
  return out;
}

void check_close(const Tensor& y, const std::vector<double>& expected, double tolerance = 1e-5) {
  REQUIRE(y.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO("element " << i);
    CHECK(std::abs(y[i] - expected[i]) <= tolerance * std::max(1.0, std::abs(expected[i])));
  }
}

/// A convolution with stride 1 and padding SAME, in double. x [n, h, w, c], f [o, kh, kw, c /
/// groups].
std::vector<double> convolved(const Tensor& x, const std::vector<double>& f, Dims fs,
                              std::uint32_t groups) {
  std::vector<double> out;
  webnn::test::for_each_place({x.shape[0], x.shape[1], x.shape[2], fs[0]}, [&](const Dims& at) {
    double sum = 0;
    const std::uint32_t group = at[3] / (fs[0] / groups);
    for (std::uint32_t i = 0; i < fs[1]; ++i)
      for (std::uint32_t j = 0; j < fs[2]; ++j)
        for (std::uint32_t k = 0; k < fs[3]; ++k) {
          const std::int64_t r = at[1] + i - std::int64_t{(fs[1] - 1) / 2},
                             s = at[2] + j - std::int64_t{(fs[2] - 1) / 2};
          if (r < 0 || s < 0 || r >= x.shape[1] || s >= x.shape[2]) continue;
          const Dims place{at[0], static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(s),
                           group * fs[3] + k};
          sum += x.at(place) * f[((at[3] * fs[1] + i) * fs[2] + j) * fs[3] + k];
        }
    out.push_back(sum);
  });
  return out;
}

}  // namespace

TEST_CASE("tflite: convolutions without bias and in groups", "[tflite]") {
  Case plain = case_named("conv_without_bias");
  const auto x = inputs_of(plain);
  check_close(run(plain.writer.file(), x)[0],
              convolved(x[0], values_of<float>(plain.writer, 1), {3, 1, 1, 2}, 1));

  Case groups = case_named("conv_groups");
  const auto gx = inputs_of(groups);
  auto expected = convolved(gx[0], values_of<float>(groups.writer, 1), {6, 3, 3, 2}, 2);
  const auto bias = values_of<float>(groups.writer, 2);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += bias[i % 6];
  check_close(run(groups.writer.file(), gx)[0], expected);
}

TEST_CASE("tflite: fully connected weights with a scale for each output", "[tflite]") {
  Case c = case_named("fully_connected_int8_per_channel");
  const auto x = inputs_of(c);
  const auto weights = values_of<std::int8_t>(c.writer, 1);
  const auto bias = values_of<std::int32_t>(c.writer, 2);
  const auto& scales = c.writer.tensor(1).quantization->scale;
  std::vector<double> expected;
  for (std::size_t r = 0; r < 6; ++r)
    for (std::size_t o = 0; o < 4; ++o) {
      double sum = bias[o];
      for (std::size_t k = 0; k < 5; ++k) sum += (x[0][r * 5 + k] + 3) * weights[o * 5 + k];
      const double q = std::nearbyint(sum * 0.02f * scales[o] / 0.03f) + 5;
      expected.push_back(std::clamp(q, -128.0, 127.0));
    }
  const Tensor y = run(c.writer.file(), x)[0];
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(std::abs(y[i] - expected[i]) <= 1);
}

TEST_CASE("tflite: weights of 4 bits", "[tflite]") {
  // Two rows of three: 1 -2 3, -8 7 0, the lower half of a byte first.
  for (const bool dynamic : {false, true}) {
    Writer w;
    const std::vector<std::uint8_t> packed{0xe1, 0x83, 0x07};
    const int weights = w.constant(TensorType::INT4, {2, 3}, packed, {{0.5f, 0.25f}, {}, 0});
    w.output(w.op(Code::FULLY_CONNECTED, {w.input(f32, {1, 3}), weights, -1}, {w.result(f32)},
                  fbs::FullyConnectedOptionsT()));
    const auto y = run(w.file(), std::vector{tensor(float32, {1, 3}, {127, 0, -127})},
                       {.dynamic_quantization = dynamic});
    check_close(y[0], {0.5 * 127 * (1 - 3), 0.25 * 127 * -8});
  }
}

TEST_CASE("tflite: hybrid operators with weights alone dequantized", "[tflite]") {
  Writer w;
  const int weights =
      w.constant(i8, {2, 3}, std::vector<std::int8_t>{1, -2, 3, -128, 127, 0}, {{0.1f}});
  w.output(w.op(Code::FULLY_CONNECTED, {w.input(f32, {1, 3}), weights, -1}, {w.result(f32)},
                fbs::FullyConnectedOptionsT()));
  const std::vector x{tensor(float32, {1, 3}, {0.3, 1, 0.01})};
  check_close(run(w.file(), x, {.dynamic_quantization = false})[0],
              {0.1 * (0.3 - 2 + 0.03), 0.1 * (-128 * 0.3 + 127)});
  // In steps of 1 / 127: 38, 127, 1.
  check_close(run(w.file(), x)[0],
              {0.1 * (38 - 2 * 127 + 3) / 127, 0.1 * (-128 * 38 + 127 * 127) / 127.0});
  // Zeros alone have no scale.
  check_close(run(w.file(), std::vector{tensor(float32, {1, 3}, {0, 0, 0})})[0], {0, 0});
}

TEST_CASE("tflite: newer elementwise operators", "[tflite]") {
  const auto check = [](std::string name, double (*f)(double)) {
    Case c = case_named(name);
    const auto x = inputs_of(c);
    std::vector<double> expected;
    for (std::size_t i = 0; i < x[0].size(); ++i) expected.push_back(f(x[0][i]));
    check_close(run(c.writer.file(), x)[0], expected);
  };
  check("sign", [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; });
  check("relu_0_to_1", [](double x) { return std::clamp(x, 0.0, 1.0); });
  // 14 steps of 2.4 / 14, the zero at the eighth.
  check("fake_quant_narrow", [](double x) {
    const double scale = 2.4f / 14, low = -7 * scale - scale;
    return std::floor((std::clamp(x, low, low + 14 * scale) - low) / scale + 0.5) * scale + low;
  });
}

TEST_CASE("tflite: quotients and remainders of floats that round up to an integer", "[tflite]") {
  // TensorFlow Lite has std::fmod(x, y), plus y where it has the other sign, and the quotient in
  // double, rounded down.
  std::vector<double> x{1e9, 1,    33e6,   -33e6, 1, -1, 7.5,      -7.5, 6,
                        -6,  3e38, -1e-30, 1e-30, 5, -5, INFINITY, 5,    0};
  std::vector<double> y{3, 0.1f,   7,     7,     -0.1f,    0.1f,     2, 2, 3,
                        3, 1e-20f, 1e30f, 1e30f, INFINITY, INFINITY, 2, 0, 0};
  webnn::test::Random random(38);
  for (int i = 0; i < 4000; ++i) {
    y.push_back(static_cast<float>(random.uniform(-9, 9)));
    const double times = random.integer(0, 8'000'000) - 4e6;
    x.push_back(i % 2 ? random.uniform(-1000, 1000) : static_cast<float>(times * y.back()));
  }
  const auto n = static_cast<std::int32_t>(x.size());
  const Dims shape{static_cast<std::uint32_t>(n)};
  const std::vector inputs{tensor(float32, shape, x), tensor(float32, shape, y)};
  const auto computed = [&](Code code) {
    Writer w;
    w.output(w.op(code, {w.input(f32, {n}), w.input(f32, {n})}, {w.result(f32)}));
    return run(w.file(), inputs)[0];
  };
  const Tensor rest = computed(Code::FLOOR_MOD), quotient = computed(Code::FLOOR_DIV);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto a = static_cast<float>(inputs[0][i]), b = static_cast<float>(inputs[1][i]);
    INFO(a << " and " << b);
    const float truncated = std::fmod(a, b);
    const float floored = truncated != 0 && (b < 0) != (truncated < 0) ? truncated + b : truncated;
    if (std::isnan(floored)) CHECK(std::isnan(rest[i]));
    else CHECK(rest[i] == floored);
    const auto down = static_cast<float>(std::floor(double{a} / double{b}));
    if (std::isnan(down)) CHECK(std::isnan(quotient[i]));
    else CHECK(quotient[i] == down);
  }
}

TEST_CASE("tflite: a slice takes the place of a part", "[tflite]") {
  Writer w;
  w.output(w.op(Code::DYNAMIC_UPDATE_SLICE,
                {w.input(f32, {2, 4}), w.input(f32, {1, 2}), w.input(TensorType::INT32, {2})},
                {w.result(f32)}));
  const Tensor x = tensor(float32, {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}),
               update = tensor(float32, {1, 2}, {-1, -2});
  check_close(run(w.file(), std::vector{x, update, tensor(int32, {2}, {1, 1})})[0],
              {1, 2, 3, 4, 5, -1, -2, 8});
  check_close(run(w.file(), std::vector{x, update, tensor(int32, {2}, {-5, 9})})[0],
              {1, 2, -1, -2, 5, 6, 7, 8});
}

TEST_CASE("tflite: blocks of a sparse tensor", "[tflite]") {
  // 4 by 4 in blocks of 2 by 2, of which two are stored: those at (0, 1) and (1, 0).
  Writer w;
  const int c = w.floats({4, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  auto s = std::make_unique<fbs::SparsityParametersT>();
  s->traversal_order = {0, 1, 2, 3};
  s->block_map = {0, 1};
  for (int level = 0; level < 4; ++level) {
    auto m = std::make_unique<fbs::DimensionMetadataT>();
    m->format = level == 1 ? fbs::DimensionType::SPARSE_CSR : fbs::DimensionType::DENSE;
    if (level != 1) m->dense_size = 2;
    if (level == 1) {
      fbs::Int32VectorT segments;
      fbs::Uint16VectorT indices;
      segments.values = {0, 1, 2};
      indices.values = {1, 0};
      m->array_segments.Set(std::move(segments));
      m->array_indices.Set(std::move(indices));
    }
    s->dim_metadata.push_back(std::move(m));
  }
  w.tensor(c).sparsity = std::move(s);
  w.output(w.op(Code::ADD, {w.input(f32, {4, 4}), c}, {w.result(f32)}, fbs::AddOptionsT()));
  const auto y = run(w.file(), std::vector{webnn::test::filled(float32, {4, 4}, 0)});
  check_close(y[0], {0, 0, 1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 7, 8, 0, 0});
}

TEST_CASE("tflite: types that WebNN holds in another one", "[tflite]") {
  Writer w;
  const int narrow = w.constant(TensorType::INT16, {3}, std::vector<std::int16_t>{-5, 0, 32767});
  const int unsigned_narrow =
      w.constant(TensorType::UINT16, {3}, std::vector<std::uint16_t>{5, 0, 65535});
  fbs::CastOptionsT o;
  o.out_data_type = f32;
  w.output(w.op(Code::CAST, {narrow}, {w.result(f32)}, o));
  w.output(w.op(Code::CAST, {unsigned_narrow}, {w.result(f32)}, o));
  const auto y = run(w.file(), {});
  check_close(y[0], {-5, 0, 32767});
  check_close(y[1], {5, 0, 65535});
}
