// Convolutions whose operands are rounded to bfloat16, against sums in double precision.
#include "tests/kernels/simd/bfloat16.h"
#include "tests/kernels/simd/conv2d_case.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {
namespace {

using simd::Bfloat16Products;

struct After {
  bool residual = false;
  std::size_t activation = 0;
};

void check(Bfloat16Products how, const ConvCase& c, const After& after = {}) {
  ChainUnderTest t(simd::make_backend({.winograd = simd::Winograd3x3::off, .bfloat16 = how}));
  const auto& s = c.size;
  const MLOperand x = t.input({s.batch, s.height, s.width, s.channels});
  std::vector<MLOperand> weights;
  MLOperand y = append(t, c, x, weights), added;
  const Dims out = y.shape();
  if (after.residual) y = t.b.add(y, added = t.input(out));
  const ActivationCase& activation = activations()[after.activation];
  const auto actual = t.run(activation.append(t.b, y));
  CAPTURE(c, t.kernel);
  REQUIRE(t.kernel.starts_with(c.kernel.empty() ? "bfloat16 conv" : c.kernel));

  // Of rounded operands the error is that of the sums alone.
  std::vector<float> rounded_x = t.values(x), rounded_w = t.values(weights[0]);
  for (float& v : rounded_x) v = nearest_bfloat16(v);
  for (float& v : rounded_w) v = nearest_bfloat16(v);
  const std::vector<float>* bias = c.bias ? &t.values(weights[1]) : nullptr;
  std::vector<Sum> rounded = convolve(c, rounded_x, rounded_w, bias, out),
                   exact = expected(t, c, t.values(x), weights, out);
  REQUIRE(rounded.size() == actual.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (after.residual) {
      rounded[i].add(t.values(added)[i]);
      exact[i].add(t.values(added)[i]);
    }
    rounded[i].terms *= 2;  // zeros of the padding and beside odd channels are added, too
    check_near(actual[i], rounded[i], activation.value, activation.slope);
    allow_rounding(exact[i]);
    check_near(actual[i], exact[i], activation.value, activation.slope);
  }
}

void for_ways(const std::function<void(Bfloat16Products)>& f) {
  for (const Bfloat16Products how : ways_of_bfloat16()) {
    CAPTURE(static_cast<int>(how));
    f(how);
  }
}

TEST_CASE("bfloat16: convolutions of lines, whatever their windows") {
  for_ways([](Bfloat16Products how) {
    for (std::uint32_t channels : {2, 3, 8, 17, 64})
      for (std::uint32_t kernel : {2, 3, 5})
        for (std::uint32_t stride : {1, 2, 3})
          for (std::uint32_t dilation : {1, 2}) {
            const std::uint32_t pad = kernel / 2;
            if (kernel * kernel * channels < 16) continue;
            check(how, {.size = {1, 11, 9, channels, 21, kernel, kernel},
                        .padding = {pad, pad, pad, 0},
                        .strides = {stride, stride},
                        .dilations = {dilation, 1}});
          }
    check(how, {.size = {2, 7, 7, 40, 50, 3, 3}, .padding = {1, 1, 1, 1}, .bias = false});
    check(how, {.size = {1, 30, 50, 24, 33, 3, 3}, .padding = {2, 0, 0, 3}});
    check(how, {.size = {3, 5, 6, 16, 100, 1, 3}, .padding = {0, 0, 1, 1}});
    check(how, {.size = {1, 9, 4, 16, 16, 7, 1}, .padding = {3, 3, 0, 0}});
    check(how, {.size = {1, 1, 20, 32, 48, 1, 5}, .strides = {1, 2}});
  });
}

TEST_CASE("bfloat16: pixels of an odd number of channels lie without gaps at even strides") {
  for_ways([](Bfloat16Products how) {
    check(how, {.size = {1, 40, 44, 3, 64, 7, 7}, .padding = {3, 3, 3, 3}, .strides = {2, 2}});
    check(how, {.size = {2, 9, 12, 3, 33, 3, 3}, .padding = {0, 1, 0, 1}, .strides = {2, 2}});
    for (std::uint32_t left : {0, 1, 2})
      for (std::uint32_t width : {5, 6, 7})
        for (std::uint32_t kernel : {3, 4})
          check(how, {.size = {1, 6, width, 5, 20, 3, kernel},
                      .padding = {1, 1, left, 2},
                      .strides = {1, 2}});
    check(how, {.size = {1, 9, 30, 7, 18, 3, 3}, .padding = {1, 1, 1, 1}, .strides = {3, 4}});
    check(how, {.size = {1, 12, 9, 201, 18, 3, 3}, .strides = {2, 2}});  // several blocks
    check(how, {.size = {1, 5, 20, 401, 18, 2, 3}, .strides = {1, 2}});  // too long a segment
  });
}

TEST_CASE("bfloat16: convolutions of many terms are cut into blocks") {
  for_ways([](Bfloat16Products how) {
    check(how, {.size = {1, 4, 5, 300, 20, 3, 3}, .padding = {1, 1, 1, 1}});    // whole segments
    check(how, {.size = {1, 4, 5, 700, 20, 3, 3}, .padding = {1, 1, 1, 1}});    // parts of one
    check(how, {.size = {1, 3, 4, 2003, 17, 2, 2}});                            // a prime number
    check(how, {.size = {1, 60, 120, 64, 32, 3, 3}, .padding = {1, 1, 1, 1}});  // several strips
  });
}

TEST_CASE("bfloat16: windows that are no segments of lines are gathered") {
  for_ways([](Bfloat16Products how) {
    check(how, {.size = {1, 9, 9, 24, 40, 3, 3}, .padding = {2, 2, 2, 2}, .dilations = {2, 2}});
    check(how, {.size = {2, 8, 9, 33, 40, 1, 1}, .strides = {2, 2}});
    check(how, {.size = {2, 6, 5, 33, 40, 1, 1}, .kernel = "bfloat16 gemm"});
  });
}

TEST_CASE("bfloat16: what follows a convolution") {
  for_ways([](Bfloat16Products how) {
    for (std::size_t i = 0; i < activations().size(); ++i)
      for (const bool residual : {false, true})
        check(how, {.size = {1, 6, 7, 18, 37, 3, 3}, .padding = {1, 1, 1, 1}}, {residual, i});
  });
}

TEST_CASE("bfloat16: convolutions that gain nothing stay as they are") {
  for_ways([](Bfloat16Products how) {
    const auto one = [&](ConvCase c, const char* kernel) {
      ChainUnderTest t(in_bfloat16(how));
      const auto& s = c.size;
      std::vector<MLOperand> weights;
      t.run(append(t, c, t.input({s.batch, s.height, s.width, s.channels}), weights));
      CHECK(t.kernel.starts_with(kernel));
    };
    one({.size = {1, 12, 12, 1, 32, 5, 5}}, "conv");
    one({.size = {1, 12, 12, 16, 8, 3, 3}}, "conv");
    one({.size = {1, 12, 12, 32, 32, 3, 3}, .groups = 32}, "depthwise");
    // The direct convolution is halved, but Winograd's method has a quarter of the products.
    one({.size = {1, 64, 64, 128, 128, 3, 3}, .padding = {1, 1, 1, 1}}, "winograd 4x4");
    one({.size = {1, 16, 16, 128, 256, 3, 3}, .padding = {1, 1, 1, 1}}, "winograd 4x4");
    // With few pixels, it has more weights to read than products to save.
    one({.size = {1, 5, 5, 64, 64, 3, 3}, .padding = {1, 1, 1, 1}}, "bfloat16 conv");
    one({.size = {1, 8, 8, 128, 256, 3, 3}, .padding = {1, 1, 1, 1}}, "bfloat16 conv");
  });
}

TEST_CASE("bfloat16: what is not finite reaches the pixels that see it") {
  for_ways([](Bfloat16Products how) {
    for (const float special : {INFINITY, -INFINITY, std::nanf(""), 3.4028235e38f})
      for (std::size_t at = 0; at < 7 * 10 * 3; at += 4) {
        const auto run = [&](float v) {
          ChainUnderTest t(in_bfloat16(how));
          std::vector<float> values(7 * 10 * 3);
          for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(i * 7 % 13) - 6;
          values[at] = v;
          const ConvCase c{
              .size = {1, 7, 10, 3, 16, 3, 3}, .padding = {1, 1, 1, 1}, .strides = {2, 2}};
          std::vector<MLOperand> weights;
          auto y = t.run(append(t, c, t.input({1, 7, 10, 3}, values), weights));
          REQUIRE(t.kernel.starts_with("bfloat16 conv"));
          return y;
        };
        const std::vector<float> y = run(special), plain = run(1);
        REQUIRE(y.size() == 4 * 5 * 16);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < y.size(); ++i) {
          const auto sees = [](std::size_t place, std::size_t pixel) {
            return pixel + 1 >= 2 * place && pixel <= 2 * place + 1;
          };
          const bool reached = sees(i / 16 / 5, at / 3 / 10) && sees(i / 16 % 5, at / 3 % 10);
          wrong += reached ? std::isfinite(y[i]) : !same_bits(y[i], plain[i]);
        }
        CAPTURE(special, at);
        CHECK(wrong == 0);
      }
    ChainUnderTest t(in_bfloat16(how));
    std::vector<float> values(9 * 9 * 3, 1.f);
    values[(4 * 9 + 4) * 3 + 1] = INFINITY;
    const MLOperand x = t.input({1, 9, 9, 3}, values);
    const ConvCase c{.size = {1, 9, 9, 3, 16, 3, 3}, .padding = {1, 1, 1, 1}};
    std::vector<MLOperand> weights;
    const auto y = t.run(append(t, c, x, weights));
    REQUIRE(t.kernel.starts_with("bfloat16 conv"));
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t row = i / 16 / 9, column = i / 16 % 9;
      const bool sees = row >= 3 && row <= 5 && column >= 3 && column <= 5;
      CHECK(std::isfinite(y[i]) != sees);
    }
  });
}

}  // namespace
}  // namespace webnn::inline v0_1::test
