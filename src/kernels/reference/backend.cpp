// Takes every single operator; asked last.
#include "src/kernels/backends.h"
#include "src/kernels/reference/kernels.h"

namespace webnn {
namespace reference {

Kernel make_kernel(const Node& node) {
  static const auto all = []<class... S>(std::type_identity<ops::SectionList<S...>>) {
    std::array<Make, ops::AllOps::size> joined{};
    auto end = joined.begin();
    const auto append = [&](const auto& part) { end = std::copy(part.begin(), part.end(), end); };
    (append(kernels(S{})), ...);
    return joined;
  }(std::type_identity<ops::Sections>{});
  return all[node.kind()](node.op(), node);
}

namespace {

struct Reference final : Backend {
  std::string_view name() const override { return "reference"; }
  Lowering lower(Chain chain) const override {
    if (chain.size() > 1) return Refusal{"one operator at a time"};
    Kernel k = make_kernel(chain.front());
    k.fallback_reason = "the reference kernels are for what no other backend supports";
    return k;
  }
};

}  // namespace
}  // namespace reference

std::shared_ptr<const Backend> reference_backend() {
  return std::make_shared<reference::Reference>();
}

}  // namespace webnn
