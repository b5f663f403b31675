// A model that was converted computes what it did before, and converts back.
#pragma once

#include "tests/support/catch.h"
#include "tests/tools/command.h"

namespace webnn::inline v0_1::test {

inline void check_same_model(const Folder& folder, const std::string& model,
                             const std::string& net) {
  const std::string back = folder.path("back.tflite");
  for (const char* backends : {"reference", "simd,reference"})
    CHECK(webnn_command({"diff", model, net, "--tolerance", "0", "--backends", backends}).code ==
          0);
  CHECK(webnn_command({"convert", net, back}).code == 0);
  CHECK(webnn_command({"diff", model, back, "--tolerance", "0", "--backends", "reference"}).code ==
        0);
}

}  // namespace webnn::inline v0_1::test
