// A conv2d of nhwc images, against sums in double precision.
#pragma once

#include "tests/kernels/simd/activations.h"

namespace webnn::inline v0_1::test {

struct ConvCase {
  struct Size {
    std::uint32_t batch, height, width, channels, outputs, kernel_h, kernel_w;
  };
  Size size;
  Dims padding{0, 0, 0, 0}, strides{1, 1}, dilations{1, 1};
  std::uint32_t groups = 1;
  bool bias = true;
  std::string kernel = "";  // how the name of the kernel begins
};

inline std::ostream& operator<<(std::ostream& s, const ConvCase& c) {
  s << c.size.batch << 'x' << c.size.height << 'x' << c.size.width << 'x' << c.size.channels
    << " -> " << c.size.outputs << ", " << c.size.kernel_h << 'x' << c.size.kernel_w << ", groups "
    << c.groups << ", padding";
  for (auto v : c.padding) s << ' ' << v;
  return s << ", strides " << c.strides[0] << ' ' << c.strides[1] << ", dilations "
           << c.dilations[0] << ' ' << c.dilations[1];
}

/// The convolution of x with random constants, which are appended to weights: filter, bias or null.
inline MLOperand append(ChainUnderTest& t, const ConvCase& c, MLOperand x,
                        std::vector<MLOperand>& weights) {
  weights.push_back(
      t.constant({c.size.outputs, c.size.kernel_h, c.size.kernel_w, c.size.channels / c.groups}));
  MLConv2dOptions o{.padding = c.padding,
                    .strides = c.strides,
                    .dilations = c.dilations,
                    .groups = c.groups,
                    .inputLayout = MLInputOperandLayout::nhwc,
                    .filterLayout = MLConv2dFilterOperandLayout::ohwi};
  if (c.bias) o.bias = t.constant({c.size.outputs});
  weights.push_back(c.bias ? *o.bias : MLOperand());
  return t.b.conv2d(x, weights.end()[-2], o);
}

/// Each element of the result, before the epilogue.
template <class X>
std::vector<Sum> convolve(const ConvCase& c, const std::vector<X>& x, const std::vector<float>& w,
                          const std::vector<float>* bias, const Dims& out) {
  std::vector<Sum> y;
  const std::uint32_t inputs = c.size.channels / c.groups, outputs = c.size.outputs / c.groups;
  for (std::uint32_t n = 0; n < out[0]; ++n)
    for (std::uint32_t oy = 0; oy < out[1]; ++oy)
      for (std::uint32_t ox = 0; ox < out[2]; ++ox)
        for (std::uint32_t oc = 0; oc < out[3]; ++oc) {
          Sum sum;
          if (bias) sum.add((*bias)[oc]);
          for (std::uint32_t ky = 0; ky < c.size.kernel_h; ++ky)
            for (std::uint32_t kx = 0; kx < c.size.kernel_w; ++kx) {
              const std::int64_t iy = std::int64_t{oy} * c.strides[0] +
                                      std::int64_t{ky} * c.dilations[0] - c.padding[0];
              const std::int64_t ix = std::int64_t{ox} * c.strides[1] +
                                      std::int64_t{kx} * c.dilations[1] - c.padding[2];
              if (iy < 0 || iy >= c.size.height || ix < 0 || ix >= c.size.width) continue;
              for (std::uint32_t i = 0; i < inputs; ++i)
                sum.add(x[static_cast<std::size_t>(((n * c.size.height + iy) * c.size.width + ix) *
                                                       c.size.channels +
                                                   oc / outputs * inputs + i)],
                        w[((oc * c.size.kernel_h + ky) * c.size.kernel_w + kx) * inputs + i]);
            }
          y.push_back(sum);
        }
  return y;
}

inline std::vector<Sum> expected(const ChainUnderTest& t, const ConvCase& c,
                                 const std::vector<float>& x, const std::vector<MLOperand>& weights,
                                 const Dims& out) {
  return convolve(c, x, t.values(weights[0]), c.bias ? &t.values(weights[1]) : nullptr, out);
}

}  // namespace webnn::inline v0_1::test
