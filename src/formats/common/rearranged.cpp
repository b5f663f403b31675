#include "src/formats/common/rearranged.h"

#include <algorithm>
#include <cstring>

namespace webnn::inline v0_1::formats {

Dims permuted(const Dims& shape, const Dims& permutation) {
  Dims out;
  for (const std::uint32_t d : permutation) out.push_back(shape[d]);
  return out;
}

Dims broadcast_shape(const Dims& a, const Dims& b) {
  Dims out(std::max(a.size(), b.size()), 1);
  for (const Dims* x : {&a, &b})
    for (std::size_t i = 0; i < x->size(); ++i) {
      std::uint32_t& d = out[out.size() - 1 - i];
      d = std::max(d, (*x)[x->size() - 1 - i]);
    }
  return out;
}

Constant transposed(const Constant& bytes, const Dims& shape, std::size_t element,
                    const Dims& permutation) {
  const std::size_t rank = shape.size();
  std::vector<std::size_t> strides(rank, element);
  for (std::size_t d = rank; d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  const Dims out = permuted(shape, permutation);
  std::vector<std::byte> to(bytes.bytes().size());
  Dims place(rank, 0);
  std::size_t from = 0;
  for (std::size_t at = 0; at < to.size(); at += element) {
    std::memcpy(to.data() + at, bytes.bytes().data() + from, element);
    for (std::size_t d = rank; d-- > 0;) {
      const std::size_t stride = strides[permutation[d]];
      from += stride;
      if (++place[d] < out[d]) break;
      from -= stride * place[d];
      place[d] = 0;
    }
  }
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(to));
  return Constant(owner, *owner);
}

}  // namespace webnn::inline v0_1::formats
