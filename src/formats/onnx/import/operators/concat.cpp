// Tensors put together and taken apart.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

void concat(Call& c) {
  const std::size_t rank = c.shape(0).size();
  const std::uint32_t axis = c.axis(c.integer("axis", 1), rank);
  std::vector<MLOperand> parts;
  ops::Sizes shape = c.shape(0);
  for (std::size_t i = 0; i < c.inputs(); ++i) {
    if (!c.empty(i)) parts.push_back(c.x(i));
    const ops::Sizes next = c.shape(i);
    if (next.size() != rank) c.refuse(fail("its inputs have different ranks"));
    for (std::size_t d = 0; d < rank; ++d)
      if (d != axis && next[d] != shape[d])
        c.refuse(fail("dimension {} of its inputs is {} and {}", d, shape[d], next[d]));
    if (i > 0) shape[axis] += next[axis];
  }
  if (parts.empty()) return c.put_empty(shape, c.type(0));
  c.put_like(0, c.b.concat(parts, axis, {.label = c.label()}));
}

void split(Call& c) {
  const MLOperand x = c.x();
  if (x.rank() == 0) c.refuse(fail("its input is a scalar"));
  const std::uint32_t axis = c.axis(c.integer("axis", 0), x.rank());
  const std::int64_t whole = x.shape()[axis];
  std::optional<Ints> sizes = c.version() < 13 ? c.ints("split") : std::nullopt;
  if ((c.version() >= 13 || c.version() == 1) && c.has(1)) sizes = c.ints(1);
  if (!sizes) {
    const auto n = c.integer("num_outputs", static_cast<std::int64_t>(c.outputs()));
    if (n != static_cast<std::int64_t>(c.outputs()))
      c.refuse(fail("num_outputs ({}) is not the number of outputs ({})", n, c.outputs()));
    const std::int64_t each = (whole + n - 1) / n;
    sizes.emplace();
    // The last part is smaller when the axis cannot be divided.
    for (std::int64_t i = 0; i < n; ++i)
      sizes->push_back(std::clamp<std::int64_t>(whole - i * each, 0, each));
  }
  if (sizes->size() != c.outputs())
    c.refuse(fail("it has {} sizes and {} outputs", sizes->size(), c.outputs()));
  std::int64_t start = 0;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    const std::int64_t size = (*sizes)[i];
    if (size < 0 || size > whole - start)
      c.refuse(fail("the sizes of the parts do not add up to dimension {} ({})", axis, whole));
    if (size == 0) {
      ops::Sizes shape = c.shape(0);
      shape[axis] = 0;
      c.put_empty(shape, x.dataType(), i);
      continue;
    }
    Dims starts(x.rank(), 0), window = x.shape();
    starts[axis] = static_cast<std::uint32_t>(start);
    window[axis] = static_cast<std::uint32_t>(size);
    c.put_like(0, c.b.slice(x, starts, window, {.label = c.label()}), i);
    start += size;
  }
  if (start != whole)
    c.refuse(fail("the sizes of the parts do not add up to dimension {} ({})", axis, whole));
}

constexpr Handler handlers[] = {
    {"Concat", &concat, 1, 1, many},
    {"Split", &split, 1, 1, 2, many, "the sizes are known"},
};

}  // namespace

std::span<const Handler> concat_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
