// webnn.Narrow: elements as a narrower type has them, in the type of the operand.
#include <algorithm>

#include "src/operators/narrow_types.h"
#include "src/operators/operators.h"
#include "src/operators/tiles.h"

namespace webnn::inline v0_1::operators {
namespace {

constexpr std::string_view power_of_two = "float8e8m0";

std::vector<MLOperandDescriptor> infer(const CustomCall& call) {
  require_operands(call, 1, 1);
  const auto type = call.attribute<std::string>("type");
  const auto mode = call.attribute<std::string>("roundMode");
  const MLOperandDataType x = call.inputs[0].dataType;
  const bool integer = narrow_integer(type) != nullptr;
  if (!integer && !narrow_float(type) && type != power_of_two)
    refuse(fail("type (\"{}\") is not that of numbers of at most 16 bits", escaped(type)));
  if (x != (integer ? int32 : float32)) refuse(fail("the data type of its operand is {}", x));
  if (mode != "up" && mode != "down" && mode != "nearest")
    refuse(fail("roundMode (\"{}\") is not one of up, down, nearest", escaped(mode)));
  return call.inputs;
}

/// As many of its low bits as the type has.
std::int32_t wrapped(std::int32_t v, const NarrowInteger& type) {
  const std::int64_t count = std::int64_t{1} << type.bits, low = v & (count - 1);
  return static_cast<std::int32_t>(low > type.high() ? low - count : low);
}

template <class T, class F> Candidate kernel_of(std::size_t elements, F f) {
  const int each = rows_of_a_tile(16);
  return {.name = "narrow",
          .tiles = tiles_of(elements, each),
          .in_place = {0},
          .run = [=](Range r, const Buffers& b, std::byte*) {
            const auto n = static_cast<std::size_t>(each);
            const std::size_t end = std::min(elements, static_cast<std::size_t>(r.end) * n);
            for (auto i = static_cast<std::size_t>(r.begin) * n; i < end; ++i)
              b.out<T>()[i] = f(b.in<T>()[i]);
          }};
}

Lowering lower(const CustomCall& call) {
  const auto type = call.attribute<std::string>("type");
  const auto mode = call.attribute<std::string>("roundMode");
  const bool saturates = call.attribute<bool>("saturate");
  const std::size_t n = element_count(call.inputs[0].shape);
  if (const NarrowInteger* integer = narrow_integer(type))
    return kernel_of<std::int32_t>(n, [=](std::int32_t v) { return wrapped(v, *integer); });
  if (const NarrowFloat* narrow = narrow_float(type))
    return kernel_of<float>(n, [=](float v) { return narrow->rounded(v, saturates); });
  return kernel_of<float>(n, [=](float v) { return rounded_e8m0(v, mode, saturates); });
}

}  // namespace

const Definition& narrow() {
  static const Definition one =
      custom_operator({.name = "webnn.Narrow",
                       .attributes = {{"type", {}}, {"saturate", true}, {"roundMode", "up"}},
                       .infer = &infer,
                       .compute = computed_by(&lower),
                       .lower = &lower,
                       .transposed = [](const CustomCall& call, const Dims&) {
                         return std::optional(call.attributes);
                       }});
  return one;
}

}  // namespace webnn::inline v0_1::operators
