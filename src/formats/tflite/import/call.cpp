#include "src/formats/tflite/import/call.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "src/formats/common/model_inputs.h"
#include "src/formats/common/open_dimensions.h"
#include "src/formats/common/unknown_values.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {

void Call::refuse(const Failure& f) const { tflite::refuse(scope_.import().file, f); }
void Call::unsupported(const Failure& f) const { tflite::unsupported(scope_.import().file, f); }

void Call::spend(std::uint64_t bytes) const {
  if (auto bad = scope_.import().budget.spend(bytes, "its constants")) refuse(*bad);
}

const TensorInfo& Call::in(std::size_t i) const {
  if (!has(i)) refuse(fail("its input {} is missing", i));
  return scope_.tensor(op_.inputs()->Get(index(i)));
}
const TensorInfo& Call::out(std::size_t i) const {
  return scope_.tensor(op_.outputs()->Get(index(i)));
}

/// Scale and zero point of that rank: their sizes are 1, but for the axis of several scales.
std::pair<MLOperand, MLOperand> Call::scale_and_zero(const TensorInfo& t, MLOperandDataType type,
                                                     std::uint32_t rank) const {
  const Scales& s = *t.scales;
  Dims shape(rank, 1);
  if (s.scale.size() > 1) {
    if (s.axis >= shape.size())
      refuse(fail("{} has scales along dimension {} of {}", t.text(), s.axis, rank));
    shape[s.axis] = static_cast<std::uint32_t>(s.scale.size());
  }
  const MLOperand scale =
      b.constant({float32, shape}, Constant(scope_.import().file.owner, std::as_bytes(s.scale)));
  const MLOperandDescriptor d{type, shape};
  const std::size_t n = s.scale.size();
  spend(n * 4);
  std::vector<std::byte> zero(n * 4);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t z = s.zero(i);
    if (bits_of(d.dataType) == 4) zero[i / 2] |= static_cast<std::byte>((z & 15) << (i % 2 * 4));
    else std::memcpy(&zero[i * bits_of(d.dataType) / 8], &z, bits_of(d.dataType) / 8);
  }
  zero.resize(byte_length(d));
  return {scale, b.constant(d, zero)};
}

MLOperand Call::numbers(std::size_t i, const MLOperand& stored) const {
  const TensorInfo& t = in(i);
  if (!t.scales) return stored;
  if (stored.dataType() == int64) unsupported(fail("{} is INT64 and quantized", t.text()));
  const auto [scale, zero] = scale_and_zero(t, stored.dataType(), stored.rank());
  return b.dequantizeLinear(stored, scale, zero);
}

void Call::put_stored(MLOperand y, std::size_t i) const {
  const TensorInfo& t = out(i);
  if (!t.dataType) unsupported(fail("{} is {}", t.text(), name_of_type(t.type)));
  if (y.dataType() != *t.dataType)
    refuse(fail("{} is {}, but the result is {}", t.text(), name_of_type(t.type), y.dataType()));
  scope_.set(static_cast<std::int32_t>(t.index), std::move(y));
}

void Call::put(MLOperand y, std::size_t i) const {
  const TensorInfo& t = out(i);
  if (!t.scales || !types::floats.contains(y.dataType())) return put_stored(std::move(y), i);
  if (t.type == schema::TensorType::INT64 || t.type == schema::TensorType::INT4)
    unsupported(fail("{} is {} and quantized", t.text(), name_of_type(t.type)));
  for (float scale : t.scales->scale)
    if (scale == 0) refuse(fail("{} has a scale of 0", t.text()));
  if (t.type == schema::TensorType::INT16) {
    // WebNN has no int16: the elements are int32 within its range.
    if (t.scales->scale.size() > 1) unsupported(fail("{} is INT16 with several scales", t.text()));
    const double scale = t.scales->scale[0], zero = static_cast<double>(t.scales->zero(0));
    y = b.clamp(y, {.minValue = (-32768 - zero) * scale, .maxValue = (32767 - zero) * scale});
  }
  const auto [scale, zero] = scale_and_zero(t, *t.dataType, y.rank());
  put_stored(b.quantizeLinear(y, scale, zero), i);
}

bool Call::same_scales(std::size_t i, std::size_t k) const {
  const auto &from = in(i).scales, &to = out(k).scales;
  return in(i).type == out(k).type && (!from || !to || from == to);
}

std::optional<MLOperand> Call::known_operand(std::size_t i) const {
  const MLOperand x = stored(i);
  if (auto constant = folded(x, b)) return constant;
  const auto& partial = scope_.import().partial;
  return partial ? partial->constant(x) : std::nullopt;
}

bool Call::is_known(std::size_t i) const {
  if (in(i).empty || in(i).constant()) return true;
  return known_operand(i).has_value();
}

bool Call::follows_from_sizes(std::size_t i) const {
  const auto& partial = scope_.import().partial;
  return partial && !is_known(i) && partial->follows_from_shapes(stored(i));
}

Constant Call::known(std::size_t i) const {
  if (in(i).empty && !in(i).constant()) return Constant::copy_of({});
  const MLOperand x = stored(i);
  if (!x.is_open() && element_count(x.shape()) > max_folded)
    unsupported(fail("its input {} ({}) has {} elements, more than {}", i, in(i).text(),
                     element_count(x.shape()), max_folded));
  if (const auto constant = known_operand(i)) {
    if (!x.constant()) spend(byte_length(constant->descriptor()));
    return *constant->constant();
  }
  if (follows_from_sizes(i))
    unsupported(fail("its input {} ({}) has to be known, but follows from {}: {}", i, in(i).text(),
                     formats::open_dimensions(x), formats::give_a_size));
  Import& import = scope_.import();
  const std::vector<MLOperand> sources = formats::sources_of(x);
  const auto is_given = [&](const MLOperand& input) {
    return import.options.values.count(input.record().name) > 0;
  };
  if (!sources.empty() && std::ranges::all_of(sources, is_given)) {
    for (const MLOperand& input : sources) import.wanted_inputs.insert(input.record().name);
    throw NeedsInput();
  }
  std::vector<std::string> names;
  for (const MLOperand& input : sources) names.push_back(input.record().name);
  const std::string inputs = joined(sources, ", ", [](const MLOperand& input) {
    return detail::format("{} ({} {})", {in_quotes(input.record().name), input.dataType(),
                                         formats::shape_text(input.dimensions())});
  });
  const Failure f = fail(
      "its input {} ({}) is not a constant, but follows from the model's input {}: give its value "
      "to the import, in the option values",
      i, in(i).text(), inputs);
  throw formats::UnknownValues("tflite", import.file.label, f.message, std::move(names));
}

void Call::require_integers(std::size_t i) const {
  const auto type = stored(i).dataType();
  if (in(i).type == schema::TensorType::BOOL || types::floats.contains(type) || bits_of(type) < 8)
    refuse(
        fail("its input {} ({}) is {}, not an integer", i, in(i).text(), name_of_type(in(i).type)));
}

SizeList Call::list(std::size_t i) const {
  if (!follows_from_sizes(i)) {
    const auto known = ints(i);
    return {known.begin(), known.end()};
  }
  require_integers(i);
  const auto n = static_cast<std::uint32_t>(element_count(stored(i).shape()));
  return scope_.import().partial->list(reshaped(stored(i), Dims{n}));
}

Size Call::size(std::size_t i) const {
  const SizeList all = list(i);
  if (all.size() != 1)
    refuse(fail("its input {} ({}) has {} elements, not 1", i, in(i).text(), all.size()));
  return all[0];
}

std::vector<std::int64_t> Call::ints(std::size_t i) const {
  const Constant constant = known(i);
  const auto bytes = constant.bytes();
  std::vector<std::int64_t> out;
  if (bytes.empty()) return out;
  const auto each = [&]<class T>(T v) {
    for (std::size_t k = 0; k + sizeof v <= bytes.size(); k += sizeof v) {
      std::memcpy(&v, &bytes[k], sizeof v);
      out.push_back(static_cast<std::int64_t>(v));
    }
    return out;
  };
  require_integers(i);
  switch (stored(i).dataType()) {
    case int32:
    case uint32: return each(std::int32_t{});  // the runtime reads the bits as INT32
    case int64:
    case uint64: return each(std::int64_t{});
    case int8: return each(std::int8_t{});
    default: return each(std::uint8_t{});
  }
}

std::int64_t Call::integer(std::size_t i) const {
  const auto list = ints(i);
  if (list.size() != 1)
    refuse(fail("its input {} ({}) has {} elements, not 1", i, in(i).text(), list.size()));
  return list[0];
}

MLNumber Call::number(std::size_t i) const {
  const Constant constant = known(i);
  const auto bytes = constant.bytes();
  if (bytes.empty() || element_count(stored(i).shape()) != 1)
    refuse(fail("its input {} ({}) does not have one element", i, in(i).text()));
  const auto as = [&]<class T>(T v) {
    std::memcpy(&v, bytes.data(), sizeof v);
    return v;
  };
  switch (stored(i).dataType()) {
    case float32: return as(0.0f);
    case float16: return float16_value(as(std::uint16_t{}));
    case int32: return as(std::int32_t{});
    case uint32: return as(std::uint32_t{});
    case int64: return as(std::int64_t{});
    case uint64: return as(std::uint64_t{});
    case int8: return as(std::int8_t{});
    case uint8: return as(std::uint8_t{});
    default: unsupported(fail("its input {} is {}", i, name_of_type(in(i).type)));
  }
}

std::uint32_t Call::axis(std::int64_t axis, std::size_t rank) const {
  const auto n = static_cast<std::int64_t>(rank);
  if (axis < -n || axis >= n) refuse(fail("axis ({}) is not within the rank ({})", axis, n));
  return static_cast<std::uint32_t>(axis < 0 ? axis + n : axis);
}

std::uint32_t Call::dimension(std::int64_t size, std::string_view what) const {
  if (size < 1 || size > std::int64_t{max_tensor_byte_length})
    refuse(fail("{} ({}) is not between 1 and {}", what, size, max_tensor_byte_length));
  return static_cast<std::uint32_t>(size);
}

Size Call::dimension(const Size& size, std::string_view what) const {
  if (size.is_known()) dimension(size.number(), what);
  return size;
}

void Call::require_rank(const MLOperand& x, std::uint32_t min, std::uint32_t max) const {
  if (x.rank() < min || x.rank() > max)
    refuse(fail("its input has shape {}, not {} to {} dimensions",
                formats::text_of(formats::sizes_of(x)), min, max));
}

MLOperand Call::activated(MLOperand y, schema::ActivationFunctionType f) const {
  using schema::ActivationFunctionType;
  switch (f) {
    case ActivationFunctionType::NONE: return y;
    case ActivationFunctionType::RELU: return b.relu(y);
    case ActivationFunctionType::RELU_N1_TO_1: return b.clamp(y, {.minValue = -1, .maxValue = 1});
    case ActivationFunctionType::RELU6: return b.clamp(y, {.minValue = 0, .maxValue = 6});
    case ActivationFunctionType::TANH: return b.tanh(y);
    case ActivationFunctionType::SIGN_BIT: unsupported("the activation SIGN_BIT");
  }
  refuse(fail("the activation ({}) is not one of the format", static_cast<int>(f)));
}

MLOperand Call::int32s(Dims shape, const std::vector<std::int32_t>& values) const {
  spend(values.size() * 4);
  return b.constant({int32, std::move(shape)}, values);
}
MLOperand Call::floats(Dims shape, const std::vector<float>& values) const {
  spend(values.size() * 4);
  return b.constant({float32, std::move(shape)}, values);
}

MLOperand Call::reshaped(const MLOperand& x, const Shape& shape) const {
  const auto same = [](const Size& a, const Size& s) { return a.same_as(s); };
  if (std::ranges::equal(formats::sizes_of(x), shape, same)) return x;
  return formats::reshape(b, x, shape);
}

MLOperand Call::permuted(const MLOperand& x, Dims permutation) const {
  bool same = permutation.size() == x.rank();
  for (std::uint32_t i = 0; same && i < permutation.size(); ++i) same = permutation[i] == i;
  return same ? x : b.transpose(x, {.permutation = std::move(permutation)});
}

}  // namespace webnn::inline v0_1::tflite
