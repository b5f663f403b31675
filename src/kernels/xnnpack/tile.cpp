#include "src/kernels/xnnpack/tile.h"

#include <algorithm>
#include <cstring>

#include "src/kernels/common/finite.h"
#include "src/kernels/common/sizes.h"

namespace webnn::xnnpack {
namespace {

std::size_t copy_bytes(const InputExtent& e) {
  return e.overreads ? round_up(e.count * sizeof(float) + extra_bytes(), 64) : 0;
}

/// Whether the operator may read on a page on which no element is.
bool leaves_page(const float* p, const InputExtent& e) {
  constexpr std::uintptr_t page = 4096;
  const auto last = reinterpret_cast<std::uintptr_t>(p + e.count) - 1;
  return e.overreads && last / page != (last + extra_bytes()) / page;
}

/// The operand itself, or its copy.
const float* readable(const float* p, const InputExtent& e, std::byte* copy) {
  if (!leaves_page(p, e)) return p;
  std::memcpy(copy, p, e.count * sizeof(float));
  return reinterpret_cast<const float*>(copy);
}

}  // namespace

std::size_t Tile::scratch_bytes() const {
  return op.workspace() + copy_bytes(a) + copy_bytes(b) + copy_bytes(result());
}

InputExtent Tile::result() const {
  return {(output.rows - 1) * output.step + output.columns, reads_result && a.overreads};
}

void Tile::add_residual(const Buffers& buffers, const CallOffsets& call) const {
  const auto [rows, columns, step] = output;
  const float* from = buffers.in<float>(to_size(after.residual)) + call.y;
  float* to = buffers.out<float>() + call.y;
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
  for (const CallOffsets& call : calls) {
    float* y = buffers.out<float>() + call.y;
    if (plain && !all_finite(buffers.in<float>(0) + call.a, a.count)) {
      plain(buffers.in<float>(0) + call.a, y);
      continue;
    }
    const float* x = readable(buffers.in<float>(0) + call.a, a, copy);
    const float* z =
        b.count == 0 ? nullptr : readable(buffers.in<float>(1) + call.b, b, copy + copy_bytes(a));
    std::byte* const result_copy = copy + copy_bytes(a) + copy_bytes(b);
    float* to = leaves_page(y, result()) ? reinterpret_cast<float*>(result_copy) : y;
    if (!op.run(x, z, to, scratch)) output.fill_nan(to, output.step);
    if (to != y) output.copy(to, output.step, y);
    if (after.residual >= 0) add_residual(buffers, call);
  }
}

Lowering kernel_of(Tiles tiles, std::string name, std::vector<int> in_place) {
  Kernel k{.name = std::move(name),
           .tiles = static_cast<int>(tiles.size()),
           .in_place = std::move(in_place)};
  for (const Tile& t : tiles) {
    if (!t.op) return Refusal{"XNNPACK does not support these parameters"};
    k.scratch = std::max(k.scratch, t.scratch_bytes());
  }
  if (k.scratch > max_scratch) return Refusal{"needs too much scratch"};
  k.run = [shared = std::make_shared<Tiles>(std::move(tiles))](Range r, const Buffers& b,
                                                               std::byte* scratch) {
    for (int i = r.begin; i < r.end; ++i) (*shared)[to_size(i)].run(b, scratch);
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
