// Attention, and what models of language have around it, composed of products and softmax.
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/formats/common/fold.h"
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// [batch, sequence, heads * size] as [batch, heads, sequence, size].
MLOperand split_heads(Call& c, const MLOperand& x, std::int64_t heads) {
  if (x.rank() == 4) return x;
  const std::uint32_t n = c.dimension(heads, "the number of heads");
  if (x.rank() != 3 || x.shape()[2] % n != 0)
    c.refuse(fail("an operand of shape {} with {} heads", x.shape(), n));
  const MLOperand y = c.b.reshape(x, {x.shape()[0], x.shape()[1], n, x.shape()[2] / n});
  return c.b.transpose(y, {.permutation = {0, 2, 1, 3}});
}
MLOperand merge_heads(Call& c, const MLOperand& x) {
  const Dims& s = x.shape();
  return c.b.reshape(c.b.transpose(x, {.permutation = {0, 2, 1, 3}}), {s[0], s[2], s[1] * s[3]});
}

/// Heads of keys and values are those of several queries.
MLOperand repeat_heads(Call& c, const MLOperand& x, std::uint32_t heads) {
  const Dims& s = x.shape();
  if (s[1] == heads) return x;
  if (heads % s[1] != 0) c.refuse(fail("{} heads of keys for {} of queries", s[1], heads));
  const std::uint32_t times = heads / s[1];
  const MLOperand y =
      c.b.expand(c.b.reshape(x, {s[0], s[1], 1, s[2], s[3]}), {s[0], s[1], times, s[2], s[3]});
  return c.b.reshape(y, {s[0], heads, s[2], s[3]});
}

MLOperand positions(Call& c, Dims shape, std::uint32_t n, std::int64_t first) {
  c.spend(std::uint64_t{n} * 8);
  Ints list;
  for (std::uint32_t i = 0; i < n; ++i) list.push_back(first + i);
  return c.integers(int32, std::move(shape), list);
}

/// 0 where a query sees a key, else minus infinity. Query i is at position i + offset; it sees the
/// keys up to itself, and of them the last `window`, if that is not 0.
MLOperand causal_bias(Call& c, MLOperandDataType type, std::uint32_t queries, std::uint32_t keys,
                      std::int64_t offset, std::int64_t window = 0) {
  const MLOperand q = positions(c, {queries, 1}, queries, offset);
  const MLOperand k = positions(c, {1, keys}, keys, 0);
  MLOperand seen = c.b.lesserOrEqual(k, q);
  if (window > 0) seen = c.b.logicalAnd(seen, c.b.greater(k, c.b.sub(q, c.scalar(int32, window))));
  return c.b.where(seen, c.scalar(type, 0.0),
                   c.scalar(type, -std::numeric_limits<double>::infinity()));
}

/// The lowest finite number of a float type.
double lowest(MLOperandDataType type) {
  return type == float16 ? -65504 : double{std::numeric_limits<float>::lowest()};
}

/// What becomes of a query that sees no key: all that is added to its scores is minus infinity.
enum class Blind {
  zeros,  // as the errata of operator sets 23 and 24 say
  mean    // of the values, as in ONNX Runtime, whose masks are finite
};

/// What is computed with queries, keys and values of [batch, heads, sequence, size].
struct Heads {
  MLOperand q, k, v;
  double scale = 0, softcap = 0;
  std::vector<MLOperand> biases{};  // added to the scores
  bool may_be_blind = false;        // whether they may be minus infinity for all keys of a query
  Blind blind = Blind::zeros;
};
struct Attended {
  MLOperand y, scores, probabilities;
};

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

Attended attend(Call& c, const Heads& h) {
  const std::uint32_t heads = h.q.shape()[1];
  const MLOperand keys = c.b.transpose(repeat_heads(c, h.k, heads), {.permutation = {0, 1, 3, 2}});
  const double scale = h.scale != 0 ? h.scale : 1 / std::sqrt(static_cast<double>(h.q.shape()[3]));
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

/// BOOL says which elements take part, floats are added.
MLOperand mask_bias(Call& c, std::size_t i, const MLOperand& like, std::uint32_t keys) {
  MLOperand mask = c.x(i);
  if (c.in(i).boolean)
    mask = c.b.where(mask, c.scalar_like(like, 0.0),
                     c.scalar_like(like, -std::numeric_limits<double>::infinity()));
  const std::uint32_t n = mask.rank() == 0 ? 1 : mask.shape().back();
  if (n >= keys || n == 1) return mask;
  Dims before(mask.rank(), 0), after(mask.rank(), 0);
  after.back() = keys - n;
  return c.b.pad(mask, before, after, {.value = -std::numeric_limits<double>::infinity()});
}

MLOperand with_past(Call& c, std::size_t i, const MLOperand& now) {
  return c.has(i) && !c.empty(i) ? c.b.concat({c.x(i), now}, 2) : now;
}

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
  const std::uint32_t queries = h.q.shape()[2], keys = h.k.shape()[2];
  const bool causal = c.integer("is_causal", 0) != 0;
  const std::uint32_t past = c.has(4) && !c.empty(4) ? c.x(4).shape()[2] : 0;
  h.may_be_blind = c.has(3) || c.has(6);  // a causal query sees the first key
  if (c.has(3)) h.biases.push_back(mask_bias(c, 3, h.q, keys));
  if (causal) h.biases.push_back(causal_bias(c, h.q.dataType(), queries, keys, past));
  if (c.has(6)) {
    if (causal) c.unsupported("is_causal with nonpad_kv_seqlen, which versions define differently");
    const MLOperand lengths = c.reshaped(c.cast(c.x(6), int32), {h.q.shape()[0], 1, 1, 1});
    const MLOperand seen = c.b.lesser(positions(c, {1, 1, 1, keys}, keys, 0), lengths);
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
  const std::uint32_t last = x.rank() - 1, n = x.shape()[last];
  if (n % 2 != 0) c.refuse(fail("a rotation of {} elements", n));
  const std::uint32_t step = interleaved ? 2 : 1, span = interleaved ? n - 1 : n / 2;
  const MLOperand a = c.sliced(x, last, 0, span, step);
  const MLOperand d = c.sliced(x, last, interleaved ? 1 : n / 2, span, step);
  MLOperand real = c.b.sub(c.b.mul(a, cosines), c.b.mul(d, sines));
  MLOperand imaginary = c.b.add(c.b.mul(a, sines), c.b.mul(d, cosines));
  if (!interleaved) return c.b.concat({real, imaginary}, last);
  Dims pairs = real.shape();
  pairs.push_back(1);
  const MLOperand both =
      c.b.concat({c.b.reshape(real, pairs), c.b.reshape(imaginary, pairs)}, last + 1);
  return c.b.reshape(both, x.shape());
}

/// x [batch, heads, sequence, size], caches [positions, size / 2] or [batch, sequence, size / 2].
MLOperand rotary(Call& c, const MLOperand& x, MLOperand cosines, MLOperand sines,
                 const std::optional<MLOperand>& places, std::int64_t dimensions,
                 bool interleaved) {
  const std::uint32_t size = x.shape()[3];
  if (places) {
    cosines = c.b.gather(cosines, *places);
    sines = c.b.gather(sines, *places);
  }
  const auto with_heads = [&](const MLOperand& v) {
    Dims shape = v.shape();
    if (shape.size() == 2) shape.insert(shape.begin(), 1);
    if (shape.size() != 3) c.refuse(fail("a cache of shape {}", v.shape()));
    shape.insert(shape.begin() + 1, 1);
    return c.reshaped(v, shape);
  };
  const std::uint32_t n =
      dimensions > 0 ? std::min(c.dimension(dimensions, "rotary_embedding_dim"), size) : size;
  const MLOperand y =
      rotated(c, c.sliced(x, 3, 0, n), with_heads(cosines), with_heads(sines), interleaved);
  return n == size ? y : c.b.concat({y, c.sliced(x, 3, n, size - n)}, 3);
}

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
    if (heads == 0 && input.rank() == 3) heads = input.shape()[2] / (2 * cosines.shape().back());
    if (places->rank() == 1 && element_count(places->shape()) == 1) {
      const std::uint32_t n = input.shape()[input.rank() == 4 ? 2 : 1];
      places = c.b.add(c.reshaped(c.cast(*places, int32), {1, 1}), positions(c, {1, n}, n, 0));
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
  const std::uint32_t batch = h.q.shape()[0], queries = h.q.shape()[2], keys = h.k.shape()[2];
  MLOperand seen;
  if (mask.shape() == Dims{batch})
    seen = c.b.lesser(positions(c, {1, 1, 1, keys}, keys, 0),
                      c.reshaped(c.cast(mask, int32), {batch, 1, 1, 1}));
  else if (mask.shape() == Dims{batch, keys})
    seen = c.b.greater(c.reshaped(mask, {batch, 1, 1, keys}), c.scalar_like(mask, 0));
  else if (mask.shape() == Dims{batch, queries, keys})
    seen = c.b.greater(c.reshaped(mask, {batch, 1, queries, keys}), c.scalar_like(mask, 0));
  else
    c.unsupported(fail("a mask of shape {} for {} sequences, {} queries and {} keys", mask.shape(),
                       batch, queries, keys));
  h.biases.push_back(c.b.where(seen, c.scalar_like(h.q, 0), c.scalar_like(h.q, filter)));
}

/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
void multi_head_attention(Call& c) {
  const std::int64_t heads = c.integer("num_heads", 0);
  if (!c.has(1) || !c.has(2)) c.unsupported("packed queries, keys and values");
  MLOperand q = c.x(0), k = c.x(1), v = c.x(2);
  c.require_rank(q, 3, 3);
  c.require_rank(k, 3, 4);
  for (std::size_t i : {8, 9})
    if (c.has(i)) c.unsupported(fail("its input {}", i));
  c.no_output(3, "qk");
  if (c.has(3)) {
    const MLOperand bias = c.x(3);
    const std::uint32_t n = q.shape()[2], m = k.rank() == 3 ? k.shape()[2] : n;
    q = c.b.add(q, c.sliced(bias, 0, 0, n));
    if (k.rank() == 3) k = c.b.add(k, c.sliced(bias, 0, n, m));
    if (v.rank() == 3) v = c.b.add(v, c.sliced(bias, 0, n + m, v.shape()[2]));
  }
  Heads h{.q = split_heads(c, q, heads),
          .k = with_past(c, 6, split_heads(c, k, heads)),
          .v = with_past(c, 7, split_heads(c, v, heads)),
          .scale = c.real("scale", 0),
          .may_be_blind = c.has(4) || c.has(5),
          .blind = Blind::mean};
  if (c.has(5)) h.biases.push_back(c.x(5));
  const std::uint32_t past = c.has(6) && !c.empty(6) ? c.x(6).shape()[2] : 0;
  if (c.integer("unidirectional", 0) != 0)
    h.biases.push_back(causal_bias(c, q.dataType(), h.q.shape()[2], h.k.shape()[2], past));
  add_padding_mask(c, 4, h);
  c.put(merge_heads(c, attend(c, h).y));
  c.put(h.k, 1);
  c.put(h.v, 2);
}

/// That page has Attention too, which computes queries, keys and values of one input.
void attention_of_input(Call& c) {
  c.require_rank(c.x(0), 3, 3);
  if (c.x(1).rank() != 2) c.refuse(fail("the weights have shape {}", c.x(1).shape()));
  if (c.integer("do_rotary", 0) != 0) c.unsupported("do_rotary");
  if (c.has(6) || c.integer("past_present_share_buffer", 0) != 0)
    c.unsupported("a cache that past and present share");
  MLOperand all = c.b.matmul(c.x(0), c.x(1));
  if (c.has(2)) all = c.b.add(all, c.x(2));
  const std::int64_t third = all.shape()[2] / 3, heads = c.integer("num_heads", 0);
  const Ints given = c.ints("qkv_hidden_sizes").value_or(Ints{third, third, third});
  const Dims sizes = c.dims(given, "a size of qkv_hidden_sizes");
  if (sizes.size() != 3 || std::uint64_t{sizes[0]} + sizes[1] + sizes[2] != all.shape()[2])
    c.refuse(
        fail("the weights have shape {}, which is not that of sizes {}", c.x(1).shape(), sizes));
  Heads h{.q = split_heads(c, c.sliced(all, 2, 0, sizes[0]), heads),
          .k = split_heads(c, c.sliced(all, 2, sizes[0], sizes[1]), heads),
          .v = split_heads(c, c.sliced(all, 2, sizes[0] + sizes[1], sizes[2]), heads),
          .scale = c.real("scale", 0),
          .may_be_blind = c.has(3) || c.has(5),
          .blind = Blind::mean};
  if (c.has(4) && !c.empty(4)) {
    const MLOperand past = c.x(4);
    c.require_rank(past, 5, 5);
    const Dims shape(past.shape().begin() + 1, past.shape().end());
    h.k = c.b.concat({c.reshaped(c.sliced(past, 0, 0, 1), shape), h.k}, 2);
    h.v = c.b.concat({c.reshaped(c.sliced(past, 0, 1, 1), shape), h.v}, 2);
  }
  const std::uint32_t queries = h.q.shape()[2], keys = h.k.shape()[2];
  add_padding_mask(c, 3, h);
  if (c.has(5)) h.biases.push_back(c.x(5));
  if (c.integer("unidirectional", 0) != 0)
    h.biases.push_back(
        causal_bias(c, h.q.dataType(), queries, keys, std::int64_t{keys} - std::int64_t{queries}));
  c.put(merge_heads(c, attend(c, h).y));
  if (!c.has_output(1)) return;
  const auto front = [&](const MLOperand& x) {
    Dims shape = x.shape();
    shape.insert(shape.begin(), 1);
    return c.b.reshape(x, shape);
  };
  c.put(c.b.concat({front(h.k), front(h.v)}, 0), 1);
}

/// Queries, keys and values one after the other in the last axis.
void unpack(Call& c, MLOperand& q, MLOperand& k, MLOperand& v, std::int64_t heads,
            std::int64_t kv_heads) {
  const auto all = heads + 2 * kv_heads;
  if (all < 1 || q.shape()[2] % all != 0) c.refuse(fail("packed queries of {}", q.shape()));
  const auto size = static_cast<std::int64_t>(q.shape()[2]) / all;
  const auto n = c.dimension(heads * size), m = c.dimension(kv_heads * size);
  k = c.sliced(q, 2, n, m);
  v = c.sliced(q, 2, n + m, m);
  q = c.sliced(q, 2, 0, n);
}

/// The cache grows by the new keys: the lengths are those of past and new together.
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
  for (std::size_t i = 9; i < 16; ++i)
    if (c.has(i)) c.unsupported(fail("its input {}", i));
  for (std::string_view name : {"smooth_softmax", "qk_output"})
    if (c.has_attribute(name) && c.integer(name, 0) > 0) c.unsupported(name);
  const std::uint32_t past = c.has(3) && !c.empty(3) ? c.x(3).shape()[2] : 0;
  const std::int64_t total = std::int64_t{past} + q.shape()[1];
  for (std::int64_t last : c.ints(5))
    if (last != total - 1)
      c.unsupported(
          fail("a sequence of {} keys, not of past and new ones together ({})", last + 1, total));
  Heads h{.q = split_heads(c, q, heads),
          .k = split_heads(c, k, kv_heads),
          .v = split_heads(c, v, kv_heads),
          .scale = c.real("scale", 0),
          .softcap = c.real("softcap", 0)};
  const bool interleaved = c.integer("rotary_interleaved", 0) != 0;
  if (c.integer("do_rotary", 0) != 0) {
    const std::uint32_t n = q.shape()[1];
    const MLOperand places = positions(c, {1, n}, n, past);
    const std::int64_t size = 2 * static_cast<std::int64_t>(c.x(7).shape().back());
    h.q = rotary(c, h.q, c.x(7), c.x(8), places, size, interleaved);
    h.k = rotary(c, h.k, c.x(7), c.x(8), places, size, interleaved);
  }
  h.k = with_past(c, 3, h.k);
  h.v = with_past(c, 4, h.v);
  const std::int64_t window = c.integer("local_window_size", -1);
  h.biases.push_back(causal_bias(c, q.dataType(), h.q.shape()[2], h.k.shape()[2], past,
                                 std::max<std::int64_t>(window, 0)));
  c.put(merge_heads(c, attend(c, h).y));
  c.put(h.k, 1);
  c.put(h.v, 2);
}

constexpr Handler handlers[] = {
    {"Attention", &attention, 23, 3, 7, 4, "composed; the output of scores without mask, softcap"},
    {"RotaryEmbedding", &rotary_embedding, 23, 3, 4, 1, "composed"},
    {"Attention", &attention_of_input, 1, 2, 7, 2, "composed; without do_rotary", "com.microsoft"},
    {"GroupQueryAttention", &group_query_attention, 1, 7, 16, 4,
     "composed; the lengths are known, and those of past and new keys together", "com.microsoft"},
    {"MultiHeadAttention", &multi_head_attention, 1, 1, 10, 4,
     "composed; without packed operands, buffers that are shared, and beams", "com.microsoft"},
    {"RotaryEmbedding", &rotary_embedding, 1, 4, 4, 1, "composed; without scale", "com.microsoft"},
};

}  // namespace

std::span<const Handler> attention_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
