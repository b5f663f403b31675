// The forms in which programs and exporters write attention out.
#pragma once

#include <limits>

#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::test {

enum class ScaleAt { nowhere, queries, keys, both, scores };
enum class MaskBy { nothing, add, where, where_other, where_and_add };
/// How keys lie: as the product reads them, [batch, heads, terms, inner], or [batch, terms, heads,
/// inner].
enum class KeysAs { columns, rows, sequence };
/// How several heads of queries have the same keys and values: there are none; they are expanded,
/// tiled or gathered, before or after keys are transposed; they broadcast in five dimensions; or
/// the heads of queries are more rows, and the scores are reshaped for the mask.
enum class GroupBy { nothing, expand, expand_late, tile, gather, broadcast, rows };

struct AttentionWritten {
  ScaleAt scale = ScaleAt::scores;
  bool divides = false;
  MaskBy mask = MaskBy::add;
  KeysAs keys = KeysAs::columns;
  GroupBy groups = GroupBy::nothing;
  bool swapped = false;  ///< the operands of mul and add
};

struct AttentionSizes {
  std::uint32_t batch = 2, key_heads = 2, times = 2, rows = 9, inner = 8, terms = 20, columns = 5;
  double factor = 0.75;
};

struct AttentionOperands {
  MLOperand queries, keys, values;
  MLOperand mask, condition;  ///< null: none. [1, 1, 1, terms] and [rows, terms]
};

inline bool is_grouped(const AttentionWritten& w) { return w.groups != GroupBy::nothing; }
inline Dims query_shape(const AttentionWritten& w, const AttentionSizes& s) {
  if (w.groups == GroupBy::broadcast) return {s.batch, s.key_heads, s.times, s.rows, s.inner};
  if (w.groups == GroupBy::rows) return {s.batch, s.key_heads, s.times * s.rows, s.inner};
  return {s.batch, s.key_heads * (is_grouped(w) ? s.times : 1), s.rows, s.inner};
}
inline Dims key_shape(const AttentionWritten& w, const AttentionSizes& s) {
  if (w.groups == GroupBy::broadcast)
    return w.keys == KeysAs::columns ? Dims{s.batch, s.key_heads, 1, s.inner, s.terms}
                                     : Dims{s.batch, s.key_heads, 1, s.terms, s.inner};
  if (w.keys == KeysAs::sequence) return {s.batch, s.terms, s.key_heads, s.inner};
  return w.keys == KeysAs::columns ? Dims{s.batch, s.key_heads, s.inner, s.terms}
                                   : Dims{s.batch, s.key_heads, s.terms, s.inner};
}
inline Dims value_shape(const AttentionWritten& w, const AttentionSizes& s) {
  if (w.groups == GroupBy::broadcast) return {s.batch, s.key_heads, 1, s.terms, s.columns};
  return {s.batch, s.key_heads, s.terms, s.columns};
}

inline std::vector<AttentionWritten> attention_forms() {
  std::vector<AttentionWritten> all;
  bool swapped = false, divides = false;
  for (const ScaleAt scale :
       {ScaleAt::nowhere, ScaleAt::queries, ScaleAt::keys, ScaleAt::both, ScaleAt::scores})
    for (const MaskBy mask :
         {MaskBy::nothing, MaskBy::add, MaskBy::where, MaskBy::where_other, MaskBy::where_and_add})
      for (const KeysAs keys : {KeysAs::columns, KeysAs::rows, KeysAs::sequence})
        for (const GroupBy groups :
             {GroupBy::nothing, GroupBy::expand, GroupBy::expand_late, GroupBy::tile,
              GroupBy::gather, GroupBy::broadcast, GroupBy::rows}) {
          if (groups == GroupBy::broadcast && keys == KeysAs::sequence) continue;
          all.push_back({scale, divides, mask, keys, groups, swapped});
          swapped = !swapped;
          divides = !divides;
        }
  return all;
}

/// x [batch, heads, ...] with each head several times.
inline MLOperand with_groups(MLGraphBuilder& b, const MLOperand& x, const AttentionWritten& w,
                             std::uint32_t times) {
  const Dims& s = x.shape();
  if (w.groups == GroupBy::gather) {
    std::vector<std::int32_t> heads;
    for (std::uint32_t h = 0; h < s[1] * times; ++h)
      heads.push_back(static_cast<std::int32_t>(h / times));
    const auto count = static_cast<std::uint32_t>(heads.size());
    return b.gather(x, b.constant({int32, {count}}, heads), {.axis = 1});
  }
  const MLOperand y = b.reshape(x, {s[0], s[1], 1, s[2], s[3]});
  const MLOperand all = w.groups == GroupBy::tile ? b.tile(y, {1, 1, times, 1, 1})
                                                  : b.expand(y, {s[0], s[1], times, s[2], s[3]});
  return b.reshape(all, {s[0], s[1] * times, s[2], s[3]});
}

inline MLOperand attention_written(MLGraphBuilder& b, const AttentionOperands& o,
                                   const AttentionWritten& w, const AttentionSizes& sizes) {
  const MLOperand number = b.constant({float32, {1}}, std::vector<float>{float(sizes.factor)});
  const auto scaled = [&](const MLOperand& x) {
    return w.divides ? b.div(x, number) : w.swapped ? b.mul(number, x) : b.mul(x, number);
  };
  const bool repeats = is_grouped(w) && w.groups != GroupBy::broadcast && w.groups != GroupBy::rows;
  MLOperand q = o.queries, k = o.keys, v = o.values;
  if (w.keys == KeysAs::sequence) k = b.transpose(k, {.permutation = {0, 2, 1, 3}});
  const auto grouped = [&](const MLOperand& x) { return with_groups(b, x, w, sizes.times); };
  const bool late = w.groups == GroupBy::expand_late;
  if (repeats && !late) k = grouped(k);
  if (w.keys != KeysAs::columns) {
    OptionalList<std::uint32_t> order{0, 1, 3, 2};
    if (k.rank() == 5) order = {0, 1, 2, 4, 3};
    k = b.transpose(k, {.permutation = order});
  }
  if (repeats && late) k = grouped(k);
  if (repeats) v = grouped(v);
  if (w.scale == ScaleAt::queries || w.scale == ScaleAt::both) q = scaled(q);
  if (w.scale == ScaleAt::keys || w.scale == ScaleAt::both) k = scaled(k);
  MLOperand s = b.matmul(q, k);
  const Dims shape = s.shape();
  if (w.scale == ScaleAt::scores && w.swapped) s = scaled(s);  // before the reshape
  if (w.groups == GroupBy::rows)
    s = b.reshape(s, {sizes.batch, sizes.key_heads * sizes.times, sizes.rows, sizes.terms});
  if (w.scale == ScaleAt::scores && !w.swapped) s = scaled(s);
  const MLOperand none = b.constant(float32, -std::numeric_limits<float>::infinity());
  if (w.mask == MaskBy::where || w.mask == MaskBy::where_and_add) s = b.where(o.condition, s, none);
  if (w.mask == MaskBy::where_other) s = b.where(o.condition, none, s);
  if (w.mask == MaskBy::add || w.mask == MaskBy::where_and_add)
    s = w.swapped ? b.add(o.mask, s) : b.add(s, o.mask);
  if (w.swapped) s = b.reshape(s, shape);  // before or after the softmax
  const MLOperand p = b.softmax(s, s.rank() - 1);
  return b.matmul(w.swapped ? p : b.reshape(p, shape), v);
}

}  // namespace webnn::inline v0_1::test
