// The files that the commands and programs of the guide work on.
#pragma once

#include "tests/tools/command.h"

namespace webnn::inline v0_1::test {

/// net.tflite and other.tflite, int8.tflite, net.webnn with net.safetensors, cat.bmp, labels.txt,
/// examples/trained/stories.gguf, embeddings.gguf.
void write_guide_files(const Folder& folder);

}  // namespace webnn::inline v0_1::test
