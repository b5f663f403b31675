// State that a dispatch updates in place, or by a copy.
#include <algorithm>

#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/state.h"
#include "webnn/webnn.h"

using namespace webnn;
using test::thrown;

namespace {

constexpr std::uint32_t rows = 5, columns = 8;
const MLOperandDescriptor cache_type{float32, {rows, columns}};

/// A new row at a position, in a cache.
struct Cache {
  MLContext context{{.threads = 2}};
  MLGraphBuilder b{context};
  MLOperand past = b.input("past", cache_type);
  MLOperand row = b.input("row", {float32, {1, columns}});
  MLOperand position = b.input("position", {int32, {1, 1}});

  MLOperand scattered() { return b.scatterND(past, position, row); }

  MLTensor tensor(const MLOperandDescriptor& d) {
    return context.createTensor(
        {.dataType = d.dataType, .shape = d.shape, .readable = true, .writable = true});
  }
  std::vector<float> values(const MLTensor& t) {
    std::vector<float> v(element_count(t.shape()));
    context.readTensor(t, v);
    return v;
  }
  MLTensor first() {
    const MLTensor t = tensor(cache_type);
    std::vector<float> v(rows * columns);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i);
    context.writeTensor(t, v);
    return t;
  }
  /// Three steps, each writing one row.
  std::vector<float> run(const MLGraph& g, bool same, const NamedDescriptors& more = {}) {
    MLTensor now = first(), next = tensor(cache_type);
    const MLTensor r = tensor({float32, {1, columns}}), p = tensor({int32, {1, 1}});
    std::vector<NamedTensor> others;
    for (const auto& [name, d] : more) others.push_back({name, tensor(d)});
    for (std::int32_t step : {3, 0, 4}) {
      context.writeTensor(r, std::vector<float>(columns, 100.f + static_cast<float>(step)));
      context.writeTensor(p, std::vector<std::int32_t>{step});
      std::vector<NamedTensor> in{{"past", now}, {"row", r}, {"position", p}};
      std::vector<NamedTensor> out{{"present", same ? now : next}};
      out.insert(out.end(), others.begin(), others.end());
      context.dispatch(g, in, out);
      if (!same) std::swap(now, next);
    }
    std::vector<float> all = values(now);
    for (const auto& [name, t] : others) {
      const std::vector<float> v = values(t);
      all.insert(all.end(), v.begin(), v.end());
    }
    return all;
  }
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("update: a row is written in place") {
  std::vector<float> expected;
  for (std::uint32_t i = 0; i < rows * columns; ++i) {
    const std::uint32_t row = i / columns;
    expected.push_back(row == 0 || row == 3 || row == 4 ? 100.f + static_cast<float>(row)
                                                        : static_cast<float>(i));
  }
  for (const bool nd : {false, true}) {
    Cache c;
    MLOperand y = c.scattered();
    if (!nd)
      y = c.b.scatterElements(c.past, c.b.expand(c.position, {1, columns}), c.row, {.axis = 0});
    update(c.b, c.past, y);
    const MLGraph g = c.b.build({{"present", y}});
    CHECK(contains(g.explain(), "state: \"past\" -> \"present\" in place"));
    CHECK(c.run(g, true) == expected);
    CHECK(c.run(g, false) == expected);
  }
}

TEST_CASE("update: what reads the new state, and what reads the old one before it is written") {
  Cache c;
  const MLOperand y = c.scattered();
  update(c.b, c.past, y);
  const MLGraph g = c.b.build({{"present", y}, {"sum", c.b.reduceSum(y, {.axes = {0}})}});
  CHECK(contains(g.explain(), "in place"));
  CHECK(c.run(g, true, {{"sum", {float32, {columns}}}}) ==
        c.run(g, false, {{"sum", {float32, {columns}}}}));
}

TEST_CASE("update: rows that are assigned by a concat of slices") {
  for (const std::uint32_t axis : {0u, 1u})
    for (const std::uint32_t at : {0u, 2u, 4u}) {
      INFO(axis << ' ' << at);
      Cache c;
      const std::uint32_t size = axis == 0 ? rows : columns;
      const MLOperand value =
          axis == 0 ? c.row : c.b.reshape(c.b.slice(c.row, {0, 0}, {1, rows}), {rows, 1});
      const auto part = [&](std::uint32_t begin, std::uint32_t count) {
        return axis == 0 ? c.b.slice(c.past, {begin, 0}, {count, columns})
                         : c.b.slice(c.past, {0, begin}, {rows, count});
      };
      std::vector<MLOperand> parts;
      if (at > 0) parts.push_back(part(0, at));
      parts.push_back(c.b.add(value, c.b.cast(c.position, float32)));
      if (at + 1 < size) parts.push_back(part(at + 1, size - at - 1));
      const MLOperand y = c.b.concat(parts, axis);
      update(c.b, c.past, y);
      const MLGraph g = c.b.build({{"present", y}});
      INFO(g.explain());
      CHECK(contains(g.explain(), "in place"));
      const std::vector<float> now = c.run(g, true);
      CHECK(now == c.run(g, false));
      for (std::uint32_t i = 0; i < rows * columns; ++i) {
        const bool assigned = (axis == 0 ? i / columns : i % columns) == at;
        CHECK(now[i] == (assigned ? 108.f : static_cast<float>(i)));
      }
    }
}

TEST_CASE("update: by a copy where it cannot be done in place") {
  const NamedDescriptors sum{{"sum", {float32, {columns}}}};
  SECTION("the old state is read later") {
    Cache c;
    const MLOperand y = c.scattered();
    update(c.b, c.past, y);
    const MLOperand later =
        c.b.add(c.b.reduceSum(y, {.axes = {0}}), c.b.reduceSum(c.past, {.axes = {0}}));
    const MLGraph g = c.b.build({{"present", y}, {"sum", later}});
    const bool in_place = contains(g.explain(), "in place");  // the order of the steps decides
    INFO(g.explain());
    CHECK((in_place || contains(g.explain(), "by a copy")));
    CHECK(c.run(g, true, sum) == c.run(g, false, sum));
  }
  SECTION("the old state has to be kept") {
    Cache c;
    const MLOperand y = c.scattered();
    update(c.b, c.past, y);
    const MLGraph g = c.b.build({{"present", y}, {"old", c.b.identity(c.past)}});
    const NamedDescriptors old{{"old", cache_type}};
    INFO(g.explain());
    CHECK(c.run(g, true, old) == c.run(g, false, old));
  }
  SECTION("an operator that needs both") {
    Cache c;
    const MLOperand y = c.b.add(c.b.reverse(c.past, {.axes = Dims{0}}),
                                c.b.mul(c.row, c.b.cast(c.position, float32)));
    update(c.b, c.past, y);
    const MLGraph g = c.b.build({{"present", y}});
    CHECK(contains(g.explain(), "by a copy"));
    CHECK(c.run(g, true) == c.run(g, false));
  }
}

TEST_CASE("update: values that were read before stay as they were") {
  Cache c;
  const MLOperand y = c.scattered();
  update(c.b, c.past, y);
  const MLGraph g = c.b.build({{"present", y}});
  const MLTensor t = c.first(), r = c.tensor({float32, {1, columns}}),
                 p = c.tensor({int32, {1, 1}});
  std::future<Constant> before = c.context.readTensor_async(t);
  c.context.writeTensor(r, std::vector<float>(columns, -1));
  c.context.dispatch(g, {{"past", t}, {"row", r}, {"position", p}}, {{"present", t}});
  const std::vector<float> now = c.values(t);
  const Constant old = before.get();
  const float* values = reinterpret_cast<const float*>(old.bytes().data());
  CHECK(values[0] == 0);
  CHECK(values[1] == 1);
  CHECK(now[0] == -1);
  CHECK(now[columns] == columns);
}

TEST_CASE("update: profile() updates a state in place, as a dispatch does") {
  std::vector<std::pair<const std::byte*, const std::byte*>> seen;
  const auto own = test::own_backend([&](Chain chain) -> Lowering {
    if (!chain.back().as<ops::neg>()) return Refusal{"not its operator"};
    Candidate c = test::float_kernel(
        chain, [](float x) { return -x; }, 1);
    c.run = [&seen, run = c.run](Range r, const Buffers& b, std::byte* scratch) {
      seen.emplace_back(b.inputs[0], b.outputs[0]);
      run(r, b, scratch);
    };
    return c;
  });
  MLContext context{{.threads = 1, .backends = {{own}}}};
  MLGraphBuilder b(context);
  const MLOperand state = b.input("state", cache_type), other = b.input("other", cache_type);
  const MLOperand next = b.neg(state), y = b.neg(other);
  update(b, state, next);
  const MLGraph g = b.build({{"next", next}, {"y", y}});
  context.profile(g, 2);
  REQUIRE(seen.size() >= 4);
  CHECK(std::ranges::count_if(seen, [](const auto& p) { return p.first == p.second; }) ==
        std::ptrdiff_t(seen.size() / 2));
}

TEST_CASE("update: errors") {
  Cache c;
  const MLOperand y = c.scattered();
  CHECK(thrown([&] { update(c.b, y, y); }) ==
        "TypeError update: state_in is not an input of this builder.");
  CHECK(thrown([&] { update(c.b, c.past, c.past); }) ==
        "TypeError update: state_out is not a result of this builder.");
  CHECK(thrown([&] { update(c.b, c.row, y); }) ==
        "TypeError update: state_out is float32 [5, 8], and state_in \"row\" is float32 [1, 8].");
  CHECK(thrown([&] { update(c.b, {}, y); }) ==
        "TypeError update: state_in is not an input of this builder.");
  update(c.b, c.past, y);
  CHECK(thrown([&] { update(c.b, c.past, c.b.neg(c.past)); }) ==
        "TypeError update: the state \"past\" is declared already.");
  CHECK(thrown([&] {
          c.b.build({{"sum", c.b.neg(y)}});
        }) == "TypeError build: the updated state of input \"past\" is not an output.");
  const MLGraph g = c.b.build({{"present", y}});
  CHECK(thrown([&] { update(c.b, c.row, y); }) ==
        "InvalidStateError update: the builder has already built a graph.");
  const MLTensor t = c.first(), r = c.tensor({float32, {1, columns}}),
                 p = c.tensor({int32, {1, 1}});
  MLGraphBuilder other(c.context);
  const MLOperand x = other.input("past", cache_type);
  const MLGraph plain = other.build({{"present", other.neg(x)}});
  CHECK(thrown([&] {
          c.context.dispatch(plain, {{"past", t}}, {{"present", t}});
        }) == "TypeError dispatch: one tensor is used for \"past\" and for \"present\".");
}
