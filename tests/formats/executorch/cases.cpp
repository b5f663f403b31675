#include "tests/formats/executorch/cases/cases_common.h"

namespace webnn::inline v0_1::executorch::test {

std::vector<Case> all_cases(Place place) {
  std::vector<Case> all;
  add_elementwise_cases(all, place);
  add_product_cases(all, place);
  add_convolution_cases(all, place);
  add_pooling_cases(all, place);
  add_movement_cases(all, place);
  add_quantized_cases(all, place);
  return all;
}

}  // namespace webnn::inline v0_1::executorch::test
