// What the importer says of a file that it refuses.
#pragma once

#include "tests/formats/tflite/writer.h"
#include "tests/support/builder.h"
#include "tests/support/thrown.h"
#include "webnn/tflite.h"

namespace webnn::inline v0_1::tflite::test {

inline std::string refusal(const std::vector<std::byte>& file, const ImportOptions& o = {}) {
  return webnn::test::thrown([&] {
    MLGraphBuilder b(webnn::test::plain_context());
    import_model(b, file, o);
  });
}
inline std::string refusal(const Writer& w, const ImportOptions& o = {}) {
  return refusal(w.file(), o);
}

/// add(x0, c1) -> y2, of which a test breaks something.
inline Writer sum() {
  Writer w;
  w.output(w.op(BuiltinOperator::ADD,
                {w.input(TensorType::FLOAT32, {2, 3}), w.floats({3}, {1, 2, 3})},
                {w.result(TensorType::FLOAT32)}, schema::AddOptionsT()));
  return w;
}

}  // namespace webnn::inline v0_1::tflite::test
