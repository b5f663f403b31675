// add, sub and mul of int8 operands.
#include "src/kernels/common/loop.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/simd/quantized/lower.h"
#include "src/kernels/simd/vector/int8/rows.h"

namespace webnn::inline v0_1::simd {
namespace {

/// f(x, z) for the elements of two operands that are broadcast.
struct BinaryKernel {
  Int8Binary g;
  Loop<2> loop;
  std::size_t x, z;  // slots
  Partition c;

  void run(Range r, const Buffers& b) const {
    const auto step = [&](std::size_t t) { return static_cast<std::size_t>(loop.step[t]); };
    loop.run_elements(c.begin(r), c.end(r), [&](std::size_t i, const auto& at, std::size_t n) {
      int8_binary(g, b.in<std::uint8_t>(x) + at[0], step(0), b.in<std::uint8_t>(z) + at[1], step(1),
                  n, b.out<std::uint8_t>() + i);
    });
  }
};

Lowering lower_binary(Int8Binary g, const QuantizedChain& c, const char* name) {
  const QuantizedOperand &x = c.operands[0], &z = c.operands[1];
  const Dims& shape = c.op.output().shape();
  g.x_zero = x.q.shifted_zero();
  g.z_zero = z.q.shifted_zero();
  g.x_flip = x.q.flip();
  g.z_flip = z.q.flip();
  g.result = int8_result(c);
  BinaryKernel work{.g = g,
                    .loop = Loop<2>(shape, {broadcast_strides(x.as_read.shape(), shape),
                                            broadcast_strides(z.as_read.shape(), shape)}),
                    .x = static_cast<std::size_t>(x.slot),
                    .z = static_cast<std::size_t>(z.slot),
                    .c = partition(element_count(shape), 0.5, 64)};
  for (std::ptrdiff_t step : work.loop.step)
    if (step != 0 && step != 1) return Refusal{"quantized: both operands are broadcast"};
  std::vector<int> in_place;
  for (const QuantizedOperand* o : {&x, &z})
    if (element_count(o->x.shape()) == element_count(shape) && !o->constant())
      in_place.push_back(o->slot);
  return Candidate{.name = name,
                   .tiles = work.c.tiles(),
                   .in_place = std::move(in_place),
                   .run = [work](Range r, const Buffers& b, std::byte*) { work.run(r, b); }};
}

const char* unfit(const QuantizedChain& c) {
  for (const QuantizedOperand& x : c.operands)
    if (!x.x || !x.q.is_activation()) return "quantized: an operand is not of 8 bits";
  return nullptr;
}

/// The factors of the operands are 1/2 at most, so that sums of 8 + 20 bits have room.
Lowering lower_sum(const QuantizedChain& c, Int8Binary::What what, const char* name) {
  if (const char* reason = unfit(c)) return Refusal{reason};
  const QuantizationParams &x = c.operands[0].q, &z = c.operands[1].q;
  const double twice = 2 * double{std::max(x.scale[0], z.scale[0])};
  const double factor = twice / ((1 << 20) * double{c.result.scale[0]});
  if (!(factor < 1)) return Refusal{"the result's scale is too small"};
  return lower_binary({.what = what,
                       .a = fixed_point(double{x.scale[0]} / twice),
                       .b = fixed_point(double{z.scale[0]} / twice),
                       .factor = fixed_point(factor)},
                      c, name);
}

}  // namespace

Lowering lower_quantized(const ops::add&, const QuantizedChain& c, Int8DotProduct) {
  return lower_sum(c, Int8Binary::What::sum, "int8 add");
}
Lowering lower_quantized(const ops::sub&, const QuantizedChain& c, Int8DotProduct) {
  return lower_sum(c, Int8Binary::What::difference, "int8 sub");
}
Lowering lower_quantized(const ops::mul&, const QuantizedChain& c, Int8DotProduct) {
  if (const char* reason = unfit(c)) return Refusal{reason};
  const QuantizationParams &x = c.operands[0].q, &z = c.operands[1].q;
  const double factor = x.scale[0] * z.scale[0] / c.result.scale[0];
  if (!(factor < 1 << 12)) return Refusal{"the result's scale is too small"};
  return lower_binary({.what = Int8Binary::What::product, .factor = fixed_point(factor)}, c,
                      "int8 mul");
}

}  // namespace webnn::inline v0_1::simd
