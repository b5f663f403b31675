#include "src/formats/onnx/import/window.h"

namespace webnn::inline v0_1::onnx {
namespace {

constexpr std::int64_t most = 0x7fffffff;

Ints list(const Call& c, std::string_view name, std::size_t length, std::int64_t fallback,
          std::int64_t min) {
  Ints values = c.ints(name).value_or(Ints(length, fallback));
  if (values.size() != length)
    c.refuse(fail("its attribute {} has {} values, not {}", name, values.size(), length));
  for (std::int64_t v : values)
    if (v < min || v > most) c.refuse(fail("its attribute {} has {}", name, v));
  return values;
}

}  // namespace

SizeList spatial_sizes(const Call& c, const MLOperand& x) {
  if (x.rank() < 3)
    c.refuse(fail("its input has shape {}, without spatial dimensions", Call::shape_text(x)));
  SizeList sizes = formats::sizes_of(x);
  sizes.erase(sizes.begin(), sizes.begin() + 2);
  return sizes;
}

MLOperand with_open_pads(const Call& c, const MLOperand& x, Window& w, MLNumber value) {
  if (formats::are_known(w.before) && formats::are_known(w.after)) return x;
  SizeList before{0, 0}, after{0, 0};
  before.insert(before.end(), w.before.begin(), w.before.end());
  after.insert(after.end(), w.after.begin(), w.after.end());
  w.before.assign(w.rank(), 0);
  w.after.assign(w.rank(), 0);
  return formats::pad(c.b, x, before, after, {.value = value});
}

Ints kernel_of(const Call& c, std::size_t spatial, const MLOperand* filter) {
  Ints kernel;
  if (filter) {
    if (filter->rank() != spatial + 2)
      c.refuse(fail("the filter has rank {}, the input {}", filter->rank(), spatial + 2));
    for (std::uint32_t d = 2; d < filter->rank(); ++d)
      kernel.push_back(Size::dimension(*filter, d).number());
    if (const auto given = c.ints("kernel_shape"); given && *given != kernel)
      c.refuse(fail("kernel_shape is not that of the filter"));
    return kernel;
  }
  if (!c.has_attribute("kernel_shape")) c.refuse(fail("it has no kernel_shape"));
  return list(c, "kernel_shape", spatial, 1, 1);
}

Window window_of(const Call& c, const Ints& kernel, const SizeList& sizes, bool transposed) {
  const std::size_t n = kernel.size();
  Window w{kernel, list(c, "strides", n, 1, 1), list(c, "dilations", n, 1, 1), SizeList(n, 0),
           SizeList(n, 0)};
  const std::string_view automatic = c.text("auto_pad", "NOTSET");
  const Ints pads = list(c, "pads", 2 * n, 0, transposed ? -most : 0);
  if (automatic == "NOTSET" || automatic.empty() || transposed) {
    for (std::size_t i = 0; i < n; ++i) {
      w.before[i] = pads[i];
      w.after[i] = pads[n + i];
    }
  } else if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t stride = w.strides[i], extent = w.extent(i);
      const Size out = (sizes[i] + (stride - 1)) / stride;
      const Size total =
          stride == 1 ? Size(extent - 1) : max((out - 1) * stride + extent - sizes[i], 0);
      w.before[i] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
      w.after[i] = total - w.before[i];
    }
  } else if (automatic != "VALID") {
    c.refuse(fail("its attribute auto_pad, {}, is unknown", in_quotes(automatic)));
  }
  return w;
}

}  // namespace webnn::inline v0_1::onnx
