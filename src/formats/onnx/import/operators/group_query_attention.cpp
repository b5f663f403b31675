// GroupQueryAttention:
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#include <cmath>

#include "src/formats/onnx/import/attention.h"
#include "src/formats/onnx/import/linear_size.h"

namespace webnn::inline v0_1::onnx {
namespace {

constexpr std::size_t attention_bias = 10;  // an input that is added to the scores

/// Queries, keys and values one after the other in the last axis.
void unpack(Call& c, MLOperand& q, MLOperand& k, MLOperand& v, std::int64_t heads,
            std::int64_t kv_heads) {
  const auto all = heads + 2 * kv_heads;
  const std::int64_t width = Size::dimension(q, 2).number();
  if (all < 1 || width % all != 0) c.refuse(fail("packed queries of {}", Call::shape_text(q)));
  const std::int64_t size = width / all;
  const auto n = c.dimension(heads * size), m = c.dimension(kv_heads * size);
  k = c.sliced(q, 2, n, m);
  v = c.sliced(q, 2, n + m, m);
  q = c.sliced(q, 2, 0, n);
}

MLOperand as_int32(Call& c, const Size& s) {
  return s.is_known() ? c.scalar(int32, s.number()) : c.b.cast(s.operand(c.b), int32);
}

/// Where the rows of each sequence lie. A cache may have more rows than it needs, and sequences of
/// different lengths: a run says how long they are, in seqlens_k.
class Rows {
 public:
  /// `lengths` [batch], int32: the last key of each sequence, the new ones included. `total`: the
  /// keys of the longest.
  Rows(Call& c, const MLOperand& lengths, const Size& batch, const Size& past, const Size& fresh,
       const Size& total)
      : c_(c), batch_(batch), past_(past), fresh_(fresh), total_(total) {
    const MLOperand behind = c.b.add(lengths, c.scalar(int32, 1));
    const MLOperand before = c.b.sub(behind, as_int32(c, fresh));
    // A prompt begins a sequence, also where it is padded at its end.
    const MLOperand is_prompt = c.b.equal(as_int32(c, fresh), as_int32(c, total));
    begin_ = c.reshaped(c.b.where(is_prompt, c.scalar(int32, 0), before), {batch, 1});
  }

  /// The positions of new rows, [batch, rows].
  MLOperand places() const { return c_.b.add(begin_, c_.numbers(int32, {1, fresh_}, fresh_)); }

  /// The cache of input i with new rows x [batch, heads, rows, size] in their places.
  MLOperand written(std::size_t i, const MLOperand& x) const {
    const SizeList s = formats::sizes_of(x);
    const Size rows = past_ + fresh_, length = max(past_, total_);
    const MLOperand all = c_.reshaped(with_past(c_, i, x), {s[0] * s[1] * rows, s[3]});
    const MLOperand row = c_.numbers(int32, {1, length}, length);
    const MLOperand nth = c_.b.sub(row, begin_);  // of the new ones
    const MLOperand is_new = c_.b.logicalAnd(c_.b.greaterOrEqual(nth, c_.scalar(int32, 0)),
                                             c_.b.lesser(nth, as_int32(c_, fresh_)));
    // What lies behind the end of a sequence is not read.
    const MLOperand old = c_.b.min(row, as_int32(c_, rows - 1));
    const MLOperand from = c_.b.where(is_new, c_.b.add(nth, as_int32(c_, past_)), old);
    const MLOperand first = c_.b.mul(c_.numbers(int32, {s[0], s[1], 1}, s[0] * s[1]),
                                     as_int32(c_, rows));  // of each head
    return c_.b.gather(all, c_.b.add(first, c_.reshaped(from, {s[0], 1, length})));
  }
  /// The rows of a cache that queries can see.
  MLOperand seen(const MLOperand& cache) const { return c_.sliced(cache, 2, 0, total_); }

  MLOperand bias(MLOperandDataType type, std::int64_t window) const {
    const MLOperand queries = c_.reshaped(places(), {batch_, 1, fresh_, 1});
    return causal_bias(c_, type, queries, c_.numbers(int32, {1, 1, 1, total_}, total_), window);
  }

 private:
  Call& c_;
  Size batch_, past_, fresh_, total_;
  MLOperand begin_{};  // [batch, 1], the position of the first new row
};

/// Whether seqlens_k is that of a sequence that has as many past and new keys as there are, at all
/// sizes.
bool is_last_row(Call& c) {
  const auto past = c.has(3) && !c.empty(3) ? c.x(3).dimensions() : std::nullopt;
  const auto queries = c.x(0).dimensions();
  if (!past || past->size() != 4 || !queries) return false;
  auto last = linear_size(c.x(5));
  if (!last) return false;
  LinearSize length = linear_size((*past)[2]);
  length.add(linear_size((*queries)[1]));
  return last->add({1, {}}) == length;
}

/// The rows, or nothing where all sequences have past and new keys, as many as there are.
std::optional<Rows> rows_of(Call& c, const Size& batch, const Size& past, const Size& fresh) {
  if (c.can_be_known(5)) {
    const Size length = past + fresh;
    bool all = true;
    for (const std::int64_t last : c.ints(5)) all = all && length.is(last + 1);
    if (all) return std::nullopt;
  }
  if (batch.is(1) && is_last_row(c)) return std::nullopt;
  if (!Call::may_have_shape(c.x(5), {batch, 1})) c.require_shape(c.x(5), {batch}, "seqlens_k");
  return Rows(c, c.reshaped(c.cast(c.x(5), int32), {batch}), batch, past, fresh, c.size(6));
}

/// Heads whose queries and new keys are rotated by the angles of their places.
void rotate(Call& c, Heads& h, const MLOperand& places) {
  const bool interleaved = c.integer("rotary_interleaved", 0) != 0;
  if (c.integer("do_rotary", 0) == 0) return;
  const std::int64_t size = 2 * Size::dimension(c.x(7), c.x(7).rank() - 1).number();
  h.q = rotary(c, h.q, c.x(7), c.x(8), places, size, interleaved);
  h.k = rotary(c, h.k, c.x(7), c.x(8), places, size, interleaved);
}

/// A bias [queries, keys] or [batch, 1, queries, keys] for [batch, heads of keys, queries of each,
/// queries, keys]; nothing for others.
std::optional<MLOperand> bias_of_groups(Call& c, const MLOperand& x) {
  if (x.rank() <= 2) return x;
  if (x.rank() != 4 || !Size::dimension(x, 1).is(1)) return std::nullopt;
  return c.with_one(x, 1);
}

/// Attention whose keys and values are not repeated for the queries of a group, [batch, heads,
/// rows, size], with a bias for [batch, heads of keys, queries of each, queries, keys].
MLOperand attend_with(Call& c, const Heads& h, std::int64_t kv_heads, const MLOperand& bias) {
  const SizeList s = formats::sizes_of(h.q);
  const std::int64_t heads = s[1].number();
  const double scale = h.scale != 0 ? h.scale : 1 / std::sqrt(static_cast<double>(s[3].number()));
  const MLOperand q = c.b.mul(c.reshape(h.q, {s[0], kv_heads, heads / kv_heads, s[2], s[3]}),
                              c.scalar_like(h.q, scale));
  const MLOperand keys = c.b.transpose(c.b.unsqueeze(h.k, {2}), {.permutation = {0, 1, 2, 4, 3}});
  MLOperand scores = c.b.matmul(q, keys);
  if (h.softcap > 0) {
    const MLOperand cap = c.scalar_like(scores, h.softcap);
    scores = c.b.mul(c.b.tanh(c.b.div(scores, cap)), cap);
  }
  const MLOperand probabilities = c.b.softmax(c.b.add(scores, bias), 4);
  const MLOperand y = c.b.matmul(probabilities, c.b.unsqueeze(h.v, {2}), {.label = c.label()});
  return c.reshape(y, s);
}
/// The same; nothing for biases that do not broadcast so.
std::optional<MLOperand> attend_in_groups(Call& c, const Heads& h, std::int64_t kv_heads) {
  const std::int64_t heads = Size::dimension(h.q, 1).number();
  if (kv_heads == heads || heads % kv_heads != 0 || h.biases.size() != 1) return std::nullopt;
  const auto bias = bias_of_groups(c, h.biases[0]);
  return bias ? std::optional(attend_with(c, h, kv_heads, *bias)) : std::nullopt;
}

/// Where sequences may have different lengths, which the program knows: rows that it has placed,
/// and a mask.
void attend_as_given(Call& c, const GivenAttention& given, Heads& h, std::int64_t kv_heads,
                     std::int64_t window) {
  const std::int64_t heads = Size::dimension(h.q, 1).number();
  if (!c.has(3) || c.empty(3) || !is_last_row(c))
    c.unsupported("seqlens_k that is not the last row of the cache");
  if (c.has(attention_bias)) c.unsupported("attention_bias");
  if (heads % kv_heads != 0) c.refuse(fail("{} heads of keys for {} of queries", kv_heads, heads));
  rotate(c, h, given.positions);
  h.k = with_past(c, 3, h.k);
  h.v = with_past(c, 4, h.v);
  c.put(h.k, 1);
  c.put(h.v, 2);
  const MLOperandDataType type = h.q.dataType();
  for (MLOperand* x : {&h.q, &h.k, &h.v}) *x = c.cast(*x, float32);
  const MLOperand mask = given.mask(window == 0 ? 0 : c.dimension(window, "local_window_size"));
  c.put(merge_heads(c, c.cast(attend_with(c, h, kv_heads, mask), type)));
}

}  // namespace

void group_query_attention(Call& c) {
  const std::int64_t heads = c.integer("num_heads", 0), kv_heads = c.integer("kv_num_heads", 0);
  if (c.integer("causal", 1) == 0) c.unsupported("causal = 0");
  MLOperand q = c.x(0), k = q, v = q;
  c.require_rank(q, 3, 3);
  if (heads < 1 || kv_heads < 1 || heads > 0xffff || kv_heads > 0xffff)
    c.refuse(fail("num_heads {}, kv_num_heads {}", heads, kv_heads));
  if (c.has(1)) {
    k = c.x(1);
    v = c.x(2);
  } else {
    unpack(c, q, k, v, heads, kv_heads);
  }
  c.no_output(3, "output_qk");
  constexpr std::string_view others[] = {
      "position_ids", "", "head_sink", "k_scale", "v_scale", "k_zero_point", "v_zero_point"};
  for (std::size_t i = 0; i < std::size(others); ++i)
    if (!others[i].empty() && c.has(9 + i)) c.unsupported(fail("its input {}", others[i]));
  for (std::string_view name : {"smooth_softmax", "qk_output"})
    if (c.has_attribute(name) && c.integer(name, 0) > 0) c.unsupported(name);
  const Size past = c.has(3) && !c.empty(3) ? Size::dimension(c.x(3), 2) : 0;
  const Size fresh = Size::dimension(q, 1);
  const std::int64_t window = std::max<std::int64_t>(c.integer("local_window_size", -1), 0);
  Heads h{.q = split_heads(c, q, heads),
          .k = split_heads(c, k, kv_heads),
          .v = split_heads(c, v, kv_heads),
          .scale = c.real("scale", 0),
          .softcap = c.real("softcap", 0)};
  if (const GivenAttention* given = c.scope().import().attention)
    return attend_as_given(c, *given, h, kv_heads, window);
  const std::optional<Rows> rows = rows_of(c, Size::dimension(q, 0), past, fresh);
  rotate(c, h, rows ? rows->places() : c.numbers(int32, {1, fresh}, fresh, past));
  h.k = rows ? rows->written(3, h.k) : with_past(c, 3, h.k);
  h.v = rows ? rows->written(4, h.v) : with_past(c, 4, h.v);
  c.put(h.k, 1);
  c.put(h.v, 2);
  if (rows) h.k = rows->seen(h.k), h.v = rows->seen(h.v);
  // float16 is computed in float32, so that it is cast once, and masks are not.
  const MLOperandDataType type = q.dataType();
  for (MLOperand* x : {&h.q, &h.k, &h.v}) *x = c.cast(*x, float32);
  h.biases.push_back(rows ? rows->bias(float32, window)
                          : causal_bias(c, float32, fresh, past + fresh, past, window));
  if (c.has(attention_bias)) h.biases.push_back(c.cast(c.x(attention_bias), float32));
  const auto y = attend_in_groups(c, h, kv_heads);
  c.put(merge_heads(c, c.cast(y ? *y : attend(c, h).y, type)));
}

}  // namespace webnn::inline v0_1::onnx
