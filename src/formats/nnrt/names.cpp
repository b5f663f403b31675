#include "src/formats/nnrt/names.h"

namespace webnn::inline v0_1::nnrt {
namespace {

template <std::size_t I = 0> std::optional<Attributes> made(NodeType type) {
  if constexpr (I == std::variant_size_v<AnyAttributes>) {
    return std::nullopt;
  } else {
    using A = std::variant_alternative_t<I, AnyAttributes>;
    if (A::nodeType == type) return Attributes(A{});
    return made<I + 1>(type);
  }
}

}  // namespace

std::optional<Attributes> attributes_of(NodeType type) { return made(type); }

NodeType node_type(const Attributes& attributes) {
  return std::visit([](const auto& a) { return std::remove_cvref_t<decltype(a)>::nodeType; },
                    attributes);
}

std::string name_of(NodeType type) {
  const std::string_view name = enumerator(type);
  return name.empty() ? "node type " + std::to_string(static_cast<std::uint32_t>(type))
                      : std::string(name);
}

}  // namespace webnn::inline v0_1::nnrt
