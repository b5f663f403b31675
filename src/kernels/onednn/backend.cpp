#include "src/kernels/onednn/backend.h"

#include "src/kernels/backends.h"
#include "src/kernels/onednn/adapter.h"

namespace webnn::inline v0_1 {
namespace onednn {
namespace {

template <class Op> Lowering lower_chain(const Op& op, Chain chain) {
  const auto request = request_of(chain);
  if (!request)
    return Refusal{"only a sum and an activation can follow, after conv2d, gemm or matmul"};
  // The post-operations sigmoid, swish and leakyRelu with a factor of 0 make 0 of a NaN, elu loses
  // digits near 0, gelu below -2 and makes a NaN of -infinity.
  const Activation a = request->epilogue.activation;
  if (a == Activation::sigmoid || a == Activation::elu || a == Activation::gelu ||
      a == Activation::swish || (a == Activation::leaky_relu && request->epilogue.alpha == 0))
    return Refusal{"its " + std::string(name_of(a)) + " is not exact enough"};
  return lower(op, *request);
}

struct Onednn final : VersionedBackend {
  std::string_view name() const override { return "onednn"; }
  std::string version() const override { return version_text(); }

  Lowering lower(Chain chain) const override {
    static constexpr auto table =
        lower_table<Lowers>([](const auto& op, Chain all) { return lower_chain(op, all); });
    const Node& head = chain.front();
    const Lower entry = table[head.kind()];
    if (!entry) return Refusal{"oneDNN has no such operator"};
    if (head.output().dataType() != float32) return Refusal{"only float32"};
    try {
      const SingleThreadScope single_thread;
      return entry(head.op(), chain);
    } catch (const dnnl::error& e) { return Refusal{e.what()}; } catch (const std::bad_alloc&) {
      return Refusal{"out of memory"};
    }
  }
  DataTypes supported_types(std::size_t kind) const override {
    return supported_types_of<Lowers>(kind, {float32});
  }
};

}  // namespace
}  // namespace onednn

std::shared_ptr<const Backend> onednn_backend() {
  try {
    onednn::cpu();
  } catch (const dnnl::error&) { return nullptr; }
  return std::make_shared<onednn::Onednn>();
}

}  // namespace webnn::inline v0_1
