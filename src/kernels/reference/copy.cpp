#include "src/kernels/reference/copy.h"

namespace webnn::inline v0_1::reference {
namespace {

using Offset = std::ptrdiff_t;

/// n elements with a stride, which is constant where that lets the compiler vectorize.
template <class T> void copy_strided(const T* x, T* y, Offset n, Offset step) {
  const auto each = [&](auto s) {
    for (Offset k = 0; k < n; ++k) y[k] = x[k * s];
  };
  switch (step) {
    case -1: return each(std::integral_constant<Offset, -1>());
    case 0: return static_cast<void>(std::fill_n(y, n, *x));
    case 1: return static_cast<void>(std::memcpy(y, x, static_cast<std::size_t>(n) * sizeof(T)));
    case 2: return each(std::integral_constant<Offset, 2>());
    case 3: return each(std::integral_constant<Offset, 3>());
    case 4: return each(std::integral_constant<Offset, 4>());
    default: return each(step);
  }
}

/// Two dimensions of a copy, in blocks that stay in the first cache: where the input runs along one
/// of them and the result along the other, or where the innermost is short.
template <class T> struct Turn {
  Offset down, across;              // sizes; the result runs across
  Offset x_down, x_across, y_down;  // strides
  Offset down_block = 1, across_block = 1;
  Loop<2, copy_rank> outer;  // the other dimensions

  Offset blocks_across() const { return (across + across_block - 1) / across_block; }
  std::size_t blocks() const {
    return static_cast<std::size_t>((down + down_block - 1) / down_block * blocks_across());
  }

  /// With a constant number of elements across.
  template <Offset N> void narrow(const T* x, T* y, Offset nd) const {
    for (Offset d = 0; d < nd; ++d)
      for (Offset a = 0; a < N; ++a) y[d * y_down + a] = x[d * x_down + a * x_across];
  }
  void block(Offset index, const T* x, T* y) const {
    const Offset d0 = index / blocks_across() * down_block;
    const Offset a0 = index % blocks_across() * across_block;
    const Offset nd = std::min(down_block, down - d0);
    const Offset na = std::min(across_block, across - a0);
    x += d0 * x_down + a0 * x_across;
    y += d0 * y_down + a0;
    switch (na) {
      case 1: return narrow<1>(x, y, nd);
      case 2: return narrow<2>(x, y, nd);
      case 3: return narrow<3>(x, y, nd);
      case 4: return narrow<4>(x, y, nd);
      default: break;
    }
    // Few lines are written at a time: with some strides they fall into one set of the cache.
    constexpr Offset lines = 8;
    for (Offset d = 0; d < nd; d += lines, x += lines * x_down, y += lines * y_down) {
      const Offset n = std::min(lines, nd - d);
      Offset a = 0;
      if (n == lines && x_down == 1)
        for (; a + 4 <= na; a += 4) turn_columns<lines>(x + a * x_across, y + a);
      for (Offset k = 0; k < n; ++k)
        copy_strided(x + k * x_down + a * x_across, y + k * y_down + a, na - a, x_across);
    }
  }
  /// N neighbors down, four across.
  template <Offset N> void turn_columns(const T* x, T* y) const {
    const T *x1 = x + x_across, *x2 = x1 + x_across, *x3 = x2 + x_across;
    for (Offset d = 0; d < N; ++d, y += y_down) {
      const T row[] = {x[d], x1[d], x2[d], x3[d]};
      std::memcpy(y, row, sizeof(row));
    }
  }
};

template <class T> std::optional<Turn<T>> turn_in(const CopyLoop& loop) {
  constexpr std::size_t narrow = 4;  // elements across for which a loop is too much
  std::size_t turned = loop.rank;
  for (std::size_t d = 0; d < loop.rank; ++d)
    if (loop.strides[d][0] == 1) turned = d;
  if (loop.inner <= narrow && loop.rank > 0) turned = loop.rank - 1;
  else if (loop.step[0] == 0 || loop.step[0] == 1 || turned == loop.rank) return std::nullopt;
  Dims shape;
  std::array<CopyStrides, 2> strides{};
  CopyStrides y_strides{};
  const auto size = [](std::size_t n) { return static_cast<Offset>(n); };
  Offset next = size(loop.inner);
  for (std::size_t d = loop.rank; d-- > 0; next *= size(loop.sizes[d])) y_strides[d] = next;
  for (std::size_t d = 0; d < loop.rank; ++d) {
    if (d == turned) continue;
    strides[0][shape.size()] = loop.strides[d][0];
    strides[1][shape.size()] = y_strides[d];
    shape.push_back(static_cast<std::uint32_t>(loop.sizes[d]));
  }
  Turn<T> t{.down = size(loop.sizes[turned]),
            .across = size(loop.inner),
            .x_down = loop.strides[turned][0],
            .x_across = loop.step[0],
            .y_down = y_strides[turned],
            .outer = Loop<2, copy_rank>(shape, strides)};
  constexpr Offset side = std::clamp<Offset>(128 / sizeof(T), 16, 64);
  t.across_block = std::min(t.across, side);
  t.down_block = std::min(t.down, std::max(side, side * side / t.across_block));
  t.across_block = std::min(t.across, std::max(t.across_block, side * side / t.down_block));
  return t;
}

template <class T> Candidate turned_copy(const Turn<T>& turn, Offset first) {
  const double cost = static_cast<double>(turn.down_block * turn.across_block) * 4;
  const Partition c = partition(turn.outer.rows * turn.outer.inner * turn.blocks(), cost);
  return Candidate{.name = "copy blocks",
                   .tiles = c.tiles(),
                   .run = [c, turn, first](Range r, const Buffers& b, std::byte*) {
                     const T* x = b.in<T>() + first;
                     T* y = b.out<T>();
                     const std::size_t blocks = turn.blocks();
                     for (std::size_t i = c.begin(r); i < c.end(r);) {
                       const std::size_t at = i / blocks;
                       const std::size_t end = std::min(c.end(r), (at + 1) * blocks);
                       turn.outer.run_elements(at, at + 1, [&](std::size_t, const auto& o, auto) {
                         for (; i < end; ++i)
                           turn.block(static_cast<Offset>(i % blocks), x + o[0], y + o[1]);
                       });
                     }
                   }};
}

}  // namespace

Candidate plain_copy(const MLOperand& y) {
  const Partition c = partition_bytes(static_cast<std::size_t>(byte_length(y.descriptor())));
  return Candidate{.name = "copy",
                   .tiles = c.tiles(),
                   .in_place = {0},
                   .run = [c](Range r, const Buffers& b, std::byte*) {
                     if (b.inputs[0] == b.outputs[0]) return;
                     std::memcpy(b.outputs[0] + c.begin(r), b.inputs[0] + c.begin(r),
                                 c.end(r) - c.begin(r));
                   }};
}

Candidate strided_copy(const MLOperand& y, const CopyLoop& loop, std::ptrdiff_t first) {
  return dispatch_width(y.dataType(), [&]<class T>() {
    if (const auto turn = turn_in<T>(loop)) return turned_copy(*turn, first);
    const Partition c = partition(element_count(y.shape()),
                                  0.5 * sizeof(T) + 2.0 / static_cast<double>(loop.inner), 64);
    return Candidate{.name = "copy rows",
                     .tiles = c.tiles(),
                     .run = [c, loop, first](Range r, const Buffers& b, std::byte*) {
                       const T* from = b.in<T>() + first;
                       const auto row = [&](std::size_t i, const auto& at, std::size_t n) {
                         copy_strided(from + at[0], b.out<T>() + i, static_cast<Offset>(n),
                                      loop.step[0]);
                       };
                       loop.run_elements(c.begin(r), c.end(r), row);
                     }};
  });
}
Candidate strided_copy(const MLOperand& y, const std::array<std::ptrdiff_t, max_rank>& strides,
                       std::ptrdiff_t first) {
  CopyStrides widened{};
  std::copy(strides.begin(), strides.end(), widened.begin());
  return strided_copy(y, CopyLoop(y.shape(), {widened}), first);
}

Joined::Joined(const Dims& whole, MLOperandDataType type, std::uint32_t axis,
               std::span<const std::uint32_t> sizes) {
  std::size_t inner = width_of(type);
  for (std::size_t d = axis + 1; d < whole.size(); ++d) inner *= whole[d];
  for (std::size_t d = 0; d < axis; ++d) rows *= whole[d];
  starts.push_back(0);
  for (std::uint32_t s : sizes) starts.push_back(starts.back() + s * inner);
}

}  // namespace webnn::inline v0_1::reference
