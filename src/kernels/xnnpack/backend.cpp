#include "src/kernels/xnnpack/backend.h"

#include "src/kernels/backends.h"
#include "src/kernels/xnnpack/adapter.h"

namespace webnn::inline v0_1 {
namespace xnnpack {
namespace {

template <class Op> Lowering lower_chain(const Op& op, Chain chain) {
  const auto request = request_of(chain);
  if (!request || !request->epilogue.clamps())
    return Refusal{"only a sum and a clamp can follow, after conv2d, gemm or matmul"};
  return lower(op, *request);
}

struct Xnnpack final : VersionedBackend {
  std::string_view name() const override { return "xnnpack"; }
  std::string version() const override { return version_text(); }

  Lowering lower(Chain chain) const override {
    static constexpr auto table =
        lower_table<Lowers>([](const auto& op, Chain all) { return lower_chain(op, all); });
    const Node& head = chain.front();
    const Lower entry = table[head.kind()];
    if (!entry) return Refusal{"XNNPACK has no such operator"};
    if (head.output().dataType() != float32) return Refusal{"only float32"};
    try {
      return entry(head.op(), chain);
    } catch (const std::bad_alloc&) { return Refusal{"out of memory"}; }
  }
  DataTypes supported_types(std::size_t kind) const override {
    return supported_types_of<Lowers>(kind, {float32});
  }
};

}  // namespace
}  // namespace xnnpack

std::shared_ptr<const Backend> xnnpack_backend() {
  if (!xnnpack::initialize()) return nullptr;
  return std::make_shared<xnnpack::Xnnpack>();
}

}  // namespace webnn::inline v0_1
