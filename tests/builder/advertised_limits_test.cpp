// opSupportLimits() tells the truth: whatever it advertises builds and runs, all else is refused.
#include <map>
#include <set>
#include <tuple>

#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

Dims shape_of(std::uint32_t rank) {
  Dims shape;
  for (std::uint32_t i = 0; i < rank; ++i) shape.push_back(1 + i % 2);
  return shape;
}
Dims square(std::uint32_t rank) {
  Dims shape = shape_of(rank);
  shape[rank - 2] = shape[rank - 1] = 2;
  return shape;
}
Dims counting(std::uint32_t n) {
  Dims list;
  for (std::uint32_t i = 0; i < n; ++i) list.push_back(i);
  return list;
}
template <class F> void types_of(DataTypes set, F&& f) {
  for (std::size_t i = 0; i < enum_names<MLOperandDataType>.size(); ++i)
    if (const auto t = static_cast<MLOperandDataType>(i); set.contains(t)) f(t);
}

/// A builder whose inputs are made once for each shape and type.
class Inputs : public MLGraphBuilder {
 public:
  using MLGraphBuilder::MLGraphBuilder;
  MLOperand x(Dims shape, MLOperandDataType type) {
    MLOperand& x = made_[{type, shape}];
    if (!x) x = input("x" + std::to_string(made_.size()), {type, std::move(shape)});
    return x;
  }

 private:
  std::map<std::pair<MLOperandDataType, Dims>, MLOperand> made_;
};

// Examples of each operator: together they have an operand of every advertised type and rank in
// each row, and a result of each.

/// Attributes that suit the input, for the operators with one operand.
template <class Op> std::vector<Op> variants(Op op) {
  const Dims& in = op.input.shape();
  if constexpr (requires { op.repetitions; }) op.repetitions.assign(in.size(), 1);
  if constexpr (requires { op.newShape; }) op.newShape = in;
  if constexpr (requires { op.beginningPadding; })
    op.beginningPadding = op.endingPadding = Dims(in.size(), 1);
  if constexpr (requires { op.starts; }) op.starts = Dims(in.size(), 0), op.sizes = in;
  if constexpr (requires { op.splits; }) op.splits = 1;
  std::vector<Op> all{op};
  if constexpr (requires { op.options.keepDimensions; }) {
    op.options.keepDimensions = true;
    all.push_back(op);
  }
  if constexpr (requires { op.options.outputDataType; }) {
    op.options.outputDataType = int64;
    all.push_back(op);
    op.options.keepDimensions = false;
    all.push_back(op);
  }
  if constexpr (std::is_same_v<Op, ops::cast>)
    types_of(types::any, [&](auto type) { all.push_back({op.input, type}); });
  return all;
}

struct Walk {
  Inputs& b;
  MLTensorLimits first;  // what the first operand may be

  template <class F> void types_and_ranks(F&& f) const {
    types_of(first.dataTypes, [&](MLOperandDataType t) {
      for (std::uint32_t r = first.rankRange.min; r <= first.rankRange.max; ++r) f(t, r);
    });
  }

  template <class Op> std::vector<Op> examples(std::type_identity<Op>) const {
    std::vector<Op> all;
    types_and_ranks([&](MLOperandDataType t, std::uint32_t r) {
      const MLOperand x = b.x(shape_of(r), t);
      if constexpr (requires(Op op) { op.input, op.slope; }) all.push_back({x, x});
      else if constexpr (requires(Op op) { op.a, op.b; }) all.push_back({x, x});
      else if constexpr (requires(Op op) { op.a; }) all.push_back({x});
      else
        for (Op& op : variants(Op{x})) all.push_back(std::move(op));
    });
    return all;
  }
  std::vector<ops::concat> examples(std::type_identity<ops::concat>) const {
    std::vector<ops::concat> all;
    types_and_ranks([&](auto t, auto r) {
      const MLOperand x = b.x(shape_of(r), t);
      all.push_back({{x, x}, 0});
    });
    return all;
  }
  std::vector<ops::matmul> examples(std::type_identity<ops::matmul>) const {
    std::vector<ops::matmul> all;
    types_and_ranks([&](auto t, auto r) { all.push_back({b.x(square(r), t), b.x(square(r), t)}); });
    return all;
  }
  std::vector<ops::gemm> examples(std::type_identity<ops::gemm>) const {
    std::vector<ops::gemm> all;
    types_and_ranks([&](auto t, auto) {
      const MLOperand x = b.x({2, 2}, t);
      for (std::uint32_t r : {0, 1, 2}) all.push_back({x, x, {.c = b.x(Dims(r, 2), t)}});
    });
    return all;
  }
  std::vector<ops::where> examples(std::type_identity<ops::where>) const {
    std::vector<ops::where> all;
    types_and_ranks([&](auto, auto r) {
      types_of(types::any, [&](auto t) {
        const MLOperand x = b.x(shape_of(r), t);
        all.push_back({b.x(shape_of(r), uint8), x, x});
      });
    });
    return all;
  }

  // Images

  template <class Op> std::vector<Op> convolutions() const {
    std::vector<Op> all;
    types_and_ranks([&](auto t, auto) {
      Op op{b.x({1, 2, 3, 3}, t), b.x({2, 2, 1, 1}, t)};
      op.options.bias = b.x({2}, t);
      all.push_back(std::move(op));
    });
    return all;
  }
  std::vector<ops::conv2d> examples(std::type_identity<ops::conv2d>) const {
    return convolutions<ops::conv2d>();
  }
  std::vector<ops::convTranspose2d> examples(std::type_identity<ops::convTranspose2d>) const {
    return convolutions<ops::convTranspose2d>();
  }

  // Normalizations

  std::vector<ops::batchNormalization> examples(std::type_identity<ops::batchNormalization>) const {
    std::vector<ops::batchNormalization> all;
    types_and_ranks([&](auto t, auto r) {
      const MLOperand c = b.x({1}, t);
      all.push_back({b.x(shape_of(r), t), c, c, {.scale = c, .bias = c, .axis = 0}});
    });
    return all;
  }
  std::vector<ops::instanceNormalization> examples(
      std::type_identity<ops::instanceNormalization>) const {
    std::vector<ops::instanceNormalization> all;
    types_and_ranks([&](auto t, auto r) {
      const MLOperand c = b.x({2}, t);
      all.push_back({b.x(shape_of(r), t), {.scale = c, .bias = c}});
    });
    return all;
  }
  std::vector<ops::layerNormalization> examples(std::type_identity<ops::layerNormalization>) const {
    std::vector<ops::layerNormalization> all;
    types_and_ranks([&](auto t, auto r) {
      const MLOperand x = b.x(shape_of(r), t);
      all.push_back({x, {.scale = x, .bias = x, .axes = counting(r)}});
    });
    return all;
  }

  // Quantization

  std::vector<ops::dequantizeLinear> examples(std::type_identity<ops::dequantizeLinear>) const {
    std::vector<ops::dequantizeLinear> all;
    types_and_ranks([&](auto t, auto r) {
      types_of(types::floats, [&](auto s) {
        const MLOperand x = b.x(shape_of(r), t);
        all.push_back({x, b.x(shape_of(r), s), x});
      });
    });
    return all;
  }
  std::vector<ops::quantizeLinear> examples(std::type_identity<ops::quantizeLinear>) const {
    std::vector<ops::quantizeLinear> all;
    types_and_ranks([&](auto t, auto r) {
      types_of(types::quantized, [&](auto z) {
        const MLOperand x = b.x(shape_of(r), t);
        all.push_back({x, x, b.x(shape_of(r), z)});
      });
    });
    return all;
  }

  // Indices

  template <class F> void indices(std::uint32_t min, std::uint32_t max, F&& f) const {
    types_of(types::indices, [&](auto type) {
      for (std::uint32_t q = min; q <= max; ++q) f(b.x(Dims(q, 1), type));
    });
  }
  std::vector<ops::gather> examples(std::type_identity<ops::gather>) const {
    std::vector<ops::gather> all;
    types_and_ranks([&](auto t, auto r) {
      indices(0, max_rank + 1 - r, [&](MLOperand i) { all.push_back({b.x(shape_of(r), t), i}); });
    });
    return all;
  }
  std::vector<ops::gatherElements> examples(std::type_identity<ops::gatherElements>) const {
    std::vector<ops::gatherElements> all;
    types_and_ranks([&](auto t, auto r) {
      indices(r, r, [&](MLOperand i) { all.push_back({b.x(Dims(r, 1), t), i}); });
    });
    return all;
  }
  std::vector<ops::gatherND> examples(std::type_identity<ops::gatherND>) const {
    std::vector<ops::gatherND> all;
    types_and_ranks([&](auto t, auto r) {
      indices(1, std::min(max_rank, max_rank + 2 - r), [&](MLOperand i) {
        all.push_back({b.x(shape_of(r), t), i});
      });
    });
    return all;
  }
  std::vector<ops::scatterElements> examples(std::type_identity<ops::scatterElements>) const {
    std::vector<ops::scatterElements> all;
    types_and_ranks([&](auto t, auto r) {
      const MLOperand x = b.x(Dims(r, 1), t);
      indices(r, r, [&](MLOperand i) { all.push_back({x, i, x}); });
    });
    return all;
  }
  std::vector<ops::scatterND> examples(std::type_identity<ops::scatterND>) const {
    std::vector<ops::scatterND> all;
    types_and_ranks([&](auto t, auto r) {
      indices(1, std::min(max_rank, max_rank + 2 - r), [&](MLOperand i) {
        all.push_back({b.x(Dims(r, 1), t), i, b.x(Dims(i.rank() + r - 2, 1), t)});
      });
    });
    return all;
  }

  // Recurrent networks: 2 steps, a batch of 1, 3 inputs, 4 states

  std::vector<ops::gru> examples(std::type_identity<ops::gru>) const {
    std::vector<ops::gru> all;
    types_and_ranks([&](auto t, auto) {
      const MLOperand bias = b.x({1, 12}, t);
      all.push_back({b.x({2, 1, 3}, t),
                     b.x({1, 12, 3}, t),
                     b.x({1, 12, 4}, t),
                     2,
                     4,
                     {.bias = bias,
                      .recurrentBias = bias,
                      .initialHiddenState = b.x({1, 1, 4}, t),
                      .returnSequence = true}});
    });
    return all;
  }
  std::vector<ops::gruCell> examples(std::type_identity<ops::gruCell>) const {
    std::vector<ops::gruCell> all;
    types_and_ranks([&](auto t, auto) {
      const MLOperand bias = b.x({12}, t);
      all.push_back({b.x({1, 3}, t),
                     b.x({12, 3}, t),
                     b.x({12, 4}, t),
                     b.x({1, 4}, t),
                     4,
                     {.bias = bias, .recurrentBias = bias}});
    });
    return all;
  }
  std::vector<ops::lstm> examples(std::type_identity<ops::lstm>) const {
    std::vector<ops::lstm> all;
    types_and_ranks([&](auto t, auto) {
      const MLOperand bias = b.x({1, 16}, t), state = b.x({1, 1, 4}, t);
      all.push_back({b.x({2, 1, 3}, t),
                     b.x({1, 16, 3}, t),
                     b.x({1, 16, 4}, t),
                     2,
                     4,
                     {.bias = bias,
                      .recurrentBias = bias,
                      .peepholeWeight = b.x({1, 12}, t),
                      .initialHiddenState = state,
                      .initialCellState = state,
                      .returnSequence = true}});
    });
    return all;
  }
  std::vector<ops::lstmCell> examples(std::type_identity<ops::lstmCell>) const {
    std::vector<ops::lstmCell> all;
    types_and_ranks([&](auto t, auto) {
      const MLOperand bias = b.x({16}, t), state = b.x({1, 4}, t);
      all.push_back({b.x({1, 3}, t),
                     b.x({16, 3}, t),
                     b.x({16, 4}, t),
                     state,
                     state,
                     4,
                     {.bias = bias, .recurrentBias = bias, .peepholeWeight = b.x({12}, t)}});
    });
    return all;
  }
};

// What examples show, and what is advertised

/// row, data type, rank
using Seen = std::set<std::tuple<std::string_view, MLOperandDataType, std::uint32_t>>;

std::string text(const Seen& all) {
  std::string s;
  for (const auto& [row, type, rank] : all)
    s += std::string(row) + " " + std::string(name_of(type)) + " " + std::to_string(rank) + "; ";
  return s;
}
Seen without(const Seen& a, const Seen& b) {
  Seen rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(rest, rest.end()));
  return rest;
}
Seen advertised(const MLOpSupportLimits::Entry& entry) {
  Seen all;
  for (const auto& [row, limits] : entry.rows)
    types_of(limits.dataTypes, [&, row = row, ranks = limits.rankRange](auto t) {
      for (std::uint32_t r = ranks.min; r <= ranks.max; ++r) all.insert({row, t, r});
    });
  return all;
}

template <class Op> Seen seen_in(const Graph& graph) {
  Seen all;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    ops::for_each_operand(*node.as<Op>(), [&](const auto& row, const auto& value) {
      ops::each(value, [&](const MLOperand& x) { all.insert({row.name, x.dataType(), x.rank()}); });
    });
    std::size_t k = 0;
    ops::for_each_row<Op>([&]<class Row>(const Row& row) {
      if constexpr (ops::is_output<Row>)
        if (k < node.outputs().size()) {
          const MLOperand& y = node.output(k++);
          all.insert({row.name, y.dataType(), y.rank()});
        }
    });
  }
  return all;
}

void run_on_zeros(MLContext context, const MLGraph& graph) {
  std::vector<std::vector<std::uint64_t>> memory;
  const auto bytes = [&](const MLOperandDescriptor& d) {
    memory.emplace_back(byte_length(d) / 8 + 1);
    return std::as_writable_bytes(std::span(memory.back())).first(byte_length(d));
  };
  std::vector<NamedInput> inputs;
  std::vector<NamedOutput> outputs;
  for (const auto& [name, d] : graph.inputs()) inputs.push_back({name, bytes(d)});
  for (const auto& [name, d] : graph.outputs()) outputs.push_back({name, bytes(d)});
  context.compute(graph, inputs, outputs);
}

/// Everything that is advertised for Op is built and run, in one graph.
template <class Op> void check_advertised(MLContext context, const MLOpSupportLimits::Entry& e) {
  Inputs b(context);
  const Walk walk{b, e.rows.front().limits};
  NamedOperands outputs;
  const auto output = [&](const MLOperand& y) {
    outputs.push_back({"y" + std::to_string(outputs.size()), y});
  };
  for (const Op& op : walk.examples(std::type_identity<Op>{})) {
    if constexpr (ops::returns_list<Op>())
      for (const MLOperand& y : b.append(op)) output(y);
    else output(b.append(op));
  }
  const MLGraph graph = b.build(outputs);
  run_on_zeros(context, graph);
  const Seen seen = seen_in<Op>(graph.graph()), promised = advertised(e);
  INFO(e.op);
  CHECK(text(without(promised, seen)) == "");  // advertised, but not tried
  CHECK(text(without(seen, promised)) == "");  // works, but is not advertised
}

/// Every operand of a type or rank that is not advertised for its row is refused, with the label.
template <class Op> void check_refused(MLContext context, const MLOpSupportLimits::Entry& e) {
  Inputs b(context);
  const Walk walk{b, e.rows.front().limits};
  Op op = walk.examples(std::type_identity<Op>{}).back();
  op.options.label = "labeled";
  const auto refuses = [&](std::string_view row, MLOperand& place, const MLOperand& wrong) {
    const MLOperand right = std::exchange(place, wrong);
    const std::string what = test::thrown([&] { b.append(Op(op)); });
    INFO(e.op << " " << row << " " << name_of(wrong.dataType()) << " of rank " << wrong.rank());
    CHECK(what.starts_with("TypeError " + std::string(e.op) + " [labeled]: the "));
    place = right;
  };
  ops::for_each_operand(op, [&](const auto& row, auto& value) {
    const auto limits = std::find_if(e.rows.begin(), e.rows.end(), [&](const auto& r) {
                          return r.name == row.name;
                        })->limits;
    ops::each(value, [&](MLOperand& place) {
      for (std::size_t i = 0; i < enum_names<MLOperandDataType>.size(); ++i)
        if (const auto t = static_cast<MLOperandDataType>(i); !limits.dataTypes.contains(t))
          refuses(row.name, place, b.x(place.shape(), t));
      for (std::uint32_t r = 0; r <= max_rank; ++r)
        if (r < limits.rankRange.min || r > limits.rankRange.max)
          refuses(row.name, place, b.x(Dims(r, 1), place.dataType()));
    });
  });
}

template <class F> void for_each_entry(const MLOpSupportLimits& limits, F&& f) {
  [&]<class... Op>(ops::OpList<Op...>) {
    auto entry = limits.entries().begin();
    (f(std::type_identity<Op>{}, *entry++), ...);
  }(ops::AllOps{});
}

const MLContextOptions plain{.threads = 1, .backends = {"reference"}};
const MLContextOptions tests2025{
    .threads = 1, .backends = {"reference"}, .rules = Rules::tests2025};

}  // namespace

TEST_CASE("what the limits advertise builds and runs") {
  for (MLContext context : {MLContext(plain), MLContext(tests2025), MLContext({.threads = 2})})
    for_each_entry(context.opSupportLimits(), [&]<class Op>(std::type_identity<Op>, const auto& e) {
      check_advertised<Op>(context, e);
    });
}

TEST_CASE("what the limits do not advertise is refused") {
  for (MLContext context : {MLContext(plain), MLContext(tests2025)})
    for_each_entry(context.opSupportLimits(), [&]<class Op>(std::type_identity<Op>, const auto& e) {
      check_refused<Op>(context, e);
    });
}
