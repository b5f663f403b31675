#include "src/kernels/reference/copy.h"

namespace webnn::inline v0_1::reference {
namespace {

struct Triangle {
  std::size_t height, width;
  bool upper;
  std::int64_t diagonal;

  /// The columns [first, last) of a row that are kept.
  std::pair<std::size_t, std::size_t> kept(std::size_t row) const {
    const auto w = static_cast<std::int64_t>(width);
    const std::int64_t at = static_cast<std::int64_t>(row) + diagonal;
    const auto column = [w](std::int64_t v) {
      return static_cast<std::size_t>(std::clamp(v, std::int64_t{0}, w));
    };
    if (upper) return {column(at), width};
    return {0, column(at + 1)};
  }
};

Run keep(const Triangle& t, std::size_t bytes, const Partition& c) {
  return [=](Range r, const Buffers& b, std::byte*) {
    const std::byte* x = b.in<std::byte>();
    std::byte* y = b.out<std::byte>();
    for (std::size_t i = c.begin(r); i < c.end(r);) {
      const std::size_t row = i / t.width, start = row * t.width;
      const std::size_t end = std::min(c.end(r), start + t.width);
      const auto [first, last] = t.kept(row % t.height);
      const std::size_t from = std::clamp(start + first, i, end);
      const std::size_t to = std::clamp(start + last, from, end);
      std::memset(y + i * bytes, 0, (from - i) * bytes);
      if (x != y) std::memcpy(y + from * bytes, x + from * bytes, (to - from) * bytes);
      std::memset(y + to * bytes, 0, (end - to) * bytes);
      i = end;
    }
  };
}

}  // namespace

Candidate make(const ops::triangular& op, const Node&) {
  const Dims& shape = op.input.shape();
  const Triangle t{shape[shape.size() - 2], shape.back(), op.options.upper, op.options.diagonal};
  const Partition c = partition(element_count(shape), 1, 64);
  const std::size_t bytes = width_of(op.input.dataType());
  return {.name = "loop", .tiles = c.tiles(), .in_place = {0}, .run = keep(t, bytes, c)};
}

}  // namespace webnn::inline v0_1::reference
