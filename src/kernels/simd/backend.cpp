#include "src/kernels/simd/backend.h"

#include <cstdlib>

#include "src/graph/failure.h"
#include "src/graph/op.h"
#include "src/graph/text.h"
#include "src/kernels/backends.h"
#include "src/kernels/common/accuracy.h"
#include "src/kernels/common/lower_table.h"
#include "src/kernels/simd/built.h"
#include "src/kernels/simd/few_rows_attention.h"
#include "src/kernels/simd/small_weights.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1 {
namespace simd {
namespace {

/// Whether an operator reads small weights that those in front of it make floats.
[[maybe_unused]] bool reads_small_weights(Chain chain) {
  const std::size_t first = expanding_operators(chain);
  const MLOperand* weights = first > 0 ? small_weights_operand(chain[first]) : nullptr;
  return weights && weights->is(chain[first - 1].output());
}

class Simd final : public VersionedBackend, public AccuracyBackend {
 public:
  explicit Simd(const Options& options) : options_(options) {}
  std::string_view name() const override { return "simd"; }
  std::string version() const override {
    std::string v = target();
    if (has_instruction(options_.dot_product())) v += " with the dot product of bytes";
    if (are_tiles(options_.dot_product())) v += " with tiles of bytes";
    if (options_.winograd == Winograd3x3::off) v += " without Winograd's method";
    if (options_.int8_activations) v += " with int8 activations";
    if (options_.bfloat16 != Bfloat16Products::none) v += " with products of bfloat16";
    return v;
  }
  std::shared_ptr<const Backend> with(AccuracyLevel level) const override {
    Options o = options_;
    o.int8_activations = level == AccuracyLevel::int8;
    if constexpr (bfloat16_built)
      o.bfloat16 = level == AccuracyLevel::bfloat16 ? bfloat16_products() : Bfloat16Products::none;
    return std::make_shared<Simd>(o);
  }
  std::string no_difference(AccuracyLevel level) const override {
    if (level != AccuracyLevel::bfloat16 || options_.bfloat16 != Bfloat16Products::none) return "";
    return bfloat16_built ? "this processor has no products of bfloat16 (AVX512-BF16)"
                          : "products of bfloat16 were left out of this build (WEBNN_DATA_TYPES)";
  }
  Lowering lower(Chain chain) const override {
    static constexpr auto table =
        lower_table<Lowers>([](const auto& op, Chain all) { return simd::lower(op, all); });
    const Node& head = chain.front();
    if constexpr (is_built<ops::cast> || is_built<ops::dequantizeLinear>)
      if (reads_small_weights(chain)) return lower_small_weights(chain, options_);
    if constexpr (is_built<ops::dequantizeLinear> || is_built<ops::quantizeLinear>) {
      if (webnn::as<fused::quantizedOperator>(head))
        return lower_quantized(chain, options_.dot_product());
      if (const auto* op = webnn::as<fused::dynamicQuantizeLinear>(head))
        return lower_dynamic_quantize(*op);
      if (const auto* op = webnn::as<ops::dequantizeLinear>(head)) {
        if (chain.size() > 1) return Refusal{"dequantizeLinear by itself"};
        return lower_dequantize(*op);
      }
      if (const auto* op = webnn::as<ops::quantizeLinear>(head)) return lower_quantize(*op, chain);
      if (const auto* op = webnn::as<ops::maxPool2d>(head);
          op && head.output().dataType() != float32 && chain.size() == 1)
        return lower_int8_max_pool(*op, head.output());
    }
    const Lower entry = table[head.kind()];
    if (!entry) return Refusal{"no kernel for this operator"};
    const bool converts =
        webnn::as<ops::cast>(head) || webnn::as<ops::argMax>(head) || webnn::as<ops::argMin>(head);
    const bool moves = webnn::as<ops::transpose>(head) != nullptr;
    const bool moves_bytes = moves && bits_of(head.output().dataType()) == 8;
    if (head.output().dataType() != float32 && !converts && !moves_bytes)
      return Refusal{moves ? "only float32 and 8 bits" : "only float32"};
    if constexpr (is_built<ops::conv2d>)
      if (webnn::as<ops::conv2d>(head)) return lower_conv2d(chain, options_);
    if constexpr (is_built<ops::gemm>)
      if (webnn::as<ops::gemm>(head)) return lower_gemm(chain, options_);
    if constexpr (is_built<ops::matmul>)
      if (webnn::as<ops::matmul>(head)) return lower_matmul(chain, options_);
    if constexpr (is_built<fused::attention>)
      if (webnn::as<fused::attention>(head)) return lower_attention(chain, options_);
    return entry(head.op(), chain);
  }
  std::optional<Candidate> lower_growing(const Node& node, const GrowingRows& rows) const override {
    if constexpr (is_built<fused::attention>)
      if (const auto* op = webnn::as<fused::attention>(node))
        return growing_attention(*op, rows, options_);
    return std::nullopt;
  }
  DataTypes supported_types(std::size_t kind) const override {
    return supported_types_of<Lowers>(kind, {float32});
  }

 private:
  Options options_;
};

}  // namespace

std::shared_ptr<const Backend> make_backend(const Options& options) {
  if (const char* missing = missing_target())
    raise(
        {format("this libwebnn was built for processors with {} alone (WEBNN_NATIVE), and this one "
                "does not have it",
                {missing}),
         ErrorName::NotSupportedError},
        "MLContext");
  // Without vectors the reference kernels are as fast.
  if (!has_target() || lanes() < 4) return nullptr;
  return std::make_shared<Simd>(options);
}

Options options() {
  Options o;
  const char* text = std::getenv("WEBNN_WINOGRAD");
  const std::string_view setting = text ? text : "";
  if (setting == "off") o.winograd = Winograd3x3::off;
  else if (!setting.empty() && setting != "on")
    raise(fail("WEBNN_WINOGRAD: {} is not \"on\" or \"off\"", in_quotes(setting)), "MLContext");
  return o;
}

}  // namespace simd

std::shared_ptr<const Backend> simd_backend() { return simd::make_backend(simd::options()); }

}  // namespace webnn::inline v0_1
