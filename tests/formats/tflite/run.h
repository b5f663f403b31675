// Runs a model of a test by importing it.
#pragma once

#include "tests/support/builder.h"
#include "tests/support/tensor.h"
#include "webnn/tflite.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::tflite::test {

using webnn::test::Tensor;

/// The outputs, on the reference kernels unless a context is given.
std::vector<Tensor> run(std::span<const std::byte> model, std::span<const Tensor> inputs,
                        const ImportOptions& options = {},
                        MLContext context = webnn::test::plain_context());

}  // namespace webnn::inline v0_1::tflite::test
