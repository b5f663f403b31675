// The weights of an example, and the layers that several of them have.
#pragma once

#include <webnn/fluent.h>
#include <webnn/safetensors.h>
#include <webnn/webnn.h>

#include <cstring>
#include <string>
#include <vector>

namespace trained {

using webnn::fluent::Operand;

/// A file of this folder. TRAINED_FOLDER comes from CMakeLists.txt.
inline webnn::safetensors::File open(const std::string& name) {
  return webnn::safetensors::File::open(std::string(TRAINED_FOLDER "/") + name + ".safetensors");
}

/// The elements of a tensor, in a vector of the caller's type.
template <class T>
std::vector<T> values(const webnn::safetensors::File& file, std::string_view name) {
  const auto bytes = file.bytes(name);
  std::vector<T> all(bytes.size() / sizeof(T));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

/// 16-bit samples, from -1 to 1.
inline std::vector<float> sound(const webnn::safetensors::File& file, std::string_view name) {
  std::vector<float> all;
  for (const std::int16_t s : values<std::int16_t>(file, name))
    all.push_back(static_cast<float>(s) / 32768);
  return all;
}

/// Layers whose float16 weights are in a file, under the names that PyTorch gives them.
struct Layers {
  webnn::MLGraphBuilder& builder;
  const webnn::safetensors::File& file;

  Operand weight(const std::string& name) const {
    Operand stored = builder.constant(file.descriptor(name), file.constant(name));
    return stored.cast(webnn::float32);
  }
  /// Pixels of 4 bits, from 0 to 1.
  Operand pixels(Operand images) const {
    const webnn::Dims ones(images.shape().size(), 1);
    return images.dequantizeLinear(
        builder.constant({webnn::float32, ones}, std::vector{1 / 15.f}),
        builder.constant({webnn::uint4, ones}, std::vector<std::uint8_t>{0}));
  }
  /// x [n, in] -> [n, out]
  Operand linear(Operand x, const std::string& name) const {
    return x.gemm(weight(name + ".weight"), {.c = weight(name + ".bias"), .bTranspose = true});
  }
  Operand conv2d(Operand x, const std::string& name, webnn::MLConv2dOptions options) const {
    options.bias = weight(name + ".bias");
    options.label = name;
    return x.conv2d(weight(name + ".weight"), options);
  }
  /// x [steps, 1, in] and the state [directions, 1, hidden], or zeros -> the last state, all states
  std::vector<Operand> gru(Operand x, const std::string& name, std::uint32_t hidden,
                           std::optional<Operand> state = std::nullopt,
                           bool bidirectional = false) const {
    const auto both = [&](const char* part) { return recurrent(name, part, bidirectional); };
    webnn::MLGruOptions options{.bias = both("bias_ih"),
                                .recurrentBias = both("bias_hh"),
                                .returnSequence = true,
                                .layout = webnn::MLGruWeightLayout::rzn,
                                .label = name};
    if (state) options.initialHiddenState = *state;
    if (bidirectional) options.direction = webnn::MLRecurrentNetworkDirection::both;
    return x.gru(both("weight_ih"), both("weight_hh"), x.shape()[0], hidden, options);
  }
  /// x [steps, 1, in] -> all states of both directions [steps, 2, 1, hidden]
  Operand bidirectional_lstm(Operand x, const std::string& name, std::uint32_t hidden) const {
    const auto both = [&](const char* part) { return recurrent(name, part, true); };
    return x.lstm(both("weight_ih"), both("weight_hh"), x.shape()[0], hidden,
                  {.bias = both("bias_ih"),
                   .recurrentBias = both("bias_hh"),
                   .returnSequence = true,
                   .direction = webnn::MLRecurrentNetworkDirection::both,
                   .layout = webnn::MLLstmWeightLayout::ifgo,
                   .label = name})[2];
  }

 private:
  /// A weight of a recurrent layer: [directions, ...]
  Operand recurrent(const std::string& name, const std::string& part, bool bidirectional) const {
    const auto one = [&](const std::string& suffix) {
      Operand w = weight(name + "." + part + suffix);
      webnn::Dims shape = w.shape();
      shape.insert(shape.begin(), 1);
      return w.reshape(shape);
    };
    return bidirectional ? one("_l0").concat({one("_l0_reverse")}, 0) : one("_l0");
  }
};

}  // namespace trained
