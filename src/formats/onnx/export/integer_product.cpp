#include "src/formats/onnx/export/integer_product.h"

#include <algorithm>

namespace webnn::inline v0_1::onnx::exporter {
namespace {

const ops::dequantizeLinear* dequantized(LoweringContext& s, const MLOperand& x) {
  const auto node = s.producer_of(x);
  const auto* op = node ? node->as<ops::dequantizeLinear>() : nullptr;
  const bool has_bytes = op && (op->input.dataType() == int8 || op->input.dataType() == uint8);
  return has_bytes && op->scale.dataType() == float32 ? op : nullptr;
}

/// An operand of one element, before it is reshaped.
Value scalar(LoweringContext& s, MLOperand x) {
  for (;;) {
    const auto node = s.producer_of(x);
    const auto* op = node ? node->as<ops::reshape>() : nullptr;
    if (!op) return s.e().reshape(s(x), {});
    x = op->input;
  }
}

bool has_one(const MLOperand& x) { return element_count(x.shape()) == 1; }

/// Whether there is one element for each index of an axis, or one for all.
bool is_along(const MLOperand& scale, const Dims& shape, std::uint32_t axis) {
  if (has_one(scale)) return true;
  return scale.rank() == shape.size() && scale.shape()[axis] == shape[axis] &&
         element_count(scale.shape()) == shape[axis];
}

/// The terms of a sum.
std::uint64_t terms_of(const Dims& w, std::uint32_t axis) {
  return element_count(w) / std::max(w[axis], 1u);
}

}  // namespace

std::optional<IntegerProduct> integer_product(LoweringContext& s, const MLOperand& x,
                                              const MLOperand& w, std::uint32_t axis) {
  constexpr std::uint64_t most_terms = (std::uint64_t{1} << 31) / (255 * 255);
  const auto *left = dequantized(s, x), *right = dequantized(s, w);
  if (!left || !right || left->input.constant() || left->scale.constant()) return std::nullopt;
  if (!has_one(left->scale) || !has_one(left->zeroPoint)) return std::nullopt;
  const MLOperand &integers = right->input, &zero = right->zeroPoint;
  if (!integers.constant() || !right->scale.constant() || !zero.constant()) return std::nullopt;
  const Dims& shape = integers.shape();
  if (!is_along(right->scale, shape, axis) || terms_of(shape, axis) > most_terms)
    return std::nullopt;
  const auto zeros = zero.constant()->bytes();
  const bool has_zeros = std::ranges::all_of(zeros, [](std::byte b) { return b == std::byte{}; });
  if (!has_zeros && !has_one(zero)) return std::nullopt;
  Emitter& e = s.e();
  IntegerProduct p{.x = s(left->input),
                   .x_scale = scalar(s, left->scale),
                   .x_zero = scalar(s, left->zeroPoint),
                   .w = s(integers),
                   .w_scale = s(right->scale),
                   .channels = shape[axis]};
  if (!has_zeros) p.w_zero = e.reshape(s(zero), {});
  return p;
}

Value product_of_integers(Emitter& e, std::string_view node, const IntegerProduct& p, Value x,
                          Value w, const Dims& shape, const Dims& scales, Attributes attributes) {
  std::vector<Value> inputs{x, w, p.x_zero};
  if (p.w_zero) inputs.push_back(p.w_zero);
  const Value sums = e.node(node, std::move(inputs), int32, shape, std::move(attributes));
  const bool has_one = element_count(e.shape(p.w_scale)) == 1;
  const Value scale = e.binary("Mul", p.x_scale, e.reshape(p.w_scale, has_one ? Dims{} : scales));
  return e.binary("Mul", e.cast(sums, float32), scale);
}

}  // namespace webnn::inline v0_1::onnx::exporter
