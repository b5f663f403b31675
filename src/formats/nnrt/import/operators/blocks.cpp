// Blocks of pixels that become channels or images, and back.
#include <algorithm>

#include "src/formats/nnrt/import/importer.h"

namespace webnn::inline v0_1::nnrt {
namespace {

/// [n, h, w, b * b * c] to [n, h * b, w * b, c], and back.
void depth_to_space(Call& c, const DepthToSpace& a) {
  const bool nchw = a.format == Format::FORMAT_NCHW;
  if (a.mode != "DCR" && !a.mode.empty() && a.mode != "CRD")
    c.refuse(fail("its mode is {}", in_quotes(a.mode)));
  const bool crd = a.mode == "CRD";
  c.move([&](const MLOperand& given) {
    c.require_rank(given, 4);
    const MLOperand x = nchw ? c.b.transpose(given, {.permutation = {0, 2, 3, 1}}) : given;
    const Dims s = x.shape();
    const std::uint32_t b = c.dimension(a.blockSize, "blockSize");
    if (b == 0 || b > s[3] || s[3] % (b * b) != 0)
      c.refuse(fail("blockSize ({}) does not divide the {} channels twice", b, s[3]));
    const std::uint32_t channels = s[3] / (b * b);
    const MLOperand apart = crd ? c.b.transpose(c.b.reshape(x, {s[0], s[1], s[2], channels, b, b}),
                                                {.permutation = {0, 1, 4, 2, 5, 3}})
                                : c.b.transpose(c.b.reshape(x, {s[0], s[1], s[2], b, b, channels}),
                                                {.permutation = {0, 1, 3, 2, 4, 5}});
    const MLOperand y = c.b.reshape(apart, {s[0], s[1] * b, s[2] * b, channels});
    return nchw ? c.b.transpose(y, {.permutation = {0, 3, 1, 2}}) : y;
  });
}
void space_to_depth(Call& c, const SpaceToDepth& a) {
  const bool nchw = a.format == Format::FORMAT_NCHW;
  c.move([&](const MLOperand& given) {
    c.require_rank(given, 4);
    const MLOperand x = nchw ? c.b.transpose(given, {.permutation = {0, 2, 3, 1}}) : given;
    const Dims s = x.shape();
    const std::uint32_t b = c.dimension(a.blockSize, "blockSize");
    if (b == 0 || s[1] % b != 0 || s[2] % b != 0)
      c.refuse(fail("blockSize ({}) does not divide {}", b, s));
    const MLOperand split = c.b.reshape(x, {s[0], s[1] / b, b, s[2] / b, b, s[3]});
    const MLOperand y = c.b.reshape(c.b.transpose(split, {.permutation = {0, 1, 3, 2, 4, 5}}),
                                    {s[0], s[1] / b, s[2] / b, b * b * s[3]});
    return nchw ? c.b.transpose(y, {.permutation = {0, 3, 1, 2}}) : y;
  });
}

/// The sizes of a block, and what is cropped or padded: top, bottom, left, right.
struct Blocks {
  std::uint32_t height, width;
  Dims borders;
};
Blocks blocks_of(const Call& c, const List& shape, const std::vector<List>& pairs) {
  const Dims sizes = c.dimensions(shape, 2, "blockShape");
  Dims borders;
  for (const List& pair : pairs)
    for (const std::uint32_t v : c.dimensions(pair, 2, "a pair of borders")) borders.push_back(v);
  if (borders.empty()) borders = {0, 0, 0, 0};
  if (borders.size() != 4) c.refuse(fail("it has {} pairs of borders", pairs.size()));
  if (std::min(sizes[0], sizes[1]) == 0) c.refuse(fail("its blocks have the sizes {}", sizes));
  return {sizes[0], sizes[1], std::move(borders)};
}
/// f on an image [batch, height, width, channels].
template <class F> void on_image(Call& c, F&& f) {
  const bool nchw = c.in(0).format == Format::FORMAT_NCHW;
  c.move([&](const MLOperand& x) {
    c.require_rank(x, 4);
    if (!nchw) return f(x);
    return c.b.transpose(f(c.b.transpose(x, {.permutation = {0, 2, 3, 1}})),
                         {.permutation = {0, 3, 1, 2}});
  });
}
void batch_to_space(Call& c, const BatchToSpaceND& a) {
  const Blocks k = blocks_of(c, a.blockShape, a.crops);
  on_image(c, [&](const MLOperand& x) {
    const Dims s = x.shape();
    const std::uint64_t block = std::uint64_t{k.height} * k.width;
    if (s[0] % block != 0)
      c.refuse(fail("blocks of {} by {} do not divide the batch of {}", k.height, k.width, s[0]));
    const auto batch = static_cast<std::uint32_t>(s[0] / block);
    const MLOperand apart = c.b.reshape(x, {k.height, k.width, batch, s[1], s[2], s[3]});
    const std::uint64_t height = std::uint64_t{s[1]} * k.height,
                        width = std::uint64_t{s[2]} * k.width;
    const MLOperand all =
        c.b.reshape(c.b.transpose(apart, {.permutation = {2, 3, 0, 4, 1, 5}}),
                    {batch, c.dimension(static_cast<std::int64_t>(height), "the height"),
                     c.dimension(static_cast<std::int64_t>(width), "the width"), s[3]});
    const auto& [top, bottom, left, right] =
        std::tie(k.borders[0], k.borders[1], k.borders[2], k.borders[3]);
    if (std::uint64_t{top} + bottom >= height || std::uint64_t{left} + right >= width)
      c.refuse(fail("crops of {} leave nothing of {}", k.borders, all.shape()));
    const auto rows = static_cast<std::uint32_t>(height - top - bottom),
               columns = static_cast<std::uint32_t>(width - left - right);
    return c.b.slice(all, {0, top, left, 0}, {batch, rows, columns, s[3]}, {.label = c.label()});
  });
}
void space_to_batch(Call& c, const SpaceToBatchND& a) {
  const Blocks k = blocks_of(c, a.blockShape, a.paddings);
  on_image(c, [&](const MLOperand& given) {
    const auto& p = k.borders;
    // A quantized 0 is the zero point.
    const double zero = c.in(0).quantParams.empty() || types::floats.contains(given.dataType())
                            ? 0
                            : static_cast<double>(c.in(0).quantParams[0].zeroPoint);
    const MLOperand x = c.b.pad(given, {0, p[0], p[2], 0}, {0, p[1], p[3], 0}, {.value = zero});
    const Dims s = x.shape();
    if (s[1] % k.height != 0 || s[2] % k.width != 0)
      c.refuse(fail("blocks of {} by {} do not divide {}", k.height, k.width, s));
    const std::uint32_t rows = s[1] / k.height, columns = s[2] / k.width;
    const MLOperand apart = c.b.reshape(x, {s[0], rows, k.height, columns, k.width, s[3]});
    const std::uint64_t batch = std::uint64_t{s[0]} * k.height * k.width;
    return c.b.reshape(
        c.b.transpose(apart, {.permutation = {2, 4, 0, 1, 3, 5}}),
        {c.dimension(static_cast<std::int64_t>(batch), "the batch"), rows, columns, s[3]},
        {.label = c.label()});
  });
}

using enum NodeType;
constexpr Rule rules[] = {
    {NODE_TYPE_DEPTH_TO_SPACE, handle<DepthToSpace, depth_to_space>, 1, 1},
    {NODE_TYPE_SPACE_TO_DEPTH, handle<SpaceToDepth, space_to_depth>, 1, 1},
    {NODE_TYPE_BATCH_TO_SPACE_ND, handle<BatchToSpaceND, batch_to_space>, 1, 1},
    {NODE_TYPE_SPACE_TO_BATCH_ND, handle<SpaceToBatchND, space_to_batch>, 1, 1},
};

}  // namespace

std::span<const Rule> block_rules() { return rules; }

}  // namespace webnn::inline v0_1::nnrt
