#include "src/kernels/xnnpack/tile.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>

#include "src/kernels/common/finite.h"
#include "src/kernels/common/sizes.h"

namespace webnn::inline v0_1::xnnpack {
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
  return workspace_bytes() + copy_bytes(a) + copy_bytes(b) + copy_bytes(result());
}

void Tile::own_workspace() { owned_ = CacheAligned<std::byte>(op.workspace()); }

InputExtent Tile::result() const {
  return {(output.rows - 1) * output.step + output.columns, reads_result && a.overreads};
}

void Tile::repair(const float* a, float* y) const {
  for (std::size_t r = 0; r < output.rows; ++r) {
    float* row = y + r * output.step;
    if (all_finite(row, output.columns)) continue;
    for (std::size_t i = 0; i < output.columns; ++i)
      if (!std::isfinite(row[i])) row[i] = element(a, r, i);
  }
}

void Tile::add_residual(const Buffers& buffers, const CallOffsets& call) const {
  const auto [rows, columns, step] = output;
  const float* from = buffers.in<float>(to_size(after.residual)) + call.y;
  float* to = buffers.out<float>() + call.y;
  for (std::size_t r = 0; r < rows; ++r, from += step, to += step)
    for (std::size_t i = 0; i < columns; ++i) to[i] += from[i];
}

void Tile::run(const Buffers& buffers, std::byte* scratch) {
  std::byte* copy = scratch + workspace_bytes();
  for (const CallOffsets& call : calls) {
    float* y = buffers.out<float>() + call.y;
    const float* pa = buffers.in<float>(0) + call.a;
    const float* pb = b.count == 0 ? nullptr : buffers.in<float>(1) + call.b;
    if (plain && !(all_finite(pa, a.count) && (!pb || all_finite(pb, b.count)))) {
      plain(pa, pb, y);
      continue;
    }
    const float* x = readable(pa, a, copy);
    const float* z = pb ? readable(pb, b, copy + copy_bytes(a)) : nullptr;
    std::byte* const result_copy = copy + copy_bytes(a) + copy_bytes(b);
    float* to = leaves_page(y, result()) ? reinterpret_cast<float*>(result_copy) : y;
    if (!op.run(x, z, to, workspace(scratch))) output.fill_nan(to, output.step);
    if (to != y) output.copy(to, output.step, y);
    if (element) repair(pa, y);
    if (after.residual >= 0) add_residual(buffers, call);
    if (after.activation != Activation::none) output.clamp(y, output.step, after.lo, after.hi);
  }
}

namespace {

Lowering kernel_of(std::shared_ptr<Tiles> tiles, std::string name) {
  Candidate k{.name = std::move(name),
              .tiles = static_cast<int>(tiles->size()),
              .exclusive = true};  // operators hold pointers
  for (const Tile& t : *tiles) k.scratch = std::max(k.scratch, t.scratch_bytes());
  if (k.scratch > max_scratch) return Refusal{"needs too much scratch"};
  k.run = [tiles = std::move(tiles)](Range r, const Buffers& b, std::byte* scratch) {
    for (int i = r.begin; i < r.end; ++i) (*tiles)[to_size(i)].run(b, scratch);
  };
  return k;
}

}  // namespace

Lowering kernel_of(Tiles tiles, std::string name, std::vector<int> in_place) {
  for (const Tile& t : tiles)
    if (!t.op) return Refusal{not_supported};
  Lowering lowering = kernel_of(std::make_shared<Tiles>(std::move(tiles)), std::move(name));
  if (auto* k = std::get_if<Candidate>(&lowering)) k->in_place = std::move(in_place);
  return lowering;
}

Lowering kernel_of(Tiles tiles, std::string name, WeightBlock weights,
                   std::function<void(Tiles&)> make) {
  const auto shared = std::make_shared<Tiles>(std::move(tiles));
  Lowering lowering = kernel_of(shared, std::move(name));
  auto* const k = std::get_if<Candidate>(&lowering);
  if (!k) return lowering;
  weights.fill = [shared, make = std::move(make)](std::byte*, int) {
    make(*shared);
    for (Tile& t : *shared) {
      if (!t.op) throw std::runtime_error(not_supported);
      t.own_workspace();
    }
  };
  k->weights = {std::move(weights)};
  return lowering;
}

bool keeps_nan(Operator op) {
  alignas(64) float x[16] = {std::numeric_limits<float>::quiet_NaN()}, z[16] = {1}, y[16] = {};
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> workspace(op.workspace() / 64 + 1);
  return op && op.run(x, z, y, workspace.data()->bytes) && y[0] != y[0];
}

bool products_keep_nan() {
  static const bool keep = [] {
    const float one = 1;
    const auto with = [&](Bounds bounds) {
      return keeps_nan(fully_connected({.inputs = 1,
                                        .outputs = 1,
                                        .input_step = 1,
                                        .output_step = 1,
                                        .kernel = &one,
                                        .bias = nullptr,
                                        .bounds = bounds,
                                        .rows = 1}));
    };
    const Epilogue none;
    return with({none.lo, none.hi}) && with({0, 6});
  }();
  return keep;
}

Bounds bounds_of(const Epilogue& e) {
  if (e.residual < 0 && products_keep_nan()) return {e.lo, e.hi};
  const Epilogue none;
  return {none.lo, none.hi};
}

Epilogue remainder_of(const Epilogue& e) {
  return e.residual < 0 && products_keep_nan() ? Epilogue{} : e;
}

}  // namespace webnn::inline v0_1::xnnpack
