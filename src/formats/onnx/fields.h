// The fields of a protobuf message. Private.
#pragma once

#include <algorithm>
#include <array>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "src/formats/onnx/model.h"

namespace webnn::inline v0_1::onnx {

using protozero::pbf_reader;
using Wire = protozero::pbf_wire_type;

struct FieldName {
  protozero::pbf_tag_type number;
  std::string_view name;
  bool repeated = true;
};
inline std::string_view text(protozero::data_view v) { return {v.data(), v.size()}; }
inline Bytes bytes(protozero::data_view v) { return std::as_bytes(std::span(v.data(), v.size())); }
inline pbf_reader reader(Bytes b) {
  return pbf_reader(reinterpret_cast<const char*>(b.data()), b.size());
}

/// f(number, reader) for each field. It returns whether it has read the field, which it does only
/// with the wire type that the field has.
/// `names` are those of fields, for messages about what is in them.
template <class F> void for_each_field(Bytes message, std::span<const FieldName> names, F&& f) {
  pbf_reader r = reader(message);
  std::size_t begin = 0;
  protozero::pbf_tag_type tag = 0;
  std::array<std::uint32_t, 32> seen{};  // fields of each number, the last of them included
  const auto path = [&] {
    const auto named = std::ranges::find(names, tag, &FieldName::number);
    if (tag == 0) return std::string();
    if (named == names.end()) return "field " + std::to_string(tag);
    return std::string(named->name) +
           (named->repeated ? '[' + std::to_string(seen[tag % 32] - 1) + ']' : "");
  };
  try {
    for (;;) {
      begin = message.size() - r.length();
      tag = 0;
      if (!r.next()) return;
      tag = r.tag();
      ++seen[tag % 32];
      if (!f(tag, r)) r.skip();
    }
  } catch (const protozero::exception& e) {
    Broken broken(std::string("the protobuf message is broken: ") + e.what());
    broken.at = message.data() + begin;
    broken.path = path();
    throw broken;
  } catch (Broken& e) {
    if (!e.at) e.at = message.data() + begin;
    const std::string outer = path();
    e.path = outer + (outer.empty() || e.path.empty() ? "" : ".") + e.path;
    throw;
  }
}
template <class F> void for_each_field(Bytes message, F&& f) {
  for_each_field(message, {}, std::forward<F>(f));
}

inline bool read(pbf_reader& r, std::string_view& to) {
  if (r.wire_type() != Wire::length_delimited) return false;
  to = text(r.get_view());
  return true;
}
inline bool read(pbf_reader& r, Bytes& to) {
  if (r.wire_type() != Wire::length_delimited) return false;
  to = bytes(r.get_view());
  return true;
}
inline bool read(pbf_reader& r, std::int64_t& to) {
  if (r.wire_type() != Wire::varint) return false;
  to = r.get_int64();
  return true;
}
template <class E>
requires std::is_enum_v<E>
bool read(pbf_reader& r, E& to) {
  std::int64_t v = 0;
  if (!read(r, v)) return false;
  // An enumerator that there is not stays one: all of them are small.
  to = static_cast<E>(v < -1 || v > 1000 ? 1000 : v);
  return true;
}
inline bool read(pbf_reader& r, std::vector<std::string_view>& to, Limits& limits) {
  std::string_view item;
  if (!read(r, item)) return false;
  limits.take();
  to.push_back(item);
  return true;
}

/// Elements of a repeated field, packed or not.
template <class T> bool read_number(pbf_reader& r, T& to) {
  if constexpr (std::is_same_v<T, float>) {
    if (r.wire_type() != Wire::fixed32) return false;
    to = r.get_float();
  } else if constexpr (std::is_same_v<T, double>) {
    if (r.wire_type() != Wire::fixed64) return false;
    to = r.get_double();
  } else {
    if (r.wire_type() != Wire::varint) return false;
    to = static_cast<T>(r.get_int64());
  }
  return true;
}
template <class T> auto packed(pbf_reader& r) {
  if constexpr (std::is_same_v<T, float>) return r.get_packed_float();
  else if constexpr (std::is_same_v<T, double>) return r.get_packed_double();
  else return r.get_packed_int64();
}
template <class T> bool read_numbers(pbf_reader& r, std::vector<T>& to, std::uint64_t max) {
  const auto add = [&](T v) {
    if (to.size() >= max) throw Broken(detail::format("there are more than {} elements", {max}));
    to.push_back(v);
  };
  if (r.wire_type() == Wire::length_delimited) {
    for (auto v : packed<T>(r)) add(static_cast<T>(v));
    return true;
  }
  T one{};
  if (!read_number(r, one)) return false;
  add(one);
  return true;
}

template <class T, class F> void append(std::vector<T>& to, Bytes message, Limits& limits, F&& f) {
  limits.take();
  to.push_back(f(message, limits));
}

}  // namespace webnn::inline v0_1::onnx
