#include "src/kernels/xnnpack/backend.h"

#include "src/kernels/xnnpack/adapter.h"
#include "src/runtime/backends.h"

namespace webnn {
namespace xnnpack {
namespace {

struct Xnnpack final : Backend {
  std::string_view name() const override { return "xnnpack"; }

  Lowering lower(Chain chain) const override {
    static constexpr auto table = lower_table<Lowers, const Offer&>(
        [](const auto& op, const Offer& offer) { return xnnpack::lower(op, offer); });
    const Node& head = chain.front();
    const auto entry = table[head.kind()];
    if (!entry) return Refusal{"not an operator for XNNPACK"};
    if (head.output().dataType() != float32) return Refusal{"only float32"};
    Offer offer{.result = head.output()};
    if (chain.size() > 1) {
      const auto stages = stages_of(chain);
      if (!stages || stages->size() != 1 || !stages->front().epilogue.clamps())
        return Refusal{"only a sum and a clamp can follow, after conv2d, gemm or matmul"};
      offer.epilogue = stages->front().epilogue;
    }
    try {
      return entry(head.op(), offer);
    } catch (const std::bad_alloc&) { return Refusal{"out of memory"}; }
  }
};

}  // namespace
}  // namespace xnnpack

std::shared_ptr<const Backend> xnnpack_backend() {
  if (!xnnpack::initialize()) return nullptr;
  return std::make_shared<xnnpack::Xnnpack>();
}

}  // namespace webnn
