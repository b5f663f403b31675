// Integers of the arithmetic on shapes while a file is imported: numbers, or values that follow
// from the sizes of a run. Private; a shared library of a format has its own copy and does not show
// it.
#pragma once

#include <optional>

#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::formats {

/// A number, or an element of an operand that has it in a run.
class Size {
 public:
  template <std::integral T> Size(T number) : number_(static_cast<std::int64_t>(number)) {}
  /// The size of a dimension of x.
  [[gnu::visibility("hidden")]] static Size dimension(const MLOperand& x, std::uint32_t axis);
  /// Element i of an operand of integers with a rank of 0 or 1. The number is given where it is
  /// known.
  [[gnu::visibility("hidden")]] static Size element(const MLOperand& x, std::uint32_t i,
                                                    std::optional<std::int64_t> number = {});

  bool is_known() const { return number_.has_value(); }
  bool is(std::int64_t n) const { return number_ == n; }
  /// Throws InvalidStateError, as MLOperand::shape() does, when it is not known.
  [[gnu::visibility("hidden")]] std::int64_t number() const;
  /// An int64 scalar.
  [[gnu::visibility("hidden")]] MLOperand operand(MLGraphBuilder&) const;
  /// The number, or the name of the dimension, in a message.
  [[gnu::visibility("hidden")]] std::string text() const;
  /// Whether both are the same in every run; false where that is not known.
  [[gnu::visibility("hidden")]] bool same_as(const Size&) const;
  /// The builder of the operand, if it is not a known number.
  MLGraphBuilder builder() const { return builder_of(source_); }

 private:
  friend MLOperand operand_of(MLGraphBuilder&, const std::vector<Size>&);
  enum class From : std::uint8_t { nothing, dimension, element };
  [[gnu::visibility("hidden")]] bool follows(const Size& before) const;

  std::optional<std::int64_t> number_{};
  From from_ = From::nothing;
  MLOperand source_{};
  std::uint32_t index_ = 0;
};

using SizeList = std::vector<Size>;

/// A list of sizes, also of those that are all known.
struct Shape : SizeList {
  Shape() = default;
  Shape(std::initializer_list<Size> sizes) : SizeList(sizes) {}
  Shape(SizeList sizes) : SizeList(std::move(sizes)) {}
  Shape(const Dims& sizes) : SizeList(sizes.begin(), sizes.end()) {}
};

/// The sizes of the dimensions. Throws InvalidStateError when the rank is not known.
[[gnu::visibility("hidden")]] SizeList sizes_of(const MLOperand& x);
[[gnu::visibility("hidden")]] bool are_known(const SizeList&);
/// They are known, and dimensions of WebNN.
[[gnu::visibility("hidden")]] Dims dims_of(const SizeList&);
/// int64, with a rank of 1.
[[gnu::visibility("hidden")]] MLOperand operand_of(MLGraphBuilder&, const SizeList&);

/// f(a, b) as an operator of int64 scalars; one of both is not known.
using SizeFunction = MLOperand (*)(MLGraphBuilder&, const MLOperand&, const MLOperand&);
[[gnu::visibility("hidden")]] Size computed(SizeFunction f, const Size& a, const Size& b);
[[gnu::visibility("hidden")]] Size operator+(const Size&, const Size&);
[[gnu::visibility("hidden")]] Size operator-(const Size&, const Size&);
[[gnu::visibility("hidden")]] Size operator*(const Size&, const Size&);
/// The quotient, rounded to 0. A divisor that is known is not 0.
[[gnu::visibility("hidden")]] Size operator/(const Size&, const Size&);
[[gnu::visibility("hidden")]] Size min(const Size&, const Size&);
[[gnu::visibility("hidden")]] Size max(const Size&, const Size&);
[[gnu::visibility("hidden")]] Size product(const SizeList&);
/// `[2, "height"]`.
[[gnu::visibility("hidden")]] std::string text_of(const SizeList&);
/// place, from the end of a dimension of that size if it is negative.
[[gnu::visibility("hidden")]] Size from_end(const Size& place, const Size& size);

// Operators that are static where all sizes are known. Those that are have been checked.

[[gnu::visibility("hidden")]] MLOperand reshape(MLGraphBuilder&, const MLOperand& x,
                                                const SizeList& shape, MLOperatorOptions = {});
[[gnu::visibility("hidden")]] MLOperand expand(MLGraphBuilder&, const MLOperand& x,
                                               const SizeList& shape, MLOperatorOptions = {});
[[gnu::visibility("hidden")]] MLOperand tile(MLGraphBuilder&, const MLOperand& x,
                                             const SizeList& repetitions, MLOperatorOptions = {});
[[gnu::visibility("hidden")]] MLOperand slice(MLGraphBuilder&, const MLOperand& x,
                                              const SizeList& starts, const SizeList& sizes,
                                              MLSliceOptions = {});
[[gnu::visibility("hidden")]] MLOperand pad(MLGraphBuilder&, const MLOperand& x,
                                            const SizeList& before, const SizeList& after,
                                            MLPadOptions = {});
/// x with a dimension of 1 before the axis, or without that of the axis.
[[gnu::visibility("hidden")]] MLOperand with_one(MLGraphBuilder&, const MLOperand& x,
                                                 std::uint32_t axis);
[[gnu::visibility("hidden")]] MLOperand without_one(MLGraphBuilder&, const MLOperand& x,
                                                    std::uint32_t axis);
/// The numbers from `first` on, one for each of n, of a type of integers of 32 or 64 bits or
/// float32.
[[gnu::visibility("hidden")]] MLOperand numbers(MLGraphBuilder&, MLOperandDataType,
                                                const Size& first, const Size& n);

}  // namespace webnn::inline v0_1::formats
