// Caches of int8 in blocks with a scale each, which attention reads as they are.
#include <algorithm>
#include <cmath>

#include "src/kernels/backends.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"
#include "webnn/state.h"
#include "webnn/webnn.h"

using namespace webnn;
using webnn::test::Random;

namespace {

constexpr std::uint32_t heads = 2, group = 3, block = 32, bound = 200;

bool has_simd() { return std::ranges::count(backend_names(), "simd") > 0; }
bool contains(const std::string& text, std::string_view words) {
  return text.find(words) != std::string::npos;
}

struct Form {
  std::uint32_t blocks = 2;
  std::uint32_t size = block;  ///< of a block
  bool scale_of_head = false;  ///< one for all blocks of a row
  bool multiplies_twice = false;
  bool reversed = false;  ///< the last scale is that of the first block
  std::uint32_t width() const { return blocks * size; }
  std::uint32_t scales() const { return scale_of_head ? 1 : blocks; }
  std::uint32_t place_of(std::uint32_t i) const {
    const std::uint32_t at = scale_of_head ? 0 : i / size;
    return reversed ? scales() - 1 - at : at;
  }
};

MLGraph decoder(const MLContext& context, const Form& f) {
  MLGraphBuilder b(context);
  const MLDynamicDimension past{.name = "past", .minSize = 0, .maxSize = bound};
  NamedOperands outputs;
  const auto state = [&](const std::string& name) {
    const auto grown = [&](const std::string& own, MLOperandDataType type, std::uint32_t last) {
      const MLOperand before = b.input("past " + own, {type, {"sequences", heads, past, last}}),
                      fresh = b.input(own, {type, {"sequences", heads, "new", last}});
      const MLOperand after = b.concat({before, fresh}, 2);
      update(b, before, after);
      outputs.push_back({"present " + own, after});
      return after;
    };
    const MLOperand integers = grown(name, int8, f.width());
    const MLOperand scales = grown(name + " scales", float32, f.scales());
    std::vector<std::int32_t> places(f.width());
    for (std::uint32_t i = 0; i < f.width(); ++i)
      places[i] = static_cast<std::int32_t>(f.place_of(i));
    const MLOperand each = b.gather(scales, b.constant({int32, {f.width()}}, places), {.axis = 3});
    MLOperand y = b.mul(each, b.cast(integers, float32));
    if (f.multiplies_twice) y = b.mul(y, each);
    return b.unsqueeze(y, {2});
  };
  const MLOperand keys = state("keys"), values = state("values");
  const MLOperand queries =
      b.input("queries", {float32, {"sequences", heads, group, "new", f.width()}});
  MLOperand scores = b.matmul(b.mul(queries, b.constant(float32, 0.25)),
                              b.transpose(keys, {.permutation = {{0, 1, 2, 4, 3}}}));
  scores = b.add(scores, b.input("mask", {float32, {"sequences", 1, 1, "new", "total"}}));
  outputs.push_back({"y", b.matmul(b.softmax(scores, 4), values)});
  return b.build(outputs);
}

/// Rows of keys or values of one sequence, by head.
struct Rows {
  std::vector<std::vector<std::int8_t>> integers{heads};
  std::vector<std::vector<float>> scales{heads};
  void add(const Rows& more) {
    for (std::size_t h = 0; h < heads; ++h) {
      integers[h].insert(integers[h].end(), more.integers[h].begin(), more.integers[h].end());
      scales[h].insert(scales[h].end(), more.scales[h].begin(), more.scales[h].end());
    }
  }
};
template <class T> std::vector<T> flat(const std::vector<std::vector<T>>& parts) {
  std::vector<T> all;
  for (const auto& p : parts) all.insert(all.end(), p.begin(), p.end());
  return all;
}

struct Step {
  Rows keys, values;
  std::vector<float> queries;
};

class Sequence {
 public:
  /// `in_place`: the states are in tensors that grow; else the program has them.
  Sequence(MLContext context, MLGraph graph, const Form& form, bool in_place, std::uint64_t seed)
      : context_(std::move(context)),
        graph_(std::move(graph)),
        form_(form),
        in_place_(in_place),
        random_(seed) {
    for (const std::string name : {"keys", "values"}) {
      add_state(name, form.width());
      add_state(name + " scales", form.scales());
    }
  }

  Step fresh(std::uint32_t rows) {
    Step s;
    for (Rows* r : {&s.keys, &s.values})
      for (std::size_t h = 0; h < heads; ++h) {
        for (std::uint32_t i = 0; i < rows * form_.width(); ++i)
          r->integers[h].push_back(static_cast<std::int8_t>(random_.integer(0, 254)) - 127);
        for (std::uint32_t i = 0; i < rows * form_.scales(); ++i)
          r->scales[h].push_back(static_cast<float>(random_.uniform(0.001, 0.03)));
      }
    for (std::uint32_t i = 0; i < heads * group * rows * form_.width(); ++i)
      s.queries.push_back(static_cast<float>(random_.uniform(-1, 1)));
    return s;
  }

  std::vector<float> run(const Step& s, std::uint32_t rows) {
    const std::uint32_t past = size_;
    std::vector<NamedTensor> in, out;
    const Dims wide{1, heads, group, rows, form_.width()};
    in.push_back({"queries", tensor(float32, wide, s.queries)});
    std::vector<float> mask(std::size_t{rows} * (past + rows));
    for (std::uint32_t i = 0; i < rows; ++i)
      for (std::uint32_t j = past + i + 1; j < past + rows; ++j)
        mask[std::size_t{i} * (past + rows) + j] = -1e30f;
    in.push_back({"mask", tensor(float32, {1, 1, 1, rows, past + rows}, mask)});
    add(in, out, "keys", s.keys, rows);
    add(in, out, "values", s.values, rows);
    const MLTensor y = tensor(float32, wide, s.queries);
    out.push_back({"y", y});
    context_.dispatch(graph_, in, out);
    if (!in_place_)
      for (State& st : states_)
        for (const NamedTensor& o : out)
          if (o.name == st.present) st.tensor = o.tensor;
    size_ += rows;
    keys_.add(s.keys);
    values_.add(s.values);
    std::vector<float> result(s.queries.size());
    context_.readTensor(y, result);
    return result;
  }

  /// In double precision, over the rows as numbers.
  std::vector<double> expected(const Step& s, std::uint32_t rows) const {
    std::vector<double> y;
    const std::uint32_t width = form_.width(), past = size_ - rows;
    const auto at = [&](const Rows& r, std::size_t h, std::size_t row, std::uint32_t i) {
      const std::size_t k = row * width + i;
      const double scale = r.scales[h][row * form_.scales() + form_.place_of(i)];
      return r.integers[h][k] * scale * (form_.multiplies_twice ? scale : 1);
    };
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t q = 0; q < group * rows; ++q) {
        const float* query = s.queries.data() + (h * group * rows + q) * width;
        const std::size_t seen = past + q % rows + 1;
        std::vector<double> scores(seen);
        double most = -1e300, sum = 0;
        for (std::size_t j = 0; j < seen; ++j) {
          for (std::uint32_t i = 0; i < width; ++i)
            scores[j] += double{query[i]} * 0.25 * at(keys_, h, j, i);
          most = std::max(most, scores[j]);
        }
        for (double& x : scores) sum += x = std::exp(x - most);
        for (std::uint32_t i = 0; i < width; ++i) {
          double v = 0;
          for (std::size_t j = 0; j < seen; ++j) v += scores[j] / sum * at(values_, h, j, i);
          y.push_back(v);
        }
      }
    return y;
  }

  /// Keeps the first rows.
  void cut(std::uint32_t rows) {
    for (State& s : states_) {
      if (in_place_) {
        resizeState(s.tensor, rows);
        continue;
      }
      const Dims before = s.tensor.shape();
      const std::size_t row = s.last * (s.tensor.dataType() == int8 ? 1 : 4);
      const std::vector<std::byte> all = context_.readTensor(s.tensor);
      std::vector<std::byte> some;
      for (std::size_t h = 0; h < heads; ++h) {
        const auto at = all.begin() + static_cast<std::ptrdiff_t>(h * before[2] * row);
        some.insert(some.end(), at, at + static_cast<std::ptrdiff_t>(rows * row));
      }
      s.tensor = context_.createTensor({.dataType = s.tensor.dataType(),
                                        .shape = {1, heads, rows, s.last},
                                        .readable = true,
                                        .writable = true});
      context_.writeTensor(s.tensor, InputView(std::span<const std::byte>(some)));
    }
    size_ = rows;
  }
  std::uint32_t size() const { return size_; }
  std::vector<MLTensor> tensors() const {
    std::vector<MLTensor> all;
    for (const State& s : states_) all.push_back(s.tensor);
    return all;
  }

 private:
  struct State {
    std::string name, past, present;
    std::uint32_t last;
    MLTensor tensor;
  };
  void add_state(const std::string& name, std::uint32_t last) {
    const MLTensor state =
        in_place_ ? createState(graph_, "past " + name, {1, heads, 0, last}) : MLTensor();
    states_.push_back({name, "past " + name, "present " + name, last, state});
  }
  template <class T>
  MLTensor tensor(MLOperandDataType type, const Dims& shape, const std::vector<T>& v) {
    const MLTensor t = context_.createTensor(
        {.dataType = type, .shape = shape, .readable = true, .writable = true});
    context_.writeTensor(t, v);
    return t;
  }
  void add(std::vector<NamedTensor>& in, std::vector<NamedTensor>& out, const std::string& name,
           const Rows& rows, std::uint32_t n) {
    for (const State& s : states_) {
      const bool scales = s.name == name + " scales";
      if (s.name != name && !scales) continue;
      const Dims shape{1, heads, n, s.last};
      in.push_back({s.name, scales ? tensor(float32, shape, flat(rows.scales))
                                   : tensor(int8, shape, flat(rows.integers))});
      MLTensor before = s.tensor, after = s.tensor;
      const MLOperandDataType type = scales ? float32 : int8;
      const auto sized = [&](std::uint32_t size) {
        return context_.createTensor({.dataType = type,
                                      .shape = {1, heads, size, s.last},
                                      .readable = true,
                                      .writable = true});
      };
      if (!in_place_) {
        if (!before) before = createState(graph_, s.past, {1, heads, 0, s.last});
        after = sized(size_ + n);
      }
      in.push_back({s.past, before});
      out.push_back({s.present, after});
    }
  }

  MLContext context_;
  MLGraph graph_;
  Form form_;
  bool in_place_;
  Random random_;
  std::vector<State> states_{};
  Rows keys_{}, values_{};
  std::uint32_t size_ = 0;
};

constexpr std::uint32_t lengths[] = {5, 1, 1, 12, 1, 1, 40, 3, 1, 1, 1, 70, 1, 1};

}  // namespace

TEST_CASE("states of int8: attention has the values of plain loops, and the bits of other graphs") {
  for (const std::uint32_t blocks : {1u, 2u, 4u}) {
    CAPTURE(blocks);
    const Form form{.blocks = blocks};
    std::vector<std::vector<float>> first;
    for (const int threads : {1, 2, 5}) {
      const MLContext context{{.threads = threads}};
      const MLGraph graph = decoder(context, form);
      Sequence grows(context, graph, form, true, blocks), whole(context, graph, form, false, 0);
      std::size_t step = 0;
      for (const std::uint32_t rows : lengths) {
        CAPTURE(threads, step, rows);
        const Step s = grows.fresh(rows);
        const std::vector<float> y = grows.run(s, rows);
        if (has_simd() && step > 0) {
          const std::string plan = graph.explain();
          INFO(plan);
          CHECK(contains(plan, "append rows"));
          CHECK(contains(plan, ", growing"));
        }
        CHECK(whole.run(s, rows) == y);
        if (threads == 1) {
          const std::vector<double> expected = grows.expected(s, rows);
          double worst = 0;
          for (std::size_t i = 0; i < y.size(); ++i)
            worst = std::max(worst, std::abs(expected[i] - double{y[i]}));
          CHECK(worst < 1e-5);
          first.push_back(y);
        } else {
          CHECK(first[step] == y);
        }
        ++step;
      }
    }
  }
}

TEST_CASE("states of int8: sequences that are joined have the bits of each by itself") {
  if (!has_simd()) return;
  const MLContext context{{.threads = 2}};
  const Form form;
  const MLGraph graph = decoder(context, form);
  std::vector<Sequence> together, alone;
  const std::vector<std::uint32_t> prompts{5, 1, 33};
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    together.emplace_back(context, graph, form, true, i + 1);
    alone.emplace_back(context, graph, form, true, i + 1);
    together[i].run(together[i].fresh(prompts[i]), prompts[i]);
    alone[i].run(alone[i].fresh(prompts[i]), prompts[i]);
  }
  MLContext c = context;
  const auto n = static_cast<std::uint32_t>(prompts.size());
  std::vector<MLTensor> joined;
  for (std::size_t s = 0; s < 4; ++s) {
    std::vector<MLTensor> parts;
    for (const Sequence& one : together) parts.push_back(one.tensors()[s]);
    joined.push_back(joinStates(parts));
  }
  for (int step = 0; step < 6; ++step) {
    std::vector<float> queries, expected, scales[2];
    std::vector<std::int8_t> integers[2];
    for (Sequence& one : alone) {
      const Step s = one.fresh(1);
      queries.insert(queries.end(), s.queries.begin(), s.queries.end());
      for (const int k : {0, 1}) {
        const Rows& rows = k == 0 ? s.keys : s.values;
        for (const std::int8_t x : flat(rows.integers)) integers[k].push_back(x);
        for (const float x : flat(rows.scales)) scales[k].push_back(x);
      }
      const auto y = one.run(s, 1);
      expected.insert(expected.end(), y.begin(), y.end());
    }
    const auto tensor = [&](MLOperandDataType type, const Dims& shape, InputView v) {
      const MLTensor t =
          c.createTensor({.dataType = type, .shape = shape, .readable = true, .writable = true});
      c.writeTensor(t, v);
      return t;
    };
    const std::uint32_t total = joined[0].shape()[2] + 1;
    const Dims wide{n, heads, group, 1, form.width()};
    const MLTensor y = tensor(float32, wide, queries);
    const Dims of_integers{n, heads, 1, form.width()}, of_scales{n, heads, 1, form.blocks};
    const std::vector<float> mask(std::size_t{n} * total);
    c.dispatch(graph,
               {{"queries", tensor(float32, wide, queries)},
                {"mask", tensor(float32, {n, 1, 1, 1, total}, mask)},
                {"keys", tensor(int8, of_integers, integers[0])},
                {"keys scales", tensor(float32, of_scales, scales[0])},
                {"values", tensor(int8, of_integers, integers[1])},
                {"values scales", tensor(float32, of_scales, scales[1])},
                {"past keys", joined[0]},
                {"past keys scales", joined[1]},
                {"past values", joined[2]},
                {"past values scales", joined[3]}},
               {{"y", y},
                {"present keys", joined[0]},
                {"present keys scales", joined[1]},
                {"present values", joined[2]},
                {"present values scales", joined[3]}});
    CHECK(contains(graph.explain(), "joined"));
    std::vector<float> values(queries.size());
    c.readTensor(y, values);
    CHECK(values == expected);
  }
}

TEST_CASE("states of int8: other forms are computed as they are written") {
  for (const Form form :
       {Form{.blocks = 4, .size = 16}, Form{.blocks = 2, .size = 64}, Form{.scale_of_head = true},
        Form{.multiplies_twice = true}, Form{.reversed = true}}) {
    const MLContext context{{.threads = 2}};
    const MLGraph graph = decoder(context, form);
    Sequence s(context, graph, form, true, 3);
    for (const std::uint32_t rows : {4u, 1u, 1u}) {
      const Step step = s.fresh(rows);
      const std::vector<float> y = s.run(step, rows);
      const std::vector<double> expected = s.expected(step, rows);
      double worst = 0;
      for (std::size_t i = 0; i < y.size(); ++i)
        worst = std::max(worst, std::abs(expected[i] - double{y[i]}));
      CHECK(worst < 1e-5);
    }
    CHECK_FALSE(contains(graph.explain(), "append rows"));
  }
}

TEST_CASE(
    "states of int8: random sequences of prompts, steps and cuts have the bits of other graphs") {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Form form{.blocks = random.integer(1, 4)};
    const MLContext context{{.threads = static_cast<int>(random.integer(1, 3))}};
    const MLGraph graph = decoder(context, form);
    Sequence grows(context, graph, form, true, seed), whole(context, graph, form, false, 0);
    for (std::uint32_t i = random.integer(3, 8); i > 0; --i) {
      const std::uint32_t most = random.integer(0, 1) ? 3 : 60;
      const std::uint32_t rows = std::min(random.integer(1, most), bound - grows.size());
      if (rows == 0) break;
      const Step s = grows.fresh(rows);
      CHECK(grows.run(s, rows) == whole.run(s, rows));
      if (random.integer(0, 4) > 0) continue;
      const std::uint32_t kept = random.integer(1, grows.size());
      grows.cut(kept);
      whole.cut(kept);
    }
  }
}
