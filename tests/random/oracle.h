// What a graph computes, by the reference kernels one after the other, and how far from that a
// result may be.
//
// A result may differ by what rounding in every operator can do to it. That is measured, not
// derived: the graph is evaluated again some times, and in each of these runs every operator that
// rounds gets its operands changed by units in the last place and its results by the tolerance of
// the operator, up or down at random and in another run the other way around. What an operator
// decides by (a comparison, a rounding, the place of a maximum) is changed by several times as
// much, so that a decision that rounding can turn is turned in one of the runs. Operators that are
// exact add nothing: what only they compute from the inputs has to be equal. An operand that a
// kernel rounds before it multiplies is decided by, too: it is changed by several times as much,
// and then rounded, so that each number that is near the middle of two others becomes either.
#pragma once

#include "src/graph/op.h"
#include "tests/random/operand_rounding.h"
#include "webnn/backend.h"

namespace webnn::inline v0_1::test {

/// When float16, bfloat16 and float8e4m3 are rounded.
enum class Rounding {
  documented,  // where the graph ends, and where an operator decides by it: the guide,
               // architecture.md
  everywhere   // after every operator, as kernels of these types do
};

/// What is computed.
enum class Form {
  same,     // the graph
  exported  // the graph in a file format, which has compositions for operators that it lacks
};

class Oracle {
 public:
  /// The graph and the inputs must live as long. `roundings`: of operands of products, by kernels
  /// of an accuracy level.
  Oracle(const Graph& graph, const Inputs& inputs, Rounding rounding, Form form = Form::same,
         const OperandRoundings& roundings = {});

  /// The output of that index.
  Tensor output(std::size_t i) const;
  /// What is wrong with a result for it; empty when nothing is.
  std::string difference(std::size_t i, const Tensor& result);
  /// A value on the way: an operand of the graph, in its type.
  Tensor value(const MLOperand& x) const;

  /// Whether a value is beyond 2^30, infinite or NaN.
  bool has_extremes() const;

  /// Elements that had to be equal, within bounds, and those that nothing could be said of.
  struct Counts {
    std::uint64_t equal = 0, bounded = 0, unknown = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  static constexpr std::size_t runs = 15;  // besides the one that is exact; the last has zeros
  struct Step;
  struct Value {
    std::vector<Tensor> by_run{};  // one stands for all
    bool overflows = false;        // whether other kernels may have numbers for infinities
    bool unspecified = false;      // whether it depends on what is not specified
    const Tensor& operator[](std::size_t run) const {
      return by_run[std::min(run, by_run.size() - 1)];
    }
  };

  void load(const Inputs& inputs);
  Step prepare(std::size_t node) const;
  bool is_wide(const MLOperand& x) const;
  bool ends_quantized_chain(const Node& node) const;
  bool reads_padding(Node node) const;
  void run(const Step& step, std::size_t run);
  void store(const MLOperand& y, std::size_t run, Tensor t);
  Tensor operand(const Step& step, std::size_t input, std::size_t run) const;
  bool is_chaotic(const Step& step) const;
  bool overflows(const Step& step) const;
  void add_zeros(const Step& step);
  void forget_poles(const Step& step);
  void disturb();

  const Graph graph_;
  Rounding rounding_;
  Form form_;
  OperandRoundings roundings_;
  bool tiny_ = false;       // whether some values are so small that they may be flushed to zero
  bool disturbed_ = false;  // whether the other runs have been made
  std::vector<std::shared_ptr<Step>> steps_;
  std::vector<Value> values_;  // by operand; narrow floats as float32 where they are not rounded
  std::vector<MLOperand> outputs_;
  Counts counts_{};
};

}  // namespace webnn::inline v0_1::test
