#include "src/formats/common/size.h"

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::formats {

Size Size::dimension(const MLOperand& x, std::uint32_t axis) {
  Size s(0);
  const MLDimension d = x.is_open() ? x.dimensions()->at(axis) : MLDimension(x.shape().at(axis));
  if (d.is_open()) s.number_.reset();
  else s.number_ = d.size();
  if (!x.is_open()) return s;
  s.from_ = From::dimension;
  s.source_ = x;
  s.index_ = axis;
  return s;
}

Size Size::element(const MLOperand& x, std::uint32_t i, std::optional<std::int64_t> number) {
  Size s(0);
  s.number_ = number;
  s.from_ = From::element;
  s.source_ = x;
  s.index_ = i;
  return s;
}

std::int64_t Size::number() const {
  if (!number_) raise({"a size is not known", ErrorName::InvalidStateError}, "size");
  return *number_;
}

bool Size::follows(const Size& before) const {
  return from_ != From::nothing && from_ == before.from_ && source_.is(before.source_) &&
         index_ == before.index_ + 1;
}

std::string Size::text() const {
  if (number_) return std::to_string(*number_);
  if (from_ != From::dimension) return "a size that is open";
  return in_quotes(source_.dimensions()->at(index_).dynamic().name);
}

bool Size::same_as(const Size& other) const {
  if (number_ || other.number_) return number_ == other.number_;
  if (from_ == From::dimension && other.from_ == from_)  // equal names have equal sizes
    return source_.dimensions()->at(index_) == other.source_.dimensions()->at(other.index_);
  return from_ == other.from_ && source_.is(other.source_) && index_ == other.index_;
}

namespace {

MLOperand as_int64(MLGraphBuilder& b, const MLOperand& x) {
  return x.dataType() == int64 ? x : b.cast(x, int64);
}

}  // namespace

MLOperand Size::operand(MLGraphBuilder& b) const {
  if (number_) return b.constant(int64, *number_);
  if (from_ == From::dimension) return as_int64(b, b.dimension(source_, index_));
  const MLOperand x = as_int64(b, source_);
  if (x.rank() == 0) return x;
  return b.reshape(x.shape() == Dims{1} ? x : b.slice(x, {index_}, {1}), {});
}

SizeList sizes_of(const MLOperand& x) {
  SizeList all;
  for (std::uint32_t d = 0; d < x.rank(); ++d) all.push_back(Size::dimension(x, d));
  return all;
}

bool are_known(const SizeList& list) { return std::ranges::all_of(list, &Size::is_known); }

Dims dims_of(const SizeList& list) {
  Dims all;
  for (const Size& s : list) all.push_back(static_cast<std::uint32_t>(s.number()));
  return all;
}

MLOperand operand_of(MLGraphBuilder& b, const SizeList& list) {
  std::vector<MLOperand> parts;
  for (std::size_t begin = 0, end = 0; begin < list.size(); begin = end) {
    // Known numbers are one constant, elements of one operand that follow on each other one slice.
    const auto known = [&](std::size_t i) { return list[i].is_known(); };
    for (end = begin + 1; known(begin) && end < list.size() && known(end);) ++end;
    std::size_t next = begin + 1;
    while (next < list.size() && list[next].follows(list[next - 1])) ++next;
    if (next > end || !known(begin)) end = next;
    const Size& first = list[begin];
    const auto n = static_cast<std::uint32_t>(end - begin);
    if (const auto run = std::span(list).subspan(begin, n);
        std::ranges::all_of(run, &Size::is_known)) {
      std::vector<std::int64_t> values;
      for (const Size& s : run) values.push_back(s.number());
      parts.push_back(b.constant({int64, {n}}, values));
    } else if (n == 1 && first.from_ == Size::From::dimension) {
      parts.push_back(b.reshape(first.operand(b), {1}));
    } else {
      MLOperand all = first.source_;
      if (first.from_ == Size::From::dimension) all = b.shape(all);
      all = as_int64(b, all);
      if (all.rank() == 0) parts.push_back(b.reshape(all, {1}));
      else parts.push_back(all.shape() == Dims{n} ? all : b.slice(all, {first.index_}, {n}));
    }
  }
  return parts.size() == 1 ? parts[0] : b.concat(parts, 0);
}

Size computed(SizeFunction f, const Size& a, const Size& b) {
  MLGraphBuilder builder = a.is_known() ? b.builder() : a.builder();
  return Size::element(f(builder, a.operand(builder), b.operand(builder)), 0);
}

namespace {

// Sums and products that leave 64 bits are no sizes, and no error here.
std::uint64_t u(const Size& s) { return static_cast<std::uint64_t>(s.number()); }

}  // namespace

Size operator+(const Size& a, const Size& b) {
  if (a.is_known() && b.is_known()) return static_cast<std::int64_t>(u(a) + u(b));
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  return computed([](auto& to, const auto& x, const auto& y) { return to.add(x, y); }, a, b);
}

Size operator-(const Size& a, const Size& b) {
  if (a.is_known() && b.is_known()) return static_cast<std::int64_t>(u(a) - u(b));
  if (b.is(0)) return a;
  if (a.same_as(b)) return 0;
  return computed([](auto& to, const auto& x, const auto& y) { return to.sub(x, y); }, a, b);
}

Size operator*(const Size& a, const Size& b) {
  if (a.is_known() && b.is_known()) return static_cast<std::int64_t>(u(a) * u(b));
  if (a.is(1) || b.is(0)) return b;
  if (b.is(1) || a.is(0)) return a;
  return computed([](auto& to, const auto& x, const auto& y) { return to.mul(x, y); }, a, b);
}

Size operator/(const Size& a, const Size& b) {
  if (a.is_known() && b.is_known()) return a.number() / b.number();
  if (b.is(1)) return a;
  return computed([](auto& to, const auto& x, const auto& y) { return to.div(x, y); }, a, b);
}

Size min(const Size& a, const Size& b) {
  if (a.is_known() && b.is_known()) return std::min(a.number(), b.number());
  if (a.same_as(b)) return a;
  return computed([](auto& to, const auto& x, const auto& y) { return to.min(x, y); }, a, b);
}

Size max(const Size& a, const Size& b) {
  if (a.is_known() && b.is_known()) return std::max(a.number(), b.number());
  if (a.same_as(b)) return a;
  return computed([](auto& to, const auto& x, const auto& y) { return to.max(x, y); }, a, b);
}

Size product(const SizeList& list) {
  Size known = 1;
  SizeList open;
  for (const Size& s : list)
    if (s.is_known()) known = known * s;
    else open.push_back(s);
  if (open.empty()) return known;
  if (open.size() < 3) {
    for (const Size& s : open) known = known * s;
    return known;
  }
  MLGraphBuilder b = open[0].builder();
  if (!known.is(1)) open.push_back(known);
  return Size::element(b.reduceProduct(operand_of(b, open)), 0);
}

std::string text_of(const SizeList& list) { return '[' + joined(list, ", ", &Size::text) + ']'; }

Size from_end(const Size& place, const Size& size) {
  if (place.is_known()) return place.number() < 0 ? place + size : place;
  const Size moved = place + size;
  return computed([](auto& to, const auto& x,
                     const auto& y) { return to.where(to.lesser(x, to.constant(int64, 0)), y, x); },
                  place, moved);
}

MLOperand reshape(MLGraphBuilder& b, const MLOperand& x, const SizeList& shape,
                  MLOperatorOptions o) {
  if (are_known(shape)) return b.reshape(x, dims_of(shape), std::move(o));
  return b.reshapeDynamic(x, operand_of(b, shape), std::move(o));
}

MLOperand expand(MLGraphBuilder& b, const MLOperand& x, const SizeList& shape,
                 MLOperatorOptions o) {
  if (are_known(shape)) return b.expand(x, dims_of(shape), std::move(o));
  return b.expandDynamic(x, operand_of(b, shape), std::move(o));
}

MLOperand tile(MLGraphBuilder& b, const MLOperand& x, const SizeList& repetitions,
               MLOperatorOptions o) {
  if (are_known(repetitions)) return b.tile(x, dims_of(repetitions), std::move(o));
  return b.tileDynamic(x, operand_of(b, repetitions), std::move(o));
}

MLOperand slice(MLGraphBuilder& b, const MLOperand& x, const SizeList& starts,
                const SizeList& sizes, MLSliceOptions o) {
  if (are_known(starts) && are_known(sizes))
    return b.slice(x, dims_of(starts), dims_of(sizes), std::move(o));
  return b.sliceDynamic(x, operand_of(b, starts), operand_of(b, sizes), std::move(o));
}

MLOperand pad(MLGraphBuilder& b, const MLOperand& x, const SizeList& before, const SizeList& after,
              MLPadOptions o) {
  if (are_known(before) && are_known(after))
    return b.pad(x, dims_of(before), dims_of(after), std::move(o));
  return b.padDynamic(x, operand_of(b, before), operand_of(b, after), std::move(o));
}

MLOperand with_one(MLGraphBuilder& b, const MLOperand& x, std::uint32_t axis) {
  if (x.is_open()) return b.unsqueeze(x, {axis});
  Dims shape = x.shape();
  shape.insert(shape.begin() + axis, 1);
  return b.reshape(x, std::move(shape));
}

MLOperand without_one(MLGraphBuilder& b, const MLOperand& x, std::uint32_t axis) {
  if (x.is_open()) return b.squeeze(x, {.axes = Dims{axis}});
  Dims shape = x.shape();
  shape.erase(shape.begin() + axis);
  return b.reshape(x, std::move(shape));
}

MLOperand numbers(MLGraphBuilder& b, MLOperandDataType type, const Size& first, const Size& n) {
  const auto scalar = [&](const Size& s) {
    if (s.is_known()) return b.constant(type, s.number());
    const MLOperand x = s.operand(b);
    return type == int64 ? x : b.cast(x, type);
  };
  return b.range(scalar(first), scalar(first + n), b.constant(type, 1));
}

}  // namespace webnn::inline v0_1::formats
