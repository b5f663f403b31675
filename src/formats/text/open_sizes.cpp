#include "src/formats/text/open_sizes.h"

#include "src/graph/text.h"

namespace webnn::inline v0_1::text {
namespace {

using formats::Value;

/// The name and the maximum of an open dimension; nothing for other values.
std::optional<std::pair<std::string, std::uint32_t>> open_dimension(const Value& v) {
  const Value *name = v.find("name"), *maximum = v.find("maxSize");
  std::uint32_t size = 0;
  if (!name || !maximum || !name->is_text() || from_value(*maximum, size)) return std::nullopt;
  return std::pair(name->text, size);
}

bool is_rest(const Value& v) { return v.kind == Value::Kind::number && v.text == "-1"; }

/// The first operand; null when it is none.
const MLOperand* input_of(const Scope& scope, const Statement& s) {
  for (const Argument& a : s.arguments)
    if ((a.name.empty() || a.name == "input") && a.value.is_text())
      return scope.find(a.value.text, a.value.offset);
  return nullptr;
}

bool has_open_size(Scope& scope, const Statement& s, bool reshapes) {
  const MLOperand* input = input_of(scope, s);
  for (const Argument& a : s.arguments)
    for (const Value& item : a.value.items) {
      if (const auto d = open_dimension(item))
        if (scope.dimension(d->first, d->second).is_open()) return true;
      if (reshapes && is_rest(item) && input && input->is_open()) return true;
    }
  return false;
}

}  // namespace

void fix_dimensions(Scope& scope, Value& value) {
  for (Value& item : value.items) {
    if (item.kind == Value::Kind::list) fix_dimensions(scope, item);
    const auto found = open_dimension(item);
    if (!found) continue;
    const MLDimension d = scope.dimension(found->first, found->second);
    if (d.is_open()) continue;
    const std::size_t offset = item.offset;
    item = formats::to_value(d.size());
    item.offset = offset;
  }
}

const formats::OperatorRows& form_of(Scope& scope, const Statement& s,
                                     const formats::OperatorRows& rows) {
  const auto* dynamic = formats::find_operator(std::string(rows.name) + "Dynamic");
  return dynamic && has_open_size(scope, s, rows.name == "reshape") ? *dynamic : rows;
}

MLOperand sizes_operand(Scope& scope, const Value& list, const MLOperand* total) {
  MLGraphBuilder& b = scope.builder;
  const auto one = [&](std::uint32_t size) { return b.constant({uint32, {1}}, {size}); };
  std::vector<MLOperand> pieces;
  std::optional<std::size_t> rest;
  for (const Value& item : list.items) {
    std::uint32_t size = 0;
    if (const auto d = open_dimension(item)) {
      const MLDimension known = scope.dimension(d->first, d->second);
      const auto open = known.is_open() ? scope.size_of(d->first) : one(known.size());
      if (!open)
        scope.source.refuse(item.offset,
                            fail("no input has the dimension {}", in_quotes(d->first)));
      pieces.push_back(*open);
    } else if (total && is_rest(item)) {
      if (rest) scope.source.refuse(item.offset, fail("newShape has more than one -1"));
      rest = pieces.size();
      pieces.push_back(one(1));
    } else if (const auto bad = from_value(item, size)) {
      scope.source.refuse(item.offset, *bad);
    } else {
      pieces.push_back(one(size));
    }
  }
  if (pieces.empty()) scope.source.refuse(list.offset, fail("there are no sizes in the list"));
  if (pieces.size() > max_rank)
    scope.source.refuse(list.offset, fail("there are more than {} dimensions", max_rank));
  if (rest) {
    const MLReduceOptions all{.keepDimensions = true};
    pieces[*rest] =
        b.div(b.reduceProduct(b.shape(*total), all), b.reduceProduct(b.concat(pieces, 0), all));
  }
  return pieces.size() == 1 ? pieces.front() : b.concat(pieces, 0);
}

}  // namespace webnn::inline v0_1::text
