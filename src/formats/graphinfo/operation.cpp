#include "src/formats/graphinfo/operation.h"

#include <algorithm>
#include <cmath>

#include "src/formats/graphinfo/names.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::graphinfo {

using formats::Bad;
using formats::OperatorRow;
using formats::Value;

Result<std::size_t> read_enumerator(const Value& value, std::span<const std::string_view> names) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    all.push_back(enumerator(names[i]));
    if (value.is_text() && value.text == all.back()) return i;
  }
  return fail("{} is not one of {}", shown(value), joined(all));
}

Result<std::size_t> read_id(const Value& value, std::size_t count, bool from_one) {
  const Value* id = value.find("id");
  std::uint64_t v = 0;
  const std::uint64_t first = from_one ? 1 : 0;
  if (const auto bad = from_value(id ? *id : value, v)) return *bad;
  if (v < first || v - first >= count)
    return fail("there is no operand {}; ids are {} to {}", v, first, count + first - 1);
  return static_cast<std::size_t>(v - first);
}

Bad OperationReader::add(const std::string& name, const Value& fields) {
  if (fields.kind != Value::Kind::object) return fail("its fields are not an object");
  const Value* kind = fields.find("kind");
  rows_ = find_operation(name, kind && kind->is_text() ? std::string_view(kind->text) : "");
  if (!rows_ && kind) return fail("there is no such operation with the kind {}", shown(*kind));
  if (!rows_) return fail("there is no such operation");
  const Operation names{name, kind ? kind->text : ""};
  if (schema_ == Schema::v2023 && !is_in_2023(names))
    return fail("the schema of 2023 has no such operation");
  fields_ = &fields;
  op_ = rows_->make();
  for (const OperatorRow& row : rows_->rows)
    if (!row.is_attribute())
      if (auto bad = operand(row)) return fail("{}: {}", field_of(*rows_, row), bad->message);
  if (auto bad = results()) return bad;
  for (const OperatorRow& row : rows_->rows)
    if (row.is_attribute())
      if (auto bad = attribute(row)) return fail("{}: {}", field_of(*rows_, row), bad->message);
  if (const Value* label = fields.find("label"))
    if (auto bad = from_value(*label, rows_->label(op_.get())))
      return fail("label: {}", bad->message);
  return append();
}

Bad OperationReader::one_operand(const Value& id, MLOperand& x, bool is_input) {
  const auto index = read_id(id, operands_.size(), schema_ == Schema::v2023);
  if (!index) return index.failure();
  x = operands_[*index].value;
  if (is_input) input_ = *index;
  if (!x) return fail("the operand {} has no value before this operation", shown(id));
  return std::nullopt;
}

Bad OperationReader::operand(const OperatorRow& row) {
  const Value* field = fields_->find(field_of(*rows_, row));
  void* member = row.member(op_.get());
  using Form = OperatorRow::Form;
  if (!field || field->kind == Value::Kind::null) {
    if (row.form == Form::optional_operand) return std::nullopt;
    return fail("it is missing");
  }
  if (row.form == Form::operand)
    return one_operand(*field, *static_cast<MLOperand*>(member), row.name == "input");
  if (row.form == Form::optional_operand)
    return one_operand(*field, static_cast<std::optional<MLOperand>*>(member)->emplace());
  if (field->kind != Value::Kind::list) return fail("{} is not a list", shown(*field));
  for (const Value& id : field->items)
    if (auto bad = one_operand(id, static_cast<std::vector<MLOperand>*>(member)->emplace_back()))
      return bad;
  return std::nullopt;
}

Bad OperationReader::results() {
  const Value *one = fields_->find("output_operand_id"),
              *list = fields_->find("output_operand_ids");
  if (!one == !list)
    return fail("it does not have exactly one of output_operand_id, output_operand_ids");
  if (list && list->kind != Value::Kind::list) return fail("output_operand_ids are not a list");
  const std::span<const Value> ids =
      list ? std::span<const Value>(list->items) : std::span<const Value>(one, 1);
  for (const Value& id : ids) {
    const auto index = read_id(id, operands_.size(), schema_ == Schema::v2023);
    if (!index) return fail("output_operand_id: {}", index.failure().message);
    const OperandInfo& info = operands_[*index];
    if (info.kind != OperandKind::result || info.value)
      return fail("output_operand_id: the operand {} is not a result, or has a value already",
                  shown(id));
    results_.push_back(*index);
  }
  if (results_.empty()) return fail("it has no results");
  return std::nullopt;
}

Bad OperationReader::attribute(const OperatorRow& row) {
  const std::string name = field_of(*rows_, row);
  const Value* found = fields_->find(name);
  void* member = row.member(op_.get());
  const Form form = form_of(*rows_, row);
  if (form == Form::implied) return implied(row);
  if (form == Form::implied_unless_open) return implied_unless_open(row, found);
  if (form == Form::filter_layout) return filter(row);
  if (form == Form::ranges) return ranges();
  if (form == Form::part) return std::nullopt;
  if (form == Form::layout) {
    if (found) {
      const auto layout = read_enumerator(*found, enum_names<MLInputOperandLayout>);
      if (!layout) return layout.failure();
      layout_ = static_cast<MLInputOperandLayout>(*layout);
    }
    *static_cast<MLInputOperandLayout*>(member) = layout_;
    return std::nullopt;
  }
  if (!found || found->kind == Value::Kind::null)
    return row.required ? Bad(fail("it is missing")) : std::nullopt;
  if (form == Form::padding2d) return read_padding2d(*found, *static_cast<Dims*>(member));
  if (form == Form::number) return bound(row, *found);
  if (form == Form::padding_mode) return padding_mode(*found);
  if (form == Form::same) return same(row, *found);
  Dims size(2);
  if (auto bad = read_size2d(*found, size[0], size[1])) return bad;
  return row.type->from_value(formats::to_value(size), member);
}

Bad OperationReader::same(const OperatorRow& row, const Value& value) {
  Value own = value;
  const auto rename = [&](Value& v) -> Bad {
    const auto index = read_enumerator(v, row.type->names);
    if (!index) return index.failure();
    v.text = row.type->names[*index];
    return std::nullopt;
  };
  if (!row.type->names.empty() && own.kind == Value::Kind::list) {
    for (Value& item : own.items)
      if (auto bad = rename(item)) return bad;
  } else if (!row.type->names.empty()) {
    if (auto bad = rename(own)) return bad;
  }
  return row.type->from_value(own, row.member(op_.get()));
}

/// What follows from the results.
Bad OperationReader::implied(const OperatorRow& row) {
  const OperandType& y = result();
  void* member = row.member(op_.get());
  if (row.name == "dataType" || row.name == "outputDataType")
    return row.type->from_value(formats::to_value(y.dataType), member);
  if (row.name == "newShape") {
    if (y.is_open()) return fail("it follows from the result, which is {}", text_of(y));
    return row.type->from_value(formats::to_value(y.sizes()), member);
  }
  if (row.name == "outputSizes" && has_form()) return std::nullopt;
  if (row.name == "outputSizes" && y.shape.size() == 4 && !has_open_image(y, layout_))
    return row.type->from_value(formats::to_value(spatial(y, layout_)), member);
  if (row.name == "splits") return splits(row);
  const Value* scales = fields_->find("scales");
  const bool has_scales = scales && scales->kind != Value::Kind::null;
  return row.name == "sizes" && !has_scales ? implied_sizes(row) : std::nullopt;
}

/// Whether sizes of the image are open, and the file says how those of the result follow.
bool OperationReader::has_form() const {
  if (!has_open_image(operands_[input_].type, layout_) && !has_open_image(result(), layout_))
    return false;
  for (const char* name : {"output_padding", "output_shape_rounding"})
    if (const Value* v = fields_->find(name); v && v->kind != Value::Kind::null) return true;
  return false;
}

/// What follows from the sizes of images, unless they are open.
Bad OperationReader::implied_unless_open(const OperatorRow& row, const Value* found) {
  if (!found || !has_form()) return std::nullopt;
  if (found->kind == Value::Kind::null) return std::nullopt;
  if (row.name != "outputPadding") return same(row, *found);
  Dims size(2);
  if (auto bad = read_size2d(*found, size[0], size[1])) return bad;
  return row.type->from_value(formats::to_value(size), row.member(op_.get()));
}

/// The sizes of the results along the axis; parts that are open are equal.
Bad OperationReader::splits(const OperatorRow& row) {
  std::uint32_t axis = 0;
  if (const Value* field = fields_->find("axis"))
    if (auto bad = from_value(*field, axis)) return bad;
  Dims sizes;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const OperandType& y = result(i);
    if (axis >= y.shape.size()) return fail("axis ({}) is not below the rank", axis);
    sizes.push_back(y.shape[axis].size());
  }
  const bool open = std::find(sizes.begin(), sizes.end(), 0u) != sizes.end();
  const Value value =
      open ? formats::to_value(static_cast<std::uint32_t>(sizes.size())) : formats::to_value(sizes);
  return row.type->from_value(value, row.member(op_.get()));
}

Bad OperationReader::implied_sizes(const OperatorRow& row) {
  Dims axes{2, 3}, sizes;
  if (const Value* field = fields_->find("axes"))
    if (auto bad = from_value(*field, axes)) return bad;
  const OperandType& y = result();
  for (const std::uint32_t axis : axes) {
    if (axis >= y.shape.size()) return fail("axes ({}) are not below the rank", axes);
    if (y.shape[axis].is_open())
      return fail("there are no scales, and the result is {}", text_of(y));
    sizes.push_back(y.shape[axis].size());
  }
  return row.type->from_value(formats::to_value(sizes), row.member(op_.get()));
}

Bad OperationReader::number(const Value& value, MLNumber& v) const {
  if (schema_ == Schema::v2026) return read_number_union(value, v);
  double d = 0;
  auto bad = from_value(value, d);
  v = d;
  return bad;
}

/// An infinite bound is none.
Bad OperationReader::bound(const OperatorRow& row, const Value& value) {
  MLNumber v;
  if (auto bad = number(value, v)) return bad;
  const bool none = std::isinf(v.as_double()) && (v.as_double() < 0) == (row.name == "minValue");
  if (!none) member<std::optional<MLNumber>>(row.name) = v;
  return std::nullopt;
}

Bad OperationReader::ranges() {
  const bool is_2023 = schema_ == Schema::v2023;
  const Value* list = fields_->find(is_2023 ? "starts_and_sizes" : "ranges");
  if (!list || list->kind != Value::Kind::list) return fail("there is no list of ranges");
  Dims strides;
  for (const Value& range : list->items)
    for (const auto& [name, to] :
         {std::pair("start", &member<Dims>("starts")), std::pair("size", &member<Dims>("sizes")),
          std::pair("stride", &strides)}) {
      if (is_2023 && to == &strides) continue;
      const Value* v = range.find(name);
      if (!v) return fail("a range has no {}", name);
      if (auto bad = from_value(*v, to->emplace_back())) return fail("{}: {}", name, bad->message);
    }
  const bool plain = std::all_of(strides.begin(), strides.end(), [](auto s) { return s == 1; });
  if (!plain) member<OptionalList<std::uint32_t>>("strides") = std::move(strides);
  return std::nullopt;
}

Bad OperationReader::padding_mode(const Value& value) {
  if (value.kind != Value::Kind::object || value.items.size() != 2)
    return fail("{} is not an object with one mode", shown(value));
  const auto mode = formats::index_of(value.items[0], enum_names<MLPaddingMode>);
  if (!mode) return mode.failure();
  member<MLPaddingMode>("mode") = static_cast<MLPaddingMode>(*mode);
  const Value* v = value.items[1].find("value");
  return v ? number(*v, member<MLNumber>("value")) : std::nullopt;
}

/// Filters have the layout that goes with that of the images. The sizes are those of the file,
/// which may know more or fewer than follow from it.
Bad OperationReader::filter(const OperatorRow& row) {
  const Value* field = fields_->find("groups");
  std::uint32_t groups = 1;
  if (field)
    if (auto bad = from_value(*field, groups)) return bad;
  const std::uint32_t channels = channels_of(operands_[input_].type, layout_);
  // "groups = input channels = output channels", and not only one of each.
  const bool depthwise =
      groups == channels && groups > 1 && channels_of(result(), layout_) == groups;
  const Value name = Value::string(std::string(filter_layout(rows_->name, layout_, depthwise)));
  return row.type->from_value(name, row.member(op_.get()));
}

Bad OperationReader::append() {
  std::vector<MLOperand> made;
  try {
    made = rows_->append(builder_, op_.get());
  } catch (const TypeError& e) { return fail("{}", e.reason()); }
  if (made.size() != results_.size())
    return fail("it has {} results, but the file has {}", made.size(), results_.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    const OperandType type = type_of(made[i]);
    if (!agrees(type, result(i)))
      return fail("its result is {}, but the file says {}", text_of(type), text_of(result(i)));
    operands_[results_[i]].value = made[i];
  }
  return std::nullopt;
}

}  // namespace webnn::inline v0_1::graphinfo
