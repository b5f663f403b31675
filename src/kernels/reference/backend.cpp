// Takes every single operator; asked last.
#include "left_out.h"  // generated
#include "src/graph/failure.h"
#include "src/graph/fused/operators.h"
#include "src/kernels/backends.h"
#include "src/kernels/reference/kernels.h"
#include "src/kernels/reference/widened.h"

namespace webnn::inline v0_1 {
namespace reference {
namespace {

constexpr std::string_view left_out =
    "its kernels were left out of this build of the library (WEBNN_OPERATORS)";

template <class Section, class Op, class... T>
Table<Section> kernels_if_built(Section section, ops::OpList<Op, T...>) {
  if constexpr (ops::contains<Op>(LeftOut{})) return {};
  else return kernels(section);
}

/// By kind; null for what was left out.
const auto& all_kernels() {
  static const auto all = []<class... S>(std::type_identity<ops::SectionList<S...>>) {
    std::array<Make, ops::AllOps::size> joined{};
    auto end = joined.begin();
    const auto append = [&](const auto& part) { end = std::copy(part.begin(), part.end(), end); };
    (append(kernels_if_built(S{}, typename S::Operators{})), ...);
    return joined;
  }(std::type_identity<ops::Sections>{});
  return all;
}

}  // namespace

bool has_kernel(const Node& node) {
  return node.kind() < ops::AllOps::size && all_kernels()[node.kind()];
}

Candidate make_kernel(const Node& node) {
  const Make make = has_kernel(node) ? all_kernels()[node.kind()] : nullptr;
  if (!make) raise({std::string(left_out), ErrorName::NotSupportedError}, node.name());
  return is_widened(node) ? widened_kernel(node, make) : make(node.op(), node);
}

namespace {

struct Reference final : LibraryBackend {
  std::string_view name() const override { return "reference"; }
  Lowering lower(Chain chain) const override {
    if (chain.size() > 1 || is_fused(chain.front().kind()))
      return Refusal{"one operator at a time"};
    if (!has_kernel(chain.front())) return Refusal{std::string(left_out)};
    Candidate k = make_kernel(chain.front());
    k.fallback_reason = "the reference kernels are for what no other backend supports";
    return k;
  }
  DataTypes supported_types(std::size_t kind) const override {
    return all_kernels()[kind] ? Backend::supported_types(kind) : DataTypes{};
  }
};

}  // namespace
}  // namespace reference

std::shared_ptr<const Backend> reference_backend() {
  return std::make_shared<reference::Reference>();
}

}  // namespace webnn::inline v0_1
