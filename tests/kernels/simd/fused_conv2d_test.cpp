#include "tests/kernels/simd/conv2d_case.h"

namespace webnn::inline v0_1::test {
namespace {

/// [convolution,] depthwise, 1x1 [+ residual], clamped after each but the last.
void check_block(const std::vector<ConvCase>& chain, bool residual) {
  INFO(chain.front() << (residual ? ", residual" : ""));
  ChainUnderTest t;
  const ConvCase& first = chain.front();
  const MLOperand x =
      t.input({first.size.batch, first.size.height, first.size.width, first.size.channels});
  MLOperand y = x;
  std::vector<std::vector<MLOperand>> weights(chain.size());
  std::vector<Dims> shapes;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    y = append(t, chain[i], y, weights[i]);
    shapes.push_back(y.shape());
    if (i + 1 < chain.size()) y = t.b.clamp(y, {.minValue = 0, .maxValue = 2});
  }
  MLOperand added;
  if (residual) {
    added = t.input(y.shape());
    y = t.b.add(y, added);
  }
  const std::vector<float> actual = t.run(y);
  CHECK_THAT(t.kernel, Catch::Matchers::StartsWith("fused"));
  std::vector<float> values = t.values(x);
  std::vector<Sum> sums;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    sums = expected(t, chain[i], values, weights[i], shapes[i]);
    values.clear();
    for (const Sum& s : sums) values.push_back(static_cast<float>(std::clamp(s.value, 0.0, 2.0)));
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (residual) sums[i].add(t.values(added)[i]);
    sums[i].magnitude *= 8;  // the errors of the layers before
    check_near(actual[i], sums[i]);
  }
}

}  // namespace

TEST_CASE("conv2d: fused blocks") {
  for_targets([] {
    for (std::uint32_t stride : {1u, 2u})
      for (std::uint32_t mid : {48u, 40u, 120u}) {
        const std::uint32_t wide = mid == 120 ? 60 : 29, out = (wide - 1) / stride + 1;
        const ConvCase e{{1, 7, wide, 8, mid, 1, 1}},
            s{{1, 14, 2 * wide, 3, mid, 3, 3}, {1, 1, 1, 1}, {2, 2}};
        const ConvCase d{{1, 7, wide, mid, mid, 3, 3}, {1, 1, 1, 1}, {stride, stride}, {1, 1}, mid};
        const ConvCase p{{1, (7 - 1) / stride + 1, out, mid, 24, 1, 1}};
        check_block({e, d, p}, false);
        check_block({e, d, p}, true);
        check_block({s, d, p}, true);
        if (wide >= 56) check_block({d, p}, false);
      }
    const ConvCase e{{2, 5, 30, 8, 20, 1, 1}},
        d{{2, 5, 30, 20, 20, 5, 5}, {2, 2, 2, 2}, {1, 1}, {1, 1}, 20}, p{{2, 5, 30, 20, 9, 1, 1}};
    check_block({e, d, p}, true);
  });
}

}  // namespace webnn::inline v0_1::test
