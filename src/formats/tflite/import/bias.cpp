#include "src/formats/tflite/import/bias.h"

#include <cstring>

#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

/// INT64 as INT32, which the products of 16 and 8 bits never exceed in practice.
MLOperand narrowed(const Call& call, const MLOperand& bias) {
  if (!bias.constant()) call.unsupported("a bias of INT64 that is not constant");
  const auto bytes = bias.constant()->bytes();
  call.spend(bytes.size() / 2);
  std::vector<std::int32_t> values(bytes.size() / 8);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int64_t v = 0;
    std::memcpy(&v, &bytes[i * 8], 8);
    if (v < INT32_MIN || v > INT32_MAX)
      call.unsupported(fail("a bias ({}) of INT64 that exceeds 32 bits", v));
    values[i] = static_cast<std::int32_t>(v);
  }
  return call.b.constant({int32, bias.shape()}, values);
}

}  // namespace

std::optional<MLOperand> bias_of(const Call& call, std::size_t i, std::size_t x, std::size_t filter,
                                 std::uint32_t channels) {
  if (!call.has(i)) return std::nullopt;
  MLOperand bias = call.stored(i);
  if (element_count(bias.shape()) != channels)
    call.refuse(fail("the bias, {}, has shape {}, but there are {} channels", call.in(i).text(),
                     bias.shape(), channels));
  bias = call.reshaped(bias, Dims{channels});
  if (types::floats.contains(bias.dataType())) return bias;
  if (bias.dataType() == int64) bias = narrowed(call, bias);
  const auto &x_scales = call.in(x).scales, &f_scales = call.in(filter).scales;
  if (bias.dataType() != int32 || !x_scales || !f_scales || x_scales->scale.size() != 1)
    call.refuse(fail("the bias, {}, is {}, but input and filter are not quantized per tensor",
                     call.in(i).text(), name_of_type(call.in(i).type)));
  const auto of_filter = f_scales->scale;
  if (of_filter.size() != 1 && of_filter.size() != channels)
    call.refuse(fail("the filter has {} scales for {} channels", of_filter.size(), channels));
  std::vector<float> scale;
  for (float s : of_filter)
    scale.push_back(static_cast<float>(static_cast<double>(x_scales->scale[0]) * s));
  const auto n = static_cast<std::uint32_t>(scale.size());
  return call.b.dequantizeLinear(
      bias, call.floats({n}, scale),
      call.int32s({n}, std::vector<std::int32_t>(n, static_cast<std::int32_t>(0))));
}

}  // namespace webnn::inline v0_1::tflite
