#include "tests/formats/executorch/replay.h"

#include <xnnpack.h>

#include <map>

#include "src/formats/executorch/import/blob.h"

// The calls of 2022 are deprecated in 2024.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace webnn::inline v0_1::executorch::test {
namespace {

using Id = std::uint32_t;

struct Cannot {
  std::string reason;
};
void require(xnn_status status, const std::string& what) {
  if (status != xnn_status_success)
    throw Cannot{what + ": status " + std::to_string(static_cast<int>(status))};
}

xnn_datatype type_of(DataType type) {
  switch (type) {
    case DataType::fp32: return xnn_datatype_fp32;
    case DataType::fp16: return xnn_datatype_fp16;
    case DataType::qint8: return xnn_datatype_qint8;
    case DataType::quint8: return xnn_datatype_quint8;
    case DataType::qint32: return xnn_datatype_qint32;
    case DataType::qcint8: return xnn_datatype_qcint8;
    case DataType::qcint32: return xnn_datatype_qcint32;
#if WEBNN_TEST_XNNPACK_2024
    case DataType::qcint4: return xnn_datatype_qcint4;
    case DataType::qdint8: return xnn_datatype_qdint8;
    case DataType::qbint4: return xnn_datatype_qbint4;
#endif
    default: throw Cannot{"the type " + std::to_string(static_cast<int>(type))};
  }
}

class Subgraph {
 public:
  Subgraph(const Blob& blob) : blob_(blob) {
    require(xnn_initialize(nullptr), "xnn_initialize");
    require(xnn_create_subgraph(blob.graph->num_externs(), 0, &subgraph_), "xnn_create_subgraph");
    ids_[no_value] = XNN_INVALID_VALUE_ID;
    for (const xnn::Value* v : *blob.graph->xvalues()) define(*v);
    for (const xnn::Node* n : *blob.graph->xnodes()) define(*n);
  }
  ~Subgraph() {
    if (runtime_) xnn_delete_runtime(runtime_);
    if (subgraph_) xnn_delete_subgraph(subgraph_);
  }
  Subgraph(const Subgraph&) = delete;

  std::vector<Tensor> run(std::span<const Tensor> inputs, const Model& model) {
    require(xnn_create_runtime_v2(subgraph_, nullptr, 0, &runtime_), "xnn_create_runtime_v2");
    std::vector<std::vector<std::byte>> memory;
    std::vector<xnn_external_value> externals;
    const auto add = [&](Id id, std::size_t bytes) {
      memory.emplace_back(bytes + XNN_EXTRA_BYTES);
      externals.push_back({id, memory.back().data()});
    };
    std::size_t k = 0;
    for (const auto& [external, value] : inputs_) {
      add(external, inputs[k].bytes.size());
      std::copy(inputs[k].bytes.begin(), inputs[k].bytes.end(), memory.back().begin());
      ++k;
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      add(std::next(outputs_.begin(), static_cast<std::ptrdiff_t>(i))->first,
          byte_length(model.outputs[i].operand.descriptor()));
    require(xnn_setup_runtime(runtime_, externals.size(), externals.data()), "xnn_setup_runtime");
    require(xnn_invoke_runtime(runtime_), "xnn_invoke_runtime");
    std::vector<Tensor> results;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const auto& d = model.outputs[i].operand.descriptor();
      Tensor t{d.dataType, d.shape, std::move(memory[inputs.size() + i])};
      t.bytes.resize(byte_length(d));
      results.push_back(std::move(t));
    }
    return results;
  }

 private:
  Id id(Id serialized) const { return ids_.at(serialized); }
  std::vector<std::size_t> sizes(const fb::Vector<std::uint32_t>* v) const {
    return v ? std::vector<std::size_t>(v->begin(), v->end()) : std::vector<std::size_t>();
  }

  void define(const xnn::Value& table) {
    const auto* q = table.value_as_QuantizedTensorValue();
    const xnn::TensorValue& t = q ? *q->tensor_value() : *table.value_as_TensorValue();
    if (t.dq_datatype() != DataType::invalid) throw Cannot{"dq_datatype"};
    const auto dims = sizes(t.dims());
    const void* data = nullptr;
    if (t.constant_buffer_idx()) {
      // So many bytes beyond the constant may be read.
      auto bytes = constant_bytes(blob_, t.constant_buffer_idx());
      constants_.emplace_back(bytes->begin(), bytes->end());
      constants_.back().resize(constants_.back().size() + XNN_EXTRA_BYTES);
      data = constants_.back().data();
    }
    Id made = XNN_INVALID_VALUE_ID;
    const xnn_datatype type = type_of(t.datatype());
    const auto* tensor = q ? q->quant_params_as_PerTensorQuant() : nullptr;
    const auto* channel = q ? q->quant_params_as_PerChannelQuant() : nullptr;
    if (!q)
      require(xnn_define_tensor_value(subgraph_, type, dims.size(), dims.data(), data,
                                      t.external_id(), t.flags(), &made),
              "a tensor");
    else if (tensor)
      require(xnn_define_quantized_tensor_value(subgraph_, type, tensor->zero_point(),
                                                tensor->scale(), dims.size(), dims.data(), data,
                                                t.external_id(), t.flags(), &made),
              "a quantized tensor");
#if WEBNN_TEST_XNNPACK_2024
    else if (channel)
      require(
          xnn_define_channelwise_quantized_tensor_value_v2(
              subgraph_, type, t.datatype() == DataType::qcint4 ? 8 : 0, channel->scale()->data(),
              dims.size(), static_cast<std::size_t>(channel->channel_dim()), dims.data(), data,
              t.external_id(), t.flags(), &made),
          "a tensor quantized by channels");
    else if (const auto* token = q->quant_params_as_PerTokenDynamicQuant())
      require(
          xnn_define_dynamically_quantized_tensor_value(
              subgraph_, type, dims.size(), static_cast<std::size_t>(token->num_nonbatch_dims()),
              dims.data(), t.external_id(), t.flags(), &made),
          "a tensor quantized by rows");
#else
    else if (channel)
      require(xnn_define_channelwise_quantized_tensor_value(
                  subgraph_, type, channel->scale()->data(), dims.size(),
                  static_cast<std::size_t>(channel->channel_dim()), dims.data(), data,
                  t.external_id(), t.flags(), &made),
              "a tensor quantized by channels");
#endif
    else throw Cannot{"another kind of quantization"};
    ids_[t.id_out()] = made;
    if (t.flags() & external_input) inputs_[t.external_id()] = t.id_out();
    if (t.flags() & external_output) outputs_[t.external_id()] = t.id_out();
  }

  void define(const xnn::Node& n) {
    const float low = n.output_min_max() ? n.output_min_max()->output_min() : -INFINITY;
    const float high = n.output_min_max() ? n.output_min_max()->output_max() : INFINITY;
    require(defined(n, low, high), std::string(name_of_kind(n.node_type())));
  }

  using Unary = xnn_status (*)(xnn_subgraph_t, Id, Id, Id);
  using Binary = xnn_status (*)(xnn_subgraph_t, Id, Id, Id, Id);
  using Limited = xnn_status (*)(xnn_subgraph_t, float, float, Id, Id, Id, Id);
  xnn_status unary(const xnn::Node& n, Unary f) const {
    const auto& t = *static_cast<const xnn::Node1x1*>(n.node());
    return f(subgraph_, id(t.input_id()), id(t.output_id()), t.flags());
  }
  xnn_status binary(const xnn::Node& n, Binary f) const {
    const auto& t = *static_cast<const xnn::Node2x1*>(n.node());
    return f(subgraph_, id(t.input1_id()), id(t.input2_id()), id(t.output_id()), t.flags());
  }
  xnn_status limited(const xnn::Node& n, Limited f, float low, float high) const {
    const auto& t = *static_cast<const xnn::Node2x1*>(n.node());
    return f(subgraph_, low, high, id(t.input1_id()), id(t.input2_id()), id(t.output_id()),
             t.flags());
  }

  xnn_status defined(const xnn::Node& n, float low, float high) const {
    switch (n.node_type()) {
      case Kind::Add: return limited(n, xnn_define_add2, low, high);
      case Kind::Subtract: return limited(n, xnn_define_subtract, low, high);
      case Kind::Multiply: return limited(n, xnn_define_multiply2, low, high);
      case Kind::Div: return limited(n, xnn_define_divide, low, high);
      case Kind::Minimum: return binary(n, xnn_define_minimum2);
      case Kind::Maximum: return binary(n, xnn_define_maximum2);
      case Kind::PReLU: return binary(n, xnn_define_prelu);
      case Kind::Abs: return unary(n, xnn_define_abs);
      case Kind::Ceiling: return unary(n, xnn_define_ceiling);
      case Kind::Floor: return unary(n, xnn_define_floor);
      case Kind::Hardswish: return unary(n, xnn_define_hardswish);
      case Kind::Negate: return unary(n, xnn_define_negate);
      case Kind::Sigmoid: return unary(n, xnn_define_sigmoid);
      case Kind::Softmax: return unary(n, xnn_define_softmax);
      case Kind::Square: return unary(n, xnn_define_square);
      case Kind::SquareRoot: return unary(n, xnn_define_square_root);
      case Kind::Convert: return unary(n, xnn_define_convert);
      case Kind::Clamp: {
        const auto& t = *n.node_as_Clamp();
        return xnn_define_clamp(subgraph_, low, high, id(t.input_id()), id(t.output_id()),
                                t.flags());
      }
      case Kind::LeakyReLU: {
        const auto& t = *n.node_as_LeakyReLU();
        return xnn_define_leaky_relu(subgraph_, t.negative_slope(), id(t.input_id()),
                                     id(t.output_id()), t.flags());
      }
      case Kind::ELU: {
        const auto& t = *n.node_as_ELU();
        return xnn_define_elu(subgraph_, t.alpha(), id(t.input_id()), id(t.output_id()), t.flags());
      }
      case Kind::FullyConnected: {
        const auto& t = *n.node_as_FullyConnected();
        return xnn_define_fully_connected(subgraph_, low, high, id(t.input1_id()),
                                          id(t.filter_id()), id(t.bias_id()), id(t.output_id()),
                                          t.flags());
      }
      default: return image(n, low, high);
    }
  }

  xnn_status image(const xnn::Node& n, float low, float high) const {
    switch (n.node_type()) {
      case Kind::Conv2d: {
        const auto& t = *n.node_as_Conv2d();
        return xnn_define_convolution_2d(
            subgraph_, t.padding_top(), t.padding_right(), t.padding_bottom(), t.padding_left(),
            t.kernel_height(), t.kernel_width(), t.subsampling_height(), t.subsampling_width(),
            t.dilation_height(), t.dilation_width(), t.groups(), t.group_input_channels(),
            t.group_output_channels(), low, high, id(t.input1_id()), id(t.filter_id()),
            id(t.bias_id()), id(t.output_id()), t.flags());
      }
      case Kind::DepthwiseConv2d: {
        const auto& t = *n.node_as_DepthwiseConv2d();
        return xnn_define_depthwise_convolution_2d(
            subgraph_, t.padding_top(), t.padding_right(), t.padding_bottom(), t.padding_left(),
            t.kernel_height(), t.kernel_width(), t.subsampling_height(), t.subsampling_width(),
            t.dilation_height(), t.dilation_width(),
            t.group_output_channels() / t.group_input_channels(), t.groups(), low, high,
            id(t.input1_id()), id(t.filter_id()), id(t.bias_id()), id(t.output_id()), t.flags());
      }
      case Kind::ConvTranspose2d: {
        const auto& t = *n.node_as_ConvTranspose2d();
        return xnn_define_deconvolution_2d(
            subgraph_, t.padding_top(), t.padding_right(), t.padding_bottom(), t.padding_left(),
            t.adjustment_height(), t.adjustment_width(), t.kernel_height(), t.kernel_width(),
            t.subsampling_height(), t.subsampling_width(), t.dilation_height(), t.dilation_width(),
            t.groups(), t.group_input_channels(), t.group_output_channels(), low, high,
            id(t.input1_id()), id(t.filter_id()), id(t.bias_id()), id(t.output_id()), t.flags());
      }
      case Kind::AvgPooling2d: {
        const auto& t = *n.node_as_AvgPooling2d();
        return xnn_define_average_pooling_2d(
            subgraph_, t.padding_top(), t.padding_right(), t.padding_bottom(), t.padding_left(),
            t.pooling_height(), t.pooling_width(), t.stride_height(), t.stride_width(), low, high,
            id(t.input_id()), id(t.output_id()), t.flags());
      }
      case Kind::MaxPooling2d: {
        const auto& t = *n.node_as_MaxPooling2d();
        return xnn_define_max_pooling_2d(subgraph_, t.padding_top(), t.padding_right(),
                                         t.padding_bottom(), t.padding_left(), t.pooling_height(),
                                         t.pooling_width(), t.stride_height(), t.stride_width(),
                                         t.dilation_height(), t.dilation_width(), low, high,
                                         id(t.input_id()), id(t.output_id()), t.flags());
      }
      case Kind::GlobalAvgPooling2d: {
        const auto& t = *n.node_as_GlobalAvgPooling2d();
        // Dimensions are kept without being asked in 2022.
        const std::uint32_t flags = WEBNN_TEST_XNNPACK_2024 ? t.flags() : t.flags() & ~keep_dims;
        return xnn_define_global_average_pooling_2d(subgraph_, low, high, id(t.input_id()),
                                                    id(t.output_id()), flags);
      }
      case Kind::ArgMaxPooling2d: {
        const auto& t = *n.node_as_ArgMaxPooling2d();
        return xnn_define_argmax_pooling_2d(
            subgraph_, t.padding_top(), t.padding_right(), t.padding_bottom(), t.padding_left(),
            t.pooling_height(), t.pooling_width(), id(t.input_id()), id(t.output_value_id()),
            id(t.output_index_id()), t.flags());
      }
      case Kind::StaticResizeBilinear2D: {
        const auto& t = *n.node_as_StaticResizeBilinear2D();
        return xnn_define_static_resize_bilinear_2d(subgraph_, t.new_height(), t.new_width(),
                                                    id(t.input_id()), id(t.output_id()), t.flags());
      }
      default: return movement(n);
    }
  }

  xnn_status movement(const xnn::Node& n) const {
    switch (n.node_type()) {
      case Kind::StaticReshape: {
        const auto& t = *n.node_as_StaticReshape();
        const auto shape = sizes(t.new_shape());
        return xnn_define_static_reshape(subgraph_, shape.size(), shape.data(), id(t.input_id()),
                                         id(t.output_id()), t.flags());
      }
      case Kind::StaticConstantPad: {
        const auto& t = *n.node_as_StaticConstantPad();
        const auto before = sizes(t.pre_paddings()), after = sizes(t.post_paddings());
        return xnn_define_static_constant_pad(subgraph_, before.data(), after.data(),
                                              t.padding_value(), id(t.input_id()),
                                              id(t.output_id()), t.flags());
      }
#if WEBNN_TEST_XNNPACK_2024
      case Kind::StaticTranspose: {
        const auto& t = *n.node_as_StaticTranspose();
        const auto order = sizes(t.perm());
        return xnn_define_static_transpose(subgraph_, order.size(), order.data(), id(t.input_id()),
                                           id(t.output_id()), t.flags());
      }
      case Kind::StaticSlice: {
        const auto& t = *n.node_as_StaticSlice();
        const auto starts = sizes(t.offsets()), lengths = sizes(t.sizes());
        return xnn_define_static_slice(subgraph_, starts.size(), starts.data(), lengths.data(),
                                       id(t.input_id()), id(t.output_id()), t.flags());
      }
      case Kind::Concatenate2: {
        const auto& t = *n.node_as_Concatenate2();
        return xnn_define_concatenate2(subgraph_, t.axis(), id(t.input1_id()), id(t.input2_id()),
                                       id(t.output_id()), t.flags());
      }
      case Kind::BatchMatrixMultiply: return binary(n, xnn_define_batch_matrix_multiply);
      case Kind::Copy: return unary(n, xnn_define_copy);
      case Kind::Tanh: return of_type(n, xnn_unary_tanh);
      case Kind::Exp: return of_type(n, xnn_unary_exp);
      case Kind::Log: return of_type(n, xnn_unary_log);
      case Kind::Gelu: return of_type(n, xnn_unary_gelu);
      case Kind::ReciprocalSquareRoot: return of_type(n, xnn_unary_reciprocal_square_root);
#endif
      default: throw Cannot{"no call for " + std::string(name_of_kind(n.node_type()))};
    }
  }
#if WEBNN_TEST_XNNPACK_2024
  xnn_status of_type(const xnn::Node& n, xnn_unary_operator type) const {
    const auto& t = *static_cast<const xnn::Node1x1*>(n.node());
    return xnn_define_unary(subgraph_, type, nullptr, id(t.input_id()), id(t.output_id()),
                            t.flags());
  }
#endif

  const Blob& blob_;
  xnn_subgraph_t subgraph_ = nullptr;
  xnn_runtime_t runtime_ = nullptr;
  std::map<Id, Id> ids_{}, inputs_{}, outputs_{};  // inputs and outputs by external id
  std::vector<std::vector<std::byte>> constants_{};
};

}  // namespace

Replay replay(std::span<const std::byte> bytes, std::span<const Tensor> inputs) {
  MLGraphBuilder builder(webnn::test::plain_context());
  const Model model = import_model(builder, bytes);
  auto blob = open_blob({{}, bytes}, {});
  if (!blob) return {{}, blob.failure().message};
  try {
    return {Subgraph(*blob).run(inputs, model), {}};
  } catch (const Cannot& c) { return {{}, c.reason}; }
}

}  // namespace webnn::inline v0_1::executorch::test
