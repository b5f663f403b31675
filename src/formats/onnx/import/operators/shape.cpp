// Operators that change the shape and not the elements.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

std::int64_t count(const ops::Sizes& shape) {
  std::int64_t n = 1;
  for (auto d : shape) n *= static_cast<std::int64_t>(d);
  return n;
}

/// The result with a shape whose dimensions may be 0 when the input has no elements.
void put_reshaped(Call& c, const Ints& shape) {
  if (c.empty(0)) {
    ops::Sizes sizes;
    for (auto d : shape) sizes.push_back(static_cast<std::uint64_t>(d));
    if (count(sizes) != 0) c.refuse(fail("the result has elements, the input has none"));
    c.put_empty(sizes, c.type(0));
    return;
  }
  if (shape.size() > max_rank)
    c.unsupported(fail("the rank ({}) of the result is above {}", shape.size(), max_rank));
  const Dims dims = c.dims(shape);
  c.put_like(0, c.b.reshape(c.x(), dims, {.label = c.label()}));
}

void reshape(Call& c) {
  Ints shape = c.version() < 5 ? c.ints("shape").value_or(Ints()) : c.ints(1);
  const bool allow_zero = c.integer("allowzero", 0) != 0;
  const ops::Sizes in = c.shape(0);
  std::int64_t rest = count(in);
  std::size_t open = shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !allow_zero) {
      if (i >= in.size())
        c.refuse(fail("dimension {} of the shape is 0, but the input has rank {}", i, in.size()));
      shape[i] = static_cast<std::int64_t>(in[i]);
    }
    if (shape[i] == -1) {
      if (open < shape.size()) c.refuse(fail("two dimensions of the shape are -1"));
      open = i;
    } else if (shape[i] < 0) {
      c.refuse(fail("dimension {} of the shape is {}", i, shape[i]));
    } else if (shape[i] > 0) {
      if (rest % shape[i] != 0) c.refuse(fail("the shape does not have the input's elements"));
      rest /= shape[i];
    }
  }
  if (open < shape.size()) shape[open] = rest;
  put_reshaped(c, shape);
}

void flatten(Call& c) {
  const ops::Sizes in = c.shape(0);
  const std::uint32_t axis = c.axis_or_end(c.integer("axis", 1), in.size());
  Ints shape{1, 1};
  for (std::size_t i = 0; i < in.size(); ++i)
    shape[i < axis ? 0 : 1] *= static_cast<std::int64_t>(in[i]);
  put_reshaped(c, shape);
}

/// The axes: an attribute before operator set 13, an operand since.
std::optional<Ints> axes_of(Call& c) {
  if (c.version() < 13) return c.ints("axes");
  return c.has(1) ? std::optional(c.ints(1)) : std::nullopt;
}

void squeeze(Call& c) {
  const ops::Sizes in = c.shape(0);
  const auto given = axes_of(c);
  std::vector<bool> remove(in.size());
  if (given)
    for (std::uint32_t a : c.axes(*given, in.size())) remove[a] = true;
  Ints shape;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (remove[i] && in[i] != 1) c.refuse(fail("dimension {} is {}, not 1", i, in[i]));
    if (!(given ? remove[i] : in[i] == 1)) shape.push_back(static_cast<std::int64_t>(in[i]));
  }
  put_reshaped(c, shape);
}

void unsqueeze(Call& c) {
  const ops::Sizes in = c.shape(0);
  const auto given = axes_of(c);
  if (!given) c.refuse(fail("it has no axes"));
  const Dims axes = c.axes(*given, in.size() + given->size());
  Ints shape;
  for (std::size_t i = 0, from = 0; i < in.size() + axes.size(); ++i) {
    const bool added = std::count(axes.begin(), axes.end(), i) > 0;
    shape.push_back(added ? 1 : static_cast<std::int64_t>(in[from]));
    from += added ? 0 : 1;
  }
  put_reshaped(c, shape);
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

void expand(Call& c) {
  const MLOperand x = c.x();
  const Ints given = c.ints(1);
  Dims shape = x.shape();
  if (given.size() > max_rank)
    c.unsupported(fail("the rank ({}) of the result is above {}", given.size(), max_rank));
  if (shape.size() < given.size()) shape.insert(shape.begin(), given.size() - shape.size(), 1);
  for (std::size_t i = 0; i < given.size(); ++i) {
    std::uint32_t& d = shape[shape.size() - given.size() + i];
    const std::uint32_t size = c.dimension(given[i]);
    if (d != 1 && size != 1 && d != size)
      c.refuse(fail("the shape of its input ({}) does not broadcast to {}", x.shape(), size));
    d = std::max(d, size);
  }
  c.put_like(0, c.b.expand(x, shape, {.label = c.label()}));
}

void tile(Call& c) {
  const MLOperand x = c.x();
  Ints repeats;
  if (c.version() < 6) {
    repeats.assign(x.rank(), 1);
    repeats[c.axis(c.integer(2), x.rank())] = c.integer(1);
  } else {
    repeats = c.ints(1);
  }
  c.put_like(0, c.b.tile(x, c.dims(repeats, "a repetition"), {.label = c.label()}));
}

void shape(Call& c) {
  const ops::Sizes in = c.shape(0);
  const auto n = static_cast<std::int64_t>(in.size());
  const auto place = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + n : at, 0, n);
  };
  const std::int64_t start = place(c.integer("start", 0)), end = place(c.integer("end", n));
  Ints sizes;
  for (std::int64_t i = start; i < end; ++i)
    sizes.push_back(static_cast<std::int64_t>(in[static_cast<std::size_t>(i)]));
  if (sizes.empty()) c.put_empty({0}, int64);
  else c.put(c.int64s({static_cast<std::uint32_t>(sizes.size())}, sizes));
}

void size(Call& c) { c.put(c.int64s({}, {count(c.shape(0))})); }

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
  if (c.version() < 10) c.put(c.b.expand(c.scalar_like(x, 1), x.shape()), 1);
  else c.put_boolean(c.b.expand(c.scalar(uint8, 1), x.shape()), 1);
}

constexpr Handler handlers[] = {
    {"Dropout", &dropout, 1, 1, 3, 2, "in inference"},
    {"Expand", &expand, 8, 2, 2, 1, "the shape is known"},
    {"Flatten", &flatten, 1, 1, 1},
    {"Reshape", &reshape, 1, 1, 2, 1, "the shape is known"},
    {"Shape", &shape, 1, 1, 1, 1, "is computed"},
    {"Size", &size, 1, 1, 1, 1, "is computed"},
    {"Squeeze", &squeeze, 1, 1, 2, 1, "the axes are known"},
    {"Tile", &tile, 1, 2, 3, 1, "the repetitions are known"},
    {"Transpose", &transpose, 1, 1, 1},
    {"Unsqueeze", &unsqueeze, 1, 1, 2, 1, "the axes are known"},
};

}  // namespace

std::span<const Handler> shape_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
