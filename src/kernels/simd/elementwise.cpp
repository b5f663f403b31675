// Chains of element-wise operators.
#include "src/kernels/simd/vector/float32/elementwise.h"
#include "src/kernels/common/convolution.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/elementwise.h"

namespace webnn::inline v0_1::simd {
namespace {

/// A row of unary_functions.inc; of other operators, a cost of 0.
struct UnaryRow {
  double cost = 0;
  Epilogue (*parameters)(const void* op) = nullptr;
};
template <class Op> Epilogue parameters_of(const void* op) {
  Epilogue e;
  float* next = &e.alpha;
  const auto add = [&]<class Row, class T>(const Row&, const T& value) {
    if constexpr (std::same_as<T, double>)
      if (next)
        *std::exchange(next, next == &e.alpha ? &e.beta : nullptr) = static_cast<float>(value);
  };
  ops::for_each_attribute(*static_cast<const Op*>(op), add);
  return e;
}
template <class Op> constexpr UnaryRow row_of() {
  if constexpr (constexpr double cost = unary_cost<Op>; cost > 0) return {cost, &parameters_of<Op>};
  return {};
}
const UnaryRow& unary_row(std::size_t kind) {
  static constexpr auto rows = []<class... T>(ops::OpList<T...>) {
    return std::array{row_of<T>()...};
  }(EveryOp{});
  return rows[kind];
}

std::optional<Function> binary_of(const Node& n) {
  using enum Function;
  if (n.as<ops::add>()) return add;
  if (n.as<ops::sub>()) return sub;
  if (n.as<ops::mul>()) return mul;
  if (n.as<ops::div>()) return div;
  if (n.as<ops::max>()) return max;
  if (n.as<ops::min>()) return min;
  if (n.as<ops::prelu>()) return prelu;
  if (n.as<ops::modulusFloor>()) return modulus_floor;
  if (n.as<ops::modulusTruncate>()) return modulus_truncate;
  return std::nullopt;
}

/// The exponent of a power of its first operand that needs no logarithm.
std::optional<float> exponent_of(const Node& n) {
  const auto* pow = n.as<ops::pow>();
  if (!pow || !pow->b.constant() || element_count(pow->b.shape()) != 1) return std::nullopt;
  if (pow->a.shape() != n.output().shape()) return std::nullopt;
  const float exponent = floats_of(pow->b).front();
  for (float simple : {-2.f, -1.f, -0.5f, 0.5f, 2.f, 3.f, 4.f})
    if (exponent == simple) return exponent;
  return std::nullopt;
}

double cost_of(const ElementwiseStep& s) {
  constexpr double simple = 0.5, transcendental = 4;
  if (s.function == Function::unary) return unary_row(s.kind).cost;
  if (s.function == Function::modulus_floor || s.function == Function::modulus_truncate)
    return transcendental;
  if (s.function != Function::activation) return simple;
  switch (s.parameters.activation) {
    case Activation::elu:
    case Activation::sigmoid:
    case Activation::tanh:
    case Activation::gelu:
    case Activation::swish: return transcendental;
    default: return simple;
  }
}

bool is_narrow_float(MLOperandDataType t) {
  return t == float16 || t == bfloat16 || t == float8e4m3;
}

/// Builds the kernel of a chain, node by node.
class ChainLowering {
 public:
  explicit ChainLowering(Chain chain)
      : chain_(chain), count_(element_count(chain.back().output().shape())) {}

  Lowering run() {
    for (std::size_t i = 0; i < chain_.size(); ++i)
      if (const char* reason = append(i)) return Refusal{reason};
    if (narrows()) in_place_.clear();
    const Partition c = partition(count_, cost_, 64);
    return Candidate{.name = chain_.size() > 1 ? "elementwise chain" : "elementwise",
                     .tiles = c.tiles(),
                     .scratch = e_.scratch_floats * sizeof(float),
                     .in_place = in_place_,
                     .run = [c, e = e_](Range r, const Buffers& b, std::byte* scratch) {
                       run_elementwise(e, c.begin(r), c.end(r), b,
                                       reinterpret_cast<float*>(scratch));
                     }};
  }

 private:
  bool narrows() const { return e_.result != float32; }

  /// An operand, broadcast to the shape of the node's result.
  ElementwiseOperand source(const MLOperand& x, std::size_t input, const Dims& to) {
    constexpr std::size_t max_period = 256;
    using enum ElementwiseOperand::Access;
    ElementwiseOperand s{.input = input,
                         .access = loop,
                         .type = x.dataType(),
                         .loop = Loop<1>(to, {broadcast_strides(x.shape(), to)}),
                         .copies = 0};
    if (element_count(x.shape()) == count_) {
      s.access = whole;
      if (s.type == float32) in_place_.push_back(static_cast<int>(s.input));
    } else if (element_count(x.shape()) == 1) {
      s.access = scalar;
    } else if (s.loop.rank == 1 && s.loop.strides[0][0] == 0 && s.loop.step[0] == 1 &&
               s.loop.inner < max_period) {
      s.access = periodic;
      s.copies = e_.scratch_floats;
      e_.scratch_floats += Elementwise::block + s.loop.inner;
    }
    if (s.access == loop) cost_ += 1;
    return s;
  }

  /// The reason for a refusal, or null.
  const char* append(std::size_t i) {
    const Node& n = chain_[i];
    const Dims& shape = n.output().shape();
    if (narrows()) return "no operator can follow a cast to a narrow float";
    const auto to = n.output().dataType();
    if (n.as<ops::cast>() && is_narrow_float(to)) e_.result = to;
    else if (to != float32) return "only float32";
    if (element_count(shape) != count_) return "the results of the chain differ in size";
    const std::vector<MLOperand> operands = n.inputs();
    const auto made = [&](const MLOperand& x) { return i > 0 && x.is(chain_[i - 1].output()); };
    const std::size_t slot = slot_;  // of its first operand from outside of the chain
    slot_ += operands.size() - (i > 0);
    const auto binary = binary_of(n);
    if (i == 0 && !binary) e_.head = source(operands[0], 0, shape);
    if (n.as<ops::reshape>() || n.as<ops::identity>()) return nullptr;
    if (const auto* cast = n.as<ops::cast>()) {
      const auto type = cast->input.dataType();
      if (type == float32) return nullptr;
      if (narrows()) return "casts to narrow floats are only from float32";
      return type == int32 || type == int8 || type == uint8 || is_narrow_float(type)
                 ? nullptr
                 : "no casts from this data type";
    }
    ElementwiseStep s;
    if (const auto activation = activation_of(n)) {
      s.function = Function::activation;
      s.parameters = *activation;
    } else if (const UnaryRow& row = unary_row(n.kind()); row.cost > 0) {
      s.function = Function::unary;
      s.kind = n.kind();
      s.parameters = row.parameters(n.op());
    } else if (const auto exponent = exponent_of(n); exponent && (i == 0 || made(operands[0]))) {
      s.function = Function::power;
      s.parameters.alpha = *exponent;
    } else if (binary) {
      if (i > 0 && made(operands[0]) == made(operands[1]))
        return "both operands are results of the chain";
      s.function = *binary;
      if (i > 0) {
        s.swapped = made(operands[1]);
        s.source = source(operands[s.swapped ? 0 : 1], slot, shape);
      } else {  // the head is the operand that needs no broadcast
        s.swapped = element_count(operands[0].shape()) != count_;
        const std::size_t first = s.swapped ? 1 : 0;
        e_.head = source(operands[first], first, shape);
        s.source = source(operands[1 - first], 1 - first, shape);
      }
    } else {
      return "only element-wise operators in a chain";
    }
    cost_ += cost_of(s);
    e_.steps.push_back(std::move(s));
    return nullptr;
  }

  Chain chain_;
  std::size_t count_, slot_ = 0;
  double cost_ = 0.5;
  Elementwise e_{};
  std::vector<int> in_place_;
};

}  // namespace

static_assert(
    []<class... T>(ops::OpList<T...>) {
      return (ops::traits_of<T>().element_wise && ...);
    }(Elementwises{}),
    "longest_in_library() knows the chains by this trait");

Lowering lower_elementwise(Chain chain) { return ChainLowering(chain).run(); }

}  // namespace webnn::inline v0_1::simd
