// Rows of a table of small weights, which become floats when they are read.
#include <algorithm>
#include <cstring>

#include "src/kernels/common/packed_array.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/common/quantized.h"
#include "src/kernels/simd/small_weights.h"
#include "webnn/float16.h"

namespace webnn::inline v0_1::simd {
namespace {

struct Table {
  SmallWeights weights;  ///< without their values
  std::size_t rows, columns;
  std::size_t row_block = 1, column_block = 1, scales = 1;  ///< of a row of scales

  void copy_row(const std::byte* bytes, const float* scale, const std::int32_t* zero,
                std::size_t row, float* y) const {
    const std::size_t first = row * columns;
    for (std::size_t c = 0; c < columns; ++c) {
      if (!weights.scaled()) {
        Float16 h;
        std::memcpy(&h, bytes + 2 * (first + c), sizeof h);
        y[c] = h;
        continue;
      }
      const std::size_t s = row / row_block * scales + c / column_block;
      const std::int32_t v = integer_at(weights.type, bytes, first + c) - zero[s];
      y[c] = static_cast<float>(v) * scale[s];
    }
  }
};

/// Below zero from the end, then clamped.
std::size_t row_of(std::int64_t index, std::size_t rows) {
  const auto size = static_cast<std::int64_t>(rows);
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(index < 0 ? index + size : index, 0, size - 1));
}

}  // namespace

Lowering lower_small_gather(Chain chain) {
  const SmallWeights weights = small_weights_form(chain.front());
  if (chain.size() != 2) return Refusal{"nothing can follow a gather"};
  const auto& op = *chain[1].as<ops::gather>();
  std::vector<WeightBlock> packed;
  PackedArray<float> scale;
  PackedArray<std::int32_t> zero;
  auto table = std::make_shared<Table>(Table{weights, weights.shape[0], weights.shape[1]});
  if (weights.scaled()) {
    table->row_block = table->rows / weights.scale_shape[0];
    table->column_block = table->columns / weights.scale_shape[1];
    table->scales = weights.scale_shape[1];
    const auto count = static_cast<std::size_t>(element_count(weights.scale_shape));
    const auto* expands = chain.front().as<ops::dequantizeLinear>();
    scale = add_packed<float>(packed, count, "scales/1", {1}, [expands](float* to) {
      std::ranges::copy(floats_of(expands->scale), to);
    });
    zero = add_packed<std::int32_t>(
        packed, count, layout_text("zero points/1", static_cast<int>(weights.type)), {2},
        [expands](std::int32_t* to) { std::ranges::copy(integers_of(expands->zeroPoint), to); });
  }
  const int indices = small_weights_inputs(chain.front());
  const Partition c =
      partition(element_count(op.indices.shape()), 4.0 * static_cast<double>(table->columns));
  Candidate k{.name = std::string(webnn::name_of(weights.type)) + " gather",
              .tiles = c.tiles(),
              .weights = std::move(packed)};
  const auto run = [&]<class I>() {
    k.run = [=](Range r, const Buffers& b, std::byte*) {
      const I* from = b.in<I>(static_cast<std::size_t>(indices));
      for (std::size_t i = c.begin(r); i < c.end(r); ++i)
        table->copy_row(b.inputs[0], scale.in(b), zero.in(b),
                        row_of(static_cast<std::int64_t>(from[i]), table->rows),
                        b.out<float>() + i * table->columns);
    };
  };
  if (op.indices.dataType() == int32) run.template operator()<std::int32_t>();
  else if (op.indices.dataType() == uint32) run.template operator()<std::uint32_t>();
  else run.template operator()<std::int64_t>();
  return k;
}

}  // namespace webnn::inline v0_1::simd
