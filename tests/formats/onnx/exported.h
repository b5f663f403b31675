// Random operators and graphs, written as .onnx files and read again.
#pragma once

#include "tests/random/compare.h"
#include "tests/support/builder.h"
#include "webnn/onnx.h"

namespace webnn::inline v0_1::onnx::test {

using webnn::test::Inputs;
using webnn::test::Tensor;

/// The reference kernels; graphs can be exported after they are built.
const MLContext& plain();

/// Compositions have narrow floats between operators, where they are rounded.
webnn::test::Rounding rounding_of(const Graph& graph);

/// A network of images, some of it quantized, with values for its input.
struct Network {
  MLGraph graph;
  Inputs inputs{};
};
Network random_network(std::uint32_t seed);

/// What is read from the bytes of a model, and its inputs and outputs.
struct Read {
  MLGraph graph;
  Model model;
};
Read read(std::span<const std::byte> file);

}  // namespace webnn::inline v0_1::onnx::test
