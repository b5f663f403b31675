#include "convert.h"

#include <cmath>
#include <limits>

#include "object.h"

namespace webnn::inline v0_1::node {

std::string Where::text() const {
  std::string s = escaped(name);
  return index < 0 ? s : s + '[' + std::to_string(index) + ']';
}
void Where::reject(std::string_view reason) const {
  throw TypeError(call, "", text() + ' ' + std::string(reason));
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

std::uint32_t to_wrapped(const Napi::Value& value) {
  const double v = to_number(value);
  if (!std::isfinite(v)) return 0;
  const double modulo = std::fmod(std::trunc(v), 4294967296.0);
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(modulo));
}

namespace {

template <class T> T enforce_range(const Napi::Value& value, const Where& where) {
  const double v = std::trunc(to_number(value));
  if (!(v >= std::numeric_limits<T>::min() && v <= std::numeric_limits<T>::max()))
    where.reject(detail::format("({}) is not between {} and {}",
                                {detail::Arg(v), detail::Arg(std::numeric_limits<T>::min()),
                                 detail::Arg(std::numeric_limits<T>::max())}));
  return static_cast<T>(v);
}

}  // namespace

void convert(const Napi::Value& value, bool& out, const Where&) { out = value.ToBoolean(); }
void convert(const Napi::Value& value, std::uint32_t& out, const Where& where) {
  out = enforce_range<std::uint32_t>(value, where);
}
void convert(const Napi::Value& value, std::int32_t& out, const Where& where) {
  out = enforce_range<std::int32_t>(value, where);
}
// The library checks that a number is finite.
void convert(const Napi::Value& value, float& out, const Where&) {
  out = static_cast<float>(to_number(value));
}
void convert(const Napi::Value& value, double& out, const Where&) { out = to_number(value); }
void convert(const Napi::Value& value, std::string& out, const Where&) { out = to_string(value); }

void convert(const Napi::Value& value, MLNumber& out, const Where&) {
  if (!value.IsBigInt()) {
    out = to_number(value);
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

namespace {

/// In the 2023 draft the members are `type` and `dimensions`, and a scalar has no `dimensions`.
/// Returns whether the descriptor is one of that draft.
bool descriptor(const Napi::Object& d, MLOperandDataType& type, Dims& shape, const Where& where) {
  const bool current = member(d, "dataType", type, where.call);
  if (!current && !member(d, "type", type, where.call)) where.reject("has no dataType");
  if (!member(d, "shape", shape, where.call) && !member(d, "dimensions", shape, where.call) &&
      current)
    where.reject("has no shape");
  return !current;
}

}  // namespace

bool convert(const Napi::Value& value, MLOperandDescriptor& out, const Where& where) {
  const auto d = to_dictionary(value, where);
  if (!d) where.reject("has no dataType");
  return descriptor(*d, out.dataType, out.shape, where);
}
void convert(const Napi::Value& value, MLTensorDescriptor& out, const Where& where) {
  const auto d = to_dictionary(value, where);
  if (!d) where.reject("has no dataType");
  descriptor(*d, out.dataType, out.shape, where);
  member(*d, "readable", out.readable, where.call);
  member(*d, "writable", out.writable, where.call);
}

void convert(const Napi::Value& value, MLContextOptions& out, const Where& where) {
  const auto d = to_dictionary(value, where);
  if (!d) return;
  member(*d, "accelerated", out.accelerated, where.call);
  member(*d, "accuracyLevel", out.accuracyLevel, where.call);
  MLDeviceType device{};  // earlier drafts have it
  if (member(*d, "deviceType", device, where.call)) out.deviceType = device;
  member(*d, "keepConstants", out.keepConstants, where.call);
  member(*d, "powerPreference", out.powerPreference, where.call);
  member(*d, "tuning", out.tuning, where.call);
  member(*d, "tuningFile", out.tuningFile, where.call);
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
