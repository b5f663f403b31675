#include "src/formats/tflite/import/paddings.h"

#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {

Paddings paddings_of(const Call& c, std::size_t input, std::size_t rank) {
  const SizeList list = c.list(input);
  if (list.size() != 2 * rank)
    c.refuse(fail("the paddings have {} entries for {} dimensions", list.size(), rank));
  Paddings out;
  for (std::size_t d = 0; d < rank; ++d)
    for (std::size_t k = 0; k < 2; ++k) {
      const Size& v = list[2 * d + k];
      if (v.is_known() && (v.number() < 0 || v.number() > INT32_MAX))
        c.refuse(fail("a padding ({}) is not between 0 and {}", v.number(), INT32_MAX));
      (k == 0 ? out.before : out.after).push_back(v);
    }
  return out;
}

MLNumber zero_of(const TensorInfo& t) {
  return t.scales && t.scales->scale.size() == 1 ? t.scales->zero(0) : 0;
}

}  // namespace webnn::inline v0_1::tflite
