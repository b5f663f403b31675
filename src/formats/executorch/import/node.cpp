#include "src/formats/executorch/import/node.h"

#include <cmath>
#include <cstring>

#include "src/formats/executorch/import/dynamic.h"

namespace webnn::inline v0_1::executorch {

void NodeCall::refuse(const Failure& f) const { executorch::refuse(delegate_.import().source, f); }
void NodeCall::unsupported(const Failure& f) const {
  executorch::unsupported(delegate_.import().source, f);
}
void NodeCall::spend(std::uint64_t bytes) const {
  if (auto bad = delegate_.import().budget.spend(bytes, "its constants")) refuse(*bad);
}
std::string NodeCall::label(std::uint32_t output) const {
  return std::string(truncated(delegate_.name(output), 256));
}

/// Both with the rank of `like`: their sizes are 1, but for the dimensions with several scales.
std::pair<MLOperand, MLOperand> NodeCall::scale_and_zero(const ValueInfo& v, const MLOperand& like,
                                                         MLOperandDataType type) const {
  const Scales& s = *v.scales;
  Dims shape(like.rank(), 1);
  if (s.group > 0) {
    if (like.rank() != 2 || like.shape()[1] / s.group * std::uint64_t{like.shape()[0]} != s.count)
      refuse(fail("{} has {} scales, but shape {}", v.text(), s.count, like.shape()));
    shape = {like.shape()[0], like.shape()[1] / s.group};
  } else if (s.count > 1) {
    if (s.axis >= like.rank() || like.shape()[s.axis] != s.count)
      refuse(fail("{} has {} scales along dimension {}, but shape {}", v.text(), s.count, s.axis,
                  like.shape()));
    shape[s.axis] = s.count;
  }
  const MLOperandDescriptor d{type, shape};
  spend(byte_length(d));
  std::vector<std::byte> zero(byte_length(d));
  if (bits_of(type) == 4) {
    std::fill(zero.begin(), zero.end(), static_cast<std::byte>((s.zero & 15) * 17));
    if (s.count % 2 == 1) zero.back() &= std::byte{15};
  } else {
    const std::size_t unit = static_cast<std::size_t>(bits_of(type)) / 8;
    for (std::size_t i = 0; i < s.count; ++i) std::memcpy(&zero[i * unit], &s.zero, unit);
  }
  return {b.constant({float32, shape}, s.scale), b.constant(d, zero)};
}

MLOperand NodeCall::numbers(std::uint32_t id) const {
  const Stored& s = delegate_.value(id);
  if (s.row_scale) return b.mul(s.elements, *s.row_scale);
  const ValueInfo& v = delegate_.info(id);
  if (!v.scales) return s.elements;
  const auto [scale, zero] = scale_and_zero(v, s.elements, s.elements.dataType());
  return b.dequantizeLinear(s.elements, scale, zero);
}

void NodeCall::put_stored(std::uint32_t id, MLOperand y) const {
  const ValueInfo& v = delegate_.info(id);
  if (y.dataType() != *v.dataType)
    refuse(fail("{} is {}, but the result is {}", v.text(), name_of_type(v.type), y.dataType()));
  delegate_.set(id, {std::move(y), std::nullopt});
}

void NodeCall::put(std::uint32_t id, MLOperand y) const {
  const ValueInfo& v = delegate_.info(id);
  const bool is_float = types::floats.contains(y.dataType());
  if (v.type == xnn::DataType::bf16)
    unsupported(fail("{} is bf16 and the result of a node", v.text()));
  if (v.dynamic_dims) {
    if (!is_float) refuse(fail("{} is quantized from {}", v.text(), y.dataType()));
    if (!delegate_.import().options.dynamic_quantization)
      return delegate_.set(id, {converted(y, b.constant(float32, 0)), std::nullopt});
    return delegate_.set(id, quantized_in_run(delegate_.import(), y, *v.dynamic_dims));
  }
  if (v.scales && is_float) {
    for (std::size_t i = 0; i < v.scales->count; ++i)
      if (v.scales->at(i) == 0) refuse(fail("{} has a scale of 0", v.text()));
    if (v.dataType == uint4)
      unsupported(fail("{} is of 4 bits and the result of a node", v.text()));
    if (y.dataType() != float32) y = b.cast(y, float32);
    const auto [scale, zero] = scale_and_zero(v, y, *v.dataType);
    return put_stored(id, b.quantizeLinear(y, scale, zero));
  }
  if (is_float && types::floats.contains(*v.dataType) && y.dataType() != *v.dataType)
    y = b.cast(y, *v.dataType);
  put_stored(id, std::move(y));
}

bool NodeCall::same_scales(std::uint32_t from, std::uint32_t to) const {
  const ValueInfo &x = delegate_.info(from), &y = delegate_.info(to);
  if (x.dynamic_dims || y.dynamic_dims) return false;
  return x.dataType == y.dataType && x.scales == y.scales &&
         (!x.scales || (x.scales->count == 1 && x.scales->group == 0));
}

namespace {

struct Limits {
  float low = -INFINITY, high = INFINITY;
};
Limits limits_of(const xnn::Node& node) {
  const xnn::OutputMinMax* m = node.output_min_max();
  return m ? Limits{m->output_min(), m->output_max()} : Limits{};
}

}  // namespace

bool NodeCall::has_limits() const {
  const Limits l = limits_of(node_);
  return !(l.low == -INFINITY && l.high == INFINITY);
}

MLOperand NodeCall::clamped(MLOperand y) const {
  const Limits l = limits_of(node_);
  if (std::isnan(l.low) || std::isnan(l.high) || l.low > l.high)
    refuse(fail("output_min ({}) is not less than output_max ({})", l.low, l.high));
  if (!has_limits()) return y;
  if (l.low == 0 && l.high == INFINITY && types::floats.contains(y.dataType())) return b.relu(y);
  MLClampOptions o;
  if (l.low != -INFINITY) o.minValue = l.low;
  if (l.high != INFINITY) o.maxValue = l.high;
  return b.clamp(y, o);
}

void NodeCall::check_flags(std::uint32_t flags, std::uint32_t allowed) const {
  if (flags & ~(allowed | hints)) unsupported(fail("its flags ({}) are not known", flags));
}

void NodeCall::require_rank(const MLOperand& x, std::uint32_t rank) const {
  if (x.rank() != rank) refuse(fail("its input has shape {}, not {} dimensions", x.shape(), rank));
}

Handler handler_of(xnn::NodeUnion kind) {
  for (const auto family : {elementwise_handler, convolution_handler, pooling_handler,
                            product_handler, movement_handler})
    if (const Handler h = family(kind)) return h;
  return nullptr;
}

}  // namespace webnn::inline v0_1::executorch
