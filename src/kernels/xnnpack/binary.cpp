// Functions of two operands that broadcast.
#include "src/kernels/common/loop.h"
#include "src/kernels/xnnpack/backend.h"
#include "src/kernels/xnnpack/tile.h"

namespace webnn::inline v0_1::xnnpack {
namespace {

/// The loops over the result, outermost first: sizes, and whether an operand is repeated.
struct Loops {
  std::vector<std::size_t> sizes;
  std::vector<bool> a_repeats, b_repeats;

  explicit Loops(const Loop<2>& loop) {
    for (std::size_t d = 0; d < loop.rank; ++d) add(loop.sizes[d], loop.strides[d]);
    add(loop.inner, loop.step);
  }
  std::vector<std::size_t> shape(const std::vector<bool>& repeats) const {
    std::vector<std::size_t> s = sizes;
    for (std::size_t d = 0; d < s.size(); ++d)
      if (repeats[d]) s[d] = 1;
    return s;
  }

 private:
  void add(std::size_t size, const Loop<2>::Offsets& stride) {
    sizes.push_back(size);
    a_repeats.push_back(stride[0] == 0);
    b_repeats.push_back(stride[1] == 0);
  }
};

std::size_t product(const std::vector<std::size_t>& v) {
  std::size_t n = 1;
  for (std::size_t x : v) n *= x;
  return n;
}

using Plain = float (*)(float, float);

/// y = f(a, b) with operands of these shapes, whose dimensions of size 1 repeat.
void combine(std::span<const std::size_t> shape_a, std::span<const std::size_t> shape_b, Plain f,
             const float* a, const float* b, float* y) {
  const std::size_t size_a = shape_a.front(), size_b = shape_b.front(),
                    size = std::max(size_a, size_b);
  if (shape_a.size() == 1) {
    for (std::size_t i = 0; i < size; ++i) y[i] = f(a[size_a > 1 ? i : 0], b[size_b > 1 ? i : 0]);
    return;
  }
  const auto rest_a = shape_a.subspan(1), rest_b = shape_b.subspan(1);
  std::size_t step_a = 1, step_b = 1, step = 1;
  for (std::size_t d = 0; d < rest_a.size(); ++d) {
    step_a *= rest_a[d];
    step_b *= rest_b[d];
    step *= std::max(rest_a[d], rest_b[d]);
  }
  for (std::size_t i = 0; i < size; ++i)
    combine(rest_a, rest_b, f, a + (size_a > 1 ? i * step_a : 0), b + (size_b > 1 ? i * step_b : 0),
            y + i * step);
}

/// Tiles of the outermost loop. `plain`: for elements that are not finite.
Lowering lower(Binary function, const MLOperand& a, const MLOperand& b,
               const LoweringRequest& request, Plain plain = nullptr) {
  const Dims& shape = request.result.shape();
  const Loops loops(
      Loop<2>(shape, {broadcast_strides(a.shape(), shape), broadcast_strides(b.shape(), shape)}));
  if (loops.sizes.size() > 6) return Refusal{"more than six dimensions broadcast"};
  const std::size_t outer = loops.sizes.front(), count = product(loops.sizes),
                    inner = count / outer;
  const bool flat = loops.sizes.size() == 1;
  const std::size_t wanted = std::min(outer, tiles_for(static_cast<double>(count), 16384));
  const std::size_t unit = flat ? 64 : 1;
  const std::size_t each = ((outer + wanted - 1) / wanted + unit - 1) / unit * unit;
  std::vector<std::size_t> shape_a = loops.shape(loops.a_repeats),
                           shape_b = loops.shape(loops.b_repeats);
  const std::size_t step_a = loops.a_repeats.front() ? 0 : product(shape_a) / outer;
  const std::size_t step_b = loops.b_repeats.front() ? 0 : product(shape_b) / outer;
  Tiles tiles;
  for (std::size_t at = 0; at < outer; at += each) {
    const std::size_t size = std::min(each, outer - at);
    if (!loops.a_repeats.front()) shape_a.front() = size;
    if (!loops.b_repeats.front()) shape_b.front() = size;
    Tile t;
    t.op = binary(function, shape_a, shape_b);
    t.a = {product(shape_a), shape_a.back() % 4 != 0};
    t.b = {product(shape_b), shape_b.back() % 4 != 0};
    t.output.columns = t.output.step = size * inner;
    t.calls = {{at * step_a, at * step_b, at * inner}};
    if (plain)
      t.plain = [shape_a, shape_b, plain](const float* x, const float* z, float* y) {
        combine(shape_a, shape_b, plain, x, z, y);
      };
    tiles.push_back(std::move(t));
  }
  std::vector<int> in_place;
  if (a.shape() == shape) in_place.push_back(0);
  if (b.shape() == shape) in_place.push_back(1);
  return kernel_of(std::move(tiles), "binary", std::move(in_place));
}

/// Whether a NaN propagates: not through every processor's minimum and maximum, which bound every
/// result.
bool keeps_nan(Binary function, float x, float y) {
  alignas(64) const float a[16] = {x, y}, b[16] = {y, x};
  alignas(64) float z[16] = {};
  const std::size_t two[] = {2};
  Operator op = binary(function, two, two);
  return op && op.run(a, b, z, nullptr) && z[0] != z[0] && z[1] != z[1];
}
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Finite operands make no NaN in a sum, difference or product, but in a quotient.
Lowering lower_plain(Binary function, const MLOperand& a, const MLOperand& b,
                     const LoweringRequest& request, Plain plain) {
  static const bool keeps = keeps_nan(Binary::add, nan, 1) && keeps_nan(Binary::mul, nan, 1);
  return lower(function, a, b, request, keeps ? nullptr : plain);
}
Lowering lower_if(bool keeps, Binary function, const MLOperand& a, const MLOperand& b,
                  const LoweringRequest& request) {
  if (!keeps) return Refusal{"this version of XNNPACK may lose a NaN"};
  return lower(function, a, b, request);
}

}  // namespace

Lowering lower(const ops::add& op, const LoweringRequest& o) {
  return lower_plain(Binary::add, op.a, op.b, o, [](float x, float y) { return x + y; });
}
Lowering lower(const ops::sub& op, const LoweringRequest& o) {
  return lower_plain(Binary::sub, op.a, op.b, o, [](float x, float y) { return x - y; });
}
Lowering lower(const ops::mul& op, const LoweringRequest& o) {
  return lower_plain(Binary::mul, op.a, op.b, o, [](float x, float y) { return x * y; });
}
Lowering lower(const ops::div& op, const LoweringRequest& o) {
  static const bool keeps = keeps_nan(Binary::div, 0, 0) && keeps_nan(Binary::div, nan, 1);
  return lower_if(keeps, Binary::div, op.a, op.b, o);
}
Lowering lower(const ops::max& op, const LoweringRequest& o) {
  static const bool keeps = keeps_nan(Binary::max, nan, 1);
  return lower_if(keeps, Binary::max, op.a, op.b, o);
}
Lowering lower(const ops::min& op, const LoweringRequest& o) {
  static const bool keeps = keeps_nan(Binary::min, nan, 1);
  return lower_if(keeps, Binary::min, op.a, op.b, o);
}

}  // namespace webnn::inline v0_1::xnnpack
