// Recurrent layers of language models in place of attention, and the convolutions before them.
#include "src/formats/onnx/import/call.h"
#include "src/operators/operators.h"

namespace webnn::inline v0_1::onnx {
namespace {

void linear_attention(Call& c) {
  const MLOperand query = c.x(0), key = c.x(1), value = c.x(2);
  for (const MLOperand& x : {query, key, value}) c.require_rank(x, 3, 3);
  const std::int64_t query_heads = c.integer("q_num_heads", 0),
                     heads = c.integer("kv_num_heads", 0);
  if (query_heads < 1 || heads < 1)
    c.refuse(fail("q_num_heads is {}, kv_num_heads {}", query_heads, heads));
  const std::string rule(c.text("update_rule", "gated_delta"));
  c.ignore("chunk_size");  // how it is computed
  const MLOperand state =
      c.has(3) ? c.x(3)
               : c.expand(c.scalar_like(query, 0), SizeList{Size::dimension(query, 0), heads,
                                                            Size::dimension(query, 2) / query_heads,
                                                            Size::dimension(value, 2) / heads});
  std::vector<MLOperand> operands{query, key, value, state};
  const bool erases = c.has(6);
  if (rule == "gated" || rule == "gated_delta") operands.push_back(c.x(4));
  if (rule == "delta" || rule == "gated_delta") operands.push_back(c.x(5));
  if (erases) operands.push_back(c.x(6));
  const auto results = c.b.custom(operators::linear_attention(), std::move(operands),
                                  {.attributes = {{"queryHeads", query_heads},
                                                  {"heads", heads},
                                                  {"rule", rule},
                                                  {"erases", erases},
                                                  {"scale", c.real("scale", 0)}},
                                   .label = c.label()});
  c.put(results[0]);
  if (c.has_output(1)) c.put(results[1], 1);
}

/// A convolution of each channel with the last places of the run before in front of it.
void causal_conv_with_state(Call& c) {
  const MLOperand x = c.x(), filter = c.x(1);
  c.require_rank(x, 3, 3);
  c.require_rank(filter, 3, 3);
  if (const auto n = c.integer("ndim", 1); n != 1) c.unsupported(fail("its ndim is {}", n));
  if (const auto n = c.integer("state_window", 0); n != 0)
    c.unsupported(fail("its state_window is {}", n));
  const std::string_view activation = c.text("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    c.refuse(fail("its activation, {}, is unknown", in_quotes(activation)));
  const ops::Sizes filters = c.shape(1);
  const SizeList sizes = formats::sizes_of(x);
  if (filters[1] != 1 || Call::differ(sizes[1], Size(filters[0])))
    c.refuse(fail("filters of shape {} of an input of {}", Call::shape_text(filter),
                  Call::shape_text(x)));
  const Size before = static_cast<std::int64_t>(filters[2]) - 1;
  const SizeList state_shape{sizes[0], sizes[1], before};
  if (c.has(3) && !c.empty(3)) c.require_shape(c.x(3), state_shape, "past_state");
  MLOperand all = x;
  if (!before.is(0))
    all = c.b.concat({c.has(3) ? c.x(3) : c.expand(c.scalar_like(x, 0), state_shape), x}, 2);
  MLOperand y = c.b.conv2d(c.with_one(all, 2), c.with_one(filter, 2),
                           {.groups = static_cast<std::uint32_t>(filters[0]),
                            .bias = c.optional(2),
                            .label = c.label()});
  y = c.without_one(y, 2);
  c.put(activation == "none" ? y : c.b.mul(y, c.b.sigmoid(y)));
  if (!c.has_output(1)) return;
  if (!before.is(0)) return c.put(c.sliced(all, 2, sizes[2], before), 1);
  const ops::Sizes shape = c.shape(0);
  c.put_empty({shape[0], shape[1], 0}, x.dataType(), 1);
}

constexpr Handler handlers[] = {
    {"CausalConvWithState", &causal_conv_with_state, 27, 2, 4, 2, "composed"},
    {"CausalConvWithState", &causal_conv_with_state, 1, 2, 4, 2, "composed; one dimension",
     "com.microsoft"},
    {"LinearAttention", &linear_attention, 27, 3, 7, 2, "as webnn.LinearAttention"},
    {"LinearAttention", &linear_attention, 1, 3, 6, 2, "as webnn.LinearAttention", "com.microsoft"},
};

}  // namespace

std::span<const Handler> linear_attention_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
