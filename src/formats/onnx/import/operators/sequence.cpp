// Sequences and optional values that a model builds and reads: their elements are known when the
// file is imported, and the operators leave nothing in the graph.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

using Items = std::vector<Value>;

const Items& items_of(const Call& c, std::size_t i) {
  const Value& v = c.in(i);
  if (!v.sequence) c.refuse(fail("its input {} is not a sequence", i));
  return *v.sequence;
}
/// An input as an element of a sequence.
Value element(const Call& c, std::size_t i) {
  Value v = c.in(i);
  if (v.sequence) c.unsupported(fail("its input {} is a sequence in a sequence", i));
  if (!v.empty) v.x = c.x(i);
  v.tensor = nullptr;
  return v;
}
void put(const Call& c, Items items) {
  // Loops that are unrolled copy sequences.
  c.spend(items.size() * sizeof(Value));
  c.set(0, {.sequence = std::make_shared<const Items>(std::move(items))});
}

/// A place in a sequence of n elements, which may be counted from the end.
std::size_t place(const Call& c, std::size_t i, std::size_t n) {
  const std::int64_t size = static_cast<std::int64_t>(n), at = c.integer(i);
  const std::int64_t from_begin = at < 0 ? at + size : at;
  if (from_begin < 0 || from_begin >= size)
    c.refuse(fail("the position {} is not within a sequence of {}", at, n));
  return static_cast<std::size_t>(from_begin);
}

void construct(Call& c) {
  Items items;
  for (std::size_t i = 0; i < c.inputs(); ++i) items.push_back(element(c, i));
  put(c, std::move(items));
}
void empty(Call& c) {
  c.ignore("dtype");
  put(c, {});
}
void insert(Call& c) {
  Items items = items_of(c, 0);
  const std::size_t size = items.size();
  const std::size_t at =
      c.has(2) && c.integer(2) != static_cast<std::int64_t>(size) ? place(c, 2, size) : size;
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(at), element(c, 1));
  put(c, std::move(items));
}
void erase(Call& c) {
  Items items = items_of(c, 0);
  if (items.empty()) c.refuse(fail("the sequence has no elements"));
  const std::size_t at = c.has(1) ? place(c, 1, items.size()) : items.size() - 1;
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
  put(c, std::move(items));
}
void at(Call& c) {
  const Items& items = items_of(c, 0);
  c.set(0, items[place(c, 1, items.size())]);
}
void length(Call& c) { c.put(c.int64s({}, {static_cast<std::int64_t>(items_of(c, 0).size())})); }

/// The sizes of the parts of a dimension: one for all, a list, or 1 each.
Ints parts_of(const Call& c, std::int64_t size) {
  if (!c.has(1)) return Ints(static_cast<std::size_t>(size), 1);
  const Ints given = c.ints(1);
  if (c.x(1).rank() > 0) return given;
  if (given[0] < 1) c.refuse(fail("its parts have size {}", given[0]));
  Ints parts(static_cast<std::size_t>(size / given[0]), given[0]);
  if (size % given[0] != 0) parts.push_back(size % given[0]);
  return parts;
}

void split(Call& c) {
  constexpr std::int64_t most = 65536;
  const MLOperand x = c.x();
  const std::uint32_t axis = c.axis(c.integer("axis", 0), x.rank());
  const bool keeps = c.integer("keepdims", 1) != 0 || c.has(1);
  const auto size = static_cast<std::int64_t>(formats::dims_of({Size::dimension(x, axis)})[0]);
  if (size > most) c.unsupported(fail("it makes a sequence of up to {}, more than {}", size, most));
  Items items;
  std::int64_t begin = 0;
  for (const std::int64_t part : parts_of(c, size)) {
    if (part < 1 || part > size - begin)
      c.refuse(fail("its parts are not those of a dimension of {}", size));
    MLOperand y = c.sliced(x, axis, begin, part);
    begin += part;
    items.push_back({.x = keeps ? y : c.without_one(y, axis),
                     .boolean = c.in(0).boolean,
                     .narrow = c.in(0).narrow});
  }
  if (begin != size) c.refuse(fail("its parts are not those of a dimension of {}", size));
  put(c, std::move(items));
}

void concat(Call& c) {
  const Items& items = items_of(c, 0);
  const bool new_axis = c.integer("new_axis", 0) != 0;
  const std::int64_t axis = c.integer("axis", 0);
  std::vector<MLOperand> all;
  for (const Value& v : items) {
    if (v.empty && !new_axis) continue;  // it has nothing to add
    if (v.empty) c.unsupported("an element of the sequence has no elements");
    all.push_back(v.x);
  }
  if (all.empty()) c.unsupported("the sequence has no elements");
  const std::uint32_t place =
      new_axis ? c.axis(axis, all.front().rank() + 1) : c.axis(axis, all.front().rank());
  if (new_axis)
    for (MLOperand& x : all) x = c.with_one(x, place);
  const Value& first = items.front();
  c.set(0, {.x = all.size() == 1 ? all.front() : c.b.concat(all, place),
            .boolean = first.boolean,
            .narrow = first.narrow});
}

void optional(Call& c) {
  c.ignore("type");
  if (!c.has(0)) return c.set(0, {.absent = true});
  Value v = c.in(0);
  if (!v.sequence) v = element(c, 0);
  c.set(0, std::move(v));
}
void has_element(Call& c) { c.put_boolean(c.scalar(uint8, c.has(0) ? 1 : 0)); }
void get_element(Call& c) {
  if (!c.has(0)) c.refuse(fail("the optional value has no element"));
  Value v = c.in(0);
  if (!v.sequence) v = element(c, 0);
  c.set(0, std::move(v));
}

constexpr std::string_view known = "positions and lengths are known; nothing is left in the graph";
constexpr Handler handlers[] = {
    {"SequenceConstruct", &construct, 11, 1, many, 1, known},
    {"SequenceEmpty", &empty, 11, 0, 0, 1, known},
    {"SequenceInsert", &insert, 11, 2, 3, 1, known},
    {"SequenceErase", &erase, 11, 1, 2, 1, known},
    {"SequenceAt", &at, 11, 2, 2, 1, known},
    {"SequenceLength", &length, 11, 1, 1, 1, known},
    {"SplitToSequence", &split, 11, 1, 2, 1, known},
    {"ConcatFromSequence", &concat, 11, 1, 1, 1, known},
    {"Optional", &optional, 15, 0, 1, 1, known},
    {"OptionalHasElement", &has_element, 15, 0, 1, 1, known},
    {"OptionalGetElement", &get_element, 15, 1, 1, 1, known},
};

}  // namespace

std::span<const Handler> sequence_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
