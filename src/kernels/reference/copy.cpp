#include "src/kernels/reference/copy.h"

namespace webnn::reference {
namespace {

/// A copy whose result runs along one dimension where the input runs along another: in blocks that
/// stay in the first cache, whichever of the two is read or written with a stride.
template <class T> struct Turn {
  std::size_t down, across;       // sizes: the input runs down, the result across
  std::ptrdiff_t x_step, y_step;  // of the input across, of the result down
  std::size_t down_block, across_block;
  Loop<2> outer;  // the other dimensions

  std::size_t blocks_down() const { return (down + down_block - 1) / down_block; }
  std::size_t blocks_across() const { return (across + across_block - 1) / across_block; }
  std::size_t blocks() const { return blocks_down() * blocks_across(); }
  std::size_t outer_count() const { return outer.rows * outer.inner; }

  void block(std::size_t index, const T* x, T* y) const {
    const std::size_t d0 = index / blocks_across() * down_block;
    const std::size_t a0 = index % blocks_across() * across_block;
    const std::size_t nd = std::min(down_block, down - d0);
    const std::size_t na = std::min(across_block, across - a0);
    const auto sx = static_cast<std::size_t>(x_step), sy = static_cast<std::size_t>(y_step);
    x += d0 + a0 * sx;
    y += d0 * sy + a0;
    if (na < 8) {
      for (std::size_t a = 0; a < na; ++a)
        for (std::size_t d = 0; d < nd; ++d) y[d * sy + a] = x[d + a * sx];
    } else {
      for (std::size_t d = 0; d < nd; ++d)
        for (std::size_t a = 0; a < na; ++a) y[d * sy + a] = x[d + a * sx];
    }
  }
};

/// The turn in a loop nest, if its innermost dimension has a stride and another one has none.
template <class T> std::optional<Turn<T>> turn_in(const Loop<1>& loop) {
  if (loop.step[0] == 0 || loop.step[0] == 1) return std::nullopt;
  std::size_t turned = loop.rank;
  for (std::size_t d = 0; d < loop.rank; ++d)
    if (loop.strides[d][0] == 1) turned = d;
  if (turned == loop.rank) return std::nullopt;
  Dims shape;
  std::array<std::array<std::ptrdiff_t, max_rank>, 2> strides{};
  std::ptrdiff_t y_stride = static_cast<std::ptrdiff_t>(loop.inner), y_step = 0;
  std::vector<std::ptrdiff_t> y_strides(loop.rank);
  for (std::size_t d = loop.rank; d-- > 0;) {
    y_strides[d] = y_stride;
    y_stride *= static_cast<std::ptrdiff_t>(loop.sizes[d]);
  }
  for (std::size_t d = 0; d < loop.rank; ++d) {
    if (d == turned) {
      y_step = y_strides[d];
      continue;
    }
    strides[0][shape.size()] = loop.strides[d][0];
    strides[1][shape.size()] = y_strides[d];
    shape.push_back(static_cast<std::uint32_t>(loop.sizes[d]));
  }
  constexpr std::size_t side = std::clamp<std::size_t>(128 / sizeof(T), 16, 64);
  const std::size_t down = loop.sizes[turned], across = loop.inner;
  const std::size_t na = std::min(across, side);
  const std::size_t nd = std::min(down, std::max(side, side * side / na));
  return Turn<T>{down,
                 across,
                 loop.step[0],
                 y_step,
                 nd,
                 std::min(across, std::max(na, side * side / nd)),
                 Loop<2>(shape, strides)};
}

template <class T> Kernel turned_copy(const Turn<T>& turn, std::ptrdiff_t first) {
  const double cost = static_cast<double>(turn.down_block * turn.across_block) * 4;
  const Cut c = cut(turn.outer_count() * turn.blocks(), cost);
  return Kernel{.name = "transpose in blocks",
                .tiles = c.tiles(),
                .run = [c, turn, first](Range r, const Buffers& b, std::byte*) {
                  const T* x = b.in<T>() + first;
                  T* y = b.out<T>();
                  const std::size_t blocks = turn.blocks();
                  for (std::size_t i = c.begin(r); i < c.end(r);) {
                    const std::size_t at = i / blocks;
                    const std::size_t end = std::min(c.end(r), (at + 1) * blocks);
                    turn.outer.run_elements(at, at + 1, [&](std::size_t, const auto& o, auto) {
                      for (; i < end; ++i) turn.block(i % blocks, x + o[0], y + o[1]);
                    });
                  }
                }};
}

}  // namespace

Kernel plain_copy(const MLOperand& y) {
  const Cut c = cut_bytes(element_count(y.shape()) * width_of(y.dataType()));
  return Kernel{.name = "copy",
                .tiles = c.tiles(),
                .in_place = {0},
                .run = [c](Range r, const Buffers& b, std::byte*) {
                  if (b.inputs[0] == b.outputs[0]) return;
                  std::memcpy(b.outputs[0] + c.begin(r), b.inputs[0] + c.begin(r),
                              c.end(r) - c.begin(r));
                }};
}

Kernel strided_copy(const MLOperand& y, const std::array<std::ptrdiff_t, max_rank>& strides,
                    std::ptrdiff_t first) {
  const Loop<1> loop(y.shape(), {strides});
  return dispatch_width(y.dataType(), [&]<class T>() {
    if (const auto turn = turn_in<T>(loop)) return turned_copy(*turn, first);
    const Cut c =
        cut(element_count(y.shape()), 0.5 * sizeof(T) + 2.0 / static_cast<double>(loop.inner), 64);
    return Kernel{.name = "copy rows",
                  .tiles = c.tiles(),
                  .run = [c, loop, first](Range r, const Buffers& b, std::byte*) {
                    const T* from = b.in<T>() + first;
                    T* to = b.out<T>();
                    const auto step = static_cast<std::size_t>(loop.step[0]);
                    const auto row = [&](std::size_t i, const auto& at, std::size_t n) {
                      const T* x = from + at[0];
                      T* y = to + i;
                      if (step == 1) std::memcpy(y, x, n * sizeof(T));
                      else if (step == 0) std::fill_n(y, n, *x);
                      else
                        for (std::size_t k = 0; k < n; ++k) y[k] = x[k * step];
                    };
                    loop.run_elements(c.begin(r), c.end(r), row);
                  }};
  });
}

Joined::Joined(const Dims& whole, MLOperandDataType type, std::uint32_t axis,
               std::span<const std::uint32_t> sizes) {
  std::size_t inner = width_of(type);
  for (std::size_t d = axis + 1; d < whole.size(); ++d) inner *= whole[d];
  for (std::size_t d = 0; d < axis; ++d) rows *= whole[d];
  starts.push_back(0);
  for (std::uint32_t s : sizes) starts.push_back(starts.back() + s * inner);
}

}  // namespace webnn::reference
