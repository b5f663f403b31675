// Models whose only weight is a tensor of the file, for tests of its forms.
#pragma once

#include "tests/formats/onnx/writer.h"

namespace webnn::inline v0_1::onnx::test {

/// x + k, where k is a tensor of two floats.
inline Writer sum(const Message& k) {
  Writer w;
  w.input("x", {"2"}).output("y").initializer(k).node("Add", {"x", "k"}, {"y"});
  return w;
}
/// The beginning of the tensor k.
inline Message header(const Ints& dims, ElementType type) {
  return Message().integers(1, dims).integer(2, static_cast<std::int64_t>(type)).text(8, "k");
}

}  // namespace webnn::inline v0_1::onnx::test
