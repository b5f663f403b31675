#include "src/formats/onnx/export/integer_product.h"

#include <algorithm>
#include <cstring>

namespace webnn::inline v0_1::onnx::exporter {
namespace {

const ops::dequantizeLinear* dequantized(LoweringContext& s, const MLOperand& x) {
  const auto node = s.producer_of(x);
  const auto* op = node ? node->as<ops::dequantizeLinear>() : nullptr;
  const bool has_bytes = op && (op->input.dataType() == int8 || op->input.dataType() == uint8);
  return has_bytes && op->scale.dataType() == float32 ? op : nullptr;
}

/// An operand before it is reshaped, or one element of it that is repeated.
MLOperand source_of(LoweringContext& s, MLOperand x) {
  for (;;) {
    const auto node = s.producer_of(x);
    if (!node) return x;
    const auto* expand = node->as<ops::expand>();
    const bool repeats = expand && element_count(expand->input.shape()) == 1;
    if (!repeats && !node->as<ops::reshape>()) return x;
    x = node->input(0);
  }
}

bool is_one(const MLOperand& scale) {
  if (!scale.constant()) return false;
  const auto bytes = scale.constant()->bytes();
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(float)) {
    float v;
    std::memcpy(&v, &bytes[i], sizeof v);
    if (v != 1) return false;
  }
  return true;
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
  if (!left || !right || left->input.constant()) return std::nullopt;
  if (!has_one(left->scale) || !has_one(left->zeroPoint)) return std::nullopt;
  const MLOperand x_scale = source_of(s, left->scale), x_zero = source_of(s, left->zeroPoint),
                  w_scale = source_of(s, right->scale), w_zero = source_of(s, right->zeroPoint);
  if (x_scale.constant() && x_zero.constant()) return std::nullopt;
  const MLOperand& integers = right->input;
  if (!integers.constant() || !w_scale.constant() || !w_zero.constant()) return std::nullopt;
  const Dims& shape = integers.shape();
  if (!is_along(right->scale, shape, axis) || terms_of(shape, axis) > most_terms)
    return std::nullopt;
  const auto zeros = w_zero.constant()->bytes();
  const bool has_zeros = std::ranges::all_of(zeros, [](std::byte b) { return b == std::byte{}; });
  if (!has_zeros && !has_one(w_zero)) return std::nullopt;
  Emitter& e = s.e();
  IntegerProduct p{.x = s(left->input),
                   .x_zero = e.reshape(s(x_zero), {}),
                   .w = s(integers),
                   .channels = shape[axis]};
  if (!is_one(x_scale)) p.x_scale = e.reshape(s(x_scale), {});
  if (!is_one(w_scale)) p.w_scale = s(w_scale);
  if (!has_zeros) p.w_zero = e.reshape(s(w_zero), {});
  return p;
}

Value product_of_integers(Emitter& e, std::string_view node, const IntegerProduct& p, Value x,
                          Value w, const Dims& shape, const Dims& scales, Attributes attributes) {
  std::vector<Value> inputs{x, w, p.x_zero};
  if (p.w_zero) inputs.push_back(p.w_zero);
  const Value sums = e.node(node, std::move(inputs), int32, shape, std::move(attributes));
  const Value y = e.cast(sums, float32);
  Value w_scale = p.w_scale;
  if (w_scale) w_scale = e.reshape(w_scale, element_count(e.shape(w_scale)) == 1 ? Dims{} : scales);
  if (!p.x_scale || !w_scale) {
    const Value scale = w_scale ? w_scale : p.x_scale;
    return scale ? e.binary("Mul", y, scale) : y;
  }
  return e.binary("Mul", y, e.binary("Mul", p.x_scale, w_scale));
}

}  // namespace webnn::inline v0_1::onnx::exporter
