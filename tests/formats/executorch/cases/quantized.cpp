// Each way of quantization, and the other types of elements.
#include "tests/formats/executorch/cases/cases_common.h"
#include "webnn/float16.h"

namespace webnn::inline v0_1::executorch::test {
namespace {

/// Elements of int8 or uint8.
Tensor elements(MLOperandDataType type, Dims shape, std::uint32_t seed) {
  webnn::test::Random random(seed);
  return random.tensor(type, std::move(shape), type == int8 ? -100 : 0, type == int8 ? 100 : 200);
}
double value_of(double q, const Quant& quant) { return quant.scale * (q - quant.zero); }

void add_binary(std::vector<Case>& all, Place place) {
  for (const bool is_signed : {true, false}) {
    const MLOperandDataType held = is_signed ? int8 : uint8;
    const DataType type = is_signed ? DataType::qint8 : DataType::quint8;
    const Quant a{0.0625, 3, is_signed}, b{0.03125, 5, is_signed}, y{0.125, 7, is_signed};
    Case c{.name = is_signed ? "Add_qint8" : "Add_quint8"};
    c.graph.place = place;
    c.tolerance = 0;
    c.inputs = {elements(held, {3, 4}, 1)};
    const Tensor other = elements(held, {4}, 2);
    const auto x = c.graph.input({3, 4}, type), k = c.graph.constant({4}, type, other.bytes),
               out = c.graph.output({3, 4}, type);
    c.graph.per_tensor(x, 0.0625f, a.zero);
    c.graph.per_tensor(k, 0.03125f, b.zero);
    c.graph.per_tensor(out, 0.125f, y.zero);
    c.graph.binary(Kind::Add, x, k, out);
    c.graph.limits(-1, 100);
    c.expected = [=](const Tensors& in) {
      Tensor r = in[0];
      for (std::size_t i = 0; i < r.size(); ++i)
        r.set(i, y.quantized(std::max(value_of(in[0][i], a) + value_of(other[i % 4], b), -1.0)));
      return Tensors{r};
    };
    all.push_back(std::move(c));
  }
}

/// A quantized operator as upstream's exporter writes one of a float model: converted before and
/// behind.
void add_converted(std::vector<Case>& all, Place place) {
  Case c{.name = "Convert_Sigmoid_Convert"};
  c.graph.place = place;
  c.inputs = {sample({2, 7})};
  const auto x = c.graph.input({2, 7}), q = c.graph.between({2, 7}, DataType::qint8),
             r = c.graph.between({2, 7}, DataType::qint8), y = c.graph.output({2, 7});
  c.graph.per_tensor(q, 1.0f / 32, 3);
  c.graph.per_tensor(r, 1.0f / 256, -128);
  c.graph.unary(Kind::Convert, x, q);
  c.graph.unary(Kind::Sigmoid, q, r);
  c.graph.unary(Kind::Convert, r, y);
  c.tolerance = 1.0 / 256 + 1e-6;
  c.expected = [](const Tensors& in) {
    const Quant q{1.0 / 32, 3}, r{1.0 / 256, -128};
    Tensor y = in[0];
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double v = value_of(q.quantized(in[0][i]), q);
      y.set(i, value_of(r.quantized(1 / (1 + std::exp(-v))), r));
    }
    return Tensors{y};
  };
  all.push_back(std::move(c));
}

/// The filter [4, 6] with one scale or one for each output, and a bias of 32 bits.
void add_fully_connected(std::vector<Case>& all, Place place) {
  for (const bool by_channel : {false, true}) {
    Case c{.name = by_channel ? "FullyConnected_qcint8" : "FullyConnected_qint8"};
    c.graph.place = place;
    c.tolerance = 0;
    c.inputs = {elements(int8, {3, 6}, 3)};
    const Tensor w = elements(int8, {4, 6}, 4);
    const Tensor bias = webnn::test::integers(int32, {4}, {100, -200, 3000, 0});
    const Quant a{0.03125, -4}, y{0.5, 2};
    const std::vector<float> scales = by_channel
                                          ? std::vector<float>{0.0625f, 0.03125f, 0.125f, 0.25f}
                                          : std::vector<float>{0.0625f};
    std::vector<float> bias_scales;
    for (const float s : scales) bias_scales.push_back(s * 0.03125f);
    const auto x = c.graph.input({3, 6}, DataType::qint8);
    const auto f =
        c.graph.constant({4, 6}, by_channel ? DataType::qcint8 : DataType::qint8, w.bytes);
    const auto b =
        c.graph.constant({4}, by_channel ? DataType::qcint32 : DataType::qint32, bias.bytes);
    const auto out = c.graph.output({3, 4}, DataType::qint8);
    c.graph.per_tensor(x, 0.03125f, a.zero);
    if (by_channel) {
      c.graph.per_channel(f, scales, 0);
      c.graph.per_channel(b, bias_scales, 0);
    } else {
      c.graph.per_tensor(f, scales[0], 0);
      c.graph.per_tensor(b, bias_scales[0], 0);
    }
    c.graph.per_tensor(out, 0.5f, y.zero);
    c.graph.fully_connected(x, f, b, out);
    c.expected = [=](const Tensors& in) {
      Tensor r = webnn::test::filled(int8, {3, 4}, 0);
      for (std::uint32_t n = 0; n < 3; ++n)
        for (std::uint32_t o = 0; o < 4; ++o) {
          double sum = bias[o];
          for (std::uint32_t k = 0; k < 6; ++k) sum += (in[0].at({n, k}) - a.zero) * w.at({o, k});
          r.set(n * 4 + o, y.quantized(sum * scales[by_channel ? o : 0] * a.scale));
        }
      return Tensors{r};
    };
    all.push_back(std::move(c));
  }
}

/// What a row of floats becomes when it is quantized in a run, as floats.
std::vector<double> rounded_row(const std::vector<double>& row) {
  double low = 0, high = 0;
  for (const double v : row) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  const double multiplier = low == high ? 1 : 255 / (high - low);
  const double from_low = -128 + low * multiplier, from_high = 127 + high * multiplier;
  const double zero = std::nearbyint(clamp(
      from_low + from_high > 0 ? -128 - low * multiplier : 127 - high * multiplier, -128, 127));
  std::vector<double> out;
  for (const double v : row)
    out.push_back((clamp(std::nearbyint(v * multiplier) + zero, -128, 127) - zero) / multiplier);
  return out;
}

enum class Weights { qcint8, qcint4, qcint4_odd, qbint4, qbint4_in_buffer };

/// The input is quantized by rows in each run.
void add_dynamic(std::vector<Case>& all, Place place) {
  const std::pair<const char*, Weights> kinds[] = {
      {"FullyConnected_qd8_qcint8", Weights::qcint8},
      {"FullyConnected_qd8_qcint4", Weights::qcint4},
      {"FullyConnected_qd8_qcint4_odd", Weights::qcint4_odd},
      {"FullyConnected_qd8_qbint4", Weights::qbint4},
      {"FullyConnected_qd8_qbint4_in_buffer", Weights::qbint4_in_buffer}};
  for (const auto& [name, kind] : kinds) {
    Case c{.name = name};
    c.graph.place = place;
    const bool groups = kind == Weights::qbint4 || kind == Weights::qbint4_in_buffer;
    const std::uint32_t depth = groups ? 64 : kind == Weights::qcint4_odd ? 7 : 8, outputs = 4;
    webnn::test::Random random(21);
    std::vector<int> w;
    for (std::uint32_t i = 0; i < outputs * depth; ++i)
      w.push_back(kind == Weights::qcint8 ? static_cast<int>(random.integer(0, 254)) - 127
                                          : static_cast<int>(random.integer(0, 15)) - 8);
    Bytes packed;
    for (std::uint32_t o = 0; o < outputs; ++o)
      for (std::uint32_t k = 0; k < depth; ++k) {
        const int v = w[o * depth + k];
        if (kind == Weights::qcint8) packed.push_back(static_cast<std::byte>(v));
        else if (k % 2 == 0) packed.push_back(static_cast<std::byte>(v + 8));
        else packed.back() |= static_cast<std::byte>((v + 8) << 4);
        // Upstream's element that fills up an odd row is 0.
        if (kind == Weights::qcint4_odd && k + 1 == depth) packed.back() |= std::byte{8 << 4};
      }
    // Powers of 2 are exact in bf16.
    const std::vector<float> scales =
        groups ? std::vector<float>{0.5f, 0.25f, 0.125f, 1, 0.5f, 2, 0.25f, 0.5f}
               : std::vector<float>{0.0625f, 0.03125f, 0.125f, 0.25f};
    const Tensor bias = sample({outputs}, -1, 1, 12);
    c.inputs = {sample({2, 3, depth})};
    const auto x = c.graph.input(c.inputs[0].shape),
               q = c.graph.between(c.inputs[0].shape, DataType::qdint8);
    const auto f = c.graph.constant({outputs, depth},
                                    kind == Weights::qcint8 ? DataType::qcint8
                                    : groups                ? DataType::qbint4
                                                            : DataType::qcint4,
                                    packed);
    c.graph.per_token(q);
    if (groups) c.graph.per_group(f, scales, 32);
    else c.graph.per_channel(f, scales, 0);
    if (kind == Weights::qbint4_in_buffer && place != Place::in_flatbuffer) {
      std::vector<std::uint16_t> bf16;
      for (const float s : scales) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &s, 4);
        bf16.push_back(static_cast<std::uint16_t>(bits >> 16));
      }
      auto& p = *c.graph.graph.xvalues[f]
                     ->value.AsQuantizedTensorValue()
                     ->quant_params.AsPerChannelGroupQuant();
      p.scale.clear();
      p.scale_buffer_idx = c.graph.add_data(bytes_of(bf16));
      p.num_scales = static_cast<std::uint32_t>(scales.size());
    }
    const auto b = c.graph.floats({outputs}, floats_of(bias)), y = c.graph.output({2, 3, outputs});
    c.graph.unary(Kind::Convert, x, q);
    c.graph.fully_connected(q, f, b, y);
    c.tolerance = 1e-3;
    c.expected = [=](const Tensors& in) {
      Tensor r = webnn::test::filled(float32, {2, 3, outputs}, 0);
      for (std::uint32_t n = 0; n < 6; ++n) {
        std::vector<double> row;
        for (std::uint32_t k = 0; k < depth; ++k) row.push_back(in[0][n * depth + k]);
        row = rounded_row(row);
        for (std::uint32_t o = 0; o < outputs; ++o) {
          double sum = bias[o];
          for (std::uint32_t k = 0; k < depth; ++k)
            sum += row[k] * w[o * depth + k] * scales[groups ? o * 2 + k / 32 : o];
          r.set(n * outputs + o, sum);
        }
      }
      return Tensors{r};
    };
    all.push_back(std::move(c));
  }
}

/// XN00 has no Convert there: the input says that its readers see it quantized.
void add_dynamic_input(std::vector<Case>& all, Place place) {
  Case c{.name = "FullyConnected_dq_datatype"};
  c.graph.place = place;
  const Tensor w = elements(int8, {4, 8}, 4);
  c.inputs = {sample({3, 8})};
  const auto x = c.graph.input({3, 8});
  c.graph.tensor(x).dq_datatype = DataType::qint8;
  const auto f = c.graph.constant({4, 8}, DataType::qint8, w.bytes), y = c.graph.output({3, 4});
  c.graph.per_tensor(f, 0.0625f, 0);
  c.graph.fully_connected(x, f, no_value, y);
  c.tolerance = 1e-3;
  c.expected = [=](const Tensors& in) {
    Tensor r = webnn::test::filled(float32, {3, 4}, 0);
    for (std::uint32_t n = 0; n < 3; ++n) {
      std::vector<double> row;
      for (std::uint32_t k = 0; k < 8; ++k) row.push_back(in[0].at({n, k}));
      row = rounded_row(row);
      for (std::uint32_t o = 0; o < 4; ++o) {
        double sum = 0;
        for (std::uint32_t k = 0; k < 8; ++k) sum += row[k] * w.at({o, k}) * 0.0625;
        r.set(n * 4 + o, sum);
      }
    }
    return Tensors{r};
  };
  all.push_back(std::move(c));
}

/// Quantized elements are moved as they are.
void add_moved(std::vector<Case>& all, Place place) {
  Case c{.name = "StaticTranspose_qint8"};
  c.graph.place = place;
  c.tolerance = 0;
  c.inputs = {elements(int8, {2, 3}, 5)};
  xnn::NodeTransposeT t;
  t.num_dims = 2;
  t.perm = {1, 0};
  t.input_id = c.graph.input({2, 3}, DataType::qint8);
  t.output_id = c.graph.output({3, 2}, DataType::qint8);
  c.graph.per_tensor(t.input_id, 0.1f, 3);
  c.graph.per_tensor(t.output_id, 0.1f, 3);
  c.graph.node(Kind::StaticTranspose, t);
  c.expected = [](const Tensors& in) {
    return Tensors{webnn::test::generated(int8, {3, 2}, [&](const Dims& p) {
      return in[0].at({p[1], p[0]});
    })};
  };
  all.push_back(std::move(c));
}

void add_types(std::vector<Case>& all, Place place) {
  {
    Case c{.name = "Multiply_fp16"};
    c.graph.place = place;
    c.tolerance = 2e-3;
    c.inputs = {sample({4})};
    const auto x = c.graph.input({4}), h = c.graph.between({4}, DataType::fp16),
               k = c.graph.constant({4}, DataType::fp16,
                                    webnn::test::tensor(float16, {4}, {1, 2, 0.5, -1}).bytes),
               r = c.graph.between({4}, DataType::fp16), y = c.graph.output({4});
    c.graph.unary(Kind::Convert, x, h);
    c.graph.binary(Kind::Multiply, h, k, r);
    c.graph.unary(Kind::Convert, r, y);
    c.expected = [](const Tensors& in) {
      const double k[] = {1, 2, 0.5, -1};
      Tensor y = in[0];
      for (std::size_t i = 0; i < 4; ++i) y.set(i, in[0][i] * k[i]);
      return Tensors{y};
    };
    all.push_back(std::move(c));
  }
  {
    Case c{.name = "Add_bf16_constant"};
    c.graph.place = place;
    c.inputs = {sample({2})};
    const auto x = c.graph.input({2}),
               k = c.graph.constant({2}, DataType::bf16,
                                    bytes_of(std::vector<std::uint16_t>{0x3f80, 0xc040})),
               y = c.graph.output({2});
    c.graph.binary(Kind::Add, x, k, y);
    c.expected = [](const Tensors& in) {
      Tensor y = in[0];
      y.set(0, in[0][0] + 1);
      y.set(1, in[0][1] - 3);
      return Tensors{y};
    };
    all.push_back(std::move(c));
  }
  {
    Case c{.name = "Add_int32"};
    c.graph.place = place;
    c.tolerance = 0;
    c.inputs = {webnn::test::integers(int32, {3}, {1, -7, 2000000000})};
    const auto x = c.graph.input({3}, DataType::int32),
               k = c.graph.constant({1}, DataType::int32, bytes_of(std::vector<std::int32_t>{5})),
               y = c.graph.output({3}, DataType::int32);
    c.graph.binary(Kind::Add, x, k, y);
    c.expected = [](const Tensors& in) {
      Tensor y = in[0];
      for (std::size_t i = 0; i < 3; ++i) y.set(i, in[0][i] + 5);
      return Tensors{y};
    };
    all.push_back(std::move(c));
  }
}

}  // namespace

void add_quantized_cases(std::vector<Case>& all, Place place) {
  add_binary(all, place);
  add_converted(all, place);
  add_fully_connected(all, place);
  add_dynamic(all, place);
  add_dynamic_input(all, place);
  add_moved(all, place);
  add_types(all, place);
}

}  // namespace webnn::inline v0_1::executorch::test
