#include "src/formats/tflite/options.h"

#include <flatbuffers/flexbuffers.h>

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::tflite {
namespace {

using flexbuffers::Reference;

/// The items of a list of any of its kinds.
template <class F> void for_each(const Reference& list, F f) {
  const auto all = [&](const auto& vector) {
    for (std::size_t i = 0; i < vector.size(); ++i) f(vector[i]);
  };
  if (list.IsTypedVector()) all(list.AsTypedVector());
  else if (list.IsFixedTypedVector()) all(list.AsFixedTypedVector());
  else all(list.AsVector());
}

std::string text_of(const Reference& r) {
  if (r.IsBlob()) {
    const auto blob = r.AsBlob();
    return {reinterpret_cast<const char*>(blob.data()), blob.size()};
  }
  const auto s = r.AsString();
  return {s.c_str(), s.size()};
}
bool is_text(const Reference& r) { return r.IsString() || r.IsBlob(); }

std::optional<CustomValue> list_of(const Reference& r) {
  std::vector<std::int64_t> integers;
  std::vector<double> numbers;
  std::vector<std::string> texts;
  std::size_t count = 0, of_integers = 0, of_numbers = 0;
  for_each(r, [&](const Reference& item) {
    ++count;
    of_integers += item.IsIntOrUint() || item.IsBool();
    of_numbers += item.IsNumeric();
    integers.push_back(item.AsInt64());
    numbers.push_back(item.AsDouble());
    if (is_text(item)) texts.push_back(text_of(item));
  });
  if (of_integers == count) return CustomValue(std::move(integers));
  if (of_numbers == count) return CustomValue(std::move(numbers));
  if (texts.size() == count) return CustomValue(std::move(texts));
  return std::nullopt;
}

std::optional<CustomValue> value_of(const Reference& r) {
  if (r.IsNull()) return CustomValue();
  if (r.IsBool()) return CustomValue(r.AsBool());
  if (r.IsIntOrUint()) return CustomValue(r.AsInt64());
  if (r.IsFloat()) return CustomValue(r.AsDouble());
  if (is_text(r)) return CustomValue(text_of(r));
  if (r.IsAnyVector()) return list_of(r);
  return std::nullopt;
}

/// Adds a value behind its key.
struct Put {
  flexbuffers::Builder& to;
  const char* key;

  void operator()(std::monostate) const { to.Null(key); }
  void operator()(bool v) const { to.Bool(key, v); }
  void operator()(std::int64_t v) const { to.Int(key, v); }
  void operator()(double v) const { to.Double(key, v); }
  void operator()(const std::string& v) const { to.Key(key), to.String(v); }
  void operator()(const std::vector<std::string>& list) const {
    to.Vector(key, [&] {
      for (const std::string& v : list) to.String(v);
    });
  }
  template <class T> void operator()(const std::vector<T>& list) const {
    to.Vector(key, [&] {
      for (const T v : list) to.Add(v);
    });
  }
};

}  // namespace

Result<CustomAttributes> attributes_from(std::span<const std::byte> bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  constexpr std::size_t least = 3;  // of FlexBuffers
  if (bytes.size() < least || !flexbuffers::VerifyBuffer(data, bytes.size()))
    return fail("its options are not a map in FlexBuffers; an attribute {} takes any bytes",
                options_attribute);
  const Reference root = flexbuffers::GetRoot(data, bytes.size());
  if (!root.IsMap())
    return fail("its options are not a map in FlexBuffers; an attribute {} takes any bytes",
                options_attribute);
  const flexbuffers::Map map = root.AsMap();
  const auto keys = map.Keys();
  const auto values = map.Values();
  CustomAttributes all;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string name = keys[i].AsKey();
    auto value = value_of(values[i]);
    if (!value)
      return fail("its option {} is of a type that attributes do not have", in_quotes(name));
    all.push_back({name, std::move(*value)});
  }
  return all;
}

std::vector<std::uint8_t> bytes_from(const CustomAttributes& attributes) {
  if (attributes.empty()) return {};
  if (const CustomValue* raw = attributes.find(options_attribute); raw && attributes.size() == 1)
    if (const auto* text = std::get_if<std::string>(raw)) return {text->begin(), text->end()};
  flexbuffers::Builder to;
  to.Map([&] {
    for (const auto& [name, value] : attributes)
      std::visit(Put{to, name.c_str()}, static_cast<const CustomValue::variant&>(value));
  });
  to.Finish();
  return to.GetBuffer();
}

}  // namespace webnn::inline v0_1::tflite
