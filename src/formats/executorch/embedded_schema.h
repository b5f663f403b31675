// The schema of the delegate's graphs as data, by which fields are shown with their names. Private.
#pragma once

#include "src/formats/common/flatbuffers_fields.h"

#include "embedded/delegate_bfbs_generated.h"

namespace webnn::inline v0_1::executorch {

inline const formats::EmbeddedSchema& embedded_schema() {
  static const formats::EmbeddedSchema embedded{
      ::webnn_schema::executorch::xnn::GraphBinarySchema()};
  return embedded;
}

}  // namespace webnn::inline v0_1::executorch
