#include "src/kernels/simd/product/bfloat16_small_product.h"

#include "src/kernels/common/small_weights.h"
#include "src/kernels/simd/product/bfloat16_product.h"

namespace webnn::inline v0_1::simd {
namespace {

/// What weights without scales are stored as, if products are to read them so. The bytes of
/// float8e4m3 become twice as many, which takes longer for a few rows than to multiply float32.
std::optional<StoredFloat> stored_of(const SmallWeights& w, int rows) {
  constexpr int few_rows = 16;
  if (w.scaled()) return std::nullopt;
  switch (w.type) {
    case float16: return StoredFloat::float16;
    case bfloat16: return StoredFloat::bfloat16;
    case float8e4m3:
      if (rows >= few_rows) return StoredFloat::float8e4m3;
      [[fallthrough]];
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<Candidate> bfloat16_product(const Product& product, const Node& expands,
                                          const LaterInputs& later, const Options& options) {
  const SmallWeights weights = small_weights_form(expands);
  const auto stored = stored_of(weights, product.rows);
  if (!stored) return std::nullopt;
  Product p = product;
  p.bfloat16 = options.bfloat16;
  const auto read = [expands] {
    const auto* first = reinterpret_cast<const float*>(small_weights_of(expands).bytes.data());
    return std::shared_ptr<const float>(std::shared_ptr<void>(), first);
  };
  p.b = {.slot = 0,
         .read = read,
         .order = " " + std::string(name_of(weights.type)),
         .stored = *stored};
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
