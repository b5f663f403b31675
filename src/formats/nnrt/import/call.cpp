#include <algorithm>
#include <cstring>
#include <limits>

#include "src/formats/common/failures.h"
#include "src/formats/common/fold.h"
#include "src/formats/common/tanh_gelu.h"
#include "src/formats/nnrt/import/importer.h"

namespace webnn::inline v0_1::nnrt {

std::optional<MLOperandDataType> held_as(DataType type) {
  switch (type) {
    case DataType::DATA_TYPE_BOOL:
    case DataType::DATA_TYPE_UINT8: return uint8;
    case DataType::DATA_TYPE_INT8: return int8;
    case DataType::DATA_TYPE_INT32: return int32;
    case DataType::DATA_TYPE_UINT32: return uint32;
    case DataType::DATA_TYPE_INT64: return int64;
    case DataType::DATA_TYPE_UINT64: return uint64;
    case DataType::DATA_TYPE_FLOAT16: return float16;
    case DataType::DATA_TYPE_FLOAT32: return float32;
    default: return std::nullopt;
  }
}

void Import::refuse(const Failure& f) const { raise(formats::data_error(f), "nnrt", label); }
void Import::unsupported(const Failure& f) const {
  raise({f.message, ErrorName::NotSupportedError}, "nnrt", label);
}
void Import::spend(std::uint64_t bytes, std::string_view what) {
  if (auto bad = budget.spend(bytes, what)) refuse(*bad);
}
const Tensor& Import::tensor(std::uint32_t index) const {
  if (index >= model.allTensors.size())
    refuse(fail("tensor {} is not less than the number of tensors ({})", index,
                model.allTensors.size()));
  return model.allTensors[index];
}
std::string Import::text(std::uint32_t index) const {
  std::string name = in_quotes(tensor(index).name);
  if (index < offsets.tensors.size()) name += format(", byte {}", {offsets.tensors[index]});
  return format("tensor {} ({})", {index, name});
}

MLOperand Import::value(std::uint32_t index) {
  const Tensor& t = tensor(index);
  MLOperand& x = values[index];
  if (x) return x;
  if (!t.data)
    refuse(
        fail("{} is read before it is written: it is not an input or a constant, and no earlier "
             "node writes it",
             text(index)));
  const auto type = held_as(t.dataType);
  if (!type) unsupported(fail("{}: WebNN has no type for {}", text(index), enumerator(t.dataType)));
  MLOperandDescriptor d{*type, {}};
  std::uint64_t elements = 1;
  for (const std::int32_t s : t.dims) {
    if (s < 1) refuse(fail("{}: a dimension of a constant is {}", text(index), s));
    if ((elements *= static_cast<std::uint64_t>(s)) > max_tensor_byte_length)
      refuse(fail("{}: its elements are more than {}", text(index), max_tensor_byte_length));
    d.shape.push_back(static_cast<std::uint32_t>(s));
  }
  const auto bytes = t.data->bytes();
  if (bytes.size() != byte_length(d))
    refuse(fail("{} has {} bytes, but shape {} of {} needs {}", text(index), bytes.size(), d.shape,
                enumerator(t.dataType), byte_length(d)));
  const auto unit = static_cast<std::uintptr_t>(bits_of(*type)) / 8;
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % unit == 0)
    return x = builder.constant(d, *t.data);
  spend(bytes.size(), "a constant that is not aligned");
  return x = builder.constant(d, bytes);
}

std::pair<MLOperand, MLOperand> Call::scale_and_zero(const Tensor& t, const MLOperand& like,
                                                     MLOperandDataType type) const {
  const std::size_t n = t.quantParams.size();
  Dims shape(like.rank(), 1);
  if (n > 1) {
    // Which axis they are of the interface does not say: the first that has as many indices.
    const auto at = std::find(like.shape().begin(), like.shape().end(), n);
    if (at == like.shape().end())
      refuse(fail("{} has {} quantization parameters, but shape {}", in_quotes(t.name), n,
                  like.shape()));
    shape[static_cast<std::size_t>(at - like.shape().begin())] = static_cast<std::uint32_t>(n);
  }
  const std::size_t unit = static_cast<std::size_t>(bits_of(type)) / 8;
  spend(n * (4 + unit), "scales");
  std::vector<float> scale;
  std::vector<std::byte> zero(n * unit);
  for (std::size_t i = 0; i < n; ++i) {
    const QuantParam& q = t.quantParams[i];
    if (!(q.scale <= std::numeric_limits<float>::max()) || !(static_cast<float>(q.scale) > 0))
      refuse(fail("{} has a scale of {}", in_quotes(t.name), q.scale));
    if ((type == int8 && q.zeroPoint != static_cast<std::int8_t>(q.zeroPoint)) ||
        (type == uint8 && q.zeroPoint != static_cast<std::uint8_t>(q.zeroPoint)))
      refuse(fail("{} has a zero point of {}, which {} cannot hold", in_quotes(t.name), q.zeroPoint,
                  type));
    scale.push_back(static_cast<float>(q.scale));
    std::memcpy(&zero[i * unit], &q.zeroPoint, unit);
  }
  return {b.constant({float32, shape}, scale), b.constant({type, shape}, zero)};
}

MLOperand Call::stored(std::size_t i) const {
  if (!has(i)) refuse(fail("its input {} is missing", i));
  return import_.value(node_.inputIndex[i]);
}

MLOperand Call::value(std::size_t i) const {
  const MLOperand x = stored(i);
  const Tensor& t = in(i);
  if (t.quantParams.empty() || types::floats.contains(x.dataType())) return x;
  if (x.dataType() != int8 && x.dataType() != uint8 && x.dataType() != int32) return x;
  const auto [scale, zero] = scale_and_zero(t, x, x.dataType());
  return b.dequantizeLinear(x, scale, zero);
}

void Call::put_stored(MLOperand y, std::size_t i) const {
  const std::uint32_t index = node_.outputIndex[i];
  const auto type = held_as(import_.tensor(index).dataType);
  if (type != y.dataType())
    refuse(fail("{} is {}, but the result is {}", import_.text(index),
                enumerator(import_.tensor(index).dataType), y.dataType()));
  import_.values[index] = std::move(y);
}

void Call::put(MLOperand y, std::size_t i) const {
  const Tensor& t = out(i);
  const auto type = held_as(t.dataType);
  if (!t.quantParams.empty() && types::floats.contains(y.dataType()) &&
      (type == int8 || type == uint8)) {
    const auto [scale, zero] = scale_and_zero(t, y, *type);
    y = b.quantizeLinear(y, scale, zero);
  }
  put_stored(std::move(y), i);
}

std::optional<MLOperand> Call::bias(std::size_t i, std::size_t x, std::size_t filter,
                                    std::uint32_t channels) const {
  if (!has(i)) return std::nullopt;
  const MLOperand stored_bias = stored(i);
  if (element_count(stored_bias.shape()) != channels)
    refuse(fail("its bias has shape {}, but there are {} channels", stored_bias.shape(), channels));
  if (stored_bias.dataType() != int32) return reshaped(value(i), {channels});
  const auto &px = in(x).quantParams, &pf = in(filter).quantParams;
  if (px.size() != 1 || pf.empty() || (pf.size() != 1 && pf.size() != channels))
    refuse(fail("its bias is of int32, but input and filter have {} and {} quantization parameters",
                px.size(), pf.size()));
  std::vector<float> scale;
  for (const QuantParam& q : pf) scale.push_back(static_cast<float>(px[0].scale * q.scale));
  const Dims shape{static_cast<std::uint32_t>(scale.size())};
  spend(scale.size() * 8, "scales of a bias");
  return b.dequantizeLinear(reshaped(stored_bias, {channels}), b.constant({float32, shape}, scale),
                            b.constant({int32, shape}, std::vector<std::int32_t>(scale.size())));
}

std::vector<std::int64_t> Call::ints(std::size_t i) const {
  MLOperand x = stored(i);
  if (!x.constant()) {
    const auto constant = formats::folded(x, b);
    if (!constant) unsupported(fail("its input {} does not follow from constants", i));
    x = *constant;
  }
  const auto bytes = x.constant()->bytes();
  constexpr std::size_t most = 65536;
  if (bytes.size() > most) refuse(fail("its input {} has {} bytes", i, bytes.size()));
  if (auto bad = import_.budget.count(element_count(x.shape()))) refuse(*bad);
  std::vector<std::int64_t> out;
  const auto read = [&]<class T>(T v) {
    for (std::size_t k = 0; k + sizeof v <= bytes.size(); k += sizeof v) {
      std::memcpy(&v, &bytes[k], sizeof v);
      out.push_back(static_cast<std::int64_t>(v));
    }
  };
  switch (x.dataType()) {
    case int32: read(std::int32_t{}); break;
    case int64: read(std::int64_t{}); break;
    case uint8: read(std::uint8_t{}); break;
    case int8: read(std::int8_t{}); break;
    default: refuse(fail("its input {} is {}, not integers", i, x.dataType()));
  }
  return out;
}

std::uint32_t Call::axis(std::int64_t axis, std::size_t rank) const {
  const auto n = static_cast<std::int64_t>(rank);
  if (axis < -n || axis >= n) refuse(fail("axis ({}) is not within the rank ({})", axis, n));
  return static_cast<std::uint32_t>(axis < 0 ? axis + n : axis);
}
std::uint32_t Call::dimension(std::int64_t size, std::string_view what) const {
  if (size < 0 || size > std::int64_t{max_tensor_byte_length})
    refuse(fail("{} ({}) is not between 0 and {}", what, size, max_tensor_byte_length));
  return static_cast<std::uint32_t>(size);
}
Dims Call::dimensions(const List& list, std::size_t count, std::string_view what) const {
  if (list.size() != count) refuse(fail("{} has {} entries, not {}", what, list.size(), count));
  Dims out;
  for (const std::int64_t v : list) out.push_back(dimension(v, what));
  return out;
}
void Call::require_rank(const MLOperand& x, std::uint32_t rank) const {
  if (x.rank() != rank) refuse(fail("its input has shape {}, not {} dimensions", x.shape(), rank));
}

std::string Call::label() const {
  return std::string(truncated(node_.name.empty() ? out().name : node_.name, 256));
}

MLOperand Call::activated(MLOperand y, ActivationType type, const Activation& a) const {
  using enum ActivationType;
  const auto clamp = [&](double low, double high) {
    return b.clamp(y, {.minValue = low, .maxValue = high});
  };
  switch (type) {
    case ACTIVATION_TYPE_NO_ACTIVATION: return y;
    case ACTIVATION_TYPE_LINEAR: return y;
    case ACTIVATION_TYPE_RELU: return b.relu(y);
    case ACTIVATION_TYPE_SIGMOID: return b.sigmoid(y);
    case ACTIVATION_TYPE_RELU6: return clamp(0, 6);
    case ACTIVATION_TYPE_RELU1: return clamp(0, 1);
    case ACTIVATION_TYPE_ELU: return b.elu(y, {.alpha = a.alpha});
    case ACTIVATION_TYPE_LEAKY_RELU: return b.leakyRelu(y, {.alpha = a.alpha});
    case ACTIVATION_TYPE_ABS: return b.abs(y);
    case ACTIVATION_TYPE_SOFTSIGN: return b.softsign(y);
    case ACTIVATION_TYPE_SOFTPLUS: return b.softplus(y);
    case ACTIVATION_TYPE_TANH: return b.tanh(y);
    case ACTIVATION_TYPE_SELU:
      return b.linear(b.elu(y, {.alpha = 1.67326324}), {.alpha = 1.05070098});
    case ACTIVATION_TYPE_HSWISH: return b.hardSwish(y);
    case ACTIVATION_TYPE_HSIGMOID: return b.hardSigmoid(y, {.alpha = 1.0 / 6, .beta = 0.5});
    case ACTIVATION_TYPE_HARD_TANH: return clamp(a.minVal, a.maxVal);
    case ACTIVATION_TYPE_SIGN: return b.sign(y);
    case ACTIVATION_TYPE_SWISH: return b.mul(y, b.sigmoid(y));
    case ACTIVATION_TYPE_GELU: return a.approximate ? formats::tanh_gelu(b, y) : b.gelu(y);
    default: unsupported(fail("the activation {} has no WebNN counterpart", enumerator(type)));
  }
}

}  // namespace webnn::inline v0_1::nnrt
