#include "src/kernels/onednn/tile.h"

namespace webnn::inline v0_1::onednn {

dnnl::primitive_attr attributes_of(const Epilogue& e, bool sums, float scale) {
  using enum dnnl::algorithm;
  dnnl::post_ops ops;
  if (sums) ops.append_sum(1.f);
  // Version 2 confuses two post-operations of the same kind: never two linear ones.
  const bool linear =
      e.activation == Activation::linear || e.activation == Activation::hard_sigmoid;
  if (scale != 1 && !linear) append_eltwise(ops, eltwise_linear, scale, 0);
  switch (e.activation) {
    case Activation::none: break;
    case Activation::clamp: break;  // done by Tile
    case Activation::sigmoid:
    case Activation::elu:
    case Activation::gelu:
    case Activation::swish: break;  // refused before
    case Activation::leaky_relu: append_eltwise(ops, eltwise_relu, e.alpha, 0); break;
    case Activation::hard_swish: append_hard_swish(ops); break;
    case Activation::hard_sigmoid:
      append_eltwise(ops, eltwise_linear, scale * e.alpha, e.beta);
      break;
    case Activation::tanh: append_eltwise(ops, eltwise_tanh, 0, 0); break;
    case Activation::linear: append_eltwise(ops, eltwise_linear, scale * e.alpha, e.beta); break;
  }
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(ops);
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

}  // namespace webnn::inline v0_1::onednn
