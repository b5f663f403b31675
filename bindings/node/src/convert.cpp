#include "convert.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "listeners.h"
#include "object.h"
#include "src/runtime/context_options.h"

namespace webnn::inline v0_1::node {

std::string Where::text() const {
  std::string s = escaped(name);
  return index < 0 ? s : s + '[' + std::to_string(index) + ']';
}
void Where::reject(std::string_view reason) const {
  throw Unconvertible(call, "", text() + ' ' + std::string(reason));
}
void reject_enum(const std::string& text, const Where& where) {
  where.reject("(\"" + escaped(text) + "\") is not one of its values");
}

void require_arguments(const Napi::CallbackInfo& info, std::string_view call, std::size_t count) {
  if (info.Length() >= count) return;
  throw TypeError(call, "",
                  detail::format("{} arguments required, but only {} present",
                                 {detail::Arg(count), detail::Arg(info.Length())}));
}

std::string to_string(const Napi::Value& value) { return value.ToString().Utf8Value(); }
double to_number(const Napi::Value& value) { return value.ToNumber().DoubleValue(); }

namespace {

/// A value as the caller may have written it. Runs no JavaScript.
std::string written(const Napi::Value& value) {
  constexpr std::size_t longest = 60;
  switch (value.Type()) {
    case napi_undefined: return "undefined";
    case napi_null: return "null";
    case napi_boolean: return value.As<Napi::Boolean>() ? "true" : "false";
    case napi_number: {
      const double v = value.As<Napi::Number>();
      return std::isnan(v) ? "NaN" : detail::Arg(v).text;
    }
    case napi_string: {
      std::string text = escaped(value.As<Napi::String>().Utf8Value());
      if (text.size() > longest) text = text.substr(0, longest) + "...";
      return '"' + text + '"';
    }
    default: return value.IsArray() ? "an array" : "an object";
  }
}

/// Notes a number that is not the value that was written.
void note(const Napi::Value& value, double number, const Where& where, bool wrapped = false) {
  if (value.IsNumber() && value.As<Napi::Number>().DoubleValue() == number) return;
  if (Conversions* c = instance(value.Env()).conversions)
    c->add(where.text(), written(value), number, wrapped);
}

template <class T>
T enforce_range(const Napi::Value& value, const Where& where,
                T max = std::numeric_limits<T>::max()) {
  constexpr T min = std::numeric_limits<T>::min();
  const double v = std::trunc(to_number(value));
  if (!(v >= static_cast<double>(min) && v <= static_cast<double>(max)))
    where.reject(detail::format("({}) is not between {} and {}",
                                {detail::Arg(written(value)), detail::Arg(min), detail::Arg(max)}));
  note(value, v + 0.0, where);  // not -0
  return static_cast<T>(v);
}

}  // namespace

std::uint32_t to_wrapped(const Napi::Value& value, const Where& where) {
  const double v = to_number(value);
  std::uint32_t number = 0;
  if (std::isfinite(v)) {
    const double modulo = std::fmod(std::trunc(v), 4294967296.0);
    number = static_cast<std::uint32_t>(static_cast<std::int64_t>(modulo));
  }
  note(value, number, where, number != v);
  return number;
}

std::string to_path(const Napi::Value& value, const Where& where) {
  if (!value.IsString()) where.reject('(' + written(value) + ") is not a string");
  std::string path = to_string(value);
  if (path.empty()) where.reject("is empty");
  if (path.find('\0') != std::string::npos)
    where.reject('(' + written(value) + ") has a zero byte, which no file name has");
  return path;
}

void convert(const Napi::Value& value, bool& out, const Where&) { out = value.ToBoolean(); }
void convert(const Napi::Value& value, std::uint32_t& out, const Where& where) {
  out = enforce_range<std::uint32_t>(value, where);
}
void convert(const Napi::Value& value, std::int32_t& out, const Where& where) {
  out = enforce_range<std::int32_t>(value, where);
}
void convert(const Napi::Value& value, std::uint64_t& out, const Where& where) {
  constexpr std::uint64_t max_safe_integer = (std::uint64_t{1} << 53) - 1;
  out = enforce_range(value, where, max_safe_integer);
}
// The library checks that a number is finite.
void convert(const Napi::Value& value, float& out, const Where& where) {
  const double v = to_number(value);
  if (!value.IsNumber()) note(value, v, where);
  out = static_cast<float>(v);
}
void convert(const Napi::Value& value, double& out, const Where& where) {
  out = to_number(value);
  note(value, out, where);
}
void convert(const Napi::Value& value, std::string& out, const Where&) { out = to_string(value); }

void convert(const Napi::Value& value, MLNumber& out, const Where& where) {
  if (!value.IsBigInt()) {
    const double v = to_number(value);
    note(value, v, where);
    out = v;
    return;
  }
  const Napi::BigInt big = value.As<Napi::BigInt>();
  bool exact = false;
  if (const std::int64_t i = big.Int64Value(&exact); exact) out = i;
  else if (const std::uint64_t u = big.Uint64Value(&exact); exact) out = u;
  else
    out = value.Env()
              .Global()
              .Get("Number")
              .As<Napi::Function>()
              .Call({value})
              .As<Napi::Number>()
              .DoubleValue();  // beyond 64 bits, where conversions saturate
}

void convert(const Napi::Value& value, MLOperand& out, const Where& where) {
  const auto* n = native<MLOperand>(value);
  if (!n) where.reject("is not an MLOperand");
  out = n->value;
}
void convert(const Napi::Value& value, MLTensor& out, const Where& where) {
  const auto* n = native<MLTensor>(value);
  if (!n) where.reject("is not an MLTensor");
  out = n->value;
}
void convert(const Napi::Value& value, MLSplits& out, const Where& where) {
  if (value.IsObject()) {
    Dims list;
    convert(value, list, where);
    out = std::move(list);
  } else {
    std::uint32_t count = 0;
    convert(value, count, where);
    out = count;
  }
}

std::optional<Napi::Object> to_dictionary(const Napi::Value& value, const Where& where) {
  if (value.IsUndefined() || value.IsNull()) return std::nullopt;
  if (!value.IsObject()) where.reject("is not a dictionary");
  return value.As<Napi::Object>();
}

// A name is a string, and no other value that could be converted to one: null or true would name a
// dimension "null" or "true".
void convert(const Napi::Value& value, MLDimension& out, const Where& where) {
  if (value.IsNumber()) {
    std::uint32_t size = 0;
    convert(value, size, where);
    out = size;
  } else if (value.IsString()) {
    out = to_string(value);
  } else if (value.IsObject()) {
    const Napi::Object d = value.As<Napi::Object>();
    MLDynamicDimension dimension;
    member(d, "maxSize", dimension.maxSize, where.call);
    member(d, "minSize", dimension.minSize, where.call);
    const Napi::Value name = d.Get("name");
    if (!name.IsString()) where.reject("is an object that has no name");
    dimension.name = to_string(name);
    out = std::move(dimension);
  } else {
    where.reject('(' + written(value) + ") is neither a size nor a name");
  }
}
void convert(const Napi::Value& value, MLDimensions& out, const Where& where) {
  MLDimensions all;
  for_each_item(value, where, [&](Napi::Value item, std::int64_t i) {
    convert(item, all.emplace_back(), where.at(i));
  });
  out = std::move(all);
}

namespace {

bool has(const Napi::Object& dictionary, const char* name) {
  return !dictionary.Get(name).IsUndefined();
}

/// dataType and shape.
template <class Shape>
void read_members(const Napi::Object& d, MLOperandDataType& type, Shape& shape,
                  const Where& where) {
  if (!member(d, "dataType", type, where.call)) where.reject("has no dataType");
  if (member(d, "shape", shape, where.call)) return;
  where.reject(has(d, "dimensions") ? "has dimensions, as in the 2023 draft, but no shape"
                                    : "has no shape");
}

}  // namespace

void convert(const Napi::Value& value, MLOperandDescriptor& out, const Where& where) {
  const auto d = to_dictionary(value, where);
  if (!d) where.reject("has no dataType");
  read_members(*d, out.dataType, out.shape, where);
}
void convert(const Napi::Value& value, MLInputOperandDescriptor& out, const Where& where) {
  const auto d = to_dictionary(value, where);
  if (!d) where.reject("has no dataType");
  read_members(*d, out.dataType, out.shape, where);
}

namespace {

template <class Descriptor>
bool convert_either_form(const Napi::Value& value, Descriptor& out, const Where& where) {
  const auto d = to_dictionary(value, where);
  if (!d || has(*d, "dataType") || !has(*d, "type")) {
    convert(value, out, where);
    return false;
  }
  Dims shape;  // sizes alone
  member(*d, "type", out.dataType, where.call);
  member(*d, "dimensions", shape, where.call);
  if (has(*d, "shape")) where.reject("has shape, but type, as in the 2023 draft, and no dataType");
  out.shape = shape;
  return true;
}

}  // namespace

bool convert_either(const Napi::Value& value, MLOperandDescriptor& out, const Where& where) {
  return convert_either_form(value, out, where);
}
bool convert_either(const Napi::Value& value, MLInputOperandDescriptor& out, const Where& where) {
  return convert_either_form(value, out, where);
}
void convert(const Napi::Value& value, MLTensorDescriptor& out, const Where& where) {
  const auto d = to_dictionary(value, where);
  if (!d) where.reject("has no dataType");
  read_members(*d, out.dataType, out.shape, where);
  member(*d, "readable", out.readable, where.call);
  member(*d, "writable", out.writable, where.call);
}

namespace {

/// Reads the value of one member.
struct ContextSlot {
  std::string_view name;
  void (*read)(const Napi::Value&, MLContextOptions&, const Where&);
};

void convert(const Napi::Value& value, std::vector<BackendChoice>& out, const Where& where) {
  std::vector<std::string> names;
  convert(value, names, where);
  out.assign(names.begin(), names.end());
}

template <class Row>
void read_option(const Napi::Value& value, MLContextOptions& options, const Where& where) {
  using Type = typename Row::Type;
  if constexpr (std::same_as<Type, std::vector<std::shared_ptr<const CustomOperator>>> ||
                std::same_as<Type, std::function<void(LogLevel, std::string_view)>> ||
                std::same_as<Type, std::function<void(const TraceEvent&)>>)
    convert(value, Row::get(options), where);
  else if constexpr (Row::of == OptionOf::native)
    where.reject("is an option of the interface in C++, which this one does not have");
  else if constexpr (std::same_as<typename Row::Type, Path>) {
    const bool is_empty = value.IsString() && to_string(value).empty();  // none is given
    Row::get(options) = is_empty ? "" : to_path(value, where);
  } else convert(value, Row::get(options), where);
}

/// In the order of their names, in which members of a dictionary are read.
std::vector<ContextSlot> context_slots() {
  std::vector<ContextSlot> all;
  for_each_context_option([&]<class Row>(const Row& row) {
    all.push_back({row.name, &read_option<Row>});
  });
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

}  // namespace

void convert(const Napi::Value& value, MLContextOptions& out, const Where& where) {
  static const std::vector<ContextSlot> slots = context_slots();
  const auto d = to_dictionary(value, where);
  if (!d) return;
  for (const ContextSlot& slot : slots)
    if (const Napi::Value v = d->Get(std::string(slot.name)); !v.IsUndefined())
      slot.read(v, out, {where.call, slot.name});
}

void for_each_item(const Napi::Value& value, const Where& where,
                   const std::function<void(Napi::Value, std::int64_t)>& f) {
  const Napi::Env env = value.Env();
  if (!value.IsObject()) where.reject("is not a sequence");
  const Napi::Object object = value.As<Napi::Object>();
  if (value.IsArray()) {
    const Napi::Array array = value.As<Napi::Array>();
    for (std::uint32_t i = 0; i < array.Length(); ++i) {
      const Napi::HandleScope scope(env);
      f(array.Get(i), i);
    }
    return;
  }
  const Napi::Value method = object.Get(Napi::Symbol::WellKnown(env, "iterator"));
  if (!method.IsFunction()) where.reject("is not a sequence");
  const Napi::Value made = method.As<Napi::Function>().Call(object, {});
  if (!made.IsObject()) where.reject("has no iterator");
  const Napi::Object iterator = made.As<Napi::Object>();
  const Napi::Value next = iterator.Get("next");
  if (!next.IsFunction()) where.reject("has no iterator");
  for (std::int64_t i = 0;; ++i) {
    const Napi::HandleScope scope(env);
    const Napi::Value step = next.As<Napi::Function>().Call(iterator, {});
    if (!step.IsObject()) where.reject("has no iterator");
    if (step.As<Napi::Object>().Get("done").ToBoolean()) return;
    f(step.As<Napi::Object>().Get("value"), i);
  }
}

void for_each_entry(const Napi::Value& value, const Where& where,
                    const std::function<void(std::string, Napi::Value)>& f) {
  if (!value.IsObject()) where.reject("is not a record");
  const Napi::Object object = value.As<Napi::Object>();
  napi_value raw = nullptr;
  const napi_status status =
      napi_get_all_property_names(value.Env(), value, napi_key_own_only, napi_key_enumerable,
                                  napi_key_numbers_to_strings, &raw);
  NAPI_THROW_IF_FAILED_VOID(value.Env(), status);
  const Napi::Array keys(value.Env(), raw);
  for (std::uint32_t i = 0; i < keys.Length(); ++i) {
    const Napi::Value key = keys.Get(i);
    f(to_string(key), object.Get(key));  // a symbol is not a string: TypeError
  }
}

}  // namespace webnn::inline v0_1::node
