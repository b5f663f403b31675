#include "src/formats/tflite/export/lower.h"

namespace webnn::inline v0_1::tflite::exporter {

Values lower(LoweringContext& s, const ops::cast& op) {
  return s.e().cast(s(op.input), type_of(op.dataType));
}

}  // namespace webnn::inline v0_1::tflite::exporter
