#include "src/formats/tflite/import/paddings.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

/// With zeros: of a quantized tensor, its zero point.
void pad(Call& c) {
  const MLOperand x = c.stored(0);
  const Paddings p = paddings_of(c, 1, x.rank());
  c.put_stored(
      formats::pad(c.b, x, p.before, p.after, {.value = zero_of(c.out()), .label = c.label()}));
}

/// With a value of the type of the stored elements.
void pad_v2(Call& c) {
  const MLOperand x = c.stored(0);
  const Paddings p = paddings_of(c, 1, x.rank());
  const MLNumber value = c.has(2) ? c.number(2) : zero_of(c.out());
  c.put_stored(formats::pad(c.b, x, p.before, p.after, {.value = value, .label = c.label()}));
}

/// SYMMETRIC repeats the border: the reversed ends are joined to the tensor. Whether there are any
/// has to be known.
MLOperand symmetric(const Call& c, MLOperand x, const Paddings& p) {
  for (std::uint32_t d = 0; d < x.rank(); ++d) {
    const Size size = Size::dimension(x, d);
    const std::int64_t before = p.before[d].number(), after = p.after[d].number();
    if (size.is_known() && std::max(before, after) > size.number())
      c.refuse(fail("a padding of dimension {} is greater than {}", d, size.text()));
    const auto end_of = [&](const Size& start, std::int64_t count) {
      SizeList starts(x.rank(), 0), sizes = formats::sizes_of(x);
      starts[d] = start;
      sizes[d] = count;
      return c.b.reverse(formats::slice(c.b, x, starts, sizes), {.axes = {d}});
    };
    std::vector<MLOperand> parts;
    if (before > 0) parts.push_back(end_of(0, before));
    parts.push_back(x);
    if (after > 0) parts.push_back(end_of(size - after, after));
    if (parts.size() > 1) x = c.b.concat(parts, d);
  }
  return x;
}

void mirror_pad(Call& c) {
  const auto o = c.options<schema::MirrorPadOptionsT>();
  const MLOperand x = c.stored(0);
  const Paddings p = paddings_of(c, 1, x.rank());
  if (o.mode == schema::MirrorPadMode::SYMMETRIC) return c.put_stored(symmetric(c, x, p));
  if (o.mode != schema::MirrorPadMode::REFLECT)
    c.refuse(fail("the mode ({}) is not one of the format", static_cast<int>(o.mode)));
  c.put_stored(formats::pad(c.b, x, p.before, p.after,
                            {.mode = MLPaddingMode::reflection, .label = c.label()}));
}

constexpr Handler handlers[] = {
    {Code::PAD, pad, 2, 2},
    {Code::PADV2, pad_v2, 2, 3},
    {Code::MIRROR_PAD, mirror_pad, 2, 2},
};

}  // namespace

std::span<const Handler> pad_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
