// The network that train.py trained, as a WebNN graph.
#pragma once

#include <webnn/fluent.h>
#include <webnn/safetensors.h>
#include <webnn/webnn.h>

namespace digits {

/// "pixels" uint8 [1, 1, 8, 8], 0 for paper to 16 for ink -> "probabilities" float32 [1, 10].
inline webnn::MLGraph build(webnn::MLContext context, const webnn::safetensors::File& weights) {
  using namespace webnn;
  using fluent::Operand;
  MLGraphBuilder b(context);

  // Constants that share the mapped file.
  const auto weight = [&](const std::string& name) {
    return b.constant(weights.descriptor(name), weights.constant(name));
  };
  const auto conv2d = [&](Operand x, const std::string& name, MLConv2dOptions options) {
    options.bias = weight(name + ".bias");
    options.label = name;
    return x.conv2d(weight(name + ".weight"), options);
  };

  Operand pixels = b.input("pixels", {.dataType = uint8, .shape = {1, 1, 8, 8}});
  Operand x = pixels.cast(float32) / 16;
  x = conv2d(x, "stem", {.padding = {1, 1, 1, 1}}).relu();

  Operand block = conv2d(x, "depthwise", {.padding = {1, 1, 1, 1}, .groups = 32}).relu();
  x = x + conv2d(block, "pointwise", {}).relu();

  x = conv2d(x, "wide", {.padding = {1, 1, 1, 1}}).relu();
  x = x.maxPool2d({.windowDimensions = {2, 2}, .strides = {2, 2}});
  x = conv2d(x, "deep", {.padding = {1, 1, 1, 1}}).relu();
  x = x.averagePool2d({.windowDimensions = {2, 2}, .strides = {2, 2}});

  x = x.reshape({1, 256}).gemm(weight("classes.weight"),
                               {.c = weight("classes.bias"), .bTranspose = true});
  return b.build({{"probabilities", x.softmax(1)}});
}

}  // namespace digits
