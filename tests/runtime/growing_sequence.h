// A decoder's attention over caches that grow, and the same caches by hand.
#pragma once

#include <cmath>

#include "tests/support/catch.h"
#include "webnn/state.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test::growing {

constexpr std::uint32_t heads = 2, width = 8, bound = 240;

/// Multiples of a sixteenth, which float16 has too.
inline std::vector<float> numbers(std::size_t n, std::size_t seed) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = static_cast<float>((i * 37 + seed * 101) % 61) / 16 - 1.875f;
  return v;
}
inline std::size_t count(std::uint32_t rows) { return std::size_t{heads} * rows * width; }

/// Rows [begin, begin + n) of `all` in each head.
inline std::vector<float> part(const std::vector<float>& all, std::size_t begin, std::size_t n) {
  std::vector<float> rows;
  const std::size_t each = all.size() / heads;
  for (std::size_t h = 0; h < heads; ++h) {
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(h * each + begin * width);
    rows.insert(rows.end(), at, at + static_cast<std::ptrdiff_t>(n * width));
  }
  return rows;
}
/// Rows behind the ones that are there, in each head.
inline std::vector<float> joined(const std::vector<float>& past, const std::vector<float>& fresh) {
  std::vector<float> all;
  for (std::size_t h = 0; h < heads; ++h)
    for (const auto* v : {&past, &fresh}) {
      const auto each = static_cast<std::ptrdiff_t>(v->size() / heads);
      const auto at = v->begin() + static_cast<std::ptrdiff_t>(h) * each;
      all.insert(all.end(), at, at + each);
    }
  return all;
}
/// Rows as columns, in each head.
inline std::vector<float> transposed(const std::vector<float>& v) {
  std::vector<float> to(v.size());
  const std::size_t rows = v.size() / heads / width;
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < width; ++c)
        to[(h * width + c) * rows + r] = v[(h * rows + r) * width + c];
  return to;
}

struct Form {
  bool masked = false, computed_mask = false;
  bool columns = false;  ///< keys are [1, heads, width, past]
  double cap = 0;        ///< cap * tanh(scores / cap)
  MLOperandDataType cache = float32;
};

/// Attention of new rows over a cache [1, heads, past, width].
struct Attention {
  MLOperand past_keys{}, past_values{}, keys{}, values{}, y{};

  Attention(MLGraphBuilder& b, const MLDimension& past, const MLDimension& fresh,
            const MLDimension& total, const Form& form) {
    const auto rows = [&](const char* name, const MLDimension& n, MLOperandDataType type) {
      return b.input(name, {type, {1u, heads, n, width}});
    };
    const auto turned = [&](const MLOperand& x) {
      return b.transpose(x, {.permutation = {{0, 1, 3, 2}}});
    };
    past_keys = form.columns ? b.input("past keys", {form.cache, {1u, heads, width, past}})
                             : rows("past keys", past, form.cache);
    past_values = rows("past values", past, form.cache);
    const MLOperand queries = rows("queries", fresh, float32);
    const MLOperand new_keys = b.cast(rows("keys", fresh, float32), form.cache);
    const MLOperand new_values = b.cast(rows("values", fresh, float32), form.cache);
    keys = form.columns ? b.concat({past_keys, turned(new_keys)}, 3)
                        : b.concat({past_keys, new_keys}, 2);
    values = b.concat({past_values, new_values}, 2);
    const MLOperand read = b.cast(keys, float32);
    MLOperand scores =
        b.matmul(b.mul(queries, b.constant(float32, 0.5)), form.columns ? read : turned(read));
    if (form.cap != 0) {
      const MLOperand cap = b.constant(float32, form.cap);
      scores = b.mul(b.tanh(b.div(scores, cap)), cap);
    }
    if (form.masked) scores = b.add(scores, b.input("mask", {float32, {fresh, total}}));
    if (form.computed_mask) {
      const MLOperand zero = b.constant({float32, {1}}, std::vector<float>{0});
      scores = b.add(scores, b.expandDynamic(zero, b.slice(b.shape(values), {2}, {1})));
    }
    y = b.matmul(b.softmax(scores, 3), b.cast(values, float32));
  }
  NamedOperands outputs() const {
    return {{"y", y}, {"present keys", keys}, {"present values", values}};
  }
};

inline MLGraph open_graph(const MLContext& context, const Form& form) {
  MLGraphBuilder b(context);
  const MLDynamicDimension past{.name = "past", .minSize = 0, .maxSize = bound};
  const Attention a(b, past, "new", "total", form);
  update(b, a.past_keys, a.keys);
  update(b, a.past_values, a.values);
  return b.build(a.outputs());
}

inline std::vector<float> causal(std::uint32_t past, std::uint32_t fresh) {
  std::vector<float> mask(std::size_t{fresh} * (past + fresh));
  for (std::uint32_t i = 0; i < fresh; ++i)
    for (std::uint32_t j = past + i + 1; j < past + fresh; ++j)
      mask[std::size_t{i} * (past + fresh) + j] = -1e30f;
  return mask;
}

/// The attention in double precision.
inline std::vector<double> expected(const std::vector<float>& queries,
                                    const std::vector<float>& keys,
                                    const std::vector<float>& values,
                                    const std::vector<float>& mask, double cap) {
  const std::size_t rows = queries.size() / heads / width, all = keys.size() / heads / width;
  std::vector<double> y;
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t i = 0; i < rows; ++i) {
      std::vector<double> p(all);
      double sum = 0, largest = -HUGE_VAL;
      for (std::size_t j = 0; j < all; ++j) {
        for (std::size_t k = 0; k < width; ++k)
          p[j] += 0.5 * double{queries[(h * rows + i) * width + k]} *
                  double{keys[(h * all + j) * width + k]};
        if (cap != 0) p[j] = cap * std::tanh(p[j] / cap);
        if (!mask.empty()) p[j] += double{mask[i * all + j]};
        largest = std::max(largest, p[j]);
      }
      for (double& x : p) sum += x = std::exp(x - largest);
      for (std::size_t k = 0; k < width; ++k) {
        double s = 0;
        for (std::size_t j = 0; j < all; ++j)
          s += p[j] / sum * double{values[(h * all + j) * width + k]};
        y.push_back(s);
      }
    }
  return y;
}

/// A sequence: its states, and the same caches by hand.
struct Sequence {
  MLContext context;
  MLGraph graph;
  Form form{};
  std::size_t seed = 0;
  MLTensor keys = createState(graph, "past keys"), values = createState(graph, "past values");
  std::vector<float> all_keys{}, all_values{}, queries{}, mask{};

  std::uint32_t size() const { return static_cast<std::uint32_t>(all_keys.size() / heads / width); }
  MLTensor tensor(const Dims& shape, const std::vector<float>& v) {
    const MLTensor t = context.createTensor(
        {.dataType = float32, .shape = shape, .readable = true, .writable = true});
    context.writeTensor(t, v);
    return t;
  }
  std::vector<float> read(const MLTensor& t) {
    std::vector<float> v(element_count(t.shape()));
    context.readTensor(t, v);
    return v;
  }
  /// The result for so many new rows.
  std::vector<float> step(std::uint32_t fresh, std::stop_token stop = {}) {
    const Dims shape{1, heads, fresh, width};
    const std::uint32_t past = size();
    const std::vector<float> k = numbers(count(fresh), ++seed), v = numbers(count(fresh), ++seed);
    queries = numbers(count(fresh), ++seed);
    const MLTensor y = tensor(shape, queries);
    std::vector<NamedTensor> in{{"queries", tensor(shape, queries)},
                                {"keys", tensor(shape, k)},
                                {"values", tensor(shape, v)},
                                {"past keys", keys},
                                {"past values", values}};
    if (form.masked) {
      mask = causal(past, fresh);
      in.push_back({"mask", tensor({fresh, past + fresh}, mask)});
    }
    context.dispatch(graph, in, {{"y", y}, {"present keys", keys}, {"present values", values}},
                     std::move(stop));
    all_keys = joined(all_keys, k);
    all_values = joined(all_values, v);
    return read(y);
  }
  /// The same of a graph whose sizes are known.
  std::vector<float> of_static(std::uint32_t fresh) {
    const std::uint32_t past = size() - fresh;
    MLGraphBuilder b(context);
    const Attention a(b, past, fresh, past + fresh, form);
    const MLGraph g = b.build(a.outputs());
    std::vector<float> y(count(fresh));
    std::vector<float> k0 = part(all_keys, 0, past);
    if (form.columns) k0 = transposed(k0);
    const std::vector<float> v0 = part(all_values, 0, past), k1 = part(all_keys, past, fresh),
                             v1 = part(all_values, past, fresh);
    std::vector<NamedInput> in{
        {"queries", queries}, {"keys", k1}, {"values", v1}, {"past keys", k0}, {"past values", v0}};
    if (form.masked) in.push_back({"mask", mask});
    context.compute(g, in, {{"y", y}});
    return y;
  }
  /// A step, compared with the oracle and with the static graph.
  void check(std::uint32_t fresh) {
    const std::vector<float> y = step(fresh);
    INFO(size() << " rows, " << fresh << " of them new");
    CHECK(values.shape() == Dims{1, heads, size(), width});
    CHECK(keys.shape() == (form.columns ? Dims{1, heads, width, size()} : values.shape()));
    const std::vector<double> oracle = expected(queries, all_keys, all_values, mask, form.cap);
    double worst = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
      worst = std::max(worst, std::abs(double{y[i]} - oracle[i]));
    CHECK(worst < 1e-5);
    if (size() > fresh) CHECK(y == of_static(fresh));
  }
};

}  // namespace webnn::inline v0_1::test::growing
