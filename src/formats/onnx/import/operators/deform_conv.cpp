// Convolutions whose windows are moved by data: what they read, and a convolution of 1 x 1.
#include "src/formats/onnx/import/call.h"
#include "src/operators/operators.h"

namespace webnn::inline v0_1::onnx {
namespace {

void deform_conv(Call& c) {
  const MLOperand x = c.x(), filter = c.x(1);
  c.require_rank(x, 4, 4);
  c.require_rank(filter, 4, 4);
  const ops::Sizes filters = c.shape(1);
  const std::int64_t groups = c.integer("group", 1);
  if (groups < 1 || filters[0] % static_cast<std::uint64_t>(groups) != 0)
    c.refuse(fail("group ({}) does not divide the {} filters", groups, filters[0]));
  const Ints window{static_cast<std::int64_t>(filters[2]), static_cast<std::int64_t>(filters[3])};
  if (c.ints("kernel_shape").value_or(window) != window)
    c.refuse(fail("kernel_shape is not that of the filters"));
  const auto list = [&](std::string_view name) { return c.ints(name).value_or(Ints()); };
  std::vector<MLOperand> operands{x, c.x(2)};
  if (c.has(4)) operands.push_back(c.x(4));
  const MLOperand columns =
      c.b.custom(operators::deform_columns(), std::move(operands),
                 {.attributes = {{"windowDimensions", window},
                                 {"strides", list("strides")},
                                 {"dilations", list("dilations")},
                                 {"pads", list("pads")},
                                 {"offsetGroups", c.integer("offset_group", 1)}},
                  .label = c.label()})[0];
  const MLOperand flat =
      c.reshaped(filter, SizeList{filters[0], filters[1] * filters[2] * filters[3], 1, 1});
  c.put(c.b.conv2d(
      columns, flat,
      {.groups = static_cast<std::uint32_t>(groups), .bias = c.optional(3), .label = c.label()}));
}

constexpr Handler handlers[] = {
    {"DeformConv", &deform_conv, 19, 3, 5, 1, "as webnn.DeformColumns and conv2d; two dimensions"},
};

}  // namespace

std::span<const Handler> deform_conv_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
