#include "src/kernels/common/partition.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/vector/float32/columns.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

/// The input as [outer][size][inner]; results are indices along `size`.
struct Search {
  Extreme extreme;
  bool wide;  // results of 64 bits
  std::size_t outer = 1, size = 1, inner = 1;
  std::size_t block = 1;  // columns that are searched together
  Partition c{};          // of rows, or of blocks of columns

  std::size_t blocks() const { return (inner + block - 1) / block; }

  void store(const std::int32_t* from, std::size_t n, const Buffers& b, std::size_t at) const {
    if (wide) std::copy_n(from, n, b.out<std::int64_t>() + at);
    else std::copy_n(from, n, b.out<std::int32_t>() + at);
  }
  void run(Range r, const Buffers& b) const {
    constexpr std::size_t max_places = 256;
    std::int32_t places[max_places];
    const std::size_t end = c.end(r);
    for (std::size_t i = c.begin(r); i < end;) {
      if (inner == 1) {
        const std::size_t n = std::min(max_places, end - i);
        arg_rows(extreme, b.in<float>() + i * size, n, size, places);
        store(places, n, b, i);
        i += n;
        continue;
      }
      const std::size_t matrix = i / blocks(), first = i % blocks() * block;
      const std::size_t last = std::min(inner, first + block);
      arg_columns(extreme, b.in<float>() + matrix * size * inner, size, inner, first, last, places);
      store(places, last - first, b, matrix * inner + first);
      ++i;
    }
  }
};

Lowering lower_search(Extreme extreme, const MLOperand& input, std::uint32_t axis,
                      MLOperandDataType type, Chain chain) {
  if (chain.size() > 1) return Refusal{"nothing is fused to argMin or argMax"};
  if (input.dataType() != float32) return Refusal{"only float32"};
  Search s{.extreme = extreme, .wide = type == int64};
  const Dims& shape = input.shape();
  for (std::uint32_t d = 0; d < shape.size(); ++d)
    (d < axis ? s.outer : d == axis ? s.size : s.inner) *= shape[d];
  constexpr std::size_t short_row = 8, many = std::size_t{1} << 31;
  if (s.size >= many) return Refusal{"2^31 or more elements along the axis"};
  if (s.inner == 1 ? s.size < short_row : s.inner < short_row)
    return Refusal{"too few contiguous elements"};
  s.block = std::min<std::size_t>(4 * static_cast<std::size_t>(lanes()), s.inner);
  const auto size = static_cast<double>(s.size);
  s.c = s.inner == 1 ? partition(s.outer, size / 4 + 8)
                     : partition(s.outer * s.blocks(), size * static_cast<double>(s.block) / 4);
  return Candidate{.name = s.inner == 1 ? "search rows" : "search columns",
                   .tiles = s.c.tiles(),
                   .run = [s](Range r, const Buffers& b, std::byte*) { s.run(r, b); }};
}

}  // namespace

Lowering lower(const ops::argMax& op, Chain chain) {
  return lower_search(Extreme::largest, op.input, op.axis, op.options.outputDataType, chain);
}
Lowering lower(const ops::argMin& op, Chain chain) {
  return lower_search(Extreme::smallest, op.input, op.axis, op.options.outputDataType, chain);
}

}  // namespace webnn::inline v0_1::simd
