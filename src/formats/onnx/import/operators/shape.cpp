// Operators that change the shape and not the elements.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// The result with a shape whose dimensions may be 0 when the input has no elements.
void put_reshaped(Call& c, const SizeList& shape) {
  if (c.empty(0)) {
    ops::Sizes sizes;
    for (const Size& d : shape) sizes.push_back(static_cast<std::uint64_t>(d.number()));
    if (!product(shape).is(0)) c.refuse(fail("the result has elements, the input has none"));
    c.put_empty(sizes, c.type(0));
    return;
  }
  if (shape.size() > max_rank)
    c.unsupported(fail("the rank ({}) of the result is above {}", shape.size(), max_rank));
  c.put_like(0, c.reshape(c.x(), shape, c.label()));
}

/// The quotient of the input's elements by those of the other dimensions.
Size rest_of(Call& c, const SizeList& in, const SizeList& others) {
  const Size all = product(in);
  if (!all.is_known()) return all / product(others);
  Size rest = all;
  for (const Size& d : others) {
    if (d.is_known() && rest.is_known() && d.number() > 0 && rest.number() % d.number() != 0)
      c.refuse(fail("the shape does not have the input's elements"));
    if (!d.is(0)) rest = rest / d;
  }
  return rest;
}

void reshape(Call& c) {
  SizeList shape;
  if (c.version() < 5) {
    const Ints given = c.ints("shape").value_or(Ints());
    shape.assign(given.begin(), given.end());
  } else {
    shape = c.list(1);
  }
  const bool allow_zero = c.integer("allowzero", 0) != 0;
  const SizeList in = c.sizes(0);
  SizeList others;
  std::size_t open = shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].is(0) && !allow_zero) {
      if (i >= in.size())
        c.refuse(fail("dimension {} of the shape is 0, but the input has rank {}", i, in.size()));
      shape[i] = in[i];
    }
    if (shape[i].is(-1)) {
      if (open < shape.size()) c.refuse(fail("two dimensions of the shape are -1"));
      open = i;
    } else if (shape[i].is_known() && shape[i].number() < 0) {
      c.refuse(fail("dimension {} of the shape is {}", i, shape[i].number()));
    } else {
      others.push_back(shape[i]);
    }
  }
  const bool known = formats::are_known(in) && formats::are_known(others);
  if (open < shape.size()) shape[open] = rest_of(c, in, others);
  else if (known) rest_of(c, in, others);
  put_reshaped(c, shape);
}

void flatten(Call& c) {
  const SizeList in = c.sizes(0);
  const std::uint32_t axis = c.axis_or_end(c.integer("axis", 1), in.size());
  if (!formats::are_known(in))
    return c.put_like(0, c.b.reshapeTo2d(c.x(), {.axis = axis, .label = c.label()}));
  SizeList shape{1, 1};
  for (std::size_t i = 0; i < in.size(); ++i) {
    Size& side = shape[i < axis ? 0 : 1];
    side = side * in[i];
  }
  put_reshaped(c, shape);
}

/// The axes: an attribute before operator set 13, an operand since.
std::optional<Ints> axes_of(Call& c) {
  if (c.version() < 13) return c.ints("axes");
  return c.has(1) ? std::optional(c.ints(1)) : std::nullopt;
}

void squeeze(Call& c) {
  const SizeList in = c.sizes(0);
  const auto given = axes_of(c);
  Dims axes;
  if (given) axes = c.axes(*given, in.size());
  SizeList shape;
  for (std::uint32_t i = 0; i < in.size(); ++i) {
    const bool remove = std::ranges::find(axes, i) != axes.end();
    if (remove && Call::differ(in[i], 1))
      c.refuse(fail("dimension {} is {}, not 1", i, in[i].number()));
    if (!(given ? remove : in[i].is(1))) shape.push_back(in[i]);
  }
  if (formats::are_known(in)) return put_reshaped(c, shape);
  MLSqueezeOptions o{.label = c.label()};
  if (given) o.axes = axes;
  c.put_like(0, c.b.squeeze(c.x(), o));
}

void unsqueeze(Call& c) {
  const SizeList in = c.sizes(0);
  const auto given = axes_of(c);
  if (!given) c.refuse(fail("it has no axes"));
  const Dims axes = c.axes(*given, in.size() + given->size());
  SizeList shape;
  for (std::size_t i = 0, from = 0; i < in.size() + axes.size(); ++i) {
    const bool added = std::count(axes.begin(), axes.end(), i) > 0;
    shape.push_back(added ? Size(1) : in[from]);
    from += added ? 0 : 1;
  }
  if (formats::are_known(in)) return put_reshaped(c, shape);
  c.put_like(0, c.b.unsqueeze(c.x(), axes, {c.label()}));
}

void transpose(Call& c) {
  const MLOperand x = c.x();
  MLTransposeOptions o{.label = c.label()};
  if (const auto given = c.ints("perm")) {
    if (given->size() != x.rank())
      c.refuse(fail("perm has {} dimensions, the input {}", given->size(), x.rank()));
    o.permutation = c.axes(*given, x.rank());
  }
  c.put_like(0, c.b.transpose(x, o));
}

/// The size of a dimension that is broadcast with another.
Size broadcast(Call& c, const MLOperand& x, const Size& own, const Size& given) {
  if (given.is_known()) c.dimension(given.number());
  if (!own.is(1) && !given.is(1) && Call::differ(own, given))
    c.refuse(fail("the shape of its input ({}) does not broadcast to {}", Call::shape_text(x),
                  given.number()));
  if (own.is(1)) return given;
  if (given.is(1) || own.is_known()) return own;
  if (given.is_known()) return given;
  const auto chosen = [](MLGraphBuilder& b, const MLOperand& d, const MLOperand& to) {
    return b.where(b.equal(to, b.constant(int64, 1)), d, to);
  };
  return formats::computed(chosen, own, given);
}

void expand(Call& c) {
  const MLOperand x = c.x();
  const SizeList given = c.list(1);
  SizeList shape = formats::sizes_of(x);
  if (given.size() > max_rank)
    c.unsupported(fail("the rank ({}) of the result is above {}", given.size(), max_rank));
  if (shape.size() < given.size()) shape.insert(shape.begin(), given.size() - shape.size(), 1);
  for (std::size_t i = 0; i < given.size(); ++i) {
    Size& d = shape[shape.size() - given.size() + i];
    d = broadcast(c, x, d, given[i]);
  }
  c.put_like(0, c.expand(x, shape, c.label()));
}

void tile(Call& c) {
  const MLOperand x = c.x();
  SizeList repeats;
  if (c.version() < 6) {
    repeats.assign(x.rank(), 1);
    repeats[c.axis(c.integer(2), x.rank())] = c.size(1);
  } else {
    repeats = c.list(1);
  }
  c.check_dimensions(repeats, "a repetition");
  c.put_like(0, formats::tile(c.b, x, repeats, {c.label()}));
}

void shape(Call& c) {
  const SizeList in = c.sizes(0);
  const auto n = static_cast<std::int64_t>(in.size());
  const auto place = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + n : at, 0, n);
  };
  const std::int64_t start = place(c.integer("start", 0)), end = place(c.integer("end", n));
  if (start >= end) return c.put_empty({0}, int64);
  const SizeList part(in.begin() + start, in.begin() + end);
  if (!formats::are_known(part)) return c.put(formats::operand_of(c.b, part));
  Ints sizes;
  for (const Size& d : part) sizes.push_back(d.number());
  c.put(c.int64s({static_cast<std::uint32_t>(sizes.size())}, sizes));
}

void size(Call& c) {
  const Size all = product(c.sizes(0));
  c.put(all.is_known() ? c.int64s({}, {all.number()}) : all.operand(c.b));
}

/// In inference nothing is dropped.
void dropout(Call& c) {
  c.ignore("seed");
  c.ignore("ratio");
  if (c.version() < 7 && c.integer("is_test", 0) == 0)
    c.unsupported("it is in training mode, which is random");
  if (c.version() >= 12 && c.has(2)) {
    const bool training = c.integer(2) != 0;
    const double ratio = c.has(1) ? c.real(1) : 0.5;
    if (training && ratio != 0) c.unsupported("it is in training mode, which is random");
  }
  const MLOperand x = c.x();
  c.put_like(0, x);
  if (!c.has_output(1)) return;
  const SizeList shape = formats::sizes_of(x);
  if (c.version() < 10) c.put(c.expand(c.scalar_like(x, 1), shape), 1);
  else c.put_boolean(c.expand(c.scalar(uint8, 1), shape), 1);
}

constexpr Handler handlers[] = {
    {"Dropout", &dropout, 1, 1, 3, 2, "in inference"},
    {"Expand", &expand, 8, 2, 2, 1, "the shape is known or follows from shapes"},
    {"Flatten", &flatten, 1, 1, 1},
    {"Reshape", &reshape, 1, 1, 2, 1, "the shape is known or follows from shapes"},
    {"Shape", &shape, 1, 1, 1, 1, "is computed"},
    {"Size", &size, 1, 1, 1, 1, "is computed"},
    {"Squeeze", &squeeze, 1, 1, 2, 1, "the axes are known"},
    {"Tile", &tile, 1, 2, 3, 1, "the repetitions are known or follow from shapes"},
    {"Transpose", &transpose, 1, 1, 1},
    {"Unsqueeze", &unsqueeze, 1, 1, 2, 1, "the axes are known"},
};

}  // namespace

std::span<const Handler> shape_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
