// webnn.LinearAttention: a state of keys by values for each head, which every step changes and its
// query reads. Columns of the state are independent: tiles are blocks of them.
// https://onnx.ai/onnx/operators/onnx__LinearAttention.html
#include <cmath>

#include "src/operators/operators.h"
#include "src/operators/tiles.h"

namespace webnn::inline v0_1::operators {
namespace {

constexpr std::size_t block = 64;  // columns of a tile

struct Rule {
  bool gated, delta;
};
Rule rule_of(const CustomCall& call) {
  return enumerator<Rule>(call, "rule",
                          {{"linear", {false, false}},
                           {"gated", {true, false}},
                           {"delta", {false, true}},
                           {"gated_delta", {true, true}}});
}

struct Form {
  std::size_t batch, steps, query_heads, key_heads, heads, keys, values;
  Rule rule;
  bool erases;
  bool decay_of_keys = false, beta_of_heads = false;
  std::size_t decay = 0, beta = 0, erase = 0;  // the places of the operands
  float scale;

  std::size_t output_heads() const { return std::max(query_heads, heads); }
  std::size_t blocks() const { return (values + block - 1) / block; }
};

std::size_t heads_of(const CustomCall& call, std::string_view name) {
  const auto n = call.attribute<std::int64_t>(name);
  if (n < 1 || n > 0xffff) refuse(fail("{} ({}) is not from 1 to {}", name, n, 0xffff));
  return static_cast<std::size_t>(n);
}

/// The last dimension of an operand of [batch, steps, n].
std::size_t last_of(const CustomCall& call, std::size_t i, std::string_view name) {
  const auto& [type, x] = operand(call, i, name, types::floats, 3);
  const auto& [query_type, query] = call.inputs[0];
  if (type != query_type)
    refuse(fail("the data type of its {} is {}, not {}", name, type, query_type));
  if (x[0] != query[0] || x[1] != query[1])
    refuse(fail("its {} of shape {} is not [{}, {}, ...]", name, x, query[0], query[1]));
  return x[2];
}
std::size_t size_of_head(std::size_t all, std::size_t heads, std::string_view name) {
  if (all % heads != 0)
    refuse(fail("the last dimension ({}) of its {} is not a multiple of its {} heads", all, name,
                heads));
  return all / heads;
}

Form form_of(const CustomCall& call) {
  Form f{};
  f.rule = rule_of(call);
  f.erases = call.attribute<bool>("erases");
  if (f.erases && !f.rule.delta) refuse(fail("erases is for the rules delta and gated_delta"));
  const std::size_t n = 4 + std::size_t{f.rule.gated} + f.rule.delta + f.erases;
  require_operands(call, n, n);
  f.query_heads = heads_of(call, "queryHeads"), f.heads = heads_of(call, "heads");
  if (f.query_heads % f.heads != 0 && f.heads % f.query_heads != 0)
    refuse(fail("queryHeads ({}) and heads ({}) are not multiples of each other", f.query_heads,
                f.heads));
  f.keys = size_of_head(last_of(call, 0, "query"), f.query_heads, "query");
  f.batch = call.inputs[0].shape[0], f.steps = call.inputs[0].shape[1];
  f.key_heads = last_of(call, 1, "key") / f.keys;
  if (f.key_heads == 0 || call.inputs[1].shape[2] % f.keys != 0 || f.heads % f.key_heads != 0)
    refuse(fail("the last dimension ({}) of its key is not that of a divisor of {} heads of {}",
                call.inputs[1].shape[2], f.heads, f.keys));
  f.values = size_of_head(last_of(call, 2, "value"), f.heads, "value");
  const auto& [state_type, state] = operand(call, 3, "state", types::floats, 4);
  const auto u = [](std::size_t v) { return static_cast<std::uint32_t>(v); };
  const Dims expected{u(f.batch), u(f.heads), u(f.keys), u(f.values)};
  if (state != expected) refuse(fail("its state of shape {} is not {}", state, expected));
  std::size_t next = 4;
  if (f.rule.gated) {
    const std::size_t last = last_of(call, f.decay = next++, "decay");
    f.decay_of_keys = last != f.heads;
    if (last != f.heads && last != f.heads * f.keys)
      refuse(fail("the last dimension ({}) of its decay is not {} or {}", last, f.heads,
                  f.heads * f.keys));
  }
  if (f.rule.delta) {
    const std::size_t last = last_of(call, f.beta = next++, "beta");
    f.beta_of_heads = last == f.heads;
    if (last != f.heads && last != 1)
      refuse(fail("the last dimension ({}) of its beta is not {} or 1", last, f.heads));
  }
  if (f.erases && last_of(call, f.erase = next++, "erase") != f.heads * f.keys)
    refuse(fail("the last dimension ({}) of its erase is not {}", call.inputs[f.erase].shape[2],
                f.heads * f.keys));
  const auto scale = call.attribute<double>("scale");
  if (!std::isfinite(scale)) refuse(fail("scale ({}) is not finite", scale));
  f.scale = static_cast<float>(scale == 0 ? 1 / std::sqrt(static_cast<double>(f.keys)) : scale);
  return f;
}

std::vector<MLOperandDescriptor> infer(const CustomCall& call) {
  const Form f = form_of(call);
  const auto u = [](std::size_t v) { return static_cast<std::uint32_t>(v); };
  return {{call.inputs[0].dataType, {u(f.batch), u(f.steps), u(f.output_heads() * f.values)}},
          call.inputs[3]};
}

/// A block of columns of the state of one head.
template <class T> struct Columns {
  const Form& f;
  const Buffers& b;
  std::size_t n, h, first, count;  // batch, head, column
  float* s;                        // [keys, count]

  const T* at(std::size_t operand, std::size_t step, std::size_t row, std::size_t place) const {
    return b.in<T>(operand) + (n * f.steps + step) * row + place;
  }

  /// The state fades, and what it then holds for the key is taken back from the value.
  void prepare(std::size_t step, const T* key, float* value) {
    const std::size_t each = f.decay_of_keys ? f.keys : 1;
    const T* gate = f.rule.gated ? at(f.decay, step, f.heads * each, h * each) : nullptr;
    const T* weights = f.erases ? at(f.erase, step, f.heads * f.keys, h * f.keys) : nullptr;
    float known[block] = {};
    float factor = gate ? std::exp(static_cast<float>(gate[0])) : 1;
    for (std::size_t i = 0; i < f.keys; ++i) {
      float* row = s + i * count;
      if (gate && f.decay_of_keys) factor = std::exp(static_cast<float>(gate[i]));
      if (gate)
        for (std::size_t j = 0; j < count; ++j) row[j] *= factor;
      if (!f.rule.delta) continue;
      float k = key[i];
      if (weights) k *= static_cast<float>(weights[i]);
      for (std::size_t j = 0; j < count; ++j) known[j] += k * row[j];
    }
    if (!f.rule.delta) return;
    const float beta = *at(f.beta, step, f.beta_of_heads ? f.heads : 1, f.beta_of_heads ? h : 0);
    for (std::size_t j = 0; j < count; ++j) value[j] = beta * (value[j] - known[j]);
  }
  /// The value is added under its key; y is what a query then reads.
  void write(const T* key, const float* value, const T* query, float* y) {
    std::fill(y, y + count, 0.0f);
    for (std::size_t i = 0; i < f.keys; ++i) {
      float* row = s + i * count;
      const float k = key[i], q = query[i];
      for (std::size_t j = 0; j < count; ++j) {
        row[j] += k * value[j];
        y[j] += q * row[j];
      }
    }
  }
  void read(const T* query, float* y) const {
    std::fill(y, y + count, 0.0f);
    for (std::size_t i = 0; i < f.keys; ++i) {
      const float q = query[i];
      for (std::size_t j = 0; j < count; ++j) y[j] += q * s[i * count + j];
    }
  }
  void put(std::size_t step, std::size_t head, const float* y) const {
    T* to = b.out<T>(0) + ((n * f.steps + step) * f.output_heads() + head) * f.values + first;
    for (std::size_t j = 0; j < count; ++j) to[j] = static_cast<T>(f.scale * y[j]);
  }
  void run() {
    const std::size_t key_head = h / (f.heads / f.key_heads);
    const bool shared = f.query_heads < f.heads;  // a query reads several states
    const std::size_t group = shared ? 1 : f.query_heads / f.heads;
    const std::size_t query_head = shared ? h * f.query_heads / f.heads : h * group;
    float value[block], y[block];
    for (std::size_t step = 0; step < f.steps; ++step) {
      const T* key = at(1, step, f.key_heads * f.keys, key_head * f.keys);
      const T* given = at(2, step, f.heads * f.values, h * f.values + first);
      const T* query = at(0, step, f.query_heads * f.keys, query_head * f.keys);
      for (std::size_t j = 0; j < count; ++j) value[j] = given[j];
      if (f.rule.gated || f.rule.delta) prepare(step, key, value);
      write(key, value, query, y);
      put(step, shared ? h : query_head, y);
      for (std::size_t g = 1; g < group; ++g) {
        read(query + g * f.keys, y);
        put(step, query_head + g, y);
      }
    }
  }
};

template <class T, class S>
void run_block(const Form& f, std::size_t row, const Buffers& b, std::byte* scratch) {
  const std::size_t head = row / f.blocks(), first = row % f.blocks() * block;
  Columns<T> c{f,
               b,
               head / f.heads,
               head % f.heads,
               first,
               std::min(block, f.values - first),
               reinterpret_cast<float*>(scratch)};
  const std::size_t at = head * f.keys * f.values + first;
  for (std::size_t i = 0; i < f.keys; ++i)
    for (std::size_t j = 0; j < c.count; ++j)
      c.s[i * c.count + j] = b.in<S>(3)[at + i * f.values + j];
  c.run();
  for (std::size_t i = 0; i < f.keys; ++i)
    for (std::size_t j = 0; j < c.count; ++j)
      b.out<S>(1)[at + i * f.values + j] = static_cast<S>(c.s[i * c.count + j]);
}

Lowering lower(const CustomCall& call) {
  const Form f = form_of(call);
  return with_float(call.inputs[0].dataType, [&]<class T>(std::type_identity<T>) -> Lowering {
    return with_float(call.inputs[3].dataType, [&]<class S>(std::type_identity<S>) -> Lowering {
      return by_rows(
          "linear_attention", f.batch * f.heads * f.blocks(), f.steps * f.keys * block,
          [f](std::size_t row, const Buffers& b, std::byte* scratch) {
            run_block<T, S>(f, row, b, scratch);
          },
          f.keys * block * sizeof(float));
    });
  });
}

}  // namespace

const Definition& linear_attention() {
  static const Definition one = custom_operator({.name = "webnn.LinearAttention",
                                                 .attributes = {{"queryHeads", {}},
                                                                {"heads", {}},
                                                                {"rule", "gated_delta"},
                                                                {"erases", false},
                                                                {"scale", 0.0}},
                                                 .infer = &infer,
                                                 .compute = computed_by(&lower),
                                                 .lower = &lower});
  return one;
}

}  // namespace webnn::inline v0_1::operators
