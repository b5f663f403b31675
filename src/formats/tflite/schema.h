// The only file that includes flatbuffers and what its compiler makes of schema.fbs. Private.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include "schema_generated.h"

namespace webnn::inline v0_1::tflite {

namespace fb = flatbuffers;
namespace schema = ::webnn_schema::tflite;

}  // namespace webnn::inline v0_1::tflite
