// Reading of verified flatbuffers. Private, and header only: the formats that use FlatBuffers
// include it.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <span>
#include <string_view>

namespace webnn::inline v0_1::formats {

/// Elements of a vector that may be absent.
template <class T> std::size_t size_of(const flatbuffers::Vector<T>* v) {
  return v ? v->size() : 0;
}
template <class T> std::span<const T> elements_of(const flatbuffers::Vector<T>* v) {
  return v ? std::span<const T>(v->data(), v->size()) : std::span<const T>();
}
inline std::string_view text_of(const flatbuffers::String* s) {
  return s ? std::string_view(s->c_str(), s->size()) : std::string_view();
}

/// A verifier with limits. A table has more than four bytes: more tables than that are the same
/// ones seen many times.
inline flatbuffers::Verifier verifier_of(std::span<const std::byte> bytes) {
  constexpr std::size_t max_depth = 32;  // how deep tables lie in tables
  return flatbuffers::Verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                               max_depth,
                               static_cast<flatbuffers::uoffset_t>(bytes.size() / 4 + 64));
}

}  // namespace webnn::inline v0_1::formats
