// add, sub and mul of int8 operands.
#include <algorithm>
#include <array>
#include <numeric>

#include "src/kernels/common/loop.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/simd/quantized/lower.h"
#include "src/kernels/simd/vector/int8/float_binary.h"
#include "src/kernels/simd/vector/int8/rows.h"

namespace webnn::inline v0_1::simd {
namespace {

using What = Int8FloatBinary::What;

/// f(x, z) for the elements of two operands that are broadcast.
template <class F> struct BinaryKernel {
  F f;  // f(x, step, z, step, n, y): steps of 1, or 0 for an operand of one element
  Loop<2> loop;
  std::array<std::size_t, 2> slots;
  Partition c;

  /// The operand that is a short row for all rows of the other one; -1 if none is.
  int repeated() const {
    constexpr std::size_t longest = 512;
    if (loop.rank != 1 || loop.inner > longest || loop.step != Loop<2>::Offsets{1, 1}) return -1;
    const auto row = static_cast<std::ptrdiff_t>(loop.inner);
    if (loop.strides[0] == Loop<2>::Offsets{row, 0}) return 1;
    return loop.strides[0] == Loop<2>::Offsets{0, row} ? 0 : -1;
  }
  void run(Range r, const Buffers& b) const {
    const std::uint8_t *x = b.in<std::uint8_t>(slots[0]), *z = b.in<std::uint8_t>(slots[1]);
    std::uint8_t* const y = b.out<std::uint8_t>();
    if (const int i = repeated(); i >= 0) return run_rows(r, x, z, i, y);
    const auto step = [&](std::size_t t) { return static_cast<std::size_t>(loop.step[t]); };
    loop.run_elements(c.begin(r), c.end(r), [&](std::size_t i, const auto& at, std::size_t n) {
      f(x + at[0], step(0), z + at[1], step(1), n, y + i);
    });
  }

 private:
  /// With as many copies of the row as a buffer holds.
  void run_rows(Range r, const std::uint8_t* x, const std::uint8_t* z, int which,
                std::uint8_t* y) const {
    std::array<std::uint8_t, 4096> copies;
    const std::size_t row = loop.inner, length = copies.size() / row * row;
    const std::uint8_t* const from = which == 0 ? x : z;
    const std::size_t begin = c.begin(r), end = c.end(r);
    for (std::size_t i = 0; i < std::min(length, end - begin + row); i += row)
      std::copy_n(from, row, copies.data() + i);
    for (std::size_t i = begin; i < end;) {
      const std::size_t first = i % row, n = std::min(end - i, length - first);
      if (which == 0) f(copies.data() + first, 1, z + i, 1, n, y + i);
      else f(x + i, 1, copies.data() + first, 1, n, y + i);
      i += n;
    }
  }
};

template <class F> Lowering binary_kernel(F f, const QuantizedChain& c, const char* name) {
  const QuantizedOperand &x = c.operands[0], &z = c.operands[1];
  const Dims& shape = c.op.output().shape();
  const Loop<2> loop(shape, {broadcast_strides(x.as_read.shape(), shape),
                             broadcast_strides(z.as_read.shape(), shape)});
  for (std::ptrdiff_t step : loop.step)
    if (step != 0 && step != 1) return Refusal{"quantized: both operands are broadcast"};
  const BinaryKernel<F> work{std::move(f),
                             loop,
                             {static_cast<std::size_t>(x.slot), static_cast<std::size_t>(z.slot)},
                             partition(element_count(shape), 0.5, 64)};
  std::vector<int> in_place;
  for (const QuantizedOperand* o : {&x, &z})
    if (element_count(o->x.shape()) == element_count(shape) && !o->constant())
      in_place.push_back(o->slot);
  return Candidate{.name = name,
                   .tiles = work.c.tiles(),
                   .in_place = std::move(in_place),
                   .run = [work](Range r, const Buffers& b, std::byte*) { work.run(r, b); }};
}

/// Whether the product with 1 / scale gives the integers of the quotient, for all pairs of bytes.
bool inverse_fits(Int8FloatBinary g) {
  std::array<std::uint8_t, 256> all, quotients, products;
  std::iota(all.begin(), all.end(), std::uint8_t{0});
  for (const std::uint8_t& x : all) {
    g.multiplies = false;
    int8_float_binary(g, &x, 0, all.data(), 1, all.size(), quotients.data());
    g.multiplies = true;
    int8_float_binary(g, &x, 0, all.data(), 1, all.size(), products.data());
    if (quotients != products) return false;
  }
  return true;
}

Lowering lower_floats(What what, const QuantizedChain& c, const char* name) {
  const QuantizationParams &x = c.operands[0].q, &z = c.operands[1].q;
  Int8FloatBinary g{.what = what,
                    .x_scale = x.scale[0],
                    .z_scale = z.scale[0],
                    .scale = c.result.scale[0],
                    .x_zero = x.shifted_zero(),
                    .z_zero = z.shifted_zero(),
                    .x_flip = x.flip(),
                    .z_flip = z.flip(),
                    .result = int8_result(c)};
  const double a = 255 * double{g.x_scale}, b = 255 * double{g.z_scale};
  if (!((what == What::product ? a * b : a + b) < double{g.scale} * (1 << 30)))
    return Refusal{"the result's scale is too small"};
  g.multiplies = inverse_fits(g);
  return binary_kernel([g](auto... all) { int8_float_binary(g, all...); }, c, name);
}

const char* unfit(const QuantizedChain& c) {
  for (const QuantizedOperand& x : c.operands)
    if (!x.x || !x.q.is_activation()) return "quantized: an operand is not of 8 bits";
  return nullptr;
}

/// The factors of the operands of a sum are 1/2 at most, so that sums of 8 + 20 bits have room.
std::optional<Int8Binary> fixed_binary(What what, const QuantizedChain& c) {
  const QuantizationParams &x = c.operands[0].q, &z = c.operands[1].q;
  Int8Binary g{.x_zero = x.shifted_zero(),
               .z_zero = z.shifted_zero(),
               .x_flip = x.flip(),
               .z_flip = z.flip(),
               .result = int8_result(c)};
  const double twice = 2 * double{std::max(x.scale[0], z.scale[0])};
  double factor = twice / ((1 << 20) * double{c.result.scale[0]}), limit = 1;
  if (what == What::product) {
    g.what = Int8Binary::What::product;
    factor = x.scale[0] * z.scale[0] / c.result.scale[0];
    limit = 1 << 12;
  } else {
    g.what = what == What::sum ? Int8Binary::What::sum : Int8Binary::What::difference;
    g.a = fixed_point(double{x.scale[0]} / twice);
    g.b = fixed_point(double{z.scale[0]} / twice);
  }
  if (!(factor < limit)) return std::nullopt;
  g.factor = fixed_point(factor);
  return g;
}

Lowering lower_binary(What what, const QuantizedChain& c, const char* name) {
  if (const char* reason = unfit(c)) return Refusal{reason};
  if (c.requantization == Requantization::floats) return lower_floats(what, c, name);
  const auto g = fixed_binary(what, c);
  if (!g) return Refusal{"the result's scale is too small"};
  return binary_kernel([g = *g](auto... all) { int8_binary(g, all...); }, c, name);
}

std::optional<What> function_of(const Node& node) {
  if (node.as<ops::add>()) return What::sum;
  if (node.as<ops::sub>()) return What::difference;
  if (node.as<ops::mul>()) return What::product;
  return std::nullopt;
}

}  // namespace

std::optional<std::array<std::uint8_t, 256>> fixed_binary_table(const QuantizedChain& c) {
  const auto what = function_of(c.op);
  if (!what || !c.clamps || unfit(c)) return std::nullopt;
  const auto g = fixed_binary(*what, c);
  if (!g) return std::nullopt;
  std::array<std::uint8_t, 256> bytes, table;
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  std::array<const std::uint8_t*, 2> from{bytes.data(), bytes.data()};
  std::array<std::size_t, 2> steps{1, 1};
  std::array<std::uint8_t, 2> constants{};
  for (std::size_t i = 0; i < from.size(); ++i) {
    const QuantizedOperand& x = c.operands[i];
    if (!x.constant()) continue;
    if (element_count(x.x.shape()) != 1) return std::nullopt;
    constants[i] = static_cast<std::uint8_t>(integers_of(x.x)[0]);
    from[i] = &constants[i];
    steps[i] = 0;
  }
  int8_binary(*g, from[0], steps[0], from[1], steps[1], table.size(), table.data());
  return table;
}

Lowering lower_quantized(const ops::add&, const QuantizedChain& c, Int8DotProduct) {
  return lower_binary(What::sum, c, "int8 add");
}
Lowering lower_quantized(const ops::sub&, const QuantizedChain& c, Int8DotProduct) {
  return lower_binary(What::difference, c, "int8 sub");
}
Lowering lower_quantized(const ops::mul&, const QuantizedChain& c, Int8DotProduct) {
  return lower_binary(What::product, c, "int8 mul");
}

}  // namespace webnn::inline v0_1::simd
