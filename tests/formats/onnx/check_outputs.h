// The outputs of a small model beside those that it has to have.
#pragma once

#include <algorithm>
#include <cmath>

#include "tests/formats/onnx/cases.h"
#include "tests/support/catch.h"

namespace webnn::inline v0_1::onnx::test {

inline void check_outputs(const Case& c, const std::vector<Tensor>& results) {
  REQUIRE(results.size() == c.outputs.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Tensor &y = results[i], &expected = c.outputs[i];
    CHECK(y.type == expected.type);
    REQUIRE(y.shape == expected.shape);
    for (std::size_t k = 0; k < y.size(); ++k) {
      INFO("output " << i << ", element " << k << ": " << y[k] << ", expected " << expected[k]);
      CHECK(std::abs(y[k] - expected[k]) <= 1e-5 * std::max(1.0, std::abs(expected[k])));
    }
  }
}

}  // namespace webnn::inline v0_1::onnx::test
