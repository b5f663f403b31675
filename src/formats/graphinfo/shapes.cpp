#include "src/formats/graphinfo/shapes.h"

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::graphinfo {

using formats::Bad;
using formats::Value;

namespace {

const MLDynamicDimension unbounded{};

Bad read_open(const Value& value, MLDynamicDimension& d) {
  const Value* name = value.is_text() ? &value : value.find("name");
  if (!name || !name->is_text()) return fail("{} has no name", shown(value));
  if (name->text.empty()) return fail("the name of a dimension is empty");
  d.name = name->text;
  for (const auto& [key, size] :
       {std::pair("min_size", &d.minSize), std::pair("max_size", &d.maxSize)}) {
    const Value* v = value.find(key);
    if (!v) continue;
    if (auto bad = from_value(*v, *size)) return fail("{}: {}", key, bad->message);
  }
  return std::nullopt;
}

}  // namespace

OperandType type_of(const MLOperand& x) {
  auto dimensions = x.dimensions();
  if (!dimensions) return {x.dataType(), {}, false};
  return {x.dataType(), std::move(*dimensions)};
}

std::string text_of(const OperandType& type) {
  const std::string name(name_of(type.dataType));
  if (!type.ranked) return name + " of any rank";
  return name + " [" +
         joined(type.shape, ", ",
                [](const MLDimension& d) {
                  return d.is_open() ? escaped(d.dynamic().name) : std::to_string(d.size());
                }) +
         ']';
}

bool agrees(const OperandType& found, const OperandType& said) {
  if (found.dataType != said.dataType) return false;
  if (!found.ranked || !said.ranked) return true;
  if (found.shape.size() != said.shape.size()) return false;
  for (std::size_t i = 0; i < said.shape.size(); ++i) {
    const MLDimension &a = found.shape[i], &b = said.shape[i];
    if (!a.is_open() && !b.is_open() && a.size() != b.size()) return false;
  }
  return true;
}

Value shape_value(const OperandType& type) {
  if (!type.ranked) return {};
  Value list = Value::list();
  for (const MLDimension& d : type.shape) {
    if (!d.is_open()) {
      list.items.push_back(formats::to_value(d.size()));
      continue;
    }
    const auto& [name, min, max] = d.dynamic();
    Value open = Value::object();
    open.set("name", Value::string(name));
    if (min != unbounded.minSize) open.set("min_size", formats::to_value(min));
    if (max != unbounded.maxSize) open.set("max_size", formats::to_value(max));
    list.items.push_back(std::move(open));
  }
  return list;
}

Bad read_shape(const Value& value, OperandType& type) {
  type.ranked = value.kind != Value::Kind::null;
  if (!type.ranked) return std::nullopt;
  if (value.kind != Value::Kind::list) return fail("{} is not a list", shown(value));
  for (const Value& item : value.items) {
    if (item.is_text() || item.kind == Value::Kind::object) {
      MLDynamicDimension d;
      if (auto bad = read_open(item, d)) return bad;
      type.shape.emplace_back(std::move(d));
    } else {
      std::uint32_t size = 0;
      if (auto bad = from_value(item, size)) return bad;
      type.shape.emplace_back(size);
    }
  }
  return std::nullopt;
}

}  // namespace webnn::inline v0_1::graphinfo
