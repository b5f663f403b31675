#include "src/kernels/simd/backend.h"

#include "src/kernels/backends.h"
#include "src/kernels/common/lower_table.h"
#include "src/kernels/simd/quantized/lower.h"
#include "src/kernels/simd/vector/float32/gemm.h"

namespace webnn {
namespace simd {
namespace {

struct Simd final : Backend {
  std::string_view name() const override { return "simd"; }
  Lowering lower(Chain chain) const override {
    static constexpr auto table =
        lower_table<Lowers>([](const auto& op, Chain all) { return simd::lower(op, all); });
    const Node& head = chain.front();
    if (head.as<ops::dequantizeLinear>()) return lower_quantized(chain);
    if (const auto* op = head.as<ops::quantizeLinear>()) return lower_quantize(*op, chain);
    if (const auto* op = head.as<ops::maxPool2d>();
        op && head.output().dataType() != float32 && chain.size() == 1)
      return lower_int8_max(*op, head.output());
    const Lower entry = table[head.kind()];
    if (!entry) return Refusal{"no kernel for it"};
    if (head.output().dataType() != float32 && !head.as<ops::cast>())
      return Refusal{"only float32"};
    return entry(head.op(), chain);
  }
  DataTypes supported_types(std::size_t kind) const override {
    return supported_types_of<Lowers>(kind, {float32});
  }
};

}  // namespace
}  // namespace simd

std::shared_ptr<const Backend> simd_backend() {
  if (simd::lanes() < 4) return nullptr;  // no vectors on this CPU: the plain loops do as well
  return std::make_shared<simd::Simd>();
}

}  // namespace webnn
