// What rounding may do to the tensors of an oracle's runs, and what overflows.
#pragma once

#include <limits>

#include "tests/support/random.h"

namespace webnn::inline v0_1::test {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Up or down, at random; the two runs of a pair are each other's opposite. In the first pair all
/// changes go the same way, in the second one those of neighboring operands go opposite ways.
class Signs {
 public:
  Signs(std::size_t run, std::uint64_t place)
      : random_(place * 64 + (run - 1) / 2),
        all_(run <= 4),
        opposite_((run % 2 == 0) != (all_ && run > 2 && place % 2 == 0)),
        away_(run > 6 && run <= 10) {}
  double next() {
    if (left_ == 0) bits_ = all_ ? 0 : random_.next(), left_ = 64;
    --left_;
    const bool down = bits_ & 1;
    bits_ >>= 1;
    return down != opposite_ ? -1 : 1;
  }

  bool away() const { return away_; }

 private:
  Random random_;
  bool all_;
  bool opposite_;
  bool away_;
  std::uint64_t bits_ = 0;
  int left_ = 0;
};

double largest_finite(const Tensor& x);
bool is_finite(const Tensor& x);
/// Whether sums of products of the operands may be infinite in float32, where double has no
/// infinity: an infinity of the result then may be a NaN.
bool may_overflow(const std::vector<Tensor>& operands);
std::vector<Tensor> with_nan_for_infinity(std::vector<Tensor> all);
std::vector<Tensor> with_magnitudes(std::vector<Tensor> all);
/// Each element of floats by so many units in its last place; zeros get any sign, or are changed as
/// well.
void change(Tensor& x, double ulps, bool tiny, bool zeros, const Tensor& exact, Signs signs);
/// Each element of floats by so much.
void change_absolutely(Tensor& x, double unit, const Tensor& exact, Signs signs);
/// Each element of integers by one unit, within their type.
void change_units(Tensor& x, double units, const Tensor& exact, Signs signs);
/// What a backend may do to subnormal operands; also to those that change() has made normal ones.
void flush(Tensor& x);

/// quantizeLinear as compositions have it: each quotient is rounded to a type of floats before it
/// is rounded to an integer. What is NaN stays as it is in y.
void quantize_by_rounded_quotients(const Tensor& x, const Tensor& scale, const Tensor& zero_point,
                                   MLOperandDataType type, Tensor& y);
/// The elements of x that quantizeLinear divides to NaN, for which it specifies no integer.
std::vector<std::size_t> without_integer(const Tensor& x, const Tensor& scale);
/// The largest sum in a gate of a GRU with states up to that, of products of the input and of a
/// state, and biases.
double largest_gate(const std::vector<Tensor>& operands, double state);

}  // namespace webnn::inline v0_1::test
