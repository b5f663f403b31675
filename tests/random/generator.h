// Random valid graphs over all operators: the same graph for a seed on every platform.
#pragma once

#include <map>

#include "tests/random/families.h"
#include "tests/support/random.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {

/// Values for the inputs of a graph, by name.
using Inputs = std::map<std::string, Tensor>;

struct RandomGraph {
  NamedOperands outputs{};
  Inputs inputs{};
};
/// Whether products have so many terms and columns that kernels of accuracy levels compute them.
enum class Operands { small, wide };

RandomGraph random_graph(const MLGraphBuilder& builder, std::uint64_t seed,
                         Operands operands = Operands::small);
/// With one operator of that kind (its index in ops::AllOps), and what it needs.
RandomGraph random_operator(const MLGraphBuilder& builder, std::size_t kind, std::uint64_t seed);

/// Where the numbers of a new operand lie; integers are the whole numbers among them.
struct Interval {
  double low = -4, high = 4;
};

/// A graph under construction: what the families of operators choose their operands from.
class Generator {
 public:
  Generator(const MLGraphBuilder& builder, std::uint64_t seed, Operands operands = Operands::small);
  RandomGraph run();
  RandomGraph run_one(std::size_t kind);

  bool chance(double probability) { return random_.uniform(0, 1) < probability; }
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return random_.integer(low, high);
  }
  template <class T> T one_of(std::initializer_list<T> list) {
    return list.begin()[between(0, static_cast<std::uint32_t>(list.size()) - 1)];
  }
  template <class T> const T& one_of(const std::vector<T>& list) {
    return list[between(0, static_cast<std::uint32_t>(list.size()) - 1)];
  }
  double number(double low, double high) { return random_.uniform(low, high); }
  /// In any order.
  Dims permutation(std::uint32_t rank);
  /// Some of the dimensions of a tensor, in any order.
  Dims axes(std::uint32_t rank, std::uint32_t at_least = 0);

  /// One of them, most often the graph's floats.
  MLOperandDataType type_in(DataTypes types);
  Dims shape(ops::Ranks ranks);
  std::uint32_t dimension();
  std::uint64_t most_elements() const { return most_elements_; }
  bool fits(const Dims& shape) const { return element_count(shape) <= 4 * most_elements_; }

  /// An operand of one of these types and ranks: one that is there already, perhaps reshaped, or a
  /// new input or constant.
  MLOperand any(DataTypes types, ops::Ranks ranks = {0, 6});
  /// An operand for an operator that decides by it: mostly one without rounding errors.
  MLOperand exact(DataTypes types, ops::Ranks ranks = {0, 6});
  /// An operand with magnitudes up to 2^bits.
  MLOperand limited(DataTypes types, int bits, ops::Ranks ranks = {0, 6});
  /// An operand of that type and shape.
  MLOperand like(MLOperandDataType type, const Dims& shape, Interval values = {});
  /// An operand of that type and shape, mostly a constant.
  MLOperand weight(MLOperandDataType type, const Dims& shape, Interval values = {-1, 1});
  /// An operand whose shape broadcasts with x's to a result that fits.
  MLOperand beside(const MLOperand& x, bool exactly = false);
  /// Two operands of one type that broadcast, in any order; sometimes the same one twice.
  std::pair<MLOperand, MLOperand> pair(DataTypes types, bool exactly = false);

  MLOperand leaf(MLOperandDataType type, const Dims& shape, Interval values = {});
  MLOperand input(const Tensor& values);
  MLOperand constant(const Tensor& values);
  Tensor tensor(MLOperandDataType type, const Dims& shape, Interval values = {});
  Random& random() { return random_; }
  MLGraphBuilder& builder() { return builder_; }

  /// x, or a function of it with magnitudes up to 2^bits.
  MLOperand tamed(const MLOperand& x, int bits);
  int magnitude(const MLOperand& x) const;
  bool is_exact(const MLOperand& x) const;

  /// Adds an operator. The magnitude of its results is up to 2^bits, by default its operands'.
  template <class Op> auto append(Op op, std::optional<int> bits = std::nullopt) {
    const Known known = expected(op, bits);
    auto made = builder_.append(std::move(op));
    if constexpr (ops::returns_list<Op>())
      for (const MLOperand& y : made) know(y, known);
    else know(made, known);
    return made;
  }

 private:
  struct Known {
    MLOperand x{};
    bool exact = true;  // computed without rounding
    int bits = 2;       // its magnitudes are up to 2^bits
    bool read = false;
  };

  template <class Op> Known expected(const Op& op, std::optional<int> bits) {
    Known known{.exact = rounds_nothing(Op::declaration.name)};
    ops::for_each_operand(op, [&](const auto&, const auto& value) {
      ops::each(value, [&](const MLOperand& x) {
        known.exact &= is_exact(x);
        known.bits = std::max(known.bits, magnitude(x));
        mark_read(x);
      });
    });
    if (bits) known.bits = *bits;
    return known;
  }
  static bool rounds_nothing(std::string_view op);
  void know(const MLOperand& x, Known known);
  void mark_read(const MLOperand& x);
  const Known* known(const MLOperand& x) const;
  const Known* choose(DataTypes types);
  MLOperand reshaped(const MLOperand& x, ops::Ranks ranks);
  double special(MLOperandDataType type);
  std::string new_name();
  void add(std::size_t kind);
  RandomGraph finish();

  Operands operands_;
  MLGraphBuilder builder_;
  Random random_;
  MLOperandDataType floats_ = float32;
  bool wild_ = false;  // whether leaves hold values that are not finite or extreme
  std::uint64_t most_elements_ = 64;
  std::vector<Known> known_{};
  std::map<const OperandRecord*, std::size_t> places_{};
  Inputs inputs_{};
};

// One for each family, in its file.
void generate(Generator&, ElementwiseFamily, std::size_t kind);
void generate(Generator&, MovementFamily, std::size_t kind);
void generate(Generator&, IndexFamily, std::size_t kind);
void generate(Generator&, ImageFamily, std::size_t kind);
void generate(Generator&, ProductFamily, std::size_t kind);
void generate(Generator&, ReductionFamily, std::size_t kind);
void generate(Generator&, RecurrentFamily, std::size_t kind);
void generate(Generator&, QuantizationFamily, std::size_t kind);

/// Several operators that passes and backends look for together.
void generate_pattern(Generator&);
/// An operator that is written out in others.
void generate_written_out(Generator&);
/// Quantized operators, one after the other.
void generate_quantized(Generator&);
/// A product, a convolution or an attention with wide operands.
void generate_wide(Generator&);

}  // namespace webnn::inline v0_1::test
