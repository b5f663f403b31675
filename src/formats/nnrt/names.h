// Enumerators of the interface by name, and node types. Private.
#pragma once

#include "webnn/nnrt.h"

namespace webnn::inline v0_1::nnrt {

template <class E>
concept Enumeration = std::is_enum_v<E> && requires(E e) {
  all_names(e);
};

/// Empty for a value without a name.
template <Enumeration E> std::string_view enumerator(E value) {
  for (const auto& [v, name] : all_names(E{}))
    if (v == value) return name;
  return {};
}
template <Enumeration E> std::optional<E> enumerator_of(std::string_view name) {
  for (const auto& [v, n] : all_names(E{}))
    if (n == name) return v;
  return std::nullopt;
}

/// Attributes of that node type with their defaults; nothing for another number.
std::optional<Attributes> attributes_of(NodeType type);

}  // namespace webnn::inline v0_1::nnrt
