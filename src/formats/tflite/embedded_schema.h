// The schema as data, by which fields are shown with their names. Private.
#pragma once

#include "src/formats/common/flatbuffers_fields.h"

#include "embedded/schema_bfbs_generated.h"

namespace webnn::inline v0_1::tflite {

inline const formats::EmbeddedSchema& embedded_schema() {
  static const formats::EmbeddedSchema embedded{::webnn_schema::tflite::ModelBinarySchema()};
  return embedded;
}

}  // namespace webnn::inline v0_1::tflite
