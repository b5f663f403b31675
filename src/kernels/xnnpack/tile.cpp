#include "src/kernels/xnnpack/tile.h"

#include <algorithm>
#include <cstring>

#include "src/kernels/common/finite.h"

namespace webnn::xnnpack {
namespace {

constexpr std::size_t max_scratch = std::size_t{64} << 20;

std::size_t round_up(std::size_t n) { return (n + 63) / 64 * 64; }

std::size_t copy_bytes(const Reads& r) {
  return r.ragged ? round_up(r.count * sizeof(float) + extra_bytes()) : 0;
}

/// Whether what may be read lies on other pages than what it is part of.
bool leaves_page(const float* p, const Reads& r) {
  constexpr std::uintptr_t page = 4096;
  const auto last = reinterpret_cast<std::uintptr_t>(p + r.count) - 1;
  return r.ragged && last / page != (last + extra_bytes()) / page;
}

/// The operand itself, or its copy.
const float* readable(const float* p, const Reads& r, std::byte* copy) {
  if (!leaves_page(p, r)) return p;
  std::memcpy(copy, p, r.count * sizeof(float));
  return reinterpret_cast<const float*>(copy);
}

}  // namespace

std::size_t Tile::scratch_bytes() const {
  return op.workspace() + copy_bytes(a) + copy_bytes(b) + copy_bytes(result());
}

Reads Tile::result() const { return {(rows - 1) * step + columns, reads_result && a.ragged}; }

void Tile::add_residual(const Buffers& buffers, const Place& place) const {
  const float* from = buffers.in<float>(static_cast<std::size_t>(after.residual)) + place.y;
  float* to = buffers.out<float>() + place.y;
  const float lo = after.lo, hi = after.hi;
  for (std::size_t r = 0; r < rows; ++r, from += step, to += step)
    for (std::size_t i = 0; i < columns; ++i) {
      float v = to[i] + from[i];
      v = v < lo ? lo : v;  // NaN stays
      to[i] = v > hi ? hi : v;
    }
}

void Tile::run(const Buffers& buffers, std::byte* scratch) {
  std::byte* copy = scratch + op.workspace();
  for (const Place& place : places) {
    float* y = buffers.out<float>() + place.y;
    if (plain && !all_finite(buffers.in<float>(0) + place.a, a.count)) {
      plain(buffers.in<float>(0) + place.a, y);
      continue;
    }
    const float* x = readable(buffers.in<float>(0) + place.a, a, copy);
    const float* z =
        b.count == 0 ? nullptr : readable(buffers.in<float>(1) + place.b, b, copy + copy_bytes(a));
    std::byte* const behind = copy + copy_bytes(a) + copy_bytes(b);
    float* to = leaves_page(y, result()) ? reinterpret_cast<float*>(behind) : y;
    if (!op.run(x, z, to, scratch))
      for (std::size_t r = 0; r < rows; ++r)
        std::fill_n(to + r * step, columns, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t r = 0; r < rows && to != y; ++r)
      std::memcpy(y + r * step, to + r * step, columns * sizeof(float));
    if (after.residual >= 0) add_residual(buffers, place);
  }
}

Lowering lowered(Tiles tiles, std::string name, std::vector<int> in_place) {
  Kernel k{.name = std::move(name),
           .tiles = static_cast<int>(tiles.size()),
           .in_place = std::move(in_place)};
  for (const Tile& t : tiles) {
    if (!t.op) return Refusal{"XNNPACK does not make the operator"};
    k.scratch = std::max(k.scratch, t.scratch_bytes());
  }
  if (k.scratch > max_scratch) return Refusal{"needs too much scratch"};
  k.run = [shared = std::make_shared<Tiles>(std::move(tiles))](Range r, const Buffers& b,
                                                               std::byte* scratch) {
    for (int i = r.begin; i < r.end; ++i) (*shared)[static_cast<std::size_t>(i)].run(b, scratch);
  };
  return k;
}

Bounds bounds_of(const Epilogue& e) {
  if (e.residual < 0) return {e.lo, e.hi};
  const Epilogue none;
  return {none.lo, none.hi};
}

Epilogue remainder_of(const Epilogue& e) { return e.residual < 0 ? Epilogue{} : e; }

}  // namespace webnn::xnnpack
