// Runs a model of a test by importing it.
#pragma once

#include "tests/support/tensor.h"
#include "webnn/tflite.h"
#include "webnn/webnn.h"

namespace webnn::tflite::test {

using webnn::test::Tensor;

/// The outputs on the reference kernels.
std::vector<Tensor> run(std::span<const std::byte> model, std::span<const Tensor> inputs,
                        const ImportOptions& options = {});

}  // namespace webnn::tflite::test
