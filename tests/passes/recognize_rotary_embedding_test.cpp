#include "src/graph/fused/expand.h"
#include "tests/passes/small_graphs.h"
#include "tests/support/rotary_forms.h"
#include "webnn/passes.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using fused::RotaryForm;
using fused::RotaryPairs;

struct WrittenOut : Net {
  MLOperand x = b.input("x", {float32, {2, 5, 3, 8}});

  MLOperand factor(const std::string& name, const RotaryWritten& w) {
    return b.input(name, {float32, {5, 1, w.by_pair ? 4u : 8u}});
  }
  MLOperand embedded(const RotaryWritten& w) {
    const MLOperand cos = factor("cos", w), sin = factor("sin", w);
    return rotary_written(b, x, cos, sin, w);
  }
};
Graph recognized(const NamedOperands& outputs) {
  return recognize_rotary_embedding(graph_of(outputs));
}
bool is_found(const NamedOperands& outputs) {
  return count(recognized(outputs), "rotaryEmbedding") > 0;
}

/// The bytes of the result on the reference kernels, without passes.
std::vector<float> run(const Graph& graph) {
  MLContext context({.threads = 1, .backends = {"reference"}});
  const MLGraph g = build_graph(context, graph, {});
  std::vector<std::vector<float>> values;
  std::vector<NamedInput> in;
  for (const auto& [name, d] : g.inputs()) {
    std::vector<float> v(element_count(d.shape));
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = static_cast<float>(i * 37 % 101) / 16 - static_cast<float>(name.size());
    values.push_back(std::move(v));
  }
  std::size_t i = 0;
  for (const auto& input : g.inputs()) in.push_back({input.name, values[i++]});
  std::vector<float> y(element_count(g.outputs().front().descriptor.shape));
  const std::vector<NamedOutput> out{{"y", y}};
  context.compute(g, std::span<const NamedInput>(in), std::span<const NamedOutput>(out));
  return y;
}

}  // namespace

TEST_CASE("recognize_rotary_embedding: all forms, and their composition has the same bits") {
  for (const RotaryWritten& w : rotary_forms()) {
    CAPTURE(w.interleaved, w.by_pair, static_cast<int>(w.parts), w.swapped);
    WrittenOut net;
    const Graph before = graph_of({{"y", net.embedded(w)}});
    const Graph fused = recognize_rotary_embedding(before);
    REQUIRE(names(fused) == Names{"rotaryEmbedding"});
    const auto& op = *as<fused::rotaryEmbedding>(fused.node(0));
    CHECK((op.options.pairs == RotaryPairs::interleaved) == w.interleaved);
    CHECK((op.options.form == RotaryForm::pairs) == w.by_pair);
    CHECK(op.cos.record().name == "cos");
    CHECK(op.sin.record().name == "sin");
    CHECK(!check_replacement(before, fused));
    CHECK(run(before) == run(expand(fused).graph));
  }
}

TEST_CASE("recognize_rotary_embedding: all forms behind the other passes") {
  for (const RotaryWritten& w : rotary_forms()) {
    CAPTURE(w.interleaved, w.by_pair, static_cast<int>(w.parts), w.swapped);
    WrittenOut net;
    net.x = net.b.reshape(
        net.b.matmul(net.b.input("h", {float32, {2, 5, 7}}), net.weights({7, 24})), {2, 5, 3, 8});
    const MLOperand y = net.b.transpose(net.embedded(w), {.permutation = {0, 2, 1, 3}});
    const Graph g = behind_passes({{"y", y}});
    CHECK(count(g, "rotaryEmbedding") == 1);
    CHECK(count(g, "concat") + count(g, "slice") + count(g, "split") + count(g, "gather") == 0);
  }
}

TEST_CASE("recognize_rotary_embedding: rows of two elements are one pair") {
  for (const RotaryWritten& w : rotary_forms()) {
    CAPTURE(w.interleaved, w.by_pair, static_cast<int>(w.parts), w.swapped);
    Net net;
    const auto input = [&](const char* name, std::uint32_t n) {
      return net.b.input(name, {float32, {3, n}});
    };
    const std::uint32_t n = w.by_pair ? 1 : 2;
    const MLOperand y = rotary_written(net.b, input("x", 2), input("cos", n), input("sin", n), w);
    const Graph before = graph_of({{"y", y}}), fused = recognize_rotary_embedding(before);
    CHECK(count(fused, "rotaryEmbedding") == 1);
    CHECK(run(before) == run(expand(fused).graph));
  }
}

TEST_CASE("recognize_rotary_embedding: the embedding of a part of each row") {
  for (const RotaryWritten& w : rotary_forms()) {
    WrittenOut net;
    const MLOperand all = net.b.input("all", {float32, {2, 5, 3, 12}});
    net.x = net.b.slice(all, {0, 0, 0, 0}, {2, 5, 3, 8});
    const MLOperand rest = net.b.slice(all, {0, 0, 0, 8}, {2, 5, 3, 4});
    CHECK(names(recognized({{"y", net.b.concat({net.embedded(w), rest}, 3)}})) ==
          Names{"slice", "rotaryEmbedding", "slice", "concat"});
  }
}

TEST_CASE("recognize_rotary_embedding leaves what is only similar") {
  WrittenOut w;
  MLGraphBuilder& b = w.b;
  const MLOperand x = w.x, other = b.input("other", x.descriptor());
  const MLOperand cos = b.input("cos", {float32, {8}}), sin = b.input("sin", {float32, {8}});
  const MLOperand one = b.input("one", {float32, {5, 1, 1}});
  const auto part = [&](const MLOperand& of, std::uint32_t begin, std::uint32_t size) {
    return b.slice(of, {0, 0, 0, begin}, {2, 5, 3, size});
  };
  const MLOperand low = part(x, 0, 4), high = part(x, 4, 4), minus = b.neg(high);
  const auto sum = [&](const MLOperand& rotated, const MLOperand& s) {
    return b.add(b.mul(x, cos), b.mul(rotated, s));
  };
  const MLOperand turned = b.concat({minus, low}, 3), y = sum(turned, sin);
  CHECK(is_found({{"y", y}}));
  CHECK(!is_found({{"y", sum(b.concat({b.neg(low), high}, 3), sin)}}));  // the other half negated
  CHECK(!is_found({{"y", sum(b.concat({low, minus}, 3), sin)}}));        // not the first
  CHECK(!is_found({{"y", sum(b.concat({high, low}, 3), sin)}}));         // none
  CHECK(!is_found({{"y", sum(turned, one)}}));                           // one factor for a row
  CHECK(!is_found({{"y", b.sub(b.mul(x, cos), b.mul(turned, sin))}}));
  CHECK(!is_found({{"y", b.add(b.mul(other, cos), b.mul(turned, sin))}}));
  CHECK(!is_found({{"y", sum(b.concat({b.neg(part(x, 3, 4)), low}, 3), sin)}}));
  CHECK(!is_found({{"y", sum(b.concat({b.neg(part(x, 3, 5)), part(x, 0, 3)}, 3), sin)}}));
  CHECK(!is_found({{"y", sum(b.concat({b.neg(part(other, 4, 4)), low}, 3), sin)}}));
  // Larger results, and parts along another dimension.
  const MLOperand wide = b.input("wide", {float32, {2, 1, 1, 1, 8}});
  CHECK(!is_found({{"y", sum(turned, wide)}}));
  const MLOperand square = b.input("square", {float32, {8, 8}});
  const MLOperand lower =
      b.concat({b.neg(b.slice(square, {4, 0}, {4, 8})), b.slice(square, {0, 0}, {4, 8})}, 0);
  CHECK(!is_found({{"y", b.add(b.mul(square, cos), b.mul(lower, sin))}}));
  // Something else reads what is inside.
  for (const MLOperand& inside : {low, high, minus, turned})
    CHECK(!is_found({{"y", y}, {"inside", inside}}));
  CHECK(!is_found({{"y", y}, {"inside", b.relu(low)}}));
  // Pairs.
  const MLOperand c = b.input("c", {float32, {4}}), s = b.input("s", {float32, {4}});
  const auto pairs = [&](const MLOperand& real, const MLOperand& imaginary) {
    return NamedOperands{{"y", b.concat({real, imaginary}, 3)}};
  };
  const MLOperand real = b.sub(b.mul(low, c), b.mul(high, s)),
                  imaginary = b.add(b.mul(high, c), b.mul(low, s));
  CHECK(is_found(pairs(real, imaginary)));
  CHECK(!is_found(pairs(imaginary, real)));
  CHECK(!is_found(pairs(b.sub(b.mul(high, s), b.mul(low, c)), imaginary)));  // the negative
  CHECK(!is_found(pairs(real, b.add(b.mul(high, s), b.mul(low, c)))));       // exchanged
  CHECK(!is_found(pairs(real, b.add(b.mul(high, c), b.mul(low, c)))));       // one of them twice
  CHECK(!is_found(pairs(real, b.sub(b.mul(high, c), b.mul(low, s)))));       // the inverse
  // Halves that are joined as neighbors, and neighbors that are joined as halves.
  const Dims column{2, 5, 3, 4, 1};
  CHECK(!is_found(
      {{"y", b.reshape(b.concat({b.reshape(real, column), b.reshape(imaginary, column)}, 4),
                       x.shape())}}));
  const RotaryWritten neighbors{.interleaved = true};
  const auto [even, odd] = pair_parts(b, x, neighbors);
  CHECK(!is_found({{"y", sum(b.concat({b.neg(odd), even}, 3), sin)}}));
  CHECK(is_found({{"y", sum(joined_pairs(b, b.neg(odd), even, x.shape(), true), sin)}}));
  // No kernel takes float16.
  const MLOperand half = b.input("half", {float16, {4, 8}}), f = b.input("f", {float16, {8}});
  const Graph narrow = graph_of({{"y", rotary_written(b, half, f, f, {})}});
  CHECK(recognize_rotary_embedding(narrow) == narrow);
}

TEST_CASE("rotaryEmbedding: factors of other shapes are refused") {
  WrittenOut w;
  const Graph fused = recognized({{"y", w.embedded({})}});
  const auto op = *as<fused::rotaryEmbedding>(fused.node(0));
  CHECK(infer(op));
  auto other = op;
  other.options.form = RotaryForm::pairs;
  REQUIRE(!infer(other));
  CHECK(infer(other).failure().message ==
        "cos and sin ([5, 1, 8] and [5, 1, 8]) do not fit the shape of input ([2, 5, 3, 8])");
  other = op;
  const MLOperand odd = w.b.input("odd", {float32, {5, 1, 3}});
  other.input = odd;
  REQUIRE(!infer(other));
  CHECK(infer(other).failure().message == "the last dimension (3) of input is not even");
}
