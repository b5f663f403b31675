// The only file that includes flatbuffers and what its compiler makes of schema.fbs. Private.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include "schema_generated.h"

namespace webnn::tflite {

namespace fb = flatbuffers;

}  // namespace webnn::tflite
