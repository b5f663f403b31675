// The operators that fast backends take, in double precision and by their definitions.
#include <cmath>
#include <limits>

#include "src/kernels/common/loop.h"
#include "tests/support/kernel_case.h"

namespace webnn::inline v0_1::test {
namespace {

using Values = std::vector<Exact>;
constexpr double epsilon = 0x1p-24;  // half a unit in the last place, relative

/// A sum of products as float32 may round it, in any order.
struct Sum {
  double value = 0, size = 0;
  int terms = 0;

  void add(double v) {
    value += v;
    size += std::abs(v);
    ++terms;
  }
  Exact exact() const { return {value, size * (terms + 2) * epsilon}; }
};

Values conv2d(const ops::conv2d& op, const Node& node, const std::vector<Values>& in) {
  const MLConv2dOptions& o = op.options;
  const auto x = shape::image(op.input.shape(), o.inputLayout);
  const auto y = shape::image(node.output().shape(), o.inputLayout);
  const ops::Filter f = ops::filter_sizes(op.filter.shape(), o.filterLayout);
  const bool nhwc = o.inputLayout == MLInputOperandLayout::nhwc;
  const auto at = [&](const shape::Image& s, std::uint64_t n, std::uint64_t c, std::uint64_t h,
                      std::uint64_t w) {
    return nhwc ? ((n * s.height + h) * s.width + w) * s.channels + c
                : ((n * s.channels + c) * s.height + h) * s.width + w;
  };
  const auto weight = [&](std::uint64_t oc, std::uint64_t ic, std::uint64_t h, std::uint64_t w) {
    using enum MLConv2dFilterOperandLayout;
    switch (o.filterLayout) {
      case oihw: return ((oc * f.inputs + ic) * f.height + h) * f.width + w;
      case hwio: return ((h * f.width + w) * f.inputs + ic) * f.outputs + oc;
      case ohwi: return ((oc * f.height + h) * f.width + w) * f.inputs + ic;
      case ihwo: return ((ic * f.height + h) * f.width + w) * f.outputs + oc;
    }
    return std::uint64_t{0};
  };
  Values out(element_count(node.output().shape()));
  const std::uint64_t each = f.outputs / o.groups;
  for (std::uint64_t n = 0; n < y.batch; ++n)
    for (std::uint64_t oc = 0; oc < y.channels; ++oc)
      for (std::uint64_t oh = 0; oh < y.height; ++oh)
        for (std::uint64_t ow = 0; ow < y.width; ++ow) {
          Sum sum;
          if (o.bias) sum.add(in[2][oc].value);
          for (std::uint64_t kh = 0; kh < f.height; ++kh)
            for (std::uint64_t kw = 0; kw < f.width; ++kw) {
              const auto h =
                  static_cast<std::int64_t>(oh * o.strides[0] + kh * o.dilations[0]) - o.padding[0];
              const auto w =
                  static_cast<std::int64_t>(ow * o.strides[1] + kw * o.dilations[1]) - o.padding[2];
              if (h < 0 || w < 0 || h >= static_cast<std::int64_t>(x.height) ||
                  w >= static_cast<std::int64_t>(x.width))
                continue;
              for (std::uint64_t ic = 0; ic < f.inputs; ++ic)
                sum.add(in[0][at(x, n, oc / each * f.inputs + ic, static_cast<std::uint64_t>(h),
                                 static_cast<std::uint64_t>(w))]
                            .value *
                        in[1][weight(oc, ic, kh, kw)].value);
            }
          out[at(y, n, oc, oh, ow)] = sum.exact();
        }
  return out;
}

Values gemm(const ops::gemm& op, const Node& node, const std::vector<Values>& in) {
  const std::size_t m = node.output().shape()[0], n = node.output().shape()[1];
  const std::size_t k = op.a.shape()[op.options.aTranspose ? 0 : 1];
  const auto alpha = static_cast<float>(op.options.alpha),
             beta = static_cast<float>(op.options.beta);
  std::array<std::ptrdiff_t, max_rank> c{};
  if (op.options.c) c = broadcast_strides(op.options.c->shape(), node.output().shape());
  Values out(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      Sum sum;
      for (std::size_t t = 0; t < k; ++t)
        sum.add(alpha * in[0][op.options.aTranspose ? t * m + i : i * k + t].value *
                in[1][op.options.bTranspose ? j * k + t : t * n + j].value);
      if (op.options.c)
        sum.add(
            beta *
            in[2][i * static_cast<std::size_t>(c[0]) + j * static_cast<std::size_t>(c[1])].value);
      sum.terms += 2;  // alpha and beta round
      out[i * n + j] = sum.exact();
    }
  return out;
}

Values matmul(const ops::matmul& op, const Node& node, const std::vector<Values>& in) {
  const Dims &a = op.a.shape(), &b = op.b.shape(), &y = node.output().shape();
  const std::size_t m = y.end()[-2], n = y.end()[-1], k = a.end()[-1];
  const Dims batch(y.begin(), y.end() - 2);
  const auto sa = broadcast_strides(Dims(a.begin(), a.end() - 2), batch);
  const auto sb = broadcast_strides(Dims(b.begin(), b.end() - 2), batch);
  Values out(element_count(y));
  for (std::size_t p = 0; p < out.size() / (m * n); ++p) {
    std::size_t at_a = 0, at_b = 0, rest = p;
    for (std::size_t d = batch.size(); d-- > 0; rest /= batch[d]) {
      at_a += rest % batch[d] * static_cast<std::size_t>(sa[d]);
      at_b += rest % batch[d] * static_cast<std::size_t>(sb[d]);
    }
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        Sum sum;
        for (std::size_t t = 0; t < k; ++t)
          sum.add(in[0][(at_a * m + i) * k + t].value * in[1][(at_b * k + t) * n + j].value);
        out[(p * m + i) * n + j] = sum.exact();
      }
  }
  return out;
}

template <class Finish>
Values pool(const MLOperand& input, const MLPool2dOptions& o, const Node& node, const Values& in,
            Finish finish) {
  const auto x = shape::image(input.shape(), o.layout),
             y = shape::image(node.output().shape(), o.layout);
  const bool nhwc = o.layout == MLInputOperandLayout::nhwc;
  const std::uint64_t wh = o.windowDimensions ? (*o.windowDimensions)[0] : x.height;
  const std::uint64_t ww = o.windowDimensions ? (*o.windowDimensions)[1] : x.width;
  const auto at = [&](const shape::Image& s, std::uint64_t n, std::uint64_t c, std::uint64_t h,
                      std::uint64_t w) {
    return nhwc ? ((n * s.height + h) * s.width + w) * s.channels + c
                : ((n * s.channels + c) * s.height + h) * s.width + w;
  };
  Values out(element_count(node.output().shape()));
  for (std::uint64_t n = 0; n < y.batch; ++n)
    for (std::uint64_t c = 0; c < y.channels; ++c)
      for (std::uint64_t oh = 0; oh < y.height; ++oh)
        for (std::uint64_t ow = 0; ow < y.width; ++ow) {
          std::vector<double> window;
          for (std::uint64_t kh = 0; kh < wh; ++kh)
            for (std::uint64_t kw = 0; kw < ww; ++kw) {
              const auto h =
                  static_cast<std::int64_t>(oh * o.strides[0] + kh * o.dilations[0]) - o.padding[0];
              const auto w =
                  static_cast<std::int64_t>(ow * o.strides[1] + kw * o.dilations[1]) - o.padding[2];
              if (h < 0 || w < 0 || h >= static_cast<std::int64_t>(x.height) ||
                  w >= static_cast<std::int64_t>(x.width))
                continue;
              window.push_back(
                  in[at(x, n, c, static_cast<std::uint64_t>(h), static_cast<std::uint64_t>(w))]
                      .value);
            }
          out[at(y, n, c, oh, ow)] = finish(window);
        }
  return out;
}

Exact average(const std::vector<double>& window) {
  Sum sum;
  for (double v : window) sum.add(v);
  const Exact e = sum.exact();
  const auto n = static_cast<double>(window.size());
  return {e.value / n, e.error / n + 2 * epsilon * std::abs(e.value / n)};
}
Exact largest(const std::vector<double>& window) {
  double most = -std::numeric_limits<double>::infinity();
  for (double v : window) most = v > most || std::isnan(v) ? v : most;
  return {most, 0};
}

Values softmax(const Node& node, const Values& in) {
  const std::size_t n = node.output().shape().back();
  Values out(in.size());
  for (std::size_t row = 0; row < in.size(); row += n) {
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::size_t i = 0; i < n; ++i) most = std::max(most, in[row + i].value);
    for (std::size_t i = 0; i < n; ++i) sum += std::exp(in[row + i].value - most);
    for (std::size_t i = 0; i < n; ++i) {
      const double v = std::exp(in[row + i].value - most) / sum;
      // Where a factor of the result would be subnormal it may be taken as zero.
      out[row + i] = {v, 2 * epsilon * (3 * static_cast<double>(n) + 3) * v + 0x1p-125};
    }
  }
  return out;
}

/// `ulps` of the result, as the tests of the specification allow; a function of what a product
/// gave also inherits its error, `slope` times.
template <class F> Values each(const Values& in, double ulps, double slope, F f) {
  Values out;
  for (const Exact& x : in) {
    const double v = f(x.value);
    // What a chain rounds in between counts with the size of the operand.
    const double inherited = x.error > 0 ? slope * x.error + 8 * epsilon * std::abs(x.value) : 0;
    out.push_back({v, 2 * epsilon * ulps * std::abs(v) + inherited + (ulps > 0 ? 0x1p-126 : 0)});
  }
  return out;
}

template <class F> Values pairs(const Node& node, const std::vector<Values>& in, double ulps, F f) {
  const Dims& shape = node.output().shape();
  const auto sa = broadcast_strides(node.input(0).shape(), shape),
             sb = broadcast_strides(node.input(1).shape(), shape);
  Values out(element_count(shape));
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::size_t a = 0, b = 0, rest = i;
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
      a += rest % shape[d] * static_cast<std::size_t>(sa[d]);
      b += rest % shape[d] * static_cast<std::size_t>(sb[d]);
    }
    const double v = f(in[0][a].value, in[1][b].value);
    out[i] = {v, 2 * epsilon * ulps * std::abs(v) + in[0][a].error + in[1][b].error +
                     (ulps > 0 ? 0x1p-149 : 0)};
  }
  return out;
}

double gelu_of(double x) {
  return std::isinf(x) && x < 0 ? 0 : 0.5 * x * std::erfc(-x / std::sqrt(2.0));
}

std::optional<Values> unary(const Node& node, const Values& x) {
  const auto f32 = [](double v) { return static_cast<double>(static_cast<float>(v)); };
  const auto bound = [&](const std::optional<MLNumber>& v, double none) {
    const double d = v ? v->to(float32).as_double() : none;
    return std::isnan(d) ? none : d;
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (node.as<ops::relu>()) return each(x, 0, 1, [](double v) { return v < 0 ? 0 : v; });
  if (const auto* op = node.as<ops::clamp>()) {
    const double lo = bound(op->options.minValue, -infinity),
                 hi = bound(op->options.maxValue, infinity);
    return each(x, 0, 1, [=](double v) { return v < lo ? lo : v > hi ? hi : v; });
  }
  if (const auto* op = node.as<ops::leakyRelu>()) {
    const double a = f32(op->options.alpha);
    return each(x, 1, std::max(1.0, std::abs(a)), [=](double v) { return v < 0 ? a * v : v; });
  }
  if (const auto* op = node.as<ops::elu>()) {
    const double a = f32(op->options.alpha);
    return each(x, 18, std::max(1.0, std::abs(a)),
                [=](double v) { return v < 0 ? a * std::expm1(v) : v; });
  }
  if (const auto* op = node.as<ops::linear>()) {
    const double a = f32(op->options.alpha), b = f32(op->options.beta);
    return each(x, 2, std::abs(a), [=](double v) { return a * v + b; });
  }
  if (const auto* op = node.as<ops::hardSigmoid>()) {
    const double a = f32(op->options.alpha), b = f32(op->options.beta);
    return each(x, 2, std::abs(a),
                [=](double v) { return v != v ? v : std::max(0.0, std::min(1.0, a * v + b)); });
  }
  if (node.as<ops::hardSwish>())
    return each(x, 4, 1.5, [](double v) { return v * std::max(0.0, std::min(6.0, v + 3)) / 6; });
  if (node.as<ops::sigmoid>())
    return each(x, 34, 1, [](double v) { return 1 / (1 + std::exp(-v)); });
  if (node.as<ops::tanh>()) return each(x, 16, 1, [](double v) { return std::tanh(v); });
  if (node.as<ops::gelu>()) return each(x, 18, 1.2, gelu_of);
  if (node.as<ops::abs>()) return each(x, 0, 1, [](double v) { return std::abs(v); });
  if (node.as<ops::ceil>()) return each(x, 0, 1, [](double v) { return std::ceil(v); });
  if (node.as<ops::floor>()) return each(x, 0, 1, [](double v) { return std::floor(v); });
  if (node.as<ops::neg>()) return each(x, 0, 1, [](double v) { return -v; });
  if (node.as<ops::roundEven>()) return each(x, 0, 1, [](double v) { return std::nearbyint(v); });
  if (node.as<ops::sqrt>()) return each(x, 1, 1, [](double v) { return std::sqrt(v); });
  if (node.as<ops::exp>()) return each(x, 32, 1, [](double v) { return std::exp(v); });
  if (node.as<ops::log>()) return each(x, 8, 1, [](double v) { return std::log(v); });
  return std::nullopt;
}

Values evaluate(const Node& node, const std::vector<Values>& in) {
  if (const auto* op = node.as<ops::conv2d>()) return conv2d(*op, node, in);
  if (const auto* op = node.as<ops::gemm>()) return gemm(*op, node, in);
  if (const auto* op = node.as<ops::matmul>()) return matmul(*op, node, in);
  if (const auto* op = node.as<ops::averagePool2d>())
    return pool(op->input, op->options, node, in[0], average);
  if (const auto* op = node.as<ops::maxPool2d>())
    return pool(op->input, op->options, node, in[0], largest);
  if (node.as<ops::softmax>()) return softmax(node, in[0]);
  if (node.as<ops::add>()) return pairs(node, in, 1, [](double a, double b) { return a + b; });
  if (node.as<ops::sub>()) return pairs(node, in, 1, [](double a, double b) { return a - b; });
  if (node.as<ops::mul>()) return pairs(node, in, 1, [](double a, double b) { return a * b; });
  if (node.as<ops::div>()) return pairs(node, in, 2, [](double a, double b) { return a / b; });
  if (node.as<ops::max>())
    return pairs(node, in, 0, [](double a, double b) {
      return std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b);
    });
  if (node.as<ops::min>())
    return pairs(node, in, 0, [](double a, double b) {
      return std::isnan(a) || std::isnan(b) ? std::nan("") : std::min(a, b);
    });
  if (auto values = unary(node, in[0])) return *values;
  throw std::logic_error("no exact loop for " + std::string(node.name()));
}

}  // namespace

std::vector<Exact> exact(const KernelCase& c) {
  Values before;
  std::size_t next = 0;
  for (std::size_t i = 0; i < c.chain().size(); ++i) {
    const Node& node = c.chain()[i];
    std::vector<Values> in;
    for (const MLOperand& x : node.inputs()) {
      if (i > 0 && x.is(c.chain()[i - 1].output())) {
        in.push_back(before);
        continue;
      }
      Values v;
      for (float f : c.input(next)) v.push_back({f, 0});
      ++next;
      in.push_back(std::move(v));
    }
    before = evaluate(node, in);
  }
  return before;
}

}  // namespace webnn::inline v0_1::test
