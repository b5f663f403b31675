// Convolutions and products.
#include "src/formats/onnx/export/integer_product.h"

namespace webnn::inline v0_1::onnx::exporter {
namespace {

/// [outputs, inputs, height, width].
Dims order_of(MLConv2dFilterOperandLayout layout) {
  using enum MLConv2dFilterOperandLayout;
  switch (layout) {
    case hwio: return {3, 2, 0, 1};
    case ohwi: return {0, 3, 1, 2};
    case ihwo: return {3, 0, 1, 2};
    default: return {0, 1, 2, 3};
  }
}
/// [inputs, outputs, height, width].
Dims order_of(MLConvTranspose2dFilterOperandLayout layout) {
  using enum MLConvTranspose2dFilterOperandLayout;
  switch (layout) {
    case hwoi: return {3, 2, 0, 1};
    case ohwi: return {3, 0, 1, 2};
    default: return {0, 1, 2, 3};
  }
}

/// What both convolutions have. ONNX's padding is [top, left, bottom, right].
template <class Options> Attributes attributes_of(const Options& o, const Dims& filter) {
  const Dims& p = o.padding;
  Attributes a{{"group", std::int64_t{o.groups}},
               {"kernel_shape", Ints{filter[2], filter[3]}},
               {"pads", Ints{p[0], p[2], p[1], p[3]}},
               {"strides", ints_of(o.strides)}};
  if (o.dilations != Dims{1, 1}) a.push_back({"dilations", ints_of(o.dilations)});
  return a;
}

/// node(image, shape of the result), between transposes where the image is NHWC.
template <class MakeNode>
Value convolution(LoweringContext& s, MLInputOperandLayout layout, Value x, MakeNode node) {
  Emitter& e = s.e();
  const bool nhwc = layout == MLInputOperandLayout::nhwc;
  const Value y =
      node(nhwc ? e.to_nchw(x) : x, nhwc ? permuted(s.shape(), nhwc_to_nchw) : s.shape());
  return nhwc ? e.to_nhwc(y) : y;
}
template <class Op>
Value convolution(LoweringContext& s, const Op& op, std::string_view name, Value filter,
                  Attributes attributes) {
  const auto& o = op.options;
  return convolution(s, o.inputLayout, s(op.input), [&](Value x, const Dims& shape) {
    std::vector<Value> inputs{x, filter};
    if (o.bias) inputs.push_back(s(*o.bias));
    return s.e().like(name, std::move(inputs), shape, std::move(attributes));
  });
}

Value integer_convolution(LoweringContext& s, const ops::conv2d& op, const IntegerProduct& p) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const Value filter = e.transpose(p.w, order_of(o.filterLayout));
  return convolution(s, o.inputLayout, p.x, [&](Value x, const Dims& shape) {
    Value y = product_of_integers(e, "ConvInteger", p, x, filter, shape, {p.channels, 1, 1},
                                  attributes_of(o, e.shape(filter)));
    if (o.bias) y = e.binary("Add", y, e.reshape(s(*o.bias), {p.channels, 1, 1}));
    return y;
  });
}

}  // namespace

Values lower(LoweringContext& s, const ops::conv2d& op) {
  Emitter& e = s.e();
  const Dims order = order_of(op.options.filterLayout);
  if (const auto p = integer_product(s, op.input, op.filter, order[0]))
    return integer_convolution(s, op, *p);
  const Value filter = e.operand_transposed(s(op.filter), order);
  return convolution(s, op, "Conv", filter, attributes_of(op.options, e.shape(filter)));
}

Values lower(LoweringContext& s, const ops::convTranspose2d& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const Value filter = e.operand_transposed(s(op.filter), order_of(o.filterLayout));
  const Dims f = e.shape(filter);
  const std::uint32_t first = o.inputLayout == MLInputOperandLayout::nchw ? 2 : 1;
  Ints more;  // rows and columns at the end
  for (std::uint32_t i = 0; i < 2; ++i) {
    const std::int64_t reach = (std::int64_t{op.input.shape()[first + i]} - 1) * o.strides[i] +
                               (std::int64_t{f[2 + i]} - 1) * o.dilations[i] + 1 -
                               o.padding[2 * i] - o.padding[2 * i + 1];
    more.push_back(s.shape()[first + i] - reach);
  }
  Attributes a = attributes_of(o, f);
  a.push_back({"output_padding", more});
  return convolution(s, op, "ConvTranspose", filter, std::move(a));
}

Values lower(LoweringContext& s, const ops::gemm& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const auto p = o.alpha == 1 && (!o.c || o.beta == 1)
                     ? integer_product(s, op.a, op.b, o.bTranspose ? 0 : 1)
                     : std::nullopt;
  if (p) {
    const Value a = o.aTranspose ? e.transpose(p->x, {1, 0}) : p->x,
                b = o.bTranspose ? e.transpose(p->w, {1, 0}) : p->w;
    const Value y = product_of_integers(e, "MatMulInteger", *p, a, b, s.shape(), {p->channels}, {});
    return o.c ? e.binary("Add", y, s(*o.c)) : y;
  }
  std::vector<Value> inputs{s(op.a), s(op.b)};
  if (o.c) inputs.push_back(s(*o.c));
  return s.e().like("Gemm", std::move(inputs), s.shape(),
                    {{"alpha", static_cast<float>(o.alpha)},
                     {"beta", static_cast<float>(o.beta)},
                     {"transA", std::int64_t{o.aTranspose}},
                     {"transB", std::int64_t{o.bTranspose}}});
}
Values lower(LoweringContext& s, const ops::matmul& op) {
  if (const auto p = integer_product(s, op.a, op.b, op.b.rank() - 1))
    return product_of_integers(s.e(), "MatMulInteger", *p, p->x, p->w, s.shape(), {p->channels},
                               {});
  return s.e().like("MatMul", {s(op.a), s(op.b)}, s.shape());
}

}  // namespace webnn::inline v0_1::onnx::exporter
