// The reference TensorFlow Lite runtime, loaded while the tests run:
// tests/formats/tflite/README.md.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/support/tensor.h"

namespace webnn::inline v0_1::test {

/// A tensor as the runtime has it, of any of its types.
struct TfliteTensor {
  int type = 0;  ///< TensorType of the schema
  std::string name{};
  Dims shape{};
  std::vector<std::byte> bytes{};
  float scale = 0;  ///< that of one quantization for the whole tensor, else 0
  std::int32_t zero_point = 0;

  /// BOOL becomes uint8, INT16 int32. Throws std::runtime_error for a type that WebNN does not
  /// have.
  Tensor tensor() const;
};

class TfliteRuntime {
 public:
  /// Null when WEBNN_TFLITE_LIBRARY, the path of libtensorflowlite_c.so, is not set. Throws
  /// std::runtime_error when the library cannot be loaded.
  static const TfliteRuntime* find();

  std::string version() const;

  /// The outputs of a model on one thread, in the order of its subgraph, as are the bytes of the
  /// inputs; those of INT16 may have 32 bits. Throws std::runtime_error with what the runtime says
  /// of a model that it refuses.
  std::vector<TfliteTensor> run(std::span<const std::byte> model,
                                std::span<const std::vector<std::byte>> inputs) const;
  /// INT16 is held as int32, in the inputs and in the outputs.
  std::vector<Tensor> run(std::span<const std::byte> model, std::span<const Tensor> inputs) const;

  struct Functions;

 private:
  explicit TfliteRuntime(const std::string& path);

  const Functions* functions_;  // the library stays loaded
};

}  // namespace webnn::inline v0_1::test
