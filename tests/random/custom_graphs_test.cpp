// Random graphs between whose operators custom ones stand that change nothing: passes and kernels
// have to leave them alone, and the results are those of the graph without them.
#include "src/graph/narrow_floats.h"
#include "src/graph/op.h"
#include "tests/random/compare.h"
#include "tests/random/exported.h"
#include "tests/random/rebuild.h"
#include "tests/support/catch.h"
#include "webnn/custom.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using Definition = std::shared_ptr<const CustomOperator>;

std::vector<MLOperandDescriptor> same(const CustomCall& c) { return {c.inputs.at(0)}; }
void copy(const CustomRun& run) {
  const auto x = run.in<std::byte>(0);
  std::copy(x.begin(), x.end(), run.out<std::byte>().begin());
}
/// Tiles of some bytes, in any order of dimensions.
Lowering lower_copy(const CustomCall& call) {
  constexpr std::size_t tile = 24;
  const std::size_t bytes = byte_length(call.inputs[0]);
  return Candidate{.name = "copy",
                   .tiles = static_cast<int>((bytes + tile - 1) / tile),
                   .in_place = {0},
                   .run = [=](Range r, const Buffers& b, std::byte*) {
                     const std::size_t from = static_cast<std::size_t>(r.begin) * tile;
                     const std::size_t end =
                         std::min(bytes, static_cast<std::size_t>(r.end) * tile);
                     if (b.inputs[0] != b.outputs[0])
                       std::copy(b.inputs[0] + from, b.inputs[0] + end, b.outputs[0] + from);
                   }};
}

const std::vector<Definition>& identities() {
  static const std::vector<Definition> all = {
      custom_operator({.name = "test.Copy", .infer = &same, .compute = &copy}),
      custom_operator({.name = "test.NotPure", .infer = &same, .compute = &copy, .pure = false}),
      custom_operator({.name = "test.Tiles",
                       .infer = &same,
                       .lower = &lower_copy,
                       .transposed = [](const CustomCall& c, const Dims&) {
                         return std::optional(c.attributes);
                       }})};
  return all;
}

bool has_narrow_floats(const Graph& graph) {
  for (std::size_t i = 0; i < graph.operand_count(); ++i)
    if (is_narrow_float(graph.operand(static_cast<std::uint32_t>(i)).dataType())) return true;
  return false;
}

/// The graph with custom operators behind some of its operators.
class Interrupted {
 public:
  Interrupted(const Case& c, const MLContext& context)
      : case_(c), random_(c.seed), builder_(context), now_(c.graph.operand_count()) {}

  MLGraph build() {
    for (std::size_t i = 0; i < case_.graph.size(); ++i) add(case_.graph.node(i));
    NamedOperands outputs;
    for (const auto& [name, y] : case_.graph.outputs()) outputs.push_back({name, operand(y)});
    return builder_.build(outputs);
  }
  int count() const { return count_; }

 private:
  MLOperand operand(const MLOperand& old) {
    MLOperand& now = now_[old.record().id];
    if (now) return now;
    const Tensor values = values_of(case_, old);
    if (old.constant()) return now = builder_.constant(values.descriptor(), values.bytes);
    return now = builder_.input(old.record().name, {values.type, values.shape});
  }
  /// Custom operators take elements of 8 bits and more.
  void know(const MLOperand& old, MLOperand now) {
    for (; bits_of(now.dataType()) >= 8 && random_.integer(0, 2) == 0; ++count_)
      now = builder_.custom(identities()[random_.integer(0, 2)], {now})[0];
    now_[old.record().id] = std::move(now);
  }
  void add(const Node& node) {
    visit<ops::AllOps>(
        [&]<class T>(const T& op) {
          T copied = op;
          ops::for_each_operand(copied, [&](const auto&, auto& value) {
            ops::each(value, [&](MLOperand& x) { x = operand(x); });
          });
          if constexpr (ops::returns_list<T>()) {
            const auto made = builder_.append(std::move(copied));
            for (std::size_t k = 0; k < made.size(); ++k) know(node.output(k), made[k]);
          } else {
            know(node.output(), builder_.append(std::move(copied)));
          }
        },
        node.kind(), node.op());
  }

  const Case& case_;
  Random random_;
  MLGraphBuilder builder_;
  std::vector<MLOperand> now_;  // by operand of the old graph
  int count_ = 0;
};

}  // namespace

TEST_CASE("random graphs with custom operators between others: 1 to 300") {
  Comparison comparison;
  const MLContext context({.threads = 2, .keepConstants = true, .operators = identities()});
  int graphs = 0, operators = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::optional<Mismatch> mismatch;
    const auto c = comparison.generate(seed, mismatch);
    if (!c || mismatch || has_narrow_floats(c->graph)) continue;
    CAPTURE(seed);
    Interrupted interrupted(*c, context);
    const MLGraph graph = interrupted.build();
    if (interrupted.count() == 0) continue;
    ++graphs;
    operators += interrupted.count();
    Oracle oracle(c->graph, c->inputs, Rounding::documented);
    const std::vector<Tensor> results = computed(context, graph, c->inputs);
    for (std::size_t i = 0; i < results.size(); ++i)
      if (const std::string text = oracle.difference(i, results[i]); !text.empty())
        FAIL_CHECK("output " << i << text << "\n" << to_text(graph.graph()));
    for (const FileFormat& format : file_formats())
      if (format.name == "text") {
        const auto again = format.through(graph, context);
        CHECK((again && again->graph() == graph.graph()));
      }
  }
  CHECK(graphs > 100);
  CHECK(operators > 300);
}
