// Chains of element-wise operators.
#include "src/kernels/simd/vector/float32/elementwise.h"
#include "src/kernels/common/convolution.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/simd/backend.h"

namespace webnn::simd {
namespace {

std::optional<Function> unary_of(const Node& n) {
  using enum Function;
  if (n.as<ops::abs>()) return abs;
  if (n.as<ops::ceil>()) return ceil;
  if (n.as<ops::erf>()) return erf;
  if (n.as<ops::exp>()) return exp;
  if (n.as<ops::floor>()) return floor;
  if (n.as<ops::log>()) return log;
  if (n.as<ops::neg>()) return neg;
  if (n.as<ops::reciprocal>()) return reciprocal;
  if (n.as<ops::roundEven>()) return round_even;
  if (n.as<ops::sign>()) return sign;
  if (n.as<ops::softplus>()) return softplus;
  if (n.as<ops::softsign>()) return softsign;
  if (n.as<ops::sqrt>()) return sqrt;
  return std::nullopt;
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
  return std::nullopt;
}

/// Whether it squares its first operand.
bool squares(const Node& n) {
  const auto* pow = n.as<ops::pow>();
  return pow && pow->b.constant() && element_count(pow->b.shape()) == 1 &&
         floats_of(pow->b).front() == 2 && pow->a.shape() == n.output().shape();
}

bool slow(const Step& s) {
  using enum Function;
  switch (s.function) {
    case erf:
    case exp:
    case log:
    case softplus: return true;
    case activation:
      switch (s.activation.activation) {
        case Activation::elu:
        case Activation::sigmoid:
        case Activation::tanh:
        case Activation::gelu: return true;
        default: return false;
      }
    default: return false;
  }
}

/// Reads a chain node by node.
class Builder {
 public:
  explicit Builder(Chain chain)
      : chain_(chain), count_(element_count(chain.back().output().shape())) {}

  Lowering run() {
    for (std::size_t i = 0; i < chain_.size(); ++i)
      if (const char* reason = append(i)) return Refusal{reason};
    if (e_.halves) in_place_.clear();
    const Partition c = partition(count_, cost_, 64);
    return Kernel{.name = chain_.size() > 1 ? "elementwise chain" : "elementwise",
                  .tiles = c.tiles(),
                  .scratch = e_.scratch_floats * sizeof(float),
                  .in_place = in_place_,
                  .run = [c, e = e_](Range r, const Buffers& b, std::byte* scratch) {
                    run_elementwise(e, c.begin(r), c.end(r), b, reinterpret_cast<float*>(scratch));
                  }};
  }

 private:
  /// An operand broadcast to the shape of its node's result.
  Source source(const MLOperand& x, std::size_t input, const Dims& to) {
    constexpr std::size_t few = 256;
    using enum Source::Access;
    Source s{.input = input,
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
               s.loop.inner < few) {
      s.access = periodic;
      s.copies = e_.scratch_floats;
      e_.scratch_floats += Elementwise::block + s.loop.inner;
    }
    if (s.access == loop) cost_ += 1;
    return s;
  }

  /// Nothing, or why not.
  const char* append(std::size_t i) {
    const Node& n = chain_[i];
    const Dims& shape = n.output().shape();
    if (e_.halves) return "nothing follows a cast to float16";
    e_.halves = n.as<ops::cast>() && n.output().dataType() == float16;
    if (n.output().dataType() != float32 && !e_.halves) return "only float32";
    if (element_count(shape) != count_) return "a chain whose results grow";
    const std::vector<MLOperand> operands = n.inputs();
    const auto made = [&](const MLOperand& x) { return i > 0 && x.is(chain_[i - 1].output()); };
    const std::size_t slot = slot_;  // of its first operand from outside
    slot_ += operands.size() - (i > 0);
    const auto binary = binary_of(n);
    if (i == 0 && !binary) e_.head = source(operands[0], 0, shape);
    if (n.as<ops::reshape>() || n.as<ops::identity>()) return nullptr;
    if (const auto* cast = n.as<ops::cast>()) {
      const auto type = cast->input.dataType();
      if (type == float32) return nullptr;
      if (e_.halves) return "casts to float16 only from float32";
      return type == int32 || type == int8 || type == uint8 || type == float16
                 ? nullptr
                 : "no casts from this type";
    }
    Step s;
    if (const auto activation = activation_of(n)) {
      s.function = Function::activation;
      s.activation = *activation;
    } else if (const auto unary = unary_of(n)) {
      s.function = *unary;
    } else if (squares(n) && (i == 0 || made(operands[0]))) {
      s.function = Function::square;
    } else if (binary) {
      if (i > 0 && made(operands[0]) == made(operands[1])) return "both operands made before";
      s.function = *binary;
      if (i > 0) {
        s.swapped = made(operands[1]);
        s.source = source(operands[s.swapped ? 0 : 1], slot, shape);
      } else {  // a small operand is better joined than copied first
        s.swapped = element_count(operands[0].shape()) != count_;
        const std::size_t first = s.swapped ? 1 : 0;
        e_.head = source(operands[first], first, shape);
        s.source = source(operands[1 - first], 1 - first, shape);
      }
    } else {
      return "chains: only element-wise operators";
    }
    cost_ += slow(s) ? 4 : 0.5;
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

Lowering lower_elementwise(Chain chain) { return Builder(chain).run(); }

}  // namespace webnn::simd
