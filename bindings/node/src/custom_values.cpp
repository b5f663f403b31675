#include "custom_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace webnn::inline v0_1::node {
namespace {

constexpr double largest_safe = 9007199254740991;

bool is_integer(const Napi::Value& v) {
  if (v.IsBigInt()) return true;
  if (!v.IsNumber()) return false;
  const double d = v.As<Napi::Number>().DoubleValue();
  return std::trunc(d) == d && std::abs(d) <= largest_safe && !(d == 0 && std::signbit(d));
}
std::int64_t integer_of(const Napi::Value& v, const Where& where) {
  if (!v.IsBigInt()) return static_cast<std::int64_t>(v.As<Napi::Number>().DoubleValue());
  bool lossless = false;
  const std::int64_t n = v.As<Napi::BigInt>().Int64Value(&lossless);
  if (!lossless) where.reject("is a BigInt beyond 64 bits");
  return n;
}
double number_of(const Napi::Value& v, const Where& where) {
  if (is_integer(v)) return static_cast<double>(integer_of(v, where));
  if (!v.IsNumber()) where.reject("is not a number");
  return v.As<Napi::Number>().DoubleValue();
}

std::vector<Napi::Value> items_of(const Napi::Value& v) {
  std::vector<Napi::Value> all;
  const Napi::Array list = v.As<Napi::Array>();
  for (std::uint32_t i = 0; i < list.Length(); ++i) all.push_back(list.Get(i));
  return all;
}
template <class F> bool all_of(const std::vector<Napi::Value>& items, F f) {
  return std::all_of(items.begin(), items.end(), f);
}
template <class T, class F>
CustomValue list_of(const std::vector<Napi::Value>& items, F convert_item) {
  std::vector<T> all;
  for (const Napi::Value& item : items) all.push_back(convert_item(item));
  return CustomValue(std::move(all));
}

/// `{float: 1}` and `{float: [1, 2]}`: numbers that are not integers, whatever their values are.
CustomValue floats_of(const Napi::Value& v, const Where& where) {
  if (!v.IsArray()) return CustomValue(number_of(v, where));
  return list_of<double>(items_of(v),
                         [&](const Napi::Value& item) { return number_of(item, where); });
}

CustomValue value_of(const Napi::Value& v, const Where& where) {
  if (v.IsUndefined() || v.IsNull()) return {};
  if (v.IsBoolean()) return CustomValue(v.As<Napi::Boolean>().Value());
  if (v.IsString()) return CustomValue(to_string(v));
  if (is_integer(v)) return CustomValue(integer_of(v, where));
  if (v.IsNumber()) return CustomValue(v.As<Napi::Number>().DoubleValue());
  if (v.IsArray()) {
    const std::vector<Napi::Value> items = items_of(v);
    if (all_of(items, &is_integer))
      return list_of<std::int64_t>(
          items, [&](const Napi::Value& item) { return integer_of(item, where); });
    if (all_of(items, [](const Napi::Value& item) { return item.IsString(); }))
      return list_of<std::string>(items, [](const Napi::Value& item) { return to_string(item); });
    return floats_of(v, where);
  }
  if (v.IsObject()) {
    const Napi::Value given = v.As<Napi::Object>().Get("float");
    if (!given.IsUndefined()) return floats_of(given, where);
  }
  where.reject("is not a boolean, a number, a BigInt, a string, a list of them or {float: ...}");
}

struct ToScript {
  Napi::Env env;

  Napi::Value operator()(std::monostate) const { return env.Undefined(); }
  Napi::Value operator()(bool v) const { return Napi::Boolean::New(env, v); }
  Napi::Value operator()(std::int64_t v) const {
    const auto d = static_cast<double>(v);
    if (std::abs(d) <= largest_safe) return Napi::Number::New(env, d);
    return Napi::BigInt::New(env, v);
  }
  Napi::Value operator()(double v) const { return Napi::Number::New(env, v); }
  Napi::Value operator()(const std::string& v) const { return Napi::String::New(env, v); }
  template <class T> Napi::Value operator()(const std::vector<T>& list) const {
    Napi::Array all = Napi::Array::New(env, list.size());
    for (std::uint32_t i = 0; i < list.size(); ++i) all.Set(i, (*this)(list[i]));
    return all;
  }
};

/// A view of the bytes of a buffer with the elements of a data type.
Napi::Value view_of(Napi::ArrayBuffer buffer, MLOperandDataType type) {
  const Napi::Env env = buffer.Env();
  const auto with = [&](const char* constructor) -> Napi::Value {
    const Napi::Value f = env.Global().Get(constructor);
    if (!f.IsFunction()) return env.Undefined();
    return f.As<Napi::Function>().New({buffer});
  };
  switch (type) {
    case float32: return with("Float32Array");
    case float16: {
      const Napi::Value view = with("Float16Array");
      return view.IsUndefined() ? with("Uint16Array") : view;
    }
    case bfloat16: return with("Uint16Array");
    case int32: return with("Int32Array");
    case uint32: return with("Uint32Array");
    case int64: return with("BigInt64Array");
    case uint64: return with("BigUint64Array");
    case int8: return with("Int8Array");
    default: return with("Uint8Array");
  }
}

}  // namespace

CustomAttributes attributes_from(const Napi::Value& value, const Where& where) {
  CustomAttributes all;
  for_each_entry(value, where, [&](std::string name, const Napi::Value& v) {
    CustomValue converted = value_of(v, {where.call, name});
    all.push_back({std::move(name), std::move(converted)});
  });
  return all;
}

Napi::Object to_script(Napi::Env env, const CustomAttributes& attributes) {
  Napi::Object all = Napi::Object::New(env);
  for (const auto& [name, value] : attributes)
    all.Set(name, std::visit(ToScript{env}, static_cast<const CustomValue::variant&>(value)));
  return all;
}

Napi::Object to_script(Napi::Env env, const MLOperandDescriptor& d) {
  Napi::Object all = Napi::Object::New(env);
  Napi::Array shape = Napi::Array::New(env, d.shape.size());
  for (std::uint32_t i = 0; i < d.shape.size(); ++i)
    shape.Set(i, Napi::Number::New(env, d.shape[i]));
  all.Set("dataType", std::string(name_of(d.dataType)));
  all.Set("shape", shape);
  return all;
}

Napi::ArrayBuffer set_data(Napi::Object& to, const MLOperandDescriptor& d,
                           std::span<const std::byte> bytes) {
  auto buffer = Napi::ArrayBuffer::New(to.Env(), byte_length(d));
  if (!bytes.empty()) std::memcpy(buffer.Data(), bytes.data(), bytes.size());
  to.Set("data", view_of(buffer, d.dataType));
  return buffer;
}

}  // namespace webnn::inline v0_1::node
