#include "tests/formats/onnx/run.h"
