// States of several sequences in one dispatch: each has a length of its own.
#include <algorithm>

#include "src/kernels/backends.h"
#include "tests/runtime/growing_sequence.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test::growing;
using test::thrown;

namespace {

bool has_simd() { return std::ranges::count(backend_names(), "simd") > 0; }
bool contains(const std::string& text, std::string_view words) {
  return text.find(words) != std::string::npos;
}

struct Kind {
  MLOperandDataType cache = float32;
  bool masked = true;
  std::uint32_t group = 1;  ///< heads of queries for one of the keys
};

/// Attention of new rows, [sequences, heads, new, width], with a projection behind it.
MLGraph decoder(const MLContext& context, const Kind& kind, bool reads_state = false) {
  MLGraphBuilder b(context);
  const MLDynamicDimension past{.name = "past", .minSize = 0, .maxSize = bound};
  const auto rows = [&](const char* name, const MLDimension& n, MLOperandDataType type) {
    return b.input(name, {type, {"sequences", heads, n, width}});
  };
  const MLOperand past_keys = rows("past keys", past, kind.cache),
                  past_values = rows("past values", past, kind.cache);
  const MLOperand keys = b.concat({past_keys, b.cast(rows("keys", "new", float32), kind.cache)}, 2);
  const MLOperand values =
      b.concat({past_values, b.cast(rows("values", "new", float32), kind.cache)}, 2);
  const MLOperand queries =
      b.input("queries", {float32, {"sequences", heads, kind.group, "new", width}});
  const MLOperand k = b.unsqueeze(b.cast(keys, float32), {2}),
                  v = b.unsqueeze(b.cast(values, float32), {2});
  MLOperand scores = b.matmul(b.mul(queries, b.constant(float32, 0.5)),
                              b.transpose(k, {.permutation = {{0, 1, 2, 4, 3}}}));
  if (kind.masked)
    scores = b.add(scores, b.input("mask", {float32, {"sequences", 1, 1, "new", "total"}}));
  update(b, past_keys, keys);
  update(b, past_values, values);
  NamedOperands outputs{
      {"y", b.matmul(b.softmax(scores, 4), v)}, {"present keys", keys}, {"present values", values}};
  if (reads_state) outputs.push_back({"sum", b.reduceSum(b.cast(keys, float32))});
  return b.build(outputs);
}

class Decoder {
 public:
  Decoder(MLContext context, MLGraph graph, const Kind& kind)
      : context_(std::move(context)), graph_(std::move(graph)), kind_(kind) {}

  struct Caches {
    MLTensor keys, values;
  };
  Caches caches() const {
    const Dims empty{1, heads, 0, width};
    return {createState(graph_, "past keys", empty), createState(graph_, "past values", empty)};
  }
  static Caches join(const std::vector<Caches>& all) {
    std::vector<MLTensor> keys, values;
    for (const Caches& c : all) keys.push_back(c.keys), values.push_back(c.values);
    return {joinStates(keys), joinStates(values)};
  }

  /// Rows of all sequences, one after the other, with the numbers of `seeds`.
  std::vector<float> run(const Caches& c, std::uint32_t fresh,
                         const std::vector<std::size_t>& seeds, std::stop_token stop = {}) {
    const auto n = static_cast<std::uint32_t>(seeds.size());
    std::vector<float> q, k, v;
    for (const std::size_t seed : seeds) {
      for (std::uint32_t g = 0; g < kind_.group; ++g) append(q, numbers(count(fresh), seed + g));
      append(k, numbers(count(fresh), seed + 50));
      append(v, numbers(count(fresh), seed + 70));
    }
    const Dims rows{n, heads, fresh, width}, wide{n, heads, kind_.group, fresh, width};
    std::vector<NamedTensor> in{{"queries", tensor(wide, q)},
                                {"keys", tensor(rows, k)},
                                {"values", tensor(rows, v)},
                                {"past keys", c.keys},
                                {"past values", c.values}};
    if (kind_.masked) {
      const std::uint32_t past = c.keys.shape()[2], total = past + fresh;
      const std::vector<float> one = causal(past, fresh);
      std::vector<float> mask;
      for (std::uint32_t s = 0; s < n; ++s) append(mask, one);
      in.push_back({"mask", tensor({n, 1, 1, fresh, total}, mask)});
    }
    const MLTensor y = tensor(wide, q);
    context_.dispatch(graph_, in,
                      {{"y", y}, {"present keys", c.keys}, {"present values", c.values}},
                      std::move(stop));
    std::vector<float> values(q.size());
    context_.readTensor(y, values);
    return values;
  }
  std::vector<std::byte> rows_of(const MLTensor& t) { return context_.readTensor(t); }

 private:
  static void append(std::vector<float>& to, const std::vector<float>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }
  MLTensor tensor(const Dims& shape, const std::vector<float>& v) {
    const MLTensor t = context_.createTensor(
        {.dataType = float32, .shape = shape, .readable = true, .writable = true});
    context_.writeTensor(t, v);
    return t;
  }

  MLContext context_;
  MLGraph graph_;
  Kind kind_;
};

}  // namespace

TEST_CASE("joined states: each sequence has the bits of a run by itself") {
  if (!has_simd()) return;
  for (const int threads : {1, 2, 5})
    for (const Kind kind :
         {Kind{}, Kind{float16, true, 3}, Kind{float16, false, 1}, Kind{bfloat16, true, 2}}) {
      const MLContext context{{.threads = threads}};
      const MLGraph graph = decoder(context, kind);
      Decoder d(context, graph, kind);
      std::vector<Decoder::Caches> together, alone;
      const std::vector<std::uint32_t> prompts{5, 1, 37, 12, 64};
      for (std::size_t s = 0; s < prompts.size(); ++s) {
        for (auto* list : {&together, &alone}) {
          list->push_back(d.caches());
          d.run(list->back(), prompts[s], {s * 1000});
        }
      }
      const auto steps = [&](const std::vector<std::size_t>& of, int count, std::size_t seed) {
        std::vector<Decoder::Caches> some;
        for (const std::size_t s : of) some.push_back(together[s]);
        const Decoder::Caches joined = Decoder::join(some);
        for (int i = 0; i < count; ++i) {
          std::vector<std::size_t> seeds;
          for (const std::size_t s : of) seeds.push_back(seed + s * 7 + std::size_t(i) * 131);
          const std::vector<float> y = d.run(joined, 1, seeds);
          CHECK(contains(graph.explain(), "joined"));
          const std::size_t each = y.size() / of.size();
          for (std::size_t k = 0; k < of.size(); ++k) {
            const std::vector<float> own = d.run(alone[of[k]], 1, {seeds[k]});
            INFO("step " << i << ", sequence " << of[k]);
            CHECK(std::equal(own.begin(), own.end(), y.begin() + std::ptrdiff_t(k * each)));
            CHECK(together[of[k]].keys.shape() == alone[of[k]].keys.shape());
          }
        }
      };
      steps({0, 1, 2, 3, 4}, 6, 1);
      steps({4, 1}, 5, 2);  // others have left, and the order is another one
      steps({3}, 2, 3);
      steps({2, 3, 0, 4}, 5, 4);
      for (std::size_t s = 0; s < prompts.size(); ++s) {
        CHECK(d.rows_of(together[s].keys) == d.rows_of(alone[s].keys));
        CHECK(d.rows_of(together[s].values) == d.rows_of(alone[s].values));
      }
      CHECK(context.threads() == threads);
    }
}

TEST_CASE("joined states: the kernels can be measured") {
  if (!has_simd()) return;
  MLContext context{{.threads = 2}};
  const MLGraph graph = decoder(context, {});
  Decoder d(context, graph, {});
  std::vector<Decoder::Caches> all{d.caches(), d.caches()};
  for (const Decoder::Caches& c : all) d.run(c, 3, {1});
  d.run(Decoder::join(all), 1, {2, 3});
  CHECK(context.profile(graph, 2).size() > 0);
}

TEST_CASE("joined states: a run that is stopped leaves them as they were") {
  if (!has_simd()) return;
  const MLContext context{{.threads = 2}};
  const MLGraph graph = decoder(context, {});
  Decoder d(context, graph, {});
  std::vector<Decoder::Caches> all{d.caches(), d.caches()};
  d.run(all[0], 3, {1});
  d.run(all[1], 5, {2});
  const auto before = d.rows_of(all[1].keys);
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS(d.run(Decoder::join(all), 1, {3, 4}, stop.get_token()));
  CHECK_THROWS(d.rows_of(all[1].keys));
  for (const Decoder::Caches& c : all)
    for (const MLTensor& t : {c.keys, c.values}) resizeState(t, t.shape()[2] - 1);
  CHECK(d.rows_of(all[1].keys) == before);
  const std::vector<float> y = d.run(Decoder::join(all), 1, {3, 4});
  Decoder::Caches again = d.caches();
  d.run(again, 5, {2});
  const std::vector<float> own = d.run(again, 1, {4});
  CHECK(std::equal(own.begin(), own.end(), y.begin() + std::ptrdiff_t(own.size())));
}

TEST_CASE("joined states: what is refused") {
  MLContext context{{.threads = 1}};
  const MLGraph graph = decoder(context, {});
  Decoder d(context, graph, {});
  std::vector<Decoder::Caches> all{d.caches(), d.caches(), d.caches()};
  const auto join = [&](const std::vector<MLTensor>& list) {
    return thrown([&] { joinStates(list); });
  };
  CHECK(join({}) == "TypeError joinStates: there are no states.");
  CHECK(join({all[0].keys, MLTensor()}) == "TypeError joinStates: states[1] is empty.");
  CHECK(join({all[0].keys, all[0].keys}) == "TypeError joinStates: states[1] is there twice.");
  const MLTensor joined = joinStates({all[0].keys, all[1].keys});
  CHECK(joined.shape() == Dims{2, heads, 0, width});
  CHECK(join({all[2].keys, joined}) == "TypeError joinStates: states[1] is joined itself.");
  const MLTensor plain = context.createTensor({.dataType = float32, .shape = {1, 2}});
  CHECK(join({plain}) == "TypeError joinStates: states[0] is not a state that grows.");
  const MLTensor wide = createState(graph, "past keys", {2, heads, 0, width});
  CHECK(join({wide}) == "TypeError joinStates: dimension 0 (2) of states[0] is not 1.");
  const MLGraph other = decoder(context, {float16});
  CHECK(join({all[0].keys, createState(other, "past keys", {1, heads, 0, width})}) ==
        "TypeError joinStates: states[1] is of another type, shape, bound or context than "
        "states[0].");
  Decoder::Caches gone = d.caches();
  gone.keys.destroy();
  CHECK(join({all[0].keys, gone.keys}) == "TypeError joinStates: states[1] is destroyed.");
  CHECK(contains(thrown([&] { resizeState(joined, 0); }), "joins states"));
  CHECK_THROWS_AS(context.readTensor(joined), TypeError);
  CHECK_THROWS_AS(context.writeTensor(joined, std::vector<float>()), TypeError);

  const auto run = [&](const Decoder::Caches& c) { return thrown([&] { d.run(c, 1, {1, 2}); }); };
  d.run(all[0], 3, {1});
  CHECK(run(Decoder::join({all[0], all[1]})) ==
        "TypeError dispatch: state 1 of \"past keys\" is empty.");
  d.run(all[1], 2, {1});
  d.run(all[2], 4, {1});
  CHECK(
      run({joinStates({all[0].keys, all[1].keys}),
           joinStates({all[0].values, all[1].values, all[2].values})}) ==
      "TypeError dispatch: the tensor of \"past values\" joins 3 states, and another one joins 2.");
  CHECK(run({joinStates({all[0].keys, all[1].keys}), joinStates({all[1].values, all[0].values})}) ==
        "TypeError dispatch: state 0 of \"past values\" has 2 rows, and that of another tensor has "
        "3.");
  const Decoder::Caches full = d.caches();
  d.run(full, bound, {1});
  CHECK(contains(run(Decoder::join({all[0], full})), "has as many rows as its bound"));
  if (!has_simd()) return;
  CHECK(run({joinStates({all[0].keys, all[1].keys}), joinStates({all[0].keys, all[1].keys})}) ==
        "TypeError dispatch: a state is in two of the joined tensors.");

  // Two rows for each, and a graph that reads the states by other operators.
  CHECK_THROWS_AS(d.run(Decoder::join({all[0], all[1]}), 2, {1, 2}), NotSupportedError);
  MLGraph reader = decoder(context, {}, true);
  const Decoder::Caches both = Decoder::join({all[0], all[1]});
  const auto tensor = [&](const Dims& shape) {
    return context.createTensor({.dataType = float32, .shape = shape, .readable = true});
  };
  CHECK_THROWS_AS(context.dispatch(reader,
                                   {{"queries", tensor({2, heads, 1, 1, width})},
                                    {"keys", tensor({2, heads, 1, width})},
                                    {"values", tensor({2, heads, 1, width})},
                                    {"mask", tensor({2, 1, 1, 1, 4})},
                                    {"past keys", both.keys},
                                    {"past values", both.values}},
                                   {{"y", tensor({2, heads, 1, 1, width})},
                                    {"sum", tensor({})},
                                    {"present keys", both.keys},
                                    {"present values", both.values}}),
                  NotSupportedError);
  CHECK(all[0].keys.shape() == Dims{1, heads, 3, width});
  all[1].keys.destroy();
  CHECK(run(both) == "TypeError dispatch: a state that is joined is destroyed.");
}
