// Blocks of an image and channels.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

std::uint32_t block_of(Call& c, const MLOperand& x) {
  c.require_rank(x, 4, 4);
  return c.dimension(c.integer("blocksize", 0), "blocksize");
}

void depth_to_space(Call& c) {
  const MLOperand x = c.x();
  const std::uint32_t n = block_of(c, x);
  const SizeList s = formats::sizes_of(x);
  const std::string_view mode = c.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") c.refuse(fail("its mode, {}", in_quotes(mode)));
  if (n > 0xffff || (s[1].is_known() && s[1].number() % (n * n) != 0))
    c.refuse(fail("blocksize ({}) does not divide the channels of {}", n, Call::shape_text(x)));
  const Size channels = s[1] / (n * n);
  const bool crd = mode == "CRD";
  const MLOperand blocks = crd ? c.reshape(x, {s[0], channels, n, n, s[2], s[3]})
                               : c.reshape(x, {s[0], n, n, channels, s[2], s[3]});
  const MLOperand y = c.b.transpose(
      blocks,
      {.permutation = crd ? Dims{0, 1, 4, 2, 5, 3} : Dims{0, 3, 4, 1, 5, 2}, .label = c.label()});
  c.put(c.reshape(y, {s[0], channels, s[2] * n, s[3] * n}));
}

void space_to_depth(Call& c) {
  const MLOperand x = c.x();
  const std::uint32_t n = block_of(c, x);
  const SizeList s = formats::sizes_of(x);
  for (const Size& side : {s[2], s[3]})
    if (side.is_known() && side.number() % n != 0)
      c.refuse(fail("blocksize ({}) does not divide {}", n, Call::shape_text(x)));
  const MLOperand blocks = c.reshape(x, {s[0], s[1], s[2] / n, n, s[3] / n, n});
  const MLOperand y =
      c.b.transpose(blocks, {.permutation = {0, 3, 5, 1, 2, 4}, .label = c.label()});
  c.put(c.reshape(y, {s[0], s[1] * n * n, s[2] / n, s[3] / n}));
}

constexpr Handler handlers[] = {
    {"DepthToSpace", &depth_to_space, 1, 1, 1, 1, "composed"},
    {"SpaceToDepth", &space_to_depth, 1, 1, 1, 1, "composed"},
};

}  // namespace

std::span<const Handler> space_to_depth_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
