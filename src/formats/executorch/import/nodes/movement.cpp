// Nodes that move elements, and StaticResizeBilinear2D.
#include "src/formats/common/resize_bilinear.h"
#include "src/formats/executorch/import/node.h"

namespace webnn::inline v0_1::executorch {
namespace {

using Kind = xnn::NodeUnion;

Dims list_of(NodeCall& c, const fb::Vector<std::uint32_t>* v) {
  const auto list = elements_of(v);
  if (auto bad = c.import().budget.count(list.size())) c.refuse(*bad);
  if (list.size() > max_rank) c.refuse(fail("a list has {} dimensions", list.size()));
  return {list.begin(), list.end()};
}

void static_transpose(NodeCall& c) {
  const auto& t = c.table<xnn::NodeTranspose>();
  c.check_flags(t.flags());
  const Dims order = list_of(c, t.perm());
  c.move(t.input_id(), t.output_id(), [&](const MLOperand& x) {
    return c.b.transpose(x, {.permutation = order, .label = c.label(t.output_id())});
  });
}

/// One dimension may be 0: it is what remains.
void static_reshape(NodeCall& c) {
  const auto& t = c.table<xnn::NodeReshape>();
  c.check_flags(t.flags());
  c.move(t.input_id(), t.output_id(), [&](const MLOperand& x) {
    Dims shape = list_of(c, t.new_shape());
    std::uint64_t known = 1;
    std::uint32_t* open = nullptr;
    for (std::uint32_t& d : shape) {
      if (d == 0 && open) c.refuse(fail("its shape {} has more than one 0", shape));
      if (d == 0) open = &d;
      else known *= d;
      if (known > max_tensor_byte_length) c.refuse(fail("its shape {} is too large", shape));
    }
    const std::uint64_t elements = element_count(x.shape());
    if (open) {
      if (elements % known != 0)
        c.refuse(
            fail("its shape {} does not divide the {} elements of its input", shape, elements));
      *open = static_cast<std::uint32_t>(elements / known);
    }
    return c.b.reshape(x, shape, {.label = c.label(t.output_id())});
  });
}

/// Dimensions of 1 at these places of the result.
void static_expand_dims(NodeCall& c) {
  const auto& t = c.table<xnn::NodeExpandDims>();
  c.check_flags(t.flags());
  const Dims places = list_of(c, t.new_axes());
  c.move(t.input_id(), t.output_id(), [&](const MLOperand& x) {
    const Dims given = x.shape();
    const std::size_t rank = given.size() + places.size();
    Dims shape(rank, 0);
    for (const std::uint32_t d : places) {
      if (d >= rank || shape[d] != 0)
        c.refuse(
            fail("its new dimensions {} are not different indices of {} dimensions", places, rank));
      shape[d] = 1;
    }
    auto next = given.begin();
    for (std::uint32_t& d : shape)
      if (d == 0) d = *next++;
    return c.b.reshape(x, shape, {.label = c.label(t.output_id())});
  });
}

/// A size of 0 is what remains.
void static_slice(NodeCall& c) {
  const auto& t = c.table<xnn::NodeSlice>();
  c.check_flags(t.flags());
  c.move(t.input_id(), t.output_id(), [&](const MLOperand& x) {
    const Dims starts = list_of(c, t.offsets());
    Dims sizes = list_of(c, t.sizes());
    if (starts.size() != x.rank() || sizes.size() != x.rank())
      c.refuse(fail("it has {} offsets and {} sizes for an input of shape {}", starts.size(),
                    sizes.size(), x.shape()));
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (sizes[d] == 0 && starts[d] < x.shape()[d]) sizes[d] = x.shape()[d] - starts[d];
    return c.b.slice(x, starts, sizes, {.label = c.label(t.output_id())});
  });
}

void static_constant_pad(NodeCall& c) {
  const auto& t = c.table<xnn::NodePad>();
  c.check_flags(t.flags());
  const Dims before = list_of(c, t.pre_paddings()), after = list_of(c, t.post_paddings());
  const MLOperand x = c.numbers(t.input_id());
  c.put(t.output_id(),
        c.b.pad(x, before, after, {.value = t.padding_value(), .label = c.label(t.output_id())}));
}

void concatenate(NodeCall& c) {
  const auto& t = c.table<xnn::NodeConcatenate>();
  c.check_flags(t.flags());
  const std::uint32_t all[] = {t.input1_id(), t.input2_id(), t.input3_id(), t.input4_id(),
                               t.input5_id()};
  const std::size_t count = c.kind() == Kind::Concatenate2   ? 2
                            : c.kind() == Kind::Concatenate3 ? 3
                            : c.kind() == Kind::Concatenate4 ? 4
                                                             : 5;
  bool moves = true;
  for (std::size_t i = 0; i < count; ++i) moves = moves && c.same_scales(all[i], t.output_id());
  std::vector<MLOperand> parts;
  for (std::size_t i = 0; i < count; ++i)
    parts.push_back(moves ? c.stored(all[i]) : c.numbers(all[i]));
  MLOperand y = c.b.concat(parts, t.axis(), {.label = c.label(t.output_id())});
  if (moves) c.put_stored(t.output_id(), y);
  else c.put(t.output_id(), y);
}

void resize_bilinear(NodeCall& c) {
  const auto& t = c.table<xnn::NodeResize>();
  c.check_flags(t.flags(), legacy_resize | align_corners);
  const MLOperand x = c.numbers(t.input_id());
  c.require_rank(x, 4);
  const std::uint64_t height = t.new_height(), width = t.new_width();
  if (height == 0 || width == 0 || height * width > max_tensor_byte_length)
    c.refuse(fail("its new size, {} by {}, is not between 1 and {}", height, width,
                  max_tensor_byte_length));
  c.spend((height + width) * 12);
  const formats::Centers centers{.align_corners = (t.flags() & align_corners) != 0,
                                 .half_pixel = (t.flags() & (align_corners | legacy_resize)) == 0};
  c.put(t.output_id(), formats::resize_bilinear(c.b, x, t.new_height(), t.new_width(), centers,
                                                c.label(t.output_id())));
}

}  // namespace

Handler movement_handler(Kind kind) {
  switch (kind) {
    case Kind::StaticTranspose: return static_transpose;
    case Kind::StaticReshape: return static_reshape;
    case Kind::StaticExpandDims: return static_expand_dims;
    case Kind::StaticSlice: return static_slice;
    case Kind::StaticConstantPad: return static_constant_pad;
    case Kind::StaticResizeBilinear2D: return resize_bilinear;
    case Kind::Concatenate2:
    case Kind::Concatenate3:
    case Kind::Concatenate4:
    case Kind::Concatenate5: return concatenate;
    default: return nullptr;
  }
}

}  // namespace webnn::inline v0_1::executorch
