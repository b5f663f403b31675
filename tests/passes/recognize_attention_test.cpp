#include <limits>

#include "src/graph/fused/expand.h"
#include "tests/passes/small_graphs.h"
#include "tests/support/attention_forms.h"
#include "webnn/passes.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using fused::Scaling;

struct WrittenOut : Net {
  MLOperand attended(const AttentionWritten& w, const AttentionSizes& s = {}) {
    const auto input = [&](const char* name, Dims shape, MLOperandDataType type = float32) {
      return b.input(name, {type, std::move(shape)});
    };
    AttentionOperands o{input("q", query_shape(w, s)), input("k", key_shape(w, s)),
                        input("v", value_shape(w, s))};
    if (w.mask == MaskBy::add || w.mask == MaskBy::where_and_add)
      o.mask = input("mask", {1, 1, 1, s.terms});
    if (w.mask != MaskBy::nothing && w.mask != MaskBy::add)
      o.condition = input("condition", {s.rows, s.terms}, uint8);
    return attention_written(b, o, w, s);
  }
};
Graph recognized(const NamedOperands& outputs) { return recognize_attention(graph_of(outputs)); }
bool is_found(const NamedOperands& outputs) { return count(recognized(outputs), "attention") > 0; }
std::string text(const AttentionWritten& w) {
  std::string s;
  for (const int v :
       {int(w.scale), int(w.divides), int(w.mask), int(w.keys), int(w.groups), int(w.swapped)})
    s += std::to_string(v) + ' ';
  return s;
}

/// The result on the reference kernels, without passes.
std::vector<float> run(const Graph& graph) {
  MLContext context({.threads = 1, .backends = {"reference"}});
  const MLGraph g = build_graph(context, graph, {});
  std::vector<std::vector<std::byte>> values;
  for (const auto& [name, d] : g.inputs()) {
    const std::size_t n = element_count(d.shape);
    std::vector<std::byte> bytes(static_cast<std::size_t>(byte_length(d)));
    for (std::size_t i = 0; i < n; ++i) {
      const float v = static_cast<float>(i * 37 % 101) / 64 - static_cast<float>(name.size()) / 2;
      if (d.dataType == uint8) bytes[i] = std::byte(i % 3);
      else std::memcpy(&bytes[4 * i], &v, 4);
    }
    values.push_back(std::move(bytes));
  }
  std::vector<NamedInput> in;
  for (std::size_t i = 0; i < values.size(); ++i) in.push_back({g.inputs()[i].name, values[i]});
  std::vector<float> y(element_count(g.outputs().front().descriptor.shape));
  const std::vector<NamedOutput> out{{g.outputs().front().name, y}};
  context.compute(g, std::span<const NamedInput>(in), std::span<const NamedOutput>(out));
  return y;
}

}  // namespace

TEST_CASE("recognize_attention: all forms, and their composition has the same bits") {
  for (const AttentionWritten& w : attention_forms()) {
    INFO(text(w));
    WrittenOut net;
    const Graph before = graph_of({{"y", net.attended(w)}}), fused = recognize_attention(before);
    REQUIRE(names(fused) == Names{"attention"});
    const auto& op = *as<fused::attention>(fused.node(0));
    const fused::AttentionOptions& o = op.options;
    const Scaling how = w.divides ? Scaling::quotient : Scaling::product;
    const auto at = [&](ScaleAt place) {
      const bool both = w.scale == ScaleAt::both && place != ScaleAt::scores;
      return w.scale == place || both ? how : Scaling::none;
    };
    CHECK(o.queryScaling == at(ScaleAt::queries));
    CHECK(o.keyScaling == at(ScaleAt::keys));
    CHECK(o.scoreScaling == at(ScaleAt::scores));
    CHECK(o.mask.has_value() == (w.mask == MaskBy::add || w.mask == MaskBy::where_and_add));
    CHECK(o.condition.has_value() == (w.mask != MaskBy::nothing && w.mask != MaskBy::add));
    if (o.condition) {
      CHECK(o.replacement.as_double() == -std::numeric_limits<double>::infinity());
      CHECK(o.conditionKeeps == (w.mask != MaskBy::where_other));
    }
    const bool repeats =
        is_grouped(w) && w.groups != GroupBy::broadcast && w.groups != GroupBy::rows;
    CHECK(o.keyRepeats == (repeats ? 2 : 1));
    CHECK(o.valueRepeats == o.keyRepeats);
    CHECK(o.keysPermutation.empty() == (w.keys == KeysAs::columns));
    if (w.keys == KeysAs::sequence) CHECK(o.keysPermutation == Dims{0, 2, 3, 1});
    CHECK(o.maskedShape.empty() == (w.groups != GroupBy::rows || w.mask == MaskBy::nothing));
    CHECK(!check_replacement(before, fused));
    CHECK(run(before) == run(expand(fused).graph));
  }
}

TEST_CASE("recognize_attention: rows that are left out, and labels") {
  for (const bool zero : {true, false}) {
    WrittenOut net;
    const MLOperand y = net.attended({}), rows = net.b.input("left out", {uint8, {9, 1}});
    const MLOperand other = net.b.constant(float32, zero ? 0.f : -0.f);
    const Graph before = graph_of({{"y", net.b.where(rows, other, y, {.label = "last"})}});
    const Graph fused = recognize_attention(before);
    CHECK(names(fused) == (zero ? Names{"attention"} : Names{"attention", "where"}));
    CHECK(fused.node(fused.size() - 1).label() == "last");
    CHECK(!check_replacement(before, fused));
    CHECK(run(before) == run(expand(fused).graph));
  }
  // The product is read too.
  WrittenOut net;
  const MLOperand y = net.attended({}), rows = net.b.input("left out", {uint8, {9, 1}});
  const MLOperand last = net.b.where(rows, net.b.constant(float32, 0), y);
  CHECK(names(recognized({{"y", y}, {"z", last}})) == Names{"attention", "where"});
}

TEST_CASE("recognize_attention: all forms behind the other passes, of projections") {
  for (const AttentionWritten& w : attention_forms()) {
    if (w.groups == GroupBy::broadcast || w.groups == GroupBy::rows) continue;
    INFO(text(w));
    WrittenOut net;
    MLGraphBuilder& b = net.b;
    const AttentionSizes s{.rows = 20};
    const MLOperand x = b.input("x", {float32, {s.batch, s.terms, 12}});
    const auto heads = [&](std::uint32_t n, std::uint32_t size) {
      const MLOperand y = b.matmul(x, net.weights({12, n * size}));
      return b.reshape(y, {s.batch, s.terms, n, size});
    };
    const auto turned = [&](const MLOperand& y) {
      return b.transpose(y, {.permutation = {0, 2, 1, 3}});
    };
    AttentionOperands o{turned(heads(query_shape(w, s)[1], s.inner)), heads(2, s.inner),
                        turned(heads(2, s.columns))};
    if (w.keys == KeysAs::rows) o.keys = turned(o.keys);
    if (w.keys == KeysAs::columns) o.keys = b.transpose(o.keys, {.permutation = {0, 2, 3, 1}});
    o.mask = b.input("mask", {float32, {1, 1, 1, s.terms}});
    o.condition = b.input("condition", {uint8, {s.rows, s.terms}});
    const Graph g = behind_passes({{"y", attention_written(b, o, w, s)}});
    REQUIRE(count(g, "attention") == 1);
    for (const char* name : {"softmax", "matmul", "expand", "tile", "gather", "where", "add"})
      CHECK(count(g, name) == 0);
  }
}

TEST_CASE("recognize_attention: what others read stays outside") {
  WrittenOut net;
  MLGraphBuilder& b = net.b;
  const auto in = [&](const char* name, Dims shape) { return b.input(name, {float32, shape}); };
  const MLOperand q = in("q", {2, 9, 8}), k = in("k", {2, 20, 8}), v = in("v", {2, 20, 5});
  const MLOperand turned = b.transpose(k, {.permutation = {0, 2, 1}});
  const MLOperand scaled = b.mul(q, b.constant(float32, 0.5));
  const MLOperand s = b.matmul(scaled, turned), p = b.softmax(s, 2), y = b.matmul(p, v);
  CHECK(names(recognized({{"y", y}})) == Names{"attention"});
  CHECK(names(recognized({{"y", y}, {"k", turned}})) == Names{"transpose", "attention"});
  CHECK(names(recognized({{"y", y}, {"q", scaled}})) == Names{"mul", "attention"});
  for (const MLOperand& inside : {s, p}) CHECK(!is_found({{"y", y}, {"inside", inside}}));
  // Two that read the same keys: none of them transposes them.
  const MLOperand other = b.matmul(b.softmax(b.matmul(in("r", {2, 9, 8}), turned), 2), v);
  CHECK(names(recognized({{"y", y}, {"z", other}})) ==
        Names{"transpose", "attention", "attention"});
}

TEST_CASE("recognize_attention leaves what is only similar") {
  WrittenOut net;
  MLGraphBuilder& b = net.b;
  int inputs = 0;
  const auto in = [&](Dims shape) {
    return b.input("x" + std::to_string(inputs++), {float32, std::move(shape)});
  };
  const auto scores = [&] { return b.matmul(in({2, 16, 8}), in({2, 8, 16})); };
  const MLOperand s = scores(), number = b.constant(float32, 3), nan = b.constant(float32, NAN);
  const MLOperand condition = b.input("condition", {uint8, {16, 16}});
  const auto ends = [&](const MLOperand& masked, std::uint32_t axis = 2) {
    return is_found({{"y", b.matmul(b.softmax(masked, axis), in({2, 16, 4}))}});
  };
  CHECK(ends(s));
  CHECK(!ends(s, 1));
  CHECK(!is_found({{"y", b.matmul(in({2, 4, 16}), b.softmax(s, 2))}}));
  CHECK(!is_found({{"y", b.matmul(b.softmax(s, 2), in({3, 1, 16, 4}))}}));  // more batches
  CHECK(!is_found({{"y", b.softmax(s, 2)}}));
  CHECK(!ends(b.mul(s, in({2, 16, 16}))));  // not a number
  CHECK(!ends(b.mul(s, nan)));
  CHECK(!ends(b.mul(s, b.constant(float32, INFINITY))));
  CHECK(!ends(b.div(number, s)));
  CHECK(!ends(b.sub(s, in({16}))));
  CHECK(!ends(b.add(s, s)));  // the scores are no mask
  CHECK(
      !is_found({{"y", b.matmul(b.softmax(b.add(s, in({3, 1, 16, 16})), 3), in({3, 2, 16, 4}))}}));
  CHECK(ends(b.where(condition, s, number)));
  CHECK(!ends(b.where(condition, s, nan)));
  CHECK(!ends(b.where(condition, s, in({16}))));
  CHECK(!ends(b.where(condition, b.add(s, in({16})), number)));  // masked before
  const auto reshaped = [&](Dims shape, const Dims& mask) {
    const auto axis = static_cast<std::uint32_t>(shape.size()) - 1;
    MLOperand x = b.reshape(scores(), std::move(shape));
    if (mask.size()) x = b.add(x, in(mask));
    const MLOperand p = b.reshape(b.softmax(x, axis), {2, 16, 16});
    return is_found({{"y", b.matmul(p, in({2, 16, 4}))}});
  };
  CHECK(reshaped({4, 8, 16}, {}));
  CHECK(!reshaped({4, 16, 8}, {}));
  CHECK(reshaped({4, 8, 16}, {8, 16}));
  CHECK(!reshaped({4, 8, 16}, {4, 8, 16}));  // another mask for each
  CHECK(!reshaped({512}, {}));
  CHECK(!is_found({{"y", b.matmul(b.reshape(b.softmax(b.reshape(s, {4, 8, 16}), 2), {4, 8, 16}),
                                  in({4, 16, 4}))}}));  // other batches
  // Repetitions that are no groups of heads.
  const auto with_keys = [&](const MLOperand& keys, std::uint32_t heads) {
    const MLOperand x = b.matmul(in({1, heads, 9, 8}), keys);
    const Graph g = recognized({{"y", b.matmul(b.softmax(x, 3), in({1, heads, 20, 5}))}});
    const std::size_t at = g.size() - 1;
    return as<fused::attention>(g.node(at))->options.keyRepeats;
  };
  const auto gathered = [&](std::vector<std::int32_t> heads) {
    const auto n = static_cast<std::uint32_t>(heads.size());
    return with_keys(b.gather(in({1, 2, 8, 20}), b.constant({int32, {n}}, heads), {.axis = 1}), n);
  };
  CHECK(gathered({0, 0, 1, 1}) == 2);
  CHECK(gathered({0, 0, 0, 1, 1, 1}) == 3);
  CHECK(gathered({0, 1, 0, 1}) == 1);
  CHECK(gathered({0, 0, 1}) == 1);
  CHECK(gathered({1, 1, 0, 0}) == 1);
  const auto expanded = [&](Dims shape, Dims one, Dims all, Dims merged, std::uint32_t heads) {
    return with_keys(b.reshape(b.expand(b.reshape(in(shape), one), all), merged), heads);
  };
  CHECK(expanded({1, 2, 8, 20}, {1, 2, 1, 8, 20}, {1, 2, 3, 8, 20}, {1, 6, 8, 20}, 6) == 3);
  CHECK(expanded({1, 2, 8, 20}, {1, 1, 2, 8, 20}, {1, 3, 2, 8, 20}, {1, 6, 8, 20}, 6) == 1);
  CHECK(expanded({1, 6, 4, 20}, {1, 6, 4, 1, 20}, {1, 6, 4, 2, 20}, {1, 6, 8, 20}, 6) == 1);
}

TEST_CASE("attention: operands that do not fit are refused") {
  WrittenOut net;
  const Graph fused = recognized({{"y", net.attended({})}});
  const auto op = *as<fused::attention>(fused.node(0));
  CHECK(infer(op));
  const auto refused = [&](auto change) {
    auto other = op;
    change(other.options);
    const auto shapes = infer(other);
    REQUIRE(!shapes);
    CHECK(shapes.failure().message ==
          "its operands do not fit: queries are [2, 2, 9, 8], keys [2, 2, 8, 20], values "
          "[2, 2, 20, 5]");
  };
  refused([](auto& o) { o.keyRepeats = 0; });
  refused([](auto& o) { o.keyRepeats = 3; });
  refused([](auto& o) { o.keyRepeats = 0xffffffff; });
  refused([](auto& o) { o.valueRepeats = 2; });
  refused([](auto& o) { o.keysPermutation = {0, 1, 3, 2}; });
  refused([](auto& o) { o.keysPermutation = {0, 1, 2, 2}; });
  refused([](auto& o) { o.keysPermutation = {0, 1, 2, 9}; });
  refused([](auto& o) { o.keysPermutation = {1, 0}; });
  refused([](auto& o) { o.maskedShape = {2, 2, 20, 9}; });
  refused([](auto& o) { o.maskedShape = {720}; });
  refused([](auto& o) { o.maskedShape = {4, 2, 9, 20}; });
}
