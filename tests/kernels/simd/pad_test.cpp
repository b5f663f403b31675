#include <cmath>

#include "tests/kernels/simd/support.h"

namespace webnn::inline v0_1::test {
namespace {

using enum MLPaddingMode;

void check(MLPaddingMode mode, const Dims& shape, const Dims& begin, const Dims& end) {
  INFO(name_of(mode) << " of rank " << shape.size());
  ChainUnderTest t;
  const MLOperand x = t.input(shape);
  const MLOperand padded = t.b.pad(x, begin, end, {.mode = mode, .value = 2.5});
  const Dims out = padded.shape();
  const auto y = t.run(padded);
  for (std::size_t i = 0; i < y.size(); ++i) {
    std::size_t rest = i, from = 0, stride = 1;
    bool inside = true;
    for (std::size_t d = out.size(); d-- > 0; rest /= out[d]) {
      const std::int64_t size = shape[d];
      std::int64_t at = static_cast<std::int64_t>(rest % out[d]) - begin[d];
      inside &= at >= 0 && at < size;
      if (mode == edge) at = std::clamp<std::int64_t>(at, 0, size - 1);
      if (mode == reflection && at < 0) at = -at;
      if (mode == reflection && at >= size) at = 2 * (size - 1) - at;
      from += static_cast<std::size_t>(at) * stride;
      stride *= shape[d];
    }
    CHECK(y[i] == (mode == constant && !inside ? 2.5f : t.values(x)[from]));
  }
}

}  // namespace

TEST_CASE("simd pad: modes, ranks and places") {
  for (auto mode : {constant, edge, reflection}) {
    check(mode, {5}, {2}, {3});
    check(mode, {4, 7}, {0, 3}, {0, 0});
    check(mode, {4, 7}, {3, 0}, {1, 0});
    check(mode, {2, 3, 4}, {1, 2, 3}, {0, 1, 2});
    check(mode, {1, 6, 7, 16}, {0, 4, 4, 0}, {0, 4, 4, 0});
    check(mode, {1, 6, 7, 3}, {0, 1, 0, 0}, {0, 0, 6, 0});
    check(mode, {2, 3, 9, 10}, {0, 0, 2, 1}, {0, 0, 3, 4});
    check(mode, {2, 2, 3, 2, 5}, {1, 1, 2, 0, 4}, {0, 1, 1, 1, 3});
    check(mode, {3, 4}, {0, 0}, {0, 0});
  }
  check(constant, {}, {}, {});
  check(edge, {1, 1}, {3, 4}, {2, 1});
  check(constant, {1, 1}, {3, 4}, {2, 1});
}

}  // namespace webnn::inline v0_1::test
