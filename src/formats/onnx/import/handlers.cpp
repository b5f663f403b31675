#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {

std::span<const Handler> all_handlers() {
  static const std::vector<Handler> all = [] {
    std::vector<Handler> list;
    for (const auto family : {activation_handlers(),
                              attention_handlers(),
                              blockwise_handlers(),
                              binary_handlers(),
                              bitwise_handlers(),
                              concat_handlers(),
                              control_handlers(),
                              conv_handlers(),
                              cumulative_sum_handlers(),
                              einsum_handlers(),
                              fourier_handlers(),
                              gather_handlers(),
                              generator_handlers(),
                              grid_sample_handlers(),
                              integer_handlers(),
                              inverse_handlers(),
                              logical_handlers(),
                              loss_handlers(),
                              matmul_handlers(),
                              ml_handlers(),
                              normalization_handlers(),
                              pad_handlers(),
                              pool_handlers(),
                              quantization_handlers(),
                              recurrent_handlers(),
                              reduce_handlers(),
                              resize_handlers(),
                              reverse_sequence_handlers(),
                              scatter_handlers(),
                              sequence_handlers(),
                              shape_handlers(),
                              slice_handlers(),
                              softmax_handlers(),
                              space_to_depth_handlers(),
                              top_k_handlers(),
                              triangular_handlers(),
                              unary_handlers(),
                              col2im_handlers(),
                              deform_conv_handlers(),
                              determinant_handlers(),
                              linear_attention_handlers(),
                              random_handlers(),
                              region_handlers(),
                              selection_handlers()})
      list.insert(list.end(), family.begin(), family.end());
    std::sort(list.begin(), list.end(), [](const Handler& a, const Handler& b) {
      return std::pair(a.domain, a.name) < std::pair(b.domain, b.name);
    });
    return list;
  }();
  return all;
}

const Handler* handler_of(std::string_view domain, std::string_view name) {
  const auto all = all_handlers();
  const auto found = std::lower_bound(
      all.begin(), all.end(), std::pair(domain, name),
      [](const Handler& h, const auto& key) { return std::pair(h.domain, h.name) < key; });
  return found != all.end() && found->domain == domain && found->name == name ? &*found : nullptr;
}

}  // namespace webnn::inline v0_1::onnx
