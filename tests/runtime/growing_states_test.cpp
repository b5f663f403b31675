// States that grow: the caches of a decoder, in tensors that have memory for their bound.
#include <cstring>
#include <thread>

#include "src/kernels/backends.h"
#include "tests/runtime/growing_sequence.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test::growing;
using test::thrown;

namespace {

bool contains(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}
bool has_simd() { return std::ranges::count(backend_names(), "simd") > 0; }

}  // namespace

TEST_CASE("states that grow: a prompt and 200 steps") {
  for (const bool masked : {false, true}) {
    const MLContext context{{.threads = 2}};
    const Form form{.masked = masked};
    Sequence s{context, open_graph(context, form), form};
    CHECK(s.keys.shape() == Dims{1, heads, 0, width});
    CHECK(stateCapacity(s.keys) == bound);
    s.check(masked ? 9 : 1);
    for (int i = 0; i < 200; ++i) s.check(1);
    s.check(3);
    s.check(11);
    CHECK(s.read(s.keys) == s.all_keys);
    CHECK(s.read(s.values) == s.all_values);
  }
}

TEST_CASE("states that grow: two sequences, in turn and from two threads") {
  MLContext context{{.threads = 2}};
  const Form form{.masked = true};
  const MLGraph graph = open_graph(context, form);
  std::vector<Sequence> all;
  for (std::size_t i = 0; i < 2; ++i) all.push_back({context, graph, form, i * 1000});
  all[0].check(5);
  for (int i = 0; i < 4; ++i)
    for (Sequence& s : all) s.check(1);
  std::vector<std::vector<float>> results[2];
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 40; ++k)
        results[i].push_back(all[i].step(1 + static_cast<std::uint32_t>(k % 2)));
    });
  for (std::thread& t : threads) t.join();
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(all[i].read(all[i].keys) == all[i].all_keys);
    Sequence again{context, graph, form, i * 1000};
    if (i == 0) again.step(5);
    for (int k = 0; k < 4; ++k) again.step(1);
    for (int k = 0; k < 40; ++k)
      CHECK(again.step(1 + static_cast<std::uint32_t>(k % 2)) ==
            results[i][static_cast<std::size_t>(k)]);
  }
}

TEST_CASE("states that grow: other sizes, values of the program") {
  MLContext context{{.threads = 1}};
  Sequence s{context, open_graph(context, {})};
  for (int i = 0; i < 6; ++i) s.check(2);
  resizeState(s.keys, 5);
  resizeState(s.values, 5);
  s.all_keys = part(s.all_keys, 0, 5);
  s.all_values = part(s.all_values, 0, 5);
  CHECK(s.read(s.keys) == s.all_keys);
  s.check(1);
  s.check(1);
  resizeState(s.keys, 9);  // zeros
  resizeState(s.values, 9);
  const std::vector<float> zeros(count(2));
  s.all_keys = joined(s.all_keys, zeros);
  s.all_values = joined(s.all_values, zeros);
  CHECK(s.read(s.values) == s.all_values);
  s.check(1);

  s.all_keys = numbers(count(10), 77);
  context.writeTensor(s.keys, s.all_keys);
  CHECK(s.read(s.keys) == s.all_keys);
  std::future<Constant> before = context.readTensor_async(s.keys);
  s.check(1);
  const Constant old = before.get();
  CHECK(old.bytes().size() == count(10) * sizeof(float));
  const std::vector<float> written = numbers(count(10), 77);
  CHECK(std::memcmp(old.bytes().data(), written.data(), old.bytes().size()) == 0);

  resizeState(s.keys, 0);
  resizeState(s.values, 0);
  s.all_keys = s.all_values = {};
  CHECK(s.read(s.keys).empty());
  s.check(4);
  s.check(1);
}

TEST_CASE("states that grow: the bound") {
  MLContext context{{.threads = 1}};
  Sequence s{context, open_graph(context, {})};
  s.check(bound - 1);
  s.check(1);
  CHECK(thrown([&] { s.step(1); }) ==
        "TypeError dispatch: the size (241) of dimension 2 of output \"present keys\" is beyond "
        "the bound of its "
        "state (240).");
  CHECK(s.keys.shape() == Dims{1, heads, bound, width});
  CHECK(s.read(s.keys) == s.all_keys);
  CHECK(thrown([&] { resizeState(s.keys, 241); }) ==
        "TypeError resizeState: the size (241) is beyond the bound of the state (240).");
  const MLTensor plain = s.tensor({1}, {1});
  CHECK(stateCapacity(plain) == 0);
  CHECK(thrown([&] { resizeState(plain, 1); }) ==
        "TypeError resizeState: the tensor is not a state that grows.");
  CHECK(thrown([&] { resizeState({}, 1); }) == "TypeError resizeState: the tensor is empty.");
  CHECK(thrown([&] { stateCapacity({}); }) == "TypeError stateCapacity: the tensor is empty.");
  // One of the states has another size:
  resizeState(s.keys, 7);
  CHECK(thrown([&] { s.step(1); }) ==
        "TypeError dispatch: the size (240) of dimension \"past\" of input \"past values\" is not "
        "that of input "
        "\"past keys\" (7).");
  s.keys.destroy();
  CHECK(thrown([&] { resizeState(s.keys, 1); }) ==
        "TypeError resizeState: the tensor is destroyed.");
}

TEST_CASE("states that grow: a run that is stopped leaves the rows before it") {
  MLContext context{{.threads = 1}};
  Sequence s{context, open_graph(context, {})};
  for (const std::uint32_t before : {5u, 1u}) {
    s.step(before);
    const std::vector<float> keys = s.all_keys, values = s.all_values;
    const std::uint32_t size = s.size();
    std::stop_source stop;
    stop.request_stop();
    CHECK(thrown([&] { s.step(1, stop.get_token()); }) == "AbortError dispatch: it was canceled.");
    s.all_keys = keys;
    s.all_values = values;
    CHECK(thrown([&] { s.read(s.keys); }) == "AbortError dispatch: it was canceled.");
    resizeState(s.keys, size + 1);
    CHECK(thrown([&] { s.read(s.keys); }) == "AbortError dispatch: it was canceled.");
    resizeState(s.keys, size);
    resizeState(s.values, size);
    CHECK(s.read(s.keys) == keys);
    CHECK(s.read(s.values) == values);
    s.check(1);
  }
}

TEST_CASE("states that grow: one specialization serves all lengths") {
  if (!has_simd()) return;
  const MLContext context{{.threads = 2}};
  for (const Form& form : {Form{}, Form{.masked = true}, Form{.columns = true}, Form{.cap = 2},
                           Form{.computed_mask = true}}) {
    Sequence s{context, open_graph(context, form), form};
    s.check(6);
    s.check(1);
    const std::string first = s.graph.explain();
    INFO(first);
    const bool in_place = form.cap == 0;
    CHECK(contains(first, "attention of few rows, growing") == in_place);
    CHECK(contains(first, "append rows") == in_place);
    for (int i = 0; i < 12; ++i) s.check(1);
    CHECK((s.graph.explain() == first) == in_place);
    s.check(2);  // other rows are another specialization
    CHECK(contains(s.graph.explain(), "append rows") == in_place);
    // So are prompts behind what is there, for all lengths too.
    for (const std::uint32_t rows : {5u, 8u, 40u}) {
      CAPTURE(rows);
      s.check(rows);
      const std::string prompt = s.graph.explain();
      CHECK(contains(prompt, "append rows") == in_place);
      const char* kernel = rows < 8 ? "attention of few rows, growing" : "attention, growing";
      CHECK(contains(prompt, kernel) == in_place);
      s.check(1);
      s.check(rows);
      CHECK((s.graph.explain() == prompt) == in_place);
    }
    s.check(1);
  }
}

TEST_CASE("states that grow: narrow caches have the results of float32 where they lose nothing") {
  const MLContext context{{.threads = 2}};
  for (const auto& [masked, type] :
       {std::pair(false, float16), {true, float16}, {false, bfloat16}, {true, bfloat16}}) {
    const Form wide{.masked = masked}, narrow{.masked = masked, .cache = type};
    Sequence a{context, open_graph(context, wide), wide},
        b{context, open_graph(context, narrow), narrow};
    for (const std::uint32_t rows : {7u, 1u, 1u, 3u, 1u, 9u, 1u, 1u})
      CHECK(a.step(rows) == b.step(rows));
    if (has_simd()) CHECK(contains(b.graph.explain(), "attention of few rows, growing"));
    for (int i = 0; i < 150; ++i) CHECK(a.step(1) == b.step(1));
    CHECK(b.keys.dataType() == type);
    CHECK(b.keys.shape() == a.keys.shape());
  }
}

TEST_CASE("states that grow: one tensor for one of two states, and tensors of other graphs") {
  MLContext context{{.threads = 1}};
  Sequence s{context, open_graph(context, Form{})}, other{context, open_graph(context, Form{})};
  s.check(3);
  s.check(1);
  // The same state for another graph:
  other.keys = s.keys;
  other.values = s.values;
  other.all_keys = s.all_keys;
  other.all_values = s.all_values;
  other.check(1);
  s.all_keys = other.all_keys;
  s.all_values = other.all_values;
  s.check(1);
  // Plain tensors for what comes out of the run:
  const Dims row{1, heads, 1, width}, longer{1, heads, s.size() + 1, width};
  const std::vector<float> one = numbers(count(1), 3);
  const MLTensor y = s.tensor(row, one), k = s.tensor(longer, numbers(count(s.size() + 1), 1)),
                 v = s.tensor(longer, numbers(count(s.size() + 1), 1));
  context.dispatch(s.graph,
                   {{"queries", s.tensor(row, one)},
                    {"keys", s.tensor(row, one)},
                    {"values", s.tensor(row, one)},
                    {"past keys", s.keys},
                    {"past values", s.values}},
                   {{"y", y}, {"present keys", k}, {"present values", v}});
  CHECK(s.read(k) == joined(s.all_keys, one));
  CHECK(s.read(v) == joined(s.all_values, one));
  CHECK(s.read(s.keys) == s.all_keys);
  CHECK(s.keys.shape() == Dims{1, heads, s.size(), width});
}

TEST_CASE("states that grow: a whole graph is measured, and destroyed while it is used") {
  MLContext context{{.threads = 2}};
  const Form form{.masked = true};
  Sequence s{context, open_graph(context, form), form};
  s.check(2);
  s.check(1);
  CHECK(!context.profile(s.graph, 2).empty());
  s.check(1);
  const std::vector<float> keys = s.all_keys;
  s.step(1);
  s.graph.destroy();
  CHECK(s.read(s.keys) == s.all_keys);
  CHECK(thrown([&] { createState(s.graph, "past keys"); }) ==
        "InvalidStateError MLGraph: the graph is destroyed.");
}

TEST_CASE("states that grow: what update() and createState() refuse") {
  MLContext context;
  MLGraphBuilder b(context);
  const auto dim = [](const char* name) {
    return MLDynamicDimension{.name = name, .minSize = 0, .maxSize = 9};
  };
  const MLOperand past = b.input("past", {float32, {2u, dim("p"), "c"}}),
                  fresh = b.input("fresh", {float32, {2u, "n", "c"}}),
                  unbounded = b.input("unbounded", {float32, {2u, "u"}}),
                  more = b.input("more", {float32, {2u, "m"}}),
                  small = b.input("small", {uint4, {dim("p"), 2u}}),
                  pairs = b.input("pairs", {float32, {"m", 2u}}),
                  square = b.input("square", {float32, {dim("p"), dim("q")}});
  const MLOperand scale = b.constant({float32, {1, 1}}, std::vector<float>{1}),
                  zero = b.constant({uint4, {1, 1}}, std::array{std::byte{}});
  const MLOperand present = b.concat({past, fresh}, 1);
  const std::string name = present.dimensions()->at(1).dynamic().name;
  const auto refused = [&](const MLOperand& in, const MLOperand& out) {
    return thrown([&] { update(b, in, out); });
  };
  CHECK(refused(past, b.cast(present, int32)) ==
        "TypeError update: state_out is int32 [2, " + name +
            ", c], and state_in \"past\" is float32 [2, p, c].");
  CHECK(refused(past, b.transpose(present, {.permutation = {{1, 0, 2}}})) ==
        "TypeError update: state_out is float32 [" + name +
            ", 2, c], and state_in \"past\" is float32 [2, p, c].");
  CHECK(refused(past, b.reduceSum(present, {.axes = {{2}}})) ==
        "TypeError update: state_out is float32 [2, " + name +
            "], and state_in \"past\" is float32 [2, p, c].");
  CHECK(refused(past, b.squeeze(present)) ==
        "TypeError update: state_out is float32 of any rank, and state_in \"past\" is float32 [2, "
        "p, c].");
  CHECK(refused(unbounded, b.concat({unbounded, more}, 1)) ==
        "TypeError update: the dimension \"u\", along which state_in \"unbounded\" grows, needs a "
        "bound: a maxSize.");
  CHECK(refused(square, b.pad(square, {1, 1}, {0, 0}))
            .find("grows along two dimensions, 0 and 1: state_out is float32 [") !=
        std::string::npos);
  CHECK(refused(small, b.quantizeLinear(pairs, scale, zero)) ==
        "TypeError update: state_in \"small\", uint4 [p, 2], cannot grow: its elements are smaller "
        "than a byte.");
  update(b, past, present);
  const MLGraph g = b.build({{"present", present}});
  const auto created = [&](const char* input, const Dims& shape) {
    return thrown([&] { createState(g, input, shape); });
  };
  CHECK(
      created("fresh", {}) ==
      "TypeError createState: input \"fresh\" of the graph is not a state: update() declares one.");
  CHECK(
      created("past", {}) ==
      "TypeError createState: dimension 2 (\"c\") of state \"past\" has no size: give its shape.");
  CHECK(created("past", {2, 10, 3}) ==
        "TypeError createState: the size (10) of dimension \"p\" of input \"past\" is not between "
        "0 and 9.");
  CHECK(created("past", {2, 4, 0}) ==
        "TypeError createState: the size (0) of dimension \"c\" of input \"past\" is not between 1 "
        "and 2147483647.");
  CHECK(created("past", {3, 4, 5}) ==
        "TypeError createState: the shape ([3, 4, 5]) of input \"past\" is not float32 [2, p, c].");
  CHECK(created("past", {2, 0, 0x7fffffff}).find("TypeError createState: ") == 0);
  CHECK(createState(g, "past", {2, 4, 3}).shape() == Dims{2, 4, 3});
  // A tensor that grows along another dimension:
  MLGraphBuilder other(context);
  const MLOperand rows = other.input("rows", {float32, {dim("r"), 0x7u, 3u}});
  const MLOperand longer = other.concat({rows, other.input("more", {float32, {2u, 0x7u, 3u}})}, 0);
  update(other, rows, longer);
  const MLTensor wrong = createState(other.build({{"longer", longer}}), "rows", {2, 7, 3});
  const auto plain = [&](const Dims& shape) {
    return context.createTensor({.dataType = float32, .shape = shape});
  };
  CHECK(thrown([&] {
          context.dispatch(g, {{"past", plain({2, 3, 3})}, {"fresh", plain({2, 5, 3})}},
                           {{"present", wrong}});
        }) ==
        "TypeError dispatch: the tensor of output \"present\" is float32 [2, 7, 3], which grows "
        "along dimension 0, "
        "not float32 [2, 8, 3].");
  // States whose sizes are fixed:
  MLGraphBuilder fixed(context);
  const MLOperand x = fixed.input("x", {float32, {2}}), twice = fixed.add(x, x);
  update(fixed, x, twice);
  const MLGraph f = fixed.build({{"twice", twice}});
  const MLTensor state = createState(f, "x");
  CHECK(stateCapacity(state) == 0);
  context.writeTensor(state, std::vector<float>{1, 2});
  for (int i = 0; i < 3; ++i) context.dispatch(f, {{"x", state}}, {{"twice", state}});
  std::vector<float> values(2);
  context.readTensor(state, values);
  CHECK(values == std::vector<float>{8, 16});
  CHECK(thrown([&] { createState(f, "x", {3}); }) ==
        "TypeError createState: the shape ([3]) of state \"x\" is not [2].");
}
