// Blocks put back into an image.
#include "src/formats/onnx/import/call.h"
#include "src/operators/operators.h"

namespace webnn::inline v0_1::onnx {
namespace {

void col2im(Call& c) {
  const auto list = [&](std::string_view name) { return c.ints(name).value_or(Ints()); };
  c.put(c.b.custom(operators::col2im(), {c.x()},
                   {.attributes = {{"imageShape", c.ints(1)},
                                   {"blockShape", c.ints(2)},
                                   {"dilations", list("dilations")},
                                   {"strides", list("strides")},
                                   {"pads", list("pads")}},
                    .label = c.label()})[0]);
}

/// The elements of a pooled image at the places that an operand gives, in the image as it was.
void max_unpool(Call& c) {
  const MLOperand x = c.x();
  c.require_rank(x, 3, max_rank);
  const ops::Sizes sizes = c.shape(0);
  const std::size_t n = sizes.size() - 2;
  const auto list = [&](std::string_view name, std::size_t count, std::int64_t fallback) {
    const Ints all = c.ints(name).value_or(Ints(count, fallback));
    if (all.size() != count) c.refuse(fail("{} has {} numbers, not {}", name, all.size(), count));
    for (const std::int64_t v : all)
      if (v < fallback || v > 0x7fffffff) c.refuse(fail("{} has {}", name, v));
    return all;
  };
  if (!c.has_attribute("kernel_shape")) c.refuse(fail("it has no kernel_shape"));
  const Ints kernel = list("kernel_shape", n, 1), strides = list("strides", n, 1),
             pads = list("pads", 2 * n, 0);
  c.require_shape(c.x(1), x, "indices");
  SizeList shape{sizes[0], sizes[1]}, more(sizes.size(), 0);
  std::uint64_t elements = sizes[0] * sizes[1];
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t size = (static_cast<std::int64_t>(sizes[2 + i]) - 1) * strides[i] - pads[i] -
                              pads[n + i] + kernel[i];
    elements *= c.dimension(size);
    if (elements > max_tensor_byte_length)
      c.unsupported(fail("its result has {} elements", elements));
    shape.push_back(size);
  }
  const Size all = static_cast<std::int64_t>(elements);
  c.check_places(1, {all});
  const Size count = product(formats::sizes_of(x));
  const MLOperand zeros = c.expand(c.scalar_like(x, 0), {all});
  MLOperand y = c.b.scatterElements(zeros, c.reshaped(c.x(1), {count}), c.reshaped(x, {count}),
                                    {.axis = 0, .label = c.label()});
  y = c.reshaped(y, shape);
  if (!c.has(2)) return c.put(y);
  const Ints given = c.ints(2);
  if (given.size() != shape.size())
    c.refuse(fail("output_shape has {} numbers, not {}", given.size(), shape.size()));
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] < shape[i].number())
      c.refuse(fail("output_shape has {} where the image has {}", given[i], shape[i].number()));
    c.dimension(given[i]);
    more[i] = given[i] - shape[i].number();
  }
  c.put(formats::pad(c.b, y, SizeList(shape.size(), 0), more));
}

constexpr Handler handlers[] = {
    {"Col2Im", &col2im, 18, 3, 3, 1, "as webnn.Col2Im; the shapes are known"},
    {"MaxUnpool", &max_unpool, 9, 2, 3, 1, "composed; sizes are known"},
};

}  // namespace

std::span<const Handler> col2im_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
