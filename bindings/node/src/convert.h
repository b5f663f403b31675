// Converts JavaScript values to the library's types, as Web IDL defines it:
// https://webidl.spec.whatwg.org/#js-types A value that cannot be converted throws TypeError; an
// exception of the script is passed on.
#pragma once

#include <napi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::node {

/// The argument that is converted, for messages: `conv2d: padding[2] (-1) is not ...`.
struct Where {
  std::string_view call;
  std::string_view name;
  std::int64_t index = -1;

  Where at(std::int64_t i) const { return {call, name, i}; }
  std::string text() const;
  /// Throws Unconvertible: "call: name reason."
  [[noreturn]] void reject(std::string_view reason) const;
};

/// The arguments of a call; throws TypeError when there are fewer than the operation requires.
void require_arguments(const Napi::CallbackInfo& info, std::string_view call, std::size_t count);

std::string to_string(const Napi::Value& value);  // USVString
double to_number(const Napi::Value& value);       // unrestricted double
/// unsigned long without [EnforceRange]: modulo 2^32.
std::uint32_t to_wrapped(const Napi::Value& value, const Where&);
/// The name of a file: only a string is one, for null would name a file "null".
std::string to_path(const Napi::Value& value, const Where&);

void convert(const Napi::Value& value, bool& out, const Where&);
void convert(const Napi::Value& value, std::uint32_t& out, const Where&);  // [EnforceRange]
void convert(const Napi::Value& value, std::int32_t& out, const Where&);   // [EnforceRange]
void convert(const Napi::Value& value, std::uint64_t& out, const Where&);  // [EnforceRange]
void convert(const Napi::Value& value, float& out, const Where&);
void convert(const Napi::Value& value, double& out, const Where&);
void convert(const Napi::Value& value, std::string& out, const Where&);
void convert(const Napi::Value& value, MLNumber& out, const Where&);
void convert(const Napi::Value& value, MLOperand& out, const Where&);
void convert(const Napi::Value& value, MLTensor& out, const Where&);
void convert(const Napi::Value& value, MLSplits& out, const Where&);
void convert(const Napi::Value& value, MLDimension& out, const Where&);
void convert(const Napi::Value& value, MLDimensions& out, const Where&);
void convert(const Napi::Value& value, MLOperandDescriptor& out, const Where&);
void convert(const Napi::Value& value, MLInputOperandDescriptor& out, const Where&);
void convert(const Napi::Value& value, MLTensorDescriptor& out, const Where&);
void convert(const Napi::Value& value, MLContextOptions& out, const Where&);
void convert(const Napi::Value& value, std::shared_ptr<const CustomOperator>& out, const Where&);
/// Also accepts the form of the 2023 draft: `type`, and `dimensions` unless it is a scalar. Returns
/// whether the descriptor has it.
bool convert_either(const Napi::Value& value, MLOperandDescriptor& out, const Where&);
bool convert_either(const Napi::Value& value, MLInputOperandDescriptor& out, const Where&);

/// f(item, index) for each item of a sequence.
void for_each_item(const Napi::Value& value, const Where& where,
                   const std::function<void(Napi::Value, std::int64_t)>& f);
/// f(key, value) for each entry of a record, in order.
void for_each_entry(const Napi::Value& value, const Where& where,
                    const std::function<void(std::string, Napi::Value)>& f);
/// A dictionary: the object, or an empty value for undefined and null.
std::optional<Napi::Object> to_dictionary(const Napi::Value& value, const Where& where);

[[noreturn]] void reject_enum(const std::string& text, const Where& where);

template <NamedEnum E> void convert(const Napi::Value& value, E& out, const Where& where) {
  const std::string text = to_string(value);
  const auto e = enum_from<E>(text);
  if (!e) reject_enum(text, where);
  out = *e;
}
template <class T> void convert(const Napi::Value& value, std::vector<T>& out, const Where& where) {
  std::vector<T> list;
  for_each_item(value, where, [&](Napi::Value item, std::int64_t i) {
    convert(item, list.emplace_back(), where.at(i));
  });
  out = std::move(list);
}
template <class T>
void convert(const Napi::Value& value, std::optional<T>& out, const Where& where) {
  T present{};
  convert(value, present, where);
  out = std::move(present);
}
template <class T>
void convert(const Napi::Value& value, OptionalList<T>& out, const Where& where) {
  std::vector<T> present;
  convert(value, present, where);
  out = OptionalList<T>(std::move(present));
}
template <class T>
std::vector<std::pair<std::string, T>> to_record(const Napi::Value& value, const Where& where) {
  std::vector<std::pair<std::string, T>> all;
  for_each_entry(value, where, [&](std::string key, Napi::Value v) {
    const Where entry{where.call, key};
    T converted{};
    convert(v, converted, entry);
    all.emplace_back(std::move(key), std::move(converted));
  });
  return all;
}

/// Converts a member of a dictionary unless it is undefined; returns whether it was converted.
template <class T>
bool member(const Napi::Object& dictionary, std::string_view name, T& out, std::string_view call) {
  const Napi::Value value = dictionary.Get(std::string(name));
  if (value.IsUndefined()) return false;
  convert(value, out, {call, name});
  return true;
}

/// Shapes of inputs by their names.
class GivenShapes {
 public:
  GivenShapes(const Napi::Value& record, const Where& where)
      : given_(to_record<Dims>(record, where)) {}
  /// Valid as long as this.
  std::vector<NamedShape> named() const {
    std::vector<NamedShape> all;
    for (const auto& [name, shape] : given_) all.push_back({name, shape});
    return all;
  }

 private:
  std::vector<std::pair<std::string, Dims>> given_;
};

/// AllowSharedBufferSource: the memory of a buffer or view, until JavaScript runs again.
InputView to_input(const Napi::Value& value, const Where& where);
OutputView to_output(const Napi::Value& value, const Where& where);
/// The memory of a view as bytes, for views with elements of any type: browsers write tensors from
/// any view and read them into any. ONNX Runtime reads floats into Int8Array.
InputView to_input_bytes(const Napi::Value& value, const Where& where);
OutputView to_output_bytes(const Napi::Value& value, const Where& where);

}  // namespace webnn::inline v0_1::node
