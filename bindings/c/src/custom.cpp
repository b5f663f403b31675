// Operators of the caller's own.
#include <algorithm>
#include <deque>
#include <stdexcept>

#include "bindings/c/src/append.h"
#include "bindings/c/src/caller_kernel.h"

/// Made for one call of a callback.
struct webnn_custom_call {
  explicit webnn_custom_call(const webnn::CustomCall& c) : call(c) {}

  const webnn::CustomCall& call;
  std::vector<webnn::MLOperandDescriptor> added{};  // by infer
  std::string defect{};                             // of one that was not added

  // Of attributes that were asked for.
  mutable std::deque<std::vector<webnn_number>> numbers{};
  mutable std::deque<std::vector<webnn_string>> strings{};

  const std::vector<webnn::MLOperandDescriptor>& outputs() const {
    return call.outputs.empty() ? added : call.outputs;
  }
};

namespace webnn::inline v0_1::c {
namespace {

constexpr webnn_custom_operator_callbacks default_callbacks = WEBNN_CUSTOM_OPERATOR_CALLBACKS_INIT;
constexpr std::string_view function = "custom_operator";

// Attributes of the caller.

bool is_integer(const webnn_number& v) {
  return v.kind == WEBNN_NUMBER_INT64 || v.kind == WEBNN_NUMBER_UINT64;
}
std::int64_t integer(const webnn_number& v, Where where) {
  if (v.kind == WEBNN_NUMBER_UINT64 && !std::in_range<std::int64_t>(v.value.uint64))
    where.reject("(" + std::to_string(v.value.uint64) + ") is beyond 63 bits");
  return static_cast<std::int64_t>(number(v, where).as_uint64());
}
CustomValue value_of(const webnn_number& v, Where where) {
  if (v.kind == WEBNN_NUMBER_ABSENT) return {};
  if (is_integer(v)) return CustomValue(integer(v, where));
  return CustomValue(number(v, where).as_double());
}
CustomValue value_of(std::span<const webnn_number> all, Where where) {
  if (std::ranges::all_of(all, is_integer)) {
    std::vector<std::int64_t> integers;
    for (const webnn_number& v : all) integers.push_back(integer(v, where));
    return CustomValue(std::move(integers));
  }
  std::vector<double> numbers;
  for (const webnn_number& v : all) numbers.push_back(number(v, where).as_double());
  return CustomValue(std::move(numbers));
}
CustomValue value_of(const webnn_attribute& a, Where where) {
  const auto bytes_of = [](webnn_string s) { return std::string(view(s)); };
  switch (a.kind) {
    case WEBNN_ATTRIBUTE_NUMBER: return value_of(a.value.number, where);
    case WEBNN_ATTRIBUTE_STRING: return CustomValue(bytes_of(a.value.string));
    case WEBNN_ATTRIBUTE_NUMBERS: return value_of(list(a.value.numbers, a.length, where), where);
    case WEBNN_ATTRIBUTE_STRINGS: {
      std::vector<std::string> all;
      for (const webnn_string& s : list(a.value.strings, a.length, where))
        all.push_back(bytes_of(s));
      return CustomValue(std::move(all));
    }
    case WEBNN_ATTRIBUTE_DIMS: {
      const auto all = list(a.value.dims, a.length, where);
      return CustomValue(std::vector<std::int64_t>(all.begin(), all.end()));
    }
    default: where.reject("has a kind (" + std::to_string(a.kind) + ") that does not fit");
  }
}
CustomAttributes attributes_of(const webnn_attribute* given, std::size_t length,
                               std::string_view op) {
  CustomAttributes all;
  for (const webnn_attribute& a : list(given, length, {op, "attributes"})) {
    std::string name = text(a.name, {op, "an attribute's name"});
    CustomValue value = value_of(a, {op, name});
    all.push_back({std::move(name), std::move(value)});
  }
  return all;
}

/// Stores an attribute for a callback.
struct ToAttribute {
  const webnn_custom_call& call;
  webnn_attribute& to;

  static webnn_number number_of(std::int64_t v) {
    webnn_number n{WEBNN_NUMBER_INT64, {}};
    n.value.int64 = v;
    return n;
  }
  static webnn_number number_of(double v) { return {WEBNN_NUMBER_FLOAT64, {v}}; }

  void operator()(std::monostate) const {
    to.kind = WEBNN_ATTRIBUTE_NUMBER;
    to.value.number = {WEBNN_NUMBER_ABSENT, {}};
  }
  void operator()(bool v) const { (*this)(std::int64_t{v}); }
  void operator()(std::int64_t v) const {
    to.kind = WEBNN_ATTRIBUTE_NUMBER;
    to.value.number = number_of(v);
  }
  void operator()(double v) const {
    to.kind = WEBNN_ATTRIBUTE_NUMBER;
    to.value.number = number_of(v);
  }
  void operator()(const std::string& v) const {
    to.kind = WEBNN_ATTRIBUTE_STRING;
    to.value.string = to_c(v);
  }
  template <class T> void operator()(const std::vector<T>& v) const {
    std::vector<webnn_number>& all = call.numbers.emplace_back();
    for (const T& item : v) all.push_back(number_of(item));
    to.kind = WEBNN_ATTRIBUTE_NUMBERS;
    to.length = all.size();
    to.value.numbers = all.data();
  }
  void operator()(const std::vector<std::string>& v) const {
    std::vector<webnn_string>& all = call.strings.emplace_back();
    for (const std::string& item : v) all.push_back(to_c(item));
    to.kind = WEBNN_ATTRIBUTE_STRINGS;
    to.length = all.size();
    to.value.strings = all.data();
  }
};

/// The callbacks of an operator, as its functions call them.
struct Caller {
  webnn_custom_operator_callbacks callbacks;
  std::shared_ptr<Owner> owner = std::make_shared<Owner>();

  [[noreturn]] static void refuse(webnn_string refusal, std::string_view otherwise) {
    const std::string_view reason = view(refusal);
    throw std::runtime_error(std::string(reason.empty() ? otherwise : reason));
  }

  std::vector<MLOperandDescriptor> infer(const CustomCall& c) const {
    webnn_custom_call call(c);
    webnn_string refusal{};
    const bool done = callbacks.infer(callbacks.user, &call, &refusal);
    if (!call.defect.empty()) throw std::runtime_error(call.defect);
    if (!done) refuse(refusal, "its infer() failed");
    return std::move(call.added);
  }
  void compute(const CustomRun& run) const {
    const webnn_custom_call call(run.call);
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
    for (std::size_t i = 0; i < run.call.inputs.size(); ++i)
      inputs.push_back(run.in<std::byte>(i).data());
    for (std::size_t i = 0; i < run.call.outputs.size(); ++i)
      outputs.push_back(run.out<std::byte>(i).data());
    webnn_string refusal{};
    if (!callbacks.compute(callbacks.user, &call, inputs.data(), outputs.data(), &refusal))
      refuse(refusal, "its compute() returned 0");
  }
  Lowering lower(const CustomCall& c) const {
    const webnn_custom_call call(c);
    webnn_kernel kernel = default_kernel;
    webnn_string refusal{};
    if (callbacks.lower(callbacks.user, &call, &kernel, &refusal)) return to_kernel(kernel, owner);
    return Refusal{std::string(view(refusal))};
  }
};

std::shared_ptr<const CustomOperator> operator_of(const Caller& caller) {
  const webnn_custom_operator_callbacks& c = caller.callbacks;
  CustomOperator o{.name = text(c.name, {function, "name"}),
                   .version = c.version,
                   .attributes = attributes_of(c.attributes, c.attributes_length, function),
                   .pure = !c.impure,
                   .exclusive = c.exclusive != 0};
  if (c.infer) o.infer = [caller](const CustomCall& call) { return caller.infer(call); };
  if (c.compute) o.compute = [caller](const CustomRun& run) { caller.compute(run); };
  if (c.lower) o.lower = [caller](const CustomCall& call) { return caller.lower(call); };
  return custom_operator(std::move(o));
}

}  // namespace
}  // namespace webnn::inline v0_1::c

using namespace webnn::c;

webnn_string webnn_custom_call_label(const webnn_custom_call* call) {
  return to_c(call->call.label);
}
size_t webnn_custom_call_input_count(const webnn_custom_call* call) {
  return call->call.inputs.size();
}
int32_t webnn_custom_call_input(const webnn_custom_call* call, size_t i, webnn_value* value) {
  if (!value || i >= call->call.inputs.size()) return 0;
  const auto& [type, shape] = call->call.inputs[i];
  const auto constant = call->call.constant(i);
  *value = {to_c(type, shape), constant.empty() ? nullptr : constant.data(), constant.size()};
  return 1;
}
size_t webnn_custom_call_output_count(const webnn_custom_call* call) {
  return call->outputs().size();
}
int32_t webnn_custom_call_output(const webnn_custom_call* call, size_t i,
                                 webnn_descriptor* descriptor) {
  if (!descriptor || i >= call->outputs().size()) return 0;
  const auto& [type, shape] = call->outputs()[i];
  *descriptor = to_c(type, shape);
  return 1;
}
int32_t webnn_custom_call_attribute(const webnn_custom_call* call, webnn_string name,
                                    webnn_attribute* attribute) {
  try {
    const auto& all = call->call.attributes;
    const auto a = std::ranges::find(all, view(name), &webnn::CustomAttribute::name);
    if (a == all.end() || !attribute) return 0;
    *attribute = {};
    attribute->name = to_c(a->name);
    std::visit(ToAttribute{*call, *attribute},
               static_cast<const webnn::CustomValue::variant&>(a->value));
    return 1;
  } catch (...) {  // there is not enough memory
    return 0;
  }
}
double webnn_custom_call_number(const webnn_custom_call* call, webnn_string name, double absent) {
  webnn_attribute a{};
  if (!webnn_custom_call_attribute(call, name, &a) || a.kind != WEBNN_ATTRIBUTE_NUMBER)
    return absent;
  switch (a.value.number.kind) {
    case WEBNN_NUMBER_INT64: return static_cast<double>(a.value.number.value.int64);
    case WEBNN_NUMBER_FLOAT64: return a.value.number.value.float64;
    default: return absent;
  }
}
int32_t webnn_custom_call_add_output(webnn_custom_call* call, const webnn_descriptor* d) {
  webnn_error* error = nullptr;
  const webnn_status status = guarded(&error, [&] {
    call->added.push_back(descriptor(d, {"infer", "descriptor"}));
  });
  if (status == WEBNN_OK) return 1;
  try {
    call->defect = error->reason.empty() ? "its infer() added a wrong result" : error->reason;
  } catch (...) {  // there is not enough memory
  }
  release(error);
  return 0;
}

webnn_status webnn_custom_operator_create(const webnn_custom_operator_callbacks* callbacks,
                                          webnn_custom_operator** custom_operator,
                                          webnn_error** error) {
  return guarded(error, [&] {
    need(custom_operator, {function, "custom_operator"});
    need(callbacks, {function, "callbacks"});
    const Caller caller{complete(callbacks, default_callbacks, function)};
    *custom_operator = new webnn_custom_operator(operator_of(caller));
    caller.owner->release = caller.callbacks.release;
    caller.owner->user = caller.callbacks.user;
  });
}
webnn_custom_operator* webnn_custom_operator_retain(webnn_custom_operator* custom_operator) {
  return retain(custom_operator);
}
void webnn_custom_operator_release(webnn_custom_operator* custom_operator) {
  release(custom_operator);
}

namespace {

/// Appends an operator, by its definition or its name.
template <class Definition>
void append_custom(webnn_builder* builder, const Definition& definition, std::string_view op,
                   std::span<webnn_operand* const> operands, webnn::CustomOptions options,
                   const Results& results) {
  std::vector<webnn::MLOperand> inputs;
  for (webnn_operand* x : operands) inputs.push_back(need(x, {op, "operands"}).value);
  results.check(op);
  results.store(op, need(builder, {op, "builder"})
                        .value.custom(definition, std::move(inputs), std::move(options)));
}

}  // namespace

webnn_status webnn_builder_custom(webnn_builder* builder, webnn_custom_operator* custom_operator,
                                  webnn_operand* const* operands, size_t operands_length,
                                  const webnn_attribute* attributes, size_t attributes_length,
                                  webnn_string label, webnn_operand** outputs, size_t capacity,
                                  size_t* outputs_length, webnn_error** error) {
  return guarded(error, [&] {
    const auto& o = need(custom_operator, {"custom", "custom_operator"}).value;
    append_custom(
        builder, o, o->name, list(operands, operands_length, {o->name, "operands"}),
        {attributes_of(attributes, attributes_length, o->name), text(label, {o->name, "label"})},
        {outputs, capacity, outputs_length});
  });
}
webnn_status webnn_builder_custom_named(webnn_builder* builder, webnn_string name,
                                        webnn_operand* const* operands, size_t operands_length,
                                        const webnn_attribute* attributes, size_t attributes_length,
                                        webnn_string label, webnn_operand** outputs,
                                        size_t capacity, size_t* outputs_length,
                                        webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view op = "custom";
    append_custom(builder, text(name, {op, "name"}), op,
                  list(operands, operands_length, {op, "operands"}),
                  {attributes_of(attributes, attributes_length, op), text(label, {op, "label"})},
                  {outputs, capacity, outputs_length});
  });
}
