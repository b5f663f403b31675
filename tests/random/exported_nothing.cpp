// For builds without .tflite files.
#include "tests/random/exported.h"

namespace webnn::test {

std::optional<MLGraph> exported_and_imported(const Graph&, const MLContext&) {
  return std::nullopt;
}

}  // namespace webnn::test
