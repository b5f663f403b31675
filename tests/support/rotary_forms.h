// The forms in which programs and exporters write a rotary position embedding out.
#pragma once

#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::test {

/// How the elements of the pairs are taken from rows.
enum class PairParts { slices, split, reshaped_slices, reshaped_split, gathered };

struct RotaryWritten {
  bool interleaved = false;
  bool by_pair = false;  ///< a * cos - b * sin and so on, with cos and sin for each pair
  PairParts parts = PairParts::slices;
  bool swapped = false;  ///< the operands of mul and add
  bool twice = false;    ///< the parts are taken for each reader
};

/// All that make sense: halves are slices or results of a split.
inline std::vector<RotaryWritten> rotary_forms() {
  std::vector<RotaryWritten> all;
  for (const bool interleaved : {false, true})
    for (const bool by_pair : {false, true})
      for (const PairParts parts : {PairParts::slices, PairParts::split, PairParts::reshaped_slices,
                                    PairParts::reshaped_split, PairParts::gathered}) {
        const bool halves = parts == PairParts::slices || parts == PairParts::split;
        if (!interleaved && !halves) continue;
        if (interleaved && parts == PairParts::split) continue;
        for (const bool swapped : {false, true})
          all.push_back({interleaved, by_pair, parts, swapped, swapped});
      }
  return all;
}

/// The first and the second elements of all pairs of x, [..., pairs].
inline std::pair<MLOperand, MLOperand> pair_parts(MLGraphBuilder& b, const MLOperand& x,
                                                  const RotaryWritten& w) {
  const std::uint32_t half = x.shape().back() / 2, last = x.rank() - 1;
  Dims shape = x.shape(), starts(x.rank(), 0), second = starts;
  shape.back() = half;
  if (w.parts == PairParts::split) {
    const auto both = b.split(x, 2, {.axis = last});
    return {both[0], both[1]};
  }
  if (w.parts == PairParts::slices) {
    Dims sizes = shape;
    second.back() = w.interleaved ? 1 : half;
    if (!w.interleaved) return {b.slice(x, starts, sizes), b.slice(x, second, sizes)};
    sizes.back() = 2 * half - 1;
    Dims strides(x.rank(), 1);
    strides.back() = 2;
    return {b.slice(x, starts, sizes, {.strides = strides}),
            b.slice(x, second, sizes, {.strides = strides})};
  }
  Dims pairs = shape, sizes = shape;
  pairs.push_back(2);
  sizes.push_back(1);
  const MLOperand y = b.reshape(x, pairs);
  if (w.parts == PairParts::gathered) {
    const auto at = [&](std::int64_t i) {
      return b.gather(y, b.constant({int64, {}}, std::vector<std::int64_t>{i}), {.axis = last + 1});
    };
    return {at(0), at(-1)};
  }
  starts.push_back(0);
  second.push_back(1);
  if (w.parts == PairParts::reshaped_slices)
    return {b.reshape(b.slice(y, starts, sizes), shape),
            b.reshape(b.slice(y, second, sizes), shape)};
  const auto both = b.split(y, 2, {.axis = last + 1});
  return {b.reshape(both[0], shape), b.reshape(both[1], shape)};
}

inline MLOperand joined_pairs(MLGraphBuilder& b, const MLOperand& first, const MLOperand& second,
                              const Dims& shape, bool interleaved) {
  const auto last = static_cast<std::uint32_t>(shape.size()) - 1;
  if (!interleaved) return b.concat({first, second}, last);
  Dims column = first.shape();
  column.push_back(1);
  return b.reshape(b.concat({b.reshape(first, column), b.reshape(second, column)}, last + 1),
                   shape);
}

/// cos and sin broadcast to x, or to the pairs of its rows.
inline MLOperand rotary_written(MLGraphBuilder& b, const MLOperand& x, const MLOperand& cos,
                                const MLOperand& sin, const RotaryWritten& w) {
  const auto product = [&](const MLOperand& p, const MLOperand& q) {
    return w.swapped ? b.mul(q, p) : b.mul(p, q);
  };
  const auto sum = [&](const MLOperand& p, const MLOperand& q) {
    return w.swapped ? b.add(q, p) : b.add(p, q);
  };
  const auto [first, second] = pair_parts(b, x, w);
  if (!w.by_pair) {
    const MLOperand turned = joined_pairs(b, b.neg(second), first, x.shape(), w.interleaved);
    return sum(product(x, cos), product(turned, sin));
  }
  const auto [again, second_again] = w.twice ? pair_parts(b, x, w) : std::pair(first, second);
  const MLOperand real = b.sub(product(first, cos), product(second, sin));
  const MLOperand imaginary = sum(product(again, sin), product(second_again, cos));
  return joined_pairs(b, real, imaginary, x.shape(), w.interleaved);
}

}  // namespace webnn::inline v0_1::test
