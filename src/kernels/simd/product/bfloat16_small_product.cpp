#include "src/kernels/simd/product/bfloat16_small_product.h"

#include "src/kernels/common/small_weights.h"
#include "src/kernels/simd/product/bfloat16_product.h"

namespace webnn::inline v0_1::simd {

std::optional<Candidate> bfloat16_product(const Product& product, const Node& expands,
                                          const LaterInputs& later, const Options& options) {
  Product p = product;
  p.bfloat16 = options.bfloat16;
  const auto read = [expands] {
    const auto* first = reinterpret_cast<const float*>(small_weights_of(expands).bytes.data());
    return std::shared_ptr<const float>(std::shared_ptr<void>(), first);
  };
  const MLOperandDataType type = small_weights_form(expands).type;
  p.b = {.slot = 0, .read = read, .order = ' ' + std::string(name_of(type)), .gives = type};
  if (p.bias) p.bias.slot = later.slot(p.bias.slot);
  auto k = bfloat16_product(p);
  if (!k) return std::nullopt;
  for (int& i : k->in_place) i = later.slot(i);
  k->run = [run = std::move(k->run), later](Range r, const Buffers& b, std::byte* scratch) {
    const auto inputs = later.of(b);
    Buffers own = b;
    own.inputs = inputs;
    run(r, own, scratch);
  };
  return k;
}

}  // namespace webnn::inline v0_1::simd
