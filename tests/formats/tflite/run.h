// Runs a model of a test: by importing it, or by the reference runtime where there is one.
#pragma once

#include <memory>
#include <optional>

#include "tests/support/tensor.h"
#include "webnn/tflite.h"
#include "webnn/webnn.h"

namespace webnn::tflite::test {

using webnn::test::Tensor;

/// The outputs on the reference kernels.
std::vector<Tensor> run(std::span<const std::byte> model, std::span<const Tensor> inputs,
                        const ImportOptions& options = {});

/// TensorFlow Lite's C library, from the path in WEBNN_TFLITE_LIBRARY.
class ReferenceRuntime {
 public:
  /// Nothing when the variable is not set or there is no such library.
  static std::unique_ptr<ReferenceRuntime> open();
  ~ReferenceRuntime();

  /// Nothing when it does not take the model. INT16 is held as int32.
  std::optional<std::vector<Tensor>> run(std::span<const std::byte> model,
                                         std::span<const Tensor> inputs) const;

 private:
  struct Library;
  explicit ReferenceRuntime(std::unique_ptr<Library>);
  std::unique_ptr<Library> library_;
};

}  // namespace webnn::tflite::test
