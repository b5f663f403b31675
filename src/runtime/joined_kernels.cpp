#include "src/runtime/joined_kernels.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "src/graph/graph_data.h"
#include "src/graph/op.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t max_inputs = 12;

std::byte* const* table(const std::byte* memory) {
  return reinterpret_cast<std::byte* const*>(memory);
}

struct JoinedAttention {
  Candidate each;                    // for one sequence
  std::size_t slot = 0, inputs = 0;  // GrowingRows
  std::uint32_t sequences = 1;
  std::array<std::size_t, max_inputs> strides{};  // bytes from one sequence to the next
  std::array<bool, max_inputs> is_mask{};         // its strides are rows of the longest state
  std::size_t result = 0;

  void run(Range r, const Buffers& b, std::byte* scratch) const {
    const auto* sizes = b.in<GrowingSizes>(slot);
    std::array<const std::byte*, max_inputs> of_one{};
    while (r.begin < r.end) {
      const int s = r.begin / each.tiles, first = s * each.tiles,
                end = std::min(r.end, first + each.tiles);
      const auto at = static_cast<std::size_t>(s);
      for (std::size_t i = 0; i < slot; ++i) {
        const std::size_t stride =
            is_mask[i] ? strides[i] * (std::size_t{sizes->past} + 1) : strides[i];
        of_one[i] = i == 1 || i == 2 ? table(b.inputs[i])[at] : b.inputs[i] + at * stride;
      }
      of_one[slot] = reinterpret_cast<const std::byte*>(sizes + 1 + at);
      for (std::size_t i = slot + 1; i < inputs; ++i) of_one[i] = table(b.inputs[i])[at];
      std::byte* const y = b.outputs[0] + at * result;
      each.run({r.begin - first, end - first},
               {.inputs = {of_one.data(), inputs}, .outputs = {&y, 1}}, scratch);
      r.begin = end;
    }
  }
};

struct JoinedAppend {
  GrowingRows rows;
  std::size_t sequences = 1, outer = 1, bytes = 1, capacity = 0;

  void run(const Buffers& b) const {
    const auto* sizes = b.in<GrowingSizes>(rows.slot);
    for (std::size_t s = 0; s < sequences; ++s)
      for (std::size_t i = 0; i < outer; ++i)
        std::memcpy(table(b.outputs[0])[s] + (i * capacity + sizes[1 + s].past) * bytes,
                    b.inputs[1] + (s * outer + i) * bytes, bytes);
  }
};

}  // namespace

std::optional<Candidate> joined_attention(const LibraryBackend& backend, const Node& node,
                                          const GrowingRows& rows, std::uint32_t sequences,
                                          std::span<const MLOperand> masks) {
  auto one = *as<fused::attention>(node);
  const Dims& all = node.output().shape();
  if (one.options.maskedShape.size() > 0 || all.empty() || all.front() != sequences ||
      rows.inputs() > max_inputs || rows.spread_masks)
    return std::nullopt;
  JoinedAttention joined{.slot = rows.slot, .inputs = rows.inputs(), .sequences = sequences};
  const auto data = std::make_shared<GraphData>();
  std::size_t slot = 0;
  bool fits = true;
  // An operand of all sequences becomes that of one.
  const auto part = [&](MLOperand& x, bool joins) {
    MLOperandDescriptor d = x.descriptor();
    const bool is_mask = std::ranges::any_of(masks, [&](const MLOperand& m) { return m.is(x); });
    std::size_t stride = 0;
    if (d.shape.size() == all.size() && d.shape.front() == sequences) {
      d.shape.front() = 1;
      stride = static_cast<std::size_t>(byte_length(d));
    } else if (joins) {
      fits = false;
    }
    if (is_mask) {  // one row, as long as the longest state
      fits = fits && !d.shape.empty() && element_count(d.shape) == d.shape.back();
      if (stride != 0) stride /= d.shape.back();
    }
    joined.strides[slot] = stride;
    joined.is_mask[slot++] = is_mask;
    x = data->add(
        {.descriptor = std::move(d), .kind = OperandKind::input, .name = std::to_string(slot)});
  };
  part(one.queries, true);
  part(one.keys, true);
  part(one.values, true);
  for (auto* x : {&one.options.condition, &one.options.mask, &one.options.leftOut})
    if (*x) part(**x, false);
  if (!fits || slot != rows.slot) return std::nullopt;
  MLOperandDescriptor y = node.output().descriptor();
  y.shape.front() = 1;
  joined.result = static_cast<std::size_t>(byte_length(y));
  data->add(Op::of(std::move(one)), {std::move(y)});
  auto each = backend.lower_growing(graph_of(data).node(0), rows);
  if (!each || each->rounds != 1 || each->shared != 0 || each->exclusive || !each->weights.empty())
    return std::nullopt;
  Candidate c{.name = each->name + ", joined",
              .tiles = each->tiles * static_cast<int>(sequences),
              .grain = each->grain,
              .scratch = each->scratch};
  joined.each = std::move(*each);
  c.run = [self = std::make_shared<const JoinedAttention>(std::move(joined))](
              Range r, const Buffers& b, std::byte* scratch) { self->run(r, b, scratch); };
  return c;
}

Candidate joined_append(const GrowingRows& rows, std::uint32_t sequences, std::size_t outer,
                        std::size_t bytes, std::size_t capacity) {
  const JoinedAppend append{rows, sequences, outer / sequences, bytes, capacity};
  return {.name = "append rows, joined",
          .in_place = {0},
          .run = [append](Range, const Buffers& b, std::byte*) { append.run(b); }};
}

}  // namespace webnn::inline v0_1
