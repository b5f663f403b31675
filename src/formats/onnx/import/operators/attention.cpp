// Attention, and what models of language have around it, composed of products and softmax.
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/formats/common/fold.h"
#include "src/formats/onnx/import/attention.h"

namespace webnn::inline v0_1::onnx {

MLOperand split_heads(Call& c, const MLOperand& x, std::int64_t heads) {
  if (x.rank() == 4) return x;
  const std::uint32_t n = c.dimension(heads, "the number of heads");
  const SizeList s = formats::sizes_of(x);
  if (s.size() != 3 || (s[2].is_known() && s[2].number() % n != 0))
    c.refuse(fail("an operand of shape {} with {} heads", Call::shape_text(x), n));
  if (n == 1) return c.reshape(x, {s[0], n, s[1], s[2]});  // passes could move a transpose
  const MLOperand y = c.reshape(x, {s[0], s[1], n, s[2] / n});
  return c.b.transpose(y, {.permutation = {0, 2, 1, 3}});
}
MLOperand merge_heads(Call& c, const MLOperand& x) {
  const SizeList s = formats::sizes_of(x);
  return c.reshape(c.b.transpose(x, {.permutation = {0, 2, 1, 3}}), {s[0], s[2], s[1] * s[3]});
}

namespace {

/// Heads of keys and values are those of several queries.
MLOperand repeat_heads(Call& c, const MLOperand& x, std::int64_t heads) {
  const SizeList s = formats::sizes_of(x);
  const std::int64_t own = s[1].number();
  if (own == heads) return x;
  if (heads % own != 0) c.refuse(fail("{} heads of keys for {} of queries", own, heads));
  const std::int64_t times = heads / own;
  const MLOperand y =
      c.expand(c.reshape(x, {s[0], s[1], 1, s[2], s[3]}), {s[0], s[1], times, s[2], s[3]});
  return c.reshape(y, {s[0], heads, s[2], s[3]});
}

}  // namespace

MLOperand causal_bias(Call& c, MLOperandDataType type, const MLOperand& queries,
                      const MLOperand& keys, std::int64_t window) {
  MLOperand seen = c.b.lesserOrEqual(keys, queries);
  if (window > 0)
    seen = c.b.logicalAnd(seen, c.b.greater(keys, c.b.sub(queries, c.scalar(int32, window))));
  return c.b.where(seen, c.scalar(type, 0.0),
                   c.scalar(type, -std::numeric_limits<double>::infinity()));
}
MLOperand causal_bias(Call& c, MLOperandDataType type, const Size& queries, const Size& keys,
                      const Size& offset, std::int64_t window) {
  const MLOperand q = c.numbers(int32, {queries, 1}, queries, offset);
  return causal_bias(c, type, q, c.numbers(int32, {1, keys}, keys), window);
}

namespace {

/// The lowest finite number of a float type.
double lowest(MLOperandDataType type) {
  switch (type) {
    case float16: return -65504;
    case bfloat16: return -0x1.fep127;
    default: return std::numeric_limits<float>::lowest();
  }
}

/// One operand for all: kernels know attention with one. The others are 0 or minus infinity, so
/// that the order of the sums does not matter, or finite masks of com.microsoft.
std::optional<MLOperand> bias_of(Call& c, const Heads& h) {
  std::optional<MLOperand> sum;
  for (const MLOperand& bias : h.biases) sum = sum ? c.b.add(*sum, bias) : bias;
  if (sum && h.may_be_blind && h.blind == Blind::mean)
    sum = c.b.clamp(*sum, {.minValue = lowest(sum->dataType())});
  return sum;
}
/// Zeros for the queries that see no key, whose probabilities are NaN.
MLOperand without_blind(Call& c, const MLOperand& bias, const MLOperand& y) {
  MLOperand largest = bias;
  if (bias.rank() > 0)
    largest = c.b.reduceMax(bias, {.axes = {bias.rank() - 1}, .keepDimensions = true});
  const MLOperand infinity = c.scalar_like(bias, -std::numeric_limits<double>::infinity());
  const MLOperand blind = c.b.equal(largest, infinity);
  if (const auto known = formats::folded(blind, c.b)) {
    const auto bytes = known->constant()->bytes();
    if (std::all_of(bytes.begin(), bytes.end(), [](std::byte v) { return v == std::byte{0}; }))
      return y;
  }
  return c.b.where(blind, c.scalar_like(y, 0.0), y, {.label = c.label()});
}

}  // namespace

Attended attend(Call& c, const Heads& h) {
  const std::int64_t heads = Size::dimension(h.q, 1).number();
  const MLOperand keys = c.b.transpose(repeat_heads(c, h.k, heads), {.permutation = {0, 1, 3, 2}});
  const double scale =
      h.scale != 0 ? h.scale : 1 / std::sqrt(static_cast<double>(Size::dimension(h.q, 3).number()));
  Attended out;
  out.scores = c.b.mul(c.b.matmul(h.q, keys), c.scalar_like(h.q, scale));
  MLOperand s = out.scores;
  if (h.softcap > 0) {
    const MLOperand cap = c.scalar_like(s, h.softcap);
    s = c.b.mul(c.b.tanh(c.b.div(s, cap)), cap);
  }
  const std::optional<MLOperand> bias = bias_of(c, h);
  if (bias) s = c.b.add(s, *bias);
  out.probabilities = c.b.softmax(s, 3);
  out.y = c.b.matmul(out.probabilities, repeat_heads(c, h.v, heads), {.label = c.label()});
  if (bias && h.may_be_blind && h.blind == Blind::zeros) out.y = without_blind(c, *bias, out.y);
  return out;
}

namespace {

/// BOOL says which elements take part, floats are added.
MLOperand mask_bias(Call& c, std::size_t i, const MLOperand& like, const Size& keys) {
  MLOperand mask = c.x(i);
  if (c.in(i).boolean)
    mask = c.b.where(mask, c.scalar_like(like, 0.0),
                     c.scalar_like(like, -std::numeric_limits<double>::infinity()));
  const Size n = mask.rank() == 0 ? Size(1) : Size::dimension(mask, mask.rank() - 1);
  if (n.is(1) || n.same_as(keys) ||
      (n.is_known() && keys.is_known() && n.number() >= keys.number()))
    return mask;
  SizeList before(mask.rank(), 0), after(mask.rank(), 0);
  after.back() = max(keys - n, 0);
  return formats::pad(c.b, mask, before, after,
                      {.value = -std::numeric_limits<double>::infinity()});
}

}  // namespace

MLOperand with_past(Call& c, std::size_t i, const MLOperand& now) {
  return c.has(i) && !c.empty(i) ? c.b.concat({c.x(i), now}, 2) : now;
}

namespace {

/// https://onnx.ai/onnx/operators/onnx__Attention.html
void attention(Call& c) {
  const MLOperand query = c.x(0);
  const bool flat = query.rank() == 3;
  Heads h;
  h.q = split_heads(c, query, c.integer("q_num_heads", 0));
  const std::int64_t kv_heads = c.integer("kv_num_heads", 0);
  h.k = with_past(c, 4, split_heads(c, c.x(1), kv_heads));
  h.v = with_past(c, 5, split_heads(c, c.x(2), kv_heads));
  h.scale = c.real("scale", 0);
  h.softcap = c.real("softcap", 0);
  c.ignore("softmax_precision");
  const Size queries = Size::dimension(h.q, 2), keys = Size::dimension(h.k, 2);
  const bool causal = c.integer("is_causal", 0) != 0;
  const Size past = c.has(4) && !c.empty(4) ? Size::dimension(c.x(4), 2) : 0;
  h.may_be_blind = c.has(3) || c.has(6);  // a causal query sees the first key
  if (c.has(3)) h.biases.push_back(mask_bias(c, 3, h.q, keys));
  if (causal) h.biases.push_back(causal_bias(c, h.q.dataType(), queries, keys, past));
  if (c.has(6)) {
    if (causal) c.unsupported("is_causal with nonpad_kv_seqlen, which versions define differently");
    const MLOperand lengths = c.reshaped(c.cast(c.x(6), int32), {Size::dimension(h.q, 0), 1, 1, 1});
    const MLOperand seen = c.b.lesser(c.numbers(int32, {1, 1, 1, keys}, keys), lengths);
    h.biases.push_back(c.b.where(seen, c.scalar_like(h.q, 0.0),
                                 c.scalar_like(h.q, -std::numeric_limits<double>::infinity())));
  }
  const Attended a = attend(c, h);
  c.put(flat ? merge_heads(c, a.y) : a.y);
  c.put(h.k, 1);
  c.put(h.v, 2);
  if (!c.has_output(3)) return c.ignore("qk_matmul_output_mode");
  const std::int64_t mode = c.integer("qk_matmul_output_mode", 0);
  if (mode == 3) return c.put(a.probabilities, 3);
  if (h.softcap > 0 || (mode != 0 && !h.biases.empty()))
    c.unsupported("its output of scores with a mask or softcap, which versions define differently");
  c.put(a.scores, 3);
}

/// The first and the second part of the last axis, or every second one, rotated by the angles whose
/// cosines and sines are given.
MLOperand rotated(Call& c, const MLOperand& x, const MLOperand& cosines, const MLOperand& sines,
                  bool interleaved) {
  const std::uint32_t last = x.rank() - 1;
  const std::int64_t n = Size::dimension(x, last).number();
  if (n % 2 != 0) c.refuse(fail("a rotation of {} elements", n));
  const std::uint32_t step = interleaved ? 2 : 1;
  const std::int64_t span = interleaved ? n - 1 : n / 2;
  const MLOperand a = c.sliced(x, last, 0, span, step);
  const MLOperand d = c.sliced(x, last, interleaved ? 1 : n / 2, span, step);
  MLOperand real = c.b.sub(c.b.mul(a, cosines), c.b.mul(d, sines));
  MLOperand imaginary = c.b.add(c.b.mul(a, sines), c.b.mul(d, cosines));
  if (!interleaved) return c.b.concat({real, imaginary}, last);
  const MLOperand both =
      c.b.concat({c.with_one(real, last + 1), c.with_one(imaginary, last + 1)}, last + 1);
  return c.reshape(both, formats::sizes_of(x));
}

}  // namespace

MLOperand rotary(Call& c, const MLOperand& x, MLOperand cosines, MLOperand sines,
                 const std::optional<MLOperand>& places, std::int64_t dimensions,
                 bool interleaved) {
  const auto size = static_cast<std::uint32_t>(Size::dimension(x, 3).number());
  if (places) {
    cosines = c.b.gather(cosines, *places);
    sines = c.b.gather(sines, *places);
  }
  const auto with_heads = [&](const MLOperand& v) {
    SizeList shape = formats::sizes_of(v);
    if (shape.size() == 2) shape.insert(shape.begin(), 1);
    if (shape.size() != 3) c.refuse(fail("a cache of shape {}", Call::shape_text(v)));
    shape.insert(shape.begin() + 1, 1);
    return c.reshaped(v, shape);
  };
  const std::uint32_t n =
      dimensions > 0 ? std::min(c.dimension(dimensions, "rotary_embedding_dim"), size) : size;
  const MLOperand y =
      rotated(c, c.sliced(x, 3, 0, n), with_heads(cosines), with_heads(sines), interleaved);
  return n == size ? y : c.b.concat({y, c.sliced(x, 3, n, size - n)}, 3);
}

namespace {

void rotary_embedding(Call& c) {
  const bool contrib = !c.node().domain.empty();
  const MLOperand input = c.x(0);
  // com.microsoft has the positions before the caches.
  const MLOperand cosines = c.x(contrib ? 2 : 1), sines = c.x(contrib ? 3 : 2);
  std::optional<MLOperand> places;
  if (contrib || c.has(3)) places = c.x(contrib ? 1 : 3);
  std::int64_t heads = c.integer("num_heads", 0);
  const std::int64_t dimensions = c.integer("rotary_embedding_dim", 0);
  if (contrib) {
    c.ignore("is_packed_batching");
    if (c.real("scale", 1) != 1) c.unsupported("scale");
    if (heads == 0 && input.rank() == 3)
      heads = Size::dimension(input, 2).number() /
              (2 * Size::dimension(cosines, cosines.rank() - 1).number());
    if (places->rank() == 1 && Size::dimension(*places, 0).number() == 1) {
      const Size n = Size::dimension(input, input.rank() == 4 ? 2 : 1);
      places = c.b.add(c.reshaped(c.cast(*places, int32), {1, 1}), c.numbers(int32, {1, n}, n));
    }
  }
  const MLOperand x = split_heads(c, input, heads);
  const MLOperand y =
      rotary(c, x, cosines, sines, places, dimensions, c.integer("interleaved", 0) != 0);
  c.put(input.rank() == 3 ? merge_heads(c, y) : y);
}

/// Adds mask_filter_value to the scores of keys that a mask of com.microsoft leaves out: the number
/// of keys of each sequence, or 0 for each key, or for each query and key.
void add_padding_mask(Call& c, std::size_t i, Heads& h) {
  const double filter = c.real("mask_filter_value", -10000);
  if (!c.has(i)) return;
  const MLOperand mask = c.x(i);
  const Size batch = Size::dimension(h.q, 0), queries = Size::dimension(h.q, 2),
             keys = Size::dimension(h.k, 2);
  MLOperand seen;
  if (Call::may_have_shape(mask, {batch}))
    seen = c.b.lesser(c.numbers(int32, {1, 1, 1, keys}, keys),
                      c.reshaped(c.cast(mask, int32), {batch, 1, 1, 1}));
  else if (Call::may_have_shape(mask, {batch, keys}))
    seen = c.b.greater(c.reshaped(mask, {batch, 1, 1, keys}), c.scalar_like(mask, 0));
  else if (Call::may_have_shape(mask, {batch, queries, keys}))
    seen = c.b.greater(c.reshaped(mask, {batch, 1, queries, keys}), c.scalar_like(mask, 0));
  else
    c.unsupported(fail("a mask of shape {} for {} sequences, {} queries and {} keys",
                       Call::shape_text(mask), batch.text(), queries.text(), keys.text()));
  h.biases.push_back(c.b.where(seen, c.scalar_like(h.q, 0), c.scalar_like(h.q, filter)));
}

/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
void multi_head_attention(Call& c) {
  const std::int64_t heads = c.integer("num_heads", 0);
  if (!c.has(1) || !c.has(2)) c.unsupported("packed queries, keys and values");
  MLOperand q = c.x(0), k = c.x(1), v = c.x(2);
  c.require_rank(q, 3, 3);
  c.require_rank(k, 3, 4);
  if (c.has(8)) c.unsupported("its input past_sequence_length");
  if (c.has(9)) c.unsupported("its input cache_indirection");
  c.no_output(3, "qk");
  if (c.has(3)) {
    const MLOperand bias = c.x(3);
    const Size n = Size::dimension(q, 2), m = k.rank() == 3 ? Size::dimension(k, 2) : n;
    q = c.b.add(q, c.sliced(bias, 0, 0, n));
    if (k.rank() == 3) k = c.b.add(k, c.sliced(bias, 0, n, m));
    if (v.rank() == 3) v = c.b.add(v, c.sliced(bias, 0, n + m, Size::dimension(v, 2)));
  }
  Heads h{.q = split_heads(c, q, heads),
          .k = with_past(c, 6, split_heads(c, k, heads)),
          .v = with_past(c, 7, split_heads(c, v, heads)),
          .scale = c.real("scale", 0),
          .may_be_blind = c.has(4) || c.has(5),
          .blind = Blind::mean};
  if (c.has(5)) h.biases.push_back(c.x(5));
  const Size past = c.has(6) && !c.empty(6) ? Size::dimension(c.x(6), 2) : 0;
  if (c.integer("unidirectional", 0) != 0)
    h.biases.push_back(
        causal_bias(c, q.dataType(), Size::dimension(h.q, 2), Size::dimension(h.k, 2), past));
  add_padding_mask(c, 4, h);
  c.put(merge_heads(c, attend(c, h).y));
  c.put(h.k, 1);
  c.put(h.v, 2);
}

/// That page has Attention too, which computes queries, keys and values of one input.
void attention_of_input(Call& c) {
  c.require_rank(c.x(0), 3, 3);
  if (c.x(1).rank() != 2) c.refuse(fail("the weights have shape {}", Call::shape_text(c.x(1))));
  if (c.integer("do_rotary", 0) != 0) c.unsupported("do_rotary");
  if (c.has(6) || c.integer("past_present_share_buffer", 0) != 0)
    c.unsupported("a cache that past and present share");
  MLOperand all = c.b.matmul(c.x(0), c.x(1));
  if (c.has(2)) all = c.b.add(all, c.x(2));
  const std::int64_t width = Size::dimension(all, 2).number();
  const std::int64_t third = width / 3, heads = c.integer("num_heads", 0);
  const Ints given = c.ints("qkv_hidden_sizes").value_or(Ints{third, third, third});
  const Dims sizes = c.dims(given, "a size of qkv_hidden_sizes");
  if (sizes.size() != 3 || std::int64_t{sizes[0]} + sizes[1] + sizes[2] != width)
    c.refuse(fail("the weights have shape {}, which is not that of sizes {}",
                  Call::shape_text(c.x(1)), sizes));
  Heads h{.q = split_heads(c, c.sliced(all, 2, 0, sizes[0]), heads),
          .k = split_heads(c, c.sliced(all, 2, sizes[0], sizes[1]), heads),
          .v = split_heads(c, c.sliced(all, 2, sizes[0] + sizes[1], sizes[2]), heads),
          .scale = c.real("scale", 0),
          .may_be_blind = c.has(3) || c.has(5),
          .blind = Blind::mean};
  if (c.has(4) && !c.empty(4)) {
    const MLOperand past = c.x(4);
    c.require_rank(past, 5, 5);
    SizeList shape = formats::sizes_of(past);
    shape.erase(shape.begin());
    h.k = c.b.concat({c.reshaped(c.sliced(past, 0, 0, 1), shape), h.k}, 2);
    h.v = c.b.concat({c.reshaped(c.sliced(past, 0, 1, 1), shape), h.v}, 2);
  }
  const Size queries = Size::dimension(h.q, 2), keys = Size::dimension(h.k, 2);
  add_padding_mask(c, 3, h);
  if (c.has(5)) h.biases.push_back(c.x(5));
  if (c.integer("unidirectional", 0) != 0)
    h.biases.push_back(causal_bias(c, h.q.dataType(), queries, keys, keys - queries));
  c.put(merge_heads(c, attend(c, h).y));
  if (!c.has_output(1)) return;
  const auto front = [&](const MLOperand& x) { return c.with_one(x, 0); };
  c.put(c.b.concat({front(h.k), front(h.v)}, 0), 1);
}

constexpr Handler handlers[] = {
    {"Attention", &attention, 23, 3, 7, 4, "composed; the output of scores without mask, softcap"},
    {"RotaryEmbedding", &rotary_embedding, 23, 3, 4, 1, "composed"},
    {"Attention", &attention_of_input, 1, 2, 7, 2, "composed; without do_rotary", "com.microsoft"},
    {"GroupQueryAttention", &group_query_attention, 1, 7, 16, 4,
     "composed; the total length is known or follows from shapes; without beams, attention sinks "
     "and quantized caches",
     "com.microsoft"},
    {"MultiHeadAttention", &multi_head_attention, 1, 1, 10, 4,
     "composed; without packed operands, buffers that are shared, and beams", "com.microsoft"},
    {"RotaryEmbedding", &rotary_embedding, 1, 4, 4, 1, "composed; without scale", "com.microsoft"},
};

}  // namespace

std::span<const Handler> attention_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
