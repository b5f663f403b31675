// Rows of a table of small weights, which become floats when they are read.
#include <algorithm>
#include <cstring>

#include "src/kernels/common/packed_array.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/simd/small_weights.h"
#include "src/kernels/simd/vector/float32/small_panels.h"
#include "src/kernels/simd/weight_facts.h"
#include "webnn/bfloat16.h"
#include "webnn/float16.h"
#include "webnn/float8e4m3.h"

namespace webnn::inline v0_1::simd {
namespace {

/// How the scales and zero points of a table are packed.
struct TableForm {
  ScaleForm scales = ScaleForm::float32;
  std::size_t panel = 1;  ///< scales in bytes with the same factor
  bool zeros = false;     ///< zero points differ
  std::int32_t zero = 0;  ///< of all, if not
  bool rounds = false;    ///< to float16
};

struct Table {
  SmallWeights weights;  ///< without their values
  TableForm form{};
  std::size_t rows, columns;
  std::size_t row_block = 1, column_block = 1, scales = 1;  ///< of a row of scales
  PackedArray<std::byte> scale{}, zero{};
  PackedArray<float> factor{};

  void copy_row(const Buffers& b, std::size_t row, float* y) const {
    const std::byte* const bytes = b.inputs[0];
    const std::size_t first = row * columns;
    if (!weights.scaled()) return copy_floats(bytes, first, columns, 1, y);
    for (std::size_t block = 0; block < scales; ++block) {
      const std::size_t s = row / row_block * scales + block, c = block * column_block;
      const float times = scale_at(b, s);
      if (!weights.has_integers()) {
        copy_floats(bytes, first + c, column_block, times, y + c);
        continue;
      }
      const std::int32_t minus = form.zeros ? integer_at(weights.type, zero.in(b), s) : form.zero;
      for (std::size_t i = c; i < c + column_block; ++i) {
        const auto v =
            static_cast<float>(integer_at(weights.type, bytes, first + i) - minus) * times;
        y[i] = form.rounds ? static_cast<float>(Float16(v)) : v;
      }
    }
  }

 private:
  template <class T> static T at(const std::byte* array, std::size_t i) {
    T v;
    std::memcpy(&v, array + i * sizeof v, sizeof v);
    return v;
  }
  void copy_floats(const std::byte* bytes, std::size_t first, std::size_t count, float times,
                   float* y) const {
    const auto copy = [&]<class T>(T) {
      for (std::size_t i = 0; i < count; ++i) y[i] = at<T>(bytes, first + i) * times;
    };
    switch (weights.type) {
      case bfloat16: return copy(BFloat16());
      case float8e4m3: return copy(Float8E4M3());
      default: return copy(Float16());
    }
  }
  float scale_at(const Buffers& b, std::size_t i) const {
    const std::byte* const all = scale.in(b);
    switch (form.scales) {
      case ScaleForm::float16: return at<Float16>(all, i);
      case ScaleForm::bytes:
        return static_cast<float>(at<std::int8_t>(all, i)) * factor.in(b)[i / form.panel];
      default: return at<float>(all, i);
    }
  }
};

/// The scales that a panel of a product with the same weights has: then facts are found once.
std::size_t scales_of_panel(const Table& t) {
  constexpr std::size_t panel = 256;
  const bool whole = t.row_block == 1 && t.columns % panel == 0 && t.column_block < panel &&
                     panel % t.column_block == 0;
  return whole ? panel / t.column_block : 0;
}

TableForm form_of(const Node& expands, const Table& t) {
  const WeightFacts facts = facts_of_weights(expands, 1, scales_of_panel(t));
  TableForm f{.zeros = facts.zeros, .zero = facts.zero, .rounds = makes_float16(expands)};
  if (facts.half_scales) f.scales = ScaleForm::float16;
  else if (facts.byte_scales) f.scales = ScaleForm::bytes, f.panel = scales_of_panel(t);
  return f;
}

/// The factors of the scales of each panel.
std::vector<float> factors_of(const Node& expands, std::size_t each) {
  const SmallWeights w = small_weights_of(expands);
  if (const auto known = known_factors(expands, each)) return known->values;
  std::vector<float> all(w.float_scales.size() / each);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = *common_factor(w.float_scales.subspan(i * each, each));
  return all;
}

void pack_scales(const Node& expands, const TableForm& form, std::byte* to) {
  const SmallWeights w = small_weights_of(expands);
  const std::size_t count = element_count(w.scale_shape);
  const auto put = [&](auto value) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto v = value(i);
      std::memcpy(to + i * sizeof v, &v, sizeof v);
    }
  };
  switch (form.scales) {
    case ScaleForm::float32: return put([&](std::size_t i) { return w.scale(i); });
    case ScaleForm::float16: return put([&](std::size_t i) { return Float16(w.scale(i)); });
    case ScaleForm::bytes: {
      const std::vector<float> factors = factors_of(expands, form.panel);
      return put([&](std::size_t i) {
        return static_cast<std::int8_t>(w.scale(i) / factors[i / form.panel]);
      });
    }
  }
}

void pack_parameters(Table& t, const Node& expands, std::vector<WeightBlock>& packed) {
  const std::size_t count = element_count(t.weights.scale_shape);
  const TableForm form = t.form = form_of(expands, t);
  const std::size_t each = form.scales == ScaleForm::float32   ? sizeof(float)
                           : form.scales == ScaleForm::float16 ? sizeof(Float16)
                                                               : 1;
  t.scale = add_packed<std::byte>(
      packed, count * each, layout_text("scales/2", static_cast<int>(form.scales), form.panel), {1},
      [=](std::byte* to) { pack_scales(expands, form, to); });
  if (form.scales == ScaleForm::bytes)
    t.factor = add_packed<float>(
        packed, count / form.panel, layout_text("factors/1", form.panel), {1},
        [=](float* to) { std::ranges::copy(factors_of(expands, form.panel), to); });
  if (!form.zeros || !t.weights.has_integers()) {  // whoever packs gives their bytes back
    t.zero = add_packed<std::byte>(packed, 1, "no zero points/1", {2}, [](std::byte*) {});
    return;
  }
  t.zero = add_packed<std::byte>(
      packed, byte_length({t.weights.type, t.weights.scale_shape}), "zero points/2", {2},
      [expands](std::byte* to) { std::ranges::copy(small_weights_of(expands).zero, to); });
}

/// Below zero from the end, then clamped.
std::size_t row_of(std::int64_t index, std::size_t rows) {
  const auto size = static_cast<std::int64_t>(rows);
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(index < 0 ? index + size : index, 0, size - 1));
}

}  // namespace

Lowering lower_small_gather(Chain chain) {
  const SmallWeights weights = small_weights_form(chain.front());
  const std::size_t first = expanding_operators(chain);
  if (chain.size() != first + 1) return Refusal{"nothing can follow a gather"};
  const auto& op = *chain[first].as<ops::gather>();
  std::vector<WeightBlock> packed;
  auto table = std::make_shared<Table>(
      Table{.weights = weights, .rows = weights.shape[0], .columns = weights.shape[1]});
  if (weights.scaled()) {
    if (!weights.has_integers() && facts_of_weights(chain.front(), 1, 0).zeros)
      return Refusal{"float8e4m3: a zero point is not 0"};
    table->row_block = table->rows / weights.scale_shape[0];
    table->column_block = table->columns / weights.scale_shape[1];
    table->scales = weights.scale_shape[1];
    pack_parameters(*table, chain.front(), packed);
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
        table->copy_row(b, row_of(static_cast<std::int64_t>(from[i]), table->rows),
                        b.out<float>() + i * table->columns);
    };
  };
  if (op.indices.dataType() == int32) run.template operator()<std::int32_t>();
  else if (op.indices.dataType() == uint32) run.template operator()<std::uint32_t>();
  else run.template operator()<std::int64_t>();
  return k;
}

}  // namespace webnn::inline v0_1::simd
