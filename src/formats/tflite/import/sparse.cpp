// Sparse tensors in the format's variant of TACO: each level of a traversal is dense or compressed.
#include <cstring>
#include <numeric>

#include "src/formats/tflite/import/importer.h"
#include "src/graph/failure.h"
#include "src/kernels/common/sizes.h"

namespace webnn::inline v0_1::tflite {
namespace {

/// A list of a compressed level: of one of three types.
class Indices {
 public:
  Indices() = default;
  static Result<Indices> of(schema::SparseIndexVector type, const void* table) {
    using enum schema::SparseIndexVector;
    Indices out;
    if (!table) return fail("a list of a compressed level is missing");
    if (type == Int32Vector)
      out.wide_ = elements_of(static_cast<const schema::Int32Vector*>(table)->values());
    else if (type == Uint16Vector)
      out.half_ = elements_of(static_cast<const schema::Uint16Vector*>(table)->values());
    else if (type == Uint8Vector)
      out.byte_ = elements_of(static_cast<const schema::Uint8Vector*>(table)->values());
    else return fail("a list of a compressed level has the type {}", static_cast<int>(type));
    return out;
  }
  std::size_t size() const { return wide_.size() + half_.size() + byte_.size(); }
  std::int64_t operator[](std::size_t i) const {
    return !wide_.empty() ? wide_[i] : !half_.empty() ? half_[i] : std::int64_t{byte_[i]};
  }

 private:
  std::span<const std::int32_t> wide_{};
  std::span<const std::uint16_t> half_{};
  std::span<const std::uint8_t> byte_{};
};

struct Level {
  std::size_t dimension = 0;  // that of the dense tensor
  std::uint64_t size = 0;     // how many coordinates it has
  std::uint64_t step = 0;     // how far apart the dense tensor has them, in elements
  bool compressed = false;
  Indices segments{}, indices{};
};

/// The order of the levels: first all dimensions, then the blocks.
std::optional<Failure> check_order(std::span<const std::int32_t> order, std::size_t rank) {
  std::vector<bool> seen(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int64_t d = order[i];
    const bool block = i >= rank;
    if (d < 0 || d >= static_cast<std::int64_t>(order.size()) ||
        seen[static_cast<std::size_t>(d)] || (d >= static_cast<std::int64_t>(rank)) != block)
      return fail("its traversal_order has {} at {}", d, i);
    seen[static_cast<std::size_t>(d)] = true;
  }
  return std::nullopt;
}

std::optional<Failure> read_lists(const schema::DimensionMetadata& m, Level& level) {
  auto segments = Indices::of(m.array_segments_type(), m.array_segments());
  if (!segments) return segments.failure();
  auto indices = Indices::of(m.array_indices_type(), m.array_indices());
  if (!indices) return indices.failure();
  level.segments = *segments;
  level.indices = *indices;
  return std::nullopt;
}

Result<std::vector<Level>> read_levels(Import& import, const TensorInfo& t) {
  const schema::SparsityParameters& s = *t.table->sparsity();
  const auto order = elements_of(s.traversal_order()), map = elements_of(s.block_map());
  const std::size_t rank = t.shape.size();
  if (map.size() > rank || order.size() != rank + map.size() ||
      size_of(s.dim_metadata()) != order.size())
    return fail("its sparsity has {} levels and {} blocks for {} dimensions", order.size(),
                map.size(), rank);
  if (auto bad = check_order(order, rank)) return *bad;
  std::vector<Level> levels(order.size());
  std::vector<std::uint64_t> sizes(t.shape.begin(), t.shape.end());
  std::vector<std::uint64_t> step(rank, 1), inner(rank, 1);
  for (std::size_t d = rank; d-- > 1;) step[d - 1] = step[d] * sizes[d];
  for (std::size_t i = levels.size(); i-- > 0;) {  // the blocks, inside of the dimensions, first
    const auto& m = *s.dim_metadata()->Get(static_cast<fb::uoffset_t>(i));
    Level& level = levels[i];
    const auto place = static_cast<std::size_t>(order[i]);
    if (place >= rank) {
      const std::int32_t d = map[place - rank];
      if (d < 0 || static_cast<std::size_t>(d) >= rank)
        return fail("its block_map has {} for {} dimensions", d, rank);
      level.dimension = static_cast<std::size_t>(d);
      level.size = m.dense_size() > 0 ? static_cast<std::uint64_t>(m.dense_size()) : 0;
      if (level.size == 0 || sizes[level.dimension] % (inner[level.dimension] * level.size) != 0)
        return fail("a block of {} does not divide dimension {} ({})", m.dense_size(), d,
                    sizes[level.dimension]);
      level.step = inner[level.dimension] * step[level.dimension];
      inner[level.dimension] *= level.size;
    } else {
      level.dimension = place;
      level.size = sizes[place] / inner[place];
      level.step = inner[place] * step[place];
    }
    level.compressed = m.format() == schema::DimensionType::SPARSE_CSR;
    if (!level.compressed && m.format() != schema::DimensionType::DENSE)
      return fail("level {} has the format {}", i, static_cast<int>(m.format()));
    if (!level.compressed && static_cast<std::int64_t>(level.size) != m.dense_size())
      return fail("level {} has {} coordinates, but dense_size {}", i, level.size, m.dense_size());
    if (level.compressed)
      if (auto bad = read_lists(m, level)) return *bad;
    if (auto bad = import.budget.count(level.segments.size() + level.indices.size())) return *bad;
  }
  return levels;
}

/// Goes through the levels and copies one element at the end of each path. Coordinates increase
/// strictly, so that there are no more paths than elements.
class Filler {
 public:
  Filler(std::span<const Level> levels, std::span<const std::byte> from, std::span<std::byte> to,
         std::size_t element)
      : levels_(levels), from_(from), to_(to), element_(element) {}

  std::optional<Failure> fill() {
    if (auto bad = visit(0, 0, 0)) return bad;
    if (next_ * element_ == from_.size()) return std::nullopt;
    return fail("its buffer has {} bytes, but its sparsity has {} elements of {} bytes",
                from_.size(), next_, element_);
  }

 private:
  std::optional<Failure> visit(std::size_t depth, std::uint64_t parent, std::uint64_t place) {
    if (depth == levels_.size()) return copy(place);
    const Level& level = levels_[depth];
    if (!level.compressed) {
      for (std::uint64_t i = 0; i < level.size; ++i)
        if (auto bad = visit(depth + 1, parent * level.size + i, place + i * level.step))
          return bad;
      return std::nullopt;
    }
    if (parent + 1 >= level.segments.size())
      return fail("level {} has {} segments, but more are needed", depth, level.segments.size());
    const std::int64_t begin = level.segments[parent], end = level.segments[parent + 1];
    if (begin < 0 || end < begin || end > static_cast<std::int64_t>(level.indices.size()))
      return fail("level {} has a segment from {} to {} of {} indices", depth, begin, end,
                  level.indices.size());
    std::int64_t last = -1;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t at = level.indices[static_cast<std::size_t>(i)];
      if (at <= last || at >= static_cast<std::int64_t>(level.size))
        return fail("level {} has the index {} after {}, of {}", depth, at, last, level.size);
      last = at;
      if (auto bad = visit(depth + 1, static_cast<std::uint64_t>(i),
                           place + static_cast<std::uint64_t>(at) * level.step))
        return bad;
    }
    return std::nullopt;
  }
  std::optional<Failure> copy(std::uint64_t place) {
    if ((next_ + 1) * element_ > from_.size())
      return fail("its buffer has {} bytes, fewer than its sparsity needs", from_.size());
    std::memcpy(&to_[place * element_], &from_[next_ * element_], element_);
    ++next_;
    return std::nullopt;
  }

  std::span<const Level> levels_;
  std::span<const std::byte> from_;
  std::span<std::byte> to_;
  std::size_t element_, next_ = 0;
};

}  // namespace

Result<Constant> densified(Import& import, const TensorInfo& t, std::size_t element_size) {
  std::uint64_t bytes = element_size;
  for (std::int32_t size : t.shape) bytes *= static_cast<std::uint64_t>(size);
  auto levels = read_levels(import, t);
  if (!levels) return levels.failure();
  if (auto bad = import.budget.spend(bytes, "a sparse tensor made dense")) return *bad;
  auto owner = std::make_shared<std::vector<std::uint64_t>>(divide_up(bytes, 8));
  const auto dense = std::as_writable_bytes(std::span(*owner)).first(bytes);
  if (auto bad = Filler(*levels, t.bytes, dense, element_size).fill()) return *bad;
  return Constant::transferred(std::move(owner), dense);
}

}  // namespace webnn::inline v0_1::tflite
