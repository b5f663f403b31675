// Builders, operands, constants, and any operator by its name.
#include <algorithm>

#include "bindings/c/src/append.h"
#include "src/formats/common/operator_rows.h"
#include "webnn/state.h"

namespace webnn::inline v0_1::c {

void Results::store(std::string_view op, std::span<const MLOperand> results) const {
  if (results.size() > capacity)
    Where{op, "capacity"}.reject("(" + std::to_string(capacity) + ") is less than the number (" +
                                 std::to_string(results.size()) + ") of results");
  std::size_t made = 0;
  try {
    for (; made < results.size(); ++made) operands[made] = new webnn_operand(results[made]);
  } catch (...) {
    while (made > 0) delete operands[--made];
    throw;
  }
  if (length) *length = results.size();
}

namespace {

using formats::OperatorRow;
using formats::OperatorRows;
using formats::Value;

MLOperand operand(webnn_operand* x, Where where) { return need(x, where).value; }

/// Operands by position, or one attribute that has them by name.
void set_operands(const OperatorRow& row, void* op, std::span<webnn_operand* const> given,
                  Where where) {
  void* member = row.member(op);
  using Form = OperatorRow::Form;
  if (row.form == Form::operands) {
    set(where, *static_cast<std::vector<MLOperand>*>(member), given.data(), given.size());
    return;
  }
  if (given.size() != 1) where.reject("is one operand");
  if (row.form == Form::operand) *static_cast<MLOperand*>(member) = operand(given[0], where);
  else set(where, *static_cast<std::optional<MLOperand>*>(member), given[0]);
}

Value value_of(const webnn_number& v, Where where) { return formats::to_value(number(v, where)); }
Value value_of(const webnn_string& s, Where where) { return Value::string(text(s, where)); }
Value value_of(std::uint32_t v, Where) { return Value::number(std::uint64_t{v}); }

template <class T> Value list_of(const T* data, std::size_t length, Where where) {
  Value all = Value::list();
  for (const T& item : list(data, length, where)) all.items.push_back(value_of(item, where));
  return all;
}

Value value_of(const webnn_attribute& a, Where where) {
  switch (a.kind) {
    case WEBNN_ATTRIBUTE_NUMBER: return value_of(a.value.number, where);
    case WEBNN_ATTRIBUTE_STRING: return value_of(a.value.string, where);
    case WEBNN_ATTRIBUTE_NUMBERS: return list_of(a.value.numbers, a.length, where);
    case WEBNN_ATTRIBUTE_STRINGS: return list_of(a.value.strings, a.length, where);
    case WEBNN_ATTRIBUTE_DIMS: return list_of(a.value.dims, a.length, where);
    default: where.reject("has a kind (" + std::to_string(a.kind) + ") that does not fit");
  }
}

void set_attribute(const OperatorRow& row, void* op, const webnn_attribute& a, Where where) {
  if (!row.is_attribute()) {
    if (a.kind == WEBNN_ATTRIBUTE_OPERANDS)
      set_operands(row, op, list(a.value.operands, a.length, where), where);
    else if (a.kind == WEBNN_ATTRIBUTE_OPERAND) set_operands(row, op, {&a.value.operand, 1}, where);
    else where.reject("is an operand");
    return;
  }
  Value value = value_of(a, where);
  const bool is_boolean = row.type->to_value(row.get(op)).kind == Value::Kind::boolean;
  if (is_boolean && a.kind == WEBNN_ATTRIBUTE_NUMBER)  // a boolean is a number in C
    value = Value::boolean(number(a.value.number, where).as_double() != 0);
  if (auto bad = row.type->from_value(value, row.member(op))) where.reject_value(bad->message);
}

std::vector<MLOperand> append_by_name(MLGraphBuilder& builder, std::string_view name,
                                      std::span<webnn_operand* const> operands,
                                      std::span<const webnn_attribute> attributes) {
  const OperatorRows* rows = formats::find_operator(name);
  if (!rows) throw NotSupportedError(name, "", "there is no operator of this name");
  const std::shared_ptr<void> op = rows->make();
  std::size_t next = 0;
  std::vector<std::string_view> given;
  for (const OperatorRow& row : rows->rows) {
    if (row.is_attribute() || !row.required || next == operands.size()) continue;
    const bool all = row.form == OperatorRow::Form::operands;
    const std::size_t count = all ? operands.size() - next : 1;
    set_operands(row, op.get(), operands.subspan(next, count), {rows->name, row.name});
    given.push_back(row.name);
    next += count;
  }
  if (next < operands.size())
    Where{rows->name, "operands"}.reject("has more (" + std::to_string(operands.size()) +
                                         ") than the operator takes (" + std::to_string(next) +
                                         ")");
  for (const webnn_attribute& a : attributes) {
    const std::string attribute = text(a.name, {rows->name, "an attribute's name"});
    const Where where{rows->name, attribute};
    if (attribute == "label") {
      if (a.kind != WEBNN_ATTRIBUTE_STRING) where.reject("is a string");
      rows->label(op.get()) = text(a.value.string, where);
      continue;
    }
    const OperatorRow* row = rows->find(attribute);
    if (!row) where.reject("is not an attribute of the operator");
    set_attribute(*row, op.get(), a, where);
    given.push_back(row->name);
  }
  for (const OperatorRow& row : rows->rows)
    if (row.required && std::find(given.begin(), given.end(), row.name) == given.end())
      Where{rows->name, row.name}.reject("is missing");
  return rows->append(builder, op.get());
}

}  // namespace
}  // namespace webnn::inline v0_1::c

using namespace webnn::c;
using webnn::MLOperand;

namespace {

/// A function that makes an operand.
template <class Make>
webnn_status make_operand(std::string_view function, webnn_builder* builder, webnn_operand** out,
                          webnn_error** error, Make make) {
  return guarded(error, [&] {
    need(out, {function, "operand"});
    *out = new webnn_operand(make(need(builder, {function, "builder"}).value));
  });
}

}  // namespace

webnn_status webnn_builder_create(webnn_context* context, webnn_builder** builder,
                                  webnn_error** error) {
  return guarded(error, [&] {
    need(builder, {"MLGraphBuilder", "builder"});
    *builder = new webnn_builder(
        webnn::MLGraphBuilder(need(context, {"MLGraphBuilder", "context"}).value));
  });
}
webnn_builder* webnn_builder_retain(webnn_builder* builder) { return retain(builder); }
void webnn_builder_release(webnn_builder* builder) { release(builder); }

webnn_descriptor webnn_operand_descriptor(const webnn_operand* operand) {
  if (!operand) return {};
  const webnn::OperandRecord& r = operand->value.record();
  if (r.open && !r.open->ranked) return {static_cast<webnn_data_type>(r.descriptor.dataType), {}};
  return to_c(r.descriptor.dataType, r.descriptor.shape);
}
int32_t webnn_operand_is_open(const webnn_operand* operand) {
  return operand && operand->value.is_open();
}
int32_t webnn_operand_dimension(const webnn_operand* operand, size_t i,
                                webnn_dimension* dimension) {
  if (!operand || !dimension) return 0;
  const webnn::OperandRecord& r = operand->value.record();
  if ((r.open && !r.open->ranked) || i >= r.descriptor.shape.size()) return 0;
  *dimension = {{nullptr, 0}, r.descriptor.shape[i], 0, 0};
  if (!r.open || !r.open->dimensions[i].is_open()) return 1;
  const webnn::MLDynamicDimension& d = r.open->dimensions[i].dynamic();
  *dimension = {to_c(d.name), 0, d.minSize, d.maxSize};
  return 1;
}
webnn_operand* webnn_operand_retain(webnn_operand* operand) { return retain(operand); }
void webnn_operand_release(webnn_operand* operand) { release(operand); }

webnn_status webnn_builder_input(webnn_builder* builder, webnn_string name,
                                 const webnn_descriptor* d, webnn_operand** operand,
                                 webnn_error** error) {
  return make_operand("input", builder, operand, error, [&](auto& b) {
    return b.input(text(name, {"input", "name"}), descriptor(d, {"input", "descriptor"}));
  });
}
webnn_status webnn_builder_input_dimensions(webnn_builder* builder, webnn_string name,
                                            webnn_data_type data_type, const webnn_dimension* all,
                                            size_t length, webnn_operand** operand,
                                            webnn_error** error) {
  return make_operand("input", builder, operand, error, [&](auto& b) {
    webnn::MLInputOperandDescriptor d;
    set({"input", "data_type"}, d.dataType, data_type);
    d.shape = dimensions(all, length, {"input", "dimensions"});
    return b.input(text(name, {"input", "name"}), std::move(d));
  });
}
webnn_status webnn_builder_constant(webnn_builder* builder, const webnn_descriptor* d,
                                    const void* data, size_t size, webnn_operand** operand,
                                    webnn_error** error) {
  return make_operand("constant", builder, operand, error, [&](auto& b) {
    return b.constant(descriptor(d, {"constant", "descriptor"}),
                      webnn::InputView(bytes(data, size, {"constant", "data"})));
  });
}
webnn_status webnn_builder_constant_shared(webnn_builder* builder, const webnn_descriptor* d,
                                           const void* data, size_t size, void (*free)(void* user),
                                           void* user, webnn_operand** operand,
                                           webnn_error** error) {
  struct Owner {
    void (*free)(void*) = nullptr;  // set when nothing can fail anymore
    void* user = nullptr;

    ~Owner() {
      if (free) free(user);
    }
  };
  return guarded(error, [&] {
    constexpr std::string_view name = "constant";
    need(operand, {name, "operand"});
    const auto owner = std::make_shared<Owner>();
    const webnn::Constant values(owner, bytes(data, size, {name, "data"}));
    *operand = new webnn_operand(need(builder, {name, "builder"})
                                     .value.constant(descriptor(d, {name, "descriptor"}), values));
    owner->free = free, owner->user = user;
  });
}
webnn_status webnn_builder_constant_scalar(webnn_builder* builder, webnn_data_type data_type,
                                           webnn_number value, webnn_operand** operand,
                                           webnn_error** error) {
  return make_operand("constant", builder, operand, error, [&](auto& b) {
    webnn::MLOperandDataType type{};
    set({"constant", "data_type"}, type, data_type);
    return b.constant(type, number(value, {"constant", "value"}));
  });
}
webnn_status webnn_builder_constant_tensor(webnn_builder* builder, webnn_tensor* tensor,
                                           webnn_operand** operand, webnn_error** error) {
  return make_operand("constant", builder, operand, error, [&](auto& b) {
    return b.constant(need(tensor, {"constant", "tensor"}).value);
  });
}

webnn_status webnn_builder_update(webnn_builder* builder, webnn_operand* state_in,
                                  webnn_operand* state_out, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "update";
    webnn::update(need(builder, {name, "builder"}).value, need(state_in, {name, "state_in"}).value,
                  need(state_out, {name, "state_out"}).value);
  });
}

webnn_status webnn_builder_keep_state(webnn_builder* builder, webnn_operand* state_in,
                                      webnn_operand* state_out, const void* initial,
                                      size_t byte_length, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "keepState";
    std::optional<webnn::Constant> value;
    if (initial)
      value = webnn::Constant::copy_of({static_cast<const std::byte*>(initial), byte_length});
    webnn::keepState(need(builder, {name, "builder"}).value,
                     need(state_in, {name, "state_in"}).value,
                     need(state_out, {name, "state_out"}).value, std::move(value));
  });
}

webnn_status webnn_builder_op(webnn_builder* builder, webnn_string name,
                              webnn_operand* const* operands, size_t operands_length,
                              const webnn_attribute* attributes, size_t attributes_length,
                              webnn_operand** outputs, size_t capacity, size_t* outputs_length,
                              webnn_error** error) {
  return guarded(error, [&] {
    const std::string op = text(name, {"op", "name"});
    const Results results{outputs, capacity, outputs_length};
    results.check(op);
    results.store(op, append_by_name(need(builder, {op, "builder"}).value, op,
                                     list(operands, operands_length, {op, "operands"}),
                                     list(attributes, attributes_length, {op, "attributes"})));
  });
}
