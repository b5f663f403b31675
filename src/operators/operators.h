// Operators that WebNN does not have, which importers use: custom operators that every context
// knows. Files name them as they name those of a caller. Private.
#pragma once

#include <span>

#include "webnn/custom.h"

namespace webnn::inline v0_1::operators {

using Definition = std::shared_ptr<const CustomOperator>;

/// What their names begin with; no operator of a caller may have such a name.
inline constexpr std::string_view domain = "webnn.";

/// All of them, by name.
std::span<const Definition> all();
/// With that version or, for 0, the highest one; null if there is none.
Definition find(std::string_view name, std::uint32_t version = 0);
/// Whether the library has made it: one of all(), or one of control.h.
bool is_of_library(const Definition& definition);

/// webnn.TopK: the `k` largest numbers along `axis` (from the end when negative: -1), or the
/// smallest ones, and their places, of `indexType` (int64, int32), in their order. Of equal ones
/// the first comes first; NaN is larger than all numbers.
const Definition& top_k();
/// webnn.Bitwise: `operation` and, or, xor of two operands with integers, which are broadcast, or
/// not, of one.
const Definition& bitwise();
/// webnn.GridSample: an image of [batch, channels, height, width] at the places of a grid of
/// [batch, height, width, 2], whose numbers, x before y, are from -1 to 1 within it, or one of
/// [batch, channels, depth, height, width] at those of [batch, depth, height, width, 3], x before y
/// before z. `mode` is linear, nearest, and in two dimensions cubic; `padding` is zeros, border,
/// reflection; with `alignCorners` -1 and 1 are the centers of the outermost elements.
const Definition& grid_sample();
/// webnn.ScatterElements: as scatterElements, where updates of one place are put together by
/// `reduction` add, mul, min, max with what is there, in the order of the indices.
const Definition& scatter_elements();
/// webnn.ScatterND: as scatterND, likewise.
const Definition& scatter_nd();
/// webnn.NonMaxSuppression: boxes of [batch, boxes, 4] and their scores of [batch, classes, boxes],
/// of which each class keeps those with the highest scores that do not overlap one of them. The
/// boxes have two corners, y before x, or with `center` x, y, width and height. Operands that may
/// follow are the overlap from which a box is left out (0), the score above which it is kept (minus
/// infinity: all) and the most boxes of a class; `maxPerClass` bounds them for the shape, 0 as all
/// boxes do. Results are batch, class and box of each in int64, [most, 3], with -1 behind them, and
/// their count.
const Definition& non_max_suppression();
/// webnn.NonZero: the places of the elements that are not 0, a row of int64 for each dimension,
/// with -1 behind them, and their count.
const Definition& non_zero();
/// webnn.Unique: the different slices along `axis`, or elements when `flat`, `sorted` or in their
/// order; where each is first; its place for each slice; how often it occurs; and their count.
/// Behind them are 0, -1 for the places, and 0.
const Definition& unique();
/// webnn.RoiAlign: regions, [regions, 4], x before y, of the images that indices name, pooled to
/// `height` by `width`. `mode` is avg or max of `samples` in each direction (0: one for each
/// element); regions are multiplied by `scale` and with `halfPixel` moved by half an element. The
/// result is 0 for an index that is none.
const Definition& roi_align();
/// webnn.CumulativeProduct: as cumulativeSum. Integers wrap around.
const Definition& cumulative_product();
/// webnn.Determinant of the matrices in the last two dimensions.
const Definition& determinant();
/// webnn.Col2Im: columns of blocks, [batch, channels x block, blocks], added at their places in an
/// image of `imageShape`. `pads` has all beginnings before all endings.
const Definition& col2im();
/// webnn.DeformColumns: what a window reads at each place of an image of [batch, channels, height,
/// width], moved by offsets of [batch, groups x window x 2, height, width], y before x, and
/// weighted by a mask: [batch, channels x window, height, width].
const Definition& deform_columns();
/// webnn.Random: numbers of `distribution` uniform, from `first` to below `second`, or normal, with
/// the mean `first` and the deviation `second`, in `type` float32, float16 or bfloat16. They have
/// `shape`, or that of the operand. Equal seeds give equal numbers.
const Definition& random();
/// webnn.FreshRandom: the same without a seed, other numbers in each run.
const Definition& fresh_random();
/// webnn.LinearAttention: query, key, value of [batch, steps, heads x size] and a state of [batch,
/// heads, size of a key, size of a value], which each step changes by `rule` linear, gated, delta
/// or gated_delta: with decays when gated, with betas for deltas, with weights of what is taken
/// back when it `erases`. Results are what the queries read, and the state.
const Definition& linear_attention();
/// webnn.DetectionPostProcess: detections of TensorFlow's object detection from boxes relative to
/// anchors, and scores: boxes, classes, scores, and their count, with 0 behind them.
const Definition& detection_post_process();
/// webnn.Narrow: numbers as a type has them that WebNN does not have, in the type of the operand.
/// float32 is rounded to `type` bfloat16, float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz,
/// float4e2m1 and float8e8m0 (with `roundMode` up, down, nearest), with `saturate` to the largest
/// number where it is beyond. int32 keeps the low bits of int16, uint16, int4, uint4, int2, uint2.
const Definition& narrow();

}  // namespace webnn::inline v0_1::operators
